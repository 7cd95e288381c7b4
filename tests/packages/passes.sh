# SPDX-FileCopyrightText: the gimp-cuda-filters authors
# SPDX-License-Identifier: LGPL-3.0-or-later
# shellcheck shell=sh
# How tests of packages tell what they have seen; they source this file after .ci/roots.sh.
# shellcheck disable=SC2154

# A folder that every root sees as /tmp/…, removed at the end with the roots in it.
work=$(mktemp -d /tmp/cuda-filters-packages-XXXXXX)
chmod 755 "$work"
trap 'as_root rm -rf --one-file-system "$work" "$roots"/fresh-$$-*' EXIT
trap 'exit 130' INT HUP
trap 'exit 143' TERM

# passes WHAT COMMAND...: prints `ok WHAT` if the command succeeds, else what it printed and `not ok WHAT`.
passes() {
  what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    echo "ok $what"
  else
    tail -n "${LINES_SHOWN:-60}" "$work/log" | sed 's/^/  | /'
    echo "not ok $what"
    return 1
  fi
}

# make_fresh_root SUITE: a bare system of that release, $fresh, which lives as long as the test does.
make_fresh_root() {
  fresh=$roots/fresh-$$-$1
  copy_bare_root "$1" "$fresh"
}
