// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/algorithms/heal/completion.hpp"
#include "gpu/algorithms/heal/heal_selection.hpp"
#include "gpu/cuda/exec.cuh"

namespace cuda_filters::cuda {
namespace {

using heal::Code;

constexpr int step_threads = 128;

template <class F>
__global__ void __launch_bounds__(step_threads) step_kernel(int first, int count, F f) {
  const auto i = first + static_cast<int>(blockIdx.x * step_threads + threadIdx.x);
  if (i < count) f(i);
}
template <class F>
__global__ void __launch_bounds__(step_threads)
    count_kernel(int first, int count, F f, std::uint32_t* all) {
  const auto i = first + static_cast<int>(blockIdx.x * step_threads + threadIdx.x);
  const bool counts = i < count && f(i);
  const unsigned of_warp = __popc(warp::ballot(counts));
  if (threadIdx.x % warp::size == 0 && of_warp > 0) atomicAdd(all, of_warp);
}

/// The lanes of a warp share the attempts for one i.
template <class F>
__global__ void __launch_bounds__(step_threads) best_kernel(int first, int count, int tries, F f) {
  const int i = first + static_cast<int>((blockIdx.x * step_threads + threadIdx.x) / warp::size);
  if (i >= count) return;  // of the whole warp
  const int lane = threadIdx.x % warp::size;
  auto best = f.begin(i);
  int found_by = -1;  // an attempt, or what all lanes began with
  for (int k = lane; k < tries; k += warp::size) {
    const auto distance = best.distance;
    f.attempt(best, i, k);
    if (best.distance < distance) found_by = k;
  }
  for (int apart = warp::size / 2; apart > 0; apart /= 2) {
    const auto distance = warp::from_lane_xor(best.distance, apart);
    const auto match = warp::from_lane_xor(best.match, apart);
    const int its_found_by = warp::from_lane_xor(found_by, apart);
    if (distance < best.distance || (distance == best.distance && its_found_by < found_by))
      best.distance = distance, best.match = match, found_by = its_found_by;
  }
  if (lane == 0) f.end(best);
}

/// Takes steps on a GPU, a thread for each i, or a warp where attempts are shared.
class StepRunner {
 public:
  template <class T>
  using Array = Buffer<T>;

  explicit StepRunner(Exec& exec)
      : exec_{exec}, stream_{exec.stream()}, launches_{exec.stream(), 4} {}

  template <class T>
  Buffer<T> array(std::size_t count) {
    return {count, stream_};
  }
  template <class T>
  Buffer<T> upload(const std::vector<T>& values) {
    return exec_.upload(values);
  }
  template <class F>
  void for_each(int count, const F& f) {
    launch(count, step_threads, [&](int first, unsigned blocks) {
      step_kernel<<<blocks, step_threads, 0, stream_>>>(first, count, f);
    });
  }
  template <class F>
  void best_of(int count, int tries, const F& f) {
    launch(count, step_threads / warp::size, [&](int first, unsigned blocks) {
      best_kernel<<<blocks, step_threads, 0, stream_>>>(first, count, tries, f);
    });
  }
  template <class F>
  std::uint32_t count_if(int count, const F& f) {
    const Buffer<std::uint32_t> all{1, stream_};
    check(cudaMemsetAsync(all.data(), 0, sizeof(std::uint32_t), stream_));
    launch(count, step_threads, [&](int first, unsigned blocks) {
      count_kernel<<<blocks, step_threads, 0, stream_>>>(first, count, f, all.data());
    });
    std::uint32_t counted = 0;
    check(cudaMemcpyAsync(&counted, all.data(), sizeof(counted), cudaMemcpyDeviceToHost, stream_));
    check(cudaStreamSynchronize(stream_));
    return counted;
  }

 private:
  /// In parts, between which a run can be cancelled; a block has `of_block` steps.
  template <class Launch>
  void launch(int count, int of_block, Launch launch_blocks) {
    const int part = 4096 * of_block;
    for (int first = 0; first < count; first += part) {
      launches_.begin();
      launch_blocks(first, divide_up(std::min(count - first, part), of_block));
      check(cudaGetLastError());
      launches_.end();
      if (first > count - part) break;  // the next one may be beyond all integers
    }
  }

  Exec& exec_;
  cudaStream_t stream_;
  PacedLaunches launches_;
};

/// The pixels of an area in device memory, row by row.
struct AreaView {
  Rect area;
  Pixel* pixels;
  Code* codes;
  std::uint8_t* roles;

  __device__ std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y - area.y) * area.width + (x - area.x);
  }
};

/// What heal::Surroundings has of this executor.
struct CollectedArea {
  CollectedArea(Rect its_area, cudaStream_t stream)
      : area{its_area},
        pixels{count(), stream},
        codes{count() + heal::codes_beyond, stream},
        roles{count(), stream} {}

  std::size_t count() const { return static_cast<std::size_t>(area.width) * area.height; }
  AreaView view() const { return {area, pixels.data(), codes.data(), roles.data()}; }

  Rect area;
  Buffer<Pixel> pixels;
  Buffer<Code> codes;
  Buffer<std::uint8_t> roles;
  std::optional<heal::Completion<StepRunner>> completion{};
};

/// The picture that says where to take from, if there is one.
struct Allowed {
  bool everything;
  LoadPlane aux;
  __device__ bool at(int x, int y) const { return everything || heal::may_be_taken(aux(x, y)); }
};

/// `mask`: of `area`, or null.
template <class Load>
__global__ void collect_kernel(Rect area, Load load, const std::uint8_t* mask, Allowed allowed,
                               AreaView to) {
  const int x = area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = area.y + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= area.right() || y >= area.bottom()) return;
  const Pixel p = load(x, y);
  const std::size_t place = static_cast<std::size_t>(y - area.y) * area.width + (x - area.x);
  const std::uint8_t selected = mask != nullptr ? mask[place] : 255;
  const heal::Collected pixel = heal::collected(p, selected, allowed.at(x, y));
  const std::size_t i = to.index(x, y);
  to.pixels[i] = p;
  to.roles[i] = pixel.role;
  to.codes[i] = pixel.code;
}

template <class Load, class Storer>
__global__ void heal_kernel(Rect area, Load load, Storer store, AreaView from,
                            heal::LastVote vote) {
  const int x = area.x + static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = area.y + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= area.right() || y >= area.bottom()) return;
  const Pixel before = load(x, y);
  const bool in_hole = from.roles[from.index(x, y)] == heal::hole;
  store(x, y, in_hole ? vote(x - from.area.x, y - from.area.y) : before, before);
}

constexpr int block_columns = 32, block_rows = 8;
dim3 grid_of(Rect area) {
  return {divide_up(area.width, block_columns), divide_up(area.height, block_rows)};
}

}  // namespace

void collect_surroundings(Exec& exec, const Input& in, const Input* aux, Rect area,
                          const heal::HealSettings& settings, heal::Surroundings& surroundings) {
  const Rect all = exec.analysis_area();
  const cudaStream_t stream = exec.stream();
  if (surroundings.of_executor == nullptr) {
    heal::check_size(all.size());
    surroundings.of_executor = std::make_shared<CollectedArea>(all, stream);
  }
  auto& to = *static_cast<CollectedArea*>(surroundings.of_executor.get());
  const Allowed allowed{aux == nullptr, aux != nullptr ? LoadPlane{plane_of(*aux)} : LoadPlane{}};
  with_loader(in, [&](auto load) {
    collect_kernel<<<grid_of(area), dim3{block_columns, block_rows}, 0, stream>>>(
        area, load, in.mask, allowed, to.view());
    check(cudaGetLastError());
  });
  if (area.bottom() < all.bottom()) return;
  std::vector<std::uint8_t> roles(to.count());
  check(
      cudaMemcpyAsync(roles.data(), to.roles.data(), roles.size(), cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  const std::vector<heal::Level> levels = heal::levels_of(all.size(), std::move(roles), settings);
  StepRunner runner{exec};
  to.completion.emplace(runner, settings);
  to.completion->run(runner, levels, std::move(to.codes));
  check(cudaStreamSynchronize(stream));
}

void heal_selection(Exec& exec, const Input& in, const Output& out, const heal::HealSettings&,
                    const heal::Surroundings& surroundings) {
  const auto& from = *static_cast<const CollectedArea*>(surroundings.of_executor.get());
  const heal::LastVote vote = from.completion->last_vote(from.pixels.data());
  const auto compute = [&](const Input& input, const Output& output) {
    with_both(input, output, [&](auto load, auto store) {
      heal_kernel<<<grid_of(output.area), dim3{block_columns, block_rows}, 0, exec.stream()>>>(
          output.area, load, store, from.view(), vote);
      check(cudaGetLastError());
    });
  };
  if (!stored_alike(in, out)) return exec.through_temporary(in, out, {}, compute);
  compute(in, out);
}

}  // namespace cuda_filters::cuda
