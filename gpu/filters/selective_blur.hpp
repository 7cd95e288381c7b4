// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <tuple>
#include <vector>

#include "gpu/core/filter.hpp"
#include "gpu/core/lanes.hpp"

namespace cuda_filters {

/// The selective Gaussian blur of gegl:gaussian-blur-selective: of encoded values, each channel
/// from those around it that differ little from it. The bell's variance is the radius.
struct SelectiveBlur {
  struct Params {
    double blur_radius, max_delta;
  };

  static constexpr FilterInfo info{
      .name = "selective-blur",
      .label = N_("_Selective Gaussian Blur (CUDA)…"),
      .title = N_("Selective Gaussian Blur"),
      .blurb = N_("Blur what differs little, and keep what differs more"),
      .help = N_("Every value becomes the mean of those around it that differ from it by no more "
                 "than the largest difference, weighed by a Gaussian bell and by their opacity. "
                 "Alpha stays as it is. With a guide, the differences are those of its colors. "
                 "The picture is that of GIMP's own filter of that name, which is Thom van Os's."),
      .category = Category::blur};

  static constexpr std::array params{
      param<&Params::blur_radius>({.name = "blur-radius",
                                   .label = N_("_Blur radius"),
                                   .blurb = N_("How far the blur reaches; the standard deviation "
                                               "of the bell is its square root"),
                                   .range = {1.0, 1000.0},
                                   .slider = {1.0, 100.0},
                                   .initial = 5.0,
                                   .unit = Unit::pixels}),
      param<&Params::max_delta>({.name = "max-delta",
                                 .label = N_("_Max. delta"),
                                 .blurb = N_("What differs by more than this takes no part"),
                                 .initial = 0.2}),
  };
  static constexpr AuxParam aux{N_("_Guide"), N_("The layer whose differences count, or none: the "
                                                 "picture's own")};

  static constexpr std::array presets{
      Preset{N_("Noise"), "blur-radius=4 max-delta=0.1"},
      Preset{N_("Portrait"), "blur-radius=10 max-delta=0.08"},
      Preset{N_("Smooth surfaces"), "blur-radius=40 max-delta=0.15"},
  };

  static Plan plan(const Params& p, bool with_aux = false) {
    return {.trc = Trc::perceptual,
            .alpha = Alpha::passthrough,
            .identity = p.max_delta == 0.0 && !with_aux};
  }

  /// How far from the pixel, along both axes, the weights are not too small to matter. Beyond, all
  /// of them together are below 1e-3 of one pixel's of the least alpha of 8 bits.
  static double reach_of(const Params& p) {
    const double max_left_out = 1e-3 / 2.0 / 255.0, sum = 2.0 * std::numbers::pi * p.blur_radius;
    return std::min(std::floor(p.blur_radius),
                    std::ceil(std::sqrt(2.0 * p.blur_radius * std::log(sum / max_left_out))));
  }

  /// By what the weights of a pixel's neighbors fall.
  struct Bell {
    const float* weights;  ///< of a distance along one axis
    const int* columns;    ///< how far each row reaches
    int rows;
    float max_delta;

    /// The mean around a pixel; `guide` says what differs.
    template <class Around, class Guide>
    HOST_DEVICE Pixel mean(const Around& around, const Guide& guide) const {
      const Lanes own = lanes_of(guide(0, 0));
      Lanes sum{}, weight{};
      for (int dy = -rows; dy <= rows; ++dy) {
        const int distance = dy < 0 ? -dy : dy, end = columns[distance];
        Lanes row_sum{}, row_weight{};
        const auto add = [&](int dx, float of_column) {
          const Pixel& p = around(dx, dy);
          const Lanes away = distances(own, lanes_of(guide(dx, dy)));
          const Lanes w = splat(of_column * p.a);
          add_unless_above(row_weight, w, away, max_delta);
          add_unless_above(row_sum, product(w, lanes_of(p)), away, max_delta);
        };
        add(0, weights[0]);
        for (int dx = 1; dx <= end; ++dx) {
          const float of_column = weights[dx];
          add(-dx, of_column);
          add(dx, of_column);
        }
        sum = sum + row_sum * weights[distance];
        weight = weight + row_weight * weights[distance];
      }
      const Pixel was = around(0, 0), s = pixel_of(sum), w = pixel_of(weight);
      return {w.r != 0.0f ? quotient(s.r, w.r) : was.r, w.g != 0.0f ? quotient(s.g, w.g) : was.g,
              w.b != 0.0f ? quotient(s.b, w.b) : was.b, was.a};
    }
  };
  /// Of a picture alone, whose channels know nothing of each other, …
  struct Alone : Bell {
    static constexpr bool by_channel = true;
    template <class Around>
    HOST_DEVICE Pixel operator()(const Around& around) const {
      return this->mean(around, around);
    }
  };
  /// … or of a picture and its guide.
  struct Guided : Bell {
    template <class Around, class Guide>
    HOST_DEVICE Pixel operator()(const Around& around, const Guide& guide) const {
      return this->mean(around, guide);
    }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Input* guide, const typename Exec::Output& out) {
    const double reach = reach_of(p);
    const int rows = static_cast<int>(reach);
    std::vector<float> of_distance;
    std::vector<int> of_row;
    double samples = 0.0;
    for (int d = 0; d <= rows; ++d) {
      of_distance.push_back(static_cast<float>(std::exp(-0.5 * d * d / p.blur_radius)));
      // The whole square, if that is all of it, else a disc.
      of_row.push_back(reach == std::floor(p.blur_radius)
                           ? rows
                           : static_cast<int>(std::sqrt(reach * reach - d * d)));
      samples += (2.0 * of_row.back() + 1.0) * (d == 0 ? 1.0 : 2.0);
    }
    const auto weights = exec.upload(of_distance);
    const auto columns = exec.upload(of_row);
    // GEGL compares floats with a double: the largest float that is not above.
    auto max_delta = static_cast<float>(p.max_delta);
    if (max_delta > p.max_delta) max_delta = std::nextafter(max_delta, 0.0f);
    const Bell bell{weights.data(), columns.data(), rows, max_delta};
    const double cost = 10.0 + 1.5 * samples;
    if (guide != nullptr)
      exec.neighborhood(std::tie(in, *guide), out, {rows, rows}, cost, Guided{bell});
    else
      exec.neighborhood(in, out, {rows, rows}, cost, Alone{bell});
  }
};
static_assert(Aided<SelectiveBlur>);

}  // namespace cuda_filters
