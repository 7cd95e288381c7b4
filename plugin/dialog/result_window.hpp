// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// Shows what info() found as a table, until the user closes the window. It can be copied, as the
/// text for scripts.
void show_info_window(const std::vector<DescriptionLine>& lines);

/// Shows what was measured of a drawable as a table, with a column and a histogram for each
/// channel. The numbers can be copied, and saved as a file of comma-separated values.
void show_statistics_window(const Measured& measured, Drawable& drawable);

}  // namespace cuda_filters::plugin
