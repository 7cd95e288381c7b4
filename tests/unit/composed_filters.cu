// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cuda/exec.cuh"
#include "gpu/cuda/instances.hpp"
#include "tests/unit/composed_filters.hpp"

void cuda_filters::test::add_composed_filters() {
  for_composed_filters([]<class F>(std::type_identity<F>) { cuda::instances().add<F>(); });
}
