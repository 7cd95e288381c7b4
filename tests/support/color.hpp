// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "tests/support/memory_image.hpp"

/// Images of the kinds that GIMP has, made without GIMP.
namespace cuda_filters::test {

inline double srgb_to_linear(double v) {
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}
inline double linear_to_srgb(double v) {
  return v <= 0.0031308 ? v * 12.92 : 1.055 * std::pow(v, 1.0 / 2.4) - 0.055;
}

inline Encoding curved(Format format, Transfer transfer, double (*value_of)(double)) {
  Encoding encoding{format, {}};
  if (!is_integer(format.type)) {
    encoding.transfer = transfer;
    return encoding;
  }
  // Made once: it takes long for what many tests do many times.
  static std::mutex mutex;
  static std::map<std::pair<SampleType, double (*)(double)>, std::shared_ptr<const Curve>> curves;
  const std::lock_guard lock{mutex};
  std::shared_ptr<const Curve>& known = curves[{format.type, value_of}];
  if (known == nullptr) {
    const auto curve = std::make_shared<Curve>(
        format.type, [=](double t) { return static_cast<float>(value_of(t)); });
    curve->follow(transfer);
    known = curve;
  }
  for (auto& each : encoding.curves) each = known;
  return encoding;
}

/// Stored numbers are sRGB-encoded.
inline MemoryImage srgb_image(int width, int height, Format format) {
  constexpr Transfer decode{Transfer::Kind::srgb_to_linear};
  MemoryImage image{width, height, curved(format, decode, srgb_to_linear), Encoding{format, {}}};
  image.to_linear = decode;
  return image;
}
/// Stored numbers are linear.
inline MemoryImage linear_image(int width, int height, Format format) {
  constexpr Transfer encode{Transfer::Kind::linear_to_srgb};
  MemoryImage image{width, height, Encoding{format, {}}, curved(format, encode, linear_to_srgb)};
  image.to_perceptual = encode;
  return image;
}

}  // namespace cuda_filters::test
