// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cmath>

#include "gpu/core/alpha.hpp"
#include "gpu/core/luminance.hpp"

namespace cuda_filters::aperture {

/// Makes bright light brighter, of premultiplied linear colors: by 1 + amount ·
/// smoothstep(threshold, 1, Y'), where Y' is the luminance of the colors without alpha, encoded as
/// sRGB encodes colors. For a threshold of 1 that is a step, at 1.
class Brighten {
 public:
  Brighten(double amount, double threshold)
      : amount_{static_cast<float>(amount)},
        threshold_{static_cast<float>(threshold)},
        // Where all colors are darker, so is their luminance; with room for rounding.
        dark_{static_cast<float>(
            threshold < 0.05 ? 0.0 : std::pow((threshold + 0.055) / 1.055, 2.4) * 0.9999)} {}

  HOST_DEVICE Pixel operator()(Pixel p) const {
    if (colorless(p.a)) return p;
    const float scale = quotient(1.0f, p.a);
    const Pixel light{p.r * scale, p.g * scale, p.b * scale, p.a};
    if (light.r <= dark_ && light.g <= dark_ && light.b <= dark_) return p;
    const Pixel encoded{of_light(light.r), of_light(light.g), of_light(light.b), p.a};
    const float factor = 1.0f + amount_ * share_of(luminance(encoded));
    return {p.r * factor, p.g * factor, p.b * factor, p.a};
  }

 private:
  /// As IEC 61966-2-1, and exactly 1 for 1.
  HOST_DEVICE static float of_light(float value) {
    if (value <= 0.0031308f) return 12.92f * value;
    return 1.0f + 1.055f * (power(value, 1.0f / 2.4f) - 1.0f);
  }
  HOST_DEVICE float share_of(float luma) const {
    if (luma >= 1.0f - 1e-6f) return 1.0f;  // alpha taken out of white is off by rounding
    if (!(luma > threshold_)) return 0.0f;
    const float x = (luma - threshold_) / (1.0f - threshold_);
    return x * x * (3.0f - 2.0f * x);
  }

  float amount_, threshold_, dark_;
};

}  // namespace cuda_filters::aperture
