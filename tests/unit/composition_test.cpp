// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Filters that put primitives together: what the engine works out of them, and what they compute.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "gpu/core/band_plan.hpp"
#include "gpu/core/run_on.hpp"
#include "gpu/cpu/exec.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/entry.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

constexpr Format floats{SampleType::f32, true, true}, bytes{SampleType::u8, true, true};

/// What the filters of these tests have in common.
template <Alpha alpha, Border border>
struct TestFilter {
  struct Params {};
  static constexpr FilterInfo info{"test", "", "", "", "", ""};
  static constexpr std::array<Param, 0> params{};
  static Plan plan(const Params&) { return {.trc = Trc::native, .alpha = alpha, .border = border}; }
};

template <class F>
MemoryImage run_filter(MemoryImage in, Rect region, bool cramped = false) {
  auto backend = make_cpu_backend();
  if (cramped) backend = std::make_unique<test::Cramped>(std::move(backend));
  MemoryImage out = in;
  Observer observer;
  run_on(std::move(backend), nullptr, make_job(test::entry_of<F>(), {}), in, out, region, observer);
  return out;
}
template <class F>
MemoryImage run_filter(const MemoryImage& in) {
  return run_filter<F>(in, {0, 0, in.width(), in.height()});
}

/// Two box blurs, one of the other's result.
template <Alpha alpha, Border border>
struct TwoBoxes : TestFilter<alpha, border> {
  template <class Exec>
  static void apply(Exec& exec, const typename TestFilter<alpha, border>::Params&,
                    const typename Exec::Input& in, const typename Exec::Output& out) {
    const auto first = exec.temporary();
    exec.box(in, first, 2, 3, border);
    exec.box(first, out, 4, 25, border);
  }
};

/// The sum of a pixel, of the box around it, and of a wider box around the median of the first one.
struct Diamond : TestFilter<Alpha::channel, Border::mirror> {
  struct Sum {
    HOST_DEVICE Pixel operator()(Pixel a, Pixel b, Pixel c) const { return a + b + c; }
  };
  template <class Exec>
  static void apply(Exec& exec, const Params&, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const auto box = exec.temporary(), median = exec.temporary(), wide = exec.temporary();
    exec.box(in, box, 1, 2, Border::mirror);
    exec.rank(box, median, rank::Window{rank::Shape::square, 3}, {50.0, 50.0}, Border::mirror);
    exec.box(median, wide, 5, 7, Border::mirror);
    exec.map({in, box, wide}, out, Sum{});
  }
};

TEST(Composition, HalosAddUpAlongTheWay) {
  const Plan boxes = make_job(test::entry_of<TwoBoxes<Alpha::channel, Border::clamp>>(), {}).plan;
  EXPECT_EQ(boxes.halo_x, 2 + 4);
  EXPECT_EQ(boxes.halo_y, 3 + 25);
  EXPECT_EQ(boxes.temporaries, (std::vector{Halo{4, 25}}));

  const Plan diamond = make_job(test::entry_of<Diamond>(), {}).plan;
  EXPECT_EQ(diamond.halo_x, 1 + 3 + 5);
  EXPECT_EQ(diamond.halo_y, 2 + 3 + 7);
  EXPECT_EQ(diamond.temporaries, (std::vector{Halo{3 + 5, 3 + 7}, Halo{5, 7}, Halo{0, 0}}));
  EXPECT_FALSE(diamond.by_channel);
}

TEST(Composition, CostsWhatItsPrimitivesCost) {
  const double box = footprint::box(1, 1).cost;
  EXPECT_EQ(make_job(test::entry_of<TwoBoxes<Alpha::channel, Border::clamp>>(), {}).plan.cost,
            2.0 * box);
}

TEST(Composition, MemoryOfTemporariesIsPlanned) {
  const Job job = make_job(test::entry_of<Diamond>(), {});
  const Encoding encoding{bytes, {}};
  BandNeeds needs = band_needs(job, encoding, {1000, 5000}, {0, 0, 1000, 5000});
  EXPECT_EQ(needs.temporary_bytes(100),
            16u * ((100 + 20) * (1000 + 16) + (100 + 14) * (1000 + 10) + 100 * 1000));
  const std::size_t budget = std::size_t{20} << 20;
  const int rows = plan_bands(needs, {.budget = budget}, 5000).rows;
  EXPECT_LE(needs.temporary_bytes(rows), budget);
  EXPECT_GT(needs.temporary_bytes(2 * rows), budget);
  // A device that computes two bands at once has half of it for each.
  EXPECT_EQ(plan_bands(needs, {.depth = 3, .budget = budget}, 5000).rows, rows / 2);
  EXPECT_EQ(rows % tile_height, 0);
  // Nor is all of an image one band for the sake of its analysis, if there is no room for them.
  needs.analysis = AnalysisScope::image;
  EXPECT_EQ(plan_bands(needs, {.budget = std::size_t{80} << 20, .is_gpu = true}, 5000).rows, 512);
  needs.analysis = AnalysisScope::none;
  needs.temporaries.clear();
  EXPECT_EQ(needs.temporary_bytes(100), 0u);
  EXPECT_GT(plan_bands(needs, {.budget = budget}, 5000).rows, rows);
}

/// Borders that mirror the picture or repeat it do so to each blur's result alike.
template <Alpha alpha>
void expect_one_blur_after_the_other(Format format) {
  const MemoryImage in = test::random_image(83, 61, format, false, 4);
  const FilterEntry& box = *find_filter("box-blur");
  const auto blurred = [&](MemoryImage picture, double x, double y) {
    MemoryImage out = picture;
    Observer observer;
    Job job = make_job(box, std::vector<Value>{x, y, double(Border::mirror)});
    job.plan.trc = Trc::native, job.plan.alpha = alpha;
    run_on(make_cpu_backend(), nullptr, job, picture, out, {0, 0, 83, 61}, observer);
    return out;
  };
  const MemoryImage wanted = blurred(blurred(in, 2, 3), 4, 25);
  const MemoryImage got = run_filter<TwoBoxes<alpha, Border::mirror>>(in);
  EXPECT_LT(test::worst_difference(got, wanted, alpha == Alpha::premultiplied), 1e-5);
}

TEST(Composition, IsOnePrimitiveAfterTheOther) {
  expect_one_blur_after_the_other<Alpha::channel>(floats);
  expect_one_blur_after_the_other<Alpha::premultiplied>(floats);
  expect_one_blur_after_the_other<Alpha::passthrough>(floats);
  expect_one_blur_after_the_other<Alpha::channel>({SampleType::f32, false, false});
}

TEST(Composition, BandsAndRegionsGiveTheBitsOfTheWholeImage) {
  for (const Format& format : {bytes, floats, Format{SampleType::u16, false, true}}) {
    const MemoryImage in = test::random_image(67, 401, format, true, 5);
    MemoryImage whole = run_filter<Diamond>(in);
    EXPECT_EQ(run_filter<Diamond>(in, {0, 0, 67, 401}, true).codes(), whole.codes());
    const Rect region{13, 101, 41, 222};
    MemoryImage wanted = in;
    std::vector<std::byte> piece(whole.row_bytes() * region.height);
    const Encoding encoding = wanted.encoding(Trc::native);
    whole.read(region, encoding, piece.data(), whole.row_bytes());
    wanted.write(region, encoding, piece.data(), whole.row_bytes());
    EXPECT_EQ(run_filter<Diamond>(in, region, true).codes(), wanted.codes());
  }
}

/// Two functions of single samples, of which the second one decides.
struct TwoMaps : TestFilter<Alpha::passthrough, Border::clamp> {
  template <class Exec>
  static void apply(Exec& exec, const Params&, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    exec.map(in, out, PerColor{[](float) { return 0.25f; }});
    exec.map(in, out, PerColor{[](float value) { return 1.0f - value; }});
  }
};

TEST(Composition, EachCallOfAPrimitiveKeepsItsOwnTables) {
  MemoryImage in = test::random_image(300, 200, bytes, false, 8);
  const MemoryImage out = run_filter<TwoMaps>(in);
  for (std::size_t i = 0; i < in.codes().size(); ++i) {
    const int before = int(in.codes()[i]), after = int(out.codes()[i]);
    ASSERT_EQ(after, i % 4 == 3 ? before : 255 - before) << i;
  }
}

/// Looks at its neighbors and does not say so.
struct Liar : TestFilter<Alpha::channel, Border::clamp> {
  static void apply(trace::Exec& exec, const Params&, trace::Input in, trace::Output out) {
    exec.map(in, out, 0);
  }
  static void apply(cpu::Exec& exec, const Params&, const cpu::Input& in, const cpu::Output& out) {
    exec.box(in, out, 1, 1, Border::clamp);
  }
};

TEST(Composition, NoPrimitiveLooksFurtherThanItSays) {
  const MemoryImage in = test::random_image(30, 20, floats, false, 8);
  EXPECT_THROW(run_filter<Liar>(in), Error);
}

}  // namespace
}  // namespace cuda_filters
