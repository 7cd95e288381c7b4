// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/preset_row.hpp"

#include <algorithm>
#include <utility>

#include "gpu/core/chain.hpp"
#include "plugin/i18n.hpp"
#include "plugin/run.hpp"

namespace cuda_filters::plugin {
namespace {

/// What stands in the list before all presets, for values that none of them has.
constexpr int own_values = 0;

/// Names longer than that are not taken, and wider lists than that are not made.
constexpr int longest_name = 60, box_chars = 18;

/// A list of texts as wide as box_chars, the longer ones cut at their end.
GtkWidget* new_list() {
  GtkWidget* box = gtk_combo_box_text_new();
  GList* cells = gtk_cell_layout_get_cells(GTK_CELL_LAYOUT(box));
  for (GList* cell = cells; cell != nullptr; cell = cell->next)
    g_object_set(cell->data, "ellipsize", PANGO_ELLIPSIZE_END, "width-chars", box_chars, nullptr);
  g_list_free(cells);
  return box;
}

/// Asks for the name of a preset; empty if the user cancels or gives none.
std::string ask_for_name(GtkWindow* parent, const std::string& proposed) {
  GtkWidget* dialog = gimp_dialog_new(_("Save Preset"), PLUGIN_NAME, GTK_WIDGET(parent),
                                      GTK_DIALOG_MODAL, nullptr, nullptr, _("_Cancel"),
                                      GTK_RESPONSE_CANCEL, _("_OK"), GTK_RESPONSE_OK, nullptr);
  gtk_dialog_set_default_response(GTK_DIALOG(dialog), GTK_RESPONSE_OK);
  GtkWidget* entry = gtk_entry_new();
  gtk_entry_set_max_length(GTK_ENTRY(entry), longest_name);
  gtk_entry_set_activates_default(GTK_ENTRY(entry), TRUE);
  gtk_entry_set_text(GTK_ENTRY(entry), proposed.c_str());
  GtkWidget* label = new_label(_("_Name"), true);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), entry);
  GtkWidget* row = new_row(12);
  gtk_container_set_border_width(GTK_CONTAINER(row), 12);
  gtk_box_pack_start(GTK_BOX(row), label, FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(row), entry, TRUE, TRUE, 0);
  gtk_container_add(GTK_CONTAINER(gtk_dialog_get_content_area(GTK_DIALOG(dialog))), row);
  gtk_widget_show_all(dialog);
  const bool accepted = gimp_dialog_run(GIMP_DIALOG(dialog)) == GTK_RESPONSE_OK;
  gchar* stripped = g_strstrip(g_strdup(gtk_entry_get_text(GTK_ENTRY(entry))));
  std::string name = accepted ? stripped : "";
  g_free(stripped);
  gtk_widget_destroy(dialog);
  return name;
}

}  // namespace

PresetRow::PresetRow(const FilterEntry& filter, Owner owner)
    : filter_{filter},
      owner_{std::move(owner)},
      file_{filter},
      row_{new_row()},
      box_{new_list()},
      delete_{new_icon_button(GIMP_ICON_EDIT_DELETE, _("Delete the chosen preset"))} {
  GtkWidget* label = new_label(_("Pre_sets"), true);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), box_);
  GtkWidget* save = new_icon_button(GIMP_ICON_DOCUMENT_SAVE, _("Save the values as a preset"));
  gtk_box_pack_start(GTK_BOX(row_), label, FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(row_), box_, TRUE, TRUE, 0);
  gtk_box_pack_start(GTK_BOX(row_), save, FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(row_), delete_, FALSE, FALSE, 0);
  fill();
  connect(box_, "changed", [this] { choose(); });
  connect(save, "clicked", [this] { this->save(); });
  connect(delete_, "clicked", [this] { remove(); });
}

/// Lists what there is now.
void PresetRow::fill() {
  filling_ = true;
  auto* box = GTK_COMBO_BOX_TEXT(box_);
  for (std::size_t i = 0; i <= entries_.size(); ++i) gtk_combo_box_text_remove(box, 0);
  entries_.clear();
  for (const Preset& preset : filter_.presets())
    entries_.push_back({_(preset.name), preset_values(filter_, preset), false});
  for (auto& [name, values] : file_.read())
    entries_.push_back({std::move(name), std::move(values), true});
  gtk_combo_box_text_append_text(box, _("Custom"));
  for (const Entry& entry : entries_) gtk_combo_box_text_append_text(box, entry.name.c_str());
  filling_ = false;
}

void PresetRow::update() {
  const Values values = owner_.values();
  const Entry* now = chosen();
  if (now == nullptr || now->values != values) {
    const auto same = std::ranges::find(entries_, values, &Entry::values);
    filling_ = true;
    gtk_combo_box_set_active(
        GTK_COMBO_BOX(box_),
        same == entries_.end() ? own_values : static_cast<int>(same - entries_.begin()) + 1);
    filling_ = false;
    now = chosen();
  }
  gtk_widget_set_sensitive(delete_, now != nullptr && now->saved);
}

const PresetRow::Entry* PresetRow::chosen() const {
  const int at = gtk_combo_box_get_active(GTK_COMBO_BOX(box_));
  return at > own_values ? &entries_[static_cast<std::size_t>(at - 1)] : nullptr;
}

void PresetRow::choose() {
  if (filling_) return;
  if (const Entry* entry = chosen()) owner_.show(entry->values);
  update();
}

void PresetRow::save() {
  const Entry* now = chosen();
  const std::string name =
      ask_for_name(owner_.window, now != nullptr && now->saved ? now->name : "");
  if (name.empty()) return;
  try {
    file_.save({name, owner_.values()});
    fill();
    const auto saved = std::ranges::find_if(
        entries_, [&](const Entry& entry) { return entry.saved && entry.name == name; });
    filling_ = true;
    gtk_combo_box_set_active(GTK_COMBO_BOX(box_), static_cast<int>(saved - entries_.begin()) + 1);
    filling_ = false;
    update();
  } catch (const std::exception& error) {  // none may pass through GTK
    owner_.complain(sentence_of(error));
  }
}

void PresetRow::remove() {
  const Entry* now = chosen();
  if (now == nullptr || !now->saved) return;
  try {
    file_.remove(std::string{now->name});
    fill();
    update();
  } catch (const std::exception& error) {  // none may pass through GTK
    owner_.complain(sentence_of(error));
  }
}

}  // namespace cuda_filters::plugin
