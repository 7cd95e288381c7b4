// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <string>

#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// Shows a text that can be selected, and copied as a whole, until the user closes the window.
void show_text_window(const char* title, const std::string& text);

/// Shows what was measured of a drawable as a table, with a column and a histogram for each
/// channel. The numbers can be copied, and saved as a file of comma-separated values.
void show_statistics_window(const Measured& measured, Drawable& drawable);

}  // namespace cuda_filters::plugin
