// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/matrix_widget.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "gpu/algorithms/convolution/matrix.hpp"
#include "gpu/core/error.hpp"
#include "plugin/i18n.hpp"

namespace cuda_filters::plugin {
namespace {

constexpr int max_cells = 15, cell_chars = 5;
constexpr int max_frame_width = 560, max_frame_height = 330;

/// The matrix that a text says, or nothing.
std::optional<Matrix> matrix_of(const std::string& text) {
  try {
    return parse_matrix(text);
  } catch (const ArgumentError&) {
    return std::nullopt;
  }
}

/// The number in a cell as matrices write it. A comma there is a decimal point.
std::string number_in(GtkWidget* entry) {
  std::string number = gtk_entry_get_text(GTK_ENTRY(entry));
  std::ranges::replace(number, ',', '.');
  return number;
}

GtkAdjustment* new_count(int initial) {
  return GTK_ADJUSTMENT(gtk_adjustment_new(initial, 1.0, max_cells, 2.0, 2.0, 0.0));
}

/// The odd number that is nearest, upwards.
int odd_count(GtkAdjustment* adjustment) {
  return static_cast<int>(gtk_adjustment_get_value(adjustment)) | 1;
}

}  // namespace

MatrixWidget::MatrixWidget(const Param& param, std::function<void()> changed)
    : changed_{std::move(changed)},
      text_{param.initial_text},
      column_{new_column()},
      frame_{new_row(0)},
      columns_{new_count(3)},
      rows_{new_count(3)},
      expander_{_(param.blurb), [this](const std::string& text) { text_changed(text); }} {
  sizes_ = new_size_row();
  for (GtkWidget* part : {sizes_, frame_, expander_.widget()})
    gtk_box_pack_start(GTK_BOX(column_), part, FALSE, FALSE, 0);
  gimp_help_set_help_data(column_, _(param.blurb), nullptr);
  const auto focus = +[](GtkWidget*, gboolean, MatrixWidget* self) -> gboolean {
    if (self->entries_.empty()) return FALSE;
    gtk_widget_grab_focus(self->entries_.front());
    return TRUE;
  };
  g_signal_connect(column_, "mnemonic-activate", G_CALLBACK(focus), this);
  expander_.show(text_);
  show_cells();
}

/// The numbers of columns and rows.
GtkWidget* MatrixWidget::new_size_row() {
  GtkWidget* row = new_row();
  const auto add = [&](GtkAdjustment* count, const char* name) {
    GtkWidget* entry = gtk_spin_button_new(count, 2.0, 0);
    set_accessible_name(entry, name);
    gimp_help_set_help_data(entry, name, nullptr);
    gtk_box_pack_start(GTK_BOX(row), entry, FALSE, FALSE, 0);
    connect(count, "value-changed", [this] { size_changed(); });
  };
  add(columns_, _("Columns"));
  gtk_box_pack_start(GTK_BOX(row), new_label("×"), FALSE, FALSE, 0);
  add(rows_, _("Rows"));
  return row;
}

void MatrixWidget::build_cells(int width, int height) {
  if (cells_ != nullptr) gtk_widget_destroy(cells_);
  entries_.clear();
  width_ = width;
  Grid grid{2};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      GtkWidget* entry = gtk_entry_new();
      gtk_entry_set_width_chars(GTK_ENTRY(entry), cell_chars);
      gtk_entry_set_alignment(GTK_ENTRY(entry), 1.0f);
      gtk_entry_set_activates_default(GTK_ENTRY(entry), TRUE);
      set_accessible_name(entry,
                          format_text(translated(N_("Row %d, column %d")), y + 1, x + 1).c_str());
      connect(entry, "changed", [this] { cell_changed(); });
      grid.attach(entry, x, y);
      entries_.push_back(entry);
    }
  cells_ = new_scrolled_to_fit(grid.widget(), max_frame_width, max_frame_height);
  gtk_box_pack_start(GTK_BOX(frame_), cells_, FALSE, FALSE, 0);
  gtk_widget_show_all(cells_);
}

/// Shows in the grid what the text says, if it has room there.
void MatrixWidget::show_cells() {
  const auto matrix = matrix_of(text_);
  const bool fits = matrix && matrix->width <= max_cells && matrix->height <= max_cells;
  gtk_widget_set_sensitive(sizes_, fits);
  gtk_widget_set_sensitive(frame_, fits);
  if (!fits) return expander_.open();
  showing_ = true;
  gtk_adjustment_set_value(columns_, matrix->width);
  gtk_adjustment_set_value(rows_, matrix->height);
  if (width_ != matrix->width || entries_.size() != matrix->values.size())
    build_cells(matrix->width, matrix->height);
  for (std::size_t i = 0; i < entries_.size(); ++i)
    gtk_entry_set_text(GTK_ENTRY(entries_[i]), number_text(matrix->values[i]).c_str());
  showing_ = false;
}

void MatrixWidget::show(const Value& value) {
  const auto& text = std::get<std::string>(value);
  if (text == text_) return;
  text_ = text;
  expander_.show(text_);
  show_cells();
  changed_();
}

void MatrixWidget::cell_changed() {
  if (showing_) return;
  text_.clear();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (i > 0) text_ += i % static_cast<std::size_t>(width_) == 0 ? ';' : ',';
    text_ += number_in(entries_[i]);
  }
  expander_.show(text_);
  // With something else than numbers in it, a matrix cannot become larger.
  gtk_widget_set_sensitive(sizes_, matrix_of(text_).has_value());
  changed_();
}

void MatrixWidget::size_changed() {
  const auto matrix = showing_ ? std::nullopt : matrix_of(text_);
  if (matrix) show(matrix_text(resized(*matrix, odd_count(columns_), odd_count(rows_))));
}

void MatrixWidget::text_changed(const std::string& text) {
  text_ = text;
  show_cells();
  changed_();
}

}  // namespace cuda_filters::plugin
