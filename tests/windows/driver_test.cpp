// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
//
// NVIDIA's driver, as Windows has it: in the system's folder, where tests/windows/run puts the one
// of tests/fake_driver, which runs no kernel.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/core/system.hpp"

namespace cuda_filters {
namespace {

TEST(WindowsDriver, IsFoundInTheSystemsFolder) {
  EXPECT_TRUE(seems_to_have_nvidia_driver());
  const NvidiaDriverLibrary library;
  ASSERT_TRUE(library.is_loaded());
  EXPECT_NE(library.find("cuInit"), nullptr);
  EXPECT_EQ(library.find("no such function"), nullptr);
}

TEST(WindowsDriver, TellsOfItsGpu) {
  int count = 0, version = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 1);
  ASSERT_EQ(cudaDriverGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version, 13000);
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_EQ(std::string{properties.name}, "a GPU that runs nothing");
}

TEST(WindowsDriver, CopiesInAStream) {
  const std::vector<int> sent{1, 2, 3, 4};
  std::vector<int> received(sent.size());
  const std::size_t bytes = sent.size() * sizeof(int);
  cudaStream_t stream{};
  void* memory = nullptr;
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&memory, bytes, stream), cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(memory, sent.data(), bytes, cudaMemcpyHostToDevice, stream),
            cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(received.data(), memory, bytes, cudaMemcpyDeviceToHost, stream),
            cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(received, sent);
}

}  // namespace
}  // namespace cuda_filters
