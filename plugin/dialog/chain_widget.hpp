// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "gpu/core/chain.hpp"
#include "plugin/dialog/step_editor.hpp"
#include "plugin/dialog/text_expander.hpp"
#include "plugin/dialog/value_widget.hpp"

namespace cuda_filters::plugin {

/// The steps of a chain as a list, with the widgets of the one that is selected, and as a text.
class ChainWidget final : public ValueWidget {
 public:
  ChainWidget(const Param& param, std::function<void()> changed);
  ~ChainWidget() override;
  GtkWidget* widget() override { return column_; }
  Value value() const override { return text_; }
  void show(const Value& value) override;

 private:
  enum Column { enabled_column, title_column };

  GtkWidget* new_list(const char* tooltip);
  GtkWidget* new_buttons();
  GtkWidget* new_menu();
  void add_step(const FilterEntry& filter);
  void remove_step();
  void move_step(int by);
  void toggle_step(int index);
  bool key_pressed(guint key, guint state);
  void show_list(int selected);
  void show_selected();
  int selected() const;
  void steps_changed(int selected);
  void write_text();
  void text_changed(const std::string& text);
  bool parse();

  std::function<void()> changed_;
  std::string text_;
  std::vector<ChainStep> steps_;
  GtkListStore* store_;
  GtkWidget *column_, *upper_, *list_, *menu_;
  GtkWidget *add_ = nullptr, *remove_ = nullptr, *up_ = nullptr, *down_ = nullptr;
  StepEditor editor_;
  TextExpander expander_;
  bool showing_ = false;  ///< what changes now comes from here, not from the user
};

}  // namespace cuda_filters::plugin
