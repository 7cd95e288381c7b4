// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cuda.h>

#include <array>
#include <cstddef>
#include <string>

namespace cuda_filters::test {

/// What a driver that runs nothing is told and tells. It stands where NVIDIA's would, has GPUs
/// whose memory is the host's, copies and fills that, and fails the call that it is told to fail.
/// Kernels are not run: what they would write stays as it was, and new memory is zero. With
/// OLD_DRIVER it has not the functions that came with CUDA 12.0.
struct FakeDriver {
  int version = 13000;
  int gpus = 1;                   ///< at most two
  std::array<int, 2> contexts{};  ///< of each GPU, which were made

  long calls = 0;       ///< so far, without those that say what an error means
  long fail_at = 0;     ///< the call that fails, from 1 on; 0: none
  std::string fail_in;  ///< a function of which all calls fail; empty: none
  CUresult failure = CUDA_ERROR_UNKNOWN;
  bool is_lost_then = false;  ///< whether all calls after it fail likewise

  std::size_t memory = std::size_t{1} << 30;  ///< what each GPU has
  std::size_t used_memory = 0;                ///< of all GPUs
  std::size_t reserved_memory = 0;            ///< what their pools have: that, and what is idle
  bool keeps_freed_memory = false;            ///< whether the pools were told to
  int allocations = 0, streams = 0, events = 0, registered = 0;  ///< that are there now
  std::string misuse;     ///< the first call that a driver would not understand, if there was one
  std::string failed_in;  ///< the function that was told to fail, when it has
};

}  // namespace cuda_filters::test

/// That of this process. Others than the thread that a test runs in may change it meanwhile.
extern "C" cuda_filters::test::FakeDriver* fake_driver();
