// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>

#include "gpu/core/pixel.hpp"

namespace cuda_filters::plugin {

/// Which part of a picture a window shows, and how large. At every zoom the first pixel of the
/// picture begins at a whole pixel of the window.
class PreviewView {
 public:
  static constexpr double largest_zoom = 16.0;

  explicit PreviewView(Size picture) : picture_{picture} { fit(); }

  Size picture() const { return picture_; }
  /// Another picture is shown. One of another size shows as a whole.
  void set_picture(Size picture);
  /// The window has another size. A picture that showed as a whole still does; else the middle of
  /// the window shows what it showed.
  void set_window(Size window);
  Size window() const { return window_; }
  /// Pixels of the window for one of the picture.
  double zoom() const { return zoom_; }
  bool shows_all() const { return shows_all_; }

  /// Shows all of the picture, as large as the window allows, but not enlarged.
  void fit();
  /// Zooms, within the limits; the pixel of the picture at (x, y) in the window stays there as far
  /// as the picture's ends allow.
  void zoom_to(double zoom, double x, double y);
  /// To the next larger or smaller of the usual zooms, such as 50% and 100%.
  void zoom_in(double x, double y);
  void zoom_out(double x, double y);
  /// Moves the picture by pixels of the window, as far as its ends allow.
  void pan(int dx, int dy);

  /// Where the first pixel of the picture begins in the window.
  int left() const { return left_; }
  int top() const { return top_; }
  /// The size of the zoomed picture in pixels of the window.
  Size zoomed() const;
  /// The part of the zoomed picture that shows, counted from its first pixel.
  Rect shown() const;
  /// At how much of its size the picture is computed: enlarging comes after that.
  double scale() const { return std::min(1.0, zoom_); }
  /// The part of the picture at scale() of which any part shows.
  Rect visible() const;

 private:
  double whole_zoom() const;
  void clamp();

  Size picture_, window_{1, 1};
  double zoom_ = 1.0;
  int left_ = 0, top_ = 0;
  bool shows_all_ = true;
};

}  // namespace cuda_filters::plugin
