// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/size_rows.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "plugin/i18n.hpp"
#include "plugin/names.hpp"
#include "plugin/number_form.hpp"

namespace cuda_filters::plugin {
namespace {

constexpr const char *width_name = "width", *height_name = "height", *scale_name = "scale",
                     *fit_name = "fit";
constexpr std::array names{width_name, height_name, scale_name, fit_name};

const Param& param_of(const FilterEntry& filter, std::string_view name) {
  return *std::ranges::find(filter.params, name, &Param::name);
}

/// Pixels of a result, of which there is one at least.
NumberWidget::Form pixels_form(const Param& param) {
  return {.range = {1.0, param.range.max},
          .slider = {1.0, param.slider.max},
          .gamma = slider_gamma(param),
          .unit = unit_name(param.unit)};
}

/// A factor as a percentage.
NumberWidget::Form percentage_form(const Param& param) {
  return {.range = {100.0 * param.range.min, 100.0 * param.range.max},
          .slider = {100.0 * param.slider.min, 100.0 * param.slider.max},
          .digits = 2,
          .unit = "%"};
}

}  // namespace

bool SizeRows::stand_for(const Param& param) {
  return std::ranges::find(names, std::string_view{param.name}) != names.end();
}

bool SizeRows::fit(const FilterEntry& filter) {
  return filter.changes_size() &&
         std::ranges::count_if(filter.params, stand_for) == std::ssize(names);
}

SizeRows::SizeRows(const FilterEntry& filter, const Drawable& drawable, Grid& grid, int first,
                   std::function<void(const Values&)> edited)
    : filter_{filter},
      drawable_{drawable},
      edited_{std::move(edited)},
      width_{pixels_form(param_of(filter, width_name)), _("The width of the result"),
             [this] { width_entered(); }},
      height_{pixels_form(param_of(filter, height_name)), _("The height of the result"),
              [this] { height_entered(); }},
      percentage_{percentage_form(param_of(filter, scale_name)),
                  _("The size of the result as a part of the size that there is"),
                  [this] { percentage_entered(); }},
      chain_{gimp_chain_button_new(GIMP_CHAIN_RIGHT)} {
  add_row(grid, first, _(param_of(filter, width_name).label), width_.widget());
  add_row(grid, first + 1, _(param_of(filter, height_name).label), height_.widget());
  add_row(grid, first + 2, _(param_of(filter, scale_name).label), percentage_.widget());
  gimp_help_set_help_data(chain_, _("Keep the proportions"), nullptr);
  grid.attach(chain_, 2, first, 1, 2);
  connect(chain_, "toggled", [this] { chain_toggled(); });
}

void SizeRows::add_row(Grid& grid, int row, const char* label, GtkWidget* widget) {
  GtkWidget* text = new_label(label, true);
  gtk_label_set_mnemonic_widget(GTK_LABEL(text), widget);
  grid.attach(text, 0, row);
  grid.attach(widget, 1, row, 1, 1, Grow::across);
}

void SizeRows::show(const Values& values) {
  values_ = values;
  showing_ = true;
  try {
    const Job job = plugin::make_job(filter_, values, nullptr);
    const Size before = input_size(job.plan, drawable_), after = resolved(job, before).output;
    width_.show(after.width);
    height_.show(after.height);
    percentage_.show(100.0 * after.width / before.width);
  } catch (const ArgumentError&) {
    // There is no such result, which the dialog says; what was entered stays.
  }
  showing_ = false;
}

void SizeRows::show_anew(const Values& values) {
  values_ = values;
  const bool free = value(width_name) != 0.0 && value(height_name) != 0.0 && value(fit_name) == 0.0;
  showing_ = true;
  gimp_chain_button_set_active(GIMP_CHAIN_BUTTON(chain_), !free);
  showing_ = false;
  show(values);
}

bool SizeRows::tied() const { return gimp_chain_button_get_active(GIMP_CHAIN_BUTTON(chain_)); }

void SizeRows::width_entered() {
  if (!showing_) set(width_.value(), tied() ? 0.0 : height_.value(), 1.0);
}

void SizeRows::height_entered() {
  if (!showing_) set(tied() ? 0.0 : width_.value(), height_.value(), 1.0);
}

void SizeRows::percentage_entered() {
  if (!showing_) set(0.0, 0.0, percentage_.value() / 100.0);
}

void SizeRows::chain_toggled() {
  if (!showing_) set(width_.value(), tied() ? 0.0 : height_.value(), 1.0);
}

/// Sets what a script would for the size that the user has entered: what follows from it stays 0.
void SizeRows::set(double width, double height, double scale) {
  value(width_name) = width, value(height_name) = height;
  value(scale_name) = scale, value(fit_name) = 0.0;
  show(values_);
  edited_(values_);
}

double& SizeRows::value(const char* name) {
  return std::get<double>(
      values_[static_cast<std::size_t>(&param_of(filter_, name) - filter_.params.data())]);
}

}  // namespace cuda_filters::plugin
