// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <vector>

#include "tests/reference/reference.hpp"

// Completion of a hole, naive: what heal-selection is to be no worse than. There is no exact result
// that pixels could be compared with.

namespace cuda_filters::reference {

/// PatchMatch as Barnes, Shechtman, Finkelstein and Goldman wrote it down in 2009: sweeps in the
/// order of the pixels and back, with neighbors and a search at random, in a pyramid whose coarsest
/// level is filled by smooth interpolation, with the mean of all patches for each pixel. `hole`:
/// whether a pixel is in it; patches come from anywhere else.
Picture completed(const Picture& picture, const std::vector<bool>& hole, int patch, int iterations,
                  unsigned seed);

/// The mean over all patches with a pixel of the hole of their squared distance, per pixel and in
/// codes of 8 bits, to the most similar one without, of all that there are.
double energy(const Picture& picture, const std::vector<bool>& hole, int patch);

}  // namespace cuda_filters::reference
