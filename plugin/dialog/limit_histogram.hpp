// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <libgimp/gimp.h>
#include <libgimp/gimpui.h>

#include <functional>
#include <optional>

#include "plugin/limit_counter.hpp"

namespace cuda_filters::plugin {

/// A histogram of the values that a filter compares with two of its parameters, which can be
/// dragged in it.
class LimitHistogram {
 public:
  /// `lower`: the position of the one that has an upper_limit. Calls `moved` with the position of a
  /// limit and its new value when the user drags it. `drawable` outlives this.
  LimitHistogram(const FilterEntry& filter, std::size_t lower, Drawable& drawable,
                 std::function<void(std::size_t index, double value)> moved);
  LimitHistogram(const LimitHistogram&) = delete;
  ~LimitHistogram();
  GtkWidget* widget() const { return area_; }
  /// Shows what these values of all parameters say, which takes a while if others than the limits
  /// have changed.
  void show(const Values& values);

 private:
  void begin_counting();
  bool count();
  void draw(cairo_t* cairo, int width, int height) const;
  double limit(std::size_t index) const;
  double position(double limit, int width) const;
  void press(double x);
  void drag(double x);

  const FilterEntry& filter_;
  const std::size_t limits_[2];  ///< the positions of the lower and of the upper one
  const Range range_;            ///< what the histogram shows
  std::function<void(std::size_t index, double value)> moved_;
  LimitCounter counter_;
  Values values_;
  LimitCounts counts_;
  GtkWidget* area_;
  guint counting_ = 0;            ///< the source of GLib that counts, or 0
  std::optional<int> dragged_{};  ///< which of the limits the pointer holds
};

}  // namespace cuda_filters::plugin
