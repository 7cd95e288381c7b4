// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "gpu/algorithms/lut/lut.hpp"

namespace cuda_filters::lut {

/// The first bytes of every PNG.
inline constexpr std::string_view png_signature{"\x89PNG\r\n\x1a\n", 8};

/// Reads a Hald image: a PNG of n³ × n³ pixels, n from 2 to 16, which are the nodes of a cube with
/// n² of them on an axis, row by row. Throws ArgumentError, saying what is wrong with it.
Lut read_hald(const std::string& file);

}  // namespace cuda_filters::lut
