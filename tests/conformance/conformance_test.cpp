// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Every row of the registry, on every device that is here, against its reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "gpu/core/alpha.hpp"
#include "gpu/core/engine.hpp"
#include "gpu/cpu/parallel.hpp"
#include "tests/reference/reference.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/example.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

using reference::Coding;
using reference::Picture;

struct Case {
  const FilterEntry* filter;
  std::string backend;
};

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = std::string{info.param.filter->info.name} + "_" + info.param.backend;
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string describe(const FilterEntry& filter, const Values& values) {
  std::string text = filter.info.name;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string* word = std::get_if<std::string>(&values[i]);
    text += format_text(" %s=%s", filter.params[i].name,
                        word != nullptr ? word->substr(0, 40).c_str()
                                        : format_text("%g", std::get<double>(values[i])).c_str());
  }
  return text;
}

/// The values between which a sample may lie whose true value is `value`.
struct Bounds {
  double low, high;
};

/// `worked` and `stored` are the codings that the filter computes in and that the image has.
Bounds bounds(double value, double tolerance, SampleType type, Coding worked, Coding stored) {
  const auto recode = [](double v, Coding from, Coding to) {
    if (from == to) return v;
    return to == Coding::linear ? test::srgb_to_linear(v) : test::linear_to_srgb(v);
  };
  double low = recode(value, stored, worked), high = low;
  const double margin = tolerance * std::max(1.0, std::abs(low));
  low -= margin, high += margin;
  constexpr double max_finite = largest_float, infinity = std::numeric_limits<double>::infinity();
  if (high > max_finite) high = infinity;  // what is too large for the filter's own numbers
  if (low < -max_finite) low = -infinity;
  low = recode(low, worked, stored), high = recode(high, worked, stored);
  if (is_integer(type)) {
    // The code next to the true one: rounding may fall to either side.
    const double code = 1.0 / (code_count(type) - 1);
    return {std::min(low, 1.0) - 1.5 * code, std::max(high, 0.0) + 1.5 * code};
  }
  const double rounding = type == SampleType::f16 ? 0x1p-10 : 0x1p-22;
  low -= std::abs(low) * rounding + 0x1p-24, high += std::abs(high) * rounding + 0x1p-24;
  // What is too large for the type is its largest number or infinite.
  const double largest = largest_of(type);
  if (high > largest) high = infinity;
  if (low < -largest) low = -infinity;
  return {std::min(low, largest), std::max(high, -largest)};
}

/// The coding that a filter computes in, of an image that has one.
Coding coding_of(Trc trc, Coding stored) {
  if (stored == Coding::same || trc == Trc::native) return stored;
  return trc == Trc::perceptual ? Coding::srgb : Coding::linear;
}

/// Examples with one number, and with all of them, at an end of their ranges.
std::vector<Values> extreme_sets(const FilterEntry& filter) {
  const std::vector<Values>& examples = reference::find(filter.info.name)->examples;
  std::vector<Values> sets, bases{initial_values(filter)};
  bases.insert(bases.end(), examples.begin(), examples.begin() + std::min(4, int(examples.size())));
  for (const Values& base : bases)
    for (const double Range::*end : {&Range::min, &Range::max}) {
      Values all = base;
      for (std::size_t k = 0; k < base.size(); ++k) {
        const Param& param = filter.params[k];
        if (param.kind != Kind::real && param.kind != Kind::integer) continue;
        Values one = base;
        one[k] = all[k] = param.range.*end;
        sets.push_back(one);
      }
      sets.push_back(all);
    }
  std::ranges::sort(sets);
  sets.erase(std::ranges::unique(sets).begin(), sets.end());
  return sets;
}

/// A picture whose floats go from -2 to 4, but those of sRGB, of which that would be -26 to 28.
MemoryImage wide_image(int width, int height, Format format, bool srgb, unsigned seed) {
  MemoryImage image = test::random_image(width, height, format, srgb, seed);
  if (is_integer(format.type) || srgb) return image;
  for (std::size_t i = 0; i < image.codes().size() / bytes_of(format.type); ++i)
    if (!format.alpha || i % format.channels() != static_cast<std::size_t>(format.colors()))
      test::store_sample(image, i, (test::load_sample(image, i) + 0.25) / 1.75 * 6.0 - 2.0);
  return image;
}

class Conformance : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    SKIP_WITHOUT(GetParam().backend);
    reference_ = reference::find(filter().info.name);
    ASSERT_NE(reference_, nullptr) << filter().info.name << " has no reference";
  }

  const FilterEntry& filter() const { return *GetParam().filter; }
  /// With the second picture, if a test has set one.
  Job job(const Values& values) const { return make_job(filter(), values, aux_); }
  void set_aux(const MemoryImage& image, bool srgb, int x, int y) {
    aux_ = Aux{.source = std::make_shared<MemoryImage>(image), .x = x, .y = y};
    aux_picture_ = test::picture_of(image, srgb);
  }

  /// Values that exclude each other.
  bool is_refused(const Values& values) const {
    try {
      make_job(filter(), values);
    } catch (const ArgumentError&) {
      return true;
    }
    return false;
  }

  MemoryImage image(int width, int height, Format format, bool srgb, unsigned seed) const {
    return test::example_image(filter(), width, height, format, srgb, seed);
  }

  /// Nothing if there can be no result of that size.
  std::optional<ResolvedJob> resolved_job(const Values& values, const MemoryImage& in) const {
    try {
      return resolved(job(values), in.size());
    } catch (const ArgumentError&) {
      EXPECT_TRUE(!filter().keeps_size()) << describe(filter(), values);
      return std::nullopt;
    }
  }

  MemoryImage run_filter(const Values& values, MemoryImage in, Rect region, bool cramped = false) {
    const ResolvedJob job = resolved(this->job(values), in.size());
    MemoryImage out = job.output == in.size() ? in : in.like(job.output);
    auto backend = test::make_backend(GetParam().backend);
    if (cramped) backend = std::make_unique<test::Cramped>(std::move(backend));
    Observer observer;
    run_on(std::move(backend), nullptr, job, in, out, region, observer);
    return out;
  }

  MemoryImage run_filter(const Values& values, const MemoryImage& in, bool cramped = false) {
    const auto [width, height] = resolved(job(values), in.size()).output;
    return run_filter(values, in, {0, 0, width, height}, cramped);
  }

  /// The examples, the initial values, and random ones around them.
  std::vector<Values> parameter_sets(int random_sets) const {
    std::vector<Values> sets = reference_->examples;
    sets.push_back(initial_values(filter()));
    std::mt19937 random{7};
    for (int i = 0; i < random_sets; ++i) {
      Values values = reference_->examples[random() % reference_->examples.size()];
      for (std::size_t k = 0; k < values.size(); ++k) {
        const Param& param = filter().params[k];
        if (param.kind != Kind::choice && param.kind != Kind::toggle) continue;
        values[k] = static_cast<double>(random() % static_cast<unsigned>(param.range.max + 1));
      }
      sets.push_back(values);
    }
    return sets;
  }

  void expect_reference(const Values& values, const MemoryImage& in, bool srgb) {
    const auto job = resolved_job(values, in);
    if (!job) return;
    const Plan& plan = job->plan;
    const MemoryImage out = run_filter(values, in);
    const double tolerance = reference_->tolerance(values);
    if (std::isinf(tolerance)) return;  // nothing is promised
    const Picture before = test::picture_of(in, srgb);
    const Format format = const_cast<MemoryImage&>(out).encoding(Trc::native).format;
    const Coding worked = coding_of(plan.trc, before.coding);
    if (reference_->goes_by_codes && !is_integer(format.type) && worked != before.coding) return;
    const Picture wanted =
        aux_ ? reference_->apply_with_aux(before, values, aux_picture_, aux_->x, aux_->y)
             : reference_->apply(before, values);
    ASSERT_EQ((Size{wanted.width, wanted.height}), out.size())
        << describe(filter(), values) << " " << in.width() << "x" << in.height();
    const bool resized = out.size() != in.size();
    int failures = 0;
    for (std::size_t i = 0; i < wanted.pixels.size(); ++i) {
      const double alpha = wanted.pixels[i][3];
      for (int c = 0; c < format.channels(); ++c) {
        const bool is_alpha = c == format.colors();
        const std::size_t index = i * format.channels() + c;
        const double got = test::load_sample(out, index);
        const double value = wanted.pixels[i][is_alpha ? 3 : c];
        const bool divided = plan.alpha == Alpha::premultiplied && !is_alpha;
        if (divided && alpha < 1e-4) {
          if (alpha <= 0.0 && !resized && !filter().is_composite()) {
            EXPECT_EQ(got, test::load_sample(in, index)) << "color without alpha";
          }
          if (alpha > 0.0 || !resized) continue;
        }
        const Bounds allowed = bounds(
            value, divided && alpha > 0.0 ? tolerance / std::min(alpha, 1.0) : tolerance,
            format.type, is_alpha ? Coding::same : worked, is_alpha ? Coding::same : before.coding);
        if (got >= allowed.low && got <= allowed.high) continue;
        if (++failures > 3) break;
        ADD_FAILURE() << describe(filter(), values) << ", " << test::name_of(format)
                      << (srgb ? " sRGB " : " linear ") << in.width() << "x" << in.height()
                      << ": pixel " << i % out.width() << ", " << i / out.width() << " channel "
                      << c << " is " << got << ", not " << value << " (alpha " << alpha << ")";
      }
    }
  }

  const reference::Reference* reference_ = nullptr;
  std::optional<Aux> aux_;
  Picture aux_picture_;
};

TEST_P(Conformance, AgreesWithReferenceInEveryFormat) {
  unsigned seed = 1;
  for (const Format& format : test::all_formats())
    for (const bool srgb : {true, false})
      for (const Values& values : parameter_sets(4))
        expect_reference(values, image(29, 23, format, srgb, ++seed), srgb);
}

TEST_P(Conformance, AgreesWithReferenceAtEverySize) {
  constexpr int sizes[][2] = {{1, 1}, {1, 13},  {13, 1},  {2, 3},
                              {4, 4}, {61, 37}, {257, 5}, {3, 131}};
  unsigned seed = 100;
  for (const auto& [width, height] : sizes)
    for (const SampleType type : {SampleType::u8, SampleType::f32})
      for (const Values& values : parameter_sets(10))
        expect_reference(values, image(width, height, {type, true, true}, true, ++seed), true);
}

TEST_P(Conformance, AgreesWithReferenceAtTheEndsOfEveryRange) {
  if (filter().creates_image()) return;  // its examples say what its pictures allow
  unsigned seed = 300;
  for (const auto& [type, srgb] : {std::pair{SampleType::u8, true},
                                   {SampleType::u16, false},
                                   {SampleType::f16, false},
                                   {SampleType::f32, false},
                                   {SampleType::f32, true}})
    for (const Values& values : extreme_sets(filter())) {
      if (is_refused(values)) continue;
      // Naive ranks look at all of their window's samples for each pixel.
      const Plan plan = make_job(filter(), values).plan;
      const bool is_slow = plan.alpha == Alpha::channel && plan.halo_y > 100;
      const Size size = is_slow ? Size{3, 2} : Size{13, 7};
      // Pictures between primitives are as large as what they look at, in every format alike.
      if (plan.halo_y > 500 && !plan.temporaries.empty() && type != SampleType::f32) continue;
      const MemoryImage in = wide_image(size.width, size.height, {type, true, true}, srgb, ++seed);
      const auto job = resolved_job(values, in);
      if (job && job->output.pixels() <= 1 << 20) expect_reference(values, in, srgb);
    }
}

/// What varies little is resolved as long as the values are from 0 to 1.
TEST(GuidedFilter, ResolvesSmallVariances) {
  for (const double epsilon : {0.001, 0.003})
    for (const double radius : {2.0, 8.0, 80.0}) {
      MemoryImage in = test::random_image(23, 17, {SampleType::f32, true, true}, true, 3);
      for (std::size_t i = 0; i < in.codes().size() / sizeof(float); ++i)
        test::store_sample(in, i, std::clamp(test::load_sample(in, i), 0.0, 1.0));
      const Values values{radius, epsilon, 0.0};
      MemoryImage out = in;
      Observer observer;
      run_on(make_cpu_backend(), nullptr, make_job(*find_filter("guided-filter"), values), in, out,
             {0, 0, 23, 17}, observer);
      const Picture wanted =
          reference::find("guided-filter")->apply(test::picture_of(in, true), values);
      for (std::size_t i = 0; i < wanted.pixels.size(); ++i)
        for (std::size_t c = 0; c < 3; ++c)
          EXPECT_NEAR(test::load_sample(out, 4 * i + c), wanted.pixels[i][c], 2e-5);
    }
}

/// Windows that see all of a picture and more, of every border.
TEST_P(Conformance, AgreesWithReferenceWhereTheWindowIsMuchLargerThanThePicture) {
  const auto param_named = [&](const char* name) {
    return std::ranges::find(filter().params, std::string_view{name}, &Param::name) -
           filter().params.begin();
  };
  const std::size_t border = param_named("border");
  Values values = initial_values(filter());
  bool has_window = false;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Param& param = filter().params[k];
    if (param.unit != Unit::pixels || !filter().keeps_size()) continue;
    has_window = true;
    // Of integer radii the reference looks at all samples, or adds them up, for each pixel.
    values[k] = std::min(param.range.max, param.kind == Kind::integer ? 40.0 : 150.0);
  }
  if (!has_window || border == values.size()) return;
  unsigned seed = 400;
  for (const auto& [width, height] :
       {std::pair{1, 1}, {1, 200}, {200, 1}, {2, 100}, {16, 16}, {30, 70}})
    for (double number = 0.0; number <= filter().params[border].range.max; ++number) {
      values[border] = number;
      expect_reference(values, image(width, height, {SampleType::f32, true, true}, false, ++seed),
                       false);
    }

  // Several bands, each of which sees the whole image.
  for (std::size_t k = 0; k < values.size(); ++k)
    if (filter().params[k].unit == Unit::pixels) values[k] = filter().params[k].range.max;
  const MemoryImage in = image(37, 300, {SampleType::f32, true, true}, false, ++seed);
  const MemoryImage whole = run_filter(values, in);
  EXPECT_EQ(run_filter(values, in, true).codes(), whole.codes()) << describe(filter(), values);
  const Rect region{5, 131, 20, 150};
  const std::size_t stride = whole.row_bytes();
  MemoryImage wanted = in, from = whole;
  const Encoding encoding = wanted.encoding(Trc::native);
  std::vector<std::byte> piece(stride * region.height);
  from.read(region, encoding, piece.data(), stride);
  wanted.write(region, encoding, piece.data(), stride);
  EXPECT_EQ(run_filter(values, in, region, true).codes(), wanted.codes());
}

TEST_P(Conformance, AgreesWithReferenceWhateverTheSecondPicture) {
  if (!filter().takes_aux()) return;
  // In the middle, over the ends, beyond them, and larger than the picture.
  constexpr Rect places[] = {{5, 3, 11, 9},   {-7, -4, 20, 40},   {25, 20, 30, 30},
                             {-90, 40, 5, 3}, {-20, -30, 97, 83}, {0, 0, 29, 23}};
  unsigned seed = 500;
  std::size_t next = 0;
  const std::vector<Format> formats = test::all_formats();
  for (const Format& format : formats)
    for (const Values& values : reference_->examples) {
      const Rect place = places[next++ % std::size(places)];
      const Format& of_aux = formats[(next * 7) % formats.size()];
      const bool srgb = next % 2 == 0;
      set_aux(test::random_image(place.width, place.height, of_aux, !srgb, ++seed), !srgb, place.x,
              place.y);
      SCOPED_TRACE("second picture " + test::name_of(of_aux));
      expect_reference(values, image(29, 23, format, srgb, ++seed), srgb);
    }
}

TEST_P(Conformance, BandsAndRegionsGiveTheBitsOfTheWholeImage) {
  if (filter().takes_aux())
    set_aux(test::random_image(50, 333, {SampleType::u16, true, false}, true, 6), true, 20, 31);
  for (const SampleType type : {SampleType::u8, SampleType::f32})
    for (const Values& values : parameter_sets(4)) {
      const MemoryImage in = image(67, 401, {type, true, true}, true, 5);
      const MemoryImage whole = run_filter(values, in);
      EXPECT_EQ(run_filter(values, in, true).codes(), whole.codes()) << describe(filter(), values);
      if (filter().creates_image()) continue;  // regions are nothing to it

      MemoryImage wanted = whole.size() == in.size() ? in : in.like(whole.size());
      const Rect all{0, 0, whole.width(), whole.height()};
      const Rect region =
          whole.size() == in.size()
              ? Rect{13, 101, 41, 222}
              : Rect{all.width / 5, all.height / 4, (all.width + 1) * 3 / 5, (all.height + 1) / 2};
      // Whose statistics are of the region, its result is that of a picture of the region alone, if
      // it looks at no neighbors; these are there even so.
      const Plan plan = make_job(filter(), values).plan;
      const bool of_region = plan.analysis == AnalysisScope::region;
      if (of_region && plan.halo_y > 0) {
        EXPECT_EQ(run_filter(values, in, region, true).codes(),
                  run_filter(values, in, region).codes())
            << describe(filter(), values) << " in a region";
        continue;
      }
      const bool alone = of_region;
      const Encoding encoding = wanted.encoding(Trc::native);
      MemoryImage from =
          alone ? test::empty_image(region.width, region.height, {type, true, true}, true) : whole;
      std::vector<std::byte> piece(whole.row_bytes() * region.height);
      if (alone) {
        wanted.read(region, encoding, from.codes().data(), from.row_bytes());
        from = run_filter(values, from);
        from.read({0, 0, region.width, region.height}, encoding, piece.data(), whole.row_bytes());
      } else {
        from.read(region, encoding, piece.data(), whole.row_bytes());
      }
      wanted.write(region, encoding, piece.data(), whole.row_bytes());
      EXPECT_EQ(run_filter(values, in, region, true).codes(), wanted.codes())
          << describe(filter(), values) << " in a region";
    }
}

TEST_P(Conformance, StatisticsAreOfWhatIsSelected) {
  for (const SampleType type : {SampleType::u8, SampleType::f32})
    for (const Values& values : reference_->examples) {
      const Plan plan = make_job(filter(), values).plan;
      if (plan.analysis != AnalysisScope::region) continue;
      const Rect selected{11, 30, 37, 150};
      MemoryImage in = test::random_image(67, 401, {type, true, true}, true, 5);
      if (plan.halo_y > 0) {
        // It looks at neighbors, but nothing further away counts.
        const auto select = [&](MemoryImage& image) {
          image.selection.assign(std::size_t{67} * 401, 127);
          for (int y = selected.y; y < selected.bottom(); ++y)
            std::fill_n(&image.selection[y * 67 + selected.x], selected.width, 128 + y % 128);
        };
        const int seen = selected.bottom() + plan.halo_y;
        MemoryImage other = in;
        for (int i = 67 * seen * 4; i < 67 * 401 * 4; ++i) test::store_sample(other, i, 0.75);
        const auto result = [&](MemoryImage& image, bool cramped) {
          MemoryImage got = run_filter(values, image, cramped);
          std::vector<std::byte> piece(std::size_t{got.row_bytes()} * selected.height);
          got.read(selected, got.encoding(Trc::native), piece.data(), got.row_bytes());
          return piece;
        };
        EXPECT_NE(result(in, false), result(other, false)) << describe(filter(), values);
        select(in), select(other);
        EXPECT_EQ(result(in, false), result(other, false)) << describe(filter(), values);
        EXPECT_EQ(result(in, true), result(in, false)) << describe(filter(), values);
        continue;
      }
      MemoryImage alone =
          test::empty_image(selected.width, selected.height, {type, true, true}, true);
      in.read(selected, in.encoding(Trc::native), alone.codes().data(), alone.row_bytes());
      alone = run_filter(values, alone);
      in.selection.assign(std::size_t{67} * 401, 127);
      for (int y = selected.y; y < selected.bottom(); ++y)
        std::fill_n(&in.selection[y * 67 + selected.x], selected.width, 128 + y % 128);
      for (const bool cramped : {false, true}) {
        MemoryImage got = run_filter(values, in, cramped);
        std::vector<std::byte> piece(alone.codes().size());
        got.read(selected, got.encoding(Trc::native), piece.data(), alone.row_bytes());
        EXPECT_EQ(piece, alone.codes()) << describe(filter(), values);
      }
    }
}

TEST_P(Conformance, GivesTheSameBitsWhateverTheNumberOfThreads) {
  for (const Values& values : reference_->examples) {
    const MemoryImage in = image(203, 97, {SampleType::f32, true, true}, false, 9);
    const MemoryImage wanted = run_filter(values, in);
    for (const int threads : {1, 2, 7}) {
      cpu::set_thread_count(threads);
      EXPECT_EQ(run_filter(values, in).codes(), wanted.codes()) << threads;
    }
    cpu::set_thread_count(0);
  }
}

TEST_P(Conformance, IdentityParametersChangeNoBit) {
  for (const Values& values : parameter_sets(0)) {
    for (const Format& format : test::all_formats()) {
      const MemoryImage in = test::random_image(31, 17, format, true, 3);
      const auto job = resolved_job(values, in);
      if (!job || !job->plan.identity) continue;
      EXPECT_EQ(run_filter(values, in).codes(), in.codes())
          << describe(filter(), values) << " " << test::name_of(format);
    }
  }
}

TEST_P(Conformance, NonFiniteSamplesStayInsideTheWindow) {
  const Format format{SampleType::f32, true, true};
  for (const double poison :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()})
    for (const Values& values : reference_->examples) {
      const Plan plan = make_job(filter(), values).plan;
      if (plan.border == Border::wrap) continue;           // its window reaches round the image
      if (plan.analysis != AnalysisScope::none) continue;  // its window is the image
      MemoryImage clean = test::random_image(211, 199, format, false, 11);
      const int x = 105, y = 99;
      for (int c = 0; c < 4; ++c)
        test::store_sample(clean, (std::size_t{y} * 211 + x) * 4 + c, c == 3 ? 1.0 : 0.5);
      MemoryImage poisoned = clean;
      test::store_sample(poisoned, (std::size_t{y} * 211 + x) * 4, poison);
      const MemoryImage wanted = run_filter(values, clean), got = run_filter(values, poisoned);
      const auto looks_at = [&](int column, int row) {
        if (got.size() == clean.size())
          return std::abs(row - y) <= plan.halo_y && std::abs(column - x) <= plan.halo_x;
        const Job job = make_job(filter(), values);
        const auto rows =
            filter().input_rows(job.params.get(), clean.size(), got.size(), {row, row + 1});
        return rows.begin <= y && y < rows.end;
      };
      for (int row = 0; row < got.height(); ++row)
        for (int column = 0; column < got.width(); ++column) {
          const bool looked_at = looks_at(column, row);
          const std::size_t first =
              (static_cast<std::size_t>(row) * got.width() + column) * 4 * sizeof(float);
          if (!looked_at) {
            ASSERT_EQ(0, std::memcmp(&got.codes()[first], &wanted.codes()[first], 16))
                << describe(filter(), values) << " at " << column << ", " << row;
          }
        }
    }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const FilterEntry& filter : filters())
    if (!filter.needs_selection())  // heal_test.cpp has these
      for (const char* backend : {"cpu", "cuda"}) all.push_back({&filter, backend});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Registry, Conformance, testing::ValuesIn(cases()), case_name);

/// GPU and CPU side by side: closer than either is to the reference.
class Agreement : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override { SKIP_WITHOUT("cuda"); }

  const FilterEntry& filter() const { return *GetParam().filter; }

  /// Integers are those of sRGB, and floats what the filter wants: converted ones differ by their
  /// rounding, and of many one would lie at a threshold.
  void expect_agreement(const Values& values, MemoryImage in, Format format) {
    if (!is_integer(format.type)) {
      MemoryImage plain{in.width(), in.height(), format};
      plain.codes() = in.codes();
      in = plain;
    }
    const ResolvedJob job = resolved(make_job(filter(), values), in.size());
    if (job.output.pixels() > 1 << 20) return;
    const double agreement = reference::find(filter().info.name)->agreement(values);
    MemoryImage on_gpu = job.output == in.size() ? in : in.like(job.output);
    MemoryImage on_cpu = on_gpu;
    Observer observer;
    const Rect all{0, 0, on_gpu.width(), on_gpu.height()};
    run_on(test::make_backend("cuda"), nullptr, job, in, on_gpu, all, observer);
    run_on(make_cpu_backend(), nullptr, job, in, on_cpu, all, observer);
    ASSERT_EQ(on_gpu.size(), on_cpu.size());
    const Coding stored = is_integer(format.type) ? Coding::srgb : Coding::same;
    const bool divided = job.plan.alpha == Alpha::premultiplied && format.alpha;
    const Format result = on_cpu.encoding(Trc::native).format;
    const std::size_t channels = result.channels();
    int failures = 0;
    for (std::size_t i = 0; i < on_cpu.codes().size() / bytes_of(result.type); ++i) {
      const bool is_color = !result.alpha || i % channels != channels - 1;
      const double alpha = divided && is_color
                               ? test::load_sample(on_cpu, i / channels * channels + channels - 1)
                               : 1.0;
      if (alpha < 1e-2 || std::isinf(agreement)) continue;
      const double got = test::load_sample(on_gpu, i), wanted = test::load_sample(on_cpu, i);
      if (got == wanted) continue;
      const Bounds allowed = bounds(wanted, agreement / std::min(alpha, 1.0), result.type,
                                    is_color ? coding_of(job.plan.trc, stored) : Coding::same,
                                    is_color ? stored : Coding::same);
      if (got >= allowed.low && got <= allowed.high) continue;
      if (++failures > 3) break;
      ADD_FAILURE() << describe(filter(), values) << " " << test::name_of(format) << ": pixel "
                    << i / channels % on_cpu.width() << ", " << i / channels / on_cpu.width()
                    << " channel " << i % channels << " is " << got << ", on the CPU " << wanted
                    << " (alpha " << alpha << ")";
    }
  }
};

TEST_P(Agreement, GpuAndCpuGiveTheSamePicture) {
  for (const Format& format : test::all_formats())
    for (const Values& values : reference::find(filter().info.name)->examples)
      expect_agreement(values, test::example_image(filter(), 311, 173, format, true, 21), format);
}

TEST_P(Agreement, GpuAndCpuGiveTheSamePictureAtTheEndsOfEveryRange) {
  if (filter().creates_image()) return;  // its examples say what its pictures allow
  for (const SampleType type : {SampleType::u8, SampleType::u16, SampleType::f16, SampleType::f32})
    for (const Values& values : extreme_sets(filter())) {
      try {
        make_job(filter(), values);
        const Format format{type, true, true};
        expect_agreement(values, wide_image(61, 37, format, is_integer(type), 22), format);
      } catch (const ArgumentError&) {  // of values that exclude each other, or no size
      }
    }
}

std::vector<Case> gpu_cases() {
  std::vector<Case> all;
  for (const FilterEntry& filter : filters())
    if (!filter.needs_selection()) all.push_back({&filter, "cuda"});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Registry, Agreement, testing::ValuesIn(gpu_cases()), case_name);

}  // namespace
}  // namespace cuda_filters
