// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/gimp3/host.hpp"

#include <algorithm>
#include <utility>

#include "plugin/locked_channels.hpp"
#include "plugin/names.hpp"
#include "plugin/plugin_socket.hpp"
#include "plugin/property_name.hpp"

namespace cuda_filters::plugin {
namespace {

std::string name_of(GimpItem* item) {
  gchar* name = gimp_item_get_name(item);
  const std::string copy = name != nullptr ? name : "";
  g_free(name);
  return copy;
}

/// The name of the first that is locked of: an item, the layer of a mask, the groups around that.
std::optional<std::string> first_locked(GimpItem* item, gboolean (*is_locked)(GimpItem*)) {
  while (item != nullptr) {
    if (is_locked(item)) return name_of(item);
    item = GIMP_IS_LAYER_MASK(item) ? GIMP_ITEM(gimp_layer_from_mask(GIMP_LAYER_MASK(item)))
                                    : gimp_item_get_parent(item);
  }
  return std::nullopt;
}

Layer layer_of(GimpLayer* gimp_layer) {
  auto* drawable = GIMP_DRAWABLE(gimp_layer);
  auto* item = GIMP_ITEM(gimp_layer);
  Layer layer{};
  layer.drawable = std::make_unique<Gimp3Drawable>(drawable);
  layer.area = layer.drawable->placement();
  if (GimpLayerMask* mask = gimp_layer_get_mask(gimp_layer))
    layer.mask = std::make_unique<Gimp3Drawable>(GIMP_DRAWABLE(mask));
  layer.group = gimp_item_is_group(item);
  layer.fixed_by = first_locked(item, gimp_item_get_lock_position);
  if (!layer.group) return layer;
  GimpItem** children = gimp_item_get_children(item);
  for (GimpItem** child = children; *child != nullptr; ++child)
    layer.children.push_back(layer_of(GIMP_LAYER(*child)));
  g_free(children);
  return layer;
}

/// Whether an operation gets this drawable's own pixels: those of a text would stay as they were
/// made, effects come before it, and a floating selection lies over it.
bool is_plain(GimpDrawable* drawable) {
  const GType type = G_OBJECT_TYPE(drawable);
  if (type != GIMP_TYPE_LAYER && type != GIMP_TYPE_LAYER_MASK && type != GIMP_TYPE_CHANNEL)
    return false;
  if (gimp_image_get_floating_sel(gimp_item_get_image(GIMP_ITEM(drawable))) != nullptr)
    return false;
  GimpDrawableFilter** effects = gimp_drawable_get_filters(drawable);
  const bool none = effects == nullptr || *effects == nullptr;
  g_free(effects);
  return none;
}

/// While it lives, GIMP shows no dialog for errors of the procedures that are called.
class QuietErrors {
 public:
  QuietErrors() : before_{gimp_plug_in_get_pdb_error_handler(gimp_get_plug_in())} {
    gimp_plug_in_set_pdb_error_handler(gimp_get_plug_in(), GIMP_PDB_ERROR_HANDLER_PLUGIN);
  }
  QuietErrors(const QuietErrors&) = delete;
  ~QuietErrors() { gimp_plug_in_set_pdb_error_handler(gimp_get_plug_in(), before_); }

 private:
  GimpPDBErrorHandler before_;
};

/// Sets the property of an operation that stands for a parameter; false if it has none.
bool set_property(GObject* config, const Param& param, const Value& value) {
  const std::string known_as = property_name(param);
  const char* const name = known_as.c_str();
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(config), name) == nullptr) return false;
  const double* number = std::get_if<double>(&value);
  switch (param.kind) {
    case Kind::real:
      g_object_set(config, name, *number, nullptr);
      break;
    case Kind::integer:
    case Kind::toggle:
      g_object_set(config, name, static_cast<gint>(*number), nullptr);
      break;
    case Kind::choice:
      g_object_set(config, name, param.choices[static_cast<std::size_t>(*number)].nick, nullptr);
      break;
    case Kind::text:
      g_object_set(config, name, std::get<std::string>(value).c_str(), nullptr);
      break;
  }
  return true;
}

class Gimp3Operation final : public InGimpOperation {
 public:
  Gimp3Operation(GimpDrawable* drawable, GimpDrawableFilter* filter)
      : drawable_{drawable}, filter_{filter} {}
  Gimp3Operation(const Gimp3Operation&) = delete;
  ~Gimp3Operation() override {
    if (filter_ != nullptr) gimp_drawable_filter_delete(filter_);
  }
  std::optional<std::string> merge() override {
    const QuietErrors quiet;  // who calls does without it then
    gimp_drawable_merge_filter(drawable_, std::exchange(filter_, nullptr));
    GimpPDB* pdb = gimp_get_pdb();
    if (gimp_pdb_get_last_status(pdb) == GIMP_PDB_SUCCESS) return std::nullopt;
    return gimp_pdb_get_last_error(pdb);  // which the next call clears
  }

 private:
  GimpDrawable* drawable_;
  GimpDrawableFilter* filter_;  // null once it is merged
};

/// Calls scale() without interpolation: the pixels are overwritten afterwards. Returns GIMP's
/// reason if it fails.
template <class Scale>
std::optional<std::string> scaled_quickly(Scale scale) {
  gimp_context_push();
  gimp_context_set_interpolation(GIMP_INTERPOLATION_NONE);
  std::optional<std::string> reason;
  if (!scale()) reason = gimp_pdb_get_last_error(gimp_get_pdb());  // which the next call clears
  gimp_context_pop();
  return reason;
}

}  // namespace

std::string Gimp3Drawable::name() const { return name_of(GIMP_ITEM(drawable_)); }

Drawable::Obstacle Gimp3Drawable::obstacle() const {
  if (gimp_drawable_is_indexed(drawable_)) return Obstacle::indexed;
  if (gimp_item_is_group(GIMP_ITEM(drawable_))) return Obstacle::group;
  return locked_by() ? Obstacle::locked : Obstacle::none;
}

std::optional<std::string> Gimp3Drawable::locked_by() const {
  return first_locked(GIMP_ITEM(drawable_), gimp_item_get_lock_content);
}

Channels Gimp3Drawable::locked_channels() const {
  if (!is_layer()) return {};
  GimpImage* image = gimp_item_get_image(GIMP_ITEM(drawable_));
  return locked_channels_of(gimp_drawable_is_gray(drawable_), is_alpha_locked(), [=](auto channel) {
    return gimp_image_get_component_active(image, channel);
  });
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

std::unique_ptr<InGimpOperation> Gimp3Drawable::operation(const Job& job) {
  if (!is_plain(drawable_)) return nullptr;
  const std::string name = std::string{"cuda:"} + job.filter->info.name;
  GimpDrawableFilter* filter = nullptr;
  {
    const QuietErrors quiet;
    filter =
        gimp_drawable_filter_new(drawable_, name.c_str(), display_name(job.filter->info).c_str());
  }
  if (filter == nullptr) return nullptr;
  auto operation = std::make_unique<Gimp3Operation>(drawable_, filter);
  auto* config = G_OBJECT(gimp_drawable_filter_get_config(filter));
  const Values values = values_of(job);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!set_property(config, job.filter->params[i], values[i])) return nullptr;
  return operation;
}

std::unique_ptr<Drawable> Gimp3Drawable::layer_named(const std::string& name) const {
  GimpLayer* layer =
      gimp_image_get_layer_by_name(gimp_item_get_image(GIMP_ITEM(drawable_)), name.c_str());
  return layer != nullptr ? std::make_unique<Gimp3Drawable>(GIMP_DRAWABLE(layer)) : nullptr;
}

Rect Gimp3Drawable::placement() const {
  Rect place{0, 0, gimp_drawable_get_width(drawable_), gimp_drawable_get_height(drawable_)};
  gimp_drawable_get_offsets(drawable_, &place.x, &place.y);
  return place;
}

std::optional<Layer> Gimp3Drawable::layer() {
  if (GIMP_IS_LAYER_MASK(drawable_))
    return layer_of(gimp_layer_from_mask(GIMP_LAYER_MASK(drawable_)));
  if (GIMP_IS_LAYER(drawable_)) return layer_of(GIMP_LAYER(drawable_));
  return std::nullopt;
}

std::optional<std::string> Gimp3Drawable::scale_layer(Size size) {
  return scaled_quickly(
      [&] { return gimp_layer_scale(GIMP_LAYER(drawable_), size.width, size.height, TRUE); });
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

std::optional<std::string> Gimp3Host::scale_image(Size size) {
  return scaled_quickly([&] { return gimp_image_scale(image_, size.width, size.height); });
}

std::unique_ptr<NewImage> Gimp3Host::new_image(Size size, const std::string& layer_name) {
  GimpImage* image = gimp_image_new_with_precision(size.width, size.height, GIMP_RGB,
                                                   gimp_image_get_precision(image_));
  if (image == nullptr) return nullptr;
  gimp_image_undo_disable(image);
  gdouble across = 0.0, down = 0.0;
  if (gimp_image_get_resolution(image_, &across, &down))
    gimp_image_set_resolution(image, across, down);
  if (gimp_image_get_base_type(image_) == GIMP_RGB)
    if (GimpColorProfile* profile = gimp_image_get_color_profile(image_)) {
      gimp_image_set_color_profile(image, profile);
      g_object_unref(profile);
    }
  GimpLayer* layer =
      gimp_layer_new(image, layer_name.c_str(), size.width, size.height, GIMP_RGB_IMAGE, 100.0,
                     gimp_image_get_default_new_layer_mode(image));
  if (layer == nullptr || !gimp_image_insert_layer(image, layer, nullptr, 0)) {
    gimp_image_delete(image);
    return nullptr;
  }
  return std::make_unique<Gimp3NewImage>(image, layer);
}

Gimp3NewImage::~Gimp3NewImage() {
  if (image_ != nullptr) gimp_image_delete(image_);
}

GimpImage* Gimp3NewImage::keep() {
  gimp_image_undo_enable(image_);
  return std::exchange(image_, nullptr);
}

std::vector<std::string> lost_in_gimp() {
  // Only an operation knows, and there is none without a layer.
  gegl_init(nullptr, nullptr);
  GimpImage* image = gimp_image_new(1, 1, GIMP_GRAY);
  GimpLayer* layer =
      gimp_layer_new(image, "", 1, 1, GIMP_GRAY_IMAGE, 100.0, GIMP_LAYER_MODE_NORMAL);
  gimp_image_insert_layer(image, layer, nullptr, 0);
  std::vector<std::string> problems;
  {
    PluginSocket plugin_socket;
    const FilterEntry& any = *std::ranges::find_if(filters(), &FilterEntry::keeps_size);
    const auto operation = Gimp3Drawable{GIMP_DRAWABLE(layer)}.operation(
        cuda_filters::make_job(any, initial_values(any)));
    if (operation != nullptr && plugin_socket.claim()) problems = plugin_socket.lost_gpus();
  }
  gimp_image_delete(image);
  return problems;
}

namespace {

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

}  // namespace

FilterSettings settings_of(const FilterEntry& filter, GimpProcedureConfig* config) {
  FilterSettings settings{.values = values_of(filter, config)};
  GimpDrawable* drawable = nullptr;
  if (filter.takes_aux()) g_object_get(config, "aux", &drawable, nullptr);
  if (drawable == nullptr) return settings;
  settings.aux = gimp_item_get_id(GIMP_ITEM(drawable));
  g_object_unref(drawable);
  return settings;
}

void set_settings(GimpProcedureConfig* config, const FilterEntry& filter,
                  const FilterSettings& settings) {
  for (std::size_t i = 0; i < settings.values.size(); ++i)
    set_property(G_OBJECT(config), filter.params[i], settings.values[i]);
  if (filter.takes_aux())
    g_object_set(config, "aux", gimp_drawable_get_by_id(settings.aux), nullptr);
}

std::unique_ptr<Drawable> drawable_or_none(int id) {
  GimpDrawable* drawable = id != no_drawable ? gimp_drawable_get_by_id(id) : nullptr;
  return drawable != nullptr ? std::make_unique<Gimp3Drawable>(drawable) : nullptr;
}

}  // namespace cuda_filters::plugin
