// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/algorithms/heal/heal.hpp"

namespace cuda_filters::heal {

/// What is where in a level of the pyramid, whatever its colors are. heal.hpp has the words.
struct Level {
  Size size;
  std::vector<std::uint8_t> role;    ///< of every pixel, Role
  std::vector<std::uint8_t> source;  ///< whether a pixel is a source
  Rect box;                          ///< what has all targets
  std::vector<std::uint16_t> depth;  ///< of the pixels of the box
  std::vector<int> targets, holes;   ///< in order
  std::vector<int> samples;          ///< some of the sources, from all over
  int thickness = 0;                 ///< the largest depth

  /// The pixels of the hole by their depth, from 1 on.
  std::vector<std::vector<int>> layers() const;
};

/// Throws ArgumentError if a picture has more pixels than can be counted here.
void check_size(Size size);

/// The levels of a pyramid over what `roles` tells of a picture, the finest one first: until the
/// hole is no wider than a patch, or too little would be left to take from. Throws
/// ArgumentError if there is no hole, or if too little is left around it.
std::vector<Level> levels_of(Size size, std::vector<std::uint8_t> roles,
                             const HealSettings& settings);

}  // namespace cuda_filters::heal
