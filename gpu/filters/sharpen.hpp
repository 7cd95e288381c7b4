// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/algorithms/gaussian/sharpen.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Sharpens with a matrix of 3 × 3, in displayed values.
struct SharpenFilter {
  struct Params {
    double amount;
    Border border;
  };

  static constexpr FilterInfo info{
      .name = "sharpen",
      .label = N_("_Sharpen (CUDA)…"),
      .title = N_("Sharpen"),
      .blurb = N_("Make the finest details crisper"),
      .help = N_("Every pixel moves away from the average of its eight neighbors, of which those "
                 "beside it count four times as much as those at its corners: with the amount 1, "
                 "the matrix -1 -4 -1, -4 26 -4, -1 -4 -1, divided by 6. Alpha stays as it is, "
                 "and transparent neighbors do not count."),
      .category = Category::enhance};

  static constexpr std::array params{
      param<&Params::amount>({.name = "amount",
                              .label = N_("_Amount"),
                              .blurb = N_("How strongly the picture is sharpened"),
                              .range = {0.0, 10.0},
                              .slider = {0.0, 3.0},
                              .initial = 1.0}),
      border_param<&Params::border>(),
  };

  static Plan plan(const Params& p) {
    return {.trc = Trc::perceptual,
            .alpha = Alpha::premultiplied,
            .border = p.border,
            .identity = p.amount == 0.0};
  }

  struct AwayFromNeighbors {
    static constexpr bool by_channel = true;
    Sharpen sharpen;
    HOST_DEVICE Pixel operator()(const Pixel (&n)[3][3]) const {
      const Pixel corners = (n[0][0] + n[0][2]) + (n[2][0] + n[2][2]);
      const Pixel sides = (n[0][1] + n[2][1]) + (n[1][0] + n[1][2]);
      return sharpen(n[1][1], (corners + sides * 4.0f) * (1.0f / 20.0f));
    }
  };

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    // The matrix is the identity plus 20/6 of the difference from the neighbors' mean.
    exec.stencil3(in, out, AwayFromNeighbors{{static_cast<float>(p.amount * 20.0 / 6.0), 0.0f}});
  }
};
static_assert(Filter<SharpenFilter>);

}  // namespace cuda_filters
