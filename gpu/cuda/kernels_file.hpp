// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <filesystem>
#include <vector>

// The plug-in and the operations have the same kernels. Their machine code lies in one file,
// cuda-filters.kernels, which gpu/cuda/separate_kernels.py makes when everything is built: in the
// objects, it leaves where in that file the code is. What is linked otherwise has its code in it.

namespace cuda_filters::cuda {

/// What nvcc's code for the host has as machine code, for every kind of GPU.
class MachineCode {
 public:
  /// `linked` is machine code, or says where in the file of kernels that is.
  explicit MachineCode(const void* linked) : linked_{linked} {}

  /// It, read where that is needed and not done yet, or nullptr if no file has it. It stays here.
  /// Throws std::bad_alloc.
  const void* get();

 private:
  const void* linked_;
  std::vector<std::byte> read_;
};

/// Where the file of kernels is looked for, in this order: beside what this is linked into, where
/// this user's data are, and where it is installed for all.
std::vector<std::filesystem::path> possible_kernels_files();

/// Whether there was memory for what is known of each kernel, before main() began.
bool has_all_kernels();

/// Whether the file of kernels is there that belongs to this build, as far as one part of it tells.
bool has_kernels();

}  // namespace cuda_filters::cuda
