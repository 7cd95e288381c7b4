// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "gpu/core/system.hpp"

namespace cuda_filters {

/// Memory that is used again as soon as nobody else has it: new pages would have to be cleared
/// first.
class MemoryPool {
 public:
  using Allocate = std::function<std::shared_ptr<std::byte[]>(std::size_t bytes)>;
  explicit MemoryPool(Allocate allocate = huge_pages) : allocate_{std::move(allocate)} {}

  /// Memory of at least so many bytes, with anything in it: of what is free, the smallest that
  /// suffices. If none does, all that is free goes before more is allocated.
  std::shared_ptr<std::byte[]> take(std::size_t bytes);

 private:
  struct Block {
    std::size_t bytes;
    std::shared_ptr<std::byte[]> memory;
  };
  Allocate allocate_;
  std::vector<Block> blocks_;
};

}  // namespace cuda_filters
