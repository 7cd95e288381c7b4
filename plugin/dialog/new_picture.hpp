// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <memory>
#include <vector>

#include "plugin/dialog/preview_picture.hpp"

namespace cuda_filters::plugin {

/// The image that a filter makes, in this process's memory.
struct NewPicture {
  PreviewPicture picture;
  std::vector<double> output_values;  ///< in the order of the filter's table
};

/// What create_image() would make of a drawable with these pixels, and then of that what follows.
/// Throws Error, and Cancelled if `observer` wants that.
std::unique_ptr<const NewPicture> make_new_picture(const Job& job, const PreviewPicture& from,
                                                   Observer& observer);

}  // namespace cuda_filters::plugin
