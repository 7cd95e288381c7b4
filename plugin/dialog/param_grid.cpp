// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/param_grid.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "plugin/dialog/gimp_ui.hpp"
#include "plugin/i18n.hpp"

namespace cuda_filters::plugin {
namespace {

// The columns.
constexpr int label_column = 0, value_column = 1, chain_column = 2;

}  // namespace

ParamGrid::ParamGrid(const FilterEntry& filter, Drawable& drawable, const FilterSettings& settings,
                     std::function<void()> changed)
    : filter_{filter},
      drawable_{drawable},
      settings_{settings},
      changed_{std::move(changed)},
      rows_(filter.params.size()) {
  showing_ = true;
  if (SizeRows::fit(filter)) add_size();
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (!size_ || !SizeRows::stand_for(filter.params[i])) add_row(i);
  if (filter.takes_aux()) add_aux();
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (filter.params[i].linked_to != nullptr) add_link(i);
  showing_ = false;
  show_what_applies();
}

void ParamGrid::add_size() {
  size_.emplace(filter_, drawable_, grid_, next_row_,
                [this](const Values& values) { size_edited(values); });
  next_row_ += SizeRows::count;
  size_->show_anew(settings_.values);
}

/// Shows the histogram of two limits, above the lower one.
void ParamGrid::add_histogram(std::size_t lower) {
  histogram_.emplace(filter_, lower, drawable_,
                     [this](std::size_t index, double value) { rows_[index].value->show(value); });
  histogram_->show(settings_.values);
  grid_.attach(histogram_->widget(), value_column, next_row_++, 1, 1, Grow::across);
}

void ParamGrid::add_row(std::size_t index) {
  const Param& param = filter_.params[index];
  Row& row = rows_[index];
  row.value = new_value_widget(param, [this, index] { value_changed(index); });
  row.value->show(settings_.values[index]);
  if (param.upper_limit != nullptr) add_histogram(index);
  const int at = row.at = next_row_++;
  GtkWidget* widget = row.value->widget();
  const bool is_long =
      param.text_format == TextFormat::steps || param.text_format == TextFormat::formula;
  const Grow grow = is_long ? Grow::both : Grow::across;
  if (param.kind == Kind::toggle) return grid_.attach(widget, label_column, at, 2, 1, grow);
  row.label = new_label(_(param.label), true);
  if (is_long || param.text_format == TextFormat::matrix) align(row.label, 0.0f, 0.0f);
  gtk_label_set_mnemonic_widget(GTK_LABEL(row.label), widget);
  grid_.attach(row.label, label_column, at);
  grid_.attach(widget, value_column, at, 1, 1, grow);
}

void ParamGrid::add_link(std::size_t second) {
  std::size_t first = 0;
  while (filter_.params[first].name != std::string_view{filter_.params[second].linked_to}) ++first;
  GtkWidget* chain = gimp_chain_button_new(GIMP_CHAIN_RIGHT);
  gimp_help_set_help_data(chain, _("Keep equal"), nullptr);
  const auto [top, bottom] = std::minmax(rows_[first].at, rows_[second].at);
  grid_.attach(chain, chain_column, top, 1, bottom - top + 1);
  links_.push_back({first, second, chain});
  close_chains();
  connect(chain, "toggled", [this, second] {
    for (const Link& link : links_)
      if (link.second == second && gimp_chain_button_get_active(GIMP_CHAIN_BUTTON(link.chain)))
        rows_[second].value->show(settings_.values[link.first]);
  });
}

/// Closes the chains of what is equal, and opens the others.
void ParamGrid::close_chains() {
  for (const Link& link : links_)
    gimp_chain_button_set_active(GIMP_CHAIN_BUTTON(link.chain),
                                 settings_.values[link.first] == settings_.values[link.second]);
}

/// A choice among the drawables of the same image, and none.
void ParamGrid::add_aux() {
  aux_box_ = new_drawable_box(drawable_);
  auto* box = GIMP_INT_COMBO_BOX(aux_box_);
  gimp_int_combo_box_prepend(box, GIMP_INT_STORE_VALUE, no_drawable, GIMP_INT_STORE_LABEL,
                             _("None"), -1);
  gimp_int_combo_box_set_active(box, settings_.aux);
  gimp_help_set_help_data(aux_box_, _(filter_.aux_param().blurb), nullptr);
  GtkWidget* label = new_label(_(filter_.aux_param().label), true);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), aux_box_);
  const int at = next_row_++;
  grid_.attach(label, label_column, at);
  grid_.attach(aux_box_, value_column, at, 1, 1, Grow::across);
  connect(aux_box_, "changed", [this] { aux_changed(); });
}

void ParamGrid::show(const FilterSettings& settings) {
  if (settings.values == settings_.values && settings.aux == settings_.aux) return;
  showing_ = true;
  settings_ = settings;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].value != nullptr) rows_[i].value->show(settings.values[i]);
  if (size_) size_->show_anew(settings.values);
  if (aux_box_ != nullptr)
    gimp_int_combo_box_set_active(GIMP_INT_COMBO_BOX(aux_box_), settings.aux);
  close_chains();
  showing_ = false;
  show_what_applies();
  changed_();
}

void ParamGrid::value_changed(std::size_t index) {
  const Value value = rows_[index].value->value();
  if (showing_ || settings_.values[index] == value) return;
  showing_ = true;
  settings_.values[index] = value;
  for (const Link& link : links_) {
    if (index != link.first && index != link.second) continue;
    if (!gimp_chain_button_get_active(GIMP_CHAIN_BUTTON(link.chain))) continue;
    const std::size_t other = index == link.first ? link.second : link.first;
    settings_.values[other] = value;
    rows_[other].value->show(value);
  }
  if (size_) size_->show(settings_.values);  // of another scope, the same factor gives another size
  showing_ = false;
  show_what_applies();
  changed_();
}

void ParamGrid::size_edited(const Values& values) {
  if (showing_ || values == settings_.values) return;
  settings_.values = values;
  changed_();
}

void ParamGrid::aux_changed() {
  gint aux = no_drawable;
  gimp_int_combo_box_get_active(GIMP_INT_COMBO_BOX(aux_box_), &aux);
  if (showing_ || std::exchange(settings_.aux, aux) == aux) return;
  changed_();
}

/// Makes those parameters gray that change nothing with the values of the others.
void ParamGrid::show_what_applies() {
  if (histogram_) histogram_->show(settings_.values);
  const bool has_alpha = babl_format_has_alpha(drawable_.format()) != 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].value == nullptr) continue;
    const bool does = applies(filter_, i, settings_.values, has_alpha);
    gtk_widget_set_sensitive(rows_[i].value->widget(), does);
    if (rows_[i].label != nullptr) gtk_widget_set_sensitive(rows_[i].label, does);
  }
}

}  // namespace cuda_filters::plugin
