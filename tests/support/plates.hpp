// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <vector>

#include "gpu/algorithms/align/align.hpp"

namespace cuda_filters::test {

/// How three plates of a scene are made.
struct PlateSettings {
  int width = 240, height = 220;         ///< of one plate
  align::Shift first{}, last{};          ///< how they must be moved to lie on the middle one
  std::array<double, 3> gains{1, 1, 1};  ///< what the scene's values are multiplied by
  std::array<double, 3> gammas{1, 1, 1};
  double contrast = 0.16;  ///< the height of the largest blobs
  double noise = 0.0;      ///< its standard deviation
  int frame = 0;           ///< how wide the frame is, plus up to 3 pixels
  float border = 0.0f;     ///< its value
  int scratches = 0;       ///< white lines on each plate
  unsigned seed = 1;
};

/// The scan: three plates of a scene of soft blobs and discs, one below the other, 0 … 1.
std::vector<float> make_plates(const PlateSettings& settings);

}  // namespace cuda_filters::test
