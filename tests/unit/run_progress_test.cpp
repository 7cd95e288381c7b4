// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/run_progress.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace cuda_filters {
namespace {

TEST(RunProgress, CountsSweepsAndRows) {
  std::vector<double> told;
  const Progress tell = [&](double fraction) { told.push_back(fraction); };
  RunProgress progress{tell, 2 * 50, 100};
  progress.analyzed(25);
  progress.ask();
  progress.analyzed(50);
  progress.end_pass(50);
  progress.analyzed(10);
  progress.end_analysis();  // one pass was enough
  progress.computed(60);
  progress.computed(100);
  EXPECT_EQ(told, (std::vector{0.125, 0.125, 0.25, 0.3, 0.8, 1.0}));
}

TEST(RunProgress, LearnsHowLargeANewImageIs) {
  std::vector<double> told;
  const Progress tell = [&](double fraction) { told.push_back(fraction); };
  RunProgress progress{tell, 50, 50};
  progress.analyzed(50);
  progress.end_pass(50);
  progress.set_rows_to_compute(150);
  progress.computed(50);
  EXPECT_EQ(told, (std::vector{0.5, 0.5}));
}

}  // namespace
}  // namespace cuda_filters
