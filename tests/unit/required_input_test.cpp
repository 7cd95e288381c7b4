// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/required_input.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace cuda_filters {
namespace {

constexpr Size image{100, 80};
constexpr Rect all{0, 0, 100, 80};

ResolvedJob job_of(Plan plan) { return {{find_filter("invert"), nullptr, std::move(plan)}, image}; }

/// Looks at twice as many rows of the input as of the result, and one more.
class Halving final : public FilterEntry {
 public:
  Halving() : FilterEntry{typeid(Halving), {}, {}} {}
  std::shared_ptr<void> make_params() const override { return nullptr; }
  Plan plan(const void*, bool) const override { return {}; }
  bool changes_size() const override { return true; }
  Size resolve_size(const void*, Size in, Plan&) const override {
    return {in.width / 2, in.height / 2};
  }
  IndexRange input_rows(const void*, Size, Size, IndexRange rows) const override {
    return {2 * rows.begin, 2 * rows.end + 1};
  }
};

ResolvedJob halving() {
  static const Halving entry;
  return resolved(make_job(entry, {}), image);
}

TEST(RequiredInput, FollowsHaloBorderAndAnalysis) {
  struct {
    const char* about;
    Plan plan;
    Rect region, wanted;
  } const cases[] = {
      {"single pixels", {}, {10, 20, 30, 40}, {10, 20, 30, 40}},
      {"a halo", {.halo_x = 5, .halo_y = 7}, {10, 20, 30, 40}, {5, 13, 40, 54}},
      {"that ends with the image", {.halo_x = 15, .halo_y = 7}, {10, 20, 85, 40}, {0, 13, 100, 54}},
      {"a mirror takes from within the halo",
       {.border = Border::mirror, .halo_x = 5, .halo_y = 7},
       {0, 0, 1, 80},
       {0, 0, 6, 80}},
      {"so does nothing",
       {.border = Border::transparent, .halo_x = 5, .halo_y = 7},
       {0, 0, 1, 80},
       {0, 0, 6, 80}},
      {"a seamless tile takes the other side",
       {.border = Border::wrap, .halo_x = 5, .halo_y = 7},
       {0, 20, 30, 40},
       {0, 13, 100, 54}},
      {"if it looks there",
       {.border = Border::wrap, .halo_x = 5, .halo_y = 7},
       {10, 20, 30, 40},
       {5, 13, 40, 54}},
      {"statistics are of what is analyzed",
       {.analysis = AnalysisScope::region},
       {10, 20, 30, 40},
       {10, 20, 80, 50}},
      {"or of all", {.analysis = AnalysisScope::image}, {10, 20, 30, 40}, all},
      {"a scan likewise", {.analysis = AnalysisScope::scan}, {10, 20, 30, 40}, all},
  };
  for (const auto& [about, plan, region, wanted] : cases)
    EXPECT_EQ(required_input(job_of(plan), image, region, {60, 30, 30, 40}), wanted) << about;
}

TEST(RequiredInput, IsAllForAStepThatNeedsAll) {
  ResolvedJob chain = job_of({.halo_x = 2, .halo_y = 2});
  EXPECT_EQ(required_input(chain, image, {10, 20, 30, 40}, {}), (Rect{8, 18, 34, 44}));
  chain.steps = {job_of({.analysis = AnalysisScope::region})};
  EXPECT_EQ(required_input(chain, image, {10, 20, 30, 40}, {}), all);
  EXPECT_EQ(affected_output(chain, image, {10, 20, 30, 40}), all);
}

TEST(RequiredInput, OfAnotherSizeIsWholeRows) {
  EXPECT_EQ(padded_input(halving(), image, {5, 10, 20, 4}), (Rect{0, 20, 100, 9}));
  EXPECT_EQ(required_input(halving(), image, {5, 10, 20, 4}, {}), (Rect{0, 20, 100, 9}));
}

TEST(RequiredInput, PaddedReachesOverTheEnds) {
  EXPECT_EQ(padded_input(job_of({.halo_x = 5, .halo_y = 7}), image, {0, 0, 100, 10}),
            (Rect{-5, -7, 110, 24}));
}

TEST(AffectedOutput, IsWhatLooksAtAChange) {
  const Job clamped = job_of({.halo_x = 5, .halo_y = 7});
  EXPECT_EQ(affected_output(clamped, image, {0, 20, 30, 40}), (Rect{-5, 13, 40, 54}));
  const Job wrapped = job_of({.border = Border::wrap, .halo_x = 5, .halo_y = 7});
  EXPECT_EQ(affected_output(wrapped, image, {10, 20, 30, 40}), (Rect{5, 13, 40, 54}));
  EXPECT_EQ(affected_output(wrapped, image, {0, 20, 30, 40}), all);
}

}  // namespace
}  // namespace cuda_filters
