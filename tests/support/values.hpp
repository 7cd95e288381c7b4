// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "gpu/core/filter.hpp"

namespace cuda_filters::test {

/// What somebody typed as NAME=VALUE words: the initial values, and those of the words in their
/// places. Choices go by their nicks, toggles by `yes` and `no`. Throws ArgumentError if a filter
/// has no such parameter; a value that is none is left to make_job().
Values parse_values(const FilterEntry& filter, const std::vector<std::string>& words);

}  // namespace cuda_filters::test
