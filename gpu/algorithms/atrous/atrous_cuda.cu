// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/atrous/atrous_smooth.hpp"
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/tiles.cuh"

namespace cuda_filters::cuda {
namespace {

using atrous::reach, atrous::taps;

constexpr int threads = 256;

/// How an area is cut into blocks. A block has columns that lie `spacing` apart, the threads of
/// some of them side by side, so that these read whole sectors of memory. It goes down as many rows
/// that are as far from each other.
struct Lattice {
  Rect area;
  int spacing;

  static constexpr int rows = 32;
  /// Columns side by side.
  HOST_DEVICE int together() const { return spacing < 8 ? spacing : 8; }
  /// Results along a row, `spacing` apart: the others are what these look at.
  HOST_DEVICE int steps() const { return threads / together() - 2 * reach; }
  HOST_DEVICE int groups() const { return spacing / together(); }
  HOST_DEVICE int phases() const { return spacing < area.height ? spacing : area.height; }
  HOST_DEVICE unsigned tiles_across() const {
    return (area.width + steps() * spacing - 1) / (steps() * spacing) * groups();
  }
  unsigned blocks() const {
    const auto strips = divide_up(area.height, rows * spacing);
    return tiles_across() * static_cast<unsigned>(phases()) * strips;
  }
};

__device__ void add_weighted(Pixel& sum, Pixel p, float weight) { add(sum, p, weight, weight); }
__device__ void add_weighted(float& sum, float value, float weight) {
  sum = fmaf(weight, value, sum);
}

/// Goes down the rows of a block: each thread keeps the five pixels of its column, whose sums
/// are shared with the threads that look at them along the row. `sink` takes the pixel that was
/// there, and the sum.
template <class Value, class Load, class Sink>
__global__ void __launch_bounds__(threads) spline_kernel(Lattice lattice, Load load, Sink sink) {
  __shared__ Value columns[2][threads];
  const int spacing = lattice.spacing, together = lattice.together();
  const int me = static_cast<int>(threadIdx.x), step = me / together - reach;
  const int tile = static_cast<int>(blockIdx.x % lattice.tiles_across());
  const int chain = static_cast<int>(blockIdx.x / lattice.tiles_across());
  const int first = tile / lattice.groups() * lattice.steps(), group = tile % lattice.groups();
  const int x = lattice.area.x + (first + step) * spacing + group * together + me % together;
  const int y = lattice.area.y + chain / lattice.phases() * (Lattice::rows * spacing) +
                chain % lattice.phases();
  const int left = (lattice.area.bottom() - y + spacing - 1) / spacing;
  const int count = min(Lattice::rows, left);
  const bool is_read = x < lattice.area.right() + reach * spacing;
  const bool is_result = step >= 0 && step < lattice.steps() && x < lattice.area.right();
  constexpr float weights[taps] = {atrous::weights[0], atrous::weights[1], atrous::weights[2],
                                   atrous::weights[3], atrous::weights[4]};
  Value column[taps]{};
  decltype(load.fetch(x, y)) fetched[taps]{};
  if (is_read && count > 0) {
#pragma unroll
    for (int t = 0; t < taps; ++t) fetched[t] = load.fetch(x, y + (t - reach) * spacing);
#pragma unroll
    for (int t = 0; t < taps - 1; ++t) column[t] = load.decoded(fetched[t]);
  }
  auto next = fetched[taps - 1];
#pragma unroll 2
  for (int k = 0; k < count; ++k) {
    const int row = y + k * spacing;
    if (is_read) column[taps - 1] = load.decoded(next);
    if (is_read && k + 1 < count) next = load.fetch(x, row + (reach + 1) * spacing);
    decltype(sink.fetch(x, row)) known{};
    if (is_result) known = sink.fetch(x, row);
    Value sum{};
#pragma unroll
    for (int t = 0; t < taps; ++t) add_weighted(sum, column[t], weights[t]);
    Value(&sums)[threads] = columns[k & 1];
    sums[me] = sum;
    __syncthreads();
    if (is_result) {
      Value smoothed{};
#pragma unroll
      for (int t = 0; t < taps; ++t)
        add_weighted(smoothed, sums[me + (t - reach) * together], weights[t]);
      sink(x, row, column[reach], smoothed, known);
    }
#pragma unroll
    for (int t = 0; t < taps - 1; ++t) column[t] = column[t + 1];
  }
}

__device__ bool lies_in(Rect area, int x, int y) {
  return x >= area.x && x < area.right() && y >= area.y && y < area.bottom();
}

/// What a storer that looks at nothing knows of what is stored.
struct Nothing {};

/// Stores the sums.
template <class Storer>
struct StoreSums {
  Storer store;
  __device__ auto fetch(int x, int y) const {
    if constexpr (requires { store.fetch(x, y); })
      return store.fetch(x, y);
    else
      return Nothing{};
  }
  template <class Value, class Known>
  __device__ void operator()(int x, int y, const Value&, const Value& sum,
                             const Known& known) const {
    if constexpr (requires { store.fetch(x, y); })
      store(x, y, sum, known);
    else
      store(x, y, sum);
  }
};

/// Stores what a function makes of the sums.
template <class F>
struct StoreDetails {
  Plane out;
  F f;
  __device__ Nothing fetch(int, int) const { return {}; }
  __device__ void operator()(int x, int y, Pixel fine, Pixel sum, Nothing) const {
    out.at(x, y) = f(fine, sum);
  }
};
/// Stores the sums, and as far as there is an output what a function makes of them.
template <class F>
struct StoreBoth {
  Plane coarse, out;
  F f;
  __device__ Nothing fetch(int, int) const { return {}; }
  __device__ void operator()(int x, int y, Pixel fine, Pixel sum, Nothing) const {
    coarse.at(x, y) = sum;
    if (lies_in(out.area, x, y)) out.at(x, y) = f(fine, sum);
  }
};
template <class F>
struct AddDetails {
  LoadPlane before;
  Plane coarse, out;
  F f;
  __device__ Pixel fetch(int x, int y) const {
    return lies_in(out.area, x, y) ? before.fetch(x, y) : Pixel{};
  }
  __device__ void operator()(int x, int y, Pixel fine, Pixel sum, Pixel known) const {
    coarse.at(x, y) = sum;
    if (lies_in(out.area, x, y)) out.at(x, y) = f(known, fine, sum);
  }
};

Plane written_to(const Output& temporary) { return plane_of(temporary); }
LoadPlane reader_of(const Input& temporary) { return {plane_of(temporary)}; }

template <class Value, class Load, class Sink>
void smooth(cudaStream_t stream, Rect area, Load load, int level, Sink sink) {
  const Lattice lattice{area, atrous::spacing(level)};
  spline_kernel<Value><<<lattice.blocks(), threads, 0, stream>>>(lattice, load, sink);
  check(cudaGetLastError());
}

}  // namespace

void atrous_smooth(Exec& exec, const Input& in, const Output& out, int level) {
  if (!stored_alike(in, out))
    return exec.through_temporary(
        in, out, footprint::atrous_smooth(level).halo,
        [&](const Input& from, const Output& to) { atrous_smooth(exec, from, to, level); });
  with_both(in, out, [&](auto load, auto store) {
    smooth<Pixel>(exec.stream(), out.area, load, level, StoreSums{store});
  });
}

void atrous_smooth(Exec& exec, const Channel& in, const Channel& out, int level) {
  smooth<float>(exec.stream(), out.area(), LoadChannel{in.plane()}, level,
                StoreSums{StoreChannel{out.plane()}});
}

template <class F>
void atrous_details(Exec& exec, const Temporary& fine, const Temporary& coarse, int level,
                    const Temporary& out, const F& f) {
  const Plane to = written_to(coarse);
  smooth<Pixel>(exec.stream(), to.area, reader_of(fine), level,
                StoreBoth<F>{to, written_to(out), f});
}

template <class F>
void atrous_details(Exec& exec, const Temporary& fine, int level, const Temporary& out,
                    const F& f) {
  const Plane to = written_to(out);
  smooth<Pixel>(exec.stream(), to.area, reader_of(fine), level, StoreDetails<F>{to, f});
}

template <class F>
void atrous_add_details(Exec& exec, const Temporary& before, const Temporary& fine,
                        const Temporary& coarse, int level, const Temporary& out, const F& f) {
  const Plane to = written_to(coarse);
  smooth<Pixel>(exec.stream(), to.area, reader_of(fine), level,
                AddDetails<F>{reader_of(before), to, written_to(out), f});
}

template void atrous_details(Exec&, const Temporary&, const Temporary&, int, const Temporary&,
                             const atrous::Shrink&);
template void atrous_details(Exec&, const Temporary&, int, const Temporary&,
                             const atrous::DetailSizes&);
template void atrous_add_details(Exec&, const Temporary&, const Temporary&, const Temporary&, int,
                                 const Temporary&, const atrous::Shrink&);

}  // namespace cuda_filters::cuda
