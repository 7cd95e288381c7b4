// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <optional>
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

/// A step of a chain as it is written: `values` are of the right kind and in range, but need not go
/// together.
struct ChainStep {
  const FilterEntry* filter = nullptr;
  Values values{};
  std::optional<std::string> aux_layer{};  ///< the name of the layer that is the second picture
  bool enabled = true;                     ///< otherwise the chain leaves it out
};

/// Whether a chain may hold the filter: it keeps the size of the picture, and is no chain.
bool can_be_step(const FilterEntry& filter);

/// The steps of a text such as `gaussian-blur std-dev-x=2 | #invert | canny low-threshold=40`. The
/// name of one that is left out begins with '#'. A value with blanks or bars stands between single
/// or double quotes. Throws ArgumentError with a sentence that names the step and the word, or if
/// there are more than 1000 steps.
std::vector<ChainStep> parse_steps(const std::string& text);

/// The text of steps, from which parse_steps() reads the same again. It names the parameters that
/// do not have their initial values.
std::string steps_text(std::span<const ChainStep> steps);

/// The jobs of the steps of a text that are not left out. Throws ArgumentError as parse_steps()
/// does, also where the values of such a step do not go together.
std::vector<Job> parse_chain(const std::string& text);

/// What holds for all steps together: how far the result of the last one looks, and which of them
/// weighs colors by alpha.
Plan plan_of_chain(std::span<const Job> steps);

}  // namespace cuda_filters
