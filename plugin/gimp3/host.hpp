// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <libgimp/gimp.h>

#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// A drawable of GIMP 3.
class Gimp3Drawable final : public Drawable {
 public:
  explicit Gimp3Drawable(GimpDrawable* drawable) : drawable_{drawable} {}
  std::string name() const override;
  Obstacle obstacle() const override;
  const Babl* format() const override { return gimp_drawable_get_format(drawable_); }
  bool is_layer() const override { return GIMP_IS_LAYER(drawable_); }
  bool is_alpha_locked() const override { return gimp_layer_get_lock_alpha(GIMP_LAYER(drawable_)); }
  bool add_alpha() override { return gimp_layer_add_alpha(GIMP_LAYER(drawable_)); }
  void remove_alpha() override { gimp_layer_flatten(GIMP_LAYER(drawable_)); }
  Selection selection() const override;
  Buffer buffer() override { return Buffer{gimp_drawable_get_buffer(drawable_)}; }
  Buffer shadow_buffer() override { return Buffer{gimp_drawable_get_shadow_buffer(drawable_)}; }
  bool merge_shadow(Rect area) override;
  void free_shadow() override { gimp_drawable_free_shadow(drawable_); }

 private:
  GimpDrawable* drawable_;
};

/// GIMP 3.
class Gimp3Host final : public Host {
 public:
  explicit Gimp3Host(GimpImage* image) : image_{image} {}
  void begin_undo_group() override { gimp_image_undo_group_start(image_); }
  void end_undo_group() override { gimp_image_undo_group_end(image_); }
  void begin_progress(const char* text) override { gimp_progress_init(text); }
  void update_progress(double fraction) override { gimp_progress_update(fraction); }
  void show_message(const std::string& sentence) override { gimp_message(sentence.c_str()); }
  std::string last_error() override { return gimp_pdb_get_last_error(gimp_get_pdb()); }

 private:
  GimpImage* image_;
};

/// The values of a filter's parameters in a configuration, in the order of its table.
Values values_of(const FilterEntry& filter, GimpProcedureConfig* config);

/// Shows the dialog of a filter for `drawable`; false if the user cancels.
bool show_dialog(const FilterEntry& filter, GimpProcedure* procedure, GimpProcedureConfig* config,
                 GimpDrawable* drawable);

/// Shows a text in a window.
void show_text(const char* title, const std::string& text);

}  // namespace cuda_filters::plugin
