// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/canny/canny_edges.hpp"
#include "gpu/algorithms/canny/edges.cuh"

namespace cuda_filters::cuda {
namespace {

using canny::CannySettings;
using namespace edges;

/// Draws pixels in any format.
template <class Storer>
struct AnyPen {
  Storer store;
  float on;
  __device__ auto operator()() const {
    return [this](int x, int y, bool is_on) {
      const float value = is_on ? on : 1.0f - on;
      store(x, y, Pixel{value, value, value, value});
    };
  }
};

/// Draws 8-bit gray, or 8-bit RGBA with the alpha that was there. There are two codes only.
template <class Code>
struct BytePen {
  static constexpr bool color = sizeof(Code) == 4;
  Output out;
  float on;
  __device__ Code code(float value) const {
    const DeviceCurves& curves = out.curves;
    Code code = 0;
    for (int c = 0; c < (color ? 3 : 1); ++c)
      code |= static_cast<Code>(encode_code(value, 255, curves, c) << 8 * c);
    return code;
  }
  __device__ auto operator()() const {
    return [this, on_code = code(on), off_code = code(1.0f - on)](int x, int y, bool is_on) {
      Code alpha = 0;
      if constexpr (color)
        alpha = __ldg(reinterpret_cast<const Code*>(out.original.at(0, y, sizeof(Code))) + x) &
                0xff000000u;
      *reinterpret_cast<Code*>(out.at(x, y, sizeof(Code))) = alpha | (is_on ? on_code : off_code);
    };
  }
};

template <class F>
void with_pen(const Output& out, float on, F&& f) {
  const Format& format = out.format;
  if (is_rgba(format, SampleType::u8)) return f(BytePen<unsigned>{out, on});
  if (format == Format{SampleType::u8, false, false}) return f(BytePen<unsigned char>{out, on});
  with_storer(out, [&](auto store) { f(AnyPen<decltype(store)>{store, on}); });
}

/// Floods the open components that turned out strong, and draws the tile.
template <class MakePen>
__global__ void __launch_bounds__(32 * warps_per_block)
    draw_kernel(Edges edges, Rect wanted, MakePen make_pen) {
  const unsigned tile = blockIdx.x * warps_per_block + threadIdx.x / 32;
  if (tile >= edges.tiles.count()) return;
  const int lane = threadIdx.x % 32, last = edges.last_row(tile);
  const int x = edges.tiles.x(tile), y = edges.tiles.y(tile);
  if (y >= wanted.bottom() || y + last < wanted.y || x >= wanted.right() ||
      x + tile_width <= wanted.x)
    return;
  const std::size_t word = std::size_t{tile} * tile_height + lane;
  const Word settled = edges.strong[word], open = edges.found[word] & ~settled;
  Word drawn = settled;
  if (warp::any(open != 0)) {
    const Rim& rim = edges.rims[tile];
    const auto lives = [&](unsigned char mark) {
      return mark != rim_none && mark != rim_strong &&
             edges.is_strong[find(edges.parents, static_cast<int>(tile) * max_nodes + mark - 1)];
    };
    Word seeds = 0;
    if (lives(rim.left[lane])) seeds |= 1;
    if (lives(rim.right[lane])) seeds |= Word{1} << (tile_width - 1);
    Word top = 0, bottom = 0;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const bool above = lives(rim.top[lane + 32 * i]), below = lives(rim.bottom[lane + 32 * i]);
      top |= Word{warp::ballot(above)} << (32 * i);
      bottom |= Word{warp::ballot(below)} << (32 * i);
    }
    if (lane == 0) seeds |= top;
    if (lane == last) seeds |= bottom;
    if (warp::any(seeds != 0)) drawn |= flooded(open, seeds);
  }
  const int begin = max(wanted.y - y, 0), end = min(last + 1, wanted.bottom() - y);
  const bool here[2] = {x + lane >= wanted.x && x + lane < wanted.right(),
                        x + lane + 32 >= wanted.x && x + lane + 32 < wanted.right()};
  const auto pen = make_pen();
  for (int row = begin; row < end; ++row) {
    const Word bits = warp::from_lane(drawn, row);
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (here[i])
        pen(x + lane + 32 * i, y + row, static_cast<unsigned>(bits >> 32 * i) >> lane & 1);
  }
}

/// The components of a band, on the device.
class BandEdges {
 public:
  BandEdges(const Input& in, const CannySettings& settings, cudaStream_t stream) : stream_{stream} {
    const int halo = settings.radius() + canny::reach;
    const Tiles tiles{in.area.grown(-halo, -halo), tile_width, tile_height};
    const std::size_t count = tiles.count();
    found_ = {count * tile_height, stream};
    strong_ = {count * tile_height, stream};
    rims_ = {count, stream};
    parents_ = {count * max_nodes, stream};
    is_strong_ = {count * max_nodes, stream};
    edges_ = {tiles,        found_.data(),   strong_.data(),
              rims_.data(), parents_.data(), is_strong_.data()};
    classify(stream, in, settings, edges_);
    join_components(stream, edges_);
  }

  void describe(canny::BandLinks& links) {
    const int width = edges_.tiles.area.width;
    const Buffer<std::uint32_t> codes{std::size_t{2} * width, stream_};
    describe_end_rows(stream_, edges_, codes.data(), codes.data() + width);
    links.join_so_far();  // while the GPU computes
    canny::EndRow first(width), last(width);
    const auto fetch = [&](canny::EndRow& row, const std::uint32_t* from) {
      check(cudaMemcpyAsync(row.data(), from, row.size() * sizeof row[0], cudaMemcpyDeviceToHost,
                            stream_));
    };
    fetch(first, codes.data());
    fetch(last, codes.data() + width);
    check(cudaStreamSynchronize(stream_));
    links.add(edges_.tiles.area.y, std::move(first), std::move(last));
  }

  void draw(const Output& out, const canny::BandLinks& links, bool invert) {
    const std::vector<int>& promoted = links.promoted(edges_.tiles.area.y);
    if (!promoted.empty()) {
      Buffer<int> labels{promoted.size(), stream_};
      labels.upload(promoted.data(), promoted.size());
      promote(stream_, edges_, labels.data(), static_cast<int>(promoted.size()));
    }
    with_pen(out, invert ? 0.0f : 1.0f, [&](auto pen) {
      draw_kernel<<<divide_up(static_cast<int>(edges_.tiles.count()), warps_per_block),
                    32 * warps_per_block, 0, stream_>>>(edges_, out.area, pen);
      check(cudaGetLastError());
    });
  }

 private:
  cudaStream_t stream_;
  Buffer<Word> found_, strong_;
  Buffer<Rim> rims_;
  Buffer<int> parents_;
  Buffer<unsigned char> is_strong_;
  Edges edges_{};
};

}  // namespace

void analyze_edges(Exec& exec, const Input& in, Rect, const CannySettings& settings,
                   canny::BandLinks& links) {
  BandEdges{in, settings, exec.stream()}.describe(links);
}

void canny_edges(Exec& exec, const Input& in, const Output& out, const CannySettings& settings,
                 const canny::BandLinks& links) {
  BandEdges{in, settings, exec.stream()}.draw(out, links, settings.invert);
}

}  // namespace cuda_filters::cuda
