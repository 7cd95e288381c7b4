// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once

/// The smoothing step of the wavelet transform à trous, planned here once for every executor.
namespace cuda_filters::atrous {

/// The cubic B-spline's weights along an axis: 1 4 6 4 1, by 16.
inline constexpr int taps = 5, reach = taps / 2;
inline constexpr float weights[taps] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};

/// How far apart the samples of a level lie, which are counted from 0.
constexpr int spacing(int level) { return 1 << level; }
/// How far a level looks to either side.
constexpr int halo(int level) { return reach * spacing(level); }

}  // namespace cuda_filters::atrous
