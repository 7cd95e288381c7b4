// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/format.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "gpu/cpu/kernels.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

double power(double v) { return std::pow(v, 2.2); }

int encode_with(const Curve& curve, float value) {
  return encode(value, curve.thresholds.data(), curve.buckets.data(),
                static_cast<int>(curve.values.size()) - 1);
}

TEST(Curve, EveryCodeComesBack) {
  for (const SampleType type : {SampleType::u8, SampleType::u16})
    for (double (*value_of)(double) : {test::srgb_to_linear, test::linear_to_srgb, power}) {
      const Curve curve{type, [=](double t) { return static_cast<float>(value_of(t)); }};
      for (int code = 0; code < code_count(type); ++code)
        ASSERT_EQ(encode_with(curve, curve.values[code]), code);
    }
}

TEST(Curve, KnowsAFormulaThatItFollows) {
  constexpr Transfer srgb{Transfer::Kind::srgb_to_linear};
  const auto value_of_srgb = [](double t) { return static_cast<float>(test::srgb_to_linear(t)); };
  for (const SampleType type : {SampleType::u8, SampleType::u16}) {
    Curve curve{type, value_of_srgb};
    curve.follow({Transfer::Kind::power, 2.2f});
    EXPECT_EQ(curve.formula, Transfer{}) << "up to 3 % of the range away";
    curve.follow(srgb);
    EXPECT_EQ(curve.formula, srgb);
    EXPECT_LT(curve.deviation, 1e-6 * code_count(type));
  }
}

TEST(Curve, RoundsToTheNearestCode) {
  const Curve curve{SampleType::u8, [](double t) { return static_cast<float>(power(t)); }};
  std::mt19937 random{1};
  std::uniform_real_distribution<double> unit{0.0, 1.0};
  for (int i = 0; i < 100000; ++i) {
    const double t = unit(random);
    const double code = t * 255.0;
    if (std::abs(code - std::floor(code) - 0.5) < 1e-3) continue;  // a float may fall either way
    ASSERT_EQ(encode_with(curve, static_cast<float>(power(t))), std::lround(code));
  }
}

TEST(Curve, SaturatesAndKnowsNoNumberAsBlack) {
  const Curve curve{SampleType::u8, [](double t) { return static_cast<float>(power(t)); }};
  EXPECT_EQ(encode_with(curve, -1.0f), 0);
  EXPECT_EQ(encode_with(curve, -infinity), 0);
  EXPECT_EQ(encode_with(curve, not_a_number), 0);
  EXPECT_EQ(encode_with(curve, 1e-30f), 0);
  EXPECT_EQ(encode_with(curve, 1.0f), 255);
  EXPECT_EQ(encode_with(curve, 7.0f), 255);
  EXPECT_EQ(encode_with(curve, infinity), 255);
}

class EveryLevel : public testing::TestWithParam<cpu::Level> {};

TEST_P(EveryLevel, DecodingAndEncodingChangesNoBit) {
  for (const Format& format : test::all_formats())
    for (const Alpha alpha : {Alpha::kept, Alpha::own, Alpha::weighted}) {
      MemoryImage image = test::random_image(1000, 1, format, true, 4);
      const Light light = is_integer(format.type) ? Light::linear : Light::native;
      const auto codec = cpu::make_codec(image.encoding(light), alpha);
      std::vector<float> pixels(4 * 1000 + cpu::lanes);
      std::vector<std::byte> back(image.codes().size());
      GetParam().kernels->decode(codec, image.codes().data(), 1000, pixels.data());
      GetParam().kernels->encode(codec, pixels.data(), image.codes().data(), 1000, back.data());
      // Dividing by alpha what was multiplied by it rounds floats, but no code.
      if (alpha == Alpha::weighted && format.alpha && !is_integer(format.type)) continue;
      if (alpha == Alpha::weighted && format.alpha && format.type == SampleType::u16) continue;
      EXPECT_EQ(back, image.codes()) << test::name_of(format);
    }
}

TEST_P(EveryLevel, FloatsGoThroughTheirTransferAndBack) {
  constexpr int count = 333;
  for (const bool srgb : {true, false})
    for (const Transfer::Kind power : {Transfer::Kind::none, Transfer::Kind::power}) {
      MemoryImage image = test::random_image(count, 1, {SampleType::f32, true, true}, srgb, 6);
      constexpr double special[] = {0.0, -2.0, 0.0031308, 0.04045, 1.0, 1e-3, 66.0, 600.0};
      for (std::size_t i = 0; i < std::size(special); ++i)
        test::store_sample(image, 4 * i, special[i]);
      Encoding encoding = image.encoding(srgb ? Light::linear : Light::perceptual);
      if (power == Transfer::Kind::power) encoding.transfer = {power, srgb ? 2.2f : 1.0f / 2.2f};
      const auto codec = cpu::make_codec(encoding, Alpha::kept);
      std::vector<float> pixels(4 * count + cpu::lanes);
      std::vector<std::byte> back(image.codes().size());
      GetParam().kernels->decode(codec, image.codes().data(), count, pixels.data());
      GetParam().kernels->encode(codec, pixels.data(), image.codes().data(), count, back.data());
      MemoryImage again = image;
      again.codes() = back;
      for (std::size_t i = 0; i < std::size_t{4} * count; ++i) {
        const double stored = test::load_sample(image, i);
        const double wanted = i % 4 == 3 ? stored : value_of(encoding.transfer, stored);
        ASSERT_NEAR(pixels[i], wanted, 1e-6 * std::max(1.0, std::abs(wanted))) << stored;
        const double kept = stored < 0.0 && power == Transfer::Kind::power ? 0.0 : stored;
        ASSERT_NEAR(test::load_sample(again, i), kept, 2e-6 * std::max(1.0, kept)) << stored;
      }
    }
}

TEST_P(EveryLevel, SumsAgreeWithDouble) {
  std::mt19937 random{2};
  std::uniform_real_distribution<float> unit{-1.0f, 1.0f};
  constexpr int taps = 13;
  for (const std::size_t count : {1u, 15u, 16u, 17u, 127u, 128u, 500u}) {
    std::vector<std::vector<float>> rows(taps, std::vector<float>(count + cpu::lanes));
    std::vector<float> weights, out(count + cpu::lanes);
    std::vector<const float*> inputs;
    for (auto& row : rows) {
      for (float& value : row) value = unit(random);
      inputs.push_back(row.data());
      weights.insert(weights.end(), cpu::lanes, unit(random));
    }
    GetParam().kernels->weighted_sum(inputs.data(), weights.data(), taps, out.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0.0;
      for (int t = 0; t < taps; ++t)
        sum += static_cast<double>(weights[std::size_t{cpu::lanes} * t]) * rows[t][i];
      ASSERT_NEAR(out[i], sum, 2e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryLevel, testing::ValuesIn(cpu::levels()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace cuda_filters
