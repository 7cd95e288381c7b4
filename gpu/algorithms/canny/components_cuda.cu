// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/canny/edges.cuh"

// The components of a band's pixels that have a class.

namespace cuda_filters::cuda::edges {
namespace {

/// Settles what a tile alone can settle, and numbers the open components on its rim.
__global__ void __launch_bounds__(32 * warps_per_block) settle_components_kernel(Edges edges) {
  const unsigned tile = blockIdx.x * warps_per_block + threadIdx.x / 32;
  if (tile >= edges.tiles.count()) return;
  const int lane = threadIdx.x % 32, last = edges.last_row(tile);
  const std::size_t word = std::size_t{tile} * tile_height + lane;
  const Word found = edges.found[word];
  const Word strong = flooded(found, edges.strong[word]);
  edges.strong[word] = strong;

  // This lane's pixels of the rim: two columns of the first and the last row, two ends of its row.
  unsigned char top[2], bottom[2], left, right;
  const auto mark = [&](Word bits, unsigned char as) {
    const Word first_row = warp::from_lane(bits, 0);
    const Word last_row = warp::from_lane(bits, last);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (first_row >> (lane + 32 * i) & 1) top[i] = as;
      if (last_row >> (lane + 32 * i) & 1) bottom[i] = as;
    }
    if (bits & 1) left = as;
    if (bits >> (tile_width - 1)) right = as;
  };
  top[0] = top[1] = bottom[0] = bottom[1] = left = right = rim_none;
  mark(strong, rim_strong);

  Word open = found & ~strong;
  const Word rim = lane == 0 || lane == last ? ~Word{0} : Word{1} << (tile_width - 1) | 1;
  int count = 0;
  for (;; ++count) {
    const Word candidates = open & rim;
    const unsigned rows = warp::ballot(candidates != 0);
    if (rows == 0) break;
    const Word seed = lane == __ffs(rows) - 1 ? candidates & (~candidates + 1) : 0;
    const Word component = flooded(open, seed);
    mark(component, static_cast<unsigned char>(count + 1));
    open &= ~component;
  }
  Rim& out = edges.rims[tile];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    out.top[lane + 32 * i] = top[i];
    out.bottom[lane + 32 * i] = bottom[i];
  }
  out.left[lane] = left;
  out.right[lane] = right;
  for (int i = lane; i < count; i += 32) {
    const int node = static_cast<int>(tile) * max_nodes + i;
    edges.parents[node] = node;
    edges.is_strong[node] = 0;
  }
}

/// The smaller of both roots becomes the root, whoever else unites at the same time.
__device__ void unite(int* parents, int a, int b) {
  for (;;) {
    a = find(parents, a), b = find(parents, b);
    if (a == b) return;
    if (a > b) {
      const int c = a;
      a = b, b = c;
    }
    const int before = atomicCAS(parents + b, b, a);
    if (before == b) return;
    b = before;
  }
}

/// Joins components over the right and the lower side of each tile.
__global__ void __launch_bounds__(tile_width + tile_height) join_kernel(Edges edges) {
  const int tile = blockIdx.x, across = edges.tiles.across();
  const int tile_x = tile % across, i = threadIdx.x;
  const auto join = [&](unsigned char mine, int other_tile, unsigned char other) {
    if (mine == rim_none || other == rim_none || (mine == rim_strong && other == rim_strong))
      return;
    const int a = tile * max_nodes + mine - 1, b = other_tile * max_nodes + other - 1;
    if (mine == rim_strong)
      edges.is_strong[b] = 1;
    else if (other == rim_strong)
      edges.is_strong[a] = 1;
    else
      unite(edges.parents, a, b);
  };
  const Rim& rim = edges.rims[tile];
  if (i >= tile_width) {
    if (tile_x + 1 == across) return;
    const int row = i - tile_width;
    for (int r = max(row - 1, 0); r <= min(row + 1, tile_height - 1); ++r)
      join(rim.right[row], tile + 1, edges.rims[tile + 1].left[r]);
    return;
  }
  if (tile + across >= static_cast<int>(edges.tiles.count())) return;
  for (int c = i - 1; c <= i + 1; ++c) {
    const int side = c < 0 ? -1 : c >= tile_width ? 1 : 0;
    if (tile_x + side < 0 || tile_x + side >= across) continue;
    const int below = tile + across + side;
    join(rim.bottom[i], below, edges.rims[below].top[c - side * tile_width]);
  }
}

/// Tells the roots which components are strong.
__global__ void spread_kernel(Edges edges, int tiles) {
  const int tile = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (tile >= tiles) return;
  const Rim& rim = edges.rims[tile];
  const int lane = threadIdx.x % 32;
  const auto tell = [&](unsigned char mark) {
    if (mark == rim_none || mark == rim_strong) return;
    const int node = tile * max_nodes + mark - 1;
    if (edges.is_strong[node]) edges.is_strong[find(edges.parents, node)] = 1;
  };
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    tell(rim.top[lane + 32 * i]);
    tell(rim.bottom[lane + 32 * i]);
  }
  tell(rim.left[lane]);
  tell(rim.right[lane]);
}

__global__ void promote_kernel(Edges edges, const int* labels, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) edges.is_strong[labels[i]] = 1;
}

/// The codes of the band's first row and of its last one. Settled components share one label: they
/// are strong, whether they are joined or not.
__global__ void end_rows_kernel(Edges edges, std::uint32_t* first, std::uint32_t* last) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (x >= edges.tiles.area.width) return;
  const auto code = [&](int tile, unsigned char mark) -> std::uint32_t {
    if (mark == rim_none) return 0;
    if (mark == rim_strong) return canny::code((1 << 30) - 1, canny::strong);
    const int root = find(edges.parents, tile * max_nodes + mark - 1);
    return canny::code(root, edges.is_strong[root] ? canny::strong : canny::weak);
  };
  const int top = x / tile_width;
  const int bottom = static_cast<int>(edges.tiles.count()) - edges.tiles.across() + top;
  first[x] = code(top, edges.rims[top].top[x % tile_width]);
  last[x] = code(bottom, edges.rims[bottom].bottom[x % tile_width]);
}

}  // namespace

void join_components(cudaStream_t stream, const Edges& edges) {
  const int count = static_cast<int>(edges.tiles.count());
  settle_components_kernel<<<divide_up(count, warps_per_block), 32 * warps_per_block, 0, stream>>>(
      edges);
  check(cudaGetLastError());
  join_kernel<<<edges.tiles.count(), tile_width + tile_height, 0, stream>>>(edges);
  check(cudaGetLastError());
  spread_kernel<<<divide_up(count, 4), 128, 0, stream>>>(edges, count);
  check(cudaGetLastError());
}

void promote(cudaStream_t stream, const Edges& edges, const int* labels, int count) {
  promote_kernel<<<divide_up(count, 256), 256, 0, stream>>>(edges, labels, count);
  check(cudaGetLastError());
}

void describe_end_rows(cudaStream_t stream, const Edges& edges, std::uint32_t* first,
                       std::uint32_t* last) {
  end_rows_kernel<<<divide_up(edges.tiles.area.width, 256), 256, 0, stream>>>(edges, first, last);
  check(cudaGetLastError());
}

}  // namespace cuda_filters::cuda::edges
