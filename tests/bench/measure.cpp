// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tests/bench/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

#include "gpu/cuda/device_job.hpp"

namespace cuda_filters::bench {

using namespace cuda;
namespace {

constexpr int sets = 3;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// Pins what an image has, for as long as this lives.
class Pinned {
 public:
  explicit Pinned(MemoryImage& image) : rows_{image.codes().data()} {
    check(cudaHostRegister(rows_, image.codes().size(), cudaHostRegisterPortable));
    image.expose_memory();
  }
  ~Pinned() { (void)cudaHostUnregister(rows_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  std::byte* rows_;
};

/// Copies in pieces that are as large as bands, up and down at once, from and to pinned memory.
double both_ways_ms(MemoryImage& in, MemoryImage& out) {
  const std::size_t piece = std::size_t{16} << 20;
  const Stream up, down;
  const Buffer<std::byte> received{piece, up.get()}, sent{piece, down.get()};
  up.synchronize(), down.synchronize();
  const auto copy = [&](std::vector<std::byte>& codes, const auto& copy_piece) {
    for (std::size_t at = 0; at < codes.size(); at += piece)
      copy_piece(codes.data() + at, std::min(piece, codes.size() - at));
  };
  const auto start = std::chrono::steady_clock::now();
  copy(in.codes(), [&](const std::byte* from, std::size_t bytes) {
    check(cudaMemcpyAsync(received.data(), from, bytes, cudaMemcpyHostToDevice, up.get()));
  });
  copy(out.codes(), [&](std::byte* to, std::size_t bytes) {
    check(cudaMemcpyAsync(to, sent.data(), bytes, cudaMemcpyDeviceToHost, down.get()));
  });
  up.synchronize(), down.synchronize();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  return time.count();
}

}  // namespace

KernelTiming measure_kernels(int gpu, const ResolvedJob& job, MemoryImage& image, int calls) {
  use_device(gpu);
  keep_freed_memory(gpu);
  const Stream stream;
  const Encoding encoding = image.encoding(job.plan.trc);
  const std::size_t bytes = image.codes().size();

  const int width = image.width(), height = image.height();
  const Rect all{0, 0, width, height};
  const Plan& plan = job.plan;
  Band band{};
  Lookup& lookup = band.in.lookup;
  lookup.area = all.grown(plan.halo_x, plan.halo_y), lookup.image = {width, height};
  band.in.fresh = {{0, 0, height}};
  const Rect padded = lookup.area;
  lookup.rows = column_lookup({padded.y, padded.bottom()}, {0, height}, height, plan.border);
  lookup.columns = column_lookup({padded.x, padded.right()}, {0, width}, width, plan.border);

  // An analysis of the region belongs to a call, one of bands does not: all is one band.
  const auto analyzed = [&](DeviceJob& run) {
    const std::shared_ptr<void> state = job.filter->make_state();
    if (plan.analysis == AnalysisScope::region || plan.analysis == AnalysisScope::scan) {
      do run.analyze(all, all, nullptr, state.get());
      while (job.filter->finish(job.params.get(), state.get()));
    }
    return state;
  };
  std::vector<DeviceJob> runs;
  std::vector<Buffer<std::byte>> results;
  const RowStore store{image.codes().data(), height, image.row_bytes()};
  for (int i = 0; i < sets; ++i) {
    runs.emplace_back(job,
                      RunPictures{{encoding, store}, std::nullopt, result_encoding(job, encoding)},
                      stream.get());
    runs.back().upload(band, stream.get());
    runs.back().look_up(band);
  }
  const auto [out_width, out_height] = job.filter->creates_image()
                                           ? job.filter->new_image_size(analyzed(runs[0]).get())
                                           : job.output;
  const Rect result_area{0, 0, out_width, out_height};
  const std::size_t result_bytes = static_cast<std::size_t>(out_width) * out_height *
                                   result_encoding(job, encoding).format.bytes_per_pixel();
  for (int i = 0; i < sets; ++i) results.emplace_back(result_bytes, stream.get());
  const auto compute = [&](DeviceJob& run, std::byte* result) {
    run.compute(result_area, result, analyzed(run).get());
  };
  for (int i = 0; i < sets; ++i) compute(runs[i], results[i].data());
  stream.synchronize();

  // Several calls between two events: one alone is as short as a launch.
  std::vector<double> kernel;
  constexpr int together = sets;
  for (int i = 0; i < calls; ++i) {
    Event start, end;
    start.record(stream.get());
    for (int k = 0; k < together; ++k) compute(runs[k], results[k].data());
    end.record(stream.get());
    stream.synchronize();
    kernel.push_back(end.since(start) / together);
  }

  return {median(kernel), *std::ranges::min_element(kernel),
          static_cast<double>(bytes + result_bytes)};
}

DeviceTiming measure_device(const DeviceChoice& device, const ResolvedJob& job, MemoryImage& image,
                            int calls) {
  use_device(device.gpu);
  MemoryImage in = image, out = image.like(job.output);
  Observer silent;
  const auto run_once = [&] {
    return 1e3 * run(job, in, out, {0, 0, out.width(), out.height()}, device, silent).times.device;
  };
  run_once();  // a new image has its size now
  const Pinned pinned_in{in}, pinned_out{out};
  run_once();
  std::vector<double> times, copies;
  for (int i = 0; i < calls; ++i) {
    times.push_back(run_once());
    use_device(device.gpu);
    copies.push_back(both_ways_ms(in, out));
  }
  return {median(times), median(copies)};
}

std::size_t peak_device_memory(int gpu) {
  use_device(gpu);
  const cudaMemPool_t pool = pool_of(gpu);
  std::uint64_t peak = 0, none = 0;
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &peak));
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none));
  return peak;
}

double copy_rate(int gpu) {
  use_device(gpu);
  const Stream stream;
  constexpr std::size_t bytes = std::size_t{1} << 30;
  const Buffer<std::byte> from{bytes, stream.get()}, to{bytes, stream.get()};
  std::vector<double> rates;
  for (int i = 0; i < 11; ++i) {
    Event start, end;
    start.record(stream.get());
    check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, stream.get()));
    end.record(stream.get());
    stream.synchronize();
    rates.push_back(2.0 * bytes / (end.since(start) * 1e-3));
  }
  return median(rates);
}

}  // namespace cuda_filters::bench
