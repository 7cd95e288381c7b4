// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/core/filter.hpp"
#include "gpu/core/trc.hpp"

// The teaching example: copy this file to begin a filter of your own. Everything that a filter is
// stands here, from top to bottom: what it is called, what one can set, what the engine must know
// before it starts, the arithmetic of one pixel, and how the pieces go together. The other half of
// adding a filter is one line in meson.build beside this file. CONTRIBUTING.md tells the way.

namespace cuda_filters {

/// A negative: black becomes white, white black, and every color its complement.
struct Invert {
  /// The values that one run works with. They are plain members, and their types say what kind of
  /// parameter each is: a double is a slider, an int a whole-numbered slider, a bool a check box,
  /// an enum a drop-down list and a std::string a line of text.
  struct Params {
    LightOption light;
  };

  /// What people see in menus, in the procedure browser and in the manual. N_() marks a string for
  /// the translators. The underscore marks the letter that Alt picks.
  static constexpr FilterInfo info{
      .name = "invert",
      .label = N_("In_vert (CUDA)…"),
      .title = N_("Invert"),
      .blurb = N_("Turn the picture into its negative"),
      .help = N_("Every color becomes 1 minus itself; alpha stays as it is. In perceptual values "
                 "this is the negative that GIMP's own Invert makes, in linear light that of "
                 "Linear Invert."),
      .category = Category::colors};

  /// One row for each member of Params. From this table come the arguments of the procedures in
  /// every GIMP, the dialogs, the checks of what a script passes, and the inputs of the tests.
  static constexpr std::array params{
      light_param<&Params::light>(),
  };

  /// Which values apply() wants to see and what becomes of alpha; a filter that looks at the
  /// neighbors of a pixel also says what lies outside (border). How far it looks follows from
  /// the primitives that it calls. Reading, padding, color spaces, number types, selections and
  /// bands of rows are the engine's: a filter never meets them.
  static Plan plan(const Params& p) {
    return {.trc = trc_of(p.light), .alpha = Alpha::passthrough};
  }

  /// The arithmetic, once for the CPU and the GPU: small, without memory of its own, floats only.
  /// Here it is that of one color; a filter whose colors depend on each other has an operator
  /// that takes a Pixel and returns one.
  struct Complement {
    HOST_DEVICE float operator()(float c) const { return 1.0f - c; }
  };

  /// What every pixel is taken through, on every device. That is all of a filter of single pixels.
  /// Others have a recipe in the executor's primitives instead, apply(): see gaussian_blur.hpp.
  static auto function(const Params&) { return PerColor{Complement{}}; }
};

// If the compiler stops here, one of the parts above is missing or has another shape.
static_assert(Filter<Invert>);

}  // namespace cuda_filters
