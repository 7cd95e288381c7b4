// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/algorithms/surface/code_means.hpp"
#include "gpu/algorithms/surface/surface_blur.hpp"
#include "gpu/algorithms/surface/surface_kernels.hpp"
#include "gpu/core/band_progress.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using surface::SurfaceSettings;

constexpr int codes = 256;

/// The weights of the differences of two codes, from -255 on, and these times the differences. They
/// are multiples of 1/1024, so that sums of up to 401 × 401 × 255 of them are exact in doubles, and
/// bits do not depend on how a tile counts.
struct Weights {
  // A vector of a histogram may begin before the first code that has a weight, and end after the
  // last one.
  double of[2 * codes]{}, times_difference[2 * codes]{};
  int reach = 0;

  explicit Weights(float limit) {
    const auto by = surface::CodeWeights::of(limit);
    const double of_codes = static_cast<double>(by.limit) / surface::CodeWeights::unit;
    reach = by.reach;
    for (int d = -reach; d <= reach; ++d) {
      const double weight = of_codes - std::abs(d);
      of[d + 255] = weight, times_difference[d + 255] = weight * d;
    }
  }
};

/// One tile of bytes, with histograms of its columns that slide down.
class Tile {
 public:
  void compute(const Input& in, const Output& out, Rect area, int radius, const Weights& weights) {
    const Format format = in.codec().format;
    channels_ = format.channels(), radius_ = radius;
    needed_ = area.grown(radius, radius);
    bytes_.resize(static_cast<std::size_t>(needed_.width) * needed_.height * channels_);
    for (int y = 0; y < needed_.height; ++y)
      in.load_codes(needed_.x, needed_.y + y, needed_.width, reinterpret_cast<std::byte*>(at(y)));
    const int alpha = format.alpha ? channels_ - 1 : -1;
    const bool opaque = alpha < 0 || all_are(alpha, 255);
    const std::int64_t samples = (2 * std::int64_t{radius} + 1) * (2 * radius + 1);
    for (int c = 0; c < channels_; ++c) {
      if (c == alpha && opaque) {
        copy(out, area, c);
      } else if ((c == alpha || opaque) && samples <= 0xffff) {
        slide<std::uint16_t>(out, area, c, -1, weights, surface_kernels().blur_words);
      } else {
        slide<std::uint32_t>(out, area, c, c == alpha || opaque ? -1 : alpha, weights,
                             surface_kernels().blur_integers);
      }
    }
  }

 private:
  std::uint8_t* at(int y) {
    return bytes_.data() + static_cast<std::size_t>(y) * needed_.width * channels_;
  }
  bool all_are(int channel, std::uint8_t value) const {
    for (std::size_t i = channel; i < bytes_.size(); i += channels_)
      if (bytes_[i] != value) return false;
    return true;
  }
  const std::uint8_t* center(int y) { return at(radius_ + y) + radius_ * channels_; }
  static std::uint8_t* result(const Output& out, Rect area, int y) {
    return reinterpret_cast<std::uint8_t*>(out.codes(area.x, area.y + y));
  }

  void copy(const Output& out, Rect area, int channel) {
    for (int y = 0; y < area.height; ++y)
      for (int i = channel; i < area.width * channels_; i += channels_)
        result(out, area, y)[i] = center(y)[i];
  }

  /// `weigher` is the channel that says how often a pixel counts; -1: once.
  template <class Count, class Blur>
  void slide(const Output& out, Rect area, int channel, int weigher, const Weights& weights,
             Blur blur) {
    thread_local std::vector<Count> columns;
    columns.assign(static_cast<std::size_t>(needed_.width) * codes, 0);
    const auto add = [&](int y, int sign) {
      const std::uint8_t* const row = at(y);
      for (int x = 0; x < needed_.width; ++x) {
        const std::uint8_t* const pixel = row + static_cast<std::size_t>(x) * channels_;
        const int number = weigher < 0 ? 1 : pixel[weigher];
        columns[static_cast<std::size_t>(x) * codes + pixel[channel]] += sign * number;
      }
    };
    for (int y = 0; y < 2 * radius_; ++y) add(y, 1);
    for (int y = 0; y < area.height; ++y) {
      cancellation_point();
      add(y + 2 * radius_, 1);
      blur({columns.data(), radius_, weights.of, weights.times_difference, weights.reach,
            center(y) + channel, result(out, area, y) + channel, channels_},
           area.width);
      add(y, -1);
    }
  }

  int channels_ = 0, radius_ = 0;
  Rect needed_{};
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

void surface_blur(Exec& exec, const Input& in, const Output& out, const SurfaceSettings& settings,
                  Border border) {
  const Codec& codec = in.codec();
  const bool has_codes = !in.is_temporary() && !out.is_temporary() &&
                         codec.format.type == SampleType::u8 && codec.values[0] == nullptr;
  // What is beyond the ends has no alpha, of which codes without alpha know nothing.
  const bool shows_alpha = codec.format.alpha || border != Border::transparent;
  // A step of the histograms takes as long as some dozens of pixels.
  constexpr int least_radius = 4;
  if (!has_codes || !shows_alpha || settings.radius < least_radius)
    return smooth_neighborhoods(exec, in, out, settings);
  const Weights weights{settings.limit};
  // A tile looks at all rows around it first: of large windows there are fewer and higher ones.
  constexpr int tile_width = 256;
  const int tile_height = std::max(128, 2 * settings.radius);
  const double all = static_cast<double>(out.area().width) * out.area().height;
  std::atomic<std::int64_t> done = 0;
  for_tiles(out.area(), tile_width, tile_height, [&](Rect area) {
    thread_local Tile tile;
    tile.compute(in, out, area, settings.radius, weights);
    done += std::int64_t{area.width} * area.height;
    set_band_progress(static_cast<double>(done) / all);
  });
}

}  // namespace cuda_filters::cpu
