// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/separable/channel_cpu.hpp"

#include <algorithm>

namespace cuda_filters::cpu {
namespace {

constexpr int together = 4;

/// Row y of these pixels is made of four rows of a channel, from the fourth part of `top` on.
class FourRows final : public RowReader {
 public:
  FourRows(const Channel& in, int top) : in_{in}, top_{top} {}
  void load(int x, int y, int count, float* pixels) const override {
    const float* rows[together];
    for (int k = 0; k < together; ++k) {
      // Rows beyond the last one give sums that nobody wants.
      const int row = std::min(top_ + together * y + k, in_.area().bottom() - 1);
      rows[k] = in_.row(x, row, count);
    }
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < together; ++k) pixels[together * i + k] = rows[k][i];
  }

 private:
  const Channel& in_;
  int top_;
};

/// Takes such rows apart.
class FourRowsWriter final : public RowWriter {
 public:
  explicit FourRowsWriter(const Channel& out) : out_{out} {}
  void store(int x, int y, int count, const float* pixels) const override {
    const int top = out_.area().y + together * y;
    for (int k = 0; k < std::min(together, out_.area().bottom() - top); ++k) {
      float* const to = out_.at(x, top + k);
      for (int i = 0; i < count; ++i) to[i] = pixels[together * i + k];
    }
  }

 private:
  const Channel& out_;
};

/// Pixels of which each is four of a channel side by side, with what fills up its rows.
class Quarters final : public RowReader, public RowWriter {
 public:
  explicit Quarters(const Channel& channel) : channel_{channel} {}
  void load(int x, int y, int count, float* pixels) const override {
    std::copy_n(at(x, y), std::size_t{together} * count, pixels);
  }
  void store(int x, int y, int count, const float* pixels) const override {
    std::copy_n(pixels, std::size_t{together} * count, at(x, y));
  }

 private:
  float* at(int x, int y) const { return channel_.at(channel_.area().x + together * x, y); }
  const Channel& channel_;
};

}  // namespace

void sum_channel(Exec& exec, const Channel& in, const Channel& out, int halo_y,
                 const SumArea& along_rows, const SumArea& along_columns) {
  const Rect area = out.area(), tall = area.grown(0, halo_y);
  const Channel middle = exec.channel(tall);
  along_rows(FourRows{in, tall.y}, {tall.x, 0, tall.width, (tall.height + together - 1) / together},
             FourRowsWriter{middle});
  along_columns(Quarters{middle}, {0, area.y, middle.stride() / together, area.height},
                Quarters{out});
}

}  // namespace cuda_filters::cpu
