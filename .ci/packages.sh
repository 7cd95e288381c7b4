# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh
# What ./demo, ./check and ./bench need of a Debian or Ubuntu machine; they source this file.

say() { printf '\n==> %s %s\n' "$(date +%T)" "$*"; }

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# Runs a command as root.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo --preserve-env=http_proxy,https_proxy -- "$@"
  else
    die "this needs root, and there is no sudo: $*"
  fi
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# The GIMP headers that this machine has, or that its distribution offers.
gimp_headers() {
  for name in libgimp-3.0-dev libgimp2.0-dev; do
    if installed "$name"; then echo "$name" && return; fi
  done
  for name in libgimp-3.0-dev libgimp2.0-dev; do
    if apt-cache show "$name" >/dev/null 2>&1; then echo "$name" && return; fi
  done
  echo libgimp2.0-dev
}

# Installs those of the packages that are missing and says which.
need_packages() {
  missing=
  for name; do
    installed "$name" || missing="$missing $name"
  done
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null ||
    die "this machine is neither Debian nor Ubuntu; install the equivalents of:$missing"
  say "Installing packages (as root):$missing"
  as_root apt-get update -q
  # shellcheck disable=SC2086
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing ||
    die "the packages could not be installed; see above"
}

# Fetches the lists of packages if this machine has none yet.
need_package_lists() {
  apt-cache show meson >/dev/null 2>&1 && return 0
  say "Fetching the lists of packages (as root)"
  as_root apt-get update -q
}

build_packages() { echo g++ meson ninja-build pkg-config gettext libpng-dev gimp "$(gimp_headers)"; }

# nvcc's folder on the PATH, if there is one that is not yet.
use_cuda() {
  if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
    PATH=$PATH:/usr/local/cuda/bin
  fi
}

# The compute capabilities of this machine's GPUs, as meson's gpu_archs has them, or none.
gpu_archs() {
  archs=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d . |
    grep -x '[0-9]*' | sort -nu | paste -sd ,)
  echo "${archs:-none}"
}

# Of what is built once, each file is of several filters, so that compilers read the headers less often.
filters_per_file=-Dfilters_per_file=12

# cuda_options NVCC GPU DEFAULT: meson's options for what was found. Kernels for all GPUs take long
# to compile: they are for those of this machine, or for DEFAULT where it has none. There nothing can
# run them, so that they are not optimized, which takes a third of the time.
cuda_options() {
  if [ "$1" = none ] || [ "$2 $3" = "none none" ]; then
    echo -Dcuda=disabled
    return
  fi
  if [ "$2" = none ]; then
    echo "-Dgpu_archs=$3 -Dcuda_args=['-Xcicc=-O1','-Xptxas=-O0']"
  else
    echo "-Dgpu_archs=$2"
  fi
}

# The level of the instruction set that this machine's processor runs, as meson's cpu_levels has it:
# builds that only this machine runs need no other one beside the least. Empty where that is all.
cpu_level() {
  flags=" $(grep -m 1 '^flags' /proc/cpuinfo || true) "
  level=
  has() { for flag; do case $flags in *" $flag "*) ;; *) return 1 ;; esac done; }
  if has avx2 fma bmi2 f16c; then level=x86_64_v3; fi
  if [ -n "$level" ] && has avx512f avx512bw avx512cd avx512dq avx512vl; then level=x86_64_v4; fi
  echo "$level"
}

# configure DIR DEFAULT OPTIONS...: the build in DIR, made anew if an nvcc or a GPU has come or gone
# since. DEFAULT is the GPU for which kernels are built where there is none; "none" leaves them out.
configure() {
  folder=$1
  default_gpu=$2
  shift 2
  use_cuda
  nvcc=$(command -v nvcc || echo none)
  gpu=$(gpu_archs)
  if [ ! -f "$folder/build.ninja" ] || [ "$(cat "$folder/cuda" 2>/dev/null)" != "$nvcc $gpu" ]; then
    rm -rf "$folder"
    # shellcheck disable=SC2046
    meson setup "$folder" $filters_per_file $(cuda_options "$nvcc" "$gpu" "$default_gpu") "$@"
    echo "$nvcc $gpu" >"$folder/cuda"
  fi
}

# configure_sanitized address|thread: the build of the CPU's side with AddressSanitizer and
# UndefinedBehaviorSanitizer, or with ThreadSanitizer, in build-sanitize-address, or -thread.
configure_sanitized() {
  [ -f "build-sanitize-$1/build.ninja" ] && return
  if [ "$1" = thread ]; then sanitizers=thread; else sanitizers=address,undefined; fi
  meson setup "build-sanitize-$1" --buildtype=plain -Doptimization=1 -Db_sanitize="$sanitizers" \
    -Db_lundef=false -Dcpp_args='-g1 -fno-sanitize-recover=all' -Dtests=enabled -Dcuda=disabled \
    -Dgegl=disabled -Dgimp2=disabled -Dgimp3=disabled -Dcpu_levels="$(cpu_level)" "$filters_per_file"
}

# Where ./check --all-gimps keeps GIMP 3.0 and 3.2.
roots=${XDG_CACHE_HOME:-$HOME/.cache}/gimp-cuda-filters/roots

# Lets tests and benchmark use these, if they are there.
use_roots() {
  [ -f "$roots/gimp-3.0/build/build.ninja" ] && [ -f "$roots/gimp-3.2/packages" ] || return 0
  export CUDA_FILTERS_ROOTS="3.0=$roots/gimp-3.0,3.2=$roots/gimp-3.2"
  export CUDA_FILTERS_GIMP3_BUILD="$roots/gimp-3.0/build"
}
