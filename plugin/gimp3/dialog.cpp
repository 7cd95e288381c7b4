// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <libgimp/gimpui.h>

#include "plugin/dialog/gimp_ui.hpp"
#include "plugin/gimp3/host.hpp"
#include "plugin/i18n.hpp"

namespace cuda_filters::plugin {

void init_ui(bool) { gimp_ui_init(PLUGIN_NAME); }

Checks checks() {
  const GeglColor* const own[2] = {gimp_check_custom_color1(), gimp_check_custom_color2()};
  GeglColor* colors[2] = {gegl_color_duplicate(const_cast<GeglColor*>(own[0])),
                          gegl_color_duplicate(const_cast<GeglColor*>(own[1]))};
  GeglColor* chosen[2] = {colors[0], colors[1]};
  gimp_checks_get_colors(gimp_check_type(), &chosen[0], &chosen[1]);
  Checks checks{4 << gimp_check_size(), {}};
  for (int i = 0; i < 2; ++i) {
    gegl_color_get_pixel(chosen[i], babl_format("R'G'B' u8"), checks.colors[i]);
    if (chosen[i] != colors[i]) g_object_unref(chosen[i]);
    g_object_unref(colors[i]);
  }
  return checks;
}

GtkWidget* new_drawable_box(const Drawable& drawable) {
  const auto is_of_image = [](GimpImage* image, GimpItem* item, gpointer wanted) -> gboolean {
    return image == wanted && !gimp_item_is_group(item);
  };
  GimpDrawable* of_image = static_cast<const Gimp3Drawable&>(drawable).get();
  return gimp_drawable_combo_box_new(is_of_image, gimp_item_get_image(GIMP_ITEM(of_image)),
                                     nullptr);
}

}  // namespace cuda_filters::plugin
