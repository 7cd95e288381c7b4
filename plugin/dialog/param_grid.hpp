// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "plugin/dialog/limit_histogram.hpp"
#include "plugin/dialog/size_rows.hpp"
#include "plugin/dialog/toolkit.hpp"
#include "plugin/dialog/value_widget.hpp"
#include "plugin/dialogs.hpp"

namespace cuda_filters::plugin {

/// The widgets of a filter's parameters, in aligned rows.
class ParamGrid {
 public:
  /// Shows `settings`; calls `changed` whenever others are entered. `drawable` outlives this.
  ParamGrid(const FilterEntry& filter, Drawable& drawable, const FilterSettings& settings,
            std::function<void()> changed);
  ParamGrid(const ParamGrid&) = delete;
  GtkWidget* widget() const { return grid_.widget(); }
  const FilterSettings& settings() const { return settings_; }
  /// Shows other settings, which calls `changed` once if any differ.
  void show(const FilterSettings& settings);

 private:
  /// Two parameters that a chain keeps equal, as long as it is closed.
  struct Link {
    std::size_t first, second;
    GtkWidget* chain;
  };
  struct Row {
    int at = 0;
    GtkWidget* label = nullptr;            ///< none if the widget is its own
    std::unique_ptr<ValueWidget> value{};  ///< none if size_ stands for the parameter
  };

  void add_row(std::size_t index);
  void add_histogram(std::size_t lower);
  void add_link(std::size_t second);
  void add_aux();
  void close_chains();
  void add_size();
  void size_edited(const Values& values);
  void value_changed(std::size_t index);
  void aux_changed();
  void show_what_applies();

  const FilterEntry& filter_;
  Drawable& drawable_;
  FilterSettings settings_;
  std::function<void()> changed_;
  Grid grid_;
  std::vector<Row> rows_;
  std::vector<Link> links_;
  std::optional<SizeRows> size_;
  int next_row_ = 0;
  std::optional<LimitHistogram> histogram_;  ///< above the lower one of two limits
  GtkWidget* aux_box_ = nullptr;
  bool showing_ = false;  ///< the widgets take over settings, and not the other way
};

}  // namespace cuda_filters::plugin
