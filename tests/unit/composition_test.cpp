// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Filters that put primitives together: what the engine works out of them, and what they compute.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "gpu/algorithms/box/box_filter.hpp"
#include "gpu/algorithms/rank/rank_filter.hpp"
#include "gpu/core/band_plan.hpp"
#include "gpu/core/chain.hpp"
#include "gpu/core/required_input.hpp"
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
  static constexpr FilterInfo info{"test", "", "", "", "", Category::generic};
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
    box_filter(exec, in, first, 2, 3, border);
    box_filter(exec, first, out, 4, 25, border);
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
    box_filter(exec, in, box, 1, 2, Border::mirror);
    rank_filter(exec, box, median, rank::Window{rank::Shape::square, 3}, {50.0, 50.0},
                Border::mirror);
    box_filter(exec, median, wide, 5, 7, Border::mirror);
    exec.map(std::tie(in, box, wide), out, Sum{});
  }
};

TEST(Composition, HalosAddUpAlongTheWay) {
  const Plan boxes = make_job(test::entry_of<TwoBoxes<Alpha::channel, Border::clamp>>(), {}).plan;
  EXPECT_EQ(boxes.halo_x, 2 + 4);
  EXPECT_EQ(boxes.halo_y, 3 + 25);
  EXPECT_EQ(boxes.temporaries, (std::vector{TemporaryPlan{{4, 25}, 0, 1}}));

  const Plan diamond = make_job(test::entry_of<Diamond>(), {}).plan;
  EXPECT_EQ(diamond.halo_x, 1 + 3 + 5);
  EXPECT_EQ(diamond.halo_y, 2 + 3 + 7);
  EXPECT_EQ(diamond.temporaries,
            (std::vector{TemporaryPlan{{3 + 5, 3 + 7}, 0, 3}, TemporaryPlan{{5, 7}, 0, 3},
                         TemporaryPlan{{0, 0}, 0, 3}}));
  EXPECT_FALSE(diamond.by_channel);
}

TEST(Composition, CostsWhatItsPrimitivesCost) {
  const double box = footprint::box_filter(1, 1).cost;
  EXPECT_EQ(make_job(test::entry_of<TwoBoxes<Alpha::channel, Border::clamp>>(), {}).plan.cost,
            2.0 * box);
}

TEST(Composition, MemoryOfTemporariesIsPlanned) {
  const ResolvedJob job = resolved(make_job(test::entry_of<Diamond>(), {}), {1000, 5000});
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

TEST(Composition, MemoryOfADeconvolutionIsPlanned) {
  const Size image{1000, 800};
  // A disc that reaches 5 pixels far: 3 iterations look at 25 pixels around, and the light that is
  // corrected there at 30.
  const auto needs_of = [&](double iterations, Border border, Rect area) {
    Job job = make_job(*find_filter("richardson-lucy"),
                       Values{iterations, 1.0, 5.0, 0.0, "1", 0.0, static_cast<double>(border)});
    return band_needs(resolved(std::move(job), image), {bytes, {}}, image, area);
  };
  const BandNeeds few = needs_of(3.0, Border::clamp, {100, 0, 200, 800});
  EXPECT_EQ(few.halo, 25);
  EXPECT_EQ(few.temporary_bytes(100),
            2u * 16 * ((200 + 60) * (100 + 60) + (200 + 50) * (100 + 50)));
  const BandNeeds at_end = needs_of(3.0, Border::clamp, {0, 0, 1000, 800});
  EXPECT_EQ(at_end.temporary_bytes(100), 2u * 16 * 1000 * ((100 + 60) + (100 + 50)));
  // What is around a band ends with the image, and is all of it where it wraps.
  for (const BandNeeds& all : {needs_of(500.0, Border::clamp, {0, 0, 1000, 800}),
                               needs_of(1.0, Border::wrap, {100, 0, 200, 800})})
    EXPECT_EQ(all.temporary_bytes(1), 4u * 16 * 1000 * 800);
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
    box_filter(exec, in, out, 1, 1, Border::clamp);
  }
};

TEST(Composition, NoPrimitiveLooksFurtherThanItSays) {
  const MemoryImage in = test::random_image(30, 20, floats, false, 8);
  EXPECT_THROW(run_filter<Liar>(in), Error);
}

/// A box blur of another one, which is computed far beyond the image.
template <int radius>
struct FarBoxes : TestFilter<Alpha::channel, Border::reflect> {
  template <class Exec>
  static void apply(Exec& exec, const Params&, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    const auto first = exec.temporary();
    box_filter(exec, in, first, radius, radius, Border::reflect);
    box_filter(exec, first, out, radius, radius, Border::reflect);
  }
};

template <int radius>
void expect_far_boxes() {
  const MemoryImage in = test::random_image(13, 7, floats, false, 4);
  // Both windows together weigh pixels by a triangle.
  const auto blurred = [](int size, int at, const auto& value) {
    double sum = 0.0;
    constexpr double side = 2.0 * radius + 1.0;
    for (int d = -2 * radius; d <= 2 * radius; ++d)
      sum +=
          (side - std::abs(d)) / (side * side) * value(border_index(at + d, size, Border::reflect));
    return sum;
  };
  const MemoryImage out = run_filter<FarBoxes<radius>>(in);
  for (int y = 0; y < 7; ++y)
    for (int x = 0; x < 13; ++x) {
      const double wanted = blurred(7, y, [&](int row) {
        return blurred(13, x, [&](int column) {
          return test::load_sample(in, 4 * (std::size_t(row) * 13 + column) + 1);
        });
      });
      ASSERT_NEAR(test::load_sample(out, 4 * (std::size_t(y) * 13 + x) + 1), wanted, 1e-5)
          << "radius " << radius << " at " << x << ", " << y;
    }
}

TEST(Composition, PicturesBetweenPrimitivesReachFarBeyondTheImage) {
  expect_far_boxes<20>();
  expect_far_boxes<80>();
  expect_far_boxes<150>();
  expect_far_boxes<300>();
}

/// The box around a pixel of the second picture, beside the pixel itself.
struct Beside : TestFilter<Alpha::channel, Border::mirror> {
  static constexpr AuxParam aux{"", ""};
  struct Blend {
    HOST_DEVICE Pixel operator()(Pixel p, Pixel q) const { return {p.r, q.g, p.b, q.a}; }
  };
  template <class Exec>
  static void apply(Exec& exec, const Params&, const typename Exec::Input& in,
                    const typename Exec::Input* aux, const typename Exec::Output& out) {
    const auto box = exec.temporary();
    box_filter(exec, aux != nullptr ? *aux : in, box, 3, 4, Border::mirror);
    exec.map(std::tie(in, box), out, Blend{});
  }
};

Job beside(const MemoryImage& aux, int x, int y) {
  return make_job(test::entry_of<Beside>(), {},
                  Aux{.source = std::make_shared<MemoryImage>(aux), .x = x, .y = y});
}

TEST(SecondPicture, IsLookedAtAsFarAsThePrimitivesSay) {
  const Plan alone = make_job(test::entry_of<Beside>(), {}).plan;
  EXPECT_EQ(alone.halo_y, 4);
  EXPECT_EQ(alone.aux_halo, Halo{});
  const Job job = beside(test::random_image(30, 20, bytes, true, 1), 5, -7);
  EXPECT_EQ(job.plan.halo_y, 0);
  EXPECT_EQ(job.plan.aux_halo, (Halo{3, 4}));
  EXPECT_FALSE(job.plan.by_channel);
  EXPECT_EQ(padded_aux(job, {0, 0, 10, 10}), (Rect{-8, 3, 16, 18}));
  EXPECT_EQ(required_aux(job, {30, 20}, {0, 0, 10, 10}), (Rect{0, 3, 8, 17}));
}

TEST(SecondPicture, TakesPartInThePlanOfBands) {
  const ResolvedJob job =
      resolved(beside(test::random_image(30, 2000, bytes, true, 1), 0, 0), {4000, 2000});
  const Encoding encoding{floats, {}};
  const Rect all{0, 0, 4000, 2000};
  const BandNeeds with = band_needs(job, encoding, {4000, 2000}, all, Encoding{floats, {}});
  const BandNeeds without = band_needs(
      resolved(make_job(test::entry_of<Beside>(), {}), {4000, 2000}), encoding, {4000, 2000}, all);
  ASSERT_TRUE(with.aux);
  EXPECT_EQ(with.aux->row_bytes(), 30 * sizeof(Pixel));
  EXPECT_EQ(with.temporary_bytes(100) - without.temporary_bytes(100),
            sizeof(Pixel) * (4000 + 2 * 3) * (100 + 2 * 4));
  const BandPlan plan = plan_bands(with, {.depth = 2, .budget = 64 << 20, .is_gpu = true}, 5000);
  EXPECT_EQ(plan.aux.slots, plan.bands * plan.rows + 2 * 4);
  EXPECT_EQ(plan_bands(with, {.budget = std::size_t{1} << 40}, 128).aux.slots, 2 * 128 + 2 * 4);
}

/// A backend, several, of any kind, and pieces: all look at the same place of the second picture.
TEST(SecondPicture, IsTheSameForEveryBackendAndBand) {
  const MemoryImage in = test::random_image(67, 700, bytes, true, 1);
  const MemoryImage aux = test::random_image(80, 500, {SampleType::f16, false, true}, false, 2);
  const Job job = beside(aux, -9, 120);
  Observer observer;
  const auto run_it = [&](std::unique_ptr<Backend> backend, Rect region) {
    MemoryImage from = in, out = in;
    run_on(std::move(backend), nullptr, job, from, out, region, observer);
    return out;
  };
  const Rect all{0, 0, 67, 700};
  const MemoryImage wanted = run_it(make_cpu_backend(), all);
  EXPECT_EQ(run_it(std::make_unique<test::Cramped>(make_cpu_backend()), all).codes(),
            wanted.codes());
  EXPECT_EQ(run_it(std::make_unique<test::Remote>(), all).codes(), wanted.codes());
  std::vector<std::unique_ptr<Backend>> several;
  for (int i = 0; i < 3; ++i) several.push_back(std::make_unique<test::Remote>(2));
  EXPECT_EQ(run_it(make_multi_backend(std::move(several)), all).codes(), wanted.codes());

  const Rect region{13, 90, 40, 500};
  MemoryImage part = in, from = wanted;
  std::vector<std::byte> pixels(wanted.row_bytes() * region.height);
  from.read(region, from.encoding(Trc::native), pixels.data(), wanted.row_bytes());
  part.write(region, from.encoding(Trc::native), pixels.data(), wanted.row_bytes());
  EXPECT_EQ(run_it(std::make_unique<test::Remote>(), region).codes(), part.codes());
}

TEST(SecondPicture, OfAnotherFormatIsReadInTheSameLight) {
  // A gray ramp in 16 bits of linear light beside sRGB bytes: the box of a ramp is its middle.
  MemoryImage aux = test::empty_image(9, 9, {SampleType::u16, false, false}, false);
  for (std::size_t i = 0; i < 81; ++i) test::store_sample(aux, i, 0.25);
  MemoryImage in = test::random_image(9, 9, {SampleType::f32, true, true}, false, 3), out = in;
  Observer observer;
  run_on(make_cpu_backend(), nullptr, beside(aux, 0, 0), in, out, {0, 0, 9, 9}, observer);
  for (std::size_t i = 0; i < 81; ++i) {
    EXPECT_EQ(test::load_sample(out, 4 * i), test::load_sample(in, 4 * i));
    EXPECT_NEAR(test::load_sample(out, 4 * i + 1), 0.25, 2e-5);
    EXPECT_NEAR(test::load_sample(out, 4 * i + 3), 1.0, 1e-6);
  }
}

TEST(SecondPicture, IsRefusedWhereItCannotBe) {
  EXPECT_THROW(make_job(*find_filter("invert"), initial_values(*find_filter("invert")), Aux{}),
               ArgumentError);
  // Of a layer only the name is known: who runs the job must find it.
  const MemoryImage in = test::random_image(9, 9, bytes, true, 3);
  MemoryImage from = in, out = in;
  Observer observer;
  EXPECT_THROW(run_on(make_cpu_backend(), nullptr,
                      make_job(test::entry_of<Beside>(), {}, Aux{.layer = "Guide"}), from, out,
                      {0, 0, 9, 9}, observer),
               Error);
  EXPECT_EQ(out.codes(), in.codes());
}

TEST(SecondPicture, StandsInAChainByItsName) {
  const auto steps =
      parse_chain("gaussian-blur std-dev-x=2 | guided-filter \"aux=My layer\" radius=3");
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_FALSE(steps[0].aux);
  ASSERT_TRUE(steps[1].aux);
  EXPECT_EQ(steps[1].aux->layer, "My layer");
  EXPECT_EQ(steps[1].plan.aux_halo, (Halo{6, 6}));
  EXPECT_THROW(parse_chain("gaussian-blur aux=Guide"), ArgumentError);

  // With its pixels it gives what the steps by themselves do.
  const MemoryImage in = test::random_image(50, 60, {SampleType::f32, true, true}, true, 1);
  const auto aux = std::make_shared<MemoryImage>(test::random_image(40, 70, bytes, true, 2));
  Job chain = make_job(*find_filter("chain"),
                       {{"gaussian-blur std-dev-x=2 | guided-filter aux=any radius=3"}});
  chain.steps[1].aux->source = aux, chain.steps[1].aux->x = 4;
  MemoryImage from = in, out = in;
  Observer observer;
  const Rect all{0, 0, 50, 60};
  run_on(make_cpu_backend(), nullptr, chain, from, out, all, observer);
  MemoryImage first = in, second = in;
  Job blur = chain.steps[0], guided = chain.steps[1];
  run_on(make_cpu_backend(), nullptr, blur, from, first, all, observer);
  run_on(make_cpu_backend(), nullptr, guided, first, second, all, observer);
  EXPECT_EQ(out.codes(), second.codes());
}

}  // namespace
}  // namespace cuda_filters
