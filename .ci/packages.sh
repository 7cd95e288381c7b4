# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh
# What ./demo, ./check and ./bench need of a Debian or Ubuntu machine; they source this file.

say() { printf '\n==> %s\n' "$*"; }

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

build_packages() { echo g++ meson ninja-build pkg-config gettext gimp "$(gimp_headers)"; }

# nvcc's folder on the PATH, if there is one that is not yet.
use_cuda() {
  if ! command -v nvcc >/dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
    PATH=$PATH:/usr/local/cuda/bin
  fi
}

# The meson option for the GPU of this machine, or for one kind if it has none: all of them take long.
gpu_option() {
  arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .)
  case $arch in
    [0-9]*) echo "-Dgpu_archs=$arch" ;;
    *) echo -Dgpu_archs=90 ;;
  esac
}

# configure DIR OPTIONS...: the build in DIR, made anew if nvcc has come or gone since.
configure() {
  folder=$1
  shift
  use_cuda
  nvcc=$(command -v nvcc || echo none)
  if [ ! -f "$folder/build.ninja" ] || [ "$(cat "$folder/nvcc" 2>/dev/null)" != "$nvcc" ]; then
    rm -rf "$folder"
    meson setup "$folder" "$(gpu_option)" "$@"
    echo "$nvcc" >"$folder/nvcc"
  fi
}

# Where ./check --all-gimps keeps GIMP 3.0 and 3.2.
roots=${XDG_CACHE_HOME:-$HOME/.cache}/gimp-cuda-filters/roots

# Lets tests and benchmark use these, if they are there.
use_roots() {
  [ -f "$roots/gimp-3.0/build/build.ninja" ] && [ -f "$roots/gimp-3.2/packages" ] || return 0
  export CUDA_FILTERS_ROOTS="3.0=$roots/gimp-3.0,3.2=$roots/gimp-3.2"
  export CUDA_FILTERS_GIMP3_BUILD="$roots/gimp-3.0/build"
}
