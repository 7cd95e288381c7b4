// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <span>

namespace cuda_filters {

/// What must hold for a parameter to apply: something about the value of another parameter of the
/// same filter, which is no text, or that the picture has an alpha channel.
struct Condition {
  enum class Test { equal, unequal, alpha };
  Test test = Test::alpha;
  const char* param = nullptr;  ///< the name of the other parameter, as scripts write it
  double value = 0.0;           ///< as a Value: a choice is its position, a toggle 0 or 1
};

/// The other parameter has that value, which may be an enumerator.
template <class T>
constexpr Condition is(const char* param, T value) {
  return {Condition::Test::equal, param, static_cast<double>(value)};
}

/// The other parameter has any value but that one.
template <class T>
constexpr Condition is_not(const char* param, T value) {
  return {Condition::Test::unequal, param, static_cast<double>(value)};
}

inline constexpr Condition has_alpha_channel{};

/// One or two conditions, of which all or any must hold; none, which always do.
class Conditions {
 public:
  constexpr Conditions() = default;
  constexpr Conditions(Condition only) : list_{only}, count_{1} {}  // NOLINT: reads as what it is
  constexpr Conditions(Condition first, Condition second, bool any)
      : list_{first, second}, count_{2}, any_{any} {}

  constexpr std::span<const Condition> list() const { return {list_.data(), count_}; }
  /// Whether one of them is enough.
  constexpr bool any() const { return any_; }

 private:
  std::array<Condition, 2> list_{};
  std::size_t count_ = 0;
  bool any_ = false;
};

constexpr Conditions both(Condition first, Condition second) { return {first, second, false}; }
constexpr Conditions either(Condition first, Condition second) { return {first, second, true}; }

}  // namespace cuda_filters
