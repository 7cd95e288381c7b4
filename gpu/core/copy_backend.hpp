// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "gpu/core/backend.hpp"

namespace cuda_filters {

/// Hands the pixels on as they are, for parameters that change nothing.
class CopyBackend final : public Backend {
 public:
  explicit CopyBackend(Backend& device) : device_{device} {}
  std::string device() const override { return device_.device(); }
  bool is_gpu() const override { return device_.is_gpu(); }
  void wait_until_ready() const override { device_.wait_until_ready(); }
  bool uses_host_memory() const override { return true; }
  std::size_t budget() const override { return device_.budget(); }
  Times times() const override { return device_.times(); }
  std::shared_ptr<std::byte[]> host_memory(std::size_t bytes) override;
  std::shared_ptr<std::byte[]> memory(std::size_t bytes) override { return host_memory(bytes); }
  void begin(const ResolvedJob&, const RunPictures& pictures) override;
  void process(const Band& band) override;

 private:
  Backend& device_;
  RowStore store_{};
  std::size_t pixel_bytes_ = 0;
};

}  // namespace cuda_filters
