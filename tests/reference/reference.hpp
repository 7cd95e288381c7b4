// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "gpu/core/border.hpp"
#include "gpu/core/param.hpp"

/// The filters once more, naive and in double, written from their definitions and from nothing
/// else: what the engine's results are compared with.
namespace cuda_filters::reference {

using Color = std::array<double, 4>;

/// What the colors of a picture mean: sRGB-encoded, linear light, or the same in every light.
enum class Coding { srgb, linear, same };

/// Straight colors, 0 … 1 for integer formats.
struct Picture {
  int width = 0, height = 0;
  bool alpha = false;  ///< without, every pixel's alpha is 1
  bool bytes = false;  ///< was stored with 8 bits
  Coding coding = Coding::same;
  std::vector<Color> pixels;
  bool gray = false;  ///< was stored with one color

  Color& at(int x, int y) { return pixels[static_cast<std::size_t>(y) * width + x]; }
  const Color& at(int x, int y) const { return pixels[static_cast<std::size_t>(y) * width + x]; }
};

/// The pixel that stands at (x, y), inside of the picture or not; transparent black for none.
Color sample(const Picture& picture, int x, int y, Border border);
/// The same picture in another coding; one whose coding is `same` stays as it is.
Picture recoded(const Picture& picture, Coding coding);

/// An alpha below the smallest normal 32-bit float is none.
inline constexpr double least_alpha = 0x1p-126;

/// The colors times alpha.
Picture premultiplied(const Picture& picture);
/// The colors divided by alpha; without alpha, those of `before`, a picture of the same size.
Picture unpremultiplied(const Picture& picture, const Picture& before);

/// A filter's reference. `examples` are parameters that show what it does; tests add others.
struct Reference {
  const char* name;
  Picture (*apply)(const Picture& in, const Values& values);
  std::vector<Values> examples;
  /// How far the engine may be off, in the light that the filter works in, at values about 1, if it
  /// amplified nothing.
  double (*accuracy)(const Values& values);
  /// How many times larger the terms that are added up are than the picture's values, at most, and
  /// their rounding with them: at least 1. Infinite where nothing is promised. Null: 1.
  double (*gain)(const Values& values) = nullptr;
  /// Pictures that the filter is made for, at least so large, for one that makes nothing of others.
  Picture (*picture)(int width, int height, unsigned seed) = nullptr;
  /// The same with a second picture, whose first pixel lies at (x, y) of the first one; null for a
  /// filter that looks at none.
  Picture (*apply_with_aux)(const Picture& in, const Values& values, const Picture& aux, int x,
                            int y) = nullptr;

  /// Whether the filter goes by the codes of 16 bits that values are next to, or by bins that they
  /// lie in, and its result jumps where these change: of floats whose light is converted, some have
  /// another one.
  bool goes_by_codes = false;

  double gain_of(const Values& values) const { return gain == nullptr ? 1.0 : gain(values); }
  /// How far the engine may be off from apply().
  double tolerance(const Values& values) const { return accuracy(values) * gain_of(values); }
  /// How far a GPU and a processor may be from each other.
  double agreement(const Values& values) const { return std::max(1e-5, 1e-6 * gain_of(values)); }
};

/// The reference of the filter of that name, or nullptr.
const Reference* find(const std::string& name);

inline double number(const Value& value) { return std::get<double>(value); }

}  // namespace cuda_filters::reference
