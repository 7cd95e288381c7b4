// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <libgimp/gimp.h>
#include <libgimp/gimpui.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "plugin/dialog/preview_view.hpp"
#include "plugin/dialog/preview_worker.hpp"

namespace cuda_filters::plugin {

/// What a filter makes of a drawable, in a dialog: all of it, or a part, at any zoom. The mouse
/// wheel zooms, dragging moves the picture, a handle parts what was before from what comes after.
class Preview {
 public:
  struct Listener {
    /// Called with a sentence whenever no result can be shown.
    std::function<void(const std::string& error)> failed;
    /// Called with the output values of a new image that is shown.
    std::function<void(const std::vector<double>& output_values)> created;
  };

  /// `buffer` is the drawable's, and outlives this. `compares`: the picture can be shown beside the
  /// result, which is no new image.
  Preview(const Drawable& drawable, const Buffer& buffer, const Checks& checks, bool compares,
          Listener listener);
  Preview(const Preview&) = delete;
  ~Preview();
  GtkWidget* widget() { return widget_; }
  /// Shows the result of another job; without one, the picture as it is.
  void set_job(std::optional<Job> job);

 private:
  /// Lets the worker's thread call a preview that may be gone by then.
  struct Link;

  GtkWidget* build_area();
  GtkWidget* build_buttons(bool compares);
  GtkWidget* add_button(GtkWidget* row, const char* icon, const char* tip,
                        std::function<void()> clicked);
  GtkWidget* add_toggle(GtkWidget* row, const char* label, const char* tip, bool active);

  bool read_some();
  void refresh();
  void draw(cairo_t* cairo, Size window);
  void print_times(std::chrono::steady_clock::time_point drawing_began);
  void draw_split(cairo_t* cairo, Size window);
  void draw_handle(cairo_t* cairo, Size window) const;
  void draw_checks(cairo_t* cairo) const;
  void draw_raster(cairo_t* cairo, const PreviewRaster& raster) const;
  void draw_after(cairo_t* cairo) const;
  void changed();
  void view_changed();
  void update_labels();

  bool pressed(const GdkEventButton& event);
  bool moved(const GdkEventMotion& event);
  bool scrolled(const GdkEventScroll& event);
  bool key(guint value, bool down);
  void zoom_at_middle(void (PreviewView::*zoom)(double, double));
  double split_x() const { return split_ * view_.window().width; }
  bool shows_split() const;

  const std::chrono::steady_clock::time_point made_ = std::chrono::steady_clock::now();
  PreviewPicture picture_;
  Checks checks_;
  Listener listener_;
  PreviewView view_;
  std::optional<Job> job_;
  SecondPictureCopies second_pictures_;
  std::shared_ptr<Link> link_;
  std::optional<PreviewWorker> worker_;  ///< once the picture is there
  PreviewResult result_;
  std::shared_ptr<const PreviewRaster> last_;     ///< a result that was complete
  std::chrono::steady_clock::time_point told_{};  ///< the request whose times were printed last

  double split_ = 0.5;     ///< where the handle is, as a part of the window's width
  bool key_held_ = false;  ///< the one that shows the picture as it is
  bool drags_handle_ = false;
  int drag_x_ = 0, drag_y_ = 0;
  guint reading_ = 0;
  GtkWidget *area_ = nullptr, *zoom_label_ = nullptr, *state_label_ = nullptr;
  GtkWidget *shows_result_ = nullptr, *splits_ = nullptr;
  GtkWidget* widget_;
};

}  // namespace cuda_filters::plugin
