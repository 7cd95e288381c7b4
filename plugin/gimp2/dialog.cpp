// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <libgimp/gimp.h>
#include <libgimp/gimpui.h>

#include "plugin/dialog/gimp_ui.hpp"
#include "plugin/gimp2/host.hpp"
#include "plugin/i18n.hpp"

namespace cuda_filters::plugin {

void init_ui(bool previews) { gimp_ui_init(PLUGIN_NAME, previews); }

Checks checks() {
  guchar light, dark;
  gimp_checks_get_shades(gimp_check_type(), &light, &dark);
  return {4 << gimp_check_size(), {{light, light, light}, {dark, dark, dark}}};
}

GtkWidget* new_drawable_box(const Drawable& drawable) {
  const auto is_of_image = [](gint32 image, gint32 item, gpointer wanted) -> gboolean {
    return image == GPOINTER_TO_INT(wanted) && !gimp_item_is_group(item);
  };
  const gint32 image = gimp_item_get_image(static_cast<const Gimp2Drawable&>(drawable).id());
  return gimp_drawable_combo_box_new(is_of_image, GINT_TO_POINTER(image));
}

}  // namespace cuda_filters::plugin
