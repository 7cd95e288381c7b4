// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>

#include "gpu/core/filter.hpp"

namespace cuda_filters {

/// The choice `light` of a filter that usually works on perceptual values.
enum class LightOption { perceptual, linear };

inline constexpr std::array light_choices{
    Choice{"perceptual", N_("Perceptual (as displayed)")},
    Choice{"linear", N_("Linear light")},
};

/// The row of the parameter table for a member `LightOption light`.
template <auto Member>
consteval Param light_param() {
  return param<Member>({.name = "light",
                        .label = N_("_Values"),
                        .blurb = N_("Which values of a pixel the filter works on"),
                        .choices = light_choices});
}

/// The same choice in the other order, of a filter that usually works in linear light.
enum class LinearLightOption { linear, perceptual };

inline constexpr std::array linear_light_choices{light_choices[1], light_choices[0]};

/// The row of the parameter table for a member `LinearLightOption light`.
template <auto Member>
consteval Param linear_light_param(LinearLightOption initial = LinearLightOption::linear) {
  return param<Member>({.name = "light",
                        .label = N_("_Values"),
                        .blurb = N_("Which values of a pixel the filter works on"),
                        .initial = static_cast<double>(initial),
                        .choices = linear_light_choices});
}

/// The choice `light` of a filter that may also work on the drawable's own numbers.
enum class AnyLightOption { perceptual, linear, native };

inline constexpr std::array any_light_choices{
    light_choices[0],
    light_choices[1],
    Choice{"native", N_("Numbers of the picture, unconverted")},
};

/// The row of the parameter table for a member `AnyLightOption light`.
template <auto Member>
consteval Param any_light_param() {
  return param<Member>({.name = "light",
                        .label = N_("_Values"),
                        .blurb = N_("Which values of a pixel the filter works on"),
                        .choices = any_light_choices});
}

constexpr Trc trc_of(AnyLightOption option) {
  return option == AnyLightOption::linear   ? Trc::linear
         : option == AnyLightOption::native ? Trc::native
                                            : Trc::perceptual;
}
constexpr Trc trc_of(LightOption option) {
  return option == LightOption::linear ? Trc::linear : Trc::perceptual;
}
constexpr Trc trc_of(LinearLightOption option) {
  return option == LinearLightOption::linear ? Trc::linear : Trc::perceptual;
}

}  // namespace cuda_filters
