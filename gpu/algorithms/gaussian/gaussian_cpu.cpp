// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "gpu/algorithms/gaussian/blur_rows.hpp"
#include "gpu/algorithms/gaussian/gaussian_blur.hpp"
#include "gpu/algorithms/separable/channel_cpu.hpp"
#include "gpu/algorithms/separable/covering_cpu.hpp"
#include "gpu/algorithms/separable/sum_kernels.hpp"
#include "gpu/algorithms/separable/taps.hpp"
#include "gpu/cpu/image.hpp"

namespace cuda_filters::cpu {
namespace {

using gaussian::Axes;
using gaussian::Axis;
using gaussian::IndexSpan;

/// Takes blurred rows and writes sharpened ones.
class SharpeningWriter final : public RowWriter {
 public:
  SharpeningWriter(const Input& in, const Sharpen& sharpen, const RowWriter& out)
      : in_{in}, sharpen_{sharpen}, out_{out} {}
  void store(int x, int y, int count, const float* pixels) const override {
    thread_local RowBuffer originals;
    originals.resize(count);
    in_.load(x, y, count, originals.floats());
    Pixel* sharpened = originals.pixels();
    const Pixel* blurred = reinterpret_cast<const Pixel*>(pixels);
    for (int i = 0; i < count; ++i) sharpened[i] = sharpen_(sharpened[i], blurred[i]);
    out_.store(x, y, count, originals.floats());
  }

 private:
  const Input& in_;
  const Sharpen& sharpen_;
  const RowWriter& out_;
};

/// The weights of a vertical sum: one pair of lanes a tap.
template <class Weights>
std::vector<float> spread(const Weights& weights) {
  std::vector<float> lanes_of_weights;
  for (const float weight : weights) lanes_of_weights.insert(lanes_of_weights.end(), lanes, weight);
  return lanes_of_weights;
}

/// Smooths and decimates strips of rows, each from top to bottom, with the fine rows in a ring.
class Decimation {
 public:
  Decimation(const RowReader& in, Axes axes, Image& out)
      : in_{in}, axes_{axes}, out_{out}, down_{spread(gaussian::decimate_weights())} {
    for (const float weight : gaussian::decimate_weights())
      across_.insert(across_.end(), 4, weight);
  }

  void run() {
    const Rect area = out_.area();
    const int strip = axes_.y ? 64 : 16;
    parallel_for((area.height + strip - 1) / strip, [&](int i) {
      const int y = area.y + strip * i;
      run_strip(y, std::min(y + strip, area.bottom()));
    });
  }

 private:
  void run_strip(int begin, int end) {
    RowBuffer raw;
    if (!axes_.y) {
      for (int y = begin; y < end; ++y) fetch(y, raw, out_.row(out_.area().x, y));
      return;
    }
    constexpr int taps = gaussian::decimate_taps;
    std::vector<RowBuffer> ring(taps, RowBuffer(out_.area().width));
    const auto ring_row = [&](int y) { return ring[((y % taps) + taps) % taps].floats(); };
    const float* inputs[taps];
    int next = gaussian::fine_for({begin, begin + 1}).begin;
    for (int k = begin; k < end; ++k) {
      const IndexSpan fine = gaussian::fine_for({k, k + 1});
      for (; next < fine.end; ++next) fetch(next, raw, ring_row(next));
      for (int t = 0; t < taps; ++t) inputs[t] = ring_row(fine.begin + t);
      // The slack of the row's end belongs to this row alone, as every image row has its own.
      sum_kernels().weighted_sum(inputs, down_.data(), taps, out_.row(out_.area().x, k),
                                 std::size_t{4} * out_.area().width);
    }
  }

  /// Row y of the input, decimated along x if that axis is.
  void fetch(int y, RowBuffer& raw, float* to) const {
    const Rect area = out_.area();
    if (!axes_.x) {
      in_.load(area.x, y, area.width, to);
      return;
    }
    const IndexSpan fine = gaussian::fine_for({area.x, area.right()});
    raw.resize(fine.end - fine.begin);
    in_.load(fine.begin, y, fine.end - fine.begin, raw.floats());
    sum_kernels().decimate_row(raw.floats(), across_.data(), area.width, to);
  }

  const RowReader& in_;
  Axes axes_;
  Image& out_;
  std::vector<float> down_, across_;
};

/// Interpolates `area` from a coarse image.
class Interpolation {
 public:
  Interpolation(const Image& in, Axes axes, Rect area, const RowWriter& out)
      : in_{in}, axes_{axes}, area_{area}, out_{out} {
    const auto phases = gaussian::interpolate_weights();
    for (const auto& weights : phases) down_.push_back(spread(weights));
    // Nine cells around a group of four pixels, each with the four pixels' weights for it.
    across_.assign(9 * lanes, 0.0f);
    for (int phase = 0; phase < gaussian::factor; ++phase)
      for (int j = 0; j < gaussian::interpolate_taps; ++j) {
        const int cell = gaussian::interpolate_first(phase) + j + gaussian::interpolate_reach;
        std::fill_n(across_.begin() + cell * lanes + phase * 4, 4, phases[phase][j]);
      }
  }

  void run() const {
    constexpr int strip = 16;
    parallel_for((area_.height + strip - 1) / strip, [&](int i) {
      RowBuffer coarse(in_.area().width), fine(area_.width + 2 * gaussian::factor);
      for (int y = strip * i; y < std::min(strip * (i + 1), area_.height); ++y)
        run_row(area_.y + y, coarse, fine);
    });
  }

 private:
  void run_row(int y, RowBuffer& coarse, RowBuffer& fine) const {
    const float* cells = interpolate_down(y, coarse);
    if (!axes_.x) {
      out_.store(area_.x, y, area_.width, cells);
      return;
    }
    const int reach = gaussian::interpolate_reach;
    const int first_group = gaussian::coarse_for({area_.x, area_.x + 1}).begin + reach;
    const int groups = gaussian::coarse_for({area_.x, area_.right()}).end - reach - first_group;
    sum_kernels().interpolate_row(cells, across_.data(), groups, fine.floats());
    const int skipped = area_.x - gaussian::factor * first_group;
    out_.store(area_.x, y, area_.width, fine.floats() + std::size_t{4} * skipped);
  }

  /// The cells of fine row y: of the coarse columns, or of the fine ones if x is not coarse.
  const float* interpolate_down(int y, RowBuffer& buffer) const {
    const int x = in_.area().x;
    if (!axes_.y) return in_.row(x, y);
    const int group = gaussian::coarse_for({y, y + 1}).begin + gaussian::interpolate_reach;
    const int phase = y - gaussian::factor * group;
    const float* inputs[gaussian::interpolate_taps];
    for (int t = 0; t < gaussian::interpolate_taps; ++t)
      inputs[t] = in_.row(x, group + gaussian::interpolate_first(phase) + t);
    sum_kernels().weighted_sum(inputs, down_[phase].data(), gaussian::interpolate_taps,
                               buffer.floats(), std::size_t{4} * in_.area().width);
    return buffer.floats();
  }

  const Image& in_;
  Axes axes_;
  Rect area_;
  const RowWriter& out_;
  std::vector<std::vector<float>> down_;
  std::vector<float> across_;
};

void blur(const RowReader& in, Rect area, Axis across, Axis down, const RowWriter& out) {
  const Axes axes{across.decimates(), down.decimates()};
  if (!axes.x && !axes.y) {
    sum_neighbors(in, area, Taps::along_x(across.weights()), Taps::along_y(down.weights()), {},
                  out);
    return;
  }
  if (axes.x) across = across.coarse();
  if (axes.y) down = down.coarse();
  const Rect coarse = gaussian::coarse_area(area, axes);
  Image decimated{coarse.grown(across.halo(), down.halo())};
  Decimation{in, axes, decimated}.run();
  Image blurred{coarse};
  blur(decimated, coarse, across, down, ImageWriter{blurred});
  Interpolation{blurred, axes, area, out}.run();
}

/// The same for an image that may be small beside the halo of an axis.
void blur(const Input& in, Rect area, Axis across, Axis down, Border border, const RowWriter& out) {
  const auto [width, height] = in.image().size();
  covering::Axis columns, rows;
  if (covering::applies(in.is_temporary(), width, area.columns()))
    columns = across.covering(width, border);
  if (covering::applies(in.is_temporary(), height, area.rows()))
    rows = down.covering(height, border);
  if (columns) across = {0.0};
  if (rows) down = {0.0};
  with_covering(in, area, across.halo(), columns, rows, out,
                [=](const RowReader& from, Rect part, const RowWriter& to) {
                  blur(from, part, across, down, to);
                });
}

}  // namespace

void blur_rows(const RowReader& in, Rect area, double sigma_x, double sigma_y,
               const RowWriter& out) {
  blur(in, area, {sigma_x}, {sigma_y}, out);
}

void gaussian_blur(Exec&, const Input& in, const Output& out, double sigma_x, double sigma_y,
                   Border border) {
  blur(in, out.area(), {sigma_x}, {sigma_y}, border, out);
}

void gaussian_blur(Exec& exec, const Channel& in, const Channel& out, double sigma_x,
                   double sigma_y, Border) {
  sum_channel(
      exec, in, out, Axis{sigma_y}.halo(),
      [=](const RowReader& from, Rect area, const RowWriter& to) {
        blur(from, area, {sigma_x}, {0.0}, to);
      },
      [=](const RowReader& from, Rect area, const RowWriter& to) {
        blur(from, area, {0.0}, {sigma_y}, to);
      });
}

void unsharp(Exec&, const Input& in, const Output& out, double sigma, const Sharpen& sharpen,
             Border border) {
  blur(in, out.area(), {sigma}, {sigma}, border, SharpeningWriter{in, sharpen, out});
}

}  // namespace cuda_filters::cpu
