// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// Applies a filter that changes the size, in one undo step: to the layers with their masks that
/// `drawables` are or belong to, each around its center, or to the whole image if its plan says so.
/// The selection does not matter. Throws Error, and then nothing has changed.
void resize(const Job& job, std::span<const std::unique_ptr<Drawable>> drawables, Host& host);

}  // namespace cuda_filters::plugin
