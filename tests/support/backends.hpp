// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "gpu/core/backend.hpp"

namespace cuda_filters::test {

/// Makes a backend by the name that tests have for it: "cpu", or "cuda" for the first GPU.
inline std::unique_ptr<Backend> make_backend(const std::string& name) {
  return name == "cpu" ? make_cpu_backend() : make_cuda_backend(choose_device().gpu);
}

/// Whether tests of `name` can run here; with REQUIRE_CUDA=1 a missing GPU is a failure.
inline bool available(const std::string& name) {
  if (name == "cpu" || choose_device().gpu >= 0) return true;
  const char* required = std::getenv("REQUIRE_CUDA");
  if (required != nullptr && std::string{required} == "1")
    ADD_FAILURE() << "REQUIRE_CUDA=1, but " << choose_device().reason;
  return false;
}

/// Ends the test as skipped where it needs a GPU and there is none.
#define SKIP_WITHOUT(name) \
  if (!::cuda_filters::test::available(name)) GTEST_SKIP() << choose_device().reason

/// A backend with another one behind it that does the work.
class Wrapped : public Backend {
 public:
  explicit Wrapped(std::unique_ptr<Backend> inner) : inner_{std::move(inner)} {}
  std::string device() const override { return inner_->device(); }
  bool is_gpu() const override { return inner_->is_gpu(); }
  std::size_t budget() const override { return inner_->budget(); }
  std::shared_ptr<std::byte[]> host_memory(std::size_t bytes) override {
    return inner_->host_memory(bytes);
  }
  std::shared_ptr<std::byte[]> memory(std::size_t bytes) override { return inner_->memory(bytes); }
  void begin(const Job& job, const Encoding& in, const Encoding& out, const Store& store) override {
    inner_->begin(job, in, out, store);
  }
  void process(const Band& band) override { inner_->process(band); }
  Times times() const override { return inner_->times(); }

 private:
  std::unique_ptr<Backend> inner_;
};

/// Counts the rows that are read.
class Counting final : public Source {
 public:
  explicit Counting(MemoryImage& image) : image_{image} {}
  int width() const override { return image_.width(); }
  int height() const override { return image_.height(); }
  Encoding encoding(Light light) override { return image_.encoding(light); }
  void read(Rect area, const Encoding& encoding, std::byte* to, std::size_t stride) override {
    rows += area.height;
    image_.read(area, encoding, to, stride);
  }
  int rows = 0;

 private:
  MemoryImage& image_;
};

/// A backend that can keep hardly anything: every run has many bands.
class Cramped final : public Wrapped {
 public:
  using Wrapped::Wrapped;
  std::size_t budget() const override { return 1; }
};

}  // namespace cuda_filters::test
