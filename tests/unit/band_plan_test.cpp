// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/band_plan.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace cuda_filters {
namespace {

constexpr int any_rows = std::numeric_limits<int>::max();
constexpr std::size_t mebibyte = std::size_t{1} << 20;

BandDevice cpu(std::size_t budget = 192 * mebibyte) { return {.depth = 1, .budget = budget}; }
BandDevice one_gpu(std::size_t budget = 2048 * mebibyte) {
  return {.depth = 4, .budget = budget, .is_gpu = true, .is_one_gpu = true};
}
BandDevice in_place(BandDevice device) {
  device.in_place = true;
  return device;
}

/// The whole of an image with 4 bytes a pixel.
BandNeeds all_of(int width, int height, int halo = 0) {
  return {
      .image = {width, height}, .area = {0, 0, width, height}, .columns = {0, width}, .halo = halo};
}
BandNeeds analyzed(BandNeeds needs, AnalysisScope analysis) {
  needs.analysis = analysis;
  return needs;
}
BandNeeds heavy(BandNeeds needs) {
  needs.outlasts_copies = true;
  return needs;
}
BandNeeds resized(BandNeeds needs, int input_rows_a_row) {
  needs.max_input_rows = [=](int rows) { return rows * input_rows_a_row + 2; };
  return needs;
}

TEST(BandPlan, FollowsFromSizeHaloAndBudget) {
  struct {
    const char* about;
    BandNeeds needs;
    BandDevice device;
    int max_rows;
    int rows, bands, slots;
    bool whole_tiles, keeps_all;
  } const cases[] = {
      {"single pixels on the CPU", all_of(4000, 3000), cpu(), any_rows, 512, 2, 1024, false, false},
      {"a small halo costs its rows and a tile", all_of(4000, 3000, 20), cpu(), any_rows,  //
       512, 2, 2 * 512 + 2 * 20 + 128, true, false},
      {"a band is eight halos high", all_of(4000, 3000, 100), cpu(), any_rows,  //
       768, 2, 2 * 768 + 2 * 100 + 128, true, false},
      {"a store has no more rows than the image", all_of(4000, 700, 20), cpu(), any_rows,  //
       512, 2, 700, true, true},
      {"a band is a tile high where memory is short", all_of(4000, 3000, 100), cpu(mebibyte),
       any_rows, 128, 2, 2 * 128 + 2 * 100, false, false},
      {"half as many rows as before, when memory ran out", all_of(4000, 3000, 20), cpu(), 64,  //
       64, 2, 2 * 64 + 2 * 20, false, false},
      {"a GPU begins with 6 MiB, and all is read before", all_of(4000, 3000), one_gpu(), any_rows,
       384, 5, 3000, false, true},
      {"but not if that is too much", all_of(20000, 30000), one_gpu(), any_rows,  //
       128, 5, 640, false, false},
      {"nor after memory ran out", all_of(4000, 3000), one_gpu(), 64, 64, 5, 320, false, false},
      {"one GPU has time for halos", all_of(4000, 3000, 200), one_gpu(), any_rows,  //
       384, 5, 3000, true, true},
      {"unless it outlasts the copies", heavy(all_of(4000, 3000, 200)), one_gpu(), any_rows,  //
       1536, 5, 3000, true, true},
      {"without copies on the host, a sixth", heavy(all_of(4000, 12000, 100)), in_place(one_gpu()),
       any_rows, 1920, 5, 12000, true, true},
      {"of one band no analysis is made", analyzed(all_of(4000, 3000, 2), AnalysisScope::image),
       one_gpu(), any_rows, 3000, 5, 3000, true, true},
      {"the CPU analyzes bands", analyzed(all_of(4000, 3000, 2), AnalysisScope::image), cpu(),
       any_rows,  //
       512, 2, 3000, true, true},
      {"what is read again stays, up to twice the budget",
       analyzed(all_of(4000, 3000), AnalysisScope::region), cpu(24 * mebibyte), any_rows,  //
       384, 2, 3000, false, true},
      {"and goes where it is more", analyzed(all_of(4000, 3000), AnalysisScope::region),
       cpu(22 * mebibyte), any_rows, 256, 2, 512, false, false},
      {"a scan is read once", analyzed(all_of(4000, 3000), AnalysisScope::scan), cpu(),
       any_rows,  //
       512, 2, 1024, false, false},
      {"a smaller result's bands", resized(all_of(1000, 1000), 3), cpu(), any_rows,  //
       512, 2, 3 * 1024 + 2, false, false},
      {"are as high as their input fits", resized(all_of(1000, 1000), 3), cpu(4 * mebibyte),
       any_rows, 128, 2, 3 * 256 + 2, false, false},
      {"one row at least", resized(all_of(1000, 1000), 3), cpu(1), any_rows,  //
       1, 2, 3 * 2 + 2, false, false},
  };
  for (const auto& [about, needs, device, max_rows, rows, bands, slots, whole_tiles, keeps_all] :
       cases) {
    SCOPED_TRACE(about);
    const BandPlan plan = plan_bands(needs, device, max_rows);
    EXPECT_EQ(plan.columns.begin, needs.columns.begin);
    EXPECT_EQ(plan.columns.end, needs.columns.end);
    EXPECT_EQ(plan.slot_bytes, 4u * needs.columns.size());
    EXPECT_EQ(plan.rows, rows);
    EXPECT_EQ(plan.bands, bands);
    EXPECT_EQ(plan.slots, slots);
    EXPECT_EQ(plan.whole_tiles, whole_tiles);
    EXPECT_EQ(plan.keeps_all, keeps_all);
  }
}

TEST(BandPlan, PinsNoMoreThanHalfAGibibyte) {
  const BandNeeds needs = all_of(4000, 16000);  // 244 MiB: half of what may be pinned
  EXPECT_TRUE(plan_bands(needs, one_gpu(), any_rows).keeps_all);
  const BandNeeds larger = all_of(4000, 17000);
  EXPECT_FALSE(plan_bands(larger, one_gpu(), any_rows).keeps_all);
  EXPECT_TRUE(plan_bands(larger, in_place(one_gpu()), any_rows).keeps_all);
}

/// Otherwise a band that is read ahead would take the place of rows that another one waits for.
TEST(BandPlan, KeepsAllOnlyWithAllOfTheSecondPicture) {
  BandNeeds needs = all_of(4000, 3000, 20);
  ASSERT_TRUE(plan_bands(needs, one_gpu(), any_rows).keeps_all);
  const auto plan_with = [&](AuxNeeds aux) {
    needs.aux = aux;
    return plan_bands(needs, one_gpu(), any_rows);
  };
  const BandPlan small = plan_with({5000, {0, 4000}, 4, {30, 30}});
  EXPECT_TRUE(small.keeps_all);
  EXPECT_EQ(small.aux.slots, 3000 + 2 * 30);
  EXPECT_EQ(plan_with({200, {0, 4000}, 4, {30, 30}}).aux.slots, 200);
  const BandPlan large = plan_with({5000, {0, 40000}, 16, {30, 30}});
  EXPECT_FALSE(large.keeps_all);
  EXPECT_EQ(large.aux.slots, large.bands * large.rows + 2 * 30);
  EXPECT_LT(large.aux.slots, 3000 + 2 * 30);
  EXPECT_EQ(large.slots, 3000);
}

TEST(BandPlan, CountsTheMemoryOfTemporaries) {
  struct {
    const char* about;
    std::vector<TemporaryPlan> temporaries;
    std::size_t floats;
  } const cases[] = {
      {"four floats a pixel, with what is around", {{{3, 5}, 0, 0}}, 4u * (1001 + 6) * (100 + 10)},
      {"one of a channel, in rows of whole pixels", {{{3, 5}, 0, 0, 0, 1}}, 1008u * (100 + 10)},
      {"a fourth of half the size, and a row where a band begins between two",
       {{{1, 2}, 0, 0, 1}},
       4u * (501 + 2) * (50 + 1 + 4)},
      {"a channel of an eighth the size", {{{0, 1}, 0, 0, 3, 1}}, 128u * (13 + 1 + 2)},
      {"those that there are at a time",
       {{{}, 0, 1}, {{}, 1, 2, 0, 1}, {{}, 2, 3, 1}},
       4u * 1001 * 100 + 1004u * 100},
      {"none beyond the ends of the image",
       {{.halo = {3, 5}, .in_image = true}, {.halo = {2000, 5000}, .in_image = true}},
       4u * 1001 * (100 + 10) + 4u * 1001 * 3000},
  };
  for (const auto& [about, temporaries, floats] : cases) {
    SCOPED_TRACE(about);
    BandNeeds needs = all_of(1001, 3000);
    needs.temporaries = temporaries;
    EXPECT_EQ(needs.temporary_bytes(100), sizeof(float) * floats);
  }
}

std::vector<int> ends(const BandPlan& plan, Rect area) {
  std::vector<int> found;
  for (int row = area.y; row < area.bottom(); found.push_back(row)) row = plan.end_of(row, area);
  return found;
}

TEST(BandPlan, HasBandsNotMuchShorterThanWhatIsAroundThem) {
  BandNeeds needs = all_of(1001, 3000);
  needs.halo = 126;
  needs.temporaries = {{{126, 126}, 0, 0}};
  BandDevice device = one_gpu();
  device.budget = 1;
  EXPECT_EQ(plan_bands(needs, device, 3000).rows, 31);
  // Fewer where memory has run out before.
  EXPECT_EQ(plan_bands(needs, device, 10).rows, 10);
  needs.halo = 2;
  EXPECT_EQ(plan_bands(needs, device, 3000).rows, 1);
}

TEST(BandPlan, ShortensBandsForPicturesInTheImageWhileThatPays) {
  // Four of them: 64 bytes for each of 1000 pixels of a band's rows and of those around it.
  const auto needs_of = [](int halo) {
    BandNeeds needs = heavy(all_of(1000, 8000, halo));
    needs.temporaries.assign(4, {.halo = {halo, halo}, .in_image = true});
    return needs;
  };
  const auto rows_of = [&](int halo, std::size_t mebibytes) {
    return plan_bands(needs_of(halo), one_gpu(mebibytes * mebibyte), any_rows).rows;
  };
  const auto rows_without = [&](int halo, std::size_t mebibytes) {
    return plan_bands(heavy(all_of(1000, 8000, halo)), one_gpu(mebibytes * mebibyte), any_rows)
        .rows;
  };
  EXPECT_EQ(rows_of(100, 2048), rows_without(100, 2048));
  EXPECT_EQ(rows_of(1000, 64), rows_without(1000, 64));
  // Two at once may have eight times the budget.
  EXPECT_EQ(rows_without(1000, 40), 1024);
  EXPECT_EQ(rows_of(1000, 40), 512);
  EXPECT_EQ(rows_without(1000, 20), 512);
  EXPECT_EQ(rows_of(1000, 20), 128) << "a fourth of what is around it, in whole tiles";
  // Each band needs the whole image, or nearly so.
  EXPECT_EQ(rows_of(8000, 20), rows_without(8000, 20));
  EXPECT_EQ(rows_of(2000, 20), rows_without(2000, 20));
  // The host has memory for all.
  EXPECT_EQ(plan_bands(needs_of(500), cpu(), any_rows).rows,
            plan_bands(heavy(all_of(1000, 8000, 500)), cpu(), any_rows).rows);
}

TEST(BandPlan, LeavesBandsLongWhereWhatIsAroundThemIsCostly) {
  const auto rows_of = [](bool costly, const BandDevice& device) {
    BandNeeds needs = heavy(all_of(1000, 8000, 500));
    needs.temporaries.assign(4, {.halo = {500, 500}, .costly = costly});
    return plan_bands(needs, device, any_rows).rows;
  };
  const int without = plan_bands(heavy(all_of(1000, 8000, 500)), cpu(), any_rows).rows;
  EXPECT_LT(rows_of(false, cpu(80 * mebibyte)), without);
  EXPECT_EQ(rows_of(true, cpu(80 * mebibyte)), without);
  EXPECT_EQ(rows_of(true, cpu(64 * mebibyte)), 1920) << "half, in whole tiles";
  EXPECT_EQ(rows_of(true, cpu(16 * mebibyte)), 384) << "what is around it, in whole tiles";
  EXPECT_EQ(rows_of(false, cpu(16 * mebibyte)), 125) << "a fourth of it";
  EXPECT_GE(rows_of(true, one_gpu(64 * mebibyte)), 4 * rows_of(false, one_gpu(64 * mebibyte)));
}

TEST(BandPlan, EndsBandsWithTiles) {
  const Rect area{0, 100, 10, 1000};
  EXPECT_EQ(ends({.rows = 256, .bands = 2}, area), (std::vector{256, 512, 768, 1024, 1100}));
  EXPECT_EQ(ends({.rows = 100, .bands = 2}, {0, 5, 10, 250}), (std::vector{105, 205, 255}));
}

TEST(BandPlan, BeginsAndEndsWithShortBandsWhereSeveralAreUnderWay) {
  EXPECT_EQ(ends({.rows = 256, .bands = 3}, {0, 0, 10, 1024}),
            (std::vector{128, 384, 640, 896, 1024}));
  EXPECT_EQ(ends({.rows = 256, .bands = 3}, {0, 0, 10, 200}), (std::vector{200}));
}

TEST(BandPlan, FindsTheBandOfARow) {
  const BandPlan plan{.rows = 256, .bands = 2};
  const Rect area{0, 100, 10, 1000};
  EXPECT_EQ(plan.begin_of(100, area), 100);
  EXPECT_EQ(plan.begin_of(255, area), 100);
  EXPECT_EQ(plan.begin_of(256, area), 256);
  EXPECT_EQ(plan.begin_of(1099, area), 1024);
}

TEST(BandPlan, ReadsTheRestOfATile) {
  BandPlan plan{.whole_tiles = true};
  const auto end_of_read = [&](int end, int last) { return plan.read_with({10, end}, last).end; };
  EXPECT_EQ(end_of_read(130, 1000), 256);
  EXPECT_EQ(end_of_read(256, 1000), 256);
  EXPECT_EQ(end_of_read(130, 200), 200);
  EXPECT_EQ(end_of_read(300, 200), 300);
  plan.whole_tiles = false;
  EXPECT_EQ(end_of_read(130, 1000), 130);
}

}  // namespace
}  // namespace cuda_filters
