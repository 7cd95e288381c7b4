// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>

#include "gpu/algorithms/diffusion/diffuse.hpp"
#include "gpu/algorithms/diffusion/diffusion_kernels.hpp"
#include "gpu/core/band_progress.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using diffusion::DiffusionSettings;

/// Tiles that stay in a core's cache, and how many steps they take there at a time.
constexpr int tile_width = 192, tile_height = 96, steps_at_a_time = 8;

Rect intersection(Rect a, Rect b) {
  const int x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::min(a.right(), b.right()) - x, std::min(a.bottom(), b.bottom()) - y};
}

/// An image with a plane for each channel that the format has.
class Planes {
 public:
  Planes(Rect area, int channels)
      : area_{area},
        channels_{channels},
        stride_{static_cast<std::size_t>(area.width) + 2 * lanes},
        floats_{new float[stride_ * area.height * channels]} {}

  Rect area() const { return area_; }
  int channels() const { return channels_; }
  Channels row(int x, int y) const {
    Channels channels{};
    for (int c = 0; c < channels_; ++c)
      channels.row[c] =
          floats_.get() +
          (static_cast<std::size_t>(c) * area_.height + static_cast<std::size_t>(y - area_.y)) *
              stride_ +
          (x - area_.x);
    return channels;
  }

  void copy(const Planes& from, Rect part) {
    for (int y = part.y; y < part.bottom(); ++y) {
      const Channels source = from.row(part.x, y), to = row(part.x, y);
      for (int c = 0; c < channels_; ++c) std::copy_n(source.row[c], part.width, to.row[c]);
    }
  }

 private:
  Rect area_;
  int channels_;
  std::size_t stride_;
  std::unique_ptr<float[]> floats_;
};

/// Where the channels of a format stand in a pixel of four floats.
int position(const Format& format, int channel) { return channel < format.colors() ? channel : 3; }

/// `steps` steps of a whole tile. At its sides nothing flows: right at those of the image, and
/// elsewhere wrong by one pixel more with each step.
void run_tile(const DiffusionSettings& settings, const Format& format, int steps,
              const Planes& tile) {
  const DiffusionKernels& kernels = diffusion_kernels();
  const Rect area = tile.area();
  const int width = area.width, channels = tile.channels();
  thread_local std::vector<float> memory;
  const std::size_t stride = width + 2 * lanes;
  memory.assign(stride * channels * 3, 0.0f);
  const auto buffer = [&](int number) {
    Channels rows{};
    for (int c = 0; c < channels; ++c)
      rows.row[c] = memory.data() + stride * (number * channels + c) + lanes;
    return rows;
  };
  const Channels across = buffer(0);  // [i]: between i and i + 1
  Channels above = buffer(1), below = buffer(2);
  const auto clear = [&](const Channels& flow) {
    for (int c = 0; c < channels; ++c) std::fill_n(flow.row[c], width, 0.0f);
  };
  for (int step = 0; step < steps; ++step) {
    clear(above);
    for (int y = area.y; y < area.bottom(); ++y) {
      const Channels row = tile.row(area.x, y), next = tile.row(area.x + 1, y);
      if (y + 1 < area.bottom())
        kernels.flow(settings, format.colors(), channels, row, tile.row(area.x, y + 1), width,
                     below);
      else
        clear(below);
      kernels.flow(settings, format.colors(), channels, row, next, width - 1, across);
      for (int c = 0; c < channels; ++c) {
        across.row[c][-1] = across.row[c][width - 1] = 0.0f;
        kernels.update(settings.step, across.row[c] - 1, across.row[c], above.row[c], below.row[c],
                       width, row.row[c]);
      }
      std::swap(above, below);
    }
  }
}

}  // namespace

void diffuse(Exec&, const Input& in, const Output& out, const DiffusionSettings& settings) {
  const Format format = in.codec().format;
  const int channels = format.channels();
  // What is still wanted after `left` more steps.
  const auto wanted = [&](int left) {
    return intersection(out.area().grown(left, left), in.image());
  };
  Planes now{wanted(settings.iterations), channels}, next{now.area(), channels};
  const Rect all = now.area();
  parallel_for(all.height, [&](int i) {
    thread_local RowBuffer pixels;
    pixels.resize(all.width);
    in.load(all.x, all.y + i, all.width, pixels.floats());
    const Channels row = now.row(all.x, all.y + i);
    for (int c = 0; c < channels; ++c)
      for (int x = 0; x < all.width; ++x)
        row.row[c][x] = pixels.floats()[4 * x + position(format, c)];
  });
  for (int left = settings.iterations; left > 0;) {
    const int steps = std::min(left, steps_at_a_time);
    left -= steps;
    for_tiles(wanted(left), tile_width, tile_height, [&](Rect part) {
      Planes tile{intersection(part.grown(steps, steps), in.image()), channels};
      tile.copy(now, tile.area());
      run_tile(settings, format, steps, tile);
      next.copy(tile, part);
    });
    std::swap(now, next);
    set_band_progress(1.0 - static_cast<double>(left) / settings.iterations);
  }
  const Rect area = out.area();
  parallel_for(area.height, [&](int i) {
    thread_local RowBuffer pixels;
    pixels.resize(area.width);
    const Channels row = now.row(area.x, area.y + i);
    for (int x = 0; x < area.width; ++x) {
      float* pixel = pixels.floats() + 4 * x;
      pixel[3] = 1.0f;
      for (int c = 0; c < channels; ++c) pixel[position(format, c)] = row.row[c][x];
    }
    out.store(area.x, area.y + i, area.width, pixels.floats());
  });
}

}  // namespace cuda_filters::cpu
