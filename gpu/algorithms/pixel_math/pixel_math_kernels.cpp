// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/pixel_math/pixel_math_kernels.hpp"

#include <type_traits>

#include "gpu/cpu/kernels.hpp"

// Compiled once for each level: see DEFINE_KERNELS.

namespace cuda_filters::cpu {
namespace {

using pixel_math::Instruction;
using pixel_math::Op;
using pixel_math::Program;

constexpr int max_count = PixelMathBlock::max_count;

/// One instruction for `count` pixels, a multiple of `lanes`. What it writes may be one of its
/// operands, pixel by pixel.
template <class F>
void operate(F f, const Instruction& instruction, int count, float* lines) {
  float* const to = lines + max_count * instruction.to;
  const float* const a = lines + max_count * instruction.a;
  const float* const b = lines + max_count * instruction.b;
  const float* const c = lines + max_count * instruction.c;
#pragma GCC ivdep
  for (int i = 0; i < count; ++i) {
    if constexpr (std::is_invocable_v<F, float>)
      to[i] = f(a[i]);
    else if constexpr (std::is_invocable_v<F, float, float>)
      to[i] = f(a[i], b[i]);
    else
      to[i] = f(a[i], b[i], c[i]);
  }
}

template <class F>
void fill(float* to, int count, F value) {
  for (int i = 0; i < count; ++i) to[i] = value(i);
}

void read(const Instruction& instruction, const Pixel* const* rows, int count, float* to) {
  const auto* const from =
      reinterpret_cast<const float*>(rows[instruction.dy] + instruction.dx) + instruction.channel;
  for (int i = 0; i < count; ++i) to[i] = from[4 * i];
}

void execute(const Instruction& instruction, const PixelMathBlock& block, int count, float* lines) {
  float* const to = lines + max_count * instruction.to;
  switch (instruction.op) {
#define OPERATE(name, function) \
  case Op::name:                \
    return operate(pixel_math::function{}, instruction, count, lines);
    EXACT_OPERATIONS(OPERATE)
    ROUNDED_OPERATIONS(OPERATE)
#undef OPERATE
    case Op::column:
      return fill(to, count, [&](int i) { return static_cast<float>(block.x + i); });
    case Op::row:
      return fill(to, count, [&](int) { return static_cast<float>(block.y); });
    case Op::across:
      return fill(to, count, [&](int i) { return pixel_math::relative(block.x + i, block.width); });
    case Op::down:
      return fill(to, count, [&](int) { return pixel_math::relative(block.y, block.height); });
    case Op::random: {
      const auto key = pixel_math::random_key(lines[max_count * instruction.a],
                                              block.gray ? 0 : instruction.channel);
      return fill(to, count,
                  [&](int i) { return pixel_math::random_number(key, block.x + i, block.y); });
    }
    case Op::neighbor:
      return read(instruction, block.in, block.count, to);
    case Op::of_second:
      return read(instruction, block.second, block.count, to);
    case Op::constant:
    case Op::own:
    case Op::width:
    case Op::height:
      break;
  }
}

void run(const Program& program, const PixelMathBlock& block, float* lines, Pixel* out) {
  const auto* const own = reinterpret_cast<const float*>(block.in[0]);
  for (int c = 0; c < 4; ++c)
    for (int i = 0; i < block.count; ++i) lines[max_count * c + i] = own[4 * i + c];
  const int whole = (block.count + lanes - 1) / lanes * lanes;
  for (const Instruction& instruction : program.instructions)
    execute(instruction, block, whole, lines);
  const float* results[4];
  for (int c = 0; c < 4; ++c) results[c] = lines + max_count * program.outputs[c];
  for (int i = 0; i < block.count; ++i)
    out[i] = {results[0][i], results[1][i], results[2][i], results[3][i]};
  if (block.gray)
    for (int i = 0; i < block.count; ++i)
      out[i].r = out[i].g = out[i].b = pixel_math::Luminance{}(out[i].r, out[i].g, out[i].b);
}

}  // namespace

DEFINE_KERNELS(PixelMathKernels, pixel_math_kernels){run};

}  // namespace cuda_filters::cpu
