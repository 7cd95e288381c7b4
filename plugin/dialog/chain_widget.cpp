// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/chain_widget.hpp"

#include <gdk/gdkkeysyms.h>

#include <algorithm>
#include <utility>

#include "gpu/core/error.hpp"
#include "plugin/dialog/toolkit.hpp"
#include "plugin/i18n.hpp"
#include "plugin/names.hpp"

namespace cuda_filters::plugin {
namespace {

constexpr int list_width = 240, list_height = 130;

GtkWidget* new_button(GtkWidget* column, const char* label, const char* tooltip,
                      std::function<void()> clicked) {
  GtkWidget* button = gtk_button_new_with_mnemonic(label);
  gimp_help_set_help_data(button, tooltip, nullptr);
  gtk_box_pack_start(GTK_BOX(column), button, FALSE, FALSE, 0);
  connect(button, "clicked", std::move(clicked));
  return button;
}

/// The row that a text of a path says.
int row_of(const char* path) { return static_cast<int>(g_ascii_strtoll(path, nullptr, 10)); }

}  // namespace

ChainWidget::ChainWidget(const Param& param, std::function<void()> changed)
    : changed_{std::move(changed)},
      store_{gtk_list_store_new(2, G_TYPE_BOOLEAN, G_TYPE_STRING)},
      column_{new_column()},
      upper_{new_row()},
      list_{gtk_tree_view_new_with_model(GTK_TREE_MODEL(store_))},
      menu_{new_menu()},
      editor_{[this] { write_text(); }},
      expander_{_(param.blurb), [this](const std::string& text) { text_changed(text); }} {
  gtk_box_pack_start(GTK_BOX(upper_), new_list(_(param.blurb)), TRUE, TRUE, 0);
  gtk_box_pack_start(GTK_BOX(upper_), new_buttons(), FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(column_), upper_, TRUE, TRUE, 0);
  gtk_box_pack_start(GTK_BOX(column_), editor_.widget(), FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(column_), expander_.widget(), FALSE, FALSE, 0);
  set_mnemonic_target(column_, list_);
  show_selected();
}

ChainWidget::~ChainWidget() {
  gtk_widget_destroy(menu_);
  g_object_unref(store_);
}

GtkWidget* ChainWidget::new_list(const char* tooltip) {
  auto* view = GTK_TREE_VIEW(list_);
  gtk_tree_view_set_headers_visible(view, FALSE);
  gtk_tree_view_set_enable_search(view, FALSE);
  gimp_help_set_help_data(list_, tooltip, nullptr);
  set_accessible_name(list_, _("Steps"));
  GtkCellRenderer* toggle = gtk_cell_renderer_toggle_new();
  gtk_tree_view_insert_column_with_attributes(view, -1, _("On"), toggle, "active", enabled_column,
                                              nullptr);
  gtk_tree_view_insert_column_with_attributes(view, -1, _("Filter"), gtk_cell_renderer_text_new(),
                                              "text", title_column, "sensitive", enabled_column,
                                              nullptr);
  const auto toggled = +[](GtkCellRendererToggle*, const gchar* path, ChainWidget* self) {
    self->toggle_step(row_of(path));
  };
  g_signal_connect(toggle, "toggled", G_CALLBACK(toggled), this);
  const auto pressed = +[](GtkWidget*, GdkEventKey* event, ChainWidget* self) -> gboolean {
    return self->key_pressed(event->keyval, event->state);
  };
  g_signal_connect(list_, "key-press-event", G_CALLBACK(pressed), this);
  connect(gtk_tree_view_get_selection(view), "changed", [this] {
    if (!showing_) show_selected();
  });
  return new_scrolled(list_, list_width, list_height);
}

GtkWidget* ChainWidget::new_buttons() {
  GtkWidget* column = new_column();
  add_ = new_button(column, _("_Add"), _("Add a filter behind the selected step"),
                    [this] { pop_up(menu_, add_); });
  remove_ = new_button(column, _("Re_move"), _("Remove the selected step (Delete)"),
                       [this] { remove_step(); });
  up_ = new_button(column, _("_Up"), _("Apply the selected step earlier (Alt+Up)"),
                   [this] { move_step(-1); });
  down_ = new_button(column, _("_Down"), _("Apply the selected step later (Alt+Down)"),
                     [this] { move_step(1); });
  return column;
}

/// A menu of all filters that a chain can hold, by their categories.
GtkWidget* ChainWidget::new_menu() {
  GtkWidget* menu = gtk_menu_new();
  for (const CategoryNames& category : category_names) {
    GtkWidget* submenu = nullptr;
    for (const FilterEntry& filter : filters()) {
      if (filter.info.category != category.category || !can_be_step(filter)) continue;
      if (submenu == nullptr) submenu = gtk_menu_new();
      GtkWidget* item = gtk_menu_item_new_with_label(_(filter.info.title));
      connect(item, "activate", [this, &filter] { add_step(filter); });
      gtk_menu_shell_append(GTK_MENU_SHELL(submenu), item);
    }
    if (submenu == nullptr) continue;
    const std::string path = _(category.path);
    GtkWidget* item = gtk_menu_item_new_with_label(path.c_str() + path.rfind('/') + 1);
    gtk_menu_item_set_submenu(GTK_MENU_ITEM(item), submenu);
    gtk_menu_shell_append(GTK_MENU_SHELL(menu), item);
  }
  gtk_widget_show_all(menu);
  return menu;
}

void ChainWidget::add_step(const FilterEntry& filter) {
  const int index = selected() < 0 ? static_cast<int>(steps_.size()) : selected() + 1;
  steps_.insert(steps_.begin() + index, {.filter = &filter, .values = initial_values(filter)});
  steps_changed(index);
}

void ChainWidget::remove_step() {
  const int index = selected();
  if (index < 0) return;
  steps_.erase(steps_.begin() + index);
  steps_changed(std::min(index, static_cast<int>(steps_.size()) - 1));
}

void ChainWidget::move_step(int by) {
  const int index = selected(), to = index + by;
  if (index < 0 || to < 0 || to >= static_cast<int>(steps_.size())) return;
  std::swap(steps_[index], steps_[to]);
  steps_changed(to);
}

void ChainWidget::toggle_step(int index) {
  if (index < 0) return;
  bool& enabled = steps_[index].enabled;
  enabled = !enabled;
  // The row stays, as GTK is at work on it.
  GtkTreeIter row;
  if (gtk_tree_model_iter_nth_child(GTK_TREE_MODEL(store_), &row, nullptr, index))
    gtk_list_store_set(store_, &row, enabled_column, gboolean{enabled}, -1);
  write_text();
}

/// What the list does with a key; false if it leaves it to GTK.
bool ChainWidget::key_pressed(guint key, guint state) {
  const bool alt = (state & GDK_MOD1_MASK) != 0;
  if (alt && key == GDK_KEY_Up)
    move_step(-1);
  else if (alt && key == GDK_KEY_Down)
    move_step(1);
  else if (key == GDK_KEY_Delete)
    remove_step();
  else if (key == GDK_KEY_space)
    toggle_step(selected());
  else
    return false;
  return true;
}

/// The number of the selected step, or -1.
int ChainWidget::selected() const {
  GtkTreeIter row;
  GtkTreeSelection* selection = gtk_tree_view_get_selection(GTK_TREE_VIEW(list_));
  if (!gtk_tree_selection_get_selected(selection, nullptr, &row)) return -1;
  gchar* path = gtk_tree_model_get_string_from_iter(GTK_TREE_MODEL(store_), &row);
  const int index = row_of(path);
  g_free(path);
  return index;
}

/// Fills the list with the steps and selects one, or none if it is -1.
void ChainWidget::show_list(int selected) {
  showing_ = true;
  gtk_list_store_clear(store_);
  for (const ChainStep& step : steps_)
    gtk_list_store_insert_with_values(store_, nullptr, -1, enabled_column, gboolean{step.enabled},
                                      title_column, _(step.filter->info.title), -1);
  if (selected >= 0) {
    GtkTreePath* path = gtk_tree_path_new_from_indices(selected, -1);
    gtk_tree_view_set_cursor(GTK_TREE_VIEW(list_), path, nullptr, FALSE);
    gtk_tree_path_free(path);
  }
  showing_ = false;
  show_selected();
}

/// Shows the widgets of the selected step, and what can be done with it.
void ChainWidget::show_selected() {
  const int index = selected(), last = static_cast<int>(steps_.size()) - 1;
  editor_.edit(index < 0 ? nullptr : &steps_[index]);
  gtk_widget_set_sensitive(remove_, index >= 0);
  gtk_widget_set_sensitive(up_, index > 0);
  gtk_widget_set_sensitive(down_, index >= 0 && index < last);
}

/// Shows steps that were added, moved or removed, and selects one.
void ChainWidget::steps_changed(int selected) {
  show_list(selected);
  write_text();
}

/// Takes over what was done to the steps.
void ChainWidget::write_text() {
  text_ = steps_text(steps_);
  expander_.show(text_);
  changed_();
}

void ChainWidget::show(const Value& value) {
  const auto& text = std::get<std::string>(value);
  if (text == text_) return;
  text_ = text;
  expander_.show(text_);
  if (!parse()) expander_.open();
  changed_();
}

void ChainWidget::text_changed(const std::string& text) {
  text_ = text;
  parse();
  changed_();
}

/// Shows the steps that the text says; false if it says none.
bool ChainWidget::parse() {
  bool valid = true;
  try {
    steps_ = parse_steps(text_);
    show_list(steps_.empty() ? -1 : 0);
  } catch (const ArgumentError&) {  // the dialog says so
    valid = false;
  }
  gtk_widget_set_sensitive(upper_, valid);
  gtk_widget_set_sensitive(editor_.widget(), valid);
  return valid;
}

}  // namespace cuda_filters::plugin
