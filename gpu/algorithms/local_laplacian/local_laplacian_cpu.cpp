// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cstddef>
#include <utility>

#include "gpu/algorithms/local_laplacian/local_laplacian_filter.hpp"
#include "gpu/algorithms/local_laplacian/local_laplacian_kernels.hpp"
#include "gpu/algorithms/pyramid/pyramid.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using local_laplacian::Change;
using local_laplacian::LocalContrastSettings;
using local_laplacian::Sampling;

/// Rows of floats, with room for whole vectors.
class Plane {
 public:
  explicit Plane(Size size)
      : size_{size},
        stride_{(static_cast<std::size_t>(size.width) + lanes - 1) / lanes * lanes},
        floats_(stride_ * size.height + lanes) {}
  Size size() const { return size_; }
  float* row(int y) { return floats_.data() + y * stride_; }
  const float* row(int y) const { return floats_.data() + y * stride_; }
  /// The row that is there, or the next to it.
  const float* nearest_row(int y) const { return row(std::clamp(y, 0, size_.height - 1)); }
  /// The rows of this level around row y of the level below.
  std::array<const float*, 3> rows_around(int y) const {
    const int row = y >> 1;
    return {nearest_row(row - 1), nearest_row(row), nearest_row(row + 1)};
  }

 private:
  Size size_;
  std::size_t stride_;
  std::vector<float> floats_;
};
using Pyramid = std::vector<Plane>;

/// Calls f(first row, last row + 1) for pieces of some rows, in this thread if there are few
/// pixels.
template <class F>
void for_strips(Size size, F f) {
  constexpr int strip = 16;
  constexpr double few = 4096.0;
  if (size.pixels() <= few) return f(0, size.height);
  parallel_for((size.height + strip - 1) / strip,
               [&](int i) { f(i * strip, std::min((i + 1) * strip, size.height)); });
}

/// REDUCE of rows that row(y, buffer) gives, each asked for once a strip.
template <class Row>
void reduce_rows(int width, int height, Plane& out, Row row) {
  constexpr int taps = 2 * pyramid::reduce_reach + 1;
  for_strips(out.size(), [&](int begin, int end) {
    thread_local std::vector<float> ring[taps], sums;
    for (auto& each : ring) each.resize(width + lanes);
    sums.resize(width + 4 + lanes);
    const float* found[taps] = {};
    int next = std::max(pyramid::fine_for({begin, begin + 1}).begin, 0);
    for (int y = begin; y < end; ++y) {
      const IndexRange needed = pyramid::fine_for({y, y + 1});
      for (; next < std::min(needed.end, height); ++next)
        found[next % taps] = row(next, ring[next % taps].data());
      const float* rows[taps];
      for (int k = 0; k < taps; ++k)
        rows[k] = found[std::clamp(needed.begin + k, 0, height - 1) % taps];
      local_laplacian_kernels().reduce(rows, width, sums.data(), out.row(y));
    }
  });
}

void reduce(const Plane& in, Plane& out) {
  reduce_rows(in.size().width, in.size().height, out, [&](int y, float*) { return in.row(y); });
}

/// Adds what is said by the pyramid of a sample, whose level 0 is not stored, to that of the
/// result.
void add_sample(const Change& change, const Sampling& sampling, int sample, const Pyramid& guide,
                Pyramid& sampled, Pyramid& sum) {
  const auto& kernels = local_laplacian_kernels();
  const float value = sampling.value(sample);
  const Size size = guide[0].size();
  reduce_rows(size.width, size.height, sampled[0], [&](int y, float* buffer) -> const float* {
    kernels.change(change, value, guide[0].row(y), size.width, buffer);
    return buffer;
  });
  for (std::size_t level = 1; level < sampled.size(); ++level)
    reduce(sampled[level - 1], sampled[level]);
  for (std::size_t level = 0; level < sum.size(); ++level) {
    const Plane& coarse = sampled[level];
    for_strips(sum[level].size(), [&](int begin, int end) {
      for (int y = begin; y < end; ++y) {
        const auto rows = coarse.rows_around(y);
        kernels.add_coefficients({change,
                                  value,
                                  static_cast<float>(sample),
                                  static_cast<float>(sampling.steps),
                                  sum[level].size().width,
                                  coarse.size().width,
                                  guide[level].row(y),
                                  level > 0 ? sampled[level - 1].row(y) : nullptr,
                                  {rows[0], rows[1], rows[2]},
                                  (y & 1) != 0,
                                  sum[level].row(y)});
      }
    });
  }
}

/// Puts into the place of luminances what is added to them.
void compute(Size size, const LocalContrastSettings& settings, std::vector<float>& floats) {
  const std::vector<Size> levels = local_laplacian::levels_of(size);
  const std::size_t count = levels.size() - 1;  // of coefficients: there are none of the last level
  const auto row = [&](int y) { return floats.data() + static_cast<std::size_t>(y) * size.width; };
  if (count == 0) return floats.assign(floats.size(), 0.0f);
  Pyramid guide, sampled, sum;
  for (std::size_t i = 0; i < count; ++i) {
    guide.emplace_back(levels[i]), sum.emplace_back(levels[i]);
    sampled.emplace_back(levels[i + 1]);
  }
  for (int y = 0; y < size.height; ++y) std::copy_n(row(y), size.width, guide[0].row(y));
  for (std::size_t i = 1; i < count; ++i) reduce(guide[i - 1], guide[i]);

  const Change change{settings};
  const Sampling sampling{settings};
  for (int sample = sampling.first(); sample <= sampling.last(); ++sample)
    add_sample(change, sampling, sample, guide, sampled, sum);

  for (std::size_t i = count - 1; i-- > 0;)
    for_strips(levels[i], [&](int begin, int end) {
      for (int y = begin; y < end; ++y)
        local_laplacian_kernels().add_expanded(sum[i + 1].rows_around(y).data(), (y & 1) != 0,
                                               levels[i + 1].width, levels[i].width, sum[i].row(y));
    });
  for (int y = 0; y < size.height; ++y) std::copy_n(sum[0].row(y), size.width, row(y));
}

void collect(const Input& in, IndexRange rows, const LocalContrastSettings& settings,
             std::vector<float>& floats) {
  const Size image = in.image().size();
  floats.resize(static_cast<std::size_t>(image.width) * image.height);
  parallel_for(rows.size(), [&](int i) {
    thread_local RowBuffer buffer;
    const int y = rows.begin + i;
    const Pixel* const pixels = in.row(0, y, image.width, buffer);
    float* const to = floats.data() + static_cast<std::size_t>(y) * image.width;
    for (int x = 0; x < image.width; ++x) to[x] = local_laplacian::luminance_of(pixels[x]);
  });
  if (rows.end == image.height) compute(image, settings, floats);
}

}  // namespace

void collect_luminance(Exec&, const Input& in, Rect area, const LocalContrastSettings& settings,
                       local_laplacian::Plane& plane) {
  collect(in, area.rows(), settings, plane.here);
}

void local_laplacian_filter(Exec&, const Input& in, const Output& out,
                            const LocalContrastSettings& settings,
                            const local_laplacian::Plane& plane) {
  std::vector<float> own;
  if (plane.here.empty()) collect(in, in.image().rows(), settings, own);
  const std::vector<float>& all = own.empty() ? plane.here : own;
  const Rect area = out.area();
  parallel_for(area.height, [&](int i) {
    thread_local RowBuffer buffer;
    buffer.resize(area.width);
    const int y = area.y + i;
    in.load(area.x, y, area.width, buffer.floats());
    const float* const more = all.data() + static_cast<std::size_t>(y) * in.image().width + area.x;
    Pixel* const pixels = buffer.pixels();
    for (int x = 0; x < area.width; ++x) pixels[x] = local_laplacian::with_more(pixels[x], more[x]);
    out.store(area.x, y, area.width, buffer.floats());
  });
}

}  // namespace cuda_filters::cpu
