// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The texts of chains, with everything that a step may say: what is read is written as a text that
// reads as the same, and the jobs of it can be planned.
#include "gpu/core/chain.hpp"

#include "tests/fuzz/fuzz.hpp"

namespace cuda_filters {
namespace {

bool same(const std::vector<ChainStep>& a, const std::vector<ChainStep>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].filter != b[i].filter || a[i].values != b[i].values || a[i].enabled != b[i].enabled ||
        a[i].aux_layer != b[i].aux_layer)
      return false;
  return true;
}

}  // namespace
}  // namespace cuda_filters

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cuda_filters;
  const std::string text{fuzz::text_of(data, size)};
  std::vector<ChainStep> steps;
  if (!fuzz::accepted(text, [&] { steps = parse_steps(text); })) return 0;
  fuzz::require(same(parse_steps(steps_text(steps)), steps), "the same steps again");
  fuzz::accepted(text, [&] { plan_of_chain(parse_chain(text)); });
  return 0;
}
