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

using motion::MotionSettings;
using motion::PathPoint;
using motion::Paths;
using motion::Segment;

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

/// The weights of one of a segment's lines.
std::vector<MotionTap> taps_of(const Segment& segment, int line, std::ptrdiff_t stride) {
  std::vector<MotionTap> taps;
  for (int i = 0; i < segment.count(); ++i)
    for (int k = 0; k < Segment::width; ++k) {
      const float weight = segment.lines[line][i].of[k];
      const int along = segment.begin + i, across = segment.first[i] + k;
      const int x = segment.is_steep ? across : along, y = segment.is_steep ? along : across;
      if (weight > 0.0f) taps.push_back({y * stride + std::ptrdiff_t{4} * x, weight});
    }
  return taps;
}

/// Calls f(pixels, area) for pieces of `all`, with the pixels around each.
template <class F>
void for_pieces(const Input& in, Rect all, Halo halo, F f) {
  // High tiles share more rows, and wide ones more columns.
  const int width = std::max(256, 2 * halo.x), height = std::max(32, 2 * halo.y);
  for_tiles(all, width, height, [&](Rect area) {
    Pixels pixels{area.grown(halo)};
    pixels.load(in);
    f(pixels, area);
  });
}

void sum_row(Pixels& pixels, const std::vector<MotionTap>& taps, Rect area, int y,
             RowBuffer& result) {
  motion_kernels().sum_taps(pixels.at(area.x, y), taps.data(), static_cast<int>(taps.size()),
                            4 * area.width, result.floats());
}

void follow_line(const Input& in, const Output& out, const MotionSettings& settings) {
  const motion::Direction direction{settings};
  const Segment line{direction};
  const Halo halo = direction.reach(direction.begin(), direction.end(), 0.0);
  for_pieces(in, out.area(), halo, [&](Pixels& pixels, Rect area) {
    const auto taps = taps_of(line, 0, pixels.stride());
    RowBuffer result{static_cast<std::size_t>(area.width)};
    for (int y = area.y; y < area.bottom(); ++y) {
      cancellation_point();
      sum_row(pixels, taps, area, y, result);
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

void mean_of_paths(Exec&, const Input& in, const Output& out, const MotionSettings& settings) {
  if (settings.kind == motion::Kind::linear)
    follow_line(in, out, settings);
  else
    follow_paths(in, out, settings);
}

bool goes_by_pieces(const Input&, const motion::Repetition& repetition) {
  return repetition.pays_on_processors();
}

void pieces_of_lines(Exec&, const Input& in, const Output& part, const std::vector<Output>& wholes,
                     const motion::Repetition& repetition) {
  const Segment of_part = repetition.part(), of_rest = repetition.rest();
  const int last = static_cast<int>(wholes.size()) - 1;
  for_pieces(in, part.area(), repetition.reach_of_piece(), [&](Pixels& pixels, Rect area) {
    const std::size_t count = area.width;
    RowBuffer beginning{count}, whole{count};
    for (int line = 0; line <= last; ++line) {
      const auto first = taps_of(of_part, line, pixels.stride()),
                 others = taps_of(of_rest, line, pixels.stride());
      for (int y = area.y; y < area.bottom(); ++y) {
        cancellation_point();
        sum_row(pixels, first, area, y, beginning);
        if (line == last) part.store(area.x, y, area.width, beginning.floats());
        sum_row(pixels, others, area, y, whole);
        for (std::size_t i = 0; i < 4 * count; ++i) whole.floats()[i] += beginning.floats()[i];
        wholes[line].store(area.x, y, area.width, whole.floats());
      }
    }
  });
}

}  // namespace cuda_filters::cpu
