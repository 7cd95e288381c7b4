// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <string>
#include <vector>

#include "gpu/core/filter.hpp"

namespace cuda_filters::plugin {

/// Values that the user has saved under a name.
struct SavedPreset {
  std::string name;
  Values values;
};

/// The presets that a user has saved for one filter: a text file in the folder of the user's
/// configuration, gimp-cuda-filters/presets/FILTER.ini, that every GIMP has in common.
class PresetFile {
 public:
  explicit PresetFile(const FilterEntry& filter);
  /// What can be read of it, by name: nothing of a file that is broken, or of a later version.
  std::vector<SavedPreset> read() const;
  /// Adds a preset, in the place of one of the same name. Throws Error if the file cannot be
  /// written, which is then as it was; a broken one is put aside as FILTER.ini.broken.
  void save(const SavedPreset& preset) const;
  /// Takes a preset away. Throws Error as save() does.
  void remove(const std::string& name) const;

 private:
  const FilterEntry& filter_;
  std::string path_;
};

}  // namespace cuda_filters::plugin
