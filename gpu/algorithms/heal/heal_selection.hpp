// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <memory>

#include "gpu/algorithms/heal/heal.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace heal {

/// A selection and what is around it, collected band by band, and, with the last one, completed:
/// what the executor that did it keeps for the bands that are written.
struct Surroundings {
  std::shared_ptr<void> of_executor;
};

}  // namespace heal
namespace footprint {
inline constexpr Footprint collect_surroundings{.cost = 20.0};
/// With the completion, whose cost goes by the selection.
inline Footprint heal_selection(const heal::HealSettings& settings) {
  return {.cost = 800.0 * settings.patch * settings.patch};
}
}  // namespace footprint

namespace cpu {
/// Adds a band of Exec::analysis_area() to what is known: pixels, whose colors are not multiplied
/// by alpha; how much they are selected: what is at all is the hole; and, by the luminance of
/// `aux`, unless that is null, what may be taken. With the last band, completes the hole. Throws
/// ArgumentError if nothing or everything is selected, or too little is left to take from.
void collect_surroundings(Exec&, const Input& in, const Input* aux, Rect area,
                          const heal::HealSettings& settings, heal::Surroundings& surroundings);
/// out = in, but where something was completed.
void heal_selection(Exec&, const Input& in, const Output& out, const heal::HealSettings& settings,
                    const heal::Surroundings& surroundings);
}  // namespace cpu

namespace cuda {
void collect_surroundings(Exec&, const Input& in, const Input* aux, Rect area,
                          const heal::HealSettings& settings, heal::Surroundings& surroundings);
void heal_selection(Exec&, const Input& in, const Output& out, const heal::HealSettings& settings,
                    const heal::Surroundings& surroundings);
}  // namespace cuda

namespace trace {
inline void collect_surroundings(Exec& exec, Input in, const Input*, Rect,
                                 const heal::HealSettings&, heal::Surroundings&) {
  exec.note_analysis(in, footprint::collect_surroundings);
}
inline void heal_selection(Exec& exec, Input in, Output out, const heal::HealSettings& settings,
                           const heal::Surroundings&) {
  exec.note(in, out, footprint::heal_selection(settings));
}
}  // namespace trace

}  // namespace cuda_filters
