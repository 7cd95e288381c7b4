// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <memory>

#include "gpu/algorithms/lut/apply_lut.hpp"
#include "gpu/cuda/exec.cuh"

namespace cuda_filters::cuda {
namespace {

/// Nodes in a GPU's memory, which are read through its first-level cache, all of one at a time.
struct DeviceNodes {
  const float4* nodes;
  __device__ Pixel operator[](int i) const {
    const float4 node = __ldg(nodes + i);
    return {node.x, node.y, node.z, 0.0f};
  }
};

struct Change {
  lut::LutSettings settings;
  DeviceNodes curves, cube;
  __device__ Pixel operator()(Pixel p) const { return lut::changed(settings, curves, cube, p); }
};

/// A table on a GPU, for all bands of a run.
class DeviceLut {
 public:
  DeviceLut(std::shared_ptr<const lut::Lut> table, cudaStream_t stream)
      : table_{std::move(table)},
        curves_{table_->curves.nodes.size(), stream},
        cube_{table_->cube.nodes.size(), stream} {
    curves_.upload(table_->curves.nodes.data(), table_->curves.nodes.size());
    cube_.upload(table_->cube.nodes.data(), table_->cube.nodes.size());
  }
  const std::shared_ptr<const lut::Lut>& table() const { return table_; }
  DeviceNodes curves() const { return {reinterpret_cast<const float4*>(curves_.data())}; }
  DeviceNodes cube() const { return {reinterpret_cast<const float4*>(cube_.data())}; }

 private:
  std::shared_ptr<const lut::Lut> table_;  // kept until it is uploaded
  Buffer<Pixel> curves_, cube_;
};

}  // namespace

void apply_lut(Exec& exec, const Input& in, const Output& out, const LutUse& use) {
  std::any& slot = exec.cache_slot();
  if (use.table == nullptr) return exec.map(in, out, SamePixel{});
  using Shared = std::shared_ptr<const DeviceLut>;
  const Shared* known = std::any_cast<Shared>(&slot);
  if (known == nullptr || (*known)->table() != use.table)
    known = &slot.emplace<Shared>(std::make_shared<const DeviceLut>(use.table, exec.stream()));
  const lut::LutSettings settings{axes_of(use.table->curves), axes_of(use.table->cube),
                                  use.interpolation, use.amount, !in.format.color};
  exec.map(in, out, Change{settings, (*known)->curves(), (*known)->cube()});
}

}  // namespace cuda_filters::cuda
