// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/format.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "gpu/algorithms/separable/sum_kernels.hpp"
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
    for (const Alpha alpha : {Alpha::passthrough, Alpha::channel, Alpha::premultiplied}) {
      MemoryImage image = test::random_image(1000, 1, format, true, 4);
      const Trc trc = is_integer(format.type) ? Trc::linear : Trc::native;
      const auto codec = cpu::make_codec(image.encoding(trc), alpha);
      std::vector<float> pixels(4 * 1000 + cpu::lanes);
      std::vector<std::byte> back(image.codes().size());
      GetParam().kernels->decode(codec, image.codes().data(), 1000, pixels.data());
      GetParam().kernels->encode(codec, pixels.data(), image.codes().data(), 1000, back.data());
      // Dividing by alpha what was multiplied by it rounds floats, but no code.
      if (alpha == Alpha::premultiplied && format.alpha && !is_integer(format.type)) continue;
      if (alpha == Alpha::premultiplied && format.alpha && format.type == SampleType::u16) continue;
      EXPECT_EQ(back, image.codes()) << test::name_of(format);
    }
}

TEST_P(EveryLevel, DividingByALittleAlphaGivesFiniteColors) {
  constexpr float normal = 0x1p-126f, max_finite = std::numeric_limits<float>::max();
  constexpr float alphas[] = {0.0f,   -0.0f, 1e-45f, 1e-40f,  normal / 2, normal,
                              1e-30f, 1.0f,  1e30f,  -1e-45f, -1.0f,      not_a_number};
  constexpr float colors[] = {0.0f, 1e-45f,     -1e-40f,     1e-30f,  -1.0f,
                              4.0f, max_finite, -max_finite, infinity};
  for (const Format& format : test::all_formats())
    for (const bool srgb : {true, false})
      for (const Trc trc : {Trc::linear, Trc::perceptual}) {
        if (is_integer(format.type)) continue;
        MemoryImage image = test::empty_image(1000, 1, format, srgb);
        const Encoding encoding = image.encoding(trc);
        const auto codec = cpu::make_codec(encoding, Alpha::premultiplied);
        std::vector<float> pixels(4 * 1000 + cpu::lanes);
        for (std::size_t i = 0; i < 1000; ++i) {
          for (std::size_t c = 0; c < 3; ++c) pixels[4 * i + c] = colors[(i * 7 + c * 5) % 9];
          pixels[4 * i + 3] = alphas[i % 12];
          for (int c = 0; c < format.channels(); ++c)
            test::store_sample(image, i * format.channels() + c, 0.25);
        }
        MemoryImage out = image;
        GetParam().kernels->encode(codec, pixels.data(), image.codes().data(), 1000,
                                   out.codes().data());
        for (std::size_t i = 0; i < 1000; ++i)
          for (int c = 0; c < format.colors(); ++c) {
            const float color = pixels[4 * i + c], alpha = pixels[4 * i + 3];
            const double got = test::load_sample(out, i * format.channels() + c);
            if (alpha < normal)
              ASSERT_EQ(got, 0.25) << color << " / " << alpha << " " << test::name_of(format);
            else if (std::isfinite(color) && !std::isnan(alpha))
              ASSERT_TRUE(std::isfinite(got)) << color << " / " << alpha;
            else
              ASSERT_FALSE(std::isfinite(got)) << color << " / " << alpha;
          }
      }
}

/// Colors are on no curve, all on one, or each on its own.
enum class Curves { none, one, three };

Encoding encoding_on(Curves curves, Format format) {
  Encoding encoding{format, {}, {}};
  if (curves == Curves::none || !is_integer(format.type)) return encoding;
  double exponent = 2.2;
  for (auto& curve : encoding.curves) {
    curve = std::make_shared<const Curve>(
        format.type, [=](double t) { return static_cast<float>(std::pow(t, exponent)); });
    if (curves == Curves::three) exponent += 0.3;
  }
  if (curves == Curves::one) encoding.curves[1] = encoding.curves[2] = encoding.curves[0];
  return encoding;
}

/// Sample `c` of a pixel that is stored as `before` and became `pixel`, from the definition.
double encoded_sample(const Encoding& encoding, Alpha alpha, const float* pixel, int c,
                      double before) {
  const Format& format = encoding.format;
  const bool is_alpha = c == format.colors();
  if (is_alpha && alpha == Alpha::passthrough) return before;
  if (!is_alpha && alpha == Alpha::premultiplied && pixel[3] < 0x1p-126f) return before;
  float value = pixel[is_alpha ? 3 : c];
  if (!is_alpha && alpha == Alpha::premultiplied) {
    value *= 1.0f / pixel[3];
    const float largest = largest_of(format.type);
    if (std::isfinite(pixel[c]) && std::abs(value) > largest) value = std::copysign(largest, value);
  }
  if (format.type == SampleType::f32) return value;
  if (format.type == SampleType::f16) return static_cast<_Float16>(value);
  const int top = code_count(format.type) - 1;
  const Curve* curve = is_alpha ? nullptr : encoding.curves[c].get();
  if (curve != nullptr) return static_cast<double>(encode_with(*curve, value)) / top;
  const float code = value * static_cast<float>(top) + 0.5f;
  const float inside = code > 0.0f ? std::min(code, static_cast<float>(top)) : 0.0f;
  return std::floor(inside) / static_cast<double>(top);
}

TEST_P(EveryLevel, EncodesEveryFloatAsDefined) {
  constexpr float values[] = {0.0f,     -0.5f,    1e-30f,    1e-9f,       0.0021f,  0.2f,
                              0.49999f, 0.73f,    0.999f,    1.0f,        1.00001f, 17.0f,
                              1e9f,     infinity, -infinity, not_a_number};
  std::mt19937 random{7};
  std::uniform_int_distribution<std::size_t> any{0, std::size(values) - 1};
  std::uniform_real_distribution<float> unit;
  for (const Format& format : test::all_formats())
    for (const Alpha alpha : {Alpha::passthrough, Alpha::channel, Alpha::premultiplied})
      for (const Curves curves : {Curves::none, Curves::one, Curves::three})
        for (const int count : {1, 2, 3, 4, 7, 160}) {
          const Encoding encoding = encoding_on(curves, format);
          const MemoryImage before = test::random_image(count, 1, format, true, 4);
          std::vector<float> pixels(4 * count + cpu::lanes);
          for (float& value : pixels)
            value = random() % 2 == 0 ? values[any(random)] : unit(random);
          MemoryImage after = before;
          std::vector<std::byte> guarded = before.codes();
          guarded.resize(guarded.size() + 64, std::byte{0x5a});
          GetParam().kernels->encode(cpu::make_codec(encoding, alpha), pixels.data(),
                                     before.codes().data(), count, guarded.data());
          std::copy_n(guarded.begin(), after.codes().size(), after.codes().begin());
          ASSERT_EQ(std::count(guarded.end() - 64, guarded.end(), std::byte{0x5a}), 64);
          const int channels = format.channels();
          for (int i = 0; i < count * channels; ++i) {
            const double wanted = encoded_sample(encoding, alpha, &pixels[i / channels * 4],
                                                 i % channels, test::load_sample(before, i));
            const double found = test::load_sample(after, i);
            ASSERT_TRUE(found == wanted || (std::isnan(found) && std::isnan(wanted)))
                << test::name_of(format) << " sample " << i << " of " << count
                << " pixels: " << found << " for " << wanted;
          }
        }
}

TEST_P(EveryLevel, DecodesEveryCodeAsDefined) {
  for (const SampleType type : {SampleType::u8, SampleType::u16})
    for (const Curves curves : {Curves::none, Curves::one, Curves::three}) {
      const int codes = code_count(type);
      const Encoding encoding = encoding_on(curves, {type, true, true});
      const float top = static_cast<float>(codes - 1);
      MemoryImage image = test::random_image(codes, 1, encoding.format, true, 5);
      for (int i = 0; i < 4 * codes; ++i)
        test::store_sample(image, i, (i / 4 * (i % 4 + 1) % codes) / static_cast<double>(top));
      for (const Alpha alpha : {Alpha::channel, Alpha::premultiplied}) {
        std::vector<float> pixels(4 * codes + cpu::lanes);
        GetParam().kernels->decode(cpu::make_codec(encoding, alpha), image.codes().data(), codes,
                                   pixels.data());
        for (int i = 0; i < 4 * codes; ++i) {
          const int c = i % 4, code = i / 4 * (c + 1) % codes;
          const float opacity = static_cast<float>(i / 4 * 4 % codes) / top;
          const Curve* curve = c < 3 ? encoding.curves[c].get() : nullptr;
          float wanted = curve != nullptr ? curve->values[code] : static_cast<float>(code) / top;
          if (c < 3 && alpha == Alpha::premultiplied) wanted *= opacity;
          ASSERT_EQ(pixels[i], wanted) << "code " << code << " of channel " << c;
        }
      }
    }
}

TEST_P(EveryLevel, LooksUpEachChannelInItsTable) {
  for (const Format& format : test::all_formats()) {
    if (!is_integer(format.type)) continue;
    const int codes = code_count(format.type), bytes = bytes_of(format.type);
    const MemoryImage image = test::random_image(333, 1, format, true, 8);
    std::vector<std::byte> tables[4];
    const void* pointers[4];
    const auto entry = [&](int c, int code) { return (code * 7 + 1000 * c + 3) % codes; };
    for (int c = 0; c < 4; ++c) {
      tables[c].resize(static_cast<std::size_t>(codes) * bytes);
      for (int code = 0; code < codes; ++code) {
        const int value = entry(c, code);
        std::memcpy(&tables[c][static_cast<std::size_t>(code) * bytes], &value, bytes);
      }
      pointers[c] = tables[c].data();
    }
    std::vector<std::byte> found(image.codes().size());
    GetParam().kernels->look_up(format, pointers, image.codes().data(), 333, found.data());
    for (int i = 0; i < 333 * format.channels(); ++i) {
      int code = 0, result = 0;
      std::memcpy(&code, &image.codes()[static_cast<std::size_t>(i) * bytes], bytes);
      std::memcpy(&result, &found[static_cast<std::size_t>(i) * bytes], bytes);
      ASSERT_EQ(result, entry(i % format.channels(), code)) << test::name_of(format);
    }
  }
}

TEST_P(EveryLevel, InterleavesThreeRowsAndBack) {
  const cpu::Kernels& kernels = *GetParam().kernels;
  for (const std::size_t bytes : {1, 2, 4})
    for (const int count : {0, 1, 15, 16, 17, 333}) {
      const MemoryImage image = test::random_image(static_cast<int>(3 * count * bytes) + 1, 1,
                                                   {SampleType::u8, false, false}, true, 9);
      const std::size_t row_bytes = count * bytes;
      const std::byte* const from = image.codes().data();
      const std::byte* const rows[] = {from, from + row_bytes, from + 2 * row_bytes};
      std::vector<std::byte> pixels(3 * row_bytes), back(3 * row_bytes);
      kernels.interleave(rows, bytes, count, pixels.data());
      for (std::size_t i = 0; i < row_bytes; ++i)
        for (std::size_t row = 0; row < 3; ++row)
          ASSERT_EQ(pixels[(3 * (i / bytes) + row) * bytes + i % bytes], rows[row][i]);
      std::byte* const to[] = {back.data(), back.data() + row_bytes, back.data() + 2 * row_bytes};
      kernels.deinterleave(pixels.data(), bytes, count, to);
      EXPECT_TRUE(std::equal(back.begin(), back.end(), from));
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
      Encoding encoding = image.encoding(srgb ? Trc::linear : Trc::perceptual);
      if (power == Transfer::Kind::power) encoding.transfer = {power, srgb ? 2.2f : 1.0f / 2.2f};
      const auto codec = cpu::make_codec(encoding, Alpha::passthrough);
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
        const double expected = stored < 0.0 && power == Transfer::Kind::power ? 0.0 : stored;
        ASSERT_NEAR(test::load_sample(again, i), expected, 2e-6 * std::max(1.0, expected))
            << stored;
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
    GetParam().sum_kernels->weighted_sum(inputs.data(), weights.data(), taps, out.data(), count);
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
