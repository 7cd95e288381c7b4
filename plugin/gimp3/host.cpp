// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/gimp3/host.hpp"

namespace cuda_filters::plugin {

std::string Gimp3Drawable::name() const {
  gchar* name = gimp_item_get_name(GIMP_ITEM(drawable_));
  const std::string copy = name != nullptr ? name : "";
  g_free(name);
  return copy;
}

Drawable::Obstacle Gimp3Drawable::obstacle() const {
  if (gimp_item_is_group(GIMP_ITEM(drawable_))) return Obstacle::group;
  if (gimp_drawable_is_indexed(drawable_)) return Obstacle::indexed;
  if (gimp_item_get_lock_content(GIMP_ITEM(drawable_))) return Obstacle::locked;
  return Obstacle::none;
}

Selection Gimp3Drawable::selection() const {
  Selection selection;
  Rect& area = selection.area;
  if (!gimp_drawable_mask_intersect(drawable_, &area.x, &area.y, &area.width, &area.height))
    area = {};
  GimpImage* image = gimp_item_get_image(GIMP_ITEM(drawable_));
  if (gimp_selection_is_empty(image)) return selection;
  selection.mask = Buffer{gimp_drawable_get_buffer(GIMP_DRAWABLE(gimp_image_get_selection(image)))};
  gimp_drawable_get_offsets(drawable_, &selection.x, &selection.y);
  return selection;
}

bool Gimp3Drawable::merge_shadow(Rect area) {
  if (!gimp_drawable_merge_shadow(drawable_, TRUE)) return false;
  return gimp_drawable_update(drawable_, area.x, area.y, area.width, area.height);
}

Values values_of(const FilterEntry& filter, GimpProcedureConfig* config) {
  Values values;
  for (const Param& param : filter.params) switch (param.kind) {
      case Kind::real: {
        gdouble value = 0.0;
        g_object_get(config, param.name, &value, nullptr);
        values.emplace_back(value);
        break;
      }
      case Kind::integer: {
        gint value = 0;
        g_object_get(config, param.name, &value, nullptr);
        values.emplace_back(static_cast<double>(value));
        break;
      }
      case Kind::toggle: {
        gboolean value = FALSE;
        g_object_get(config, param.name, &value, nullptr);
        values.emplace_back(value ? 1.0 : 0.0);
        break;
      }
      case Kind::choice:
        values.emplace_back(
            static_cast<double>(gimp_procedure_config_get_choice_id(config, param.name)));
        break;
      case Kind::text: {
        gchar* value = nullptr;
        g_object_get(config, param.name, &value, nullptr);
        values.emplace_back(std::string{value != nullptr ? value : ""});
        g_free(value);
        break;
      }
    }
  return values;
}

}  // namespace cuda_filters::plugin
