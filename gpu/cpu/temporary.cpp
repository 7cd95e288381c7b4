// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cpu/temporary.hpp"

#include <numeric>

namespace cuda_filters::cpu {

namespace {

Codec codec_of_working_pixels() {
  return make_codec({{SampleType::f32, true, true}, {}}, Alpha::channel);
}

Lookup all_of(Rect area, Size image) {
  Lookup lookup{area, std::vector<int>(area.height), std::vector<int>(area.width), image};
  std::iota(lookup.rows.begin(), lookup.rows.end(), 0);
  std::iota(lookup.columns.begin(), lookup.columns.end(), 0);
  return lookup;
}

}  // namespace

Temporary::Temporary(MemoryPool& memory, Rect area, const Input& like, int level)
    : lookup_{all_of(area, like.image().at_level(level).size())},
      // Kernels read up to a vector beyond the last row.
      memory_{memory.take(sizeof(Pixel) * area.width * area.height + sizeof(float) * lanes)},
      input_{{memory_.get(), area.height, sizeof(Pixel) * area.width},
             lookup_,
             codec_of_working_pixels()},
      output_{codec_of_working_pixels(), lookup_.image, area, memory_.get()} {
  input_.is_temporary_ = true;
  input_.mask_ = like.mask_, input_.mask_area_ = like.mask_area_;
}

Channel::Channel(MemoryPool& memory, Rect area)
    : area_{area},
      stride_{channel_stride(area.width)},
      memory_{memory.take(sizeof(float) * stride_ * area.height)},
      floats_{reinterpret_cast<float*>(memory_.get())} {}

}  // namespace cuda_filters::cpu
