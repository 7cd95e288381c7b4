// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <libgimp/gimp.h>
#include <libgimp/gimpui.h>

#include <functional>
#include <string>

#include "gpu/core/param.hpp"

namespace cuda_filters::plugin {

/// A slider, an entry for the number, and its unit.
class NumberWidget {
 public:
  struct Form {
    Range range;         ///< what the entry takes
    Range slider;        ///< what the slider shows
    double gamma = 1.0;  ///< the slider's position is the number's share to the power of 1/gamma
    double step = 1.0;   ///< of the entry's arrows; pages are ten of them
    int digits = 0;      ///< decimals
    const char* unit = "";
  };

  NumberWidget(const Form& form, const char* tooltip, std::function<void()> changed);
  NumberWidget(const NumberWidget&) = delete;
  GtkWidget* widget() const { return row_; }
  /// As it was shown, with all its decimals, until another one is entered.
  double value() const { return value_; }
  void show(double value);

 private:
  void place_slider();
  void number_entered();
  void slider_moved();
  double rounded(double value) const;

  Form form_;
  std::function<void()> changed_;
  GtkAdjustment *number_, *position_;
  GtkWidget* row_;
  double value_;
  bool showing_ = false;  ///< what is set now comes from here, not from the user
};

}  // namespace cuda_filters::plugin
