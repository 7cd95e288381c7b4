// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <span>
#include <string>
#include <vector>

#include "gpu/core/backend.hpp"
#include "gpu/core/image.hpp"

namespace cuda_filters {

/// The values of NAME=VALUE words, and the initial ones of all parameters that no word names.
/// Choices go by their names, toggles by yes and no. Throws ArgumentError with a sentence that
/// names the word.
Values parse_values(const FilterEntry& filter, std::span<const std::string> words);

/// The steps of a text such as `gaussian-blur std-dev-x=2 | canny low-threshold=40`. A value with
/// blanks or bars stands between single or double quotes. Throws ArgumentError with a sentence that
/// names the step and the word, or if there are more than 1000 steps.
std::vector<Job> parse_chain(const std::string& text);

/// What holds for all steps together: how far the result of the last one looks, and which of them
/// weighs colors by alpha.
Plan plan_of_chain(std::span<const Job> steps);

/// One pass over the pixels: neighboring steps of single pixels are one.
struct Pass {
  Job job;
  Rect region;            ///< of the image, that has to be computed
  bool converts = false;  ///< no formula leads to its light: the source converts on the host
};

/// The passes of a chain over `region`; the first and the last one are FusedPointwise, which
/// convert to 32-bit floats and back.
std::vector<Pass> plan_passes(std::span<const Job> steps, Source& source, Rect region);

/// Applies the steps of a chain. From step to step the image stays, as 32-bit floats, in the
/// backend's memory, or in the host's if that is too small or the source has to convert. Throws
/// Error.
void run_chain(Backend& backend, const Job& chain, Source& source, Sink& sink, Rect region,
               const Progress& progress, Report& report);

}  // namespace cuda_filters
