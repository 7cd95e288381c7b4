// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/core/pixel.hpp"
#include "gpu/core/transfer.hpp"
#include "gpu/device.hpp"

namespace cuda_filters {

/// The number type of one stored sample; u8 and u16 are codes from 0 to 255 or 65535.
enum class SampleType : std::uint8_t { u8, u16, f16, f32 };

HOST_DEVICE constexpr int bytes_of(SampleType type) {
  return type == SampleType::u8 ? 1 : type == SampleType::f32 ? 4 : 2;
}
HOST_DEVICE constexpr bool is_integer(SampleType type) {
  return type == SampleType::u8 || type == SampleType::u16;
}
/// The number of codes of an integer type.
constexpr int code_count(SampleType type) { return type == SampleType::u8 ? 256 : 65536; }
/// The largest number that a sample of a type can be: 1 of integers.
HOST_DEVICE constexpr float largest_of(SampleType type) {
  return is_integer(type) ? 1.0f : type == SampleType::f16 ? 65504.0f : 0x1.fffffep127f;
}

/// How a pixel is stored: interleaved samples, gray or RGB, alpha last and never premultiplied.
struct Format {
  SampleType type = SampleType::u8;
  bool color = true;  ///< three colors, else one gray
  bool alpha = false;

  HOST_DEVICE constexpr int colors() const { return color ? 3 : 1; }
  HOST_DEVICE constexpr int channels() const { return colors() + (alpha ? 1 : 0); }
  HOST_DEVICE constexpr int bytes_per_pixel() const { return channels() * bytes_of(type); }
  friend bool operator==(const Format&, const Format&) = default;
};

/// The smallest and the largest float whose bits index the buckets of an encoding curve.
inline constexpr float encode_low = 0x1p-24f, encode_high = 1.0f;
/// Buckets for a float of [encode_low, encode_high): its exponent and the first 10 mantissa bits.
inline constexpr int encode_shift = 13;
inline constexpr int encode_buckets = 24 << 10;

/// One color's curve between integer codes and working values. Tables only: whoever knows the
/// curve (babl for GIMP) fills them, so that every space and every tone curve is served alike.
struct Curve {
  std::vector<float> values;      ///< the working value of each code, rising
  std::vector<float> thresholds;  ///< [c] is where code c ends and c + 1 begins: code_count - 1
  std::vector<std::uint16_t> buckets;  ///< the first code of each bucket, and one more for the end

  /// `value_of(t)` gives the working value of the encoded value t in [0, 1]; it must rise.
  template <class F>
  Curve(SampleType type, F&& value_of)
      : values(code_count(type)), thresholds(code_count(type) - 1) {
    const double top = code_count(type) - 1;
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = value_of(static_cast<double>(i) / top);
    for (std::size_t i = 0; i < thresholds.size(); ++i)
      thresholds[i] = value_of((static_cast<double>(i) + 0.5) / top);
    fill_buckets();
  }
  /// From tables that somebody else evaluated.
  Curve(std::vector<float> values, std::vector<float> thresholds);

  /// The formula that the values follow, from codes as shares of the highest one, or none.
  Transfer formula{};
  /// How far the formula is from the thresholds, in codes.
  double deviation = 0.0;
  /// Notes that the curve follows a formula, unless it is far from that.
  void follow(const Transfer& transfer);

 private:
  void fill_buckets();
};

/// The code nearest to `value` on a curve, in code units; NaN gives 0. `thresholds` and `buckets`
/// are those of the Curve, on whichever side this runs.
HOST_DEVICE inline int encode(float value, const float* thresholds, const std::uint16_t* buckets,
                              int top_code) {
  int code = 0;
  if (value >= encode_low) {
    if (value >= encode_high) {
      code = buckets[encode_buckets];
    } else {
      constexpr std::uint32_t first = std::uint32_t{127 - 24} << 23;
      code = buckets[(exact::bits_of(value) - first) >> encode_shift];
    }
  }
  while (code < top_code && value >= thresholds[code]) ++code;
  return code;
}

/// How the codes of an image relate to working values. Without curves, a code c means
/// c / (code_count - 1); floats mean what `transfer` makes of them.
struct Encoding {
  Format format;
  std::shared_ptr<const Curve> curves[3];  ///< all three or none; gray uses the first
  Transfer transfer{};                     ///< of floats
};

}  // namespace cuda_filters
