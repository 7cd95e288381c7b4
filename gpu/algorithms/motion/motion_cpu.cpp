// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cstddef>
#include <vector>

#include "gpu/algorithms/motion/motion_blur.hpp"
#include "gpu/algorithms/motion/motion_kernels.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using motion::Line;
using motion::MotionSettings;
using motion::PathPoint;
using motion::Paths;

/// The working pixels of a picture, with the slack that the kernels need.
class Pixels {
 public:
  explicit Pixels(Rect area) : area_{area}, stride_{std::ptrdiff_t{4} * area.width} {
    floats_.resize(stride_ * area.height + lanes);
  }
  Rect area() const { return area_; }
  std::ptrdiff_t stride() const { return stride_; }
  float* at(int x, int y) {
    return floats_.data() + (y - area_.y) * stride_ + std::ptrdiff_t{4} * (x - area_.x);
  }
  void load(const Input& in) {
    parallel_for(area_.height, [&](int row) {
      thread_local RowBuffer buffer;
      const int y = area_.y + row;
      const Pixel* const from = in.row(area_.x, y, area_.width, buffer);
      std::copy_n(&from->r, stride_, at(area_.x, y));
    });
  }

 private:
  Rect area_;
  std::ptrdiff_t stride_;
  std::vector<float> floats_;
};

void follow_line(const Input& in, const Output& out, const MotionSettings& settings) {
  const Line line{settings};
  const Halo halo = settings.reach({});
  // High tiles share more rows, and wide ones more columns.
  const int width = std::max(256, 2 * halo.x), height = std::max(32, 2 * halo.y);
  for_tiles(out.area(), width, height, [&](Rect area) {
    Pixels pixels{area.grown(halo)};
    pixels.load(in);
    std::vector<MotionTap> taps;
    for (int i = -line.reach; i <= line.reach; ++i)
      for (int k = 0; k < Line::width; ++k) {
        const Line::Step& step = line.steps[i + line.reach];
        const int across = step.first + k, x = line.is_steep ? across : i,
                  y = line.is_steep ? i : across;
        if (step.weights[k] > 0.0f)
          taps.push_back({y * pixels.stride() + std::ptrdiff_t{4} * x, step.weights[k]});
      }
    RowBuffer result{static_cast<std::size_t>(area.width)};
    for (int y = area.y; y < area.bottom(); ++y) {
      cancellation_point();
      motion_kernels().sum_taps(pixels.at(area.x, y), taps.data(), static_cast<int>(taps.size()),
                                4 * area.width, result.floats());
      out.store(area.x, y, area.width, result.floats());
    }
  });
}

void follow_paths(const Input& in, const Output& out, const MotionSettings& settings) {
  const Paths paths{settings, in.image().size()};
  const Rect all = out.area();
  Pixels pixels{paths.bounds(all)};
  pixels.load(in);
  const int first_x = motion::tile_begin(all.x, motion::tile_width),
            first_y = motion::tile_begin(all.y, motion::tile_height);
  const Rect tiles{first_x, first_y, all.right() - first_x, all.bottom() - first_y};
  for_tiles(tiles, motion::tile_width, motion::tile_height, [&](Rect tile) {
    cancellation_point();
    const Rect whole{tile.x, tile.y, motion::tile_width, motion::tile_height};
    const Rect area = intersected(tile, all);
    const int count = motion::point_count(paths.length_in(whole));
    std::vector<float> along(count + lanes), across(count + lanes);
    for (int k = 0; k < count; ++k) {
      const PathPoint point = paths.point((k + 0.5) / count);
      along[k] = point.along, across[k] = point.across;
    }
    RowBuffer result{motion::tile_width};
    for (int y = area.y; y < area.bottom(); ++y) {
      motion_kernels().follow_paths({pixels.at(0, 0), pixels.stride(), y, paths.center_x,
                                     paths.center_y, along.data(), across.data(), count},
                                    area.x, area.width, result.floats());
      out.store(area.x, y, area.width, result.floats());
    }
  });
}

}  // namespace

void motion_blur(Exec&, const Input& in, const Output& out, const MotionSettings& settings) {
  if (settings.kind == motion::Kind::linear)
    follow_line(in, out, settings);
  else
    follow_paths(in, out, settings);
}

}  // namespace cuda_filters::cpu
