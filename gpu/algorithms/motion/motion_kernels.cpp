// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/motion/motion_kernels.hpp"

#include "gpu/cpu/vector.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

/// `registers` vectors at a time, whose sums stay in registers.
template <int registers>
void sum_vectors(const float* in, const MotionTap* taps, int tap_count, float* result) {
  Vector sums[registers]{};
  for (int k = 0; k < tap_count; ++k) {
    const float* const from = in + taps[k].offset;
    const Vector weight = Vector{} + taps[k].weight;
#pragma GCC unroll 8
    for (int i = 0; i < registers; ++i)
      sums[i] = fused(weight, at(from + i * vector_lanes), sums[i]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < registers; ++i) at(result + i * vector_lanes) = sums[i];
}

void sum_taps(const float* in, const MotionTap* taps, int tap_count, int count, float* result) {
  constexpr int registers = 8;
  int i = 0;
  for (; i + registers * vector_lanes <= count; i += registers * vector_lanes)
    sum_vectors<registers>(in + i, taps, tap_count, result + i);
  for (; i < count; i += vector_lanes) sum_vectors<1>(in + i, taps, tap_count, result + i);
}

/// Two pixels side by side.
typedef float Pair __attribute__((vector_size(8 * sizeof(float))));

inline Pair pair_at(const float* p) {
  Pair pair;
  __builtin_memcpy(&pair, p, sizeof(pair));
  return pair;
}

/// Places of some points of a path: the pixels before them, and how far they are beyond these.
struct Places {
  static constexpr int capacity = 64;
  int columns[capacity], rows[capacity];
  float right[capacity], below[capacity];

  /// Of `count` points, and of some more, which must be there, from (from_right, from_below) on.
  void find(const float* along, const float* across, int count, float vx, float vy,
            float from_right = 0.0f, float from_below = 0.0f) {
    for (int k = 0; k < count; k += vector_lanes) {
      const Vector a = at(along + k), b = at(across + k);
      store(a * vx + b * vy + from_right, columns + k, right + k);
      store(a * vy - b * vx + from_below, rows + k, below + k);
    }
  }
  struct Limits {
    int least, greatest;
  };
  void clamp(int count, Limits column, Limits row) {
    for (int k = 0; k < count; k += vector_lanes) {
      clamp(columns + k, column);
      clamp(rows + k, row);
    }
  }
  static void clamp(int* values, Limits limits) {
    auto& all = *reinterpret_cast<Integers*>(values);
    const Integers least = Integers{} + limits.least, greatest = Integers{} + limits.greatest;
    const Integers some = all < greatest ? all : greatest;
    all = some > least ? some : least;
  }
  static void store(Vector place, int* before, float* beyond) {
    Integers whole = __builtin_convertvector(place, Integers);  // towards 0
    whole += (Integers)(__builtin_convertvector(whole, Vector) > place);
    *reinterpret_cast<Integers*>(before) = whole;
    at(beyond) = place - __builtin_convertvector(whole, Vector);
  }
};

/// The picture between four pixels: in each half what a column has of it.
inline Pair interpolated(const float* above, std::ptrdiff_t stride, float right, float below) {
  const Pair all_left{1.0f, 1.0f, 1.0f, 1.0f}, to_right = Pair{} + 1.0f - 2.0f * all_left;
  const Pair upper = pair_at(above), lower = pair_at(above + stride);
  return (all_left + to_right * right) * (upper + below * (lower - upper));
}

/// Some points of the paths of all pixels at a time, so that what they read stays in the cache.
void follow_paths(const MotionPaths& paths, int x, int count, float* result) {
  const float share = 1.0f / static_cast<float>(paths.point_count);
  const std::ptrdiff_t stride = paths.stride;
  const auto vy = static_cast<float>(paths.y - paths.center_y);
  Places places;
  for (int i = 0; i < 4 * count; ++i) result[i] = 0.0f;
  for (int begin = 0; begin < paths.point_count; begin += Places::capacity) {
    const int rest = paths.point_count - begin;
    const int found = rest < Places::capacity ? rest : Places::capacity;
    for (int i = 0; i < count; ++i) {
      places.find(paths.along + begin, paths.across + begin, found,
                  static_cast<float>(x + i - paths.center_x), vy);
      const float* const own = paths.pixels + paths.y * stride + 4 * std::ptrdiff_t{x + i};
      const auto sample = [&](int k) {
        const float* const above =
            own + places.rows[k] * stride + 4 * std::ptrdiff_t{places.columns[k]};
        return interpolated(above, stride, places.right[k], places.below[k]);
      };
      // Two sums, neither of which waits for the other.
      Pair sum{}, other{};
      int k = 0;
      for (; k + 1 < found; k += 2) sum += sample(k), other += sample(k + 1);
      if (k < found) sum += sample(k);
      sum += other;
      for (int c = 0; c < 4; ++c)
        result[4 * std::ptrdiff_t{i} + c] += (sum[c] + sum[c + 4]) * share;
    }
  }
}

inline void store(Pair pair, float* to) { __builtin_memcpy(to, &pair, sizeof(pair)); }

void sum_lines(const MotionLines& lines, float* totals, float* sums) {
  Places places;
  for (int i = 0; i < lines.line_count; ++i) {
    const MotionLine& line = lines.lines[i];
    places.find(lines.along, lines.across, lines.point_count, line.x, line.y, line.right,
                line.below);
    places.clamp(lines.point_count, {-line.column, lines.width - 2 - line.column},
                 {-line.row, lines.height - 2 - line.row});
    const float* const first =
        lines.pixels + line.row * lines.stride + 4 * std::ptrdiff_t{line.column};
    Pair total = pair_at(totals + 8 * std::ptrdiff_t{i});
    for (int k = 0; k < lines.point_count; ++k) {
      store(total, sums + 8 * (std::ptrdiff_t{i} * lines.point_count + k));
      total += interpolated(
          first + places.rows[k] * lines.stride + 4 * std::ptrdiff_t{places.columns[k]},
          lines.stride, places.right[k], places.below[k]);
    }
    store(total, totals + 8 * std::ptrdiff_t{i});
  }
}

}  // namespace

DEFINE_KERNELS(MotionKernels, motion_kernels){sum_taps, follow_paths, sum_lines};

}  // namespace cuda_filters::cpu
