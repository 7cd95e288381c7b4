// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <functional>

#include "plugin/dialog/number_widget.hpp"
#include "plugin/dialog/toolkit.hpp"
#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// The size of a filter's result as GIMP's own dialog shows one: a width and a height in pixels,
/// which a chain can tie to the picture's proportions, and both as a percentage. They stand for the
/// parameters `width`, `height`, `scale` and `fit`, of which a script may leave some at 0.
class SizeRows {
 public:
  static constexpr int count = 3;

  /// Whether a filter has all these parameters, and a result of a size of its own.
  static bool fit(const FilterEntry& filter);
  /// Whether a parameter is one that they stand for.
  static bool stand_for(const Param& param);

  /// Stand in the grid from row `first` on. Call `edited` with all values, of which the user has
  /// changed some of the size.
  SizeRows(const FilterEntry& filter, const Drawable& drawable, Grid& grid, int first,
           std::function<void(const Values&)> edited);
  SizeRows(const SizeRows&) = delete;
  /// Shows the size that these values give.
  void show(const Values& values);
  /// The same, and closes the chain if they keep the proportions.
  void show_anew(const Values& values);

 private:
  void add_row(Grid& grid, int row, const char* label, GtkWidget* widget);
  bool tied() const;
  void width_entered();
  void height_entered();
  void percentage_entered();
  void chain_toggled();
  void set(double width, double height, double scale);
  double& value(const char* name);

  const FilterEntry& filter_;
  const Drawable& drawable_;
  std::function<void(const Values&)> edited_;
  Values values_;
  NumberWidget width_, height_, percentage_;
  GtkWidget* chain_;
  bool showing_ = false;
};

}  // namespace cuda_filters::plugin
