// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "plugin/dialogs.hpp"

namespace cuda_filters::plugin {

/// As Dialogs::show_filter.
bool show_filter_dialog(const FilterEntry& filter, Drawable& drawable, FilterSettings& settings);

}  // namespace cuda_filters::plugin
