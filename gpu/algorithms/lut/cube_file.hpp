// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>
#include <istream>
#include <string>

#include "gpu/algorithms/lut/lut.hpp"

namespace cuda_filters::lut {

/// Reads the text of a .cube file of `bytes` bytes: Adobe's, or DaVinci Resolve's, which may have
/// curves and a cube. `name` is what errors call it. Throws ArgumentError, saying which line is
/// wrong, and why.
Lut parse_cube(std::istream& text, std::uint64_t bytes, const std::string& name);

}  // namespace cuda_filters::lut
