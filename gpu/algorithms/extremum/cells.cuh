// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>

#include "gpu/algorithms/extremum/window.hpp"
#include "gpu/cuda/exec.cuh"

// The keys of window.hpp on a GPU, all channels of a pixel at once.

namespace cuda_filters::cuda::extremes {

/// The keys of four channels, packed in registers; there may be fewer channels.
template <class Key>
struct alignas(4 * sizeof(Key)) Cell {
  static constexpr int count = sizeof(Key);
  unsigned words[count];
};

constexpr unsigned even_bytes = 0x00ff00ffu;

/// The larger ones of both, channel by channel.
template <class Key>
__device__ Cell<Key> larger(const Cell<Key>& a, const Cell<Key>& b) {
  Cell<Key> best;
#pragma unroll
  for (int i = 0; i < Cell<Key>::count; ++i) {
    const unsigned one = a.words[i], other = b.words[i];
    if constexpr (sizeof(Key) == 1)  // an upper byte decides whatever the lower one is
      best.words[i] =
          (__vmaxu2(one & even_bytes, other & even_bytes)) | (__vmaxu2(one, other) & ~even_bytes);
    else if constexpr (sizeof(Key) == 2)
      best.words[i] = __vmaxu2(one, other);
    else
      best.words[i] = max(one, other);
  }
  return best;
}

/// The largest ones of many cells.
template <class Key>
class Largest {
 public:
  __device__ void add(const Cell<Key>& cell) { cell_ = larger(cell_, cell); }
  __device__ Cell<Key> cell() const { return cell_; }

 private:
  Cell<Key> cell_{};
};

/// Of bytes, the even ones and the odd ones by themselves, so that nothing is put together before
/// the end.
template <>
class Largest<std::uint8_t> {
 public:
  __device__ void add(const Cell<std::uint8_t>& cell) {
    even_ = __vmaxu2(even_, cell.words[0] & even_bytes);
    odd_ = __vmaxu2(odd_, cell.words[0]);
  }
  __device__ Cell<std::uint8_t> cell() const { return {{even_ | (odd_ & ~even_bytes)}}; }

 private:
  unsigned even_ = 0, odd_ = 0;
};

/// Reads a cell that does not change while a kernel runs.
template <class Key>
__device__ Cell<Key> read(const Cell<Key>* from) {
  if constexpr (sizeof(Key) == 1) {
    return {{__ldg(&from->words[0])}};
  } else if constexpr (sizeof(Key) == 2) {
    const uint2 words = __ldg(reinterpret_cast<const uint2*>(from));
    return {{words.x, words.y}};
  } else {
    const uint4 words = __ldg(reinterpret_cast<const uint4*>(from));
    return {{words.x, words.y, words.z, words.w}};
  }
}

/// How codes become keys and keys codes.
template <class Key>
struct Coding {
  Key infinity;  ///< of floats, else 0
  bool least;
  int channels;

  /// Of a pixel; `whole`: of four channels.
  template <bool whole>
  __device__ int bytes() const {
    return static_cast<int>(sizeof(Key)) * (whole ? 4 : channels);
  }
  /// Changes each channel of a cell: change(Key).
  template <class Change>
  __device__ static Cell<Key> changed(const Cell<Key>& cell, Change change) {
    constexpr int in_word = 4 / sizeof(Key), bits = 8 * sizeof(Key);
    Cell<Key> to{};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int shift = bits % 32 * (i % in_word);
      const Key key = change(static_cast<Key>(cell.words[i / in_word] >> shift));
      to.words[i / in_word] |= static_cast<unsigned>(key) << shift;
    }
    return to;
  }
  __device__ Cell<Key> complement(Cell<Key> cell) const {
#pragma unroll
    for (unsigned& word : cell.words) word ^= least ? ~0u : 0u;
    return cell;
  }
  __device__ Cell<Key> keys(const Cell<Key>& codes) const {
    if (sizeof(Key) == 1 || infinity == 0) return complement(codes);
    return changed(codes, [&](Key code) { return extremum::key_of(code, infinity, least); });
  }
  __device__ Cell<Key> codes(const Cell<Key>& keys) const {
    if (sizeof(Key) == 1 || infinity == 0) return complement(keys);
    return changed(keys, [&](Key key) { return extremum::code_of(key, infinity, least); });
  }
};

/// Reads the cells of a picture; where there is no pixel, codes whose keys are 0. `whole`: there
/// are four channels.
template <class Key, bool whole>
struct LoadCells {
  Input in;
  Rect have;
  Coding<Key> coding;

  /// A row of `have`; from column `begin` to `end` - 1, pixels are stored one after the other.
  struct Row {
    int slot, begin, end;
    const std::byte* zero;  ///< where column 0 would be

    __device__ bool is_straight(int x) const { return x >= begin && x < end; }
  };
  __device__ Row row(int y) const {
    const int slot = in.rows[y - in.area.y];
    const StraightRun& run = in.columns.straight;
    const int begin = max(have.x, in.area.x + run.begin),
              end = slot < 0 ? begin : min(have.right(), in.area.x + run.end);
    const std::ptrdiff_t column = run.first - run.begin - in.area.x;
    return {slot, begin, end, in.store + slot * in.slot_bytes + column * bytes()};
  }
  __device__ Cell<Key> codes(const Row& row, int x) const {
    if (row.is_straight(x)) return stored(row.zero + static_cast<std::ptrdiff_t>(x) * bytes());
    const bool is_inside = x >= have.x && x < have.right();
    const std::byte* const at = is_inside ? in.in_slot(x, row.slot, bytes()) : nullptr;
    return at != nullptr ? stored(at) : coding.codes({});
  }

 private:
  __device__ int bytes() const { return coding.template bytes<whole>(); }
  __device__ Cell<Key> stored(const std::byte* at) const {
    if constexpr (whole) return read(reinterpret_cast<const Cell<Key>*>(at));
    constexpr int in_word = 4 / sizeof(Key), bits = 8 * sizeof(Key);
    Cell<Key> codes{};
#pragma unroll
    for (int c = 0; c < 4; ++c)
      if (c < coding.channels)
        codes.words[c / in_word] |= static_cast<unsigned>(reinterpret_cast<const Key*>(at)[c])
                                    << bits % 32 * (c % in_word);
    return codes;
  }
};

/// Writes the cells of a picture.
template <class Key, bool whole>
struct StoreCells {
  Output out;
  Coding<Key> coding;

  __device__ void operator()(int x, int y, const Cell<Key>& keys) const {
    const Cell<Key> codes = coding.codes(keys);
    std::byte* const to = out.at(x, y, coding.template bytes<whole>());
    if constexpr (whole) {
      *reinterpret_cast<Cell<Key>*>(to) = codes;
    } else {
      constexpr int in_word = 4 / sizeof(Key), bits = 8 * sizeof(Key);
#pragma unroll
      for (int c = 0; c < 4; ++c)
        if (c < coding.channels)
          reinterpret_cast<Key*>(to)[c] =
              static_cast<Key>(codes.words[c / in_word] >> bits % 32 * (c % in_word));
    }
  }
};

/// Cells of an area.
template <class Key>
struct CellPlane {
  Cell<Key>* data;
  Rect area;

  __device__ Cell<Key>& at(int x, int y) const {
    return data[static_cast<std::size_t>(y - area.y) * area.width + (x - area.x)];
  }
};

/// Writes cells as they are.
template <class Key>
struct StoreKeys {
  CellPlane<Key> out;

  __device__ void operator()(int x, int y, const Cell<Key>& keys) const { out.at(x, y) = keys; }
};

}  // namespace cuda_filters::cuda::extremes
