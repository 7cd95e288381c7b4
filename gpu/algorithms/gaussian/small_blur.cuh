// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/tiles.cuh"

// A blur of 8-bit RGBA with few, symmetric weights along both axes, in one kernel: beside the
// picture's bytes nothing goes through the GPU's memory. (Floats, which are four times as many
// bytes, would be no faster than with separable_sums().)

namespace cuda_filters::cuda {

/// The weights of both axes by their distance from the middle, by value in a kernel's parameters.
template <int radius>
struct RadiusWeights {
  float across[radius + 1]{}, down[radius + 1]{};

  /// From up to 2 · radius + 1 weights each.
  RadiusWeights(const std::vector<float>& across, const std::vector<float>& down) {
    std::copy(across.begin() + static_cast<int>(across.size() / 2), across.end(), this->across);
    std::copy(down.begin() + static_cast<int>(down.size() / 2), down.end(), this->down);
  }
};

/// A premultiplied pixel as 8-bit RGBA whose colors have curves that follow a formula, or none.
/// The formula alone decides: sums are not exact to where two codes meet.
__device__ inline unsigned encoded_sum(Pixel p, const TransferTerms& terms) {
  // 2^23 plus a code: the code is its lowest byte.
  const auto code = [](float share) {
    return __float_as_uint(fmaf(__saturatef(share), 255.0f, 0x1p23f));
  };
  const float scale = reciprocal(p.a);
  const auto color = [&](float sum) { return code(encoded(sum * scale, terms)); };
  return pixel_of(color(p.r), color(p.g), color(p.b), code(p.a));
}

constexpr int small_columns = 256, small_rows = 8;
/// How many rows a tile has at most.
constexpr int small_height = 512;
/// How many neighbors in a row a thread sums at a time.
constexpr int small_sums = 4;
/// For how many blocks of a kernel a multiprocessor shall have registers.
template <int radius>
constexpr int small_blocks = radius <= 4 ? 3 : 2;

/// Each thread goes down a column of a tile and keeps the sums of all rows to come that the rows so
/// far take part in. Of every eight rows the sums go to shared memory, where each warp sums up one
/// of these rows. All add their pixels in the same order, so that bits do not depend on the tile.
/// What is written is the sum, or finish(sum, finish.fetch(x, y)).
template <int radius, class Finish>
__global__ void __launch_bounds__(small_columns, small_blocks<radius>)
    small_blur_kernel(Tiles tiles, Input in, const __grid_constant__ RadiusWeights<radius> weights,
                      Finish finish, Output out) {
  __shared__ Pixel rows[small_rows][small_columns + small_columns / 8];
  __shared__ float values[4][256];
  // From `radius` above the tile on. `row_masks` has all bits, or none outside of a transparent
  // border.
  constexpr int max_slots = small_height + 2 * radius + 2 * small_rows;
  __shared__ unsigned slots[max_slots], row_masks[max_slots];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int x = tiles.x(blockIdx.x), y = tiles.y(blockIdx.x);
  const int width = min(tiles.width, tiles.area.right() - x);
  const int height = min(tiles.height, tiles.area.bottom() - y);
#pragma unroll
  for (int c = 0; c < 4; ++c)
    values[c][thread] = decode_code(thread, 255.0f, c < 3 ? in.curves.values[c] : nullptr);
  // Where weights are 0, any pixel will do.
  for (int i = thread; i < height + 2 * radius + 2 * small_rows; i += small_columns) {
    const int slot = in.rows[max(0, min(y - radius + i - in.area.y, in.area.height - 1))];
    slots[i] = static_cast<unsigned>(max(slot, 0));
    row_masks[i] = slot < 0 ? 0u : ~0u;
  }
  const int column = in.columns[max(0, min(x - radius + thread - in.area.x, in.area.width - 1))];
  const unsigned column_mask = column < 0 ? 0u : ~0u;
  const std::byte* const in_column = in.store + max(column, 0) * sizeof(unsigned);
  const auto slot_bytes = static_cast<unsigned>(in.slot_bytes);
  __syncthreads();

  const auto fetch = [&](int i) {
    const std::byte* const pixel = in_column + std::uint64_t{slots[i]} * slot_bytes;
    return __ldg(reinterpret_cast<const unsigned*>(pixel));
  };
  Pixel down[2 * radius]{};  // the sums of the next rows
  const auto sum_down = [&](unsigned pixel, int row) {
    pixel &= column_mask & row_masks[row];
    const float a = values[3][pixel >> 24];
    const Pixel p{values[0][pixel & 255] * a, values[1][pixel >> 8 & 255] * a,
                  values[2][pixel >> 16 & 255] * a, a};
    const auto added = [&](Pixel sum, int distance) {
      const float weight = weights.down[distance < 0 ? -distance : distance];
      add(sum, p, weight, weight);
      return sum;
    };
    const Pixel complete = added(down[0], radius);
#pragma unroll
    for (int i = 0; i < 2 * radius - 1; ++i) down[i] = added(down[i + 1], radius - 1 - i);
    down[2 * radius - 1] = p * weights.down[radius];
    return complete;
  };

#pragma unroll 1
  for (int half = 0; half < 2; ++half) {
    unsigned pixels[radius];
#pragma unroll
    for (int i = 0; i < radius; ++i) pixels[i] = fetch(half * radius + i);
#pragma unroll
    for (int i = 0; i < radius; ++i) sum_down(pixels[i], half * radius + i);
  }
  unsigned pixels[small_rows];
#pragma unroll
  for (int i = 0; i < small_rows; ++i) pixels[i] = fetch(2 * radius + i);
#pragma unroll 1
  for (int top = 0; top < height; top += small_rows) {
#pragma unroll
    for (int i = 0; i < small_rows; ++i)
      rows[i][spread(thread)] = sum_down(pixels[i], top + 2 * radius + i);
#pragma unroll
    // What is asked for here comes while the rows are summed.
    for (int i = 0; i < small_rows; ++i) pixels[i] = fetch(top + small_rows + 2 * radius + i);
    __syncthreads();
    Pixel* const row = rows[warp];
    const int result_y = y + top + warp;
#pragma unroll 1
    for (int first = 0; first < width && top + warp < height; first += 32 * small_sums) {
      const int mine = first + lane * small_sums;
      // row[spread(mine + k)] for constants k.
      Pixel* const halves[2] = {row + spread(mine), row + spread(mine + 4)};
      const auto at = [&](int k) -> Pixel& { return halves[k / 4 % 2][k / 8 * 9 + k % 4]; };
      Pixel across[small_sums]{};
      if (mine < width)
#pragma unroll
        for (int k = 0; k < small_sums + 2 * radius; ++k) {
          const Pixel p = at(k);
#pragma unroll
          for (int i = 0; i < small_sums; ++i) {
            const int distance = k - i - radius;
            if (distance < -radius || distance > radius) continue;
            const float weight = weights.across[distance < 0 ? -distance : distance];
            add(across[i], p, weight, weight);
          }
        }
      // So that a warp writes 32 neighbors. The sums take the place of what no further sum needs.
      warp::sync();
      if (mine < width)
#pragma unroll
        for (int i = 0; i < small_sums; ++i) at(i) = across[i];
      warp::sync();
      const int left = first + lane;
      const Pixel* const from = row + spread(left);
      Pixel results[small_sums];
#pragma unroll
      for (int i = 0; i < small_sums; ++i) results[i] = from[spread(32 * i)];
      if constexpr (requires { finish.fetch(x, y); }) {
        decltype(finish.fetch(x, y)) fetched[small_sums];
#pragma unroll
        for (int i = 0; i < small_sums; ++i)
          fetched[i] = finish.fetch(x + min(left + 32 * i, width - 1), result_y);
#pragma unroll
        for (int i = 0; i < small_sums; ++i) results[i] = finish(results[i], fetched[i]);
      }
      unsigned codes[small_sums];
#pragma unroll
      for (int i = 0; i < small_sums; ++i) codes[i] = encoded_sum(results[i], out.curves.encoding);
      auto* const to = reinterpret_cast<unsigned*>(out.at(x + left, result_y, sizeof(unsigned)));
#pragma unroll
      for (int i = 0; i < small_sums; ++i) {
        if (left + 32 * i >= width) continue;
        if (colorless(results[i].a))
          codes[i] = *reinterpret_cast<const unsigned*>(
                         in.at(x + left + 32 * i, result_y, sizeof(unsigned))) &
                     0xffffffu;
        to[32 * i] = codes[i];
      }
    }
    __syncthreads();
  }
}

/// Tiles of whole columns' pieces, so high that all blocks end at about the same time if
/// `at_once` run at a time; `lost`: the rows that each reads in vain.
inline Tiles balanced_tiles(Rect area, int max_width, unsigned at_once, int lost) {
  const auto up = [](int a, int b) { return (a + b - 1) / b; };
  const int across = up(area.width, max_width);
  Tiles best{area, up(up(area.width, across), 8) * 8, 0};
  long long least = 0;
  for (unsigned waves = 1; waves <= 4; ++waves) {
    const int down = std::max(1, static_cast<int>(waves * at_once) / across);
    Tiles tiles = best;
    tiles.height = std::min(up(up(area.height, down), small_rows) * small_rows, small_height);
    const long long rows = (tiles.count() + at_once - 1) / at_once * (0LL + tiles.height + lost);
    if (best.height == 0 || rows < least) best.height = tiles.height, least = rows;
  }
  return best;
}

template <int radius, class Finish>
void launch_small_blur(cudaStream_t stream, const Input& in, const Output& out,
                       const std::vector<float>& across, const std::vector<float>& down,
                       Finish finish) {
  const auto kernel = small_blur_kernel<radius, Finish>;
  const Tiles tiles =
      balanced_tiles(out.area, (small_columns - 2 * radius) / 8 * 8,
                     blocks_at_once(kernel, small_columns, 0), 2 * radius + small_rows);
  kernel<<<tiles.count(), small_columns, 0, stream>>>(
      tiles, in, RadiusWeights<radius>{across, down}, finish, out);
  check(cudaGetLastError());
}

/// Weights without those at both ends that are less than `negligible` together.
inline std::vector<float> without_ends(std::vector<float> weights, float negligible) {
  float ends = 2.0f * weights.front();
  while (weights.size() > 1 && ends < negligible) {
    weights = {weights.begin() + 1, weights.end() - 1};
    ends += 2.0f * weights.front();
  }
  return weights;
}

/// Blurs 8-bit RGBA whose colors have curves that follow a formula, or none, and are weighted by
/// alpha, and takes the sums through `finish`; false if this is another image or there are too many
/// weights.
template <class Finish>
bool small_blur(cudaStream_t stream, const Input& in, const Output& out,
                const std::vector<float>& across, const std::vector<float>& down, Finish finish) {
  const bool curved = in.curves.values[0] != nullptr;
  if (!is_plain_rgba(in, SampleType::u8) || in.alpha != Alpha::premultiplied ||
      (curved && in.curves.margin <= 0.0f))
    return false;
  const auto launch = [&]<int radius>() {
    const bool fits = std::max(across.size(), down.size()) <= 2 * radius + 1;
    if (fits) launch_small_blur<radius>(stream, in, out, across, down, finish);
    return fits;
  };
  // The radii of sigma 1, of the initial 1.5, and of 2, in 8 bits.
  return launch.template operator()<4>() || launch.template operator()<7>() ||
         launch.template operator()<9>();
}

}  // namespace cuda_filters::cuda
