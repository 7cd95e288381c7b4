// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/copy_backend.hpp"

#include <cstring>

namespace cuda_filters {

std::shared_ptr<std::byte[]> CopyBackend::host_memory(std::size_t bytes) {
  return std::shared_ptr<std::byte[]>(new std::byte[bytes]);
}

void CopyBackend::begin(const ResolvedJob&, const RunPictures& pictures) {
  pixel_bytes_ = pictures.in.encoding.format.bytes_per_pixel();
  store_ = pictures.in.store;
}

void CopyBackend::process(const Band& band) {
  const Lookup& lookup = band.in.lookup;
  const std::size_t first = lookup.columns[band.out.x - lookup.area.x] * pixel_bytes_;
  const std::size_t row_bytes = band.out.width * pixel_bytes_;
  for (int y = 0; y < band.out.height; ++y) {
    const std::size_t slot = lookup.rows[band.out.y + y - lookup.area.y];
    std::memcpy(band.result + y * row_bytes, store_.rows + slot * store_.slot_bytes + first,
                row_bytes);
  }
}

}  // namespace cuda_filters
