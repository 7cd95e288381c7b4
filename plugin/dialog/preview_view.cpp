// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/preview_view.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace cuda_filters::plugin {
namespace {

constexpr double usual_zooms[] = {1.0 / 64, 1.0 / 32, 1.0 / 16, 1.0 / 8, 0.18, 0.25,
                                  1.0 / 3,  0.5,      2.0 / 3,  1.0,     1.5,  2.0,
                                  3.0,      4.0,      5.5,      8.0,     11.0, 16.0};

int at_least_one(double pixels) { return std::max(1, static_cast<int>(std::lround(pixels))); }

/// Where a picture of that length begins in a window: in its middle if it is shorter, else so that
/// no room is left empty.
int clamped(int begin, int length, int window) {
  if (length <= window) return (window - length) / 2;
  return std::clamp(begin, window - length, 0);
}

/// The part of `length` pixels, of which the first begins at `begin`, that lies inside of a window.
IndexRange inside(int begin, int length, int window) {
  return {std::clamp(-begin, 0, length), std::clamp(window - begin, 0, length)};
}

}  // namespace

void PreviewView::set_window(Size window) {
  const double middle_x = (window_.width / 2.0 - left_) / zoom_;
  const double middle_y = (window_.height / 2.0 - top_) / zoom_;
  window_ = {std::max(1, window.width), std::max(1, window.height)};
  if (shows_all_) return fit();
  zoom_ = std::max(zoom_, std::min(1.0, whole_zoom()));
  left_ = static_cast<int>(std::lround(window_.width / 2.0 - middle_x * zoom_));
  top_ = static_cast<int>(std::lround(window_.height / 2.0 - middle_y * zoom_));
  clamp();
}

void PreviewView::set_picture(Size picture) {
  if (picture == picture_) return;
  picture_ = picture;
  fit();
}

double PreviewView::whole_zoom() const {
  return std::min(static_cast<double>(window_.width) / std::max(1, picture_.width),
                  static_cast<double>(window_.height) / std::max(1, picture_.height));
}

void PreviewView::fit() {
  zoom_ = std::min(1.0, whole_zoom());
  shows_all_ = true;
  clamp();
}

void PreviewView::zoom_to(double zoom, double x, double y) {
  const double least = std::min(1.0, whole_zoom());
  const double wanted = std::clamp(zoom, least, largest_zoom);
  left_ = static_cast<int>(std::lround(x - (x - left_) * wanted / zoom_));
  top_ = static_cast<int>(std::lround(y - (y - top_) * wanted / zoom_));
  zoom_ = wanted;
  shows_all_ = wanted == least;
  clamp();
}

void PreviewView::zoom_in(double x, double y) {
  const double* next =
      std::upper_bound(std::begin(usual_zooms), std::end(usual_zooms), zoom_ * 1.001);
  zoom_to(next != std::end(usual_zooms) ? *next : largest_zoom, x, y);
}

void PreviewView::zoom_out(double x, double y) {
  const double* next =
      std::lower_bound(std::begin(usual_zooms), std::end(usual_zooms), zoom_ * 0.999);
  zoom_to(next != std::begin(usual_zooms) ? next[-1] : 0.0, x, y);
}

void PreviewView::pan(int dx, int dy) {
  left_ += dx, top_ += dy;
  clamp();
}

Size PreviewView::zoomed() const {
  return {at_least_one(picture_.width * zoom_), at_least_one(picture_.height * zoom_)};
}

void PreviewView::clamp() {
  left_ = clamped(left_, zoomed().width, window_.width);
  top_ = clamped(top_, zoomed().height, window_.height);
}

Rect PreviewView::shown() const {
  const auto x = inside(left_, zoomed().width, window_.width);
  const auto y = inside(top_, zoomed().height, window_.height);
  return {x.begin, y.begin, x.end - x.begin, y.end - y.begin};
}

Rect PreviewView::visible() const {
  const Rect part = shown();
  if (zoom_ <= 1.0) return part;
  const auto first = [this](int pixel) { return static_cast<int>(std::floor(pixel / zoom_)); };
  const auto end = [this](int pixel, int length) {
    return std::min(length, static_cast<int>(std::ceil(pixel / zoom_)));
  };
  const int x = first(part.x), y = first(part.y);
  return {x, y, end(part.right(), picture_.width) - x, end(part.bottom(), picture_.height) - y};
}

}  // namespace cuda_filters::plugin
