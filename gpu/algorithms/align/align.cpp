// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/align/align.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters::align {
namespace {

/// Plates are halved while a side is longer than this for the frames, …
constexpr int frame_side = 512;
/// … while the range is more than this for the search, …
constexpr int first_range = 4;
/// … and never below this.
constexpr int least_side = 64;

/// How far around twice the best shift of a level the next one is searched.
constexpr int refinement = 2;
/// The number of shifts in such a search.
constexpr std::size_t block = (2 * refinement + 1) * (2 * refinement + 1);
/// How many shifts of the first level are followed.
constexpr int followed = 4;

int frame_level(Size plate) {
  int level = 0;
  while (std::max(plate.width, plate.height) >> level > frame_side &&
         std::min(plate.width, plate.height) >> (level + 1) > 0)
    ++level;
  return level;
}

int first_level(Size plate, int range) {
  int level = 0;
  while (range >> level > first_range &&
         std::min(plate.width, plate.height) >> (level + 1) >= least_side)
    ++level;
  return level;
}

/// Whether half size tells anything.
bool has_half(Size plate) { return std::min(plate.width, plate.height) >= least_side; }

int ceiling_shift(int value, int level) { return -(-value >> level); }

/// A line of a plate, as far as frames are concerned.
struct Line {
  double mean;
  double dark, light;  ///< the shares of its pixels
};

/// The lines of one margin, from the outermost one inwards, and some more.
class MarginLines {
 public:
  /// `step` is from one line to the next, `along` from one of its pixels to the next.
  MarginLines(std::span<const float> plate, std::ptrdiff_t first, std::ptrdiff_t step,
              std::ptrdiff_t along, int lines, int length, float dark, float light) {
    // The ends of the lines belong to the frame at the sides.
    const int begin = length / 10, end = length - length / 10;
    // Plates lie askew; but in short lines much may be dark by chance.
    share_ = 0.35 + 20.0 / (end - begin);
    for (int i = 0; i < lines; ++i) {
      double sum = 0.0;
      int below = 0, above = 0;
      for (int k = begin; k < end; ++k) {
        const float value = plate[static_cast<std::size_t>(first + i * step + k * along)];
        sum += value;
        below += value <= dark;
        above += value >= light;
      }
      const double count = end - begin;
      lines_.push_back({sum / count, below / count, above / count});
    }
  }

  /// How many lines to cut off if frames are at most `max_lines` wide.
  int frame(int max_lines, double contrast) const {
    constexpr std::size_t ahead = 5;
    for (int i = max_lines - 1; i >= 0; --i) {
      const auto at = static_cast<std::size_t>(i);
      const Line& line = lines_[at];
      double edge = 0.0;
      for (std::size_t k = at + 1; k < lines_.size() && k <= at + ahead; ++k)
        edge = std::max(edge, std::abs(lines_[k].mean - line.mean));
      const bool dark = line.dark >= share_ && edge >= 0.05 * contrast;
      const bool light = line.light >= std::max(share_, 0.75) && edge >= 0.1 * contrast;
      // The next ones may be half of each, by nature and by the smoothing.
      if (dark || light) return std::min(i + 3, max_lines);
    }
    return 0;
  }

 private:
  std::vector<Line> lines_;
  double share_;  // of a frame's line that must be dark
};

/// Means of 3 × 3 pixels, over which noise and scratches count less.
std::vector<float> blurred(std::span<const float> plate, Size size) {
  std::vector<float> means(plate.size());
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      float sum = 0.0f;
      for (int row = y - 1; row <= y + 1; ++row)
        for (int column = x - 1; column <= x + 1; ++column)
          sum += plate[static_cast<std::size_t>(std::clamp(row, 0, size.height - 1)) * size.width +
                       std::clamp(column, 0, size.width - 1)];
      means[static_cast<std::size_t>(y) * size.width + x] = sum / 9.0f;
    }
  return means;
}

Rect intersection(Rect a, Rect b) {
  const int x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::min(a.right(), b.right()) - x, std::min(a.bottom(), b.bottom()) - y};
}

Rect without(Size size, const Margins& margins) {
  return {margins.left, margins.top, size.width - margins.left - margins.right,
          size.height - margins.top - margins.bottom};
}

/// A whole shift and how good it is: the more the better.
struct Candidate {
  int dx, dy;
  double score;
  double correlation;

  int distance() const { return dx * dx + dy * dy; }
  /// Of equally good ones the smaller shift comes first.
  bool operator<(const Candidate& other) const {
    return score != other.score ? score > other.score : distance() < other.distance();
  }
};

double correlation_of(const Sums& sums, double count) {
  const auto [f, g, ff, gg, fg] = sums;
  const double mean_f = static_cast<double>(f) / count, mean_g = static_cast<double>(g) / count;
  const double variance_f = static_cast<double>(ff) / count - mean_f * mean_f;
  const double variance_g = static_cast<double>(gg) / count - mean_g * mean_g;
  const double both = std::sqrt(variance_f * variance_g);
  return both > 0.0 ? (static_cast<double>(fg) / count - mean_f * mean_g) / both : 0.0;
}

double mean_square_difference(const Sums& sums, double count) {
  return (static_cast<double>(sums.ff + sums.gg) - 2.0 * static_cast<double>(sums.fg)) / count;
}

/// The search for the shift of one plate.
class ShiftSearch {
 public:
  ShiftSearch(Matcher& matcher, Size size, const AlignSettings& settings, int plate, Rect inner,
              Rect inner_middle)
      : matcher_{matcher},
        size_{size},
        settings_{settings},
        plate_{plate},
        inner_{inner},
        inner_middle_{inner_middle} {}

  Shift run() {
    int level = first_level(size_, settings_.range);
    const int range = ceiling_shift(settings_.range, level);
    std::vector<Candidate> best = peaks(level, tried(level, {}, range), level > 0 ? followed : 1);
    if (best.empty()) return {};
    while (level > 0) {
      --level;
      std::vector<Candidate> finer;
      for (const Candidate& candidate : best) {
        const Candidate twice{2 * candidate.dx, 2 * candidate.dy, 0.0, 0.0};
        const auto around = peaks(level, tried(level, twice, refinement), 1);
        finer.insert(finer.end(), around.begin(), around.end());
      }
      if (finer.empty()) return {};
      best = {*std::min_element(finer.begin(), finer.end())};
    }
    return refined(best.front());
  }

 private:
  /// The part of a plate that counts at a level: without what contours of its frame reach.
  Rect inner_at(Rect inner, int level) const {
    const int x = ceiling_shift(inner.x, level), y = ceiling_shift(inner.y, level);
    const Rect reduced{x, y, (inner.right() >> level) - x, (inner.bottom() >> level) - y};
    return reduced.grown(-std::min(reach, reduced.width / 8), -std::min(reach, reduced.height / 8));
  }

  bool in_range(int dx, int dy, int level) const {
    const int range = ceiling_shift(settings_.range, level);
    return std::abs(dx) <= range && std::abs(dy) <= range;
  }

  /// All shifts up to `range` around a center that leave half of the plates' width and height.
  std::vector<Candidate> tried(int level, Candidate center, int range) {
    const Rect middle = inner_at(inner_middle_, level), other = inner_at(inner_, level);
    std::vector<Trial> trials;
    for (int dy = center.dy - range; dy <= center.dy + range; ++dy)
      for (int dx = center.dx - range; dx <= center.dx + range; ++dx) {
        const Rect moved{other.x + dx, other.y + dy, other.width, other.height};
        const Rect window = intersection(middle, moved);
        if (2 * window.width < std::min(middle.width, other.width) ||
            2 * window.height < std::min(middle.height, other.height) || window.empty())
          continue;
        trials.push_back({plate_, dx, dy, window});
      }
    if (trials.empty()) return {};
    const std::vector<Sums> sums = matcher_.sums(level, trials);
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const Trial& trial = trials[i];
      const double count = static_cast<double>(trial.window.width) * trial.window.height;
      const double correlation = correlation_of(sums[i], count);
      const bool correlates = settings_.metric == Metric::correlation;
      candidates.push_back({trial.dx, trial.dy,
                            correlates ? correlation : -mean_square_difference(sums[i], count),
                            correlation});
    }
    return candidates;
  }

  /// The best ones in range that are no neighbors of better ones, at most `count`.
  std::vector<Candidate> peaks(int level, std::vector<Candidate> candidates,
                               std::size_t count) const {
    std::sort(candidates.begin(), candidates.end());
    std::vector<Candidate> found;
    for (const Candidate& candidate : candidates) {
      const auto near = [&](const Candidate& better) {
        return std::abs(better.dx - candidate.dx) <= refinement &&
               std::abs(better.dy - candidate.dy) <= refinement;
      };
      if (found.size() == count) break;
      if (in_range(candidate.dx, candidate.dy, level) &&
          std::none_of(found.begin(), found.end(), near))
        found.push_back(candidate);
    }
    return found;
  }

  /// The shifts around one at full size. The less the plates agree there, because of noise, the
  /// more count the scores at half size.
  std::vector<Candidate> tried_at_both(Candidate center) {
    std::vector<Candidate> around = tried(0, center, refinement);
    if (!has_half(size_)) return around;
    const auto half = [](int shift) { return (shift + (shift > 0)) / 2; };
    const Candidate half_center{half(center.dx), half(center.dy), 0.0, 0.0};
    const std::vector<Candidate> coarser = tried(1, half_center, refinement);
    if (coarser.size() != block) return around;
    double agreement = 0.0;
    for (const Candidate& candidate : around)
      agreement = std::max(agreement, candidate.correlation);
    const double weight = (1.0 - agreement) * (1.0 - agreement);
    for (Candidate& candidate : around)
      candidate.score += weight * interpolated(coarser, candidate.dx / 2.0 - half_center.dx,
                                               candidate.dy / 2.0 - half_center.dy);
    return around;
  }

  /// The best shift at full size, and between pixels if that is wanted.
  Shift refined(Candidate best) {
    // The best one must be a peak: a finer level may show a better one at the end of its search.
    constexpr int max_moves = 8;
    std::vector<Candidate> around;
    for (int moves = 0;; ++moves) {
      around = tried_at_both(best);
      const Candidate better = peaks(0, around, 1).front();
      const bool converged = better.dx == best.dx && better.dy == best.dy;
      best = better;
      if (converged || moves == max_moves) break;
    }
    const Shift whole{static_cast<double>(best.dx), static_cast<double>(best.dy)};
    if (settings_.subpixel == 1 || around.size() != block) return whole;
    return between_pixels(whole, around);
  }

  /// The polynomial of fourth degree along x and y through 5 × 5 scores, at a place beside the
  /// middle one.
  static double interpolated(const std::vector<Candidate>& around, double x, double y) {
    const auto weight = [](int node, double at) {
      double product = 1.0;
      for (int other = -refinement; other <= refinement; ++other)
        if (other != node) product *= (at - other) / (node - other);
      return product;
    };
    double value = 0.0;
    std::size_t at = 0;
    for (int row = -refinement; row <= refinement; ++row)
      for (int column = -refinement; column <= refinement; ++column)
        value += around[at++].score * weight(row, y) * weight(column, x);
    return value;
  }

  /// The maximum of that polynomial.
  Shift between_pixels(Shift whole, const std::vector<Candidate>& around) const {
    const int steps = settings_.subpixel;
    const auto in_range = [&](double x) { return std::abs(x) <= settings_.range; };
    Shift best = whole;
    double highest = -std::numeric_limits<double>::infinity();
    int nearest = 0;
    for (int j = -steps; j <= steps; ++j)
      for (int i = -steps; i <= steps; ++i) {
        const double x = static_cast<double>(i) / steps, y = static_cast<double>(j) / steps;
        if (!in_range(whole.x + x) || !in_range(whole.y + y)) continue;
        const double value = interpolated(around, x, y);
        const int distance = i * i + j * j;
        if (value > highest || (value == highest && distance < nearest)) {
          highest = value, nearest = distance;
          best = {whole.x + x, whole.y + y};
        }
      }
    return best;
  }

  Matcher& matcher_;
  Size size_;
  const AlignSettings& settings_;
  int plate_;
  Rect inner_, inner_middle_;
};

}  // namespace

int level_count(Size plate) {
  return std::max({frame_level(plate), first_level(plate, 1 << 30), has_half(plate) ? 1 : 0}) + 1;
}

Margins find_frame(std::span<const float> sharp, Size size) {
  const std::vector<float> plate = blurred(sharp, size);
  const int left = size.width / 10, top = size.height / 10;
  std::vector<float> middle;
  for (int y = top; y < size.height - top; ++y)
    for (int x = left; x < size.width - left; ++x)
      middle.push_back(plate[static_cast<std::size_t>(y) * size.width + x]);
  const auto percentile = [&](double share) {
    const auto at = middle.begin() + static_cast<std::ptrdiff_t>(share * (middle.size() - 1));
    std::nth_element(middle.begin(), at, middle.end());
    return *at;
  };
  const float low = percentile(0.01), high = percentile(0.99), contrast = high - low;
  if (!(contrast > 0.0f)) return {};
  const float dark = low + 0.05f * contrast, light = high - 0.02f * contrast;
  const std::ptrdiff_t row = size.width;
  const std::ptrdiff_t last_row = row * (size.height - 1), last_column = row - 1;
  const auto frame = [&](std::ptrdiff_t first, std::ptrdiff_t step, std::ptrdiff_t along, int lines,
                         int length) {
    const int max_lines = lines / 10;
    return MarginLines{plate,  first, step, along, std::min(lines, max_lines + 5),
                       length, dark,  light}
        .frame(max_lines, contrast);
  };
  return {frame(0, 1, row, size.width, size.height),
          frame(last_column, -1, row, size.width, size.height),
          frame(0, row, 1, size.height, size.width),
          frame(last_row, -row, 1, size.height, size.width)};
}

Placement place(Matcher& matcher, Size plate, const AlignSettings& settings) {
  const int level = frame_level(plate);
  Rect inner[plates];
  for (int i = 0; i < plates; ++i) {
    const Margins found = find_frame(matcher.reduced(i, level), size_at(plate, level));
    // The rows that halving left over belong to the last one.
    const auto full = [&](int margin, int side) {
      return margin == 0 ? 0 : (margin << level) + side - (side >> level << level);
    };
    inner[i] = without(plate, {found.left << level, full(found.right, plate.width),
                               found.top << level, full(found.bottom, plate.height)});
  }
  const Rect whole{0, 0, plate.width, plate.height};
  Placement placement;
  placement.overlap = settings.crop_frame ? inner[middle_plate] : whole;
  for (int i = 0; i < plates; ++i) {
    if (i == middle_plate) continue;
    const Shift shift =
        ShiftSearch{matcher, plate, settings, i, inner[i], inner[middle_plate]}.run();
    placement.shifts[static_cast<std::size_t>(i)] = shift;
    const Rect shown = settings.crop_frame ? inner[i] : whole;
    const int x = static_cast<int>(std::ceil(shown.x + shift.x));
    const int y = static_cast<int>(std::ceil(shown.y + shift.y));
    const int right = static_cast<int>(std::floor(shown.right() - 1 + shift.x)) + 1;
    const int bottom = static_cast<int>(std::floor(shown.bottom() - 1 + shift.y)) + 1;
    placement.overlap = intersection(placement.overlap, {x, y, right - x, bottom - y});
  }
  if (placement.overlap.empty())
    throw Error{
        tr(N_("The three plates have no part in common as they were found to lie. Choose a "
              "smaller range."))};
  return placement;
}

CubicWeights cubic_weights(double fraction) {
  const double t = fraction;
  return {{static_cast<float>(((-0.5 * t + 1.0) * t - 0.5) * t),
           static_cast<float>((1.5 * t - 2.5) * t * t + 1.0),
           static_cast<float>(((-1.5 * t + 2.0) * t + 0.5) * t),
           static_cast<float>((0.5 * t - 0.5) * t * t)}};
}

Resampling resampling(Shift shift) {
  const double x = std::floor(-shift.x), y = std::floor(-shift.y);
  return {static_cast<int>(x), static_cast<int>(y), -shift.x == x && -shift.y == y,
          cubic_weights(-shift.x - x), cubic_weights(-shift.y - y)};
}

}  // namespace cuda_filters::align
