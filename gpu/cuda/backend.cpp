// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/backend.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "gpu/core/device_choice.hpp"
#include "gpu/core/devices.hpp"
#include "gpu/core/system.hpp"
#include "gpu/cuda/device_job.hpp"
#include "gpu/cuda/driver.hpp"
#include "gpu/cuda/known_gpus.hpp"

namespace cuda_filters {
namespace cuda {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr std::size_t max_budget = std::size_t{2} << 30;

/// How many bytes of rows and results a run keeps on the device: enough to keep it busy, and
/// intermediate images are several times that.
std::size_t budget_for(std::size_t free) {
  return std::min({free / 16, max_budget, memory_limit() / 4});
}

/// How many bytes new buffers can have on the current GPU: what is free there, and what its pool
/// keeps of buffers that are gone.
std::size_t memory_for_buffers(int gpu) {
  std::size_t free = 0, total = 0;
  std::uint64_t reserved = 0, used = 0;
  check(cudaMemGetInfo(&free, &total));
  check(cudaMemPoolGetAttribute(pool_of(gpu), cudaMemPoolAttrReservedMemCurrent, &reserved));
  check(cudaMemPoolGetAttribute(pool_of(gpu), cudaMemPoolAttrUsedMemCurrent, &used));
  return free + (reserved > used ? reserved - used : 0);
}

/// A GPU that becomes ready in a thread of its own, while the engine reads the first rows.
class CudaBackend final : public Backend {
 public:
  /// Throws std::system_error if the system starts no thread.
  explicit CudaBackend(int index) : index_{index} {
    ready_ = std::async(std::launch::async, [this] { make_ready(); }).share();
  }
  ~CudaBackend() override {
    ready_.wait();
    if (streams_) (void)cudaSetDevice(index_);  // what goes now belongs to it
  }

  std::string device() const override {
    ready_.wait();
    return name_;
  }
  void wait_until_ready() const override { ready_.wait(); }
  bool is_gpu() const override { return true; }
  bool uses_host_memory() const override { return false; }
  int depth() const override { return max_under_way; }
  std::size_t budget() const override {
    const bool is_ready = ready_.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
    return is_ready && free_budget_ > 0 ? free_budget_ : guessed_budget_;
  }
  Times times() const override {
    ready_.wait();
    Times times = times_;
    times += times_of_run();
    return times;
  }

  /// Memory that is pinned, for quick copies, as soon as the GPU is ready.
  std::shared_ptr<std::byte[]> host_memory(std::size_t bytes) override {
    const std::shared_ptr<std::byte[]> memory = huge_pages(bytes);
    constexpr std::size_t own_pages = std::size_t{2} << 20;  // smaller blocks share theirs
    if (bytes < own_pages) return memory;
    std::shared_future<bool> pinned;
    try {
      pinned = std::async(std::launch::async, [memory, bytes, ready = ready_, index = index_] {
                 ready.get();
                 use_device(index);
                 const bool done =
                     cudaHostRegister(memory.get(), bytes, cudaHostRegisterPortable) == cudaSuccess;
                 if (!done) (void)cudaGetLastError();  // it is copied all the same
                 return done;
               }).share();
    } catch (const std::system_error&) {
      return memory;  // it is copied all the same
    }
    pinning_.push_back(pinned);
    return {memory.get(), [memory, pinned, index = index_](std::byte* p) {
              try {
                if (!pinned.get()) return;
                (void)cudaSetDevice(index);
                (void)cudaHostUnregister(p);
              } catch (...) {  // the GPU never became ready
              }
            }};
  }

  std::shared_ptr<std::byte[]> memory(std::size_t bytes) override {
    use();
    const auto buffer = std::make_shared<Buffer<std::byte>>(bytes, streams_->compute[0].get());
    return {buffer, buffer->data()};
  }

  void begin(const ResolvedJob& job, const RunPictures& pictures) override {
    next_ = [=, this] {
      runs_.emplace_back(job, pictures, streams_->compute[0].get());
      // While the last blocks of one band are computed, the next one has the rest of the GPU.
      if (!pictures.in.store.bands_are_apart || !job.plan.outlasts_copies()) return;
      for (const Stream& stream : std::span{streams_->compute}.subspan(1))
        runs_.emplace_back(job, runs_.front().on_device(), stream.get());
    };
    pixel_bytes_ = pictures.out.format.bytes_per_pixel();
    result_bytes_ = pixel_bytes_ * pictures.cached_result.width * pictures.cached_result.height;
  }

  void upload(const Band& band) override {
    begin_run();
    const Stream& up = streams_->up;
    if (uploaded_ == 0) {
      streams_->allocated.record(streams_->compute[0].get());  // what the run has is there
      up.wait_for(streams_->allocated);
      run_began_ = Clock::now();
    }
    const bool timed = is_timed(uploaded_);
    Moments& moments = moments_of(uploaded_++);
    moments.fresh_rows = 0;
    if (timed) streams_->uploading.start.record(up.get());
    for (const auto& fresh : band.in.fresh) moments.fresh_rows += fresh.count;
    runs_.front().upload(band, up.get());
    if (timed) streams_->uploading.end.record(up.get());
    moments.uploaded.record(up.get());
  }

  void process(const Band& band) override {
    use_device(index_);
    const std::size_t turn = processed_ % runs_.size();
    DeviceJob& run = runs_[turn];
    const Stream &compute = streams_->compute[turn], &down = streams_->down;
    Buffer<std::byte>& result = results_[processed_ % max_under_way];
    const bool timed = is_timed(processed_);
    Moments& moments = moments_of(processed_++);
    compute.wait_for(moments.uploaded);
    run.look_up(band);
    if (timed) streams_->computing.start.record(compute.get());
    moments.rows = band.out.height;
    const std::size_t bytes = pixel_bytes_ * band.out.width * band.out.height;
    moments.downloads = band.analysis == nullptr && !band.result_stays;
    const bool keeps = moments.downloads && cached_result_.data() != nullptr;
    if (moments.downloads && !keeps && result.count() < bytes)
      result = Buffer<std::byte>{bytes, compute.get()};
    std::byte* const computed =
        keeps ? cached_result_.data() + pixel_bytes_ * band.out.width * band.out.y : result.data();
    if (band.analysis != nullptr)
      run.analyze(band.out, band.analysis_area, band.mask, band.analysis);
    else
      run.compute(band.out, moments.downloads ? computed : band.result, band.state);
    if (timed) streams_->computing.end.record(compute.get());
    moments.computed.record(compute.get());
    if (!moments.downloads) return;
    down.wait_for(moments.computed);
    if (timed) streams_->downloading.start.record(down.get());
    check(cudaMemcpyAsync(band.result, computed, bytes, cudaMemcpyDeviceToHost, down.get()));
    if (timed) streams_->downloading.end.record(down.get());
    moments.downloaded.record(down.get());
  }

  bool finish(std::chrono::milliseconds patience) override {
    use_device(index_);
    const bool timed = is_timed(finished_);
    const Moments& moments = moments_of(finished_);
    if (!(moments.downloads ? moments.downloaded : moments.computed).wait_for(patience))
      return false;
    ++finished_;
    device_seconds_ = seconds_since(run_began_);
    const auto interval = [&](const Interval& taken) { return timed ? &taken : nullptr; };
    upload_.add(moments.fresh_rows, interval(streams_->uploading));
    compute_.add(moments.rows, interval(streams_->computing));
    if (moments.downloads) download_.add(moments.rows, interval(streams_->downloading));
    return true;
  }

  int gpu() const override { return index_; }

  std::shared_ptr<std::byte[]> take_rows() override {
    return runs_.empty() ? nullptr : owned(runs_.front().release_rows());
  }
  std::shared_ptr<std::byte[]> take_result() override { return owned(cached_result_.release()); }

  void abandon() noexcept override {
    if (!streams_) return;
    (void)cudaSetDevice(index_);
    (void)cudaStreamSynchronize(streams_->up.get());
    for (const Stream& stream : streams_->compute) (void)cudaStreamSynchronize(stream.get());
    (void)cudaStreamSynchronize(streams_->down.get());
  }

 private:
  /// One comes, two are computed and one goes, and neither direction of the bus waits for the host.
  static constexpr int max_under_way = 4;

  /// Whether the times of a band are taken: of those under way, of one.
  static bool is_timed(int band) { return band % max_under_way == 0; }

  struct Interval {
    Event start, end;
  };
  /// The time of some bands of a run, and from it that of all. In the first one, kernels may have
  /// been loaded: it stands for others only if none of these was timed.
  class Sampled {
   public:
    /// `interval`: its time, or null.
    void add(int rows, const Interval* interval) {
      rows_ += rows;
      if (interval == nullptr) return;
      const double seconds = 1e-3 * interval->end.since(interval->start);
      (first_.rows > 0.0 ? timed_ : first_) += {static_cast<double>(rows), seconds};
    }
    double seconds() const {
      const Timed& known = timed_.rows > 0.0 ? timed_ : first_;
      if (known.rows == 0.0) return first_.seconds;
      return first_.seconds + (rows_ - first_.rows) * known.seconds / known.rows;
    }

   private:
    struct Timed {
      double rows = 0.0, seconds = 0.0;
      void operator+=(const Timed& more) { rows += more.rows, seconds += more.seconds; }
    };
    double rows_ = 0.0;
    Timed first_, timed_;
  };

  struct Moments {
    Event uploaded{Event::Time::unknown}, computed{Event::Time::unknown},
        downloaded{Event::Time::unknown};
    int fresh_rows = 0, rows = 0;
    bool downloads = false;
  };
  struct Streams {
    Stream up, compute[2], down;
    Event allocated{Event::Time::unknown};
    Moments moments[max_under_way];
    Interval uploading, computing, downloading;  ///< of the band under way that is timed
    static_assert(max_under_way % std::extent_v<decltype(compute)> == 0,
                  "a buffer of results belongs to one stream");
  };

  Times times_of_run() const {
    Times times;
    // Kernels of two bands run at once.
    times.upload = upload_.seconds();
    times.compute = std::min(compute_.seconds(), device_seconds_);
    times.download = download_.seconds(), times.device = device_seconds_;
    return times;
  }

  Moments& moments_of(int band) { return streams_->moments[band % max_under_way]; }

  /// Before the first band of a run: all runs before it have ended.
  void begin_run() {
    use();
    for (const auto& pinned : std::exchange(pinning_, {})) pinned.wait();
    const auto next = std::exchange(next_, nullptr);
    if (!next) return;
    uploaded_ = processed_ = finished_ = 0;
    times_ += times_of_run();
    upload_ = compute_ = download_ = {};
    device_seconds_ = 0.0;
    runs_.clear();
    for (auto& result : results_) result = {};
    cached_result_ = {};
    next();
    if (result_bytes_ > 0)
      cached_result_ = buffer_or_none(result_bytes_, streams_->compute[0].get());
  }

  /// Memory that outlives the streams, which end with this backend; nothing in them needs it any
  /// more.
  std::shared_ptr<std::byte[]> owned(std::byte* memory) const {
    if (memory == nullptr) return nullptr;
    return {memory, [index = index_](std::byte* p) {
              (void)cudaSetDevice(index);
              (void)cudaFree(p);
            }};
  }

  void make_ready() {
    const DeviceReport devices = describe_devices();
    const auto gpu = std::ranges::find(devices.gpus, index_, &GpuDescription::index);
    if (gpu == devices.gpus.end())
      throw NoDeviceError{devices.problem.empty()
                              ? format_text(tr(N_("There is no GPU %d.")), index_)
                              : devices.problem};
    try {
      use_device(index_);
      streams_.emplace();
      keep_freed_memory(index_);
      UsedGpus::add(index_);
      free_budget_ = budget_for(memory_for_buffers(index_));
    } catch (const DeviceMemoryError& error) {
      throw DeviceError{error.what()};  // smaller bands would not help
    }
    name_ = gpu->name;
    times_.context = seconds_since(began_);
  }

  /// Waits until it is ready; throws why if it is not. The calling thread uses it from then on.
  void use() {
    ready_.get();
    use_device(index_);
  }

  const Clock::time_point began_ = Clock::now();
  int index_;
  std::string name_;
  std::optional<Streams> streams_;  // before the buffers, which are freed in one
  const std::size_t guessed_budget_ = budget_for(16 * max_budget);
  std::size_t free_budget_ = 0;  ///< by the memory that is free, once it is ready
  std::size_t pixel_bytes_ = 0, result_bytes_ = 0;
  Times times_{};  ///< of runs before this one
  Sampled upload_, compute_, download_;
  Clock::time_point run_began_{};
  double device_seconds_ = 0.0;                      ///< of this run, so far
  int uploaded_ = 0, processed_ = 0, finished_ = 0;  ///< bands of this run
  std::function<void()> next_;                       ///< begins the run
  std::vector<DeviceJob> runs_;  ///< which take turns with the bands; the first one has their store
  Buffer<std::byte> results_[max_under_way];
  Buffer<std::byte> cached_result_;  ///< the copy of the whole result, if there is one
  std::vector<std::shared_future<bool>> pinning_;
  std::shared_future<void> ready_;
};

}  // namespace

}  // namespace cuda

std::unique_ptr<Backend> make_gpu_backend(int index) try {
  return std::make_unique<cuda::CudaBackend>(index);
} catch (const std::system_error&) {
  throw DeviceError{tr(N_("The system starts no thread for the GPU."))};
}

}  // namespace cuda_filters
