// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/separable/covering_cpu.hpp"

#include <algorithm>

#include "gpu/algorithms/separable/sum_kernels.hpp"
#include "gpu/cpu/image.hpp"

namespace cuda_filters::cpu {
namespace {

/// Gives out rows that are summed along themselves.
class SummedRows final : public RowReader {
 public:
  SummedRows(const RowReader& in, const covering::Axis& axis)
      : in_{in}, axis_{axis}, windows_(axis.size, IndexRange{0, axis.size}) {}
  void load(int x, int y, int count, float* pixels) const override {
    thread_local RowBuffer row;
    row.resize(axis_.size);
    in_.load(0, y, axis_.size, row.floats());
    sum_kernels().resample_row(row.floats(), 0, &windows_[x],
                               &axis_.weights[static_cast<std::size_t>(x) * axis_.size], axis_.size,
                               count, pixels);
  }

 private:
  const RowReader& in_;
  const covering::Axis& axis_;
  std::vector<IndexRange> windows_;
};

/// Sums along the columns of `in`, which has all rows of the image.
void sum_columns(const Image& in, Rect area, const covering::Axis& axis, const RowWriter& out) {
  parallel_for(area.height, [&](int i) {
    const int y = area.y + i;
    thread_local RowBuffer sums;
    sums.resize(area.width);
    std::vector<const float*> rows(axis.size);
    std::vector<float> weights;
    for (int k = 0; k < axis.size; ++k) {
      rows[k] = in.row(area.x, k);
      weights.insert(weights.end(), lanes,
                     axis.weights[static_cast<std::size_t>(y) * axis.size + k]);
    }
    sum_kernels().weighted_sum(rows.data(), weights.data(), axis.size, sums.floats(),
                               std::size_t{4} * area.width);
    out.store(area.x, y, area.width, sums.floats());
  });
}

}  // namespace

void with_covering(const RowReader& in, Rect area, int halo_x, const covering::Axis& across,
                   const covering::Axis& down, const RowWriter& out, const SumArea& sum) {
  const SummedRows summed{in, across};
  const RowReader& rows = across ? summed : in;
  if (!down) return sum(rows, area, out);
  // In strips, so that the rows do not take much memory; they share what surrounds them.
  constexpr int pixels = 1 << 21;
  const int width = std::max(pixels / down.size, 4 * halo_x);
  for (int x = area.x; x < area.right(); x += width) {
    const Rect strip{x, area.y, std::min(width, area.right() - x), area.height};
    Image image{{strip.x, 0, strip.width, down.size}};
    sum(rows, image.area(), ImageWriter{image});
    sum_columns(image, strip, down, out);
  }
}

}  // namespace cuda_filters::cpu
