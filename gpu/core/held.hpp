// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <memory>
#include <utility>

namespace cuda_filters {

/// A picture or a channel that is given back before the function ends in which it was made.
template <class Make>
auto held(Make make) {
  using Picture = decltype(make());
  return std::unique_ptr<const Picture>{new Picture(make())};
}
/// The type of what holds it.
template <class Make>
using Held = decltype(held(std::declval<Make>()));

}  // namespace cuda_filters
