// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <string>

#include "gpu/algorithms/convolution/convolve.hpp"
#include "gpu/algorithms/convolution/matrix.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Any weighted sum of a pixel's neighbors: correlation with a matrix, not flipped.
struct ConvolutionMatrix {
  struct Params {
    std::string matrix;
    double divisor, offset;
    bool normalize, alpha_weighting;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "convolution-matrix",
      .label = N_("Con_volution Matrix (CUDA)…"),
      .title = N_("Convolution Matrix"),
      .blurb = N_("Weigh every pixel with its neighbors by numbers of your own"),
      .help = N_("Every pixel becomes the sum of its neighbors times the numbers of the matrix, "
                 "divided by the divisor, plus the offset. With alpha weighting, transparent "
                 "neighbors do not count, and alpha is averaged by the size of the numbers."),
      .category = Category::generic};

  static constexpr std::array params{
      param<&Params::matrix>(
          {.name = "matrix",
           .label = N_("_Matrix"),
           .blurb = N_("Rows split by semicolons or line breaks, numbers split by commas or "
                       "blanks, up to 127 by 127"),
           .initial_text = "0,0,0;0,1,0;0,0,0",
           .text_format = TextFormat::matrix}),
      param<&Params::divisor>({.name = "divisor",
                               .label = N_("_Divisor"),
                               .blurb = N_("What the sum is divided by"),
                               .range = {-1e6, 1e6},
                               .slider = {-100.0, 100.0},
                               .initial = 1.0,
                               .applies_if = is("normalize", false)}),
      param<&Params::offset>({.name = "offset",
                              .label = N_("O_ffset"),
                              .blurb = N_("What is added to the result: 1 turns black to white"),
                              .range = {-1.0, 1.0}}),
      param<&Params::normalize>({.name = "normalize",
                                 .label = N_("_Normalize"),
                                 .blurb = N_("Divide by the sum of the matrix instead, so that "
                                             "the brightness stays")}),
      param<&Params::alpha_weighting>(
          {.name = "alpha-weighting",
           .label = N_("Alpha _weighting"),
           .blurb = N_("Count neighbors by their opacity"),
           .initial = 1.0,
           .applies_if = either(has_alpha_channel, is("border", Border::transparent))}),
      border_param<&Params::border>(),
  };

  static constexpr std::array presets{
      Preset{N_("Identity"), "matrix=0,0,0;0,1,0;0,0,0"},
      Preset{N_("Blur"), "matrix=1,2,1;2,4,2;1,2,1 normalize=yes"},
      Preset{N_("Sharpen"), "matrix=0,-1,0;-1,5,-1;0,-1,0"},
      Preset{N_("Sharpen evenly"), "matrix=-1,-4,-1;-4,26,-4;-1,-4,-1 divisor=6"},
      Preset{N_("Emboss"), "matrix=-2,-1,0;-1,1,1;0,1,2"},
      Preset{N_("Edges"), "matrix=-1,-1,-1;-1,8,-1;-1,-1,-1"},
  };

  /// What the sums are divided by, with that sum of the matrix.
  static double divisor(const Params& p, double sum) {
    if (!p.normalize) return p.divisor;
    return sum == 0.0 ? 1.0 : sum;
  }

  /// The matrix with the divisor worked in.
  static Matrix weights(const Params& p) {
    Matrix matrix = parse_matrix(p.matrix);
    const double by = divisor(p, weight_sum(matrix));
    for (double& value : matrix.values) value /= by;
    return matrix;
  }

  static std::string summary(const Params& p) {
    const double sum = weight_sum(parse_matrix(p.matrix));
    return format_text(tr(N_("Sum of the matrix %g, divided by %g")), sum, divisor(p, sum));
  }

  static void check(const Params& p) {
    if (p.divisor == 0.0 && !p.normalize)
      throw ArgumentError{
          tr(N_("The parameter 'divisor' is 0, and nothing can be divided by 0. Give another "
                "number, or switch 'normalize' on."))};
    parse_matrix(p.matrix);
  }

  static bool is_identity(const Matrix& matrix) {
    for (int y = 0; y < matrix.height; ++y)
      for (int x = 0; x < matrix.width; ++x) {
        const bool middle = x == matrix.radius_x() && y == matrix.radius_y();
        if (matrix.at(x, y) != (middle ? 1.0 : 0.0)) return false;
      }
    return true;
  }

  static Plan plan(const Params& p) {
    return {.trc = Trc::perceptual,
            .alpha = p.alpha_weighting ? Alpha::premultiplied : Alpha::channel,
            .border = p.border,
            .identity = p.offset == 0.0 && is_identity(weights(p))};
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    convolve(exec, in, out, weights(p), static_cast<float>(p.offset));
  }
};
static_assert(Filter<ConvolutionMatrix>);

}  // namespace cuda_filters
