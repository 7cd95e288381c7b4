// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <string>

namespace cuda_filters::plugin {

/// As Dialogs::show_text.
void show_text_window(const char* title, const std::string& text);

}  // namespace cuda_filters::plugin
