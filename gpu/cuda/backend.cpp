// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/backend.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "gpu/cuda/run.hpp"

namespace cuda_filters {
namespace cuda {
namespace {

/// How many bytes of rows and results a run keeps on the device, unless CUDA_FILTERS_MEMORY, in
/// MiB, says otherwise: enough to keep it busy, and intermediate images are several times that.
std::size_t budget_of_device() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  std::size_t budget = std::min(free / 16, std::size_t{512} << 20);
  if (const char* wish = std::getenv("CUDA_FILTERS_MEMORY"); wish != nullptr)
    if (const long mebibytes = std::atol(wish); mebibytes > 0)
      budget = std::min(budget, static_cast<std::size_t>(mebibytes) << 18);
  return budget;
}

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int index) : index_{index} {
    use_device(index);
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, index));
    name_ = properties.name;
    stream_.emplace();
    keep_freed_memory(index);
    budget_ = budget_of_device();
  }

  std::string device() const override { return name_; }
  bool is_gpu() const override { return true; }
  std::size_t budget() const override { return budget_; }

  std::shared_ptr<std::byte[]> host_memory(std::size_t bytes) override {
    void* memory = nullptr;
    check(cudaMallocHost(&memory, bytes));
    return {static_cast<std::byte*>(memory), [](std::byte* p) { (void)cudaFreeHost(p); }};
  }

  void begin(const Job& job, const Encoding& encoding, const Store& store) override {
    run_.reset();
    result_ = {};
    pixel_bytes_ = result_encoding(job, encoding).format.bytes_per_pixel();
    run_.emplace(job, encoding, store, stream_->get());
  }

  void process(const Band& band) override {
    use_device(index_);  // this is another thread
    for (const auto& fresh : band.fresh) run_->upload(fresh);
    run_->look_up(band.lookup);
    if (band.survey != nullptr) {
      run_->survey(band.out, band.mask, band.survey);
      return stream_->synchronize();
    }
    const std::size_t bytes = pixel_bytes_ * band.out.width * band.out.height;
    if (result_.count() < bytes) result_ = Buffer<std::byte>{bytes, stream_->get()};
    run_->compute(band.out, result_.data(), band.state);
    check(cudaMemcpyAsync(band.result, result_.data(), bytes, cudaMemcpyDeviceToHost,
                          stream_->get()));
    stream_->synchronize();
  }

 private:
  int index_;
  std::string name_;
  std::optional<Stream> stream_;  // before the buffers, which are freed in it
  std::size_t budget_ = 0, pixel_bytes_ = 0;
  std::optional<Run> run_;
  Buffer<std::byte> result_;
};

}  // namespace
}  // namespace cuda

std::unique_ptr<Backend> make_cuda_backend(int index) {
  return std::make_unique<cuda::CudaBackend>(index);
}

DeviceReport describe_devices() {
  DeviceReport report;
  (void)cudaRuntimeGetVersion(&report.runtime_version);
  (void)cudaDriverGetVersion(&report.driver_version);
  int count = 0;
  const cudaError_t problem = cudaGetDeviceCount(&count);
  if (problem != cudaSuccess) {
    (void)cudaGetLastError();
    report.problem = report.driver_version == 0
                         ? tr(N_("There is no NVIDIA driver on this machine."))
                         : format_text(tr(N_("The NVIDIA driver has no GPU to offer: %s.")),
                                       cudaGetErrorString(problem));
    return report;
  }
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
    GpuDescription gpu;
    gpu.index = i;
    gpu.name = properties.name;
    gpu.compute_major = properties.major;
    gpu.compute_minor = properties.minor;
    gpu.memory_total = properties.totalGlobalMem;
    report.gpus.push_back(gpu);
  }
  if (report.gpus.empty()) report.problem = tr(N_("The NVIDIA driver knows no GPU."));
  return report;
}

std::size_t free_memory(int gpu) {
  std::size_t free = 0, total = 0;
  if (cudaSetDevice(gpu) != cudaSuccess || cudaMemGetInfo(&free, &total) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return free;
}

}  // namespace cuda_filters
