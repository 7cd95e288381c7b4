// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <span>
#include <string>
#include <vector>

#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// The values of NAME=VALUE words, and the initial ones of all parameters that no word names.
/// Choices go by their names, toggles by yes and no. Throws ArgumentError with a sentence that
/// names the word.
Values parse_values(const FilterEntry& filter, std::span<const std::string> words);

/// The values of one of the filter's presets.
Values preset_values(const FilterEntry& filter, const Preset& preset);

/// The steps of a text such as `gaussian-blur std-dev-x=2 | canny low-threshold=40`. A value with
/// blanks or bars stands between single or double quotes. Throws ArgumentError with a sentence that
/// names the step and the word, or if there are more than 1000 steps.
std::vector<Job> parse_chain(const std::string& text);

/// What holds for all steps together: how far the result of the last one looks, and which of them
/// weighs colors by alpha.
Plan plan_of_chain(std::span<const Job> steps);

}  // namespace cuda_filters
