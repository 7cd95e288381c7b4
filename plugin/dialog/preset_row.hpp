// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "plugin/dialog/preset_file.hpp"
#include "plugin/dialog/toolkit.hpp"

namespace cuda_filters::plugin {

/// A list of a filter's presets, its own ones and the user's, with buttons that save what is in the
/// dialog under a name and that delete what was saved.
class PresetRow {
 public:
  struct Owner {
    GtkWindow* window;
    std::function<Values()> values;                          ///< those in the dialog
    std::function<void(const Values&)> show;                 ///< shows those of a preset there
    std::function<void(const std::string& error)> complain;  ///< shows what went wrong
  };

  PresetRow(const FilterEntry& filter, Owner owner);
  PresetRow(const PresetRow&) = delete;
  GtkWidget* widget() const { return row_; }
  /// Chooses the preset that has the values in the dialog, if there is one.
  void update();

 private:
  struct Entry {
    std::string name;
    Values values;
    bool saved;  ///< by the user, who may delete it
  };

  void fill();
  void choose();
  void save();
  void remove();
  const Entry* chosen() const;

  const FilterEntry& filter_;
  Owner owner_;
  PresetFile file_;
  std::vector<Entry> entries_;
  GtkWidget *row_, *box_, *delete_;
  bool filling_ = false;
};

}  // namespace cuda_filters::plugin
