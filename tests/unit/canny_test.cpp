// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// How components of bands become one.
#include "gpu/core/canny.hpp"

#include <gtest/gtest.h>

namespace cuda_filters::canny {
namespace {

TEST(Joints, JoinAlongAChainThatTurnsBack) {
  const auto w = [](int label) { return code(label, weak); };
  Joints joints;
  // Two lines go down through three bands; they meet at the bottom, and one is strong at the top.
  joints.add(0, {0, 0, 0, 0, 0, 0}, {code(4, strong), 0, 0, 0, 0, w(9)});
  joints.add(10, {0, w(1), 0, 0, w(2), 0}, {w(1), 0, 0, 0, w(2), 0});
  joints.add(20, {0, w(7), w(7), w(7), 0, 0}, {w(8), 0, 0, 0, 0, 0});
  EXPECT_TRUE(joints.raised(10).empty());
  joints.join();
  EXPECT_EQ(joints.raised(0), (std::vector{9}));
  EXPECT_EQ(joints.raised(10), (std::vector{1, 2}));
  EXPECT_EQ(joints.raised(20), (std::vector{7}));
  EXPECT_TRUE(joints.raised(30).empty());
}

TEST(Joints, LeaveWeakChainsAlone) {
  Joints joints;
  joints.add(0, {0, 0}, {code(0, weak), 0});
  joints.add(5, {0, code(3, weak)}, {0, 0});
  joints.join();
  EXPECT_TRUE(joints.raised(0).empty());
  EXPECT_TRUE(joints.raised(5).empty());
}

TEST(Settings, KeepThresholdsBelowWhatTheyAre) {
  const Settings settings{0.0, 50.1, 120.0, true, Channel::luminance, false};
  EXPECT_LE(static_cast<double>(settings.low), 50.1 * 50.1);
  EXPECT_EQ(settings.high, 14400.0f);
  EXPECT_EQ(settings.radius(), 0);
}

}  // namespace
}  // namespace cuda_filters::canny
