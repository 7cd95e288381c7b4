// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "gpu/algorithms/pixel_math/evaluate_formula.hpp"
#include "gpu/cuda/exec.cuh"

// Each thread runs the program for four pixels below each other, whose registers lie in shared
// memory: four floats a thread, side by side. All threads do the same instruction at a time.

namespace cuda_filters::cuda {
namespace {

using pixel_math::Instruction;
using pixel_math::max_registers;
using pixel_math::Op;
using pixel_math::Program;

/// Pixels of a thread, and how many threads a block has at most.
constexpr int rows_at_once = 4, columns = 32, max_warps = 4;
/// Shared memory that every GPU gives a block.
constexpr std::size_t shared_bytes = 48 * 1024;

/// A program on a GPU, and what it looks at.
struct DeviceProgram {
  const uint2* instructions;
  const float* constants;
  int count;
  uchar4 outputs;
  float width, height;
  bool gray;
  Plane in, second;  ///< of what it reads neighbors of
};

/// An instruction as it is read, of one word for each half of its bytes.
struct Decoded {
  uint2 words;
  __device__ Op op() const { return static_cast<Op>(words.x & 255u); }
  __device__ unsigned to() const { return words.x >> 8 & 255u; }
  __device__ unsigned a() const { return words.x >> 16 & 255u; }
  __device__ unsigned b() const { return words.x >> 24; }
  __device__ unsigned c() const { return words.y & 255u; }
  __device__ int dx() const { return static_cast<signed char>(words.y >> 8 & 255u); }
  __device__ int dy() const { return static_cast<signed char>(words.y >> 16 & 255u); }
  __device__ unsigned channel() const { return words.y >> 24; }
};

/// The operations that are long, once for all kernels.
__device__ __noinline__ float rounded_operation(Op op, float a, float b) {
  const auto call = [&](auto f) {
    if constexpr (std::is_invocable_v<decltype(f), float>)
      return f(a);
    else
      return f(a, b);
  };
  switch (op) {
#define CALL(name, function) \
  case Op::name:             \
    return call(pixel_math::function{});
    ROUNDED_OPERATIONS(CALL)
#undef CALL
    default:
      return 0.0f;
  }
}

/// f of each of four pixels, by their number.
template <class F>
__device__ float4 for_four(F f) {
  return {f(0), f(1), f(2), f(3)};
}
__device__ inline float part(const float4& four, int i) {
  return i == 0 ? four.x : i == 1 ? four.y : i == 2 ? four.z : four.w;
}

/// What a thread has: `registers` lie `stride` from each other.
struct Thread {
  float4* registers;
  unsigned stride;
  int x, y, last;  ///< the pixels are rows y … y + 3 up to `last`

  __device__ int row(int i) const { return min(y + i, last); }
  __device__ float4 value(const DeviceProgram& program, unsigned operand) const {
    if (operand < max_registers) return registers[operand * stride];
    const float constant = __ldg(program.constants + (operand - max_registers));
    return {constant, constant, constant, constant};
  }
  __device__ float4 neighbor(const Plane& plane, const Decoded& instruction) const {
    const int column = x + instruction.dx(), dy = instruction.dy();
    const unsigned channel = instruction.channel();
    return for_four([&](int i) {
      return __ldg(reinterpret_cast<const float*>(&plane.at(column, row(i) + dy)) + channel);
    });
  }

  __device__ float4 result(const DeviceProgram& program, const Decoded& instruction) const {
    const float4 a = value(program, instruction.a());
    const auto calculate = [&](auto f) {
      using F = decltype(f);
      if constexpr (std::is_invocable_v<F, float>) {
        return for_four([&](int i) { return f(part(a, i)); });
      } else {
        const float4 b = value(program, instruction.b());
        if constexpr (std::is_invocable_v<F, float, float>) {
          return for_four([&](int i) { return f(part(a, i), part(b, i)); });
        } else {
          const float4 c = value(program, instruction.c());
          return for_four([&](int i) { return f(part(a, i), part(b, i), part(c, i)); });
        }
      }
    };
    switch (instruction.op()) {
#define CALCULATE(name, function) \
  case Op::name:                  \
    return calculate(pixel_math::function{});
      EXACT_OPERATIONS(CALCULATE)
#undef CALCULATE
      case Op::column:
        return for_four([&](int) { return static_cast<float>(x); });
      case Op::row:
        return for_four([&](int i) { return static_cast<float>(y + i); });
      case Op::across: {
        const float across = pixel_math::relative(x, program.width);
        return {across, across, across, across};
      }
      case Op::down:
        return for_four([&](int i) { return pixel_math::relative(y + i, program.height); });
      case Op::random: {
        const auto key = pixel_math::random_key(a.x, program.gray ? 0u : instruction.channel());
        return for_four([&](int i) { return pixel_math::random_number(key, x, y + i); });
      }
      case Op::neighbor:
        return neighbor(program.in, instruction);
      case Op::of_second:
        return neighbor(program.second, instruction);
      default:
        break;
    }
    const float4 b = value(program, instruction.b());
    const Op op = instruction.op();
    return for_four([&](int i) { return rounded_operation(op, part(a, i), part(b, i)); });
  }
};

extern __shared__ float4 all_registers[];

template <class Load, class Storer>
__global__ void __launch_bounds__(columns* max_warps)
    evaluate_kernel(Rect area, Load load, Storer store, DeviceProgram program) {
  const unsigned stride = columns * blockDim.y;
  const int x = area.x + static_cast<int>(blockIdx.x) * columns + static_cast<int>(threadIdx.x);
  const int y = area.y + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) * rows_at_once;
  if (x >= area.right() || y >= area.bottom()) return;
  const Thread thread{all_registers + threadIdx.y * columns + threadIdx.x, stride, x, y,
                      area.bottom() - 1};
  decltype(load.fetch(x, y)) fetched[rows_at_once];
#pragma unroll
  for (int i = 0; i < rows_at_once; ++i) fetched[i] = load.fetch(x, thread.row(i));
  Pixel before[rows_at_once];
#pragma unroll
  for (int i = 0; i < rows_at_once; ++i) before[i] = load.decoded(fetched[i]);
  thread.registers[0 * stride] = {before[0].r, before[1].r, before[2].r, before[3].r};
  thread.registers[1 * stride] = {before[0].g, before[1].g, before[2].g, before[3].g};
  thread.registers[2 * stride] = {before[0].b, before[1].b, before[2].b, before[3].b};
  thread.registers[3 * stride] = {before[0].a, before[1].a, before[2].a, before[3].a};
  // The next instruction is on its way while one is carried out; there is one more than `count`.
  uint2 next = __ldg(program.instructions);
#pragma unroll 1
  for (int i = 0; i < program.count; ++i) {
    const Decoded instruction{next};
    next = __ldg(program.instructions + i + 1);
    thread.registers[instruction.to() * stride] = thread.result(program, instruction);
  }
  const float4 r = thread.value(program, program.outputs.x);
  const float4 g = thread.value(program, program.outputs.y);
  const float4 b = thread.value(program, program.outputs.z);
  const float4 a = thread.value(program, program.outputs.w);
#pragma unroll
  for (int i = 0; i < rows_at_once; ++i) {
    Pixel after{part(r, i), part(g, i), part(b, i), part(a, i)};
    if (program.gray)
      after.r = after.g = after.b = pixel_math::Luminance{}(after.r, after.g, after.b);
    if (y + i >= area.bottom()) continue;
    if constexpr (requires { store(x, y, after, before[i]); })
      store(x, y + i, after, before[i]);
    else
      store(x, y + i, after);
  }
}

/// A program's memory on a GPU, for all bands of a run.
class ProgramMemory {
 public:
  ProgramMemory(SharedProgram program, Size layer, cudaStream_t stream)
      : program_{std::move(program)},
        instructions_{program_->instructions},
        constants_{program_->constants_for(layer)},
        on_device_{instructions_.size() + 1, stream},
        constants_on_device_{constants_.size(), stream} {
    instructions_.push_back({});
    on_device_.upload(instructions_.data(), instructions_.size());
    constants_on_device_.upload(constants_.data(), constants_.size());
  }
  const SharedProgram& program() const { return program_; }
  DeviceProgram device_program(Size layer, bool gray) const {
    const auto& outputs = program_->outputs;
    return {reinterpret_cast<const uint2*>(on_device_.data()),
            constants_on_device_.data(),
            static_cast<int>(program_->instructions.size()),
            {outputs[0], outputs[1], outputs[2], outputs[3]},
            static_cast<float>(layer.width),
            static_cast<float>(layer.height),
            gray,
            {},
            {}};
  }

 private:
  SharedProgram program_;
  std::vector<Instruction> instructions_;  // kept until they are uploaded, as the constants are
  std::vector<float> constants_;
  Buffer<Instruction> on_device_;
  Buffer<float> constants_on_device_;
};

/// How many warps a block has, so that their registers fit.
int warps_for(const Program& program) {
  int warps = max_warps;
  while (warps > 1 && warps * columns * sizeof(float4) * program.registers > shared_bytes)
    warps /= 2;
  return warps;
}
static_assert(columns * sizeof(float4) * max_registers <= shared_bytes);

void launch(Exec& exec, const Input& in, const Output& out, const Program& program,
            const DeviceProgram& device_program) {
  const int warps = warps_for(program), rows_of_block = warps * rows_at_once;
  const std::size_t shared = warps * columns * sizeof(float4) * program.registers;
  // A grid has up to 65535 rows of blocks.
  const int max_rows = 65535 * rows_of_block;
  with_quick_both(in, out, [&](auto load, auto store) {
    for (int y = 0; y < out.area.height; y += max_rows) {
      const Rect part{out.area.x, out.area.y + y, out.area.width,
                      std::min(out.area.height - y, max_rows)};
      const dim3 grid{divide_up(part.width, columns), divide_up(part.height, rows_of_block)};
      const dim3 block{columns, static_cast<unsigned>(warps)};
      evaluate_kernel<<<grid, block, shared, exec.stream()>>>(part, load, store, device_program);
      check(cudaGetLastError());
    }
  });
}

}  // namespace

void evaluate_formula(Exec& exec, const Input& in, const Input* second, const Output& out,
                      const SharedProgram& program) {
  std::any& slot = exec.cache_slot();
  if (program == nullptr) return exec.map(in, out, SamePixel{});
  using Shared = std::shared_ptr<const ProgramMemory>;
  const Size layer = in.image.size();
  const Shared* known = std::any_cast<Shared>(&slot);
  if (known == nullptr || (*known)->program() != program)
    known =
        &slot.emplace<Shared>(std::make_shared<const ProgramMemory>(program, layer, exec.stream()));
  DeviceProgram device_program = (*known)->device_program(layer, !in.format.color);
  std::optional<Temporary> around, around_second;
  if (program->reads_neighbors)
    device_program.in = plane_of(exec.working_pixels(in, out.area.grown(program->halo), around));
  if (program->reads_second)
    device_program.second = plane_of(exec.working_pixels(
        second != nullptr ? *second : in, out.area.grown(program->second_halo), around_second));
  if (stored_alike(in, out)) return launch(exec, in, out, *program, device_program);
  exec.through_temporary(in, out, {}, [&](const Input& from, const Output& to) {
    launch(exec, from, to, *program, device_program);
  });
}

}  // namespace cuda_filters::cuda
