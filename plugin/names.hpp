// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "gpu/core/filter.hpp"
#include "plugin/i18n.hpp"

// What filters are called, and where GIMP shows them.

namespace cuda_filters::plugin {

/// What a filter is called wherever people see it, such as "Median Blur (CUDA)".
inline std::string display_name(const FilterInfo& info) {
  return format_text(translated(N_("%s (CUDA)")), translated(info.title));
}

/// A label for people, without the mark of its mnemonic; where the script has no letters that Alt
/// picks, as in "半径(_R)", that is the letter between parentheses.
inline std::string without_mnemonic(const char* label) {
  std::string plain = label;
  const auto mark = plain.find('_');
  if (mark == std::string::npos) return plain;
  const bool apart =
      mark > 0 && plain[mark - 1] == '(' && mark + 2 < plain.size() && plain[mark + 2] == ')';
  return apart ? plain.erase(mark - 1, 4) : plain.erase(mark, 1);
}

/// What stands behind a number of that unit; nothing if it has none.
inline const char* unit_name(Unit unit) {
  switch (unit) {
    case Unit::pixels:
      return translated(N_("px"));
    case Unit::codes_of_255:
      return "/255";
    case Unit::degrees:
      return "°";
    case Unit::none:
    case Unit::relative_x:
    case Unit::relative_y:
      break;
  }
  return "";
}

/// What a parameter is called where nothing stands behind its number: with the unit.
inline std::string label_of(const Param& param) {
  const char* label = translated(param.label);
  const char* unit = unit_name(param.unit);
  return *unit == '\0' ? label : format_text(translated(N_("%s (%s)")), label, unit);
}

/// A message about a filter's parameters for people, who see their labels and not the names that
/// scripts write: names between quotation marks, of any language, are replaced.
inline std::string with_labels(std::string message, const FilterEntry& filter) {
  for (const std::string_view mark :
       {"'", "\"", "»", "«", "«\u00a0", "“", "”", "„", "‘", "’", "「"}) {
    for (const Param& param : filter.params) {
      const std::string quoted = std::string{mark} + param.name;
      for (std::size_t at = 0; (at = message.find(quoted, at)) != std::string::npos;) {
        at += mark.size();
        const std::size_t end = at + quoted.size() - mark.size();
        const bool ends = end < message.size() &&
                          std::isalnum(static_cast<unsigned char>(message[end])) == 0 &&
                          message[end] != '-';
        if (ends) message.replace(at, end - at, without_mnemonic(translated(param.label)));
      }
    }
  }
  return message;
}

/// Where filters that fill a selection stand, too.
inline constexpr const char* edit_menu = "<Image>/Edit";

/// What GEGL and GIMP call a category: a word by which GEGL lists operations, and the path of a
/// submenu, untranslated. GIMP 2.10 translates the path as a whole.
struct CategoryNames {
  Category category;
  const char *word, *path;
};
inline constexpr CategoryNames category_names[]{
    {Category::blur, "blur", N_("<Image>/Filters/CUDA/Blur")},
    {Category::enhance, "enhance", N_("<Image>/Filters/CUDA/Enhance")},
    {Category::edges, "edge-detect", N_("<Image>/Filters/CUDA/Edges")},
    {Category::colors, "color", N_("<Image>/Filters/CUDA/Colors")},
    {Category::artistic, "artistic", N_("<Image>/Filters/CUDA/Artistic")},
    {Category::mattes, "transparency", N_("<Image>/Filters/CUDA/Mattes")},
    {Category::geometry, "transform", N_("<Image>/Filters/CUDA/Geometry")},
    {Category::combine, "combine", N_("<Image>/Filters/CUDA/Combine")},
    {Category::generic, "generic", N_("<Image>/Filters/CUDA/Generic")},
};

inline const CategoryNames& names_of(Category category) {
  return *std::ranges::find(category_names, category, &CategoryNames::category);
}

/// The menu of all that we have.
inline constexpr const char* cuda_menu = "<Image>/Filters/CUDA";

/// A submenu's path for GIMP 3, which shows what follows `cuda_menu` as it is.
inline std::string shown_path(const char* path) {
  const std::string words = translated(path);
  return cuda_menu + words.substr(std::min(words.rfind('/'), words.size()));
}

}  // namespace cuda_filters::plugin
