// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The inner loops of ranks and of diffusion, at every level of the instruction set.
#include "gpu/algorithms/rank/rank_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "gpu/algorithms/diffusion/diffusion_kernels.hpp"
#include "gpu/cpu/kernels.hpp"

namespace cuda_filters::cpu {
namespace {

constexpr int count = 133, step = 3;

template <class Key>
std::vector<Key> random_keys(std::size_t size) {
  std::mt19937 random{4};
  std::vector<Key> keys(size);
  for (Key& key : keys) key = static_cast<Key>(random());
  return keys;
}

/// Four rows of medians against sorted windows.
template <class Key>
void expect_medians(const MedianKernel<Key>& kernel, const rank::Window& window,
                    const char* level) {
  const int radius = window.radius, rows = 2 * radius + 4, width = count + 2 * radius * step;
  const std::size_t stride = width + rank_slack;
  const std::vector<Key> keys = random_keys<Key>(stride * rows + rank_slack);
  std::vector<Key> memory(stride * (2 * radius + 1) * rows), medians(4 * stride);
  std::vector<const Key*> sorted_rows(rows);
  for (int row = 0; row < rows; ++row) {
    Key* sorted = memory.data() + stride * (2 * radius + 1) * row;
    kernel.sort_row(keys.data() + stride * row, step, count, sorted, stride);
    sorted_rows[row] = sorted;
  }
  kernel.four_rows(sorted_rows.data(), stride, count, medians.data());
  for (int below = 0; below < 4; ++below)
    for (int i = 0; i < count; ++i) {
      std::vector<Key> samples;
      for (int k = 0; k <= 2 * radius; ++k)
        for (int row = radius - window.reach[k]; row <= radius + window.reach[k]; ++row)
          samples.push_back(keys[stride * (below + row) + i + k * step]);
      const auto middle = samples.begin() + window.count / 2;
      std::ranges::nth_element(samples, middle);
      ASSERT_EQ(medians[below * stride + i], *middle)
          << level << (window.is_square() ? ", square of " : ", circle of ") << radius << ", "
          << sizeof(Key) << " bytes, row " << below << ", sample " << i;
    }
}

template <class Key>
void expect_medians(const MedianKernels<Key>& kernels, const char* level) {
  using rank::Shape;
  for (int radius = 1; radius <= rank::network_radius; ++radius) {
    expect_medians(kernels.squares[radius - 1], rank::Window{Shape::square, radius}, level);
    expect_medians(kernels.circles[radius - 1], rank::Window{Shape::circle, radius}, level);
  }
}

TEST(RankKernels, FindTheMediansOfSquaresAndCircles) {
  for (const Level& level : levels()) {
    expect_medians(level.rank_kernels->bytes, level.name);
    expect_medians(level.rank_kernels->words, level.name);
    expect_medians(level.rank_kernels->double_words, level.name);
  }
}

/// Bytes of given ranks among counted ones and more, which are as unlike them as `spread` says.
void expect_ranks(const RankKernels& kernels, int lanes, int pixels, int spread,
                  const char* level) {
  std::mt19937 random{static_cast<unsigned>(lanes + pixels + spread)};
  HistogramPair histograms{};
  std::array<std::vector<int>, 4> all;
  for (int i = 0; i < 500; ++i)
    for (int c = 0; c < lanes; ++c) {
      const int byte = static_cast<int>(90 + random() % 40);
      ++histograms[random() % 2][c][1 + byte];
      all[c].push_back(byte);
    }
  std::vector<std::uint8_t> more(static_cast<std::size_t>(pixels) * lanes + rank_slack);
  for (int i = 0; i < pixels * lanes; ++i) {
    more[i] =
        static_cast<std::uint8_t>(std::clamp<int>(110 + random() % (2 * spread) - spread, 0, 255));
    all[i % lanes].push_back(more[i]);
  }
  for (auto& bytes : all) std::ranges::sort(bytes);
  for (const int start : {0, 109, 255})
    for (const double where : {0.0, 0.03, 0.5, 0.97, 1.0}) {
      RankSearch search{};
      for (int k = 0; k < 4; ++k) {
        const auto& bytes = all[k % lanes];
        search.rank[k] = static_cast<int>(where * static_cast<double>(bytes.size() - 1));
        search.found[k] = start;
        for (int byte = 0; byte < start; ++byte)
          search.below[k] +=
              histograms[0][k % lanes][1 + byte] + histograms[1][k % lanes][1 + byte];
      }
      kernels.search(histograms, more.data(), pixels * lanes, lanes, search);
      for (int k = 0; k < 4; ++k) {
        const auto& bytes = all[k % lanes];
        const int wanted = bytes[search.rank[k]];
        const auto below = std::ranges::lower_bound(bytes, wanted) - bytes.begin();
        ASSERT_EQ(search.found[k], wanted) << level << ", " << lanes << " lanes, lane " << k;
        ASSERT_EQ(search.residual[k], search.rank[k] - below) << level << ", lane " << k;
      }
    }
}

TEST(RankKernels, SearchHistogramsAndMore) {
  for (const Level& level : levels())
    for (const int lanes : {1, 2, 4})
      for (const int pixels : {1, 41, 123, 7000})
        for (const int spread : {1, 20, 200})
          expect_ranks(*level.rank_kernels, lanes, pixels, spread, level.name);
}

TEST(RankKernels, CountWhatIsBelow) {
  // More than the bytes of a sum hold, and all of them below the limit in one column.
  const auto bytes = random_keys<std::uint8_t>(std::size_t{rank_slack} * 200);
  const std::array<std::uint8_t, 8> limits{0, 1, 40, 128, 200, 254, 255, 7};
  std::array<int, 8> wanted{};
  for (std::size_t i = 0; i < bytes.size(); ++i) wanted[i % 8] += bytes[i] < limits[i % 8];
  for (const Level& level : levels()) {
    std::array<int, 8> below{};
    level.rank_kernels->count_below(bytes.data(), static_cast<int>(bytes.size()), limits.data(),
                                    below.data());
    EXPECT_EQ(below, wanted) << level.name;
  }
}

TEST(DiffusionKernels, FlowAsTheFormulaSays) {
  using diffusion::Conductance;
  std::mt19937 random{5};
  std::normal_distribution<float> normal{0.0f, 0.3f};
  std::vector<float> memory(std::size_t{12} * (count + lanes));
  for (float& value : memory) value = normal(random);
  const auto channels = [&](int number) {
    Channels rows{};
    for (int c = 0; c < 4; ++c) rows.row[c] = memory.data() + (4 * number + c) * (count + lanes);
    return rows;
  };
  const Channels from = channels(0), to = channels(1), flow = channels(2);
  for (const Level& level : levels())
    for (int conductance = 0; conductance < 4; ++conductance)
      for (const bool coupled : {false, true}) {
        const diffusion::DiffusionSettings settings{Conductance{conductance}, 1, 0.2, 70.0,
                                                    coupled};
        level.diffusion_kernels->flow(settings, 3, 4, from, to, count, flow);
        for (int i = 0; i < count; ++i) {
          std::array<double, 4> d;
          for (int c = 0; c < 4; ++c) d[c] = double{to.row[c][i]} - from.row[c][i];
          for (int c = 0; c < 4; ++c) {
            const double squared =
                (coupled ? d[0] * d[0] + d[1] * d[1] + d[2] * d[2] : d[c] * d[c]) *
                settings.inverse;
            const double rest = std::max(0.0, 1.0 - squared);
            const std::array g{1.0, std::exp(-squared), 1.0 / (1.0 + squared), rest * rest};
            EXPECT_NEAR(flow.row[c][i], g[conductance] * d[c], 1e-6)
                << level.name << ' ' << conductance << ' ' << coupled;
          }
        }
      }
}

}  // namespace
}  // namespace cuda_filters::cpu
