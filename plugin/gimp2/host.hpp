// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <libgimp/gimp.h>

#include "plugin/dialogs.hpp"
#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// A drawable of GIMP 2.10.
class Gimp2Drawable final : public Drawable {
 public:
  explicit Gimp2Drawable(gint32 id) : id_{id} {}
  std::string name() const override;
  Obstacle obstacle() const override;
  std::optional<std::string> locked_by() const override;
  const Babl* format() const override { return gimp_drawable_get_format(id_); }
  bool is_layer() const override { return gimp_item_is_layer(id_); }
  bool is_alpha_locked() const override { return gimp_layer_get_lock_alpha(id_); }
  Channels locked_channels() const override;
  bool add_alpha() override { return gimp_layer_add_alpha(id_); }
  void remove_alpha() override { gimp_layer_flatten(id_); }
  Selection selection() const override;
  Buffer buffer() override { return Buffer{gimp_drawable_get_buffer(id_)}; }
  Buffer shadow_buffer() override { return Buffer{gimp_drawable_get_shadow_buffer(id_)}; }
  bool merge_shadow(Rect area) override;
  void free_shadow() override { gimp_drawable_free_shadow(id_); }
  int id() const override { return id_; }
  bool is_in_image_of(const Drawable& other) const override {
    return gimp_item_get_image(id_) ==
           gimp_item_get_image(static_cast<const Gimp2Drawable&>(other).id_);
  }
  std::unique_ptr<Drawable> layer_named(const std::string& name) const override;
  Rect placement() const override;
  Size size() const override { return {gimp_drawable_width(id_), gimp_drawable_height(id_)}; }
  Size canvas() const override {
    const gint32 image = gimp_item_get_image(id_);
    return {gimp_image_width(image), gimp_image_height(image)};
  }
  std::optional<Layer> layer() override;
  std::optional<std::string> scale_layer(Size size) override;
  void update(Rect area) override {
    gimp_drawable_update(id_, area.x, area.y, area.width, area.height);
  }

 private:
  gint32 id_;
};

/// GIMP 2.10.
class Gimp2Host final : public Host {
 public:
  explicit Gimp2Host(gint32 image) : image_{image} {}
  void begin_undo_group() override { gimp_image_undo_group_start(image_); }
  void end_undo_group() override { gimp_image_undo_group_end(image_); }
  Size canvas() override { return {gimp_image_width(image_), gimp_image_height(image_)}; }
  std::vector<Layer> layers() override;
  std::vector<std::unique_ptr<Drawable>> channels() override;
  std::optional<std::string> scale_image(Size size) override;
  std::unique_ptr<NewImage> new_image(Size size, const std::string& layer_name) override;
  void begin_progress(const char* text) override { gimp_progress_init(text); }
  void update_progress(double fraction) override { gimp_progress_update(fraction); }
  void set_progress_text(const char* text) override { gimp_progress_set_text(text); }
  void end_progress() override { gimp_progress_end(); }
  void show_message(const std::string& sentence) override { gimp_message(sentence.c_str()); }
  std::string last_error() override { return gimp_get_pdb_error(); }

 private:
  gint32 image_;
};

/// An image that a filter makes in GIMP 2.10.
class Gimp2NewImage final : public NewImage {
 public:
  Gimp2NewImage(gint32 image, gint32 layer)
      : NewImage{std::make_unique<Gimp2Drawable>(layer)}, image_{image}, host_{image} {}
  Gimp2NewImage(const Gimp2NewImage&) = delete;
  ~Gimp2NewImage() override;
  Host& host() override { return host_; }
  /// Gives the image away, with undo switched on.
  gint32 keep();

 private:
  gint32 image_;  // -1 once it is kept
  Gimp2Host host_;
};

/// What the filter was last run with, until GIMP ends; the initial values before that, and no
/// second picture if that is not in the image of `drawable` any more.
FilterSettings last_settings(const FilterEntry& filter, gint32 drawable);
void keep_last_settings(const FilterEntry& filter, const FilterSettings& settings);

}  // namespace cuda_filters::plugin
