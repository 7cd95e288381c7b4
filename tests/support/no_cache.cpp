// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tests/support/environment.hpp"

namespace cuda_filters::test {
namespace {

/// Before main(): the program has a cache folder in which nothing is found or kept.
[[maybe_unused]] const bool set = (set_variable(cache_variable, no_cache_folder), true);

}  // namespace
}  // namespace cuda_filters::test
