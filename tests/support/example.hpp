// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/filter.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters::test {

/// A picture with everything in it, or one that the filter is made for.
inline MemoryImage example_image(const FilterEntry& filter, int width, int height, Format format,
                                 bool srgb, unsigned seed) {
  const auto picture = reference::find(filter.info.name)->picture;
  if (picture == nullptr) return random_image(width, height, format, srgb, seed);
  const reference::Picture made = picture(width, height, seed);
  MemoryImage image = empty_image(made.width, made.height, format, srgb);
  for (std::size_t i = 0; i < made.pixels.size(); ++i)
    for (int c = 0; c < format.channels(); ++c)
      store_sample(image, i * format.channels() + c, made.pixels[i][c == format.colors() ? 3 : c]);
  return image;
}

}  // namespace cuda_filters::test
