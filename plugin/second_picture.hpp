// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <memory>
#include <span>

#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// The job with the pixels of its second picture, which is `aux`, and of those of its steps, which
/// are found by their names, as they lie beside `target`. The drawables may go before the job does.
/// Throws ArgumentError, with what to do about it, if there is no such layer, or if it has no
/// pixels of its own.
Job with_second_pictures(Job job, const Drawable& target, Drawable* aux);

/// Throws ArgumentError, as with_second_pictures() does, before any work.
void check_second_pictures(const Job& job, std::span<const std::unique_ptr<Drawable>> targets,
                           Drawable* aux);

/// The number of the drawable whose pixels a source of with_second_pictures() reads, by which one
/// is told from another of the same name.
int drawable_of(const Source& source);

/// Whether the job or any of its steps looks at a second picture.
bool has_second_picture(const Job& job);

}  // namespace cuda_filters::plugin
