// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/core/format.hpp"
#include "gpu/core/luminance.hpp"
#include "gpu/core/pixel.hpp"

/// Contrast limited adaptive histogram equalization, by K. Zuiderveld, Graphics Gems IV, 1994, with
/// the rounding of OpenCV's createCLAHE(), so that gray pictures of 8 and 16 bits get its codes.
/// The picture is cut into tiles of one size, for which it goes on to the right and below as
/// Border::reflect says. Of each tile the histogram of codes is clipped, what is clipped is spread
/// over all bins, and its sums are a table from codes to codes. A pixel gets what the tables of the
/// four tiles around it say, interpolated between their middles.
///
/// Everything that decides is computed with the same bits on every executor.
namespace cuda_filters::clahe {

struct ClaheSettings {
  int tiles_x, tiles_y;
  double clip_limit;  ///< in mean heights of a bin; 0: nothing is clipped
  bool by_luminance;  ///< else each color by itself
};

/// How a picture of some format is cut, and what is counted.
struct Tiling {
  Size image, tile;
  int tiles_x, tiles_y;
  int bins;   ///< 256 of pictures with 8 bits, else 65536
  int lists;  ///< histograms of a tile: of luminances, or of each color
  double clip_limit;

  HOST_DEVICE float top() const { return static_cast<float>(bins - 1); }
  /// The tables of a row of tiles: [tile][list].
  HOST_DEVICE int tables_of_row() const { return tiles_x * lists; }
};

/// OpenCV leaves a picture as it is if both sides can be divided; else either side grows, by up to
/// the number of tiles, and by just that if it could be divided itself.
inline Tiling tiling_of(Size image, const Format& format, const ClaheSettings& settings) {
  const bool divides = image.width % settings.tiles_x == 0 && image.height % settings.tiles_y == 0;
  const auto side = [&](int pixels, int tiles) { return pixels / tiles + (divides ? 0 : 1); };
  return {.image = image,
          .tile = {side(image.width, settings.tiles_x), side(image.height, settings.tiles_y)},
          .tiles_x = settings.tiles_x,
          .tiles_y = settings.tiles_y,
          .bins = format.type == SampleType::u8 ? 256 : 65536,
          .lists = format.color && !settings.by_luminance ? 3 : 1,
          .clip_limit = settings.clip_limit};
}

/// How many rows of tiles have their tables in memory at a time: all of them if these are 512 or
/// less of 65536 bins, and at least four.
inline int rows_at_once(const Tiling& tiling) {
  constexpr std::int64_t max_bins = std::int64_t{512} << 16;
  const std::int64_t rows = max_bins / (std::int64_t{tiling.tables_of_row()} * tiling.bins);
  return std::min(tiling.tiles_y, static_cast<int>(std::max<std::int64_t>(rows, 4)));
}

/// The index of a picture's `size` columns or rows that stands for one beyond them, as with
/// Border::reflect.
HOST_DEVICE static inline int reflected(int index, int size) {
  if (index < size || size == 1) return index < size ? index : 0;
  const int period = 2 * (size - 1), place = index % period;
  return place < size ? place : period - place;
}

HOST_DEVICE static inline bool is_finite(float value) { return value - value == 0.0f; }
/// 0 … 1; NaN is 0.
HOST_DEVICE static inline float limited(float value) {
  return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}
/// The code of a value of 0 … 1.
HOST_DEVICE static inline int code_of(float value, float top) {
  return static_cast<int>(exact::sum(exact::product(value, top), 0.5f));
}
/// The nearest whole number, the even one of two, for numbers below 2^22.
HOST_DEVICE static inline int nearest(float number) {
  constexpr float shift = 0x1.8p23f;
  return static_cast<int>(exact::difference(exact::sum(number, shift), shift));
}

/// A pixel's luminance as far as its colors are in 0 … 1, or NaN if one of them is not finite.
HOST_DEVICE static inline float luminance_of(const Pixel& p) {
  const float nothing = (p.r - p.r) + (p.g - p.g) + (p.b - p.b);
  return exact::sum(exact::luminance(limited(p.r), limited(p.g), limited(p.b)), nothing);
}

/// What is counted of a pixel in list `list`, 0 … 1, or NaN for nothing.
HOST_DEVICE static inline float counted_value(const Pixel& p, int lists, int list) {
  if (lists == 1) return luminance_of(p);
  const float value = list == 0 ? p.r : list == 1 ? p.g : p.b;
  return exact::sum(limited(value), value - value);
}
/// Its code, or `bins` if it does not count: if it is not finite, or fully transparent.
HOST_DEVICE static inline int counted_code(const Pixel& p, const Tiling& tiling, int list) {
  const float value = counted_value(p, tiling.lists, list);
  return is_finite(value) && p.a > 0.0f ? code_of(value, tiling.top()) : tiling.bins;
}

/// How a histogram becomes a table.
struct Clipping {
  unsigned limit;  ///< of a bin
  unsigned each;   ///< what every bin gets of what was clipped
  unsigned rest;   ///< how many bins get one more …
  unsigned step;   ///< … every so manieth, from the first one
  float scale;     ///< from sums to codes
  bool empty;      ///< there is nothing to count: codes stay

  /// What was clipped goes to bins up to `bin`, with it, so often.
  HOST_DEVICE unsigned spread(unsigned bin) const {
    const unsigned more = bin / step + 1;
    return each * (bin + 1) + (more < rest ? more : rest);
  }
  /// The code for a bin, with the sum of all counts up to it.
  HOST_DEVICE int code(unsigned sum, int top) const {
    const int code = nearest(exact::product(static_cast<float>(sum), scale));
    return code < top ? code : top;
  }
};

/// The largest count of a bin in a tile with `counted` pixels.
HOST_DEVICE static inline unsigned clip_limit_of(const Tiling& tiling, unsigned counted) {
  if (!(tiling.clip_limit > 0.0)) return 0xffffffffu;
  const double limit = tiling.clip_limit * static_cast<double>(counted) / tiling.bins;
  return limit < 1.0 ? 1u : limit < 4294967295.0 ? static_cast<unsigned>(limit) : 0xffffffffu;
}
/// Where `clipped` counts are above the limit.
HOST_DEVICE static inline Clipping clipping_of(const Tiling& tiling, unsigned counted,
                                               unsigned limit, unsigned clipped) {
  const auto bins = static_cast<unsigned>(tiling.bins);
  const unsigned each = clipped / bins, rest = clipped - each * bins;
  const unsigned step = rest > 0 ? bins / rest : 1u;
  return {limit,       each, rest, step, exact::quotient(tiling.top(), static_cast<float>(counted)),
          counted == 0};
}

/// Where a column or a row lies between the middles of tiles.
struct Between {
  int before, after;  ///< the tiles
  float share;        ///< of the second one
};
HOST_DEVICE static inline Between between_tiles(int index, int tile, int tiles) {
  const float inverse = exact::quotient(1.0f, static_cast<float>(tile));
  const float place = exact::difference(exact::product(static_cast<float>(index), inverse), 0.5f);
  const int whole = static_cast<int>(std::floor(place));
  return {whole > 0 ? whole : 0, whole + 1 < tiles ? whole + 1 : tiles - 1,
          exact::difference(place, static_cast<float>(whole))};
}

/// The code that four tables say, for the shares of the right and of the lower ones.
HOST_DEVICE static inline int interpolated(float left_above, float right_above, float left_below,
                                           float right_below, float x, float y) {
  const float rest = exact::difference(1.0f, x);
  const auto across = [&](float left, float right) {
    return exact::sum(exact::product(left, rest), exact::product(right, x));
  };
  const float above = exact::product(across(left_above, right_above), exact::difference(1.0f, y));
  return nearest(exact::sum(above, exact::product(across(left_below, right_below), y)));
}

/// A color that becomes what its code does. What lies beyond 0 … 1 stays as far beyond.
HOST_DEVICE static inline float equalized(float value, float code, float top) {
  if (!is_finite(value)) return value;
  return exact::sum(exact::quotient(code, top), exact::difference(value, limited(value)));
}

/// A pixel whose luminance becomes what its code does: the colors are scaled with it, or, where
/// there is none, raised by it.
HOST_DEVICE static inline Pixel with_luminance(const Pixel& p, float luminance, float code,
                                               float top) {
  if (!is_finite(luminance)) return p;
  const float wanted = exact::quotient(code, top);
  const bool scales = code_of(luminance, top) > 0;
  const float factor = scales ? exact::quotient(wanted, luminance) : 1.0f;
  const float more = scales ? 0.0f : exact::difference(wanted, luminance);
  const auto color = [&](float value) {
    const float inside = limited(value);
    return exact::sum(exact::sum(exact::product(inside, factor), more),
                      exact::difference(value, inside));
  };
  return {color(p.r), color(p.g), color(p.b), p.a};
}

/// The codes of a whole picture, collected band by band, each where its executor computes: a plane
/// for each list, of 2 bytes a pixel for 256 bins, else of 4.
struct Codes {
  std::unique_ptr<std::byte[]> here;
  std::shared_ptr<void> on_device;  ///< of a GPU's executor
};
constexpr std::size_t code_bytes(const Tiling& tiling) { return tiling.bins == 256 ? 2 : 4; }
inline std::size_t plane_pixels(const Tiling& tiling) {
  return static_cast<std::size_t>(tiling.image.width) * tiling.image.height;
}

/// Calls f with a number of the type of codes.
template <class F>
void with_code_type(const Tiling& tiling, F f) {
  if (tiling.bins == 256)
    f(std::uint16_t{});
  else
    f(std::uint32_t{});
}

}  // namespace cuda_filters::clahe
