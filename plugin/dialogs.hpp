// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <string>

#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// The path of a file that lies beside this program.
std::string beside_program(const char* name);

/// The number that stands for no drawable, here as in GIMP 2.10's scripts.
constexpr int no_drawable = -1;

/// What a call gives to a filter.
struct FilterSettings {
  Values values{};
  int aux = no_drawable;  ///< the number by which GIMP knows the second picture
};

/// The drawable that GIMP knows by that number; null if there is none.
std::unique_ptr<Drawable> drawable_or_none(int id);

/// What needs GTK. It is in a library of its own, because a process loads GTK for longer than most
/// calls compute.
struct Dialogs {
  /// Shows the dialog of a filter for a drawable and changes what is set by it; false, with nothing
  /// changed, if the user cancels.
  bool (*show_filter)(const FilterEntry& filter, Drawable& drawable, FilterSettings& settings);
  /// Shows what was measured of a drawable in a window.
  void (*show_statistics)(const Measured& measured, Drawable& drawable);
  /// Shows what info() found in a window.
  void (*show_info)(const std::vector<DescriptionLine>& lines);
};

/// The dialogs, from the library beside the executable, which is loaded for the first of them.
/// Throws Error, with what to do about it.
const Dialogs& dialogs();

}  // namespace cuda_filters::plugin

/// The symbol under which the library exports its dialogs.
extern "C" const cuda_filters::plugin::Dialogs cuda_filters_dialogs;
