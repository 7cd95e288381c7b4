// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <span>
#include <vector>

#include "gpu/core/border.hpp"
#include "gpu/core/pixel.hpp"

/// Weighted sums along an axis whose windows are so large beside the image that most of what they
/// look at lies outside, planned here once for every executor. What lies outside is some pixel of
/// the image again, or nothing: its weight is added to that pixel's. So each sum is one of the
/// image's own pixels, and the work grows with the image, not with the window.
namespace cuda_filters::covering {

/// The weights of all sums of an axis: that of pixel k in sum i is weights[i · size + k]. An axis
/// without any is summed in another way.
struct Axis {
  int size = 0;
  std::vector<float> weights{};
  explicit operator bool() const { return size > 0; }
};

/// Whether that takes fewer steps on an axis of `size` pixels, all of which every window can see
/// because it looks `halo` pixels to either side. `steps`: about as many as the other way takes for
/// a pixel of the image or of its surroundings.
constexpr bool pays(int size, int halo, int steps) {
  return size <= halo && std::int64_t{size} * size <= std::int64_t{steps} * (size + 2 * halo);
}

/// Whether sums along an axis of an image may be made in this way for the pixels in `wanted`:
/// beyond the image, a temporary picture goes on in its own way, and so may the result.
constexpr bool applies(bool of_temporary, int size, IndexRange wanted) {
  return !of_temporary && wanted.begin >= 0 && wanted.end <= size;
}

/// The axis for the sums by `weights`, an odd number of them, the middle one that of the pixel
/// itself.
Axis make_axis(std::span<const float> weights, int size, Border border);

}  // namespace cuda_filters::covering
