// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/lut/apply_lut.hpp"
#include "gpu/algorithms/lut/lut_kernels.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {

void apply_lut(Exec& exec, const Input& in, const Output& out, const LutUse& use) {
  if (use.table == nullptr) return exec.copy(in, out);
  const lut::Lut& table = *use.table;
  const lut::LutSettings settings{axes_of(table.curves), axes_of(table.cube), use.interpolation,
                                  use.amount, !in.codec().format.color};
  exec.map_rows(in, out, false, [&](Pixel* pixels, int count) {
    lut_kernels().apply(settings, table.curves.nodes.data(), table.cube.nodes.data(), count,
                        reinterpret_cast<float*>(pixels));
  });
}

}  // namespace cuda_filters::cpu
