// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <any>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/core/band_progress.hpp"
#include "gpu/core/footprint.hpp"
#include "gpu/core/run_cache.hpp"
#include "gpu/cuda/kernels.cuh"
#include "gpu/cuda/memory.hpp"
#include "gpu/cuda/store.cuh"

namespace cuda_filters::cuda {

constexpr unsigned divide_up(int a, int b) { return static_cast<unsigned>((a + b - 1) / b); }

/// How many blocks of a kernel the GPU holds at a time.
template <class Kernel>
unsigned blocks_at_once(Kernel kernel, int threads, std::size_t shared) {
  int gpu = 0, multiprocessors = 0, of_each = 0;
  check(cudaGetDevice(&gpu));
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, gpu));
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, kernel, threads, shared));
  return static_cast<unsigned>(multiprocessors * (of_each > 0 ? of_each : 1));
}

/// The primitives, in one stream of one GPU; the meaning is that of cpu::Exec.
class Exec {
 public:
  using Input = cuda::Input;
  using Output = cuda::Output;
  using Channel = cuda::Channel;

  Exec(cudaStream_t stream, Alpha alpha, const Input& in, Rect area,
       std::span<const TemporaryPlan> temporaries, RunCache& cache, Rect analysis_area = {})
      : stream_{stream},
        alpha_{alpha},
        in_{in},
        area_{area},
        analysis_area_{analysis_area},
        temporaries_{temporaries},
        cache_{cache} {}

  Temporary temporary(int level = 0) { return {stream_, next_area(level), in_, level}; }
  Channel temporary_channel(int level = 0) { return {stream_, next_area(level)}; }

  /// Brings stored pixels to a temporary picture.
  void decode(const Input& in, const Output& temporary);

  template <class F>
  void map(const Input& in, const Output& out, F f) {
    map_given(in, out, Known<F>{f});
  }

  template <class... Pictures, class F>
  void map(const std::tuple<Pictures&...>& pictures, const Output& out, F f) {
    with_others(pictures, out.area, [&](const auto& first, auto others) {
      if constexpr (std::is_same_v<decltype(first), const Channel&>) {
        const auto compute = [&](const Output& to) {
          launch_map_pictures(to.area, LoadChannel{first.plane()}, others, StorePlane{plane_of(to)},
                              f);
        };
        if (out.is_temporary) return compute(out);
        const Temporary result{stream_, out.area, in_};
        compute(result);
        encode(result, out);
      } else {
        const auto compute = [&](const Input& from, const Output& to) {
          with_both(from, to, [&](auto load, auto store) {
            launch_map_pictures(to.area, load, others, store, f);
          });
        };
        if (!stored_alike(first, out)) return through_temporary(first, out, {}, compute);
        compute(first, out);
      }
    });
  }
  template <class... Pictures, class F>
  void map(const std::tuple<Pictures&...>& pictures, const Channel& out, F f) {
    with_others(pictures, out.area(), [&](const auto& first, auto others) {
      const auto launch = [&](auto load) {
        launch_map_pictures(out.area(), load, others, StoreChannel{out.plane()}, f);
      };
      if constexpr (std::is_same_v<decltype(first), const Channel&>)
        launch(LoadChannel{first.plane()});
      else
        with_loader(first, launch);
    });
  }
  template <class F>
  void map(const Input& in, const Channel& out, F f) {
    map(std::tie(in), out, f);
  }
  template <class F>
  void map(const Channel& in, const Output& out, F f) {
    map(std::tie(in), out, f);
  }
  template <class F>
  void map(const Channel& in, const Channel& out, F f) {
    map(std::tie(in), out, f);
  }

  /// As map(), where the input and the output have different number types.
  template <class F>
  void convert(const Input& in, const Output& out, F f) {
    with_converters(in, out,
                    [&](auto load, auto store) { launch_map(out, load, store, Known<F>{f}); });
  }

  template <class State, class Make>
  void map_with_statistics(const Input& in, const Output& out, const State& state, Make make) {
    using Found = decltype(state.here);
    using F = decltype(make(state.here));
    const Buffer<F> f{1, stream_};
    make_kernel<<<1, 1, 0, stream_>>>(make, static_cast<const Found*>(state.on_device.get()),
                                      f.data());
    check(cudaGetLastError());
    map_given(in, out, DeviceFunctor<F>{f.data()});
  }

  template <class State>
  void fetch(State& state) {
    check(cudaMemcpyAsync(&state.here, state.on_device.get(), sizeof(state.here),
                          cudaMemcpyDeviceToHost, stream_));
  }

  /// The total is on the host: the stream has ended.
  template <class T, class F>
  void reduce(const Input& in, Rect area, T& total, F f) {
    reduce(std::tie(in), area, total, f);
  }
  template <class... Pictures, class T, class F>
  void reduce(const std::tuple<Pictures&...>& pictures, Rect area, T& total, F f) {
    with_others(pictures, area, [&](const Input& first, auto others) {
      with_loader(first, [&](auto load) {
        const auto kernel = reduce_kernel<T, decltype(load), decltype(others), F>;
        const unsigned blocks = blocks_at_once(kernel, reduce_threads, 0);
        const Buffer<T> of_blocks{blocks, stream_};
        kernel<<<blocks, reduce_threads, 0, stream_>>>(area, load, others, f, of_blocks.data());
        check(cudaGetLastError());
        std::vector<T> totals(blocks);
        check(cudaMemcpyAsync(totals.data(), of_blocks.data(), blocks * sizeof(T),
                              cudaMemcpyDeviceToHost, stream_));
        check(cudaStreamSynchronize(stream_));
        for (const T& each : totals) total.merge(each);
      });
    });
  }

  template <class T>
  Buffer<T> upload(const std::vector<T>& values) {
    Buffer<T> copy{values.size(), stream_};
    copy.upload(values.data(), values.size());
    return copy;
  }

  template <class F>
  void stencil3(const Input& in, const Output& out, F f) {
    if (!stored_alike(in, out))
      return through_temporary(in, out, footprint::stencil3.halo,
                               [&](const Input& from, const Output& to) { stencil3(from, to, f); });
    // A grid has up to 65535 rows of blocks.
    constexpr int max_rows = 65535 * stencil_rows;
    with_both(in, out, [&](auto load, auto store) {
      for (int y = 0; y < out.area.height; y += max_rows) {
        const Rect part{out.area.x, out.area.y + y, out.area.width,
                        out.area.height - y < max_rows ? out.area.height - y : max_rows};
        const dim3 grid{divide_up(part.width, stencil_columns * stencil_warps),
                        divide_up(part.height, stencil_rows)};
        stencil3_kernel<<<grid, 32 * stencil_warps, 0, stream_>>>(part, load, store, f);
        check(cudaGetLastError());
      }
    });
  }

  template <class F>
  void neighborhood(const Input& in, const Output& out, Halo reach, double cost, F f) {
    neighborhood(std::tie(in), out, reach, cost, f);
  }
  template <class... Pictures, class F>
  void neighborhood(const std::tuple<Pictures&...>& pictures, const Output& out, Halo reach,
                    double cost, F f) {
    if (!out.is_temporary) {
      const Temporary result{stream_, out.area, in_};
      neighborhood(pictures, result, reach, cost, f);
      return encode(result, out);
    }
    constexpr std::size_t count = sizeof...(Pictures);
    std::optional<Temporary> decoded[count];
    const auto launch = [&]<std::size_t... k>(std::index_sequence<k...>) {
      launch_neighborhood(out, cost, f,
                          loader_of(std::get<k>(pictures), out.area.grown(reach), decoded[k])...);
    };
    launch(std::make_index_sequence<count>{});
  }

  // What algorithms need beyond primitives.

  cudaStream_t stream() const { return stream_; }
  Alpha alpha() const { return alpha_; }
  Rect analysis_area() const { return analysis_area_; }
  /// Calls compute(in, out), which looks as far as `halo`, with temporary pictures alone: others
  /// are decoded before, and encoded afterwards.
  template <class Compute>
  void through_temporary(const Input& in, const Output& out, Halo halo, Compute compute) {
    through_temporary_of(out.area.grown(halo), in, out, compute);
  }
  /// The same, where it looks at the pixels of `needed`.
  template <class Compute>
  void through_temporary_of(Rect needed, const Input& in, const Output& out, Compute compute) {
    if (!out.is_temporary) {
      const Temporary result{stream_, out.area, in_};
      through_temporary_of(needed, in, result, compute);
      return encode(result, out);
    }
    std::optional<Temporary> decoded;
    compute(working_pixels(in, needed, decoded), out);
  }
  /// The working pixels of a picture in `area`: a temporary one has them, as a Temporary does, and
  /// of any other one `decoded` keeps them.
  const Input& working_pixels(const Input& in, Rect area, std::optional<Temporary>& decoded) {
    if (in.is_temporary) return in;
    decoded.emplace(stream_, area, in_);
    decode(in, *decoded);
    return *decoded;
  }
  /// Stores the pixels of a temporary picture.
  void encode(const Input& temporary, const Output& out);

  /// What the primitive that asks keeps for the next band.
  std::any& cache_slot() { return cache_.slot(calls_++); }

 private:
  /// The area of the next temporary picture that the filter asks for.
  Rect next_area(int level) {
    return area_.at_level(level).grown(temporaries_[next_temporary_++].halo);
  }

  /// Reads a channel, or a picture as working_pixels().
  LoadChannel loader_of(const Channel& in, Rect, std::optional<Temporary>&) { return {in.plane()}; }
  LoadPlane loader_of(const Input& in, Rect area, std::optional<Temporary>& decoded) {
    return {plane_of(working_pixels(in, area, decoded))};
  }
  static const Channel& read_as(const Channel& in) { return in; }
  static const Input& read_as(const Input& in) { return in; }

  /// Calls f with the first of some pictures, and with what reads the others in `area`.
  template <class... Pictures, class F>
  void with_others(const std::tuple<Pictures&...>& pictures, Rect area, F f) {
    constexpr std::size_t count = sizeof...(Pictures) - 1;
    std::optional<Temporary> decoded[count + 1];
    const auto call = [&]<std::size_t... k>(std::index_sequence<k...>) {
      f(read_as(std::get<0>(pictures)),
        together(loader_of(std::get<k + 1>(pictures), area, decoded[k])...));
    };
    call(std::make_index_sequence<count>{});
  }

  template <class Load, class Others, class Storer, class F>
  void launch_map_pictures(Rect area, Load load, Others others, Storer store, F f) {
    const dim3 block{64, 4};
    const dim3 grid{divide_up(area.width, 64), divide_up(area.height, 16)};
    map_pictures_kernel<<<grid, block, 0, stream_>>>(area, load, others, store, f);
    check(cudaGetLastError());
  }

  /// In parts of whole rows, between which a run can be cancelled.
  template <class F, class... Loads>
  void launch_neighborhood(const Output& out, double cost, F f, Loads... loads) {
    // A core of a processor takes 30 s for as much, and an H200 20 ms.
    constexpr double part_cost = 3e10;
    // A grid has up to 65535 rows of blocks.
    constexpr int max_rows = 65535 * neighborhood_rows;
    const double rows_of_part = part_cost / (std::max(cost, 1.0) * out.area.width);
    const int rows =
        rows_of_part >= max_rows
            ? max_rows
            : (static_cast<int>(rows_of_part) / neighborhood_rows + 1) * neighborhood_rows;
    PacedLaunches launches{stream_, 2};
    for (int y = 0; y < out.area.height; y += rows) {
      const Rect part{out.area.x, out.area.y + y, out.area.width,
                      std::min(out.area.height - y, rows)};
      const dim3 grid{divide_up(part.width, neighborhood_columns),
                      divide_up(part.height, neighborhood_rows)};
      const bool is_one_of_many = rows < out.area.height;
      if (is_one_of_many) launches.begin();
      if constexpr (requires { F::rows_at_once; }) {
        const dim3 block{neighborhood_columns, neighborhood_rows / F::rows_at_once};
        neighborhood_columns_kernel<<<grid, block, 0, stream_>>>(part, plane_of(out), f, loads...);
      } else {
        const dim3 block{neighborhood_columns, neighborhood_rows};
        neighborhood_kernel<<<grid, block, 0, stream_>>>(part, plane_of(out), f, loads...);
      }
      check(cudaGetLastError());
      if (!is_one_of_many) continue;
      launches.end();
      set_band_progress(static_cast<double>(part.bottom() - out.area.y) / out.area.height);
    }
  }

  template <class Given>
  void map_given(const Input& in, const Output& out, Given given) {
    if (!stored_alike(in, out))
      return through_temporary(
          in, out, {}, [&](const Input& from, const Output& to) { map_given(from, to, given); });
    constexpr bool table = requires(typename Given::Function f) { f.color(0.0f, 0); };
    if (in.alpha != Alpha::premultiplied && is_rgba(in.format, SampleType::u8) &&
        (table || in.curves.values[0] == nullptr || in.curves.margin > 0.0f))
      return map_bytes<table>(in, out, given);
    with_quick_both(in, out, [&](auto load, auto store) { launch_map(out, load, store, given); });
  }

  template <class Load, class Storer, class Given>
  void launch_map(const Output& out, Load load, Storer store, Given given) {
    const dim3 block{64, 4};
    const dim3 grid{divide_up(out.area.width, 64), divide_up(out.area.height, 16)};
    map_kernel<<<grid, block, 0, stream_>>>(out.area, load, store, given);
    check(cudaGetLastError());
  }

  /// As map_given(); functions of single samples are worked out once for each code.
  template <bool table, class Given>
  void map_bytes(const Input& in, const Output& out, Given given) {
    const auto aligned = [&](const std::byte* row, std::size_t pitch) {
      return reinterpret_cast<std::uintptr_t>(row) % 16 == 0 && pitch % 16 == 0;
    };
    const bool wide = in.columns.straight.first % 4 == 0 && aligned(in.store, in.slot_bytes) &&
                      aligned(out.codes, std::size_t{4} * out.area.width);
    const int chunk = 4 * table_threads;
    const dim3 grid{divide_up(out.area.width, chunk), divide_up(out.area.height, table_rows)};
    const auto launch = [&](auto narrow_kernel, auto wide_kernel) {
      (wide ? wide_kernel : narrow_kernel)<<<grid, table_threads, 0, stream_>>>(in, out, given);
      check(cudaGetLastError());
    };
    if constexpr (table)
      launch(byte_table_kernel<false, Given>, byte_table_kernel<true, Given>);
    else if (in.curves.values[0] != nullptr)
      launch(byte_map_kernel<false, true, Given>, byte_map_kernel<true, true, Given>);
    else
      launch(byte_map_kernel<false, false, Given>, byte_map_kernel<true, false, Given>);
  }

  cudaStream_t stream_;
  Alpha alpha_;
  const Input& in_;
  Rect area_, analysis_area_;
  std::span<const TemporaryPlan> temporaries_;
  RunCache& cache_;
  std::size_t next_temporary_ = 0, calls_ = 0;
};

}  // namespace cuda_filters::cuda
