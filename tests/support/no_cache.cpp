// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <cstdlib>

namespace {

/// Before main(): the program has a cache folder in which nothing is found or kept.
[[maybe_unused]] const int set = setenv("XDG_CACHE_HOME", "/dev/null", 1);

}  // namespace
