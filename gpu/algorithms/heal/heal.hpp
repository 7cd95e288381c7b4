// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpu/core/luminance.hpp"
#include "gpu/core/pixel.hpp"
#include "gpu/device.hpp"
#if defined(__SSE2__) && !defined(__CUDACC__)
#include <emmintrin.h>
#endif

/// Completion of a hole in a picture by patches from around it: PatchMatch (Barnes, Shechtman,
/// Finkelstein and Goldman, 2009) in a pyramid, with votes of all patches that overlap at a pixel
/// (Wexler, Shechtman and Irani, 2007). README.md has the way it goes.
///
/// What decides is computed here, in integers or with the bits of exact::, in steps that each read
/// what the step before left: so every executor, with any number of threads, finds the same.
namespace cuda_filters::heal {

/// Where patches are taken from: the left and the right of the hole, all around it, or anywhere.
enum class SearchArea { sides, around, everywhere };

struct HealSettings {
  int patch;  ///< side of a patch in pixels; one less than an even number is taken for it
  SearchArea search;
  int distance;  ///< how far from the hole patches may lie, unless everywhere
  int iterations;
  std::uint32_t seed;

  /// How far a patch reaches from its middle.
  int radius() const { return (patch - 1) / 2; }
  /// `distance` in a level that is `scale` times as coarse.
  int distance_at(int scale) const { return (distance + scale - 1) / scale; }
  /// How far from the hole pixels are looked at, along an axis.
  int reach_x() const {
    return search == SearchArea::everywhere ? 1 << 28 : distance + 2 * radius();
  }
  int reach_y() const {
    return search == SearchArea::everywhere ? 1 << 28
           : search == SearchArea::around   ? distance + 2 * radius()
                                            : radius();
  }
};

/// A pixel as patches are compared: red, green, blue, times alpha, and alpha in eight bits each,
/// from the lowest on; 0 for what is transparent or unknown, and compared with nothing.
using Code = std::uint32_t;

/// What a pixel is for; 0 if it is neither.
enum Role : std::uint8_t {
  hole = 1,      ///< it is to be completed
  takeable = 2,  ///< it may be taken, and is neither transparent nor infinite or no number
};

HOST_DEVICE static inline bool is_finite(const Pixel& p) {
  const float zero = (p.r - p.r) + (p.g - p.g) + ((p.b - p.b) + (p.a - p.a));
  return zero == 0.0f;
}
/// Whether a picture that says where to take from is white and opaque enough there.
HOST_DEVICE static inline bool may_be_taken(const Pixel& aux) {
  return exact::product(exact::luminance(aux.r, aux.g, aux.b), aux.a) >= 0.5f;
}
/// The role of a pixel that is selected so much, of 255; `allowed`: whether it may be taken at all.
HOST_DEVICE static inline Role role_of(const Pixel& p, std::uint8_t selected, bool allowed) {
  if (selected > 0) return hole;
  return allowed && p.a > 0.0f && is_finite(p) ? takeable : Role{};
}

/// 0 … 255 for 0 … 1.
HOST_DEVICE static inline Code byte_of(float value) {
  const float inside = value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
  return static_cast<Code>(exact::sum(exact::product(inside, 255.0f), 0.5f));
}
/// The code of a pixel whose colors are not multiplied by alpha.
HOST_DEVICE static inline Code code_of(const Pixel& p) {
  if (!(p.a > 0.0f) || !is_finite(p)) return 0;
  const float alpha = p.a < 1.0f ? p.a : 1.0f;
  const auto color = [&](float value) {
    return byte_of(exact::product(value < 1.0f ? value : 1.0f, alpha));
  };
  const Code opacity = byte_of(alpha);
  return color(p.r) | color(p.g) << 8 | color(p.b) << 16 | (opacity > 0 ? opacity : 1) << 24;
}
/// What is collected of a pixel: its role, and its code unless it is in the hole.
struct Collected {
  Role role;
  Code code;
};
HOST_DEVICE static inline Collected collected(const Pixel& p, std::uint8_t selected, bool allowed) {
  const Role role = role_of(p, selected, allowed);
  return {role, role == hole ? 0 : code_of(p)};
}

/// A pixel for a code, where no patch says more.
HOST_DEVICE static inline Pixel pixel_of(Code code) {
  const auto alpha = static_cast<float>(code >> 24);
  if (alpha == 0.0f) return {0.0f, 0.0f, 0.0f, 0.0f};
  const auto color = [&](int shift) {
    return exact::quotient(static_cast<float>(code >> shift & 255), alpha);
  };
  return {color(0), color(8), color(16), exact::quotient(alpha, 255.0f)};
}

/// A number that follows from four others alone, and looks random.
HOST_DEVICE static inline std::uint32_t random_number(std::uint32_t a, std::uint32_t b,
                                                      std::uint32_t c, std::uint32_t d) {
  std::uint32_t h = a * 0x9E3779B1u ^ (b * 0x85EBCA77u + 0x165667B1u);
  h ^= c * 0xC2B2AE3Du;
  h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
  h ^= d * 0x27D4EB2Fu;
  h = (h ^ (h >> 12)) * 0x297A2D39u;
  return h ^ (h >> 15);
}

/// One level of the pyramid, as steps see it. A target is a pixel whose patch has a pixel of the
/// hole in it; a source one whose patch has none, and may be taken. Pixels are counted row by row.
struct LevelView {
  Size size;
  Rect box;  ///< what has all targets
  int radius;
  Code* codes;
  const std::uint8_t* source;  ///< whether a pixel is one
  // In the box:
  const std::uint16_t* depth;  ///< steps from the edge of the hole, diagonal ones too; 0 outside
  int* match;                  ///< the source whose patch is the nearest one found, or -1
  std::uint32_t* distance;     ///< how far that is: the sum of squared differences of codes

  HOST_DEVICE int index(int x, int y) const { return y * size.width + x; }
  HOST_DEVICE bool in_box(int x, int y) const {
    return x >= box.x && y >= box.y && x < box.right() && y < box.bottom();
  }
  HOST_DEVICE int box_index(int x, int y) const { return (y - box.y) * box.width + x - box.x; }
};

#if defined(__SSE2__) && !defined(__CUDACC__)
/// Sums of squared differences, to be added up, of four codes of which the first `count` count.
inline __m128i squared_differences(const Code* target, const Code* source, int count) {
  const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(target));
  const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source));
  const __m128i counts = _mm_cmpgt_epi32(_mm_set1_epi32(count), _mm_set_epi32(3, 2, 1, 0));
  const __m128i known = _mm_cmpgt_epi32(_mm_srli_epi32(a, 24), _mm_setzero_si128());
  const __m128i d = _mm_and_si128(_mm_or_si128(_mm_subs_epu8(a, b), _mm_subs_epu8(b, a)),
                                  _mm_and_si128(known, counts));
  const __m128i low = _mm_unpacklo_epi8(d, _mm_setzero_si128());
  const __m128i high = _mm_unpackhi_epi8(d, _mm_setzero_si128());
  return _mm_add_epi32(_mm_madd_epi16(low, low), _mm_madd_epi16(high, high));
}
/// How many codes beyond the last one squared_differences() may read.
static constexpr std::size_t codes_beyond = 3;
#else
static constexpr std::size_t codes_beyond = 0;
#endif

/// A row of a patch's distance.
HOST_DEVICE static inline std::uint32_t row_distance(const Code* target, const Code* source,
                                                     int count) {
#if defined(__SSE2__) && !defined(__CUDACC__)
  __m128i sums = squared_differences(target, source, count);
  for (int x = 4; x < count; x += 4)
    sums = _mm_add_epi32(sums, squared_differences(target + x, source + x, count - x));
  sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, _MM_SHUFFLE(1, 0, 3, 2)));
  sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, _MM_SHUFFLE(2, 3, 0, 1)));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(sums));
#else
  // A GPU waits for several codes at once.
  constexpr int at_once = 8;
  std::uint32_t sum = 0;
  for (int first = 0; first < count; first += at_once) {
    Code a[at_once], b[at_once];
    for (int k = 0; k < at_once; ++k) {
      const int x = first + k < count ? first + k : count - 1;
      a[k] = target[x], b[k] = source[x];
    }
    for (int k = 0; k < at_once; ++k) {
      const bool counts = first + k < count && a[k] >> 24 != 0;
      sum += counts ? squared_difference_of_bytes(a[k], b[k]) : 0;
    }
  }
  return sum;
#endif
}

/// How far the patch around a source is from what is known of that around a target; anything from
/// `enough` on where it is no less than that.
HOST_DEVICE static inline std::uint32_t patch_distance(const LevelView& level, int x, int y,
                                                       int source_x, int source_y,
                                                       std::uint32_t enough) {
  const int radius = level.radius, width = level.size.width;
  const int left = x < radius ? x : radius, top = y < radius ? y : radius;
  const int right = width - 1 - x < radius ? width - 1 - x : radius;
  const int bottom = level.size.height - 1 - y < radius ? level.size.height - 1 - y : radius;
  const Code* target = level.codes + level.index(x - left, y - top);
  const Code* source = level.codes + level.index(source_x - left, source_y - top);
  std::uint32_t sum = 0;
  for (int row = -top; row <= bottom && sum < enough; ++row, target += width, source += width)
    sum += row_distance(target, source, left + right + 1);
  return sum;
}

/// The match of a target while better ones are looked for. Of equals the one that is there stays,
/// so that neighbors keep matches that lie side by side.
struct Best {
  const LevelView& level;
  int x, y;
  int match;
  std::uint32_t distance;

  HOST_DEVICE void attempt(int source_x, int source_y) {
    const int radius = level.radius;
    if (source_x < radius || source_y < radius || source_x >= level.size.width - radius ||
        source_y >= level.size.height - radius)
      return;
    const int source = level.index(source_x, source_y);
    if (source == match || level.source[source] == 0) return;
    const std::uint32_t found = patch_distance(level, x, y, source_x, source_y, distance);
    if (found < distance) distance = found, match = source;
  }
};

constexpr std::uint32_t no_distance = 0xffffffffu;

/// How far from a target sources are tried at random: as far as they may lie from the hole, and the
/// target in it.
struct Reach {
  int base;
  bool everywhere;
  HOST_DEVICE int of(const LevelView& level, int box_index) const {
    return everywhere ? base : base + level.depth[box_index];
  }
};

/// A step of the search, for a target: tries what its neighbors so many pixels away have found, and
/// sources at random, in windows that become smaller.
struct SearchStep {
  LevelView level;  ///< match: what the step before found
  int* found;       ///< what becomes of it
  const int* targets;
  const int* samples;  ///< some sources, from all over
  int sample_count;
  Reach reach;
  std::uint32_t seed, pass;  ///< pass: another number in every step
  int jump;                  ///< how far away the neighbors are
  bool codes_changed;        ///< since the distances were found
  bool is_first;             ///< of all steps: sources from all over are tried, too

  static constexpr int tries = 8, neighbors = 4;

  HOST_DEVICE std::uint32_t number(int target, int what) const {
    return random_number(static_cast<std::uint32_t>(target), pass, static_cast<std::uint32_t>(what),
                         seed);
  }
  HOST_DEVICE int around(int middle, int far, std::uint32_t number) const {
    return middle + static_cast<int>(number % static_cast<std::uint32_t>(2 * far + 1)) - far;
  }

  HOST_DEVICE void operator()(int i) const {
    const int target = targets[i], width = level.size.width;
    const int x = target % width, y = target / width, place = level.box_index(x, y);
    Best best{level, x, y, level.match[place], level.distance[place]};
    if (best.match < 0)
      best.distance = no_distance;
    else if (codes_changed)
      best.distance =
          patch_distance(level, x, y, best.match % width, best.match / width, no_distance);
    const int reached = reach.of(level, place);
    if (is_first || best.match < 0) initialize(best, target, reached);
    for (int k = 0; k < neighbors; ++k) propagate(best, k);
    if (best.match >= 0) random_search(best, target, reached);
    found[place] = best.match;
    level.distance[place] = best.distance;
  }

  /// Tries sources from all over, and from around the target.
  HOST_DEVICE void initialize(Best& best, int target, int reached) const {
    for (int k = 0; k < tries; ++k) {
      const std::uint32_t a = number(target, 100 + 2 * k), b = number(target, 101 + 2 * k);
      if (k % 2 == 0) {
        const int source = samples[a % static_cast<std::uint32_t>(sample_count)];
        best.attempt(source % level.size.width, source / level.size.width);
      } else {
        best.attempt(around(best.x, reached, a), around(best.y, reached, b));
      }
    }
  }
  HOST_DEVICE void propagate(Best& best, int k) const {
    const int away = k % 2 == 0 ? jump : -jump;
    const int dx = k < 2 ? away : 0, dy = k < 2 ? 0 : away;
    if (!level.in_box(best.x + dx, best.y + dy)) return;
    const int match = level.match[level.box_index(best.x + dx, best.y + dy)];
    if (match >= 0) best.attempt(match % level.size.width - dx, match / level.size.width - dy);
  }
  /// Tries sources around the match; of the wider windows every fourth in each step.
  HOST_DEVICE void random_search(Best& best, int target, int reached) const {
    const int x = best.match % level.size.width, y = best.match / level.size.width;
    int k = 0;
    for (int far = reached; far >= 1; far /= 2, ++k) {
      if ((k + static_cast<int>(pass)) % 4 != 0 && far > 2) continue;
      best.attempt(around(x, far, number(target, 2 * k)),
                   around(y, far, number(target, 2 * k + 1)));
    }
  }
};

/// Calls f(place in the box, index of the source) for each patch over a pixel: what its source has
/// there.
template <class F>
HOST_DEVICE static inline void for_patches(const LevelView& level, int x, int y, F f) {
  const int radius = level.radius;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      if (!level.in_box(x + dx, y + dy)) continue;
      const int place = level.box_index(x + dx, y + dy), match = level.match[place];
      if (match >= 0) f(place, match - dy * level.size.width - dx);
    }
}

/// Gives a pixel of the hole the mean of what the patches over it say; tells whether it changed.
struct Vote {
  LevelView level;
  const int* holes;

  HOST_DEVICE bool operator()(int i) const {
    const int pixel = holes[i];
    std::uint32_t sums[4] = {}, all = 0;
    for_patches(level, pixel % level.size.width, pixel / level.size.width, [&](int, int source) {
      const Code code = level.codes[source];
      for (int k = 0; k < 4; ++k) sums[k] += code >> 8 * k & 255;
      ++all;
    });
    if (all == 0) return false;
    Code code = 0;
    for (int k = 0; k < 4; ++k) code |= (sums[k] + all / 2) / all << 8 * k;
    const Code before = level.codes[pixel];
    level.codes[pixel] = code;
    return code != before;
  }
};

/// The last vote, with the pixels themselves: there the patches count for more whose middles are
/// nearer to the edge of the hole, so that no seam is left.
struct LastVote {
  LevelView level;
  const Pixel* pixels;
  const float* nearness;  ///< by depth, up to last_depth
  static constexpr int last_depth = 60;

  HOST_DEVICE Pixel operator()(int x, int y) const {
    Pixel sum{0.0f, 0.0f, 0.0f, 0.0f};
    float all = 0.0f;
    const auto add = [](float to, float a, float b) {
      return exact::sum(to, exact::product(a, b));
    };
    for_patches(level, x, y, [&](int place, int source) {
      const Pixel p = pixels[source];
      const int depth = level.depth[place];
      const float weight = nearness[depth < last_depth ? depth : last_depth];
      const float alpha = exact::product(weight, p.a);
      sum = {add(sum.r, alpha, p.r), add(sum.g, alpha, p.g), add(sum.b, alpha, p.b),
             exact::sum(sum.a, alpha)};
      all = exact::sum(all, weight);
    });
    if (!(sum.a > 0.0f)) return pixel_of(level.codes[level.index(x, y)]);
    return {exact::quotient(sum.r, sum.a), exact::quotient(sum.g, sum.a),
            exact::quotient(sum.b, sum.a), exact::quotient(sum.a, all)};
  }
};

/// Halves a level: the means of what is known of 2 × 2 pixels.
struct Halve {
  Size fine;
  const Code* from;
  int width;
  Code* to;

  HOST_DEVICE void operator()(int i) const {
    const int x = i % width * 2, y = i / width * 2;
    Code sums[4] = {}, count = 0;
    for (int k = 0; k < 4; ++k) {
      const int column = x + k % 2, row = y + k / 2;
      if (column >= fine.width || row >= fine.height) continue;
      const Code code = from[row * fine.width + column];
      if (code == 0) continue;
      for (int c = 0; c < 4; ++c) sums[c] += code >> 8 * c & 255;
      ++count;
    }
    Code mean = 0;
    if (count > 0)
      for (int c = 0; c < 4; ++c) mean |= (sums[c] + count / 2) / count << 8 * c;
    to[i] = mean;
  }
};

/// Brings the matches of the next coarser level to the targets of a level.
struct RefineMatches {
  LevelView coarse, level;
  const int* targets;

  HOST_DEVICE void operator()(int i) const {
    const int width = level.size.width, x = targets[i] % width, y = targets[i] / width;
    const int place = level.box_index(x, y);
    int match = -1;
    std::uint32_t distance = 0;
    if (coarse.in_box(x / 2, y / 2)) {
      const int from = coarse.box_index(x / 2, y / 2), source = coarse.match[from];
      if (source >= 0) {
        const int source_x = source % coarse.size.width * 2 + x % 2;
        const int source_y = source / coarse.size.width * 2 + y % 2;
        const int finer = level.index(source_x, source_y);
        if (source_x < width && source_y < level.size.height && level.source[finer] != 0)
          match = finer, distance = coarse.distance[from];
      }
    }
    level.match[place] = match;
    level.distance[place] = distance;
  }
};
/// Brings the codes of the next coarser level to the hole.
struct RefineCodes {
  LevelView coarse, level;
  const int* holes;

  HOST_DEVICE void operator()(int i) const {
    const int width = level.size.width, x = holes[i] % width, y = holes[i] / width;
    level.codes[holes[i]] = coarse.codes[coarse.index(x / 2, y / 2)];
  }
};

/// Finds matches for a layer of the hole of the coarsest level, by what is known further outside.
struct MatchLayer {
  LevelView level;
  const int* layer;
  const int* samples;
  int sample_count, tries;
  std::uint32_t seed;

  /// What neighbors that lie further outside have found.
  HOST_DEVICE Best begin(int i) const {
    const int width = level.size.width;
    const int x = layer[i] % width, y = layer[i] / width, place = level.box_index(x, y);
    Best best{level, x, y, -1, no_distance};
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        if (!level.in_box(x + dx, y + dy)) continue;
        const int other = level.box_index(x + dx, y + dy);
        if (level.depth[other] >= level.depth[place]) continue;  // another thread's, or later
        const int match = level.match[other];
        if (match < 0) continue;
        best.attempt(match % width - dx, match / width - dy);
      }
    return best;
  }
  HOST_DEVICE void attempt(Best& best, int i, int k) const {
    const std::uint32_t any = tries == sample_count
                                  ? static_cast<std::uint32_t>(k)
                                  : random_number(static_cast<std::uint32_t>(layer[i]), 0xffffu,
                                                  static_cast<std::uint32_t>(k), seed) %
                                        static_cast<std::uint32_t>(sample_count);
    const int source = samples[any];
    best.attempt(source % level.size.width, source / level.size.width);
  }
  HOST_DEVICE void end(const Best& best) const {
    const int place = level.box_index(best.x, best.y);
    level.match[place] = best.match;
    level.distance[place] = best.distance;
  }
};
/// Gives the pixels of a layer the codes of their matches.
struct CopyLayer {
  LevelView level;
  const int* layer;

  HOST_DEVICE void operator()(int i) const {
    const int pixel = layer[i], width = level.size.width;
    const int match = level.match[level.box_index(pixel % width, pixel / width)];
    if (match >= 0) level.codes[pixel] = level.codes[match];
  }
};

}  // namespace cuda_filters::heal
