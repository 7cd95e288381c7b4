// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <libgimp/gimp.h>

#include "plugin/dialogs.hpp"
#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// A drawable of GIMP 3.
class Gimp3Drawable final : public Drawable {
 public:
  explicit Gimp3Drawable(GimpDrawable* drawable) : drawable_{drawable} {}
  GimpDrawable* get() const { return drawable_; }
  std::string name() const override;
  Obstacle obstacle() const override;
  std::optional<std::string> locked_by() const override;
  const Babl* format() const override { return gimp_drawable_get_format(drawable_); }
  bool is_layer() const override { return GIMP_IS_LAYER(drawable_); }
  Channels locked_channels() const override;
  bool is_alpha_locked() const override { return gimp_layer_get_lock_alpha(GIMP_LAYER(drawable_)); }
  bool add_alpha() override { return gimp_layer_add_alpha(GIMP_LAYER(drawable_)); }
  void remove_alpha() override { gimp_layer_flatten(GIMP_LAYER(drawable_)); }
  Selection selection() const override;
  Buffer buffer() override { return Buffer{gimp_drawable_get_buffer(drawable_)}; }
  Buffer shadow_buffer() override { return Buffer{gimp_drawable_get_shadow_buffer(drawable_)}; }
  bool merge_shadow(Rect area) override;
  void free_shadow() override { gimp_drawable_free_shadow(drawable_); }
  std::unique_ptr<InGimpOperation> operation(const Job& job) override;
  int id() const override { return gimp_item_get_id(GIMP_ITEM(drawable_)); }
  bool is_in_image_of(const Drawable& other) const override {
    return gimp_item_get_image(GIMP_ITEM(drawable_)) ==
           gimp_item_get_image(GIMP_ITEM(static_cast<const Gimp3Drawable&>(other).drawable_));
  }
  std::unique_ptr<Drawable> layer_named(const std::string& name) const override;
  Rect placement() const override;
  Size size() const override {
    return {gimp_drawable_get_width(drawable_), gimp_drawable_get_height(drawable_)};
  }
  Size canvas() const override {
    GimpImage* image = gimp_item_get_image(GIMP_ITEM(drawable_));
    return {gimp_image_get_width(image), gimp_image_get_height(image)};
  }
  std::optional<Layer> layer() override;
  std::optional<std::string> scale_layer(Size size) override;
  void update(Rect area) override {
    gimp_drawable_update(drawable_, area.x, area.y, area.width, area.height);
  }

 private:
  GimpDrawable* drawable_;
};

/// GIMP 3.
class Gimp3Host final : public Host {
 public:
  explicit Gimp3Host(GimpImage* image) : image_{image} {}
  void begin_undo_group() override { gimp_image_undo_group_start(image_); }
  void end_undo_group() override { gimp_image_undo_group_end(image_); }
  Size canvas() override { return {gimp_image_get_width(image_), gimp_image_get_height(image_)}; }
  std::vector<Layer> layers() override;
  std::vector<std::unique_ptr<Drawable>> channels() override;
  std::optional<std::string> scale_image(Size size) override;
  std::unique_ptr<NewImage> new_image(Size size, const std::string& layer_name) override;
  void begin_progress(const char* text) override { gimp_progress_init(text); }
  void update_progress(double fraction) override { gimp_progress_update(fraction); }
  void set_progress_text(const char* text) override { gimp_progress_set_text(text); }
  void end_progress() override { gimp_progress_end(); }
  void show_message(const std::string& sentence) override { gimp_message(sentence.c_str()); }
  std::string last_error() override { return gimp_pdb_get_last_error(gimp_get_pdb()); }

 private:
  GimpImage* image_;
};

/// An image that a filter makes in GIMP 3.
class Gimp3NewImage final : public NewImage {
 public:
  Gimp3NewImage(GimpImage* image, GimpLayer* layer)
      : NewImage{std::make_unique<Gimp3Drawable>(GIMP_DRAWABLE(layer))},
        image_{image},
        host_{image} {}
  Gimp3NewImage(const Gimp3NewImage&) = delete;
  ~Gimp3NewImage() override;
  Host& host() override { return host_; }
  /// Gives the image away, with undo switched on.
  GimpImage* keep();

 private:
  GimpImage* image_;  // null once it is kept
  Gimp3Host host_;
};

/// What is set in a configuration: the values in the order of the filter's table.
FilterSettings settings_of(const FilterEntry& filter, GimpProcedureConfig* config);
void set_settings(GimpProcedureConfig* config, const FilterEntry& filter,
                  const FilterSettings& settings);

/// Why operations in GIMP's process can use GPUs no more, a sentence for each that it has lost.
std::vector<std::string> lost_in_gimp();

}  // namespace cuda_filters::plugin
