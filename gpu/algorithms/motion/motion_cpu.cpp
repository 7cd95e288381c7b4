// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "gpu/algorithms/motion/motion_blur.hpp"
#include "gpu/algorithms/motion/motion_kernels.hpp"
#include "gpu/algorithms/motion/polar.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using motion::MotionSettings;
using motion::PathEnd;
using motion::PathPoint;
using motion::Paths;
using motion::PolarBlock;
using motion::PolarGrid;
using motion::PolarRings;
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

/// Calls f(x, count) for the pixels of a row of `area` that lines do not sum up.
template <class F>
void for_single_paths(const PolarGrid& grid, Rect area, int y, F f) {
  for (int x = area.x; x < area.right();) {
    const int begin = x;
    while (x < area.right() && !grid.has(grid.from_center(x, y))) ++x;
    if (x > begin) f(begin, x - begin);
    while (x < area.right() && grid.has(grid.from_center(x, y))) ++x;
  }
}

void follow_paths(Pixels& pixels, Pixels& result, const Paths& paths, const PolarGrid& grid) {
  const Rect all = result.area();
  const int first_x = motion::tile_begin(all.x, motion::tile_width),
            first_y = motion::tile_begin(all.y, motion::tile_height);
  const Rect tiles{first_x, first_y, all.right() - first_x, all.bottom() - first_y};
  for_tiles(tiles, motion::tile_width, motion::tile_height, [&](Rect tile) {
    cancellation_point();
    const Rect whole{tile.x, tile.y, motion::tile_width, motion::tile_height};
    const Rect area = intersected(tile, all);
    const int count = motion::point_count(paths.length_in(whole));
    std::vector<float> along, across;
    for (int y = area.y; y < area.bottom(); ++y)
      for_single_paths(grid, area, y, [&](int x, int pixel_count) {
        if (along.empty()) {
          along.resize(count + lanes), across.resize(count + lanes);
          for (int k = 0; k < count; ++k) {
            const PathPoint point = paths.point((k + 0.5) / count);
            along[k] = point.along, across[k] = point.across;
          }
        }
        motion_kernels().follow_paths({pixels.at(0, 0), pixels.stride(), y, paths.center_x,
                                       paths.center_y, along.data(), across.data(), count},
                                      x, pixel_count, result.at(x, y));
      });
  });
}

/// The paths that lines sum up.
class LineSums {
 public:
  LineSums(Pixels& pixels, Pixels& result, const PolarRings& polar)
      : pixels_{pixels}, result_{result}, polar_{polar} {}

  void of_block(int number) {
    const PolarBlock block = grid().block(polar_.rings.data(), number);
    if (!grid().meets(block, result_.area())) return;
    add(block, PathEnd::far);
    add(block, PathEnd::near);
  }

 private:
  static constexpr int lines_ = PolarGrid::lines, depth_ = PolarGrid::depth;
  using Sums = float[lines_][depth_][8];

  /// What is the same for all points of the lines of a block.
  struct Lines {
    float along[depth_ + lanes]{}, across[depth_ + lanes]{};  ///< PolarGrid::shift()
    motion::Vector rays[lines_]{};                            ///< the directions of rays
  };

  const PolarGrid& grid() const { return polar_.grid; }

  /// What lies between the boundary and that end, of the pixels between the lines of a block.
  void add(const PolarBlock& block, PathEnd end) {
    if (grid().is_at_boundary(end)) return;
    const int chunks = needed_chunks(block, end);
    if (chunks == 0) return;
    const Lines lines = lines_of(block, end);
    alignas(64) float totals[lines_][8]{};
    alignas(64) Sums sums;
    for (int chunk = 0; chunk < chunks; ++chunk) {
      sum(block, end, chunk, lines, totals, sums);
      const motion::Patch patch = grid().patch(block, end, chunk);
      if (!patch.meets(result_.area())) continue;
      for (int i = 0; i < patch.count; ++i) {
        const int along = patch.first + i, first = patch.across_at(i);
        for (int across = first; across < first + patch.width; ++across) {
          const int x = patch.is_steep ? across : along, y = patch.is_steep ? along : across;
          const motion::Vector v = grid().from_center(x, y);
          if (patch.is_near(v)) add(block, end, chunk, x, y, v, sums);
        }
      }
    }
  }

  /// How many times points have to be added.
  int needed_chunks(const PolarBlock& block, PathEnd end) const {
    constexpr int at_once = 32;
    const int all = grid().chunks(block.ring, end);
    const Rect area = result_.area();
    for (int begin = (all - 1) / at_once * at_once; begin >= 0; begin -= at_once) {
      if (!grid().meets(block, end, begin, at_once, area)) continue;
      for (int chunk = std::min(begin + at_once, all) - 1; chunk >= begin; --chunk)
        if (grid().patch(block, end, chunk).meets(area)) return chunk + 1;
    }
    return 0;
  }

  Lines lines_of(const PolarBlock& block, PathEnd end) const {
    Lines lines;
    for (int i = 0; i < depth_; ++i) {
      const motion::Vector shift = grid().shift(block.ring, end, static_cast<float>(i) + 0.5f);
      lines.along[i] = shift.x, lines.across[i] = -shift.y;
    }
    if (!grid().turns)
      for (int i = 0; i < lines_; ++i)
        lines.rays[i] =
            grid().direction(block, static_cast<float>(block.first_line + i), end, 0.0f);
    return lines;
  }

  /// The next points of all lines.
  void sum(const PolarBlock& block, PathEnd end, int chunk, const Lines& all,
           float (&totals)[lines_][8], Sums& sums) {
    const auto from = static_cast<float>(chunk * depth_);
    const motion::Vector of_arcs =
        grid().turns ? grid().direction(block, 0.0f, end, from) : motion::Vector{};
    MotionLine lines[lines_];
    const Rect area = pixels_.area();
    for (int i = 0; i < lines_; ++i) {
      const auto line = static_cast<float>(block.first_line + i);
      const motion::Vector direction = grid().turns ? of_arcs : all.rays[i];
      const motion::Vector first = grid().distance(block, line, end, from) * direction;
      const motion::Vector unit = grid().turns ? first : direction;
      const double x = grid().center_x + first.x, y = grid().center_y + first.y;
      const double left = std::floor(x), top = std::floor(y);
      lines[i] = {static_cast<int>(left) - area.x,
                  static_cast<int>(top) - area.y,
                  static_cast<float>(x - left),
                  static_cast<float>(y - top),
                  unit.x,
                  unit.y};
    }
    motion_kernels().sum_lines({pixels_.at(area.x, area.y), pixels_.stride(), area.width,
                                area.height, lines, lines_, all.along, all.across, depth_},
                               &totals[0][0], &sums[0][0][0]);
  }

  void add(const PolarBlock& block, PathEnd end, int chunk, int x, int y, motion::Vector v,
           const Sums& sums) {
    const Rect area = result_.area();
    if (x < area.x || x >= area.right() || y < area.y || y >= area.bottom()) return;
    const float distance = PolarGrid::distance(v);
    if (!(distance >= block.ring.inner && distance < block.ring.outer) || !grid().has(v, distance))
      return;
    const motion::PolarEnd at = grid().end(block, v, distance, end, chunk);
    if (!at.is_here) return;
    const auto sum_of = [&](int line) {
      const float* const halves = sums[line][at.step];
      return lanes_at(halves) + lanes_at(halves + 4);
    };
    const Lanes first = sum_of(at.line), second = sum_of(at.line + 1);
    const motion::Vector rest = grid().in_rest(block.ring, v, distance, end, at.rest);
    const Lanes total =
        (1.0f - at.beyond_line) * first + at.beyond_line * second + at.rest * sample(x, y, rest);
    float* const result = result_.at(x, y);
    const float share = grid().share(block.ring, distance);
    for (int c = 0; c < 4; ++c)
      result[c] = (end == PathEnd::far ? 0.0f : result[c]) + share * total[c];
  }

  static Lanes lanes_at(const float* floats) {
    return Lanes{floats[0], floats[1], floats[2], floats[3]};
  }

  /// The picture at some distance from a pixel.
  Lanes sample(int x, int y, motion::Vector from) {
    const motion::Place across{from.x}, down{from.y};
    const float* const above = pixels_.at(x + across.before, y + down.before);
    const float* const below = above + pixels_.stride();
    const auto along = [&](const float* left) {
      return (1.0f - across.beyond) * lanes_at(left) + across.beyond * lanes_at(left + 4);
    };
    return (1.0f - down.beyond) * along(above) + down.beyond * along(below);
  }

  Pixels& pixels_;
  Pixels& result_;
  const PolarRings& polar_;
};

void follow_paths(const Input& in, const Output& out, const MotionSettings& settings) {
  const Size image = in.image().size();
  const Paths paths{settings, image};
  const PolarRings polar{paths, image};
  Pixels pixels{paths.bounds(out.area())};
  pixels.load(in);
  Pixels result{out.area()};
  parallel_for(polar.grid.block_count, [&](int block) {
    LineSums{pixels, result, polar}.of_block(block);
  });
  follow_paths(pixels, result, paths, polar.grid);
  const Rect area = out.area();
  parallel_for(area.height, [&](int row) {
    out.store(area.x, area.y + row, area.width, result.at(area.x, area.y + row));
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
