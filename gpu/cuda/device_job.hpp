// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/backend.hpp"
#include "gpu/core/run_cache.hpp"
#include "gpu/cuda/curves.hpp"
#include "gpu/cuda/memory.hpp"

namespace cuda_filters::cuda {

class Input;

/// What the bands of a run share on the device: the filter, the curves, and a copy of the store
/// unless that is there already.
class DeviceJob {
 public:
  DeviceJob(const Job& job, const Encoding& in, const Encoding& out, const RowStore& store,
            cudaStream_t stream);

  /// The copy of the store, which there must be, for a run in another stream that lasts no longer
  /// than this one.
  RowStore on_device() const;
  /// Brings slots up to date, in a stream that may be another one.
  void upload(const RowSlots::RowSpan& run, cudaStream_t stream);
  /// Says where the pixels of the next band lie.
  void look_up(const Lookup& lookup);
  /// Puts the kernels that compute `out` into the stream; `result` has room for it.
  void compute(Rect out, std::byte* result, const void* state);
  /// Puts the kernels that add `area` to the state into the stream; `mask`, which may be null, says
  /// how much each of its pixels is selected.
  void analyze(Rect area, const std::uint8_t* mask, void* state);
  /// Gives away the copy of the store, which must be complete and unused, or null if there is none.
  std::byte* release_rows() noexcept { return rows_.release(); }

 private:
  Input input() const;
  /// Lets codes be found by a formula if all curves follow one.
  void follow_formula(const Encoding& in);

  Job job_;
  Encoding in_, out_;
  RowStore store_;
  cudaStream_t stream_;
  Buffer<std::byte> rows_;
  Buffer<int> row_table_, column_table_;
  std::vector<int> columns_;  ///< what the table has
  Buffer<std::uint8_t> mask_;
  StraightRun straight_rows_{}, straight_columns_{};
  Rect area_{}, image_{};
  RunCache cache_;
  Buffer<float> values_[3], thresholds_[3];
  Buffer<std::uint16_t> buckets_[3];
  DeviceCurves curves_{};  ///< of the input, and of the output if that has the same format
};

/// Makes the GPU current for this thread.
inline void use_device(int index) { check(cudaSetDevice(index)); }

}  // namespace cuda_filters::cuda
