// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/number_widget.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plugin/dialog/toolkit.hpp"

namespace cuda_filters::plugin {
namespace {

// One width for all, so that the sliders of a dialog end at the same place.
constexpr int slider_width = 160, entry_chars = 8, unit_chars = 4;

/// What a slider knows of its position: from 0 to 1.
constexpr double position_step = 0.01;

GtkAdjustment* new_adjustment(Range range, double step) {
  return GTK_ADJUSTMENT(gtk_adjustment_new(range.min, range.min, range.max, step, 10 * step, 0.0));
}

}  // namespace

NumberWidget::NumberWidget(const Form& form, const char* tooltip, std::function<void()> changed)
    : form_{form},
      changed_{std::move(changed)},
      number_{new_adjustment(form.range, form.step)},
      position_{new_adjustment({0.0, 1.0}, position_step)},
      row_{new_row()},
      value_{form.range.min} {
  GtkWidget* slider = new_slider(position_);
  gtk_widget_set_size_request(slider, slider_width, -1);
  gtk_widget_set_can_focus(slider, FALSE);  // the entry does for the keyboard what it does
  GtkWidget* entry = gtk_spin_button_new(number_, form.step, static_cast<guint>(form.digits));
  gtk_entry_set_width_chars(GTK_ENTRY(entry), entry_chars);
  gtk_entry_set_activates_default(GTK_ENTRY(entry), TRUE);
  GtkWidget* unit = new_label(form.unit);
  gtk_label_set_width_chars(GTK_LABEL(unit), unit_chars);
  for (GtkWidget* part : {slider, entry}) gimp_help_set_help_data(part, tooltip, nullptr);
  gtk_box_pack_start(GTK_BOX(row_), slider, TRUE, TRUE, 0);
  gtk_box_pack_start(GTK_BOX(row_), entry, FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(row_), unit, FALSE, FALSE, 0);
  set_mnemonic_target(row_, entry);
  connect(number_, "value-changed", [this] { number_entered(); });
  connect(position_, "value-changed", [this] { slider_moved(); });
  place_slider();
}

void NumberWidget::show(double value) {
  if (value == value_) return;
  value_ = value;
  showing_ = true;
  gtk_adjustment_set_value(number_, value);
  showing_ = false;
  place_slider();
  changed_();
}

void NumberWidget::place_slider() {
  const auto [min, max] = form_.slider;
  const double share = std::clamp((value_ - min) / (max - min), 0.0, 1.0);
  showing_ = true;
  gtk_adjustment_set_value(position_, std::pow(share, 1.0 / form_.gamma));
  showing_ = false;
}

void NumberWidget::number_entered() {
  const double number = gtk_adjustment_get_value(number_);
  // An entry that loses the keyboard takes over what it shows, which has fewer decimals.
  if (showing_ || number == rounded(value_)) return;
  value_ = number;
  place_slider();
  changed_();
}

void NumberWidget::slider_moved() {
  if (showing_) return;
  const auto [min, max] = form_.slider;
  show(rounded(min + std::pow(gtk_adjustment_get_value(position_), form_.gamma) * (max - min)));
}

double NumberWidget::rounded(double value) const {
  const double scale = std::pow(10.0, form_.digits);
  return std::round(value * scale) / scale;
}

}  // namespace cuda_filters::plugin
