// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/backend.hpp"

#include <chrono>

#include "gpu/algorithms/executor_concept.hpp"
#include "gpu/core/devices.hpp"
#include "gpu/core/system.hpp"
#include "gpu/cpu/exec.hpp"
#include "gpu/cpu/gray_packing.hpp"
#include "gpu/cpu/instances.hpp"

namespace cuda_filters {
namespace cpu {

static_assert(Executor<Exec>);

namespace {

class CpuBackend final : public Backend {
 public:
  std::string device() const override { return describe_cpu(); }
  bool is_gpu() const override { return false; }
  bool uses_host_memory() const override { return true; }
  std::size_t budget() const override { return std::size_t{192} << 20; }

  std::shared_ptr<std::byte[]> host_memory(std::size_t bytes) override { return huge_pages(bytes); }
  std::shared_ptr<std::byte[]> memory(std::size_t bytes) override { return huge_pages(bytes); }

  void begin(const ResolvedJob& job, const RunPictures& pictures) override {
    job_ = job;
    filter_ = instances().of(*job.filter);
    pictures_ = pictures;
    cache_ = {}, memory_ = MemoryPool{};
    scratch_ = {};
  }

  void process(const Band& band) override {
    const auto start = std::chrono::steady_clock::now();
    const StoredPicture& in = pictures_.in;
    const Encoding& out = pictures_.out;
    if (job_.output == band.in.lookup.image &&
        GrayPacking::pays(job_.plan, in.encoding, out, band)) {
      const GrayPacking packing{job_.plan, in.encoding, out, in.store, band, scratch_};
      compute(packing.band(), {GrayPacking::encoding(in.encoding), packing.store()},
              GrayPacking::encoding(out), packing.size());
      packing.unpack();
    } else {
      compute(band, in, out, job_.output);
    }
    times_.compute +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  Times times() const override { return times_; }

 private:
  void compute(const Band& band, const StoredPicture& before, const Encoding& after, Size result) {
    Input in{before.store, band.in.lookup, make_codec(before.encoding, job_.plan.alpha)};
    in.set_mask(band.mask, band.out);
    Codec result_codec = make_codec(after, job_.plan.alpha);
    if (result != in.image().size() && result_codec.alpha == Alpha::passthrough)
      result_codec.alpha = Alpha::channel;
    const Output out{in, result_codec, result, band.out, band.result};
    Exec exec{job_.plan.alpha,
              in,
              band.out,
              band.analysis != nullptr ? job_.plan.analysis_temporaries : job_.plan.temporaries,
              cache_,
              memory_,
              band.analysis_area};
    const auto compute_with = [&](const Input* aux) {
      if (band.analysis != nullptr)
        filter_.analyze(exec, job_.params.get(), in, aux, band.out, band.analysis);
      else
        filter_.apply(exec, job_.params.get(), in, aux, out, band.state);
    };
    if (!pictures_.aux || (band.analysis != nullptr) != job_.plan.analyzes_aux)
      return compute_with(nullptr);
    // For the filter the second picture is one of working pixels, whatever it is stored as.
    const auto& [encoding, aux_store] = *pictures_.aux;
    const Input stored{aux_store, band.aux.lookup, make_codec(encoding, job_.plan.alpha)};
    const Temporary aux = exec.temporary(job_.plan.aux_halo);
    exec.copy(stored, aux);
    compute_with(&static_cast<const Input&>(aux));
  }

  ResolvedJob job_{};
  Instance filter_{};
  RunPictures pictures_{};
  RunCache cache_;
  MemoryPool memory_;  ///< of temporary pictures, which the bands use in turn
  Scratch scratch_;
  Times times_{};
};

}  // namespace

Codec make_codec(const Encoding& encoding, Alpha alpha) {
  Codec codec{encoding.format,
              alpha,
              {},
              {},
              {},
              terms_of(encoding.transfer),
              terms_of(inverse(encoding.transfer)),
              encoding.transfer.kind != Transfer::Kind::none};
  for (int c = 0; c < 3; ++c) {
    const Curve* curve = encoding.curves[c].get();
    if (curve == nullptr) continue;
    codec.values[c] = curve->values.data();
    codec.thresholds[c] = curve->thresholds.data();
    codec.buckets[c] = curve->buckets.data();
  }
  return codec;
}

}  // namespace cpu

std::string describe_cpu() {
  std::string model = processor_model();
  if (model.empty()) model = tr(N_("processor"));
  return format_text(tr(N_("%s (%d threads, %s)")), model.c_str(), cpu::thread_count(),
                     cpu::levels().back().name);
}

int cpu_threads() { return cpu::thread_count(); }

std::unique_ptr<Backend> make_cpu_backend() { return std::make_unique<cpu::CpuBackend>(); }

}  // namespace cuda_filters
