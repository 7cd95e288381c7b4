// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/chain.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "gpu/core/engine.hpp"
#include "gpu/core/run_chain.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_chain(text);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Chain, ParsesNamesValuesAndQuotes) {
  const auto steps = parse_chain(
      " gaussian-blur std-dev-x=2 border=wrap|convolution-matrix matrix=\"0, 1, 0\" "
      "normalize=yes\t| invert ");
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_STREQ(steps[0].filter->info.name, "gaussian-blur");
  EXPECT_EQ(steps[0].plan.border, Border::wrap);
  EXPECT_STREQ(steps[1].filter->info.name, "convolution-matrix");
  EXPECT_STREQ(steps[2].filter->info.name, "invert");
  EXPECT_TRUE(parse_chain("").empty());
  EXPECT_TRUE(parse_chain(" \n").empty());
}

TEST(Chain, ErrorsPointAtTheWord) {
  EXPECT_NE(refusal("invert | gausian-blur").find("Step 2 (gausian-blur)"), std::string::npos);
  EXPECT_NE(refusal("gausian-blur").find("'gaussian-blur'"), std::string::npos);
  EXPECT_NE(refusal("invert lihgt=linear").find("'lihgt=linear'"), std::string::npos);
  EXPECT_NE(refusal("invert lihgt=linear").find("it has: light"), std::string::npos);
  EXPECT_NE(refusal("invert linear").find("'linear'"), std::string::npos);
  EXPECT_NE(refusal("gaussian-blur std-dev-x=much").find("\"much\""), std::string::npos);
  EXPECT_NE(refusal("gaussian-blur std-dev-x=-1").find("'std-dev-x' is -1"), std::string::npos);
  EXPECT_NE(refusal("canny low-threshold=200").find("Step 1 (canny)"), std::string::npos);
  EXPECT_NE(refusal("invert | | invert").find("missing"), std::string::npos);
  EXPECT_NE(refusal("invert |").find("missing"), std::string::npos);
  EXPECT_NE(refusal("convolution-matrix matrix=\"1, 2").find("1, 2"), std::string::npos);
  EXPECT_NE(refusal("chain steps=invert").find("cannot be a step"), std::string::npos);
}

TEST(ChainSteps, OfATextThatIsWrittenAgainAreTheSame) {
  const std::string text =
      "gaussian-blur std-dev-x=2.5 border=wrap | #canny low-threshold=200 channel=value "
      "invert=yes | convolution-matrix matrix=\"1 2 1\" normalize=yes | guided-filter "
      "aux='a \"b\" | c' | invert";
  const std::vector<ChainStep> steps = parse_steps(text);
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_FALSE(steps[1].enabled);
  EXPECT_EQ(steps[1].values[1], Value{200.0});
  EXPECT_EQ(steps[2].values[0], Value{"1 2 1"});
  EXPECT_EQ(steps[3].aux_layer, "a \"b\" | c");
  EXPECT_EQ(steps_text(steps), text);
}

TEST(ChainSteps, AreWrittenWithWhatIsNotInitial) {
  EXPECT_EQ(steps_text(parse_steps("threshold low=0.5 high=1|# canny low-threshold=70\n")),
            "threshold | #canny");
  EXPECT_EQ(steps_text({}), "");
}

/// Any text of a value, and any number, comes back.
TEST(ChainSteps, KeepEveryValue) {
  for (const std::string value :
       {"", " ", "'", "\"", "a|b", "it's \"so\"", "\"'\"'", "tab\tand\nline", "#", "aux=x"}) {
    std::vector<ChainStep> steps = parse_steps("convolution-matrix | invert");
    steps[0].values[0] = value;
    const std::vector<ChainStep> again = parse_steps(steps_text(steps));
    ASSERT_EQ(again.size(), 2u) << value;
    EXPECT_EQ(again[0].values, steps[0].values) << steps_text(steps);
  }
  for (const double number : {1.0 / 3.0, 1e-7, 99.999999999, 123.0}) {
    std::vector<ChainStep> steps = parse_steps("gaussian-blur");
    steps[0].values[0] = number;
    EXPECT_EQ(parse_steps(steps_text(steps))[0].values, steps[0].values) << steps_text(steps);
  }
}

TEST(ChainSteps, ThatAreOffAreNotApplied) {
  const auto jobs = parse_chain("invert | #gaussian-blur std-dev-x=9 | # canny low-threshold=900");
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_STREQ(jobs[0].filter->info.name, "invert");
  EXPECT_TRUE(parse_chain("#invert").empty());
  EXPECT_NE(refusal("invert | #gausian-blur").find("Step 2 (#gausian-blur)"), std::string::npos);
  EXPECT_NE(refusal("#invert lihgt=linear").find("'lihgt=linear'"), std::string::npos);
  EXPECT_NE(refusal("#gaussian-blur std-dev-x=-1").find("'std-dev-x' is -1"), std::string::npos);
  EXPECT_NE(refusal("invert | #").find("missing"), std::string::npos);
}

TEST(ChainSteps, AreFiltersThatKeepTheSize) {
  EXPECT_TRUE(can_be_step(*find_filter("canny")));
  for (const char* name : {"chain", "resize", "align-plates"})
    EXPECT_FALSE(can_be_step(*find_filter(name))) << name;
}

class ChainRuns : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { SKIP_WITHOUT(GetParam()); }

  MemoryImage applied(const std::string& name, const std::vector<std::string>& words,
                      const MemoryImage& image, Rect region, bool cramped = false) {
    const FilterEntry& filter = *find_filter(name);
    MemoryImage in = image, out = image;
    auto backend = test::make_backend(GetParam());
    if (cramped) backend = std::make_unique<test::Cramped>(std::move(backend));
    Observer observer;
    run_on(std::move(backend), nullptr, make_job(filter, parse_values(filter, words)), in, out,
           region, observer);
    return out;
  }
};

TEST_P(ChainRuns, EqualsTheSeparateCallsInFloatsBitForBit) {
  const std::vector<std::vector<std::string>> steps{
      {"gamma", "gamma=1.4"},
      {"add", "value=0.1", "light=perceptual"},
      {"gaussian-blur", "std-dev-x=3", "std-dev-y=12", "border=mirror"},
      {"gray-world"},
      {"unsharp-mask", "std-dev=2"},
      {"threshold", "low=0.1", "high=0.7", "channel=red"},
      {"multiply", "value=0.9"},
      {"stretch-contrast", "light=linear"},
      {"canny", "low-threshold=20", "high-threshold=60"},
      {"invert"}};
  std::string text;
  for (const auto& step : steps) {
    if (!text.empty()) text += " |";
    for (const auto& word : step) text += " " + word;
  }
  for (const bool color : {true, false})
    for (const bool srgb : {true, false}) {
      MemoryImage image = test::random_image(123, 311, {SampleType::f32, color, true}, srgb, 3);
      image.selection.assign(std::size_t{123} * 311, 255);
      std::fill_n(image.selection.begin(), 123 * 100, 0);
      const Rect all{0, 0, 123, 311};
      MemoryImage wanted = image;
      for (const auto& step : steps)
        wanted = applied(step[0], {step.begin() + 1, step.end()}, wanted, all);
      EXPECT_EQ(applied("chain", {"steps=" + text}, image, all).codes(), wanted.codes());
      EXPECT_EQ(applied("chain", {"steps=" + text}, image, all, true).codes(), wanted.codes());
    }
}

/// An image of floats whose light comes by no formula that the engine knows.
class OddImage final : public Source, public Sink {
 public:
  explicit OddImage(MemoryImage& image) : image_{image} {}
  int width() const override { return image_.width(); }
  int height() const override { return image_.height(); }
  Encoding encoding(Trc) override { return image_.encoding(Trc::native); }
  std::optional<Transfer> transfer(Trc trc) override {
    return trc == Trc::native ? std::optional{Transfer{}} : std::nullopt;
  }
  void convert(float* pixels, std::size_t count, Trc trc, bool back) override {
    const float part = trc == Trc::linear ? 0.3f : 0.1f;
    for (std::size_t i = 0; i < 4 * count; ++i) {
      float& v = pixels[i];
      if (i % 4 == 3) continue;
      v = back ? std::sqrt(std::abs(v)) - part : (v + part) * (v + part);
    }
  }
  void read(Rect area, const Encoding& encoding, std::byte* to, std::size_t stride) override {
    image_.read(area, encoding, to, stride);
  }
  void write(Rect area, const Encoding& encoding, const std::byte* from,
             std::size_t stride) override {
    image_.write(area, encoding, from, stride);
  }

 private:
  MemoryImage& image_;
};

TEST_P(ChainRuns, LetsTheSourceConvertWhereNoFormulaDoes) {
  const std::vector<std::vector<std::string>> steps{{"gamma", "gamma=1.4"},
                                                    {"add", "value=0.1", "light=perceptual"},
                                                    {"gaussian-blur", "std-dev-x=3"},
                                                    {"median-blur", "radius=2"},
                                                    {"gray-world"},
                                                    {"invert"}};
  const Rect all{0, 0, 97, 150};
  MemoryImage image = test::random_image(97, 150, {SampleType::f32, true, true}, false, 3);
  MemoryImage wanted = image, result = image;
  std::string text;
  for (const auto& step : steps) {
    if (!text.empty()) text += " |";
    for (const auto& word : step) text += " " + word;
    const std::vector<std::string> values{step.begin() + 1, step.end()};
    const FilterEntry& filter = *find_filter(step[0]);
    const Trc trc = make_job(filter, parse_values(filter, values)).plan.trc;
    const auto convert = [&](bool back) {
      auto* floats = reinterpret_cast<float*>(wanted.codes().data());
      if (trc != Trc::native) OddImage{wanted}.convert(floats, std::size_t{97} * 150, trc, back);
    };
    convert(false);
    // An image whose own numbers are the working values.
    MemoryImage plain{97, 150, {SampleType::f32, true, true}};
    plain.codes() = wanted.codes();
    wanted.codes() = applied(step[0], values, plain, all).codes();
    convert(true);
  }
  const FilterEntry& chain = *find_filter("chain");
  OddImage in{image}, out{result};
  Observer observer;
  run_on(test::make_backend(GetParam()), nullptr, make_job(chain, Values{text}), in, out, all,
         observer);
  EXPECT_EQ(result.codes(), wanted.codes());
}

TEST_P(ChainRuns, OfARegionLooksAtThePixelsAroundIt) {
  const MemoryImage image = test::random_image(211, 307, {SampleType::u8, true, true}, true, 8);
  const Rect region{31, 140, 90, 61};
  const std::vector<std::string> words{
      "steps=box-blur radius-x=9 radius-y=7 | invert | median-blur radius=5"};
  const MemoryImage whole = applied("chain", words, image, {0, 0, 211, 307});
  MemoryImage wanted = image;
  std::vector<std::byte> piece(whole.row_bytes() * region.height);
  const Encoding any = wanted.encoding(Trc::native);
  const_cast<MemoryImage&>(whole).read(region, any, piece.data(), whole.row_bytes());
  wanted.write(region, any, piece.data(), whole.row_bytes());
  EXPECT_EQ(applied("chain", words, image, region).codes(), wanted.codes());
}

TEST_P(ChainRuns, NeighborsOfSinglePixelsAreOnePass) {
  MemoryImage image = test::random_image(5, 5, {SampleType::u8, true, true}, true, 8);
  const Rect all{0, 0, 5, 5};
  const auto count = [&](const char* text) {
    return plan_passes(make_job(*find_filter("chain"), Values{std::string{text}}), image, all)
        .size();
  };
  EXPECT_EQ(count("invert | add value=0.1 | gamma gamma=2 | threshold | multiply value=2"), 1u);
  EXPECT_EQ(count("invert | gaussian-blur | add value=0.1 | invert"), 3u);
  EXPECT_EQ(count("gaussian-blur | box-blur"), 4u);
}

TEST_P(ChainRuns, ThatRoundGiveTheBitsOfOneRunAfterTheOther) {
  const std::vector<Job> steps = parse_chain(
      "gaussian-blur std-dev-x=3 std-dev-y=2 | invert light=linear | autocontrast | "
      "unsharp-mask std-dev=2 scale=1 | gamma gamma=1.3 | median-blur radius=2 | add value=0.05");
  for (const SampleType type : {SampleType::u8, SampleType::u16, SampleType::f16, SampleType::f32})
    for (const bool color : {true, false})
      for (const bool alpha : {true, false}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(type) << color << alpha);
        const MemoryImage image = test::random_image(211, 307, {type, color, alpha}, true, 8);
        const Rect all{0, 0, 211, 307};
        Observer observer;
        MemoryImage wanted = image;
        for (const Job& step : steps) {
          MemoryImage in = wanted;
          run_on(test::make_backend(GetParam()), nullptr, step, in, wanted, all, observer);
        }
        MemoryImage in = image, got = image;
        run_on(test::make_backend(GetParam()), nullptr, rounding_chain(steps), in, got, all,
               observer);
        EXPECT_EQ(got.codes(), wanted.codes());
      }
}

TEST_P(ChainRuns, TellsOfProgressOnceAndInOrder) {
  struct Watcher final : Observer {
    bool progress(double fraction) override {
      EXPECT_GE(fraction, last);
      last = fraction;
      return true;
    }
    double last = 0.0;
  } watcher;
  MemoryImage in = test::random_image(40, 700, {SampleType::u8, true, true}, true, 8), out = in;
  const FilterEntry& filter = *find_filter("chain");
  run_on(test::make_backend(GetParam()), nullptr,
         make_job(filter, Values{std::string{"gray-world | sobel | canny | invert"}}), in, out,
         {0, 0, 40, 700}, watcher);
  EXPECT_DOUBLE_EQ(watcher.last, 1.0);
}

/// A backend that fails after some bands, or never has memory of its own.
class Failing final : public test::Wrapped {
 public:
  Failing(int bands, bool memory) : Wrapped{make_cpu_backend()}, bands_{bands}, memory_{memory} {}
  bool is_gpu() const override { return true; }
  std::shared_ptr<std::byte[]> memory(std::size_t bytes) override {
    if (!memory_) throw DeviceMemoryError{"The device has no room."};
    return Wrapped::memory(bytes);
  }
  void process(const Band& band) override {
    if (bands_-- == 0) throw DeviceError{"The device broke."};
    Wrapped::process(band);
  }

 private:
  int bands_;
  bool memory_;
};

TEST(ChainFailures, TheCpuDoesTheChainAgainAndTheHostHoldsWhatTheDeviceCannot) {
  const std::string steps = "sobel | gaussian-blur | invert";
  for (const Job& job :
       {make_job(*find_filter("chain"), Values{steps}), rounding_chain(parse_chain(steps))}) {
    MemoryImage in = test::random_image(60, 600, {SampleType::u8, true, true}, true, 8);
    const Rect all{0, 0, 60, 600};
    MemoryImage wanted = in, got = in, spilled = in;
    Observer observer;
    run_on(make_cpu_backend(), nullptr, job, in, wanted, all, observer);
    const Report broken =
        run_on(std::make_unique<Failing>(3, true), make_cpu_backend(), job, in, got, all, observer);
    EXPECT_EQ(broken.fallback, "The device broke.");
    EXPECT_EQ(got.codes(), wanted.codes());
    const Report roomless =
        run_on(std::make_unique<Failing>(1000, false), nullptr, job, in, spilled, all, observer);
    EXPECT_EQ(roomless.fallback, "");
    EXPECT_EQ(spilled.codes(), wanted.codes());
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ChainRuns, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string{info.param}; });

}  // namespace
}  // namespace cuda_filters
