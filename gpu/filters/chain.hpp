// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <string>

#include "gpu/core/chain.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Filters that run one after the other.
struct Chain {
  struct Params {
    std::string steps;
  };

  static constexpr FilterInfo info{
      .name = "chain",
      .label = N_("_Chain of Filters (CUDA)…"),
      .title = N_("Chain of Filters"),
      .blurb = N_("Run several filters one after the other, in one go"),
      .help =
          N_("The steps are written as name key=value … | name key=value …, with the names of "
             "the filters and their parameters. From step to step the picture stays on the "
             "device, in 32-bit floating point, and is not rounded. A step whose name begins with "
             "# is left out."),
      .category = Category::generic};

  static constexpr std::array params{
      param<&Params::steps>(
          {.name = "steps",
           .label = N_("S_teps"),
           .blurb = N_("Such as: gaussian-blur std-dev-x=2 std-dev-y=2 | canny low-threshold=40"),
           .text_format = TextFormat::steps}),
  };

  static void check(const Params& p) { (void)steps(p); }

  static Plan plan(const Params& p) { return plan_of_chain(steps(p)); }

  static std::vector<Job> steps(const Params& p) { return parse_chain(p.steps); }
};
static_assert(Filter<Chain>);

}  // namespace cuda_filters
