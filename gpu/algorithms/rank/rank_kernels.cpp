// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/rank/rank_kernels.hpp"

#include <array>
#include <utility>

#include "gpu/algorithms/rank/small_median.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

#if defined(__AVX512BW__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
static_assert(vector_bytes <= rank_slack);

/// As many keys as a register holds.
template <class Key>
struct Vector {
  typedef Key Keys __attribute__((vector_size(vector_bytes)));
  typedef Key Unaligned __attribute__((vector_size(vector_bytes), aligned(1), may_alias));
  static constexpr int size = vector_bytes / sizeof(Key);
  Keys keys;

  static Vector load(const Key* from) { return {*reinterpret_cast<const Unaligned*>(from)}; }
  void store(Key* to) const { *reinterpret_cast<Unaligned*>(to) = keys; }
};

struct Smaller {
  template <class V>
  V operator()(const V& a, const V& b) const {
    return {a.keys < b.keys ? a.keys : b.keys};
  }
};
struct Larger {
  template <class V>
  V operator()(const V& a, const V& b) const {
    return {a.keys > b.keys ? a.keys : b.keys};
  }
};

template <class Key, class NetworkWindow>
void sort_row(const Key* keys, int step, int count, Key* sorted, std::size_t stride) {
  using V = Vector<Key>;
  constexpr int d = NetworkWindow::diameter;
  for (int i = 0; i < count; i += V::size) {
    V in_order[d];
    rank::sort_row<NetworkWindow>(
        in_order, [&](int dx) { return V::load(keys + i + std::size_t{1} * (d / 2 + dx) * step); },
        Smaller{}, Larger{});
    for (int k = 0; k < d; ++k) in_order[k].store(sorted + k * stride + i);
  }
}

/// What four_rows() works on at a time for large networks, in steps that are functions of their
/// own: GCC would take minutes for one function of all of them, and gets lost in it.
template <class Key, class NetworkWindow>
class Block {
 public:
  static constexpr int max_vectors = 128 / vector_bytes;

  Block(const Key* const* sorted, std::size_t stride) : stride_{stride} {
    for (int row = 0; row < rows; ++row) rows_[0][row] = rows_[1][rows - 1 - row] = sorted[row];
  }

  /// The medians of four rows, of so many vectors of samples, from number `first` on.
  void run(int first, int vectors, Key* medians) {
    vectors_ = vectors;
    sort_half(rows_[0], first, halves_);
    sort_half(rows_[1], first, halves_ + half_size);
    merge_halves();
    Key* const to = medians + first;
    two_rows(rows_[0], first, to, to + stride_);
    two_rows(rows_[1], first, to + 3 * stride_, to + 2 * stride_);
  }

 private:
  using V = Vector<Key>;
  using Half = rank::SharedHalf<NetworkWindow>;
  static constexpr int rows = NetworkWindow::diameter + 3, half_size = Half::size,
                       common = rank::common<NetworkWindow>;
  typedef V Row[max_vectors];

  /// The lists of rows, of the vector of samples from number `first` on.
  auto samples(const Key* const* rows, int first) const {
    return [this, first, rows = rows + NetworkWindow::diameter / 2](int row, int i) {
      return V::load(rows[row] + i * stride_ + first);
    };
  }

  [[gnu::noinline]] void sort_half(const Key* const* rows, int first, Row* sorted) const {
    for (int v = 0; v < vectors_; ++v) {
      V values[half_size];
      Half::sort(values, samples(rows, first + v * V::size), Smaller{}, Larger{});
#pragma GCC unroll 65534
      for (int i = 0; i < half_size; ++i) sorted[i][v] = values[Half::Merging::network.order[i]];
    }
  }

  [[gnu::noinline]] void merge_halves() {
    using Merging = network::Merging<half_size, half_size>;
    for (int v = 0; v < vectors_; ++v) {
      V values[2 * half_size], middle[common];
#pragma GCC unroll 65534
      for (int i = 0; i < 2 * half_size; ++i) values[i] = halves_[i][v];
      network::run<Merging>(values, Smaller{}, Larger{});
      rank::take_middle<NetworkWindow, Merging>(values, middle);
#pragma GCC unroll 65534
      for (int i = 0; i < common; ++i) middle_[i][v] = middle[i];
    }
  }

  [[gnu::noinline]] void two_rows(const Key* const* rows, int first, Key* near, Key* far) const {
    for (int v = 0; v < vectors_; ++v) {
      V values[common + 2 * NetworkWindow::diameter], medians[2];
#pragma GCC unroll 65534
      for (int i = 0; i < common; ++i) values[i] = middle_[i][v];
      rank::two_medians<NetworkWindow>(values, samples(rows, first + v * V::size), Smaller{},
                                       Larger{}, medians[0], medians[1]);
      medians[0].store(near + v * V::size);
      medians[1].store(far + v * V::size);
    }
  }

  std::size_t stride_;
  int vectors_ = 0;
  const Key* rows_[2][rows];  ///< from the top down, and from the bottom up
  Row halves_[2 * half_size], middle_[common];
};

/// Up to here the networks are small enough to be one function.
constexpr int max_whole_radius = 4;

template <class Key, class NetworkWindow>
void four_rows(const Key* const* sorted, std::size_t stride, int count, Key* medians) {
  using V = Vector<Key>;
  constexpr int radius = NetworkWindow::diameter / 2;
  if constexpr (radius <= max_whole_radius) {
    for (int i = 0; i < count; i += V::size) {
      V found[4];
      rank::four_medians<NetworkWindow>(
          [&](int row, int k) { return V::load(sorted[row + radius] + k * stride + i); }, Smaller{},
          Larger{}, found);
      for (int row = 0; row < 4; ++row) found[row].store(medians + row * stride + i);
    }
  } else {
    Block<Key, NetworkWindow> block{sorted, stride};
    for (int i = 0; i < count; i += block.max_vectors * V::size) {
      const int left = (count - i + V::size - 1) / V::size;
      block.run(i, left < block.max_vectors ? left : block.max_vectors, medians);
    }
  }
}

typedef std::int16_t Shorts __attribute__((vector_size(vector_bytes)));
typedef std::int16_t Eight __attribute__((vector_size(16)));

inline Eight sum_of_eights(Shorts values) {
  Eight parts[vector_bytes / 16];
  __builtin_memcpy(parts, &values, sizeof values);
  Eight sum = parts[0];
  for (int i = 1; i < vector_bytes / 16; ++i) sum += parts[i];
  return sum;
}

void count_below(const std::uint8_t* bytes, int size, const std::uint8_t* limits, int* below) {
  using V = Vector<std::uint8_t>;
  typedef std::int8_t Signed __attribute__((vector_size(vector_bytes)));
  typedef std::uint64_t Words __attribute__((vector_size(vector_bytes)));
  std::uint64_t word;
  __builtin_memcpy(&word, limits, sizeof word);
  const V::Keys limit = reinterpret_cast<V::Keys>(Words{} + word);
  for (int k = 0; k < 8; ++k) below[k] = 0;
  constexpr int max_part = 127 * V::size;  // what the bytes of a sum hold
  for (int first = 0; first < size; first += max_part) {
    const int end = size - first < max_part ? size : first + max_part;
    Signed sum{};
    for (int i = first; i < end; i += V::size)
      sum -= reinterpret_cast<Signed>(V::load(bytes + i).keys < limit);
    const Eight even = sum_of_eights(reinterpret_cast<Shorts>(sum) << 8 >> 8);
    const Eight odd = sum_of_eights(reinterpret_cast<Shorts>(sum) >> 8);
    for (int k = 0; k < 4; ++k) {
      below[2 * k] += even[k] + even[k + 4];
      below[2 * k + 1] += odd[k] + odd[k + 4];
    }
  }
}

typedef std::int32_t Four __attribute__((vector_size(16)));

inline Four four(const int* from) {
  Four values;
  __builtin_memcpy(&values, from, sizeof values);
  return values;
}

/// The four lanes' bytes, again and again.
inline Vector<std::uint8_t>::Keys repeated(Four bytes) {
  typedef std::uint8_t Short __attribute__((vector_size(4)));
  typedef std::uint32_t Words __attribute__((vector_size(vector_bytes)));
  const Short narrow = __builtin_convertvector(bytes, Short);
  std::uint32_t word;
  __builtin_memcpy(&word, &narrow, sizeof word);
  return reinterpret_cast<Vector<std::uint8_t>::Keys>(Words{} + word);
}

/// The sums over every fourth byte.
inline Four sum_of_fours(Vector<std::uint8_t>::Keys bytes) {
  typedef std::uint16_t Unsigned __attribute__((vector_size(vector_bytes)));
  typedef std::int16_t Short __attribute__((vector_size(8)));
  const auto pairs = reinterpret_cast<Unsigned>(bytes);
  const Eight even = sum_of_eights(reinterpret_cast<Shorts>(pairs & 255));
  const Eight odd = sum_of_eights(reinterpret_cast<Shorts>(pairs >> 8));
  const Eight sum = __builtin_shuffle(even, odd, Eight{0, 8, 1, 9, 2, 10, 3, 11}) +
                    __builtin_shuffle(even, odd, Eight{4, 12, 5, 13, 6, 14, 7, 15});
  Short parts[2];
  __builtin_memcpy(parts, &sum, sizeof sum);
  return __builtin_convertvector(parts[0] + parts[1], Four);
}

/// In 1 or 2 lanes, each of the four has its channel's whole sum.
inline Four sum_of_lanes(Four sum, int lanes) {
  if (lanes <= 2) sum += __builtin_shuffle(sum, Four{2, 3, 0, 1});
  if (lanes == 1) sum += __builtin_shuffle(sum, Four{1, 0, 3, 2});
  return sum;
}

constexpr auto mask_of_rest = [] {
  std::array<std::uint8_t, 2 * vector_bytes> mask{};
  for (int i = 0; i < vector_bytes; ++i) mask[i] = 255;
  return mask;
}();

/// How many bytes are below a byte of their lane, and the same of its neighbors.
struct Around {
  Four below_lower{}, below{}, up_to{}, up_to_higher{};

  Around(const std::uint8_t* bytes, int size, Four byte) {
    using V = Vector<std::uint8_t>;
    const auto middle = repeated(byte);
    const auto lower = repeated(byte + (byte > 0)), higher = repeated(byte - (byte < 255));
    constexpr int max_part = 255 * V::size;  // what the bytes of a sum hold
    for (int first = 0; first < size; first += max_part) {
      const int end = size - first < max_part ? size : first + max_part;
      V::Keys a{}, b{}, c{}, d{};
      int i = first;
      for (; i + V::size <= end; i += V::size) {
        const V::Keys keys = V::load(bytes + i).keys;
        a -= reinterpret_cast<V::Keys>(keys < lower);
        b -= reinterpret_cast<V::Keys>(keys < middle);
        c -= reinterpret_cast<V::Keys>(keys <= middle);
        d -= reinterpret_cast<V::Keys>(keys <= higher);
      }
      if (i < end) {
        const V::Keys keys = V::load(bytes + i).keys;
        const V::Keys here = V::load(mask_of_rest.data() + V::size - (end - i)).keys;
        a -= reinterpret_cast<V::Keys>(keys < lower) & here;
        b -= reinterpret_cast<V::Keys>(keys < middle) & here;
        c -= reinterpret_cast<V::Keys>(keys <= middle) & here;
        d -= reinterpret_cast<V::Keys>(keys <= higher) & here;
      }
      below_lower += sum_of_fours(a), below += sum_of_fours(b);
      up_to += sum_of_fours(c), up_to_higher += sum_of_fours(d);
    }
  }
};

/// One lane of a search that needs more than one step from `found`, where the result is not: on to
/// where it would be if the other bytes were like those counted. `excess` samples too many are
/// below `found`, or, if negative, too few up to it. What lies below, and whether the result does,
/// is known.
struct Walk {
  int lowest = 0, highest = 255;  ///< the result is one of these

  void go_on(const int* a, const int* b, int excess, int& found, int& below) {
    if (excess > 0) {
      for (highest = found - 1; excess > 0 && found > lowest;) {
        const int count = a[found] + b[found];  // of the byte before
        --found, below -= count, excess -= count;
      }
      return;
    }
    for (lowest = found + 1; excess < 0 && found < highest;) {
      const int count = a[found + 1] + b[found + 1];
      ++found, below += count, excess += count;
    }
  }
};

void search(const HistogramPair& histograms, const std::uint8_t* more, int size, int lanes,
            RankSearch& search) {
  const Four rank = four(search.rank);
  Walk walks[4];
  while (true) {
    const Four start = four(search.found);
    Around around{more, size, start};
    for (Four* sum : {&around.below_lower, &around.below, &around.up_to, &around.up_to_higher})
      *sum = sum_of_lanes(*sum, lanes);
    int counts[3][4];  // of the byte before, of this one, and of the next one
    for (int k = 0; k < 4; ++k) {
      const int *a = &histograms[0][k % lanes][start[k]], *b = &histograms[1][k % lanes][start[k]];
      for (int i = 0; i < 3; ++i) counts[i][k] = a[i] + b[i];
    }
    const Four lower = four(counts[0]), equal = four(counts[1]), higher = four(counts[2]);
    Four below = four(search.below);
    const Four down = below + around.below > rank;
    const Four up = below + equal + around.up_to <= rank;
    const Four found = start + down - up;
    below += (up & equal) - (down & lower);
    const Four more_below =
        (down & around.below_lower) | (up & around.up_to) | (~(down | up) & around.below);
    const Four residual = rank - below - more_below;
    // One step may suffice: what that needs to be seen is known.
    const Four above = rank + 1 - below - higher - around.up_to_higher;
    const Four farther = (down & (residual < 0)) | (up & (above > 0));
    __builtin_memcpy(search.found, &found, sizeof found);
    __builtin_memcpy(search.below, &below, sizeof below);
    __builtin_memcpy(search.residual, &residual, sizeof residual);
    if ((farther[0] | farther[1] | farther[2] | farther[3]) == 0) return;
    for (int k = 0; k < 4; ++k)
      if (farther[k] != 0)
        walks[k].go_on(histograms[0][k % lanes].data(), histograms[1][k % lanes].data(),
                       down[k] != 0 ? -residual[k] : -above[k], search.found[k], search.below[k]);
  }
}

template <class Key, rank::Shape shape, int radius>
constexpr MedianKernel<Key> median_kernel{sort_row<Key, rank::SmallWindow<shape, radius>>,
                                          four_rows<Key, rank::SmallWindow<shape, radius>>};

template <class Key, int... i>
constexpr MedianKernels<Key> median_kernels(std::integer_sequence<int, i...>) {
  return {{median_kernel<Key, rank::Shape::square, i + 1>...},
          {median_kernel<Key, rank::simplest(rank::Shape::circle, i + 1), i + 1>...}};
}

using Radii = std::make_integer_sequence<int, rank::network_radius>;

}  // namespace

DEFINE_KERNELS(RankKernels, rank_kernels){
    median_kernels<std::uint8_t>(Radii{}), median_kernels<std::uint16_t>(Radii{}),
    median_kernels<std::uint32_t>(Radii{}), count_below, search};

}  // namespace cuda_filters::cpu
