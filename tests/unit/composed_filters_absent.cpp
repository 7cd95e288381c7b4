// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tests/unit/composed_filters.hpp"

void cuda_filters::test::add_composed_filters() {}  // there is no CUDA in this build
