// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/image.hpp"

#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters {

void Source::convert(float*, std::size_t, Trc, bool) {
  throw Error{tr(N_("Internal error: no way leads to the light of a step."))};
}

}  // namespace cuda_filters
