// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The inner loops of Canny's edges: the same bits from every level of the instruction set.
#include "gpu/algorithms/canny/edge_kernels.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "gpu/cpu/kernels.hpp"

namespace cuda_filters::cpu {
namespace {

constexpr int count = 83;

/// What all the loops make of random rows, one after the other.
std::vector<float> results(const EdgeKernels& kernels, bool squares) {
  std::mt19937 random{3};
  std::uniform_real_distribution<float> unit{-0.5f, 1.5f};
  std::vector<float> pixels(4 * count + lanes), all;
  std::vector<std::uint8_t> bytes(4 * count);
  for (float& value : pixels) value = unit(random);
  for (auto& code : bytes) code = static_cast<std::uint8_t>(random());
  const auto keep = [&](const float* row) { all.insert(all.end(), row, row + count); };
  std::vector<float> out(count + 2 * lanes);
  for (int c = 0; c < 5; ++c) {
    kernels.channel_of_pixels(pixels.data(), count, canny::Channel{c}, out.data());
    keep(out.data());
    for (const int samples : {1, 2, 3, 4}) {
      kernels.channel_of_bytes(bytes.data(), samples, count, canny::Channel{c}, out.data());
      keep(out.data());
    }
  }

  std::vector<std::vector<float>> rows(5, std::vector<float>(count + 3 * lanes));
  for (auto& row : rows)
    for (float& value : row) value = 255.0f * unit(random);
  const float* inputs[5];
  for (int t = 0; t < 5; ++t) inputs[t] = rows[t].data();
  const float weights[5] = {0.07f, 0.24f, 0.38f, 0.24f, 0.07f};
  kernels.sum_rows(inputs, weights, 5, count, out.data());
  keep(out.data());

  // Of five rows come five rows of slopes, three of sizes, and one of classes.
  std::vector<std::vector<float>> slopes(10, std::vector<float>(count + lanes));
  SlopeRow rows_of_slopes[5];
  for (int t = 0; t < 5; ++t) {
    rows_of_slopes[t] = {slopes[2 * t].data(), slopes[2 * t + 1].data()};
    kernels.slopes(inputs[t] + 1, count, rows_of_slopes[t]);
    keep(rows_of_slopes[t].difference), keep(rows_of_slopes[t].sum);
  }
  std::vector<std::vector<float>> sizes(3, std::vector<float>(count + 3 * lanes));
  const float* pointers[3];
  for (int i = 0; i < 3; ++i) {
    pointers[i] = sizes[i].data() + lanes;
    kernels.sizes(rows_of_slopes[i], rows_of_slopes[i + 1], rows_of_slopes[i + 2], count, squares,
                  sizes[i].data() + lanes);
    keep(pointers[i]);
  }
  std::vector<std::uint16_t> found(count / lanes + 1), strong(found.size());
  kernels.classify(pointers, rows_of_slopes[1], rows_of_slopes[2], rows_of_slopes[3], count,
                   squares ? 1e4f : 1e2f, squares ? 1e6f : 1e3f, found.data(), strong.data());
  for (int i = 0; i < count; ++i)
    for (const auto& bits : {found, strong})
      all.push_back(static_cast<float>(bits[i / lanes] >> i % lanes & 1));
  return all;
}

TEST(EdgeKernels, GiveTheSameBitsAtEveryLevel) {
  for (const bool squares : {false, true}) {
    const auto wanted = results(*levels().front().edge_kernels, squares);
    for (const Level& level : levels())
      EXPECT_EQ(results(*level.edge_kernels, squares), wanted) << level.name;
  }
}

TEST(EdgeKernels, LeaveCodesOfGrayAsTheyAre) {
  std::vector<std::uint8_t> gray(256), color;
  for (int i = 0; i < 256; ++i) {
    gray[i] = static_cast<std::uint8_t>(i);
    color.insert(color.end(), 3, gray[i]);
  }
  for (const Level& level : levels())
    for (int c = 0; c < 5; ++c) {
      std::vector<float> from_gray(256 + lanes), from_color(256 + lanes);
      level.edge_kernels->channel_of_bytes(gray.data(), 1, 256, canny::Channel{c},
                                           from_gray.data());
      level.edge_kernels->channel_of_bytes(color.data(), 3, 256, canny::Channel{c},
                                           from_color.data());
      for (int i = 0; i < 256; ++i) {
        EXPECT_EQ(from_gray[i], static_cast<float>(i));
        EXPECT_EQ(from_color[i], static_cast<float>(i)) << level.name << ' ' << c;
      }
    }
}

}  // namespace
}  // namespace cuda_filters::cpu
