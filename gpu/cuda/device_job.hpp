// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <optional>
#include <vector>

#include "gpu/core/backend.hpp"
#include "gpu/core/run_cache.hpp"
#include "gpu/cuda/curves.hpp"
#include "gpu/cuda/instances.hpp"
#include "gpu/cuda/memory.hpp"

namespace cuda_filters::cuda {

/// A stored picture on the device: its curves, where the pixels that a band looks at lie, and a
/// copy of the store unless that is there already.
class DevicePicture {
 public:
  DevicePicture(const StoredPicture& picture, Alpha alpha, cudaStream_t stream);

  /// The picture with the copy of its store, for a run in another stream that lasts no longer than
  /// this one.
  StoredPicture on_device() const;
  /// Brings slots up to date, in a stream that may be another one.
  void upload(const std::vector<RowSlots::RowSpan>& runs, cudaStream_t stream);
  /// Says where the pixels of the next band lie.
  void look_up(const Lookup& lookup);
  /// What the kernels of that band read.
  Input input() const;
  const DeviceCurves& curves() const { return curves_; }
  /// Gives away the copy of the store, or of the image if the store asks for one, which must be
  /// unused, or null if there is none or if it is not complete.
  std::byte* release_rows() noexcept;

 private:
  /// Lets codes be found by a formula if all curves follow one.
  void follow_formula();

  StoredPicture picture_;
  Alpha alpha_;
  cudaStream_t stream_;
  Buffer<std::byte> rows_;
  Buffer<std::byte> all_rows_;  ///< the copy of the image, if there is one
  int copied_rows_ = 0;         ///< of it, from the first one on
  Buffer<int> row_table_, column_table_;
  std::vector<int> columns_;  ///< what the table has
  StraightRun straight_rows_{}, straight_columns_{};
  Rect area_{}, image_{};
  Buffer<float> values_[3], thresholds_[3];
  Buffer<std::uint16_t> buckets_[3];
  DeviceCurves curves_{};
};

/// What the bands of a run share on the device: the filter and the pictures.
class DeviceJob {
 public:
  DeviceJob(const ResolvedJob& job, const RunPictures& pictures, cudaStream_t stream);

  /// The pictures with the copies of their stores, for a run in another stream that lasts no longer
  /// than this one.
  RunPictures on_device() const;
  /// Brings what is fresh for a band to the device, in a stream that may be another one.
  void upload(const Band& band, cudaStream_t stream);
  /// Says where the pixels lie that a band looks at.
  void look_up(const Band& band);
  /// Puts the kernels that compute `out` into the stream; `result` has room for it.
  void compute(Rect out, std::byte* result, const void* state);
  /// Puts the kernels that add `area`, a part of `analysis_area`, to the state into the stream;
  /// `mask`, which may be null, says how much each of its pixels is selected.
  void analyze(Rect area, Rect analysis_area, const std::uint8_t* mask, void* state);
  /// Gives away the copy of the input's store, as DevicePicture::release_rows().
  std::byte* release_rows() noexcept { return in_.release_rows(); }

 private:
  /// Whether an analysis, or what computes the result, looks at a second picture.
  bool looks_at_aux(bool analyzes) const;
  /// Calls compute(second picture or null).
  template <class Compute>
  void with_aux(Exec& exec, Rect area, bool analyzes, Compute compute);

  ResolvedJob job_;
  Instance filter_;
  RunPictures pictures_;
  cudaStream_t stream_;
  DevicePicture in_;
  std::optional<DevicePicture> aux_;
  Buffer<std::uint8_t> mask_;
  RunCache cache_;
};

/// Makes the GPU current for this thread.
inline void use_device(int index) { check(cudaSetDevice(index)); }

}  // namespace cuda_filters::cuda
