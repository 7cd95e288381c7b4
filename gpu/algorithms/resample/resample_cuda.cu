// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <memory>

#include "gpu/algorithms/resample/resample.hpp"
#include "gpu/algorithms/resample/resize.hpp"
#include "gpu/algorithms/separable/separable.cuh"
#include "gpu/cuda/exec.cuh"

namespace cuda_filters::cuda {
namespace {

using resample::Axis;

/// Windows of more samples along a row are summed by a warp each.
constexpr int max_taps_of_thread = 64;

/// The weights along the columns: of sample i from i · taps on.
struct Down {
  const IndexRange* windows;
  const float* values;
  int taps;

  /// The rows that the samples y … y + count - 1 look at.
  __device__ IndexRange rows(int y, int count) const {
    return {windows[y].begin, windows[y + count - 1].end};
  }
  __device__ float weight(int y, int row) const {
    const IndexRange window = windows[y];
    if (row < window.begin || row >= window.end) return 0.0f;
    return __ldg(values + static_cast<std::size_t>(y) * taps + (row - window.begin));
  }
};

/// The weights along the rows: all windows have `taps` samples of the image, some of weight 0.
struct Across {
  const int* firsts;
  const float* values;
  int taps;
  std::size_t next_sample, next_tap;  ///< how far apart the weights of those lie

  __device__ float weight(int x, int tap) const {
    return __ldg(values + x * next_sample + tap * next_tap);
  }
};

/// The weights of one result, made once for all of its bands.
class Tables {
 public:
  Tables(Size in, Size out, const resample::ResampleSettings& settings, cudaStream_t stream)
      : in{in},
        out{out},
        settings{settings},
        across{Axis{in.width, out.width, settings}.weights()},
        down{Axis{in.height, out.height, settings}.weights()} {
    const int taps = across.taps;
    for (const IndexRange& window : across.windows)
      firsts.push_back(std::min(window.begin, in.width - taps));
    values.resize(across.values.size());
    const Across layout = on_device();
    for (int x = 0; x < out.width; ++x)
      for (int t = 0; t < across.windows[x].size(); ++t) {
        const int tap = across.windows[x].begin - firsts[x] + t;
        values[x * layout.next_sample + tap * layout.next_tap] =
            across.values[static_cast<std::size_t>(x) * taps + t];
      }
    upload(firsts_, firsts, stream);
    upload(values_, values, stream);
    upload(windows_, down.windows, stream);
    upload(down_values_, down.values, stream);
  }

  Across on_device() const {
    const auto width = static_cast<std::size_t>(out.width);
    // Neighboring threads read neighboring weights.
    const bool by_warps = across.taps > max_taps_of_thread;
    return {firsts_.data(), values_.data(), across.taps,
            by_warps ? static_cast<std::size_t>(across.taps) : 1, by_warps ? 1 : width};
  }
  Down down_on_device() const { return {windows_.data(), down_values_.data(), down.taps}; }

  /// The input's columns of the result's columns x … x + count - 1.
  IndexRange columns(int x, int count) const {
    return {firsts[x], firsts[x + count - 1] + across.taps};
  }

  Size in, out;
  resample::ResampleSettings settings;
  Axis::Weights across, down;
  std::vector<int> firsts;
  std::vector<float> values;  // kept until they are uploaded

 private:
  template <class T>
  static void upload(Buffer<T>& buffer, const std::vector<T>& from, cudaStream_t stream) {
    buffer = Buffer<T>{from.size(), stream};
    buffer.upload(from.data(), from.size());
  }

  Buffer<int> firsts_;
  Buffer<float> values_, down_values_;
  Buffer<IndexRange> windows_;
};

const Tables& tables_for(std::any& slot, Size in, Size out,
                         const resample::ResampleSettings& settings, cudaStream_t stream) {
  using Shared = std::shared_ptr<const Tables>;
  const Shared* tables = std::any_cast<Shared>(&slot);
  if (tables == nullptr || (*tables)->in != in || (*tables)->out != out ||
      (*tables)->settings != settings)
    tables = &slot.emplace<Shared>(std::make_shared<const Tables>(in, out, settings, stream));
  return **tables;
}

/// How many neighboring rows of the result a thread computes, which share most of their pixels,
/// and how many of these it asks for before it waits.
constexpr int sums = 4, batch = 6;

/// Adds the pixels of a column in `rows` to the sums; weights(row) gives those of the row, a
/// float4. Every sum adds its pixels in their order.
template <class Load, class Weights>
__device__ void sum_column(Pixel (&sum)[sums], const Load& load, int x, IndexRange rows,
                           Weights weights) {
  for (int first = rows.begin; first < rows.end; first += batch) {
    decltype(load.fetch(0, 0)) fetched[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) fetched[k] = load.fetch(x, min(first + k, rows.end - 1));
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      if (first + k >= rows.end) break;
      const Pixel pixel = load.decoded(fetched[k]);
      const float4 weight = weights(first + k);
      weigh<Weighing::matrix>(sum[0], pixel, weight.x);
      weigh<Weighing::matrix>(sum[1], pixel, weight.y);
      weigh<Weighing::matrix>(sum[2], pixel, weight.z);
      weigh<Weighing::matrix>(sum[3], pixel, weight.w);
    }
  }
}

/// The weights of a row of the input for the `count` rows of the result from y on.
__device__ float4 weights_of(const Down& down, int y, int count, int row) {
  return {down.weight(y, row), count > 1 ? down.weight(y + 1, row) : 0.0f,
          count > 2 ? down.weight(y + 2, row) : 0.0f, count > 3 ? down.weight(y + 3, row) : 0.0f};
}

constexpr int tile_threads = 256;

/// One tile of the result: sums along the columns into shared memory, and of these along the rows.
/// `max_rows`: of the input, that `sums` rows look at; `pitch`: of a row of sums.
template <class Load, class Storer>
__global__ void __launch_bounds__(tile_threads)
    resample_kernel(Tiles tiles, Load load, Across across, Down down, int max_rows, int pitch,
                    Storer store) {
  extern __shared__ float4 dynamic[];
  const int thread = static_cast<int>(threadIdx.x);
  const int left = tiles.x(blockIdx.x), top = tiles.y(blockIdx.x);
  const int width = min(tiles.width, tiles.area.right() - left);
  const int height = min(tiles.height, tiles.area.bottom() - top);
  const int groups = (height + sums - 1) / sums;
  float4* const weights = dynamic;  // groups × max_rows
  auto* const middle = reinterpret_cast<Pixel*>(dynamic + tiles.height / sums * max_rows);

  for (int i = thread; i < groups * max_rows; i += tile_threads) {
    const int group = i / max_rows;
    const int y = top + group * sums, count = min(sums, top + height - y);
    weights[i] = weights_of(down, y, count, down.windows[y].begin + i % max_rows);
  }
  __syncthreads();

  const int first_column = across.firsts[left];
  const int columns = across.firsts[left + width - 1] + across.taps - first_column;
  for (int i = thread; i < groups * columns; i += tile_threads) {
    const int group = i / columns, column = i % columns;
    const int y = top + group * sums, count = min(sums, top + height - y);
    const IndexRange rows = down.rows(y, count);
    const float4* const mine = weights + group * max_rows;
    Pixel sum[sums] = {};
    sum_column(sum, load, first_column + column, rows,
               [&](int row) { return mine[row - rows.begin]; });
    Pixel* const to = middle + group * sums * pitch + spread(column);
#pragma unroll
    for (int k = 0; k < sums; ++k)
      if (k < count) to[k * pitch] = sum[k];
  }
  __syncthreads();

  // A thread has one column of the tile, whose weights its rows share.
  const int x = left + thread % tiles.width, step = tile_threads / tiles.width;
  if (x >= left + width) return;
  const int first = across.firsts[x] - first_column;
  for (int row = thread / tiles.width; row < height; row += sums * step) {
    const Pixel* from[sums];
#pragma unroll
    for (int j = 0; j < sums; ++j) from[j] = middle + min(row + j * step, height - 1) * pitch;
    Pixel sum[sums] = {};
#pragma unroll 4
    for (int t = 0; t < across.taps; ++t) {
      const float weight = across.weight(x, t);
      const int place = spread(first + t);
#pragma unroll
      for (int j = 0; j < sums; ++j) weigh<Weighing::matrix>(sum[j], from[j][place], weight);
    }
#pragma unroll
    for (int j = 0; j < sums; ++j)
      if (row + j * step < height) store(x, top + row + j * step, sum[j]);
  }
}

constexpr int column_threads = 128;

/// Sums along the columns only.
template <class Load>
__global__ void __launch_bounds__(column_threads)
    resample_down_kernel(Tiles tiles, Load load, Down down, Plane out) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x);
  const int y = tiles.y(blockIdx.x), count = min(sums, tiles.area.bottom() - y);
  if (x >= tiles.area.right()) return;
  Pixel sum[sums] = {};
  sum_column(sum, load, x, down.rows(y, count),
             [&](int row) { return weights_of(down, y, count, row); });
#pragma unroll
  for (int k = 0; k < sums; ++k)
    if (k < count) out.at(x, y + k) = sum[k];
}

constexpr int row_sum_threads = 256;

/// Sums along the rows only, each by `lanes` threads, 1 or 32.
template <int lanes, class Storer>
__global__ void __launch_bounds__(row_sum_threads)
    resample_across_kernel(Tiles tiles, LoadPlane load, Across across, Storer store) {
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x) / lanes;
  const int y = tiles.y(blockIdx.x);
  if (x >= tiles.area.right()) return;  // all lanes of a sum or none
  const int first = across.firsts[x];
  Pixel sum{};
#pragma unroll 4
  for (int t = lane; t < across.taps; t += lanes)
    weigh<Weighing::matrix>(sum, load(first + t, y), across.weight(x, t));
#pragma unroll
  for (int apart = lanes / 2; apart > 0; apart /= 2) sum = sum + pixel_from_lane(sum, lane ^ apart);
  if (lane == 0) store(x, y, sum);
}

/// Copies pixels of `words` words as they are stored.
template <class Word>
__global__ void __launch_bounds__(256)
    pick_kernel(Tiles tiles, Input in, Output out, const int* columns, const IndexRange* rows,
                int words) {
  const int x = tiles.x(blockIdx.x) + static_cast<int>(threadIdx.x);
  const int y = tiles.y(blockIdx.x) + static_cast<int>(threadIdx.y);
  if (x >= tiles.area.right() || y >= tiles.area.bottom()) return;
  const std::size_t bytes = words * sizeof(Word);
  const auto* from = reinterpret_cast<const Word*>(in.at(columns[x], rows[y].begin, bytes));
  auto* to = reinterpret_cast<Word*>(out.at(x, y, bytes));
  for (int i = 0; i < words; ++i) to[i] = from[i];
}

template <class Word>
void pick(cudaStream_t stream, const Input& in, const Output& out, const Across& across,
          const Down& down) {
  const Tiles tiles{out.area, 64, 4};
  const int words = in.format.bytes_per_pixel() / static_cast<int>(sizeof(Word));
  pick_kernel<Word><<<tiles.count(), dim3{64, 4}, 0, stream>>>(tiles, in, out, across.firsts,
                                                               down.windows, words);
  check(cudaGetLastError());
}

void pick_pixels(cudaStream_t stream, const Input& in, const Output& out, const Tables& tables) {
  const Across across = tables.on_device();
  const Down down = tables.down_on_device();
  switch (in.format.bytes_per_pixel()) {
    case 16:
      return pick<uint4>(stream, in, out, across, down);
    case 8:
      return pick<uint2>(stream, in, out, across, down);
    case 4:
    case 12:
      return pick<unsigned>(stream, in, out, across, down);
    case 2:
    case 6:
      return pick<unsigned short>(stream, in, out, across, down);
    default:
      return pick<unsigned char>(stream, in, out, across, down);
  }
}

/// How resample_kernel() cuts an area; nothing if its sums do not fit into shared memory.
struct TilePlan {
  Tiles tiles;
  int max_rows = 0, pitch = 0;
  std::size_t bytes() const {
    return sizeof(Pixel) * (tiles.height * pitch + tiles.height / sums * max_rows);
  }

  TilePlan(const Tables& tables, Rect area)
      : tiles{area, tables.out.width > tables.in.width ? 128 : 64, 16} {
    for (int y = area.y; y < area.bottom(); y += sums) {
      const int last = std::min(y + sums, area.bottom()) - 1;
      max_rows = std::max(max_rows, tables.down.windows[last].end - tables.down.windows[y].begin);
    }
    int max_columns = 0;
    for (int x = area.x; x < area.right(); x += tiles.width)
      max_columns =
          std::max(max_columns, tables.columns(x, std::min(tiles.width, area.right() - x)).size());
    pitch = spread(max_columns - 1) + 1;
  }
};

template <class Load, class Storer>
void launch(cudaStream_t stream, Rect area, const Tables& tables, Load load, Storer store) {
  const Across across = tables.on_device();
  const Down down = tables.down_on_device();
  if (across.taps <= max_taps_of_thread) {
    TilePlan plan{tables, area};
    // Two blocks on a multiprocessor: one sums while the other waits for memory.
    const std::size_t max_bytes = shared_memory_limit(2);
    while (plan.tiles.height > sums && plan.bytes() > max_bytes) plan.tiles.height /= 2;
    if (plan.bytes() <= max_bytes) {
      const auto kernel = resample_kernel<Load, Storer>;
      allow_shared_memory(kernel);
      kernel<<<plan.tiles.count(), tile_threads, plan.bytes(), stream>>>(
          plan.tiles, load, across, down, plan.max_rows, plan.pitch, store);
      return check(cudaGetLastError());
    }
  }
  const IndexRange columns = tables.columns(area.x, area.width);
  const Rect middle{columns.begin, area.y, columns.size(), area.height};
  const Buffer<Pixel> memory{static_cast<std::size_t>(middle.width) * middle.height, stream};
  const Plane plane{memory.data(), middle};
  const Tiles down_tiles{middle, column_threads, sums};
  resample_down_kernel<<<down_tiles.count(), column_threads, 0, stream>>>(down_tiles, load, down,
                                                                          plane);
  check(cudaGetLastError());
  const auto sum_rows_by = [&](auto lanes) {
    const Tiles tiles{area, row_sum_threads / lanes(), 1};
    resample_across_kernel<lanes()>
        <<<tiles.count(), row_sum_threads, 0, stream>>>(tiles, LoadPlane{plane}, across, store);
    check(cudaGetLastError());
  };
  if (across.taps <= max_taps_of_thread)
    sum_rows_by(std::integral_constant<int, 1>{});
  else
    sum_rows_by(std::integral_constant<int, 32>{});
}

}  // namespace

void resize(Exec& exec, const Input& in, const Output& out,
            const resample::ResampleSettings& settings) {
  const Size from = in.image.size(), to = out.image.size();
  const Tables& tables = tables_for(exec.cache_slot(), from, to, settings, exec.stream());
  if (Axis{from.width, to.width, settings}.picks() &&
      Axis{from.height, to.height, settings}.picks())
    return pick_pixels(exec.stream(), in, out, tables);
  with_both(in, out,
            [&](auto load, auto store) { launch(exec.stream(), out.area, tables, load, store); });
}

}  // namespace cuda_filters::cuda
