// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gpu/algorithms/convolution/matrix.hpp"
#include "gpu/core/border.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"

/// The deconvolution of Richardson (1972) and Lucy (1974), planned here once for every executor:
/// u ← u · (psf* ∗ (c / (psf ∗ u))), where c is the picture, psf* the point spread function turned
/// by 180 degrees, and u is ½ everywhere at first.
namespace cuda_filters::deconvolution {

enum class Kind { gaussian, disc, motion, matrix };

/// What a point becomes, the sum of which is 1.
struct Psf {
  double sigma = 0.0;  ///< of a Gaussian; 0: the weights are those of the matrix
  Matrix matrix{};     ///< from 0 to 1, of which the largest is 1; its frame is not 0 everywhere

  /// A Gaussian of the standard deviation `size`, a disc of that radius with a smooth edge, a line
  /// of that length as motion_blur() has it, at `angle` degrees, counter-clockwise, or the matrix
  /// of a text. Throws ArgumentError if that has a negative number, or none above 0.
  static Psf make(Kind kind, double size, double angle, const std::string& matrix);

  /// How far from a pixel a convolution looks.
  Halo reach() const;
  /// Whether a point stays as it is.
  bool is_point() const { return sigma == 0.0 && matrix.width * matrix.height == 1; }
  /// About how many terms a convolution sums up, where weights of 1 side by side are few.
  double terms() const;
  /// About how long it takes, as Plan::cost.
  double cost() const;
  /// The weights of the mean that convolves, of a pixel's neighbors, from 0 to 1; those of psf* if
  /// it is `turned`. Not of a Gaussian.
  Matrix neighbors(bool turned) const;
  /// The same divided by their sum.
  Matrix weights(bool turned) const;
};

/// The weights along both axes of a function that is their product.
struct AxisFactors {
  std::vector<float> across{}, down{};  ///< none, if it is no such product
  explicit operator bool() const { return !across.empty(); }
};
/// Of Psf::weights(), also of a Gaussian, however large.
AxisFactors factors_of(const Psf& psf, bool turned);

struct DeconvolutionSettings {
  Psf psf;
  int iterations;
  double damping;  ///< White's threshold T: what differs by less than about T · √value is damped
  Border border;   ///< how u and the quotients go on beyond the image, in each convolution

  /// How far from a pixel the result looks, in an image of that size: no farther than all of it.
  Halo reach(Size image) const {
    const Halo each = psf.reach();
    const auto along = [&](int of_each, int size) {
      if (of_each == 0) return 0;
      return border == Border::wrap ? size : std::min((2 * iterations - 1) * of_each, size);
    };
    return {along(each.x, image.width), along(each.y, image.height)};
  }
  /// What a GPU keeps meanwhile: u and the quotients, the picture and the sums.
  std::vector<TemporaryPlan> pictures(Size image) const {
    const Halo halo = reach(image), each = psf.reach();
    const TemporaryPlan seen{.halo = halo, .in_image = true},
        all{.halo = {halo.x + each.x, halo.y + each.y}, .in_image = true};
    return {all, all, seen, seen};
  }
};

/// The parts of an image that the steps are computed for.
struct Areas {
  Rect image, wanted;
  Halo each;  ///< how far a convolution looks
  bool wraps;

  Areas(Rect of_image, Rect of_result, const DeconvolutionSettings& settings)
      : image{of_image},
        wanted{of_result},
        each{settings.psf.reach()},
        wraps{settings.border == Border::wrap} {}

  /// What so many convolutions look at, without what they see beyond the ends of the image: that is
  /// in it, too, because a border goes on with what is no farther from the end. Where it goes on at
  /// the other end, this is the whole image.
  Rect before(int convolutions) const {
    const IndexRange x = along(wanted.columns(), convolutions * each.x, image.width),
                     y = along(wanted.rows(), convolutions * each.y, image.height);
    return {x.begin, y.begin, x.size(), y.size()};
  }

 private:
  IndexRange along(IndexRange range, int reach, int size) const {
    if (wraps && reach > 0) return {0, size};
    return {std::max(range.begin - reach, 0), std::min(range.end + reach, size)};
  }
};

/// What u is at first.
inline constexpr float initial = 0.5f;
/// Light below that is none: what is multiplied again and again would become denormal numbers.
inline constexpr float least_light = 0x1p-90f;

/// The arithmetic at a pixel, which all executors share.
struct Update {
  float inverse;  ///< 2 / T² of the threshold T, or 0: nothing is damped

  explicit Update(double damping)
      : inverse{damping > 0.0 ? static_cast<float>(std::min(2.0 / (damping * damping), 0x1p127))
                              : 0.0f} {}

  /// c / (psf ∗ u), of c and psf ∗ u: 0 where there is no light. What is negative is none, which
  /// keeps u from becoming negative.
  HOST_DEVICE static float plain_quotient(float picture, float model) {
    return model == 0.0f ? 0.0f : quotient(picture < 0.0f ? 0.0f : picture, model);
  }
  HOST_DEVICE float damped_quotient(float picture, float model) const {
    const float plain = plain_quotient(picture, model);
    if (model == 0.0f) return plain;
    const float deviance = deviance_of(picture < 0.0f ? 0.0f : picture, model) * inverse;
    const float u = deviance > 1.0f ? 1.0f : deviance;
    // U^9 · (10 - 9 U), White's with N = 10: 1 where the model is off, 0 where it is near.
    const float square = u * u, fourth = square * square;
    return 1.0f + fourth * fourth * u * (10.0f - 9.0f * u) * (plain - 1.0f);
  }
  HOST_DEVICE Pixel quotients(Pixel picture, Pixel model) const {
    if (inverse == 0.0f)
      return {plain_quotient(picture.r, model.r), plain_quotient(picture.g, model.g),
              plain_quotient(picture.b, model.b), plain_quotient(picture.a, model.a)};
    return {damped_quotient(picture.r, model.r), damped_quotient(picture.g, model.g),
            damped_quotient(picture.b, model.b), damped_quotient(picture.a, model.a)};
  }

  /// u · (psf* ∗ the quotients).
  HOST_DEVICE static float product(float light, float correction) {
    const float next = light * correction;
    return next < least_light ? 0.0f : next;
  }
  HOST_DEVICE static Pixel products(Pixel light, Pixel correction) {
    return {product(light.r, correction.r), product(light.g, correction.g),
            product(light.b, correction.b), product(light.a, correction.a)};
  }

 private:
  /// D · ln(D / I) - D + I, of D and I of at least 0, without loss where they are near.
  HOST_DEVICE static float deviance_of(float d, float i) {
    if (d == 0.0f) return i;
    const float s = (i - d) / (i + d);
    // (The quotient of both may be infinite.)
    if (!(fabsf(s) < 0.2f)) return i - d - d * (logf(i) - logf(d));
    // By ln((1 + s) / (1 - s)) = 2 (s + s³/3 + s⁵/5 + …).
    const float squared = s * s;
    const float rest =
        s * (1.0f / 3.0f + squared * (0.2f + squared * (1.0f / 7.0f + squared / 9.0f)));
    return 2.0f * d * squared * (1.0f / (1.0f - s) - rest);
  }
};

}  // namespace cuda_filters::deconvolution
