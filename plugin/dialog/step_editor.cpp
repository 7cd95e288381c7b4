// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/step_editor.hpp"

#include <utility>

#include "plugin/dialog/toolkit.hpp"
#include "plugin/i18n.hpp"
#include "plugin/names.hpp"

namespace cuda_filters::plugin {

StepEditor::StepEditor(std::function<void()> changed)
    : changed_{std::move(changed)}, frame_{gimp_frame_new("")} {
  gtk_widget_set_no_show_all(frame_, TRUE);
}

void StepEditor::edit(ChainStep* step) {
  showing_ = true;  // an entry that goes takes nothing over, as its step may be gone
  if (rows_ != nullptr) gtk_widget_destroy(rows_);
  rows_ = nullptr;
  values_.clear();
  step_ = step;
  showing_ = false;
  gtk_widget_set_visible(frame_, step != nullptr);
  if (step == nullptr) return;
  gtk_frame_set_label(GTK_FRAME(frame_), _(step->filter->info.title));
  showing_ = true;
  rows_ = new_param_rows();
  showing_ = false;
  gtk_container_add(GTK_CONTAINER(frame_), rows_);
  gtk_widget_show_all(rows_);
}

GtkWidget* StepEditor::new_param_rows() {
  const FilterEntry& filter = *step_->filter;
  if (filter.params.empty() && !filter.takes_aux()) return new_label(_("Nothing can be set."));
  Grid grid;
  int row = 0;
  for (const Param& param : filter.params) {
    const std::size_t i = values_.size();
    values_.push_back(new_value_widget(param, [this, i] {
      if (showing_) return;
      step_->values[i] = values_[i]->value();
      show_what_applies();
      changed_();
    }));
    values_[i]->show(step_->values[i]);
    GtkWidget* widget = values_[i]->widget();
    // The mnemonics are those of the dialog: of several filters, they would be the same.
    const std::string label = without_mnemonic(_(param.label));
    if (param.kind == Kind::toggle) {
      gtk_button_set_use_underline(GTK_BUTTON(widget), FALSE);
      gtk_button_set_label(GTK_BUTTON(widget), label.c_str());
      grid.attach(widget, 0, row++, 2, 1, Grow::across);
    } else {
      grid.attach(new_label(label.c_str()), 0, row);
      grid.attach(widget, 1, row++, 1, 1, Grow::across);
      set_accessible_name(widget, label.c_str());
    }
  }
  if (filter.takes_aux()) add_layer_row(grid, row);
  show_what_applies();
  return grid.widget();
}

/// Makes those parameters grey that change nothing with the values of the others; the picture that
/// the step gets may have alpha.
void StepEditor::show_what_applies() {
  for (std::size_t i = 0; i < values_.size(); ++i)
    gtk_widget_set_sensitive(values_[i]->widget(), applies(*step_->filter, i, step_->values, true));
}

/// The name of the layer that is the second picture.
void StepEditor::add_layer_row(Grid& grid, int row) {
  const AuxParam& aux = step_->filter->aux_param();
  GtkWidget* entry = gtk_entry_new();
  gtk_entry_set_text(GTK_ENTRY(entry), step_->aux_layer.value_or("").c_str());
  gtk_entry_set_activates_default(GTK_ENTRY(entry), TRUE);
  const std::string label = without_mnemonic(_(aux.label));
  gimp_help_set_help_data(entry, _("The name of a layer, or nothing"), nullptr);
  set_accessible_name(entry, label.c_str());
  connect(entry, "changed", [this, entry] {
    const char* name = gtk_entry_get_text(GTK_ENTRY(entry));
    step_->aux_layer = *name != '\0' ? std::optional<std::string>{name} : std::nullopt;
    changed_();
  });
  grid.attach(new_label(label.c_str()), 0, row);
  grid.attach(entry, 1, row, 1, 1, Grow::across);
}

}  // namespace cuda_filters::plugin
