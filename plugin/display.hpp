// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <libgimp/gimp.h>
#include <libgimp/gimpui.h>

#include "gpu/core/error.hpp"
#include "plugin/i18n.hpp"

namespace cuda_filters::plugin {

/// Throws Error if there is no display, without which gimp_ui_init() would end the process.
inline void check_display() {
  const gchar* of_gimp = gimp_display_name();  // none if GIMP has no windows
  if (of_gimp != nullptr && *of_gimp != '\0') return;
  if (!gtk_init_check(nullptr, nullptr))
    throw Error{
        _("There is no display to show a dialog on. Call the procedure with the run mode "
          "RUN-NONINTERACTIVE, which needs none.")};
}

}  // namespace cuda_filters::plugin
