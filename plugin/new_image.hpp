// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// Applies a filter that makes a new image to a drawable, which stays as it is. Throws Error, and
/// then there is no new image.
NewImageResult create_image(const Job& job, Drawable& drawable, Host& host);

}  // namespace cuda_filters::plugin
