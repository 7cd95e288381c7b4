// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/core/filter.hpp"
#include "gpu/core/image.hpp"
#include "gpu/core/report.hpp"

// The histogram by which people choose two limits, in a dialog.

namespace cuda_filters {

/// How often evenly spaced values occur, from the lower end of the limits' sliders to the upper
/// one, with all others at the nearest of them; empty before anything was counted.
using LimitCounts = std::vector<std::uint64_t>;

/// Adds the values of the pixels of `area`, which the processor counts; `analysis` is a job of a
/// filter's limit_histogram(). Pixels that are not selected, or fully transparent, do not count,
/// nor do values that are not numbers.
void count_limits(const Job& analysis, Source& source, Rect area, LimitCounts& counts);

/// The parts of `region` from which a histogram is taken: squares of a tile's size (of 128 pixels)
/// side by side, or, if they have more than `max_pixels`, evenly spaced ones of about so many.
std::vector<Rect> sampled_areas(Rect region, double max_pixels);

/// How high each of `bars` bars is that show the counts together, as a share of the highest one: by
/// square roots, so that one sees rare values, too. A single value that most pixels have does not
/// press the others down: it ends at the top.
std::vector<double> bar_heights(const LimitCounts& counts, int bars);

// The analyses of filters: rows like those of the registry, but not in it.
const FilterEntry& canny_histogram_entry();
const FilterEntry& threshold_histogram_entry();

}  // namespace cuda_filters
