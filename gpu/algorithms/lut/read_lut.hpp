// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <memory>
#include <string>

#include "gpu/algorithms/lut/lut.hpp"

namespace cuda_filters::lut {

/// Reads a table from a .cube file or a Hald image, a PNG. A file that has not changed since it was
/// read last is not read again. Throws ArgumentError, saying what is wrong with the file.
std::shared_ptr<const Lut> read_lut(const std::string& file);

}  // namespace cuda_filters::lut
