// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "gpu/algorithms/pixel_math/operations.hpp"
#include "gpu/core/pixel.hpp"

namespace cuda_filters::pixel_math {

/// What an instruction does: an operation, or one of these.
enum class Op : std::uint8_t {
  constant,   ///< of expressions alone
  own,        ///< of expressions alone: a channel of the pixel
  width,      ///< of expressions alone
  height,     ///< of expressions alone
  column,     ///< x
  row,        ///< y
  across,     ///< u
  down,       ///< v
  random,     ///< with the seed `a`
  neighbor,   ///< a channel of the pixel at (dx, dy) from here
  of_second,  ///< the same of the second picture
#define NAME(name, function) name,
  EXACT_OPERATIONS(NAME) ROUNDED_OPERATIONS(NAME)
#undef NAME
};

/// How far formulas may look, and how large programs may be.
inline constexpr int farthest = 64, max_registers = 64, max_constants = 192,
                     max_instructions = 2048;

/// Operands below `max_registers` are registers, the others constants.
struct Instruction {
  Op op;
  std::uint8_t to, a, b, c;
  std::int8_t dx, dy;
  std::uint8_t channel;
};
static_assert(sizeof(Instruction) == 8);

/// What computes a formula for each pixel. The first four registers are the pixel's channels, which
/// nothing changes; the first two constants are the layer's width and height.
struct Program {
  std::vector<Instruction> instructions;
  std::vector<float> constants;
  std::array<std::uint8_t, 4> outputs{};  ///< the operands that are the result's channels
  int registers = 4;
  Halo halo{}, second_halo{};
  bool reads_neighbors = false, reads_second = false;
  bool by_sample = false;  ///< every channel depends on that channel of the pixel alone
  bool identity = false;   ///< nothing changes

  /// The constants for a layer of that size.
  std::vector<float> constants_for(Size layer) const {
    std::vector<float> all = constants;
    all[0] = static_cast<float>(layer.width), all[1] = static_cast<float>(layer.height);
    return all;
  }
};

/// Makes a program of a formula. Throws FormulaError (see tokens.hpp) that says which line and
/// column is wrong, and why, or ArgumentError where the whole is too large.
std::shared_ptr<const Program> compile(std::string_view formula);

}  // namespace cuda_filters::pixel_math
