// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/border.hpp"

#include <gtest/gtest.h>

#include <string>

namespace cuda_filters {
namespace {

std::string indices(int begin, int end, int size, Border border) {
  std::string text;
  for (int i = begin; i < end; ++i) {
    const int index = border_index(i, size, border);
    text += index < 0 ? '.' : static_cast<char>('0' + index);
  }
  return text;
}

TEST(Border, FollowsItsPatternFarBeyondTheEnds) {
  EXPECT_EQ(indices(-7, 10, 3, Border::clamp), "00000000122222222");
  EXPECT_EQ(indices(-7, 10, 3, Border::mirror), "00122100122100122");
  EXPECT_EQ(indices(-7, 10, 3, Border::reflect), "12101210121012101");
  EXPECT_EQ(indices(-7, 10, 3, Border::wrap), "20120120120120120");
  EXPECT_EQ(indices(-7, 10, 3, Border::transparent), ".......012.......");
}

TEST(Border, WrapOfTenColumnsTwoOut) {
  EXPECT_EQ(indices(-2, 12, 10, Border::wrap), "89012345678901");
}

TEST(Border, OnePixelFillsEverything) {
  for (const Border border : {Border::clamp, Border::mirror, Border::reflect, Border::wrap})
    EXPECT_EQ(indices(-3, 4, 1, border), "0000000");
}

TEST(Border, TakesIndicesBeyondTheRangeOfInt) {
  EXPECT_EQ(border_index(-(std::int64_t{1} << 40), 7, Border::clamp), 0);
  EXPECT_EQ(border_index((std::int64_t{1} << 40), 1 << 20, Border::wrap), 0);
}

}  // namespace
}  // namespace cuda_filters
