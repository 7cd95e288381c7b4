// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/memory_pool.hpp"

namespace cuda_filters {

std::shared_ptr<std::byte[]> MemoryPool::take(std::size_t bytes) {
  const Block* best = nullptr;
  for (const Block& block : blocks_)
    if (block.memory.use_count() == 1 && block.bytes >= bytes &&
        (best == nullptr || block.bytes < best->bytes))
      best = &block;
  if (best != nullptr) return best->memory;
  std::erase_if(blocks_, [](const Block& block) { return block.memory.use_count() == 1; });
  return blocks_.emplace_back(Block{bytes, allocate_(bytes)}).memory;
}

}  // namespace cuda_filters
