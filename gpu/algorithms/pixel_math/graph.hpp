// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "gpu/algorithms/pixel_math/program.hpp"

namespace cuda_filters::pixel_math {

/// A value in a formula: an operation of others, which are known by their numbers.
struct Node {
  Op op;
  std::array<int, 3> of{-1, -1, -1};
  float value = 0.0f;  ///< of a constant
  int dx = 0, dy = 0, channel = 0;
};

/// The values of a formula. Equal ones are one, and what is known before is a constant.
class Graph {
 public:
  int constant(float value) { return number_of({.op = Op::constant, .value = value}); }
  int make(Op op, int a, int b = -1, int c = -1);
  int number_of(const Node& node);
  const Node& operator[](int number) const { return nodes_[number]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  std::optional<float> constant_value(int number) const {
    const Node& node = nodes_[number];
    return node.op == Op::constant ? std::optional{node.value} : std::nullopt;
  }

 private:
  using Key = std::tuple<Op, std::array<int, 3>, std::uint32_t, int, int, int>;
  std::vector<Node> nodes_;
  std::map<Key, int> numbers_;
};

/// What a formula says: the values that the four channels of a pixel become.
struct Formula {
  Graph graph;
  std::array<int, 4> outputs;
};

/// Reads a formula. Throws ArgumentError.
Formula parse(std::string_view text);

/// Throws ArgumentError that says how large a formula may be.
[[noreturn]] void fail_too_large();

/// The program of a formula. Throws ArgumentError if it would be too large.
Program program_of(const Formula& formula);

}  // namespace cuda_filters::pixel_math
