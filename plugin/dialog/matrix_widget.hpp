// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "plugin/dialog/text_expander.hpp"
#include "plugin/dialog/toolkit.hpp"
#include "plugin/dialog/value_widget.hpp"

namespace cuda_filters::plugin {

/// A matrix as a grid of numbers that grows and shrinks, and as a text. Larger ones than 15 × 15
/// are shown as a text alone.
class MatrixWidget final : public ValueWidget {
 public:
  MatrixWidget(const Param& param, std::function<void()> changed);
  GtkWidget* widget() override { return column_; }
  Value value() const override { return text_; }
  void show(const Value& value) override;

 private:
  GtkWidget* new_size_row();
  void build_cells(int width, int height);
  void show_cells();
  void cell_changed();
  void size_changed();
  void text_changed(const std::string& text);

  std::function<void()> changed_;
  std::string text_;
  GtkWidget *column_, *sizes_, *frame_, *cells_ = nullptr;
  GtkAdjustment *columns_, *rows_;
  TextExpander expander_;
  std::vector<GtkWidget*> entries_;  ///< row by row
  int width_ = 0;                    ///< how many of them are a row
  bool showing_ = false;             ///< what changes now comes from here, not from the user
};

}  // namespace cuda_filters::plugin
