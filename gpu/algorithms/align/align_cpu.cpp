// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>

#include "gpu/algorithms/align/align_kernels.hpp"
#include "gpu/algorithms/align/combine_plates.hpp"
#include "gpu/cpu/exec.hpp"

// Aligning plates: gpu/algorithms/align/align.hpp says how.

namespace cuda_filters::cpu {
namespace {

using align::Scan;

constexpr int strip_rows = 32;
constexpr int smooth_taps = 2 * align::smooth_radius + 1;

/// Calls f(first, end) for strips of `rows` rows, spread over the threads.
template <class F>
void for_strips(int rows, F f) {
  parallel_for((rows + strip_rows - 1) / strip_rows,
               [&](int i) { f(i * strip_rows, std::min(rows, (i + 1) * strip_rows)); });
}

/// One plate at one level.
struct Plane {
  const float* data;
  Size size;

  const float* row(int y) const {
    return data + static_cast<std::size_t>(std::clamp(y, 0, size.height - 1)) * size.width;
  }
};

/// Rows that a later row needs again, by their numbers.
template <int count>
class RowRing {
 public:
  explicit RowRing(int width) {
    for (auto& row : rows_) row.resize(static_cast<std::size_t>(width));
  }
  /// Row y; `make` fills it unless it is still here.
  template <class Make>
  const float* at(int y, Make make) {
    const std::size_t slot = static_cast<std::size_t>(y) % count;
    if (held_[slot] != y + 1) make(rows_[slot].data());
    held_[slot] = y + 1;
    return rows_[slot].data();
  }

 private:
  std::array<std::vector<float>, count> rows_;
  std::array<int, count> held_{};  // one more than the row's number
};

/// Gives the contours of a plane row by row. What lies outside of a plane is what is next to it.
class ContourRows {
 public:
  explicit ContourRows(const Plane& plane)
      : plane_{plane},
        width_{plane.size.width},
        padded_{width_ + 2},
        medians_{width_},
        smoothed_{width_ + 2},
        down_(static_cast<std::size_t>(width_) + 2 * align::smooth_radius),
        contours_(static_cast<std::size_t>(width_)) {}

  /// Row y; cheap after row y - 1.
  const float* at(int y) {
    const float *above = smoothed(y - 1), *middle = smoothed(y), *below = smoothed(y + 1);
    align_kernels().contours(above, middle, below, width_, contours_.data());
    return contours_.data();
  }

 private:
  int inside(int y) const { return std::clamp(y, 0, plane_.size.height - 1); }

  /// Puts `count` samples more at both ends of a row.
  void pad(float* row, int count) const {
    for (int i = 1; i <= count; ++i) row[-i] = row[0], row[width_ - 1 + i] = row[width_ - 1];
  }

  const float* padded(int y) {
    return padded_.at(inside(y), [&](float* row) {
      std::copy_n(plane_.row(y), width_, row + 1);
      pad(row + 1, 1);
    });
  }

  const float* median(int y) {
    const int row = inside(y);
    return medians_.at(row, [&](float* out) {
      const float *above = padded(row - 1), *middle = padded(row), *below = padded(row + 1);
      align_kernels().median(above, middle, below, width_, out);
    });
  }

  const float* smoothed(int y) {
    const int row = inside(y);
    return smoothed_.at(row, [&](float* out) {
      const float* rows[smooth_taps];
      for (int i = 0; i < smooth_taps; ++i) rows[i] = median(row + i - align::smooth_radius);
      float* down = down_.data() + align::smooth_radius;
      align_kernels().smooth_down(rows, width_, down);
      pad(down, align::smooth_radius);
      align_kernels().smooth_along(down_.data(), width_, out + 1);
      pad(out + 1, 1);
    });
  }

  Plane plane_;
  int width_;
  RowRing<3> padded_;
  RowRing<smooth_taps> medians_;
  RowRing<3> smoothed_;
  std::vector<float> down_, contours_;
};

class CpuMatcher final : public align::Matcher {
 public:
  explicit CpuMatcher(const Scan& scan) : scan_{scan} {
    const auto levels = static_cast<std::size_t>(align::level_count(scan.plate));
    for (int plate = 0; plate < align::plates; ++plate) {
      reduced_[plate].resize(levels);
      codes_[plate].resize(levels);
    }
  }

  std::vector<float> reduced(int plate, int level) override {
    const Plane from = plane(plate, level);
    std::vector<float> all(
        from.data, from.data + static_cast<std::size_t>(from.size.width) * from.size.height);
    std::ranges::transform(all, all.begin(), align::searchable);
    return all;
  }

  std::vector<align::Sums> sums(int level, std::span<const align::Trial> trials) override {
    const Size size = align::size_at(scan_.plate, level);
    const std::uint8_t* middle = codes(align::middle_plate, level);
    for (int plate = 0; plate < align::plates; ++plate) codes(plate, level);
    std::vector<align::Sums> sums(trials.size());
    std::mutex adding;
    for_strips(size.height, [&](int first, int end) {
      std::vector<align::Sums> of_strip(trials.size());
      for (std::size_t i = 0; i < trials.size(); ++i) {
        const auto& [plate, dx, dy, window] = trials[i];
        const std::uint8_t* other = codes_[plate][static_cast<std::size_t>(level)].data();
        const int bottom = std::min(end, window.bottom());
        for (int y = std::max(first, window.y); y < bottom; ++y) {
          const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y) * size.width + window.x;
          const std::ptrdiff_t shifted = at - static_cast<std::ptrdiff_t>(dy) * size.width - dx;
          align_kernels().add_products(other + shifted, middle + at, window.width, of_strip[i]);
        }
      }
      const std::lock_guard lock{adding};
      for (std::size_t i = 0; i < trials.size(); ++i) sums[i].merge(of_strip[i]);
    });
    return sums;
  }

 private:
  Plane plane(int plate, int level) {
    const Size size = align::size_at(scan_.plate, level);
    if (level == 0) return {scan_.here.get() + plate * scan_.plate_pixels(), size};
    std::vector<float>& reduced = reduced_[plate][static_cast<std::size_t>(level)];
    if (reduced.empty()) {
      const Plane finer = plane(plate, level - 1);
      reduced.resize(static_cast<std::size_t>(size.width) * size.height);
      for_strips(size.height, [&](int first, int end) {
        for (int y = first; y < end; ++y)
          align_kernels().halve(finer.row(2 * y), finer.row(2 * y + 1), size.width,
                                &reduced[static_cast<std::size_t>(y) * size.width]);
      });
    }
    return {reduced.data(), size};
  }

  /// The contours of a plate.
  const std::uint8_t* codes(int plate, int level) {
    std::vector<std::uint8_t>& codes = codes_[plate][static_cast<std::size_t>(level)];
    if (codes.empty()) {
      const Plane from = plane(plate, level);
      const float scale = scale_of(from);
      codes.resize(static_cast<std::size_t>(from.size.width) * from.size.height);
      for_strips(from.size.height, [&](int first, int end) {
        ContourRows rows{from};
        for (int y = first; y < end; ++y)
          align_kernels().contour_codes(rows.at(y), from.size.width, scale,
                                        &codes[static_cast<std::size_t>(y) * from.size.width]);
      });
    }
    return codes.data();
  }

  static float scale_of(const Plane& plane) {
    const int step_x = align::sample_step(plane.size.width);
    const int step_y = align::sample_step(plane.size.height);
    std::vector<std::uint64_t> counts(align::contour_buckets);
    std::mutex adding;
    constexpr int tile = align::sample_tile;
    static_assert(tile == strip_rows);
    for_strips(plane.size.height, [&](int first, int end) {
      if (first / tile % step_y != 0) return;
      std::vector<std::uint64_t> of_strip(align::contour_buckets);
      ContourRows rows{plane};
      for (int y = first; y < end; ++y) {
        const float* contours = rows.at(y);
        for (int x = 0; x < plane.size.width; ++x)
          if (const int bucket = align::contour_bucket(contours[x]);
              bucket >= 0 && x / tile % step_x == 0)
            ++of_strip[static_cast<std::size_t>(bucket)];
      }
      const std::lock_guard lock{adding};
      std::ranges::transform(counts, of_strip, counts.begin(), std::plus{});
    });
    const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    std::uint64_t below = 0;
    for (int i = 0; i < align::contour_buckets; ++i)
      if (align::enough(below += counts[static_cast<std::size_t>(i)], all))
        return align::scale_of_bucket(i);
    return 0.0f;
  }

  const Scan& scan_;
  std::vector<std::vector<float>> reduced_[align::plates];
  std::vector<std::vector<std::uint8_t>> codes_[align::plates];
};

/// A row of a plate, moved.
class MovedRow {
 public:
  MovedRow(Plane plate, const align::Shift& shift)
      : plate_{plate}, from_{align::resampling(shift)} {}

  /// The pixels (x, y) … (x + count - 1, y) of the middle plate.
  const float* at(int x, int y, int count) {
    const int left = x + from_.x0, top = y + from_.y0;
    if (from_.whole) return plate_.row(top) + left;
    // Four rows and, along them, one sample before and two after those wanted.
    const std::size_t length = static_cast<std::size_t>(count) + 3;
    down_.resize(length);
    along_.resize(static_cast<std::size_t>(count));
    const int last = plate_.size.width - 1;
    const int begin = std::max(left - 1, 0), end = std::min(left + count + 2, last + 1);
    const float* rows[4];
    for (int i = 0; i < 4; ++i) rows[i] = plate_.row(top - 1 + i) + begin;
    float* inside = down_.data() + (begin - (left - 1));
    align_kernels().interpolate_down(rows, from_.y, end - begin, inside);
    std::fill(down_.data(), inside, *inside);
    std::fill(inside + (end - begin), down_.data() + length, inside[end - begin - 1]);
    align_kernels().interpolate_along(down_.data(), from_.x, count, along_.data());
    return along_.data();
  }

 private:
  Plane plate_;
  align::Resampling from_;
  std::vector<float> down_, along_;
};

}  // namespace

std::unique_ptr<align::Matcher> make_matcher(const Scan& scan) {
  return std::make_unique<CpuMatcher>(scan);
}

void analyze_plates(Exec&, const Input& in, Rect area, const align::AlignSettings& settings,
                    Scan& scan) {
  if (scan.here == nullptr) {
    scan.plate = {in.image().width, in.image().height / align::plates};
    scan.here.reset(new float[align::plates * scan.plate_pixels()]);
  }
  const int rows = std::min(area.bottom(), align::plates * scan.plate.height) - area.y;
  parallel_for(std::max(0, rows), [&](int row) {
    thread_local RowBuffer buffer;
    buffer.resize(static_cast<std::size_t>(area.width));
    in.load(area.x, area.y + row, area.width, buffer.floats());
    const std::size_t at = static_cast<std::size_t>(area.y + row) * scan.plate.width + area.x;
    align_kernels().luma(buffer.floats(), area.width, scan.here.get() + at);
  });
  if (area.bottom() == in.image().bottom())
    scan.placement = align::place(*make_matcher(scan), scan.plate, settings);
}

void combine_plates(Exec&, const Scan& scan, align::Order order, const Output& out) {
  const Rect area = out.area(), overlap = scan.placement.overlap;
  for_strips(area.height, [&](int first, int end) {
    std::vector<MovedRow> moved;
    for (int channel = 0; channel < 3; ++channel) {
      const int plate = align::plate_of(channel, order);
      moved.emplace_back(Plane{scan.here.get() + plate * scan.plate_pixels(), scan.plate},
                         scan.placement.shifts[static_cast<std::size_t>(plate)]);
    }
    RowBuffer buffer{static_cast<std::size_t>(area.width)};
    for (int row = first; row < end; ++row) {
      const float* colors[3];
      for (int c = 0; c < 3; ++c)
        colors[c] = moved[static_cast<std::size_t>(c)].at(overlap.x + area.x,
                                                          overlap.y + area.y + row, area.width);
      Pixel* pixels = buffer.pixels();
      for (int i = 0; i < area.width; ++i)
        pixels[i] = {colors[0][i], colors[1][i], colors[2][i], 1.0f};
      out.store(area.x, area.y + row, area.width, buffer.floats());
    }
  });
}

}  // namespace cuda_filters::cpu
