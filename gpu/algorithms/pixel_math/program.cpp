// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/pixel_math/program.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>

#include "gpu/algorithms/pixel_math/graph.hpp"
#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters::pixel_math {
namespace {

constexpr int own_registers = 4, width_constant = 0, height_constant = 1;

/// Makes instructions of values, and gives registers to these for as long as they are needed.
class Compiler {
 public:
  explicit Compiler(const Formula& formula) : graph_{formula.graph} {
    program_.constants = {0.0f, 0.0f};
    operands_.assign(graph_.size(), nowhere);
    uses_.assign(graph_.size(), 0);
    for (int i = own_registers; i < max_registers; ++i) free_.insert(i);
    find_needed(formula);
    find_order(formula);
    for (const int value : order_) emit(value);
    for (int c = 0; c < 4; ++c) program_.outputs[c] = operand(formula.outputs[c]);
    describe(formula);
  }
  Program program() && { return std::move(program_); }

 private:
  static constexpr int nowhere = -1;

  bool is_computed(int value) const {
    const Op op = graph_[value].op;
    return op != Op::constant && op != Op::own && op != Op::width && op != Op::height;
  }
  /// Calls f for each value that another one is computed of.
  template <class F>
  void for_operands(int value, F f) const {
    for (const int of : graph_[value].of)
      if (of >= 0) f(of);
  }

  /// How often each value is needed, and how many registers it takes to compute it, by about.
  /// Values lie behind those that they are made of.
  void find_needed(const Formula& formula) {
    for (const int output : formula.outputs) ++uses_[output];
    for (int value = graph_.size() - 1; value >= 0; --value)
      if (uses_[value] > 0) for_operands(value, [&](int of) { ++uses_[of]; });
    needs_.assign(graph_.size(), 0);
    for (int value = 0; value < graph_.size(); ++value) {
      std::array<int, 3> needs{};
      int count = 0;
      for_operands(value, [&](int of) { needs[count++] = needs_[of]; });
      std::sort(needs.begin(), needs.end(), std::greater{});
      needs_[value] = is_computed(value) ? 1 : 0;
      for (int i = 0; i < count; ++i) needs_[value] = std::max(needs_[value], needs[i] + i);
    }
  }

  /// What is computed when: first what takes more registers.
  void find_order(const Formula& formula) {
    std::vector<char> is_done(graph_.size(), 0);
    for (const int output : formula.outputs) {
      std::vector<int> open{output};
      while (!open.empty()) {
        const int value = open.back();
        std::array<int, 3> before{};
        int count = 0;
        for_operands(value, [&](int of) {
          if (!is_done[of] && is_computed(of)) before[count++] = of;
        });
        if (is_done[value] || !is_computed(value) || count == 0) {
          open.pop_back();
          if (!is_done[value] && is_computed(value)) order_.push_back(value);
          is_done[value] = 1;
          continue;
        }
        std::stable_sort(before.begin(), before.begin() + count,
                         [&](int a, int b) { return needs_[a] < needs_[b]; });
        for (int i = 0; i < count; ++i) open.push_back(before[i]);
      }
    }
  }

  std::uint8_t constant(float value) {
    const auto same = [&](float other) { return exact::bits_of(other) == exact::bits_of(value); };
    const auto found = std::find_if(program_.constants.begin() + 2, program_.constants.end(), same);
    const int place = static_cast<int>(found - program_.constants.begin());
    if (found == program_.constants.end()) program_.constants.push_back(value);
    if (place >= max_constants) fail_too_large();
    return static_cast<std::uint8_t>(max_registers + place);
  }

  std::uint8_t operand(int value) {
    const Node& node = graph_[value];
    if (node.op == Op::constant) return constant(node.value);
    if (node.op == Op::own) return static_cast<std::uint8_t>(node.channel);
    if (node.op == Op::width) return max_registers + width_constant;
    if (node.op == Op::height) return max_registers + height_constant;
    return static_cast<std::uint8_t>(operands_[value]);
  }

  void emit(int value) {
    const Node& node = graph_[value];
    Instruction instruction{node.op,
                            0,
                            0,
                            0,
                            0,
                            static_cast<std::int8_t>(node.dx),
                            static_cast<std::int8_t>(node.dy),
                            static_cast<std::uint8_t>(node.channel)};
    std::uint8_t* const places[] = {&instruction.a, &instruction.b, &instruction.c};
    for (int i = 0; i < 3; ++i)
      if (node.of[i] >= 0) *places[i] = operand(node.of[i]);
    if (node.op == Op::random) instruction.a = constant(node.value);
    // The result may lie where one of the operands lay.
    for_operands(value, [&](int of) {
      if (--uses_[of] == 0 && is_computed(of)) free_.insert(operands_[of]);
    });
    if (free_.empty()) fail_too_large();
    instruction.to = static_cast<std::uint8_t>(*free_.begin());
    free_.erase(free_.begin());
    operands_[value] = instruction.to;
    program_.registers = std::max(program_.registers, instruction.to + 1);
    program_.instructions.push_back(instruction);
    if (program_.instructions.size() > max_instructions) fail_too_large();
  }

  /// What the program looks at.
  void describe(const Formula& formula) {
    program_.identity = program_.by_sample = true;
    for (const Instruction& each : program_.instructions) {
      const bool second = each.op == Op::of_second, looks = second || each.op == Op::neighbor;
      if (!looks) continue;
      Halo& halo = second ? program_.second_halo : program_.halo;
      halo = {std::max(halo.x, std::abs(each.dx)), std::max(halo.y, std::abs(each.dy))};
      (second ? program_.reads_second : program_.reads_neighbors) = true;
    }
    for (int c = 0; c < 4; ++c) {
      program_.identity = program_.identity && program_.outputs[c] == c;
      program_.by_sample = program_.by_sample && depends_on_channel_alone(formula.outputs[c], c);
    }
  }
  bool depends_on_channel_alone(int output, int channel) const {
    std::vector<char> is_seen(graph_.size(), 0);
    std::vector<int> open{output};
    while (!open.empty()) {
      const int value = open.back();
      open.pop_back();
      if (is_seen[value]) continue;
      is_seen[value] = 1;
      const Node& node = graph_[value];
      if (node.op >= Op::column && node.op <= Op::of_second) return false;
      if (node.op == Op::own && node.channel != channel) return false;
      for_operands(value, [&](int of) { open.push_back(of); });
    }
    return true;
  }

  const Graph& graph_;
  Program program_;
  std::vector<int> operands_, uses_, needs_, order_;
  std::set<int> free_;  // registers
};

}  // namespace

void fail_too_large() {
  throw ArgumentError{
      format_text(tr(N_("The formula is too long: it may have %d different numbers, %d values that "
                        "are needed at the same time, and %d operations at most. Apply parts of it "
                        "one after the other.")),
                  max_constants - 2, max_registers - own_registers, max_instructions)};
}

Program program_of(const Formula& formula) { return Compiler{formula}.program(); }

std::shared_ptr<const Program> compile(std::string_view formula) {
  return std::make_shared<const Program>(program_of(parse(formula)));
}

}  // namespace cuda_filters::pixel_math
