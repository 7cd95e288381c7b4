// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The inner loops of local equalization have the bits of clahe.hpp at every level of the
// instruction set.
#include "gpu/algorithms/clahe/clahe_kernels.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "gpu/algorithms/clahe/clahe.hpp"
#include "gpu/cpu/kernels.hpp"

namespace cuda_filters::cpu {
namespace {

constexpr int count = 211;  // more than whole vectors
constexpr float share = 0.37f;

struct Case {
  std::vector<std::uint16_t> tables[4];
  std::vector<float> shares, together;
  FourTables four{};

  Case(const ClaheKernels& kernels, int bins, bool interleaves) {
    std::mt19937 random{7};
    for (int i = 0; i < 4; ++i) {
      for (int bin = 0; bin < bins; ++bin)
        tables[i].push_back(static_cast<std::uint16_t>(random() % bins));
      tables[i].push_back(0);
      four.of[i] = tables[i].data();
    }
    for (int i = 0; i < count; ++i) shares.push_back(static_cast<float>(i) / count);
    four.share = share;
    if (!interleaves) return;
    together.resize(std::size_t{4} * bins);
    kernels.interleave(four.of, bins, together.data());
    four.together = together.data();
  }
  int at(int code, int i) const {
    return clahe::interpolated(tables[0][code], tables[1][code], tables[2][code], tables[3][code],
                               shares[i], share);
  }
};

/// Calls f(level, case, bins) for each level and kind of tables.
template <class F>
void for_cases(F f) {
  for (const Level& level : levels()) {
    f(level, Case{*level.clahe_kernels, 256, true}, 256);
    f(level, Case{*level.clahe_kernels, 256, false}, 256);
    f(level, Case{*level.clahe_kernels, 65536, false}, 65536);
  }
}

template <class Stored, class Kernel>
void expect_codes(Kernel equalize, const Level& level, const Case& of) {
  std::mt19937 random{1};
  for (const int channels : {1, 2}) {
    std::vector<Stored> from(std::size_t(channels) * count), to(from.size(), 3);
    for (Stored& code : from) code = static_cast<Stored>(random());
    from[0] = 0, from[1] = static_cast<Stored>(~0);
    equalize(of.four, of.shares.data(), count, channels, from.data(), to.data());
    for (int i = 0; i < count * channels; ++i)
      ASSERT_EQ(to[i], i % channels == 0 ? of.at(from[i], i / channels) : 3)
          << level.name << ", " << i;
  }
}

TEST(ClaheKernels, EqualizeCodes) {
  for_cases([](const Level& level, const Case& of, int bins) {
    if (bins == 256)
      expect_codes<std::uint8_t>(level.clahe_kernels->equalize_bytes, level, of);
    else
      expect_codes<std::uint16_t>(level.clahe_kernels->equalize_words, level, of);
  });
}

/// Colors within and beyond 0 … 1, of which some are not finite, and some pixels transparent.
std::vector<float> pixels() {
  std::mt19937 random{5};
  std::uniform_real_distribution<float> value{-0.3f, 1.4f};
  std::vector<float> floats(std::size_t{4} * count);
  for (float& number : floats) number = value(random);
  for (int i = 0; i < 4; ++i) floats[i] = 0.0f;
  for (int i = 0; i < 4; ++i) floats[4 + i] = 1.0f;
  floats[9] = std::numeric_limits<float>::quiet_NaN();
  floats[14] = std::numeric_limits<float>::infinity();
  floats[8 * 40] = -std::numeric_limits<float>::infinity();
  return floats;
}
Pixel pixel_of(const std::vector<float>& floats, int i) {
  return {floats[4 * i], floats[4 * i + 1], floats[4 * i + 2], floats[4 * i + 3]};
}

void expect_same(float got, float wanted, const Level& level, int i) {
  if (wanted != wanted)
    ASSERT_NE(got, got) << level.name << ", " << i;
  else
    ASSERT_EQ(std::bit_cast<unsigned>(got + 0.0f), std::bit_cast<unsigned>(wanted + 0.0f))
        << level.name << ", " << i;
}

TEST(ClaheKernels, EqualizePixels) {
  for_cases([](const Level& level, const Case& of, int bins) {
    const auto top = static_cast<float>(bins - 1);
    for (const auto& [lists, list, color] :
         {std::tuple{1, 0, true}, {1, 0, false}, {3, 0, true}, {3, 1, true}, {3, 2, true}}) {
      std::vector<float> floats = pixels();
      if (!color)
        for (int i = 0; i < count; ++i) floats[4 * i + 1] = floats[4 * i + 2] = floats[4 * i];
      const std::vector<float> before = floats;
      level.clahe_kernels->equalize_pixels(of.four, of.shares.data(), count, lists, list, color,
                                           top, floats.data());
      for (int i = 0; i < count; ++i) {
        Pixel wanted = pixel_of(before, i);
        const float value = clahe::counted_value(wanted, lists, list);
        const auto found = static_cast<float>(of.at(clahe::code_of(clahe::limited(value), top), i));
        if (lists == 1 && color) {
          wanted = clahe::with_luminance(wanted, value, found, top);
        } else {
          float& c = list == 0 ? wanted.r : list == 1 ? wanted.g : wanted.b;
          c = clahe::equalized(c, found, top);
          if (!color) wanted.g = wanted.b = wanted.r;
        }
        expect_same(floats[4 * i], wanted.r, level, i);
        expect_same(floats[4 * i + 1], wanted.g, level, i);
        expect_same(floats[4 * i + 2], wanted.b, level, i);
        expect_same(floats[4 * i + 3], wanted.a, level, i);
      }
    }
  });
}

template <class Code, class Kernel>
void expect_counts(Kernel collect, const Level& level, int bins) {
  clahe::Tiling tiling{};
  tiling.bins = bins;
  const std::vector<float> floats = pixels();
  for (const int lists : {1, 3})
    for (int list = 0; list < lists; ++list) {
      tiling.lists = lists;
      std::vector<Code> codes(count);
      collect(floats.data(), count, lists, list, tiling.top(), codes.data());
      for (int i = 0; i < count; ++i)
        ASSERT_EQ(codes[i],
                  static_cast<Code>(clahe::counted_code(pixel_of(floats, i), tiling, list)))
            << level.name << ", " << i;
    }
}

TEST(ClaheKernels, CountPixels) {
  for (const Level& level : levels()) {
    expect_counts<std::uint16_t>(level.clahe_kernels->count_words, level, 256);
    expect_counts<std::uint32_t>(level.clahe_kernels->count_double_words, level, 65536);
  }
}

}  // namespace
}  // namespace cuda_filters::cpu
