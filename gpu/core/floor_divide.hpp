// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/device.hpp"

namespace cuda_filters {

/// a / b, rounded down; b > 0.
HOST_DEVICE constexpr int floor_divide(int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

}  // namespace cuda_filters
