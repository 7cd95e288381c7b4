// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <vector>

#include "gpu/algorithms/pixel_math/evaluate_formula.hpp"
#include "gpu/algorithms/pixel_math/pixel_math_kernels.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using pixel_math::max_registers;
using pixel_math::Program;

constexpr int max_count = PixelMathBlock::max_count;

/// Runs a program for rows of pixels of a layer.
class Runner {
 public:
  Runner(const Program& program, Size layer, bool gray)
      : program_{program}, layer_{layer}, gray_{gray}, constants_{program.constants_for(layer)} {}

  /// The memory of a thread that calls run().
  float* prepared_lines() const {
    thread_local std::vector<float> lines;
    lines.resize(std::size_t{max_count} * (max_registers + constants_.size()) + lanes);
    for (std::size_t i = 0; i < constants_.size(); ++i)
      std::fill_n(lines.begin() + max_count * (max_registers + i), max_count, constants_[i]);
    return lines.data();
  }

  /// `in` and `second`: as in a PixelMathBlock. `out` may be where `in` is.
  void run(int x, int y, int count, const Pixel* const* in, const Pixel* const* second,
           float* lines, Pixel* out) const {
    const PixelMathBlock block{
        x,     y,  count, static_cast<float>(layer_.width), static_cast<float>(layer_.height),
        gray_, in, second};
    pixel_math_kernels().run(program_, block, lines, out);
  }

  /// A row of pixels in place, which looks at nothing else.
  void run_row(int x, int y, int count, Pixel* pixels) const {
    float* const lines = prepared_lines();
    for (int first = 0; first < count; first += max_count) {
      const Pixel* const row = pixels + first;
      run(x + first, y, std::min(max_count, count - first), &row, &row, lines, pixels + first);
    }
  }

 private:
  const Program& program_;
  Size layer_;
  bool gray_;
  std::vector<float> constants_;
};

/// The rows of a picture around a tile, for a program that looks so far.
class Around {
 public:
  void load(const Input& in, Rect tile, Halo halo) {
    const Rect area = tile.grown(halo);
    halo_ = halo;
    buffers_.resize(std::max(buffers_.size(), static_cast<std::size_t>(area.height)));
    rows_.resize(area.height);
    for (int y = 0; y < area.height; ++y)
      rows_[y] = in.row(area.x, area.y + y, area.width, buffers_[y]) + halo.x;
  }
  const Pixel* const* at(int row) const { return rows_.data() + halo_.y + row; }

 private:
  Halo halo_{};
  std::vector<RowBuffer> buffers_;
  std::vector<const Pixel*> rows_;
};

}  // namespace

void evaluate_formula(Exec& exec, const Input& in, const Input* second, const Output& out,
                      const SharedProgram& program) {
  if (program == nullptr) return exec.copy(in, out);
  const bool gray = !in.codec().format.color;
  const Runner runner{*program, in.image().size(), gray};
  if (program->by_sample)
    return exec.map_rows(in, out, true,
                         [&](Pixel* pixels, int count) { runner.run_row(0, 0, count, pixels); });
  if (!program->reads_neighbors && !program->reads_second) {
    const Rect area = out.area();
    return parallel_for(area.height, [&](int row) {
      thread_local RowBuffer buffer;
      const int y = area.y + row;
      buffer.resize(area.width);
      in.load(area.x, y, area.width, buffer.floats());
      runner.run_row(area.x, y, area.width, buffer.pixels());
      out.store(area.x, y, area.width, buffer.floats());
    });
  }
  // Tiles that are large beside what lies around them.
  const int columns = program->halo.x > 8 || program->second_halo.x > 8 ? 2 * max_count : max_count;
  const int strip = program->halo.y > 8 || program->second_halo.y > 8 ? 128 : 32;
  for_tiles(out.area(), columns, strip, [&](Rect tile) {
    thread_local Around around, around_second;
    thread_local RowBuffer result;
    around.load(in, tile, program->halo);
    if (program->reads_second)
      around_second.load(second != nullptr ? *second : in, tile, program->second_halo);
    result.resize(tile.width);
    float* const lines = runner.prepared_lines();
    for (int y = 0; y < tile.height; ++y) {
      cancellation_point();
      for (int first = 0; first < tile.width; first += max_count) {
        thread_local std::vector<const Pixel*> rows, second_rows;
        const auto shifted = [first](const Around& from, Halo halo, int row,
                                     std::vector<const Pixel*>& to) {
          to.resize(2 * halo.y + 1);
          for (int dy = -halo.y; dy <= halo.y; ++dy) to[halo.y + dy] = from.at(row)[dy] + first;
          return to.data() + halo.y;
        };
        const Pixel* const* const here = shifted(around, program->halo, y, rows);
        const Pixel* const* const second_here =
            program->reads_second ? shifted(around_second, program->second_halo, y, second_rows)
                                  : here;
        runner.run(tile.x + first, tile.y + y, std::min(max_count, tile.width - first), here,
                   second_here, lines, result.pixels() + first);
      }
      out.store(tile.x, tile.y + y, tile.width, result.floats());
    }
  });
}

}  // namespace cuda_filters::cpu
