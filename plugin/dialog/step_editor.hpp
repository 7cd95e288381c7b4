// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "gpu/core/chain.hpp"
#include "plugin/dialog/value_widget.hpp"

namespace cuda_filters::plugin {

/// The widgets of the parameters of one step of a chain.
class StepEditor {
 public:
  /// Calls `changed` whenever the user has changed a value.
  explicit StepEditor(std::function<void()> changed);
  StepEditor(const StepEditor&) = delete;
  GtkWidget* widget() const { return frame_; }
  /// Shows the widgets of another step, or none. The step outlives that, and takes over what the
  /// user changes.
  void edit(ChainStep* step);

 private:
  GtkWidget* new_param_rows();
  void show_what_applies();
  void add_layer_row(class Grid& grid, int row);

  std::function<void()> changed_;
  ChainStep* step_ = nullptr;
  GtkWidget *frame_, *rows_ = nullptr;
  std::vector<std::unique_ptr<ValueWidget>> values_;
  bool showing_ = false;  ///< what changes now comes from here, not from the user
};

}  // namespace cuda_filters::plugin
