// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/gimp3/host.hpp"

namespace cuda_filters::plugin {
namespace {

Layer layer_of(GimpLayer* gimp_layer) {
  auto* drawable = GIMP_DRAWABLE(gimp_layer);
  auto* item = GIMP_ITEM(gimp_layer);
  Layer layer{};
  layer.drawable = std::make_unique<Gimp3Drawable>(drawable);
  if (GimpLayerMask* mask = gimp_layer_get_mask(gimp_layer))
    layer.mask = std::make_unique<Gimp3Drawable>(GIMP_DRAWABLE(mask));
  Rect& area = layer.area;
  area.width = gimp_drawable_get_width(drawable), area.height = gimp_drawable_get_height(drawable);
  gimp_drawable_get_offsets(drawable, &area.x, &area.y);
  layer.group = gimp_item_is_group(item);
  layer.fixed = gimp_item_get_lock_position(item);
  if (!layer.group) return layer;
  GimpItem** children = gimp_item_get_children(item);
  for (GimpItem** child = children; *child != nullptr; ++child)
    layer.children.push_back(layer_of(GIMP_LAYER(*child)));
  g_free(children);
  return layer;
}

/// GIMP scales with the fewest operations while this lives.
class QuickScaling {
 public:
  QuickScaling() {
    gimp_context_push();
    gimp_context_set_interpolation(GIMP_INTERPOLATION_NONE);
  }
  QuickScaling(const QuickScaling&) = delete;
  ~QuickScaling() { gimp_context_pop(); }
};

}  // namespace

std::string Gimp3Drawable::name() const {
  gchar* name = gimp_item_get_name(GIMP_ITEM(drawable_));
  const std::string copy = name != nullptr ? name : "";
  g_free(name);
  return copy;
}

Drawable::Obstacle Gimp3Drawable::obstacle() const {
  if (gimp_drawable_is_indexed(drawable_)) return Obstacle::indexed;
  if (gimp_item_is_group(GIMP_ITEM(drawable_))) return Obstacle::group;
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

std::optional<Layer> Gimp3Drawable::layer() {
  if (GIMP_IS_LAYER_MASK(drawable_))
    return layer_of(gimp_layer_from_mask(GIMP_LAYER_MASK(drawable_)));
  if (GIMP_IS_LAYER(drawable_)) return layer_of(GIMP_LAYER(drawable_));
  return std::nullopt;
}

bool Gimp3Drawable::scale_layer(Size size) {
  const QuickScaling quick;
  return gimp_layer_scale(GIMP_LAYER(drawable_), size.width, size.height, TRUE);
}

std::vector<Layer> Gimp3Host::layers() {
  GimpLayer** found = gimp_image_get_layers(image_);
  std::vector<Layer> layers;
  for (GimpLayer** layer = found; *layer != nullptr; ++layer) layers.push_back(layer_of(*layer));
  g_free(found);
  return layers;
}

std::vector<std::unique_ptr<Drawable>> Gimp3Host::channels() {
  GimpChannel** found = gimp_image_get_channels(image_);
  std::vector<std::unique_ptr<Drawable>> channels;
  for (GimpChannel** channel = found; *channel != nullptr; ++channel)
    channels.push_back(std::make_unique<Gimp3Drawable>(GIMP_DRAWABLE(*channel)));
  g_free(found);
  if (!gimp_selection_is_empty(image_))
    channels.push_back(
        std::make_unique<Gimp3Drawable>(GIMP_DRAWABLE(gimp_image_get_selection(image_))));
  return channels;
}

bool Gimp3Host::scale_image(Size size) {
  const QuickScaling quick;
  return gimp_image_scale(image_, size.width, size.height);
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
