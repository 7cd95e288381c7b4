// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/filter_dialog.hpp"
#include "plugin/dialog/result_window.hpp"
#include "plugin/dialogs.hpp"

// What the library of dialogs exports.

const cuda_filters::plugin::Dialogs cuda_filters_dialogs{
    cuda_filters::plugin::show_filter_dialog, cuda_filters::plugin::show_statistics_window,
    cuda_filters::plugin::show_info_window};
