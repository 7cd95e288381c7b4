// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <vector>

#include "gpu/algorithms/pyramid/downsample.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

/// Pixels, or one float each.
template <class T>
struct Rows;
template <>
struct Rows<Pixel> {
  using In = Input;
  using Out = Output;
  static const Pixel* load(const Input& in, int x, int y, int count, RowBuffer& buffer) {
    return in.row(x, y, count, buffer);
  }
  static void store(const Output& out, int x, int y, int count, const Pixel* pixels) {
    out.store(x, y, count, reinterpret_cast<const float*>(pixels));
  }
};
template <>
struct Rows<float> {
  using In = Channel;
  using Out = Channel;
  static const float* load(const Channel& in, int x, int y, int count, RowBuffer&) {
    return in.row(x, y, count);
  }
  static void store(const Channel& out, int x, int y, int count, const float* pixels) {
    std::copy_n(pixels, count, out.at(x, y));
  }
};

/// A strip of rows of the level above, from top to bottom, with the rows that one of them is made
/// of, reduced along themselves, in a ring.
template <class T>
void downsample_strip(const typename Rows<T>::In& in, const typename Rows<T>::Out& out, Rect area) {
  constexpr int taps = 2 * pyramid::reduce_reach + 1;
  const IndexRange columns = pyramid::fine_for(area.columns());
  RowBuffer buffer;
  std::vector<T> ring[taps], result(area.width);
  for (std::vector<T>& row : ring) row.resize(area.width);
  const auto ring_row = [&](int y) { return ring[((y % taps) + taps) % taps].data(); };
  int next = pyramid::fine_for(area.rows()).begin;
  for (int y = area.y; y < area.bottom(); ++y) {
    const IndexRange rows = pyramid::fine_for({y, y + 1});
    for (; next < rows.end; ++next) {
      const T* const p = Rows<T>::load(in, columns.begin, next, columns.size(), buffer);
      T* const to = ring_row(next);
      for (int i = 0; i < area.width; ++i)
        to[i] = pyramid::reduced(p[2 * i], p[2 * i + 1], p[2 * i + 2], p[2 * i + 3], p[2 * i + 4]);
    }
    const T *const a = ring_row(rows.begin), *const b = ring_row(rows.begin + 1),
                   *const c = ring_row(rows.begin + 2), *const d = ring_row(rows.begin + 3),
                   *const e = ring_row(rows.begin + 4);
    for (int i = 0; i < area.width; ++i) result[i] = pyramid::reduced(a[i], b[i], c[i], d[i], e[i]);
    Rows<T>::store(out, area.x, y, area.width, result.data());
  }
}

template <class T>
void downsample_rows(const typename Rows<T>::In& in, const typename Rows<T>::Out& out) {
  constexpr int strip = 32;
  for_tiles(out.area(), out.area().width, strip,
            [&](Rect area) { downsample_strip<T>(in, out, area); });
}

/// A row, expanded along the columns and then along itself.
template <class T>
void upsample_row(const typename Rows<T>::In& in, const typename Rows<T>::Out& out, int y) {
  const Rect area = out.area();
  const IndexRange columns = pyramid::coarse_for(area.columns());
  const int count = columns.size(), first = area.x >> 1,
            pairs = ((area.right() - 1) >> 1) + 1 - first;
  thread_local RowBuffer buffers[3];
  thread_local std::vector<T> coarse, fine;
  // From pixel first - 1 on, which the first pair's even pixel needs, whether it is wanted or not.
  coarse.resize(pairs + 2), fine.resize(2 * pairs + lanes);
  T* const middle = coarse.data() + (columns.begin - (first - 1));
  const auto row = [&](int k) {
    return Rows<T>::load(in, columns.begin, (y >> 1) + k, count, buffers[k + 1]);
  };
  if ((y & 1) != 0) {
    const T *const b = row(0), *const c = row(1);
    for (int i = 0; i < count; ++i) middle[i] = pyramid::expanded_odd(b[i], c[i]);
  } else {
    const T *const a = row(-1), *const b = row(0), *const c = row(1);
    for (int i = 0; i < count; ++i) middle[i] = pyramid::expanded_even(a[i], b[i], c[i]);
  }
  for (int i = 0; i < pairs; ++i) {
    const T a = coarse[i], b = coarse[i + 1], c = coarse[i + 2];
    fine[2 * i] = pyramid::expanded_even(a, b, c);
    fine[2 * i + 1] = pyramid::expanded_odd(b, c);
  }
  Rows<T>::store(out, area.x, y, area.width, fine.data() + (area.x & 1));
}

template <class T>
void upsample_rows(const typename Rows<T>::In& in, const typename Rows<T>::Out& out) {
  parallel_for(out.area().height, [&](int i) { upsample_row<T>(in, out, out.area().y + i); });
}

}  // namespace

void downsample(Exec&, const Input& in, const Output& out) { downsample_rows<Pixel>(in, out); }
void downsample(Exec&, const Channel& in, const Channel& out) { downsample_rows<float>(in, out); }
void upsample(Exec&, const Input& in, const Output& out) { upsample_rows<Pixel>(in, out); }
void upsample(Exec&, const Channel& in, const Channel& out) { upsample_rows<float>(in, out); }

}  // namespace cuda_filters::cpu
