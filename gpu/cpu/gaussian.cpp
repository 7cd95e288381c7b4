// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/gaussian.hpp"

#include <algorithm>

#include "gpu/cpu/taps.hpp"

namespace cuda_filters::cpu {
namespace {

using gaussian::Span;

/// An intermediate image.
class Image final : public RowReader {
 public:
  explicit Image(Rect area)
      : area_{area},
        stride_{std::size_t{4} * area.width + lanes},
        floats_{new float[stride_ * area.height]} {}

  Rect area() const { return area_; }
  float* row(int x, int y) { return floats_.get() + offset(x, y); }
  const float* row(int x, int y) const { return floats_.get() + offset(x, y); }
  void load(int x, int y, int count, float* pixels) const override {
    std::copy_n(row(x, y), std::size_t{4} * count, pixels);
  }

 private:
  std::size_t offset(int x, int y) const {
    return static_cast<std::size_t>(y - area_.y) * stride_ + std::size_t{4} * (x - area_.x);
  }
  Rect area_;
  std::size_t stride_;
  std::unique_ptr<float[]> floats_;
};

class ImageWriter final : public RowWriter {
 public:
  explicit ImageWriter(Image& image) : image_{image} {}
  void store(int x, int y, int count, const float* pixels) const override {
    std::copy_n(pixels, std::size_t{4} * count, image_.row(x, y));
  }

 private:
  Image& image_;
};

/// Which axes go one level down the pyramid.
struct Axes {
  bool x, y;
};

Rect coarse_area(Rect fine, Axes axes) {
  if (axes.x) {
    const Span span = gaussian::coarse_for({fine.x, fine.right()});
    fine.x = span.begin, fine.width = span.end - span.begin;
  }
  if (axes.y) {
    const Span span = gaussian::coarse_for({fine.y, fine.bottom()});
    fine.y = span.begin, fine.height = span.end - span.begin;
  }
  return fine;
}

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
      const Span fine = gaussian::fine_for({k, k + 1});
      for (; next < fine.end; ++next) fetch(next, raw, ring_row(next));
      for (int t = 0; t < taps; ++t) inputs[t] = ring_row(fine.begin + t);
      // The slack of the row's end belongs to this row alone, as every image row has its own.
      kernels().weighted_sum(inputs, down_.data(), taps, out_.row(out_.area().x, k),
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
    const Span fine = gaussian::fine_for({area.x, area.right()});
    raw.resize(fine.end - fine.begin);
    in_.load(fine.begin, y, fine.end - fine.begin, raw.floats());
    kernels().decimate_row(raw.floats(), across_.data(), area.width, to);
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
    kernels().interpolate_row(cells, across_.data(), groups, fine.floats());
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
    kernels().weighted_sum(inputs, down_[phase].data(), gaussian::interpolate_taps, buffer.floats(),
                           std::size_t{4} * in_.area().width);
    return buffer.floats();
  }

  const Image& in_;
  Axes axes_;
  Rect area_;
  const RowWriter& out_;
  std::vector<std::vector<float>> down_;
  std::vector<float> across_;
};

void blur(const RowReader& in, Rect area, double sigma_x, double sigma_y, const RowWriter& out) {
  const Axes axes{gaussian::decimates(sigma_x), gaussian::decimates(sigma_y)};
  if (!axes.x && !axes.y) {
    sum_neighbours(in, area, Taps::along_x(gaussian::direct_weights(sigma_x)),
                   Taps::along_y(gaussian::direct_weights(sigma_y)), {}, out);
    return;
  }
  if (axes.x) sigma_x = gaussian::remaining_sigma(sigma_x);
  if (axes.y) sigma_y = gaussian::remaining_sigma(sigma_y);
  const Rect coarse = coarse_area(area, axes);
  Image decimated{coarse.grown(gaussian::halo(sigma_x), gaussian::halo(sigma_y))};
  Decimation{in, axes, decimated}.run();
  Image blurred{coarse};
  blur(decimated, coarse, sigma_x, sigma_y, ImageWriter{blurred});
  Interpolation{blurred, axes, area, out}.run();
}

}  // namespace

void Exec::gaussian(const Input& in, const Output& out, double sigma_x, double sigma_y) {
  blur(in, out.area(), sigma_x, sigma_y, out);
}

}  // namespace cuda_filters::cpu
