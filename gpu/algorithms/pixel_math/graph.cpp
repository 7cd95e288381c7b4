// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/pixel_math/graph.hpp"

#include <type_traits>

namespace cuda_filters::pixel_math {
namespace {

/// The result of an operation of constants.
template <class F>
float result_of(F f, const float (&values)[3]) {
  if constexpr (std::is_invocable_v<F, float>)
    return f(values[0]);
  else if constexpr (std::is_invocable_v<F, float, float>)
    return f(values[0], values[1]);
  else
    return f(values[0], values[1], values[2]);
}

float result_of(Op op, const float (&values)[3]) {
  switch (op) {
#define FOLD(name, function) \
  case Op::name:             \
    return result_of(function{}, values);
    EXACT_OPERATIONS(FOLD)
    ROUNDED_OPERATIONS(FOLD)
#undef FOLD
    default:
      return 0.0f;
  }
}

}  // namespace

int Graph::number_of(const Node& node) {
  const Key key{node.op, node.of, exact::bits_of(node.value), node.dx, node.dy, node.channel};
  const auto [place, is_new] = numbers_.try_emplace(key, size());
  if (is_new) nodes_.push_back(node);
  return place->second;
}

int Graph::make(Op op, int a, int b, int c) {
  const std::array<int, 3> of{a, b, c};
  float values[3]{};
  bool known = true;
  for (int i = 0; i < 3; ++i) {
    if (of[i] < 0) continue;
    const std::optional<float> value = constant_value(of[i]);
    known = known && value.has_value();
    values[i] = value.value_or(0.0f);
  }
  if (known) return constant(result_of(op, values));
  if (op == Op::select && constant_value(a)) return is_true(*constant_value(a)) ? b : c;
  // A product is rounded once, as the exact power would be.
  if (op == Op::power && constant_value(b) == 2.0f) return make(Op::multiply, a, a);
  if (op == Op::power && constant_value(b) == 1.0f) return a;
  return number_of({.op = op, .of = of});
}

}  // namespace cuda_filters::pixel_math
