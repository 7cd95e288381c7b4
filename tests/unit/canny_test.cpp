// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// How components of bands become one.
#include "gpu/algorithms/canny/canny.hpp"

#include <gtest/gtest.h>

namespace cuda_filters::canny {
namespace {

TEST(BandLinks, JoinAlongAChainThatTurnsBack) {
  const auto w = [](int label) { return code(label, weak); };
  BandLinks links;
  // Two lines go down through three bands; they meet at the bottom, and one is strong at the top.
  links.add(0, {0, 0, 0, 0, 0, 0}, {code(4, strong), 0, 0, 0, 0, w(9)});
  links.add(10, {0, w(1), 0, 0, w(2), 0}, {w(1), 0, 0, 0, w(2), 0});
  links.add(20, {0, w(7), w(7), w(7), 0, 0}, {w(8), 0, 0, 0, 0, 0});
  EXPECT_TRUE(links.promoted(10).empty());
  links.join();
  EXPECT_EQ(links.promoted(0), (std::vector{9}));
  EXPECT_EQ(links.promoted(10), (std::vector{1, 2}));
  EXPECT_EQ(links.promoted(20), (std::vector{7}));
  EXPECT_TRUE(links.promoted(30).empty());
}

TEST(BandLinks, LeaveWeakChainsAlone) {
  BandLinks links;
  links.add(0, {0, 0}, {code(0, weak), 0});
  links.add(5, {0, code(3, weak)}, {0, 0});
  links.join();
  EXPECT_TRUE(links.promoted(0).empty());
  EXPECT_TRUE(links.promoted(5).empty());
}

TEST(CannySettings, KeepThresholdsBelowWhatTheyAre) {
  const CannySettings settings{0.0, 50.1, 120.0, true, Channel::luminance, false};
  EXPECT_LE(static_cast<double>(settings.low), 50.1 * 50.1);
  EXPECT_EQ(settings.high, 14400.0f);
  EXPECT_EQ(settings.radius(), 0);
}

}  // namespace
}  // namespace cuda_filters::canny
