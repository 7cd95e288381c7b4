// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <libgimp/gimp.h>
#include <libgimp/gimpui.h>

#include "plugin/run.hpp"

// What GIMP 2.10's dialogs do in one way and GIMP 3's in another: each has its own dialog.cpp.

namespace cuda_filters::plugin {

/// Makes libgimpui ready; `previews`: for a dialog that shows pictures.
void init_ui(bool previews);

/// The checks that the user has chosen in GIMP's preferences.
Checks checks();

/// A GimpIntComboBox of the layers, masks and channels of the drawable's image.
GtkWidget* new_drawable_box(const Drawable& drawable);

}  // namespace cuda_filters::plugin
