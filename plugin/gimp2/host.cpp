// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/gimp2/host.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "plugin/locked_channels.hpp"

namespace cuda_filters::plugin {
namespace {

/// What GIMP keeps the last values under; the version changes with the way they are written.
std::string data_name(const FilterEntry& filter) { return procedure_of(filter) + "-values-1"; }

std::string name_of(gint32 item) {
  gchar* name = gimp_item_get_name(item);
  const std::string copy = name != nullptr ? name : "";
  g_free(name);
  return copy;
}

/// The name of the first that is locked of: an item, the layer of a mask, the groups around that.
std::optional<std::string> first_locked(gint32 item, gboolean (*is_locked)(gint32)) {
  while (item >= 0) {
    if (is_locked(item)) return name_of(item);
    item = gimp_item_is_layer_mask(item) ? gimp_layer_from_mask(item) : gimp_item_get_parent(item);
  }
  return std::nullopt;
}

Layer layer_of(gint32 id) {
  Layer layer{};
  layer.drawable = std::make_unique<Gimp2Drawable>(id);
  if (const gint32 mask = gimp_layer_get_mask(id); mask >= 0)
    layer.mask = std::make_unique<Gimp2Drawable>(mask);
  layer.area = layer.drawable->placement();
  layer.group = gimp_item_is_group(id);
  layer.fixed_by = first_locked(id, gimp_item_get_lock_position);
  if (!layer.group) return layer;
  gint count = 0;
  gint* children = gimp_item_get_children(id, &count);
  for (gint i = 0; i < count; ++i) layer.children.push_back(layer_of(children[i]));
  g_free(children);
  return layer;
}

/// Calls scale() without interpolation: the pixels are overwritten afterwards. Returns GIMP's
/// reason if it fails.
template <class Scale>
std::optional<std::string> scaled_quickly(Scale scale) {
  gimp_context_push();
  gimp_context_set_interpolation(GIMP_INTERPOLATION_NONE);
  std::optional<std::string> reason;
  if (!scale()) reason = gimp_get_pdb_error();  // which the next call clears
  gimp_context_pop();
  return reason;
}

}  // namespace

std::string Gimp2Drawable::name() const { return name_of(id_); }

Drawable::Obstacle Gimp2Drawable::obstacle() const {
  if (gimp_drawable_is_indexed(id_)) return Obstacle::indexed;
  if (gimp_item_is_group(id_)) return Obstacle::group;
  return locked_by() ? Obstacle::locked : Obstacle::none;
}

std::optional<std::string> Gimp2Drawable::locked_by() const {
  return first_locked(id_, gimp_item_get_lock_content);
}

Channels Gimp2Drawable::locked_channels() const {
  if (!is_layer()) return {};
  const gint32 image = gimp_item_get_image(id_);
  return locked_channels_of(gimp_drawable_is_gray(id_), is_alpha_locked(), [=](auto channel) {
    return gimp_image_get_component_active(image, channel);
  });
}

Selection Gimp2Drawable::selection() const {
  Selection selection;
  Rect& area = selection.area;
  if (!gimp_drawable_mask_intersect(id_, &area.x, &area.y, &area.width, &area.height)) area = {};
  const gint32 image = gimp_item_get_image(id_);
  if (gimp_selection_is_empty(image)) return selection;
  selection.mask = Buffer{gimp_drawable_get_buffer(gimp_image_get_selection(image))};
  gimp_drawable_offsets(id_, &selection.x, &selection.y);
  return selection;
}

bool Gimp2Drawable::merge_shadow(Rect area) {
  if (!gimp_drawable_merge_shadow(id_, TRUE)) return false;
  return gimp_drawable_update(id_, area.x, area.y, area.width, area.height);
}

std::unique_ptr<Drawable> Gimp2Drawable::layer_named(const std::string& name) const {
  return drawable_or_none(gimp_image_get_layer_by_name(gimp_item_get_image(id_), name.c_str()));
}

Rect Gimp2Drawable::placement() const {
  Rect place{0, 0, gimp_drawable_width(id_), gimp_drawable_height(id_)};
  gimp_drawable_offsets(id_, &place.x, &place.y);
  return place;
}

std::optional<Layer> Gimp2Drawable::layer() {
  if (gimp_item_is_layer_mask(id_)) return layer_of(gimp_layer_from_mask(id_));
  if (gimp_item_is_layer(id_)) return layer_of(id_);
  return std::nullopt;
}

std::optional<std::string> Gimp2Drawable::scale_layer(Size size) {
  return scaled_quickly([&] { return gimp_layer_scale(id_, size.width, size.height, TRUE); });
}

std::vector<Layer> Gimp2Host::layers() {
  gint count = 0;
  gint* ids = gimp_image_get_layers(image_, &count);
  std::vector<Layer> layers;
  for (gint i = 0; i < count; ++i) layers.push_back(layer_of(ids[i]));
  g_free(ids);
  return layers;
}

std::vector<std::unique_ptr<Drawable>> Gimp2Host::channels() {
  gint count = 0;
  gint* ids = gimp_image_get_channels(image_, &count);
  std::vector<std::unique_ptr<Drawable>> channels;
  for (gint i = 0; i < count; ++i) channels.push_back(std::make_unique<Gimp2Drawable>(ids[i]));
  g_free(ids);
  if (!gimp_selection_is_empty(image_))
    channels.push_back(std::make_unique<Gimp2Drawable>(gimp_image_get_selection(image_)));
  return channels;
}

std::optional<std::string> Gimp2Host::scale_image(Size size) {
  return scaled_quickly([&] { return gimp_image_scale(image_, size.width, size.height); });
}

std::unique_ptr<NewImage> Gimp2Host::new_image(Size size, const std::string& layer_name) {
  const gint32 image = gimp_image_new_with_precision(size.width, size.height, GIMP_RGB,
                                                     gimp_image_get_precision(image_));
  if (image < 0) return nullptr;
  gimp_image_undo_disable(image);
  gdouble across = 0.0, down = 0.0;
  if (gimp_image_get_resolution(image_, &across, &down))
    gimp_image_set_resolution(image, across, down);
  if (gimp_image_base_type(image_) == GIMP_RGB)
    if (GimpColorProfile* profile = gimp_image_get_color_profile(image_)) {
      gimp_image_set_color_profile(image, profile);
      g_object_unref(profile);
    }
  const gint32 layer =
      gimp_layer_new(image, layer_name.c_str(), size.width, size.height, GIMP_RGB_IMAGE, 100.0,
                     gimp_image_get_default_new_layer_mode(image));
  auto created = std::make_unique<Gimp2NewImage>(image, layer);
  if (layer < 0 || !gimp_image_insert_layer(image, layer, -1, 0)) return nullptr;
  return created;
}

Gimp2NewImage::~Gimp2NewImage() {
  if (image_ >= 0) gimp_image_delete(image_);
}

gint32 Gimp2NewImage::keep() {
  gimp_image_undo_enable(image_);
  return std::exchange(image_, -1);
}

// One line a value, as text: numbers with all their digits, and blanks for the line breaks of
// texts.

namespace {

Values last_values(const FilterEntry& filter) {
  const Values initial = initial_values(filter);
  const std::string name = data_name(filter);
  const gint size = gimp_get_data_size(name.c_str());
  if (size <= 0) return initial;
  std::string text(static_cast<std::size_t>(size), '\0');
  if (!gimp_get_data(name.c_str(), text.data())) return initial;
  Values values;
  std::string_view rest = text;
  for (const Param& param : filter.params) {
    const auto end = rest.find('\n');
    if (end == std::string_view::npos) return initial;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (param.kind == Kind::text) {
      values.emplace_back(std::string{line});
      continue;
    }
    double value = 0.0;
    const auto [end_of_number, problem] =
        std::from_chars(line.data(), line.data() + line.size(), value);
    if (problem != std::errc{} || end_of_number != line.data() + line.size()) return initial;
    values.emplace_back(value);
  }
  return values;
}

void keep_last_values(const FilterEntry& filter, const Values& values) {
  if (values.empty()) return;  // GIMP keeps no empty data
  std::string text;
  for (const Value& value : values) {
    if (const std::string* word = std::get_if<std::string>(&value)) {
      std::ranges::replace_copy(*word, std::back_inserter(text), '\n', ' ');
    } else {
      char number[40];
      const auto end = std::to_chars(number, number + sizeof number, std::get<double>(value)).ptr;
      text.append(number, end);
    }
    text += '\n';
  }
  gimp_set_data(data_name(filter).c_str(), text.data(), static_cast<guint32>(text.size()));
}

std::string name_of_aux_data(const FilterEntry& filter) { return procedure_of(filter) + "-aux-1"; }

}  // namespace

FilterSettings last_settings(const FilterEntry& filter, gint32 drawable) {
  FilterSettings settings{.values = last_values(filter)};
  const std::string name = name_of_aux_data(filter);
  gint32 aux = no_drawable;
  if (!filter.takes_aux() || gimp_get_data_size(name.c_str()) != sizeof aux ||
      !gimp_get_data(name.c_str(), &aux))
    return settings;
  const bool is_here = gimp_item_is_valid(aux) && gimp_item_is_drawable(aux) &&
                       gimp_item_get_image(aux) == gimp_item_get_image(drawable);
  if (is_here) settings.aux = aux;
  return settings;
}

void keep_last_settings(const FilterEntry& filter, const FilterSettings& settings) {
  keep_last_values(filter, settings.values);
  if (filter.takes_aux())
    gimp_set_data(name_of_aux_data(filter).c_str(), &settings.aux, sizeof settings.aux);
}

std::unique_ptr<Drawable> drawable_or_none(gint32 id) {
  if (!gimp_item_is_valid(id) || !gimp_item_is_drawable(id)) return nullptr;
  return std::make_unique<Gimp2Drawable>(id);
}

}  // namespace cuda_filters::plugin
