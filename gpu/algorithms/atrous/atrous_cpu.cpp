// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <array>
#include <vector>

#include "gpu/algorithms/atrous/atrous_smooth.hpp"
#include "gpu/algorithms/separable/sum_kernels.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using atrous::taps;

/// The weights of the kernels, `lanes` a tap.
const std::vector<float>& weights() {
  static const std::vector<float> all = [] {
    std::vector<float> spread;
    for (const float weight : atrous::weights) spread.insert(spread.end(), lanes, weight);
    return spread;
  }();
  return all;
}

/// The rows that a chain of output rows looks at, each one spacing below the one before: every row
/// of the input is loaded once, and five of them stay in the cache.
class Chain {
 public:
  /// `floats`: of a pixel.
  Chain(int floats, int width, int spacing)
      : margin_{std::size_t(floats) * atrous::reach * spacing},
        step_{std::size_t(floats) * spacing},
        count_{std::size_t(floats) * width} {
    for (auto& row : rows_) row.resize(count_ + 2 * margin_ + lanes);
    columns_.resize(count_ + 2 * margin_ + lanes);
    result_.resize(count_ + lanes);
  }

  /// load(k, floats) loads row k of the input, the first one being number 0; store(k, floats) takes
  /// the sum of the rows k … k + 4.
  template <class Load, class Store>
  void run(int rows, Load load, Store store) {
    for (int k = 0; k < taps - 1; ++k) load(k, rows_[k].data());
    for (int k = 0; k < rows; ++k) {
      load(k + taps - 1, rows_[(k + taps - 1) % taps].data());
      std::array<const float*, taps> inputs;
      for (int t = 0; t < taps; ++t) inputs[t] = rows_[(k + t) % taps].data();
      sum_kernels().weighted_sum(inputs.data(), weights().data(), taps, columns_.data(),
                                 count_ + 2 * margin_);
      for (int t = 0; t < taps; ++t) inputs[t] = columns_.data() + t * step_;
      sum_kernels().weighted_sum(inputs.data(), weights().data(), taps, result_.data(), count_);
      store(k, result_.data());
    }
  }

 private:
  std::size_t margin_, step_, count_;
  std::array<std::vector<float>, taps> rows_;
  std::vector<float> columns_, result_;
};

/// Smooths `area` in chains: load(x, y, count, floats) and store(x, y, count, floats) move rows.
template <class Load, class Store>
void smooth(int floats, Rect area, int level, Load load, Store store) {
  const int spacing = atrous::spacing(level), halo = atrous::halo(level);
  const int widest = 4096 / floats;
  constexpr int length = 32;
  const int columns = (area.width + widest - 1) / widest;
  const int strips = (area.height + length * spacing - 1) / (length * spacing);
  const int phases = std::min(spacing, area.height);
  parallel_for(columns * strips * phases, [&](int task) {
    const int x = area.x + task % columns * widest, width = std::min(widest, area.right() - x);
    const int chain = task / columns;
    const int y = area.y + chain / phases * length * spacing + chain % phases;
    const int rows = std::min(length, (area.bottom() - y + spacing - 1) / spacing);
    if (rows <= 0) return;
    Chain{floats, width, spacing}.run(
        rows,
        [&](int k, float* to) { load(x - halo, y - halo + k * spacing, width + 2 * halo, to); },
        [&](int k, const float* from) { store(x, y + k * spacing, width, from); });
  });
}

}  // namespace

void atrous_smooth(Exec&, const Input& in, const Output& out, int level) {
  smooth(
      4, out.area(), level, [&](int x, int y, int count, float* to) { in.load(x, y, count, to); },
      [&](int x, int y, int count, const float* from) { out.store(x, y, count, from); });
}

void atrous_smooth(Exec&, const Channel& in, const Channel& out, int level) {
  smooth(
      1, out.area(), level,
      [&](int x, int y, int count, float* to) { std::copy_n(in.row(x, y, count), count, to); },
      [&](int x, int y, int count, const float* from) { std::copy_n(from, count, out.at(x, y)); });
}

namespace {

/// Smooths `fine`, to `coarse` if there is one, and writes what becomes of its pixels and the
/// smoothed ones: function_of(x, y, count) gives, for each part of a row, a function of the number
/// of the pixel in it, the pixel, and the smoothed one.
template <class FunctionOf>
void write_details(const Input& fine, const Output* coarse, int level, const Output& out,
                   FunctionOf function_of) {
  const Rect area = out.area();
  smooth(
      4, coarse != nullptr ? coarse->area() : area, level,
      [&](int x, int y, int count, float* to) { fine.load(x, y, count, to); },
      [&](int x, int y, int count, const float* from) {
        if (coarse != nullptr) coarse->store(x, y, count, from);
        const int left = std::max(area.x, x), width = std::min(area.right(), x + count) - left;
        if (y < area.y || y >= area.bottom() || width <= 0) return;
        RowBuffer unused;
        const Pixel* const pixels = fine.row(left, y, width, unused);
        const auto* const sums = reinterpret_cast<const Pixel*>(from) + (left - x);
        auto* const to = reinterpret_cast<Pixel*>(out.codes(left, y));
        const auto f = function_of(left, y, width);
        for (int i = 0; i < width; ++i) to[i] = f(i, pixels[i], sums[i]);
      });
}

/// The same function for all parts.
template <class F>
auto everywhere(const F& f) {
  return [&f](int, int, int) {
    return [&f](int, const Pixel& fine, const Pixel& sum) { return f(fine, sum); };
  };
}

}  // namespace

template <class F>
void atrous_details(Exec&, const Temporary& fine, const Temporary& coarse, int level,
                    const Temporary& out, const F& f) {
  const Output& smoothed = coarse;
  write_details(fine, &smoothed, level, out, everywhere(f));
}

template <class F>
void atrous_details(Exec&, const Temporary& fine, int level, const Temporary& out, const F& f) {
  write_details(fine, nullptr, level, out, everywhere(f));
}

template <class F>
void atrous_add_details(Exec&, const Temporary& before, const Temporary& fine,
                        const Temporary& coarse, int level, const Temporary& out, const F& f) {
  const Output& smoothed = coarse;
  const Input& known = before;
  write_details(fine, &smoothed, level, out, [&](int x, int y, int count) {
    RowBuffer unused;
    return [&f, row = known.row(x, y, count, unused)](int i, const Pixel& pixel, const Pixel& sum) {
      return f(row[i], pixel, sum);
    };
  });
}

template void atrous_details(Exec&, const Temporary&, const Temporary&, int, const Temporary&,
                             const atrous::Shrink&);
template void atrous_details(Exec&, const Temporary&, int, const Temporary&,
                             const atrous::DetailSizes&);
template void atrous_add_details(Exec&, const Temporary&, const Temporary&, const Temporary&, int,
                                 const Temporary&, const atrous::Shrink&);

}  // namespace cuda_filters::cpu
