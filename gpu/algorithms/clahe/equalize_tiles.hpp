// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/algorithms/clahe/clahe.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
inline constexpr Footprint collect_codes{.cost = 4.0};
inline constexpr Footprint equalize_tiles{.cost = 12.0};
}  // namespace footprint

namespace cpu {
/// Adds a band, which must be as wide as the image, to the codes of the whole picture.
void collect_codes(Exec&, const Input& in, Rect area, const clahe::ClaheSettings& settings,
                   clahe::Codes& codes);
/// out = in with every tile's histogram equalized: clahe.hpp. Without any codes the band must hold
/// the whole image.
void equalize_tiles(Exec&, const Input& in, const Output& out, const clahe::ClaheSettings& settings,
                    const clahe::Codes& codes);
}  // namespace cpu

namespace cuda {
void collect_codes(Exec&, const Input& in, Rect area, const clahe::ClaheSettings& settings,
                   clahe::Codes& codes);
void equalize_tiles(Exec&, const Input& in, const Output& out, const clahe::ClaheSettings& settings,
                    const clahe::Codes& codes);
}  // namespace cuda

namespace trace {
inline void collect_codes(Exec& exec, Input in, Rect, const clahe::ClaheSettings&, clahe::Codes&) {
  exec.note_analysis(in, footprint::collect_codes);
}
inline void equalize_tiles(Exec& exec, Input in, Output out, const clahe::ClaheSettings&,
                           const clahe::Codes&) {
  exec.note(in, out, footprint::equalize_tiles);
}
}  // namespace trace

}  // namespace cuda_filters
