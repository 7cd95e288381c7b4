// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <memory>
#include <string>

#include "gpu/algorithms/lut/apply_lut.hpp"
#include "gpu/algorithms/lut/read_lut.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// Colors by a table from a file. Without a file the picture stays as it is, as in a dialog that
/// has just been opened.
struct ColorLut {
  struct Params {
    std::string file;
    lut::Interpolation interpolation;
    double amount;
    std::shared_ptr<const lut::Lut> table;  ///< what is in the file, when the job was made
  };

  static constexpr FilterInfo info{
      .name = "color-lut",
      .label = N_("Color Loo_kup Table (CUDA)…"),
      .title = N_("Color Lookup Table"),
      .blurb = N_("Give the picture the colors of a table from a .cube file or a Hald image"),
      .help = N_("Every color becomes the one that the table says; between the colors of the table "
                 "it is interpolated. A table is a .cube file, with curves, a cube or both, or a "
                 "Hald image, a PNG. Colors beyond what the table is for count as the nearest that "
                 "it knows. Gray pictures become the luma of what the table says. Without a file "
                 "the picture stays as it is."),
      .category = Category::colors};

  static constexpr std::array interpolations{
      Choice{"tetrahedral", N_("Tetrahedral")},
      Choice{"trilinear", N_("Trilinear")},
  };

  static constexpr std::array params{
      param<&Params::file>({.name = "file",
                            .label = N_("_File"),
                            .blurb = N_("The table: a .cube file, or a Hald image as a PNG"),
                            .text_format = TextFormat::file,
                            .file_patterns = "*.cube *.CUBE *.png *.PNG"}),
      param<&Params::interpolation>(
          {.name = "interpolation",
           .label = N_("_Interpolation"),
           .blurb = N_("How colors between those of a cube are found: tetrahedral keeps grays gray "
                       "where the table does"),
           .choices = interpolations}),
      param<&Params::amount>({.name = "amount",
                              .label = N_("_Amount"),
                              .blurb = N_("How much of the table's colors there is"),
                              .initial = 1.0}),
  };

  static void prepare(Params& p) {
    if (!p.file.empty()) p.table = lut::read_lut(p.file);
  }

  static Plan plan(const Params& p) {
    return {.trc = Trc::perceptual,
            .alpha = Alpha::passthrough,
            .identity = p.table == nullptr || p.amount == 0.0};
  }

  template <class Exec>
  static void apply(Exec& exec, const Params& p, const typename Exec::Input& in,
                    const typename Exec::Output& out) {
    apply_lut(exec, in, out, {p.table, p.interpolation, static_cast<float>(p.amount)});
  }
};
static_assert(Filter<ColorLut>);

}  // namespace cuda_filters
