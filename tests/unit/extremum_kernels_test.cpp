// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The inner loops of windows' extremes, at every level of the instruction set, and their windows.
#include "gpu/algorithms/extremum/extremum_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "gpu/algorithms/extremum/window.hpp"
#include "gpu/cpu/kernels.hpp"

namespace cuda_filters::cpu {
namespace {

constexpr std::size_t count = 211;

template <class Key>
std::vector<Key> random_keys(unsigned seed) {
  std::mt19937 random{seed};
  std::vector<Key> keys(count);
  for (Key& key : keys) key = static_cast<Key>(random());
  return keys;
}

template <class Key>
void expect_conversions(const ExtremumKernel<Key>& kernel, Key infinity, const char* level) {
  std::vector<Key> codes = random_keys<Key>(1), keys(count), back(count);
  codes[0] = 0, codes[1] = static_cast<Key>(~Key{0}), codes[2] = infinity,
  codes[3] = static_cast<Key>(infinity + 1),
  codes[4] = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
  for (const bool least : {false, true}) {
    kernel.to_keys(codes.data(), count, infinity, least, keys.data());
    kernel.to_codes(keys.data(), count, infinity, least, back.data());
    for (std::size_t i = 0; i < count; ++i) {
      const Key key = extremum::key_of(codes[i], infinity, least);
      ASSERT_EQ(keys[i], key) << level << ", " << i;
      ASSERT_EQ(back[i], extremum::code_of(key, infinity, least)) << level << ", " << i;
      const bool is_nan = infinity != 0 && key == 0;
      ASSERT_TRUE(is_nan || back[i] == codes[i]) << level << ", " << i;
    }
  }
}

template <class Key>
void expect_extremes(const ExtremumKernel<Key>& kernel, const char* level) {
  const std::vector<Key> a = random_keys<Key>(2), b = random_keys<Key>(3);
  const std::vector<Key> before = random_keys<Key>(4), other_before = random_keys<Key>(5);
  std::vector<Key> both(count), updated = before, one = before, other = other_before;
  kernel.larger(a.data(), b.data(), count, both.data());
  kernel.raise(a.data(), b.data(), count, updated.data());
  kernel.raise_two(a.data(), b.data(), count, one.data(), other.data());
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(both[i], std::max(a[i], b[i])) << level;
    ASSERT_EQ(updated[i], std::max({a[i], b[i], before[i]})) << level;
    ASSERT_EQ(one[i], updated[i]) << level;
    ASSERT_EQ(other[i], std::max({a[i], b[i], other_before[i]})) << level;
  }
}

TEST(ExtremumKernels, ConvertCodes) {
  for (const Level& level : levels()) {
    expect_conversions<std::uint8_t>(level.extremum_kernels->bytes, 0, level.name);
    expect_conversions<std::uint16_t>(level.extremum_kernels->words, 0, level.name);
    expect_conversions<std::uint16_t>(level.extremum_kernels->words, 0x7c00, level.name);
    expect_conversions<std::uint32_t>(level.extremum_kernels->double_words, 0x7f800000, level.name);
  }
}

TEST(ExtremumKernels, FindTheLarger) {
  for (const Level& level : levels()) {
    expect_extremes(level.extremum_kernels->bytes, level.name);
    expect_extremes(level.extremum_kernels->words, level.name);
    expect_extremes(level.extremum_kernels->double_words, level.name);
  }
}

TEST(Windows, HaveTheRowsOfTheirShapes) {
  using extremum::half_widths;
  using extremum::Shape;
  const Size large{5000, 5000};
  EXPECT_EQ(half_widths({Shape::disc, 2}, large), (std::vector{2, 2, 1}));
  EXPECT_EQ(half_widths({Shape::diamond, 3}, large), (std::vector{3, 2, 1, 0}));
  EXPECT_EQ(half_widths({Shape::square, 2}, large), (std::vector{2, 2, 2}));
  EXPECT_EQ(half_widths({Shape::horizontal, 9}, large), (std::vector{9}));
  EXPECT_EQ(half_widths({Shape::vertical, 2}, large), (std::vector{0, 0, 0}));
  // No farther than the image is large.
  EXPECT_EQ(half_widths({Shape::diamond, 9}, {4, 2}), (std::vector{4, 4, 4}));
  const std::vector<int> widest = half_widths({Shape::disc, 1000}, large);
  ASSERT_EQ(widest.size(), 1001u);
  for (int dy = 0; dy <= 1000; ++dy)
    for (const int dx : {widest[dy], widest[dy] + 1})
      EXPECT_EQ(dx * dx + dy * dy <= 1000.5 * 1000.5, dx == widest[dy]) << dy;
}

}  // namespace
}  // namespace cuda_filters::cpu
