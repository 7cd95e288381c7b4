# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh
# Debian systems in folders, one for each GIMP, for ./check and tests/packages. They source this file,
# in the project's folder and after .ci/packages.sh.
# shellcheck disable=SC2154

# The Debian releases, each with the series of its GIMP; fewer of them if RELEASES says so.
releases=${RELEASES:-bookworm:2.10 trixie:3.0 forky:3.2}

# What the plug-in is built with there, for each series.
gimp_in_root="gimp python3-gi locales fonts-dejavu-core fonts-wqy-microhei"
build_in_root="g++ meson ninja-build pkg-config gettext libpng-dev"

# The Debian mirror that apt uses here; empty, and so debootstrap's own choice, if it uses none.
mirror() {
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(LABEL)|$(COMPONENT)|$(REPO_URI)' 'Identifier: Packages' |
    sed -n 's/^Debian|main|//p' | head -n 1
}

# make_bare_root SUITE: the smallest system of that release in $roots/bare-SUITE, if it is not there.
make_bare_root() {
  bare=$roots/bare-$1
  if [ -f "$bare/packages" ]; then return; fi
  say "Making a Debian $1 root in $bare"
  as_root rm -rf --one-file-system "$bare.new" "$bare"
  mkdir -p "$bare.new"
  as_root unshare --mount debootstrap --variant=minbase --include=ca-certificates "$1" "$bare.new" \
    "$(mirror)" /usr/share/debootstrap/scripts/sid >"$bare.log" 2>&1 ||
    die "debootstrap failed: $(tail -n 3 "$bare.log")"
  # What dpkg writes need not outlive a power failure.
  {
    apt-config dump | grep -E '^Acquire::(Check-|https?::Proxy)' || true
    echo 'DPkg::Options:: "--force-unsafe-io";'
  } | as_root tee "$bare.new/etc/apt/apt.conf.d/90host" >/dev/null
  printf '#!/bin/sh\nexit 101\n' | as_root tee "$bare.new/usr/sbin/policy-rc.d" >/dev/null
  as_root chmod +x "$bare.new/usr/sbin/policy-rc.d"
  as_root mkdir -p "$bare.new/build"
  as_root chmod 1777 "$bare.new/build"
  echo | as_root tee "$bare.new/packages" >/dev/null
  as_root mv "$bare.new" "$bare"
}

# copy_bare_root SUITE FOLDER: a system of that release of its own.
copy_bare_root() {
  make_bare_root "$1"
  as_root cp -a --reflink=auto "$roots/bare-$1" "$2"
}

# make_root NAME SUITE PACKAGES: the root $roots/NAME, with at least these packages.
make_root() {
  root=$roots/$1
  if [ ! -f "$root/packages" ]; then
    as_root rm -rf --one-file-system "$root.new" "$root"
    copy_bare_root "$2" "$root.new"
    as_root mv "$root.new" "$root"
  fi
  has=$(cat "$root/packages")
  missing=
  for wanted in $3; do
    case " $has " in *" $wanted "*) ;; *) missing="$missing $wanted" ;; esac
  done
  [ -n "$missing" ] || return 0
  say "Installing in $root:$missing"
  # shellcheck disable=SC2086
  as_root tests/gimp/in-root "$root" sh -euc '
    dpkg --configure -a
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
    apt-get clean' sh $missing >>"$root.log" 2>&1 ||
    die "the packages could not be installed in the root: $(tail -n 3 "$root.log")"
  echo "$has$missing" | as_root tee "$root/packages" >/dev/null
}

# make_gimp_root SERIES [PACKAGES]: the root of the release with that GIMP, in which the plug-in can be built.
make_gimp_root() {
  case $1 in 2.*) headers=libgimp2.0-dev ;; *) headers=libgimp-3.0-dev ;; esac
  for its in $releases; do
    [ "${its#*:}" = "$1" ] || continue
    make_root "gimp-$1" "${its%:*}" "$gimp_in_root $build_in_root $headers ${2-}"
  done
}
