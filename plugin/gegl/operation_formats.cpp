// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/gegl/operation_formats.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace cuda_filters::plugin {

// They are kept: evaluating the curves of 16-bit codes takes longer than filtering a tile.
const PixelFormat& pixel_format(const Babl* format, Trc trc) {
  static std::mutex mutex;
  static std::map<std::pair<const Babl*, Trc>, std::unique_ptr<const PixelFormat>> known;
  const std::lock_guard lock{mutex};
  auto& found = known[{format, trc}];
  if (found == nullptr) found = std::make_unique<const PixelFormat>(format, trc);
  return *found;
}

const Babl* taken_format(const Babl* source) {
  if (source == nullptr) return babl_format("RGBA float");
  const bool alpha = babl_format_has_alpha(source);
  if (babl_format_is_palette(source)) return babl_format(alpha ? "R'G'B'A u8" : "R'G'B' u8");
  const std::string encoding = babl_format_get_encoding(source);
  const auto blank = encoding.rfind(' ');
  const std::set<std::string> types{"u8", "u16", "u32", "half", "float", "double"};
  const std::set<std::string> models{"RGB", "R'G'B'", "R~G~B~", "Y", "Y'", "Y~"};
  std::string model = encoding.substr(0, blank);
  if (model.ends_with('A')) model.pop_back();
  if (blank != std::string::npos && models.contains(model) &&
      types.contains(encoding.substr(blank + 1)))
    return source;
  const char* floats = alpha ? "RGBA float" : "RGB float";
  if (babl_space_is_cmyk(babl_format_get_space(source))) return babl_format(floats);
  return babl_format_with_space(floats, source);
}

}  // namespace cuda_filters::plugin
