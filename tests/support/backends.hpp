// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/backend.hpp"
#include "gpu/core/device_choice.hpp"
#include "gpu/core/run_on.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/memory_image.hpp"

namespace cuda_filters::test {

/// Makes a backend by the name that tests have for it: "cpu", or "cuda" for the first GPU.
inline std::unique_ptr<Backend> make_backend(const std::string& name) {
  return name == "cpu" ? make_cpu_backend() : make_gpu_backend(choose_device().gpu);
}

/// Whether tests of `name` can run here.
inline bool available(const std::string& name) { return name == "cpu" || choose_device().gpu >= 0; }

/// Whether REQUIRE_CUDA=1 makes a missing GPU a failure.
inline bool cuda_required() {
  const char* required = std::getenv("REQUIRE_CUDA");
  return required != nullptr && std::string{required} == "1";
}

/// Ends the test, in SetUp() too, where it needs a GPU and there is none: as skipped, or failed if
/// one is required.
#define SKIP_WITHOUT(name)                                        \
  do {                                                            \
    if (::cuda_filters::test::available(name)) break;             \
    if (::cuda_filters::test::cuda_required())                    \
      FAIL() << "REQUIRE_CUDA=1, but " << choose_device().reason; \
    GTEST_SKIP() << choose_device().reason;                       \
  } while (false)

/// A backend with another one behind it that does the work.
class Wrapped : public Backend {
 public:
  explicit Wrapped(std::unique_ptr<Backend> inner) : inner_{std::move(inner)} {}
  std::string device() const override { return inner_->device(); }
  bool is_gpu() const override { return inner_->is_gpu(); }
  void wait_until_ready() const override { inner_->wait_until_ready(); }
  bool uses_host_memory() const override { return inner_->uses_host_memory(); }
  int depth() const override { return inner_->depth(); }
  std::size_t budget() const override { return inner_->budget(); }
  std::shared_ptr<std::byte[]> host_memory(std::size_t bytes) override {
    return inner_->host_memory(bytes);
  }
  std::shared_ptr<std::byte[]> memory(std::size_t bytes) override { return inner_->memory(bytes); }
  void begin(const ResolvedJob& job, const RunPictures& pictures) override {
    inner_->begin(job, pictures);
  }
  void upload(const Band& band) override { inner_->upload(band); }
  void process(const Band& band) override { inner_->process(band); }
  bool finish(std::chrono::milliseconds patience) override { return inner_->finish(patience); }
  void abandon() noexcept override { inner_->abandon(); }
  int gpu() const override { return inner_->gpu(); }
  std::shared_ptr<std::byte[]> take_rows() override { return inner_->take_rows(); }
  std::shared_ptr<std::byte[]> take_result() override { return inner_->take_result(); }
  Times times() const override { return inner_->times(); }

 private:
  std::unique_ptr<Backend> inner_;
};

/// Counts the rows that are read.
class Counting final : public Source {
 public:
  explicit Counting(MemoryImage& image, std::shared_ptr<const Version> version = nullptr)
      : image_{image}, version_{std::move(version)} {}
  int width() const override { return image_.width(); }
  int height() const override { return image_.height(); }
  Encoding encoding(Trc trc) override { return image_.encoding(trc); }
  void read(Rect area, const Encoding& encoding, std::byte* to, std::size_t stride) override {
    rows += area.height;
    image_.read(area, encoding, to, stride);
  }
  std::optional<Transfer> transfer(Trc trc) override { return image_.transfer(trc); }
  std::shared_ptr<const Version> version() override { return version_; }
  bool has_mask() const override { return image_.has_mask(); }
  void read_mask(Rect area, std::uint8_t* to) override { image_.read_mask(area, to); }
  int rows = 0;

 private:
  MemoryImage& image_;
  std::shared_ptr<const Version> version_;
};

/// A processor that behaves like a GPU: it has memory of its own, into which rows are brought
/// ahead, and a result reaches the host only when it is asked for.
class Remote final : public Wrapped {
 public:
  explicit Remote(int depth = 3, int gpu = -1, std::size_t budget = 1)
      : Wrapped{make_cpu_backend()}, depth_{depth}, gpu_{gpu}, budget_{budget} {}
  std::string device() const override { return "remote"; }
  bool is_gpu() const override { return true; }
  bool uses_host_memory() const override { return false; }
  int depth() const override { return depth_; }
  std::size_t budget() const override { return budget_; }
  int gpu() const override { return gpu_; }
  void begin(const ResolvedJob& job, const RunPictures& pictures) override {
    under_way_.clear();
    taken_ = 0;
    pixel_bytes_ = pictures.out.format.bytes_per_pixel();
    RunPictures here = pictures;
    in_.begin(here.in.store);
    if (here.aux) aux_.begin(here.aux->store);
    const std::size_t bytes = pixel_bytes_ * here.cached_result.width * here.cached_result.height;
    cached_result_ = bytes > 0 ? std::shared_ptr<std::byte[]>(new std::byte[bytes]) : nullptr;
    Wrapped::begin(job, here);
  }
  std::shared_ptr<std::byte[]> take_rows() override { return in_.take(); }
  std::shared_ptr<std::byte[]> take_result() override { return std::move(cached_result_); }
  void upload(const Band& band) override {
    {
      const std::lock_guard lock{mutex_};
      EXPECT_LE(++taken_, depth_);
    }
    uploaded_rows += in_.upload(band.in.fresh);
    aux_.upload(band.aux.fresh);
  }
  void process(const Band& band) override {
    Result result{band.result, {}};
    Band here = band;
    const bool downloads = band.analysis == nullptr && !band.result_stays;
    if (downloads) {
      result.pixels.resize(pixel_bytes_ * band.out.width * band.out.height);
      here.result = result.pixels.data();
    }
    Wrapped::process(here);
    if (downloads && cached_result_ != nullptr)
      std::ranges::copy(result.pixels,
                        cached_result_.get() + pixel_bytes_ * band.out.width * band.out.y);
    const std::lock_guard lock{mutex_};
    under_way_.push_back(std::move(result));
  }
  bool finish(std::chrono::milliseconds) override {
    const std::lock_guard lock{mutex_};
    std::ranges::copy(under_way_.front().pixels, under_way_.front().to);
    under_way_.pop_front();
    --taken_;
    return true;
  }
  int uploaded_rows = 0;

 private:
  struct Result {
    std::byte* to;
    std::vector<std::byte> pixels;
  };
  /// The copy of a store in the memory of its own.
  struct Copy {
    RowStore store{};
    std::shared_ptr<std::byte[]> rows{}, all_rows{};
    int copied_rows = 0;  ///< of the image, from the first one on

    /// Puts the copy, which has nothing yet, into the place of the store.
    void begin(RowStore& of_host) {
      store = of_host;
      rows = all_rows = nullptr, copied_rows = 0;
      if (store.image_rows > 0)
        all_rows = std::shared_ptr<std::byte[]>(new std::byte[store.image_rows * store.slot_bytes]);
      if (store.stays) return;
      const std::size_t bytes = store.slots * store.slot_bytes;
      rows = std::shared_ptr<std::byte[]>(new std::byte[bytes]);
      std::fill_n(rows.get(), bytes, std::byte{0xAA});
      of_host.rows = rows.get(), of_host.is_image = false;
    }
    /// Returns how many rows that were.
    int upload(const std::vector<RowSlots::RowSpan>& fresh) {
      int count = 0;
      if (store.stays) return 0;
      for (const RowSlots::RowSpan& run : fresh) {
        count += run.count;
        std::memcpy(rows.get() + run.slot * store.slot_bytes, store.rows_of(run),
                    run.count * store.slot_bytes);
        if (all_rows == nullptr) continue;
        std::memcpy(all_rows.get() + run.row * store.slot_bytes, store.rows_of(run),
                    run.count * store.slot_bytes);
        if (run.row <= copied_rows) copied_rows = std::max(copied_rows, run.row + run.count);
      }
      return count;
    }
    std::shared_ptr<std::byte[]> take() {
      if (store.image_rows == 0) return std::move(rows);
      return copied_rows == store.image_rows ? std::move(all_rows) : nullptr;
    }
  };

  int depth_, gpu_;
  std::size_t budget_;
  int taken_ = 0;  ///< bands from upload() to finish()
  Copy in_, aux_;
  std::size_t pixel_bytes_ = 0;
  std::shared_ptr<std::byte[]> cached_result_;  ///< the copy of a result
  std::mutex mutex_;
  std::deque<Result> under_way_;
};

/// A backend that can keep hardly anything: every run has many bands.
class Cramped final : public Wrapped {
 public:
  using Wrapped::Wrapped;
  std::size_t budget() const override { return 1; }
};

}  // namespace cuda_filters::test
