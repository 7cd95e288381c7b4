// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "gpu/core/format.hpp"
#include "gpu/device.hpp"

/// Rank filters (median and percentiles), planned here once for every executor. A sample becomes
/// one of the samples around it, so that they work on the stored codes, each channel by itself.
///
/// Three ways lead to the same sample. Medians of small squares and circles are sorting networks
/// (small_median.hpp). Codes of 8 bits are counted in a histogram that slides with the window
/// (Huang, Yang and Tang 1979): what a step costs grows with the radius, not with the area. Codes
/// of more bits are sorted tile by tile first; the position in that order, in 256 classes, slides
/// through a histogram in the same way, and what a class holds, a 256th of the tile and its
/// surroundings, is then searched for the samples that the window covers.
namespace cuda_filters::rank {

enum class Shape { square, circle, diamond };

/// How many rows above, and as many below, take part in the column `dx` away; the shapes are
/// symmetric, so that columns may stand for rows. A circle has dx² + dy² <= (radius + ½)², in whole
/// numbers radius² + radius.
constexpr int reach_of(Shape shape, int radius, int dx) {
  if (shape == Shape::square) return radius;
  if (shape == Shape::diamond) return radius - (dx < 0 ? -dx : dx);
  int rows = radius;
  while (dx * dx + rows * rows > radius * radius + radius) --rows;
  return rows;
}

/// A square if that has the same samples.
constexpr Shape simplest(Shape shape, int radius) {
  return reach_of(shape, radius, radius) == radius ? Shape::square : shape;
}

/// The samples around one that take part.
struct Window {
  Shape shape;  ///< the simplest one
  int radius;
  std::vector<int> reach;  ///< [dx + radius]: reach_of()
  /// How many samples there are in all.
  int count = 0;

  Window(Shape shape, int radius);
  bool is_square() const { return shape == Shape::square; }
};

/// Which of the sorted samples of a window is the result, in percent; of the colors and of alpha.
struct Percentiles {
  double color, alpha;
};

/// The rank, from 0, of the result among `count` samples, the smallest first.
HOST_DEVICE inline int rank_of(int count, double percentile) {
  return static_cast<int>((count - 1) * percentile / 100.0 + 0.5);
}

/// The largest radius of a square or circle whose median is a sorting network: on the CPU, and on
/// GPUs, for which networks take long to compile.
inline constexpr int network_radius = 7, gpu_network_radius = 5;
/// Whether that is such a median, as far as every sample of the window exists.
constexpr bool is_small_median(Shape shape, int radius, Percentiles percentiles,
                               int max_radius = network_radius) {
  return shape != Shape::diamond && radius <= max_radius && percentiles.color == 50.0 &&
         percentiles.alpha == 50.0;
}
/// How many classes the samples of a tile are sorted into.
inline constexpr int classes = 256;
/// The class of the sample that is number `order` of `count`, and the first one of a class.
HOST_DEVICE constexpr int class_of(int order, int count) {
  return static_cast<int>(std::int64_t{order} * classes / count);
}
HOST_DEVICE constexpr int first_of(int one_class, int count) {
  return static_cast<int>((std::int64_t{one_class} * count + classes - 1) / classes);
}

/// Numbers of the same order as the codes: the codes themselves, or the bits of floats with the
/// negative ones turned round. NaN comes last.
template <class Key>
HOST_DEVICE constexpr Key key_of_float(Key bits, Key infinity) {
  constexpr Key sign = Key{1} << (8 * sizeof(Key) - 1);
  if (static_cast<Key>(bits & ~sign) > infinity) return static_cast<Key>(~Key{0});
  return exact::ordered(bits);
}
template <class Key>
HOST_DEVICE constexpr Key float_of_key(Key key) {
  return exact::unordered(key);
}

/// Calls f with a value of the unsigned type that holds a sample, and with the bits of infinity, 0
/// for integers.
template <class F>
void with_key(SampleType type, F&& f) {
  switch (type) {
    case SampleType::u8:
      return f(std::uint8_t{}, std::uint8_t{0});
    case SampleType::u16:
      return f(std::uint16_t{}, std::uint16_t{0});
    case SampleType::f16:
      return f(std::uint16_t{}, std::uint16_t{0x7c00});
    case SampleType::f32:
      return f(std::uint32_t{}, std::uint32_t{0x7f800000});
  }
}

}  // namespace cuda_filters::rank
