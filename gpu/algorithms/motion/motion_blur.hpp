// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <tuple>
#include <vector>

#include "gpu/algorithms/motion/motion.hpp"
#include "gpu/core/trace.hpp"
#include "gpu/executors.hpp"

namespace cuda_filters {
namespace footprint {
/// How far rays and arcs look depends on the size of the image: MotionSettings::reach().
inline Footprint mean_of_paths(const motion::MotionSettings& settings) {
  if (settings.kind == motion::Kind::linear)
    return {.halo = settings.reach({}), .cost = 10.0 + 1.5 * settings.length, .by_channel = true};
  constexpr int largest = 1 << 19;
  return {.halo = {largest, largest}, .cost = 200.0};
}
/// Of each picture that is written. The cost is that of a processor, which goes along the whole
/// line where pieces do not pay there.
inline Footprint pieces_of_lines(const motion::Repetition& repetition) {
  const double steps = repetition.pays_on_processors()
                           ? repetition.steps
                           : repetition.direction.steps / repetition.lines();
  return {.halo = repetition.reach_of_piece(),
          .cost = 5.0 + 1.7 * steps,
          .by_channel = true,
          .costly = true};
}
}  // namespace footprint

namespace cpu {
/// The mean along the path of each pixel, step by step or point by point, or by lines that paths
/// share: motion.hpp, polar.hpp.
void mean_of_paths(Exec&, const Input& in, const Output& out,
                   const motion::MotionSettings& settings);
/// Whether that is done by pieces, in all of an image or nowhere. A processor goes by what is
/// repeated alone, since several columns of a gray picture can stand for one picture.
bool goes_by_pieces(const Input& in, const motion::Repetition& repetition);
/// The means along the pieces of long lines: of a piece's part on the last line, and of the whole
/// piece on each line.
void pieces_of_lines(Exec&, const Input& in, const Output& part, const std::vector<Output>& wholes,
                     const motion::Repetition& repetition);
}  // namespace cpu

namespace cuda {
bool goes_by_pieces(const Input& in, const motion::Repetition& repetition);
void mean_of_paths(Exec&, const Input& in, const Output& out,
                   const motion::MotionSettings& settings);
void pieces_of_lines(Exec&, const Input& in, const Output& part, const std::vector<Output>& wholes,
                     const motion::Repetition& repetition);
}  // namespace cuda

namespace trace {
/// Going along the whole line looks no farther, and needs fewer temporary pictures.
inline bool goes_by_pieces(Input, const motion::Repetition&) { return true; }
inline void mean_of_paths(Exec& exec, Input in, Output out,
                          const motion::MotionSettings& settings) {
  exec.note(in, out, footprint::mean_of_paths(settings));
}
inline void pieces_of_lines(Exec& exec, Input in, Output part, const std::vector<Output>& wholes,
                            const motion::Repetition& repetition) {
  const footprint::Footprint footprint = footprint::pieces_of_lines(repetition);
  exec.note(in, part, {footprint.halo, 0.0, footprint.by_channel, footprint.costly});
  for (const Output whole : wholes) exec.note(in, whole, footprint);
}
}  // namespace trace

/// The mean of each pixel's path, of long lines by pieces that repeat.
template <class Exec>
void motion_blur(Exec& exec, const typename Exec::Input& in, const typename Exec::Output& out,
                 const motion::MotionSettings& settings) {
  const auto repetition = settings.repetition();
  if (!repetition || !goes_by_pieces(in, *repetition))
    return mean_of_paths(exec, in, out, settings);
  const Halo reach = repetition->reach_of_pieces();
  const double cost = repetition->lines() * (5.0 + 2.0 * repetition->count);
  const motion::SumOfPieces sum{*repetition};
  const auto part = exec.temporary(), first = exec.temporary();
  if (repetition->lines() == 1) {
    pieces_of_lines(exec, in, part, {first}, *repetition);
    return exec.neighborhood(std::tie(part, first), out, reach, cost, sum);
  }
  const auto last = exec.temporary();
  pieces_of_lines(exec, in, part, {first, last}, *repetition);
  exec.neighborhood(std::tie(part, first, last), out, reach, cost, sum);
}

}  // namespace cuda_filters
