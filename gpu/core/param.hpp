// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "gpu/core/condition.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters {

enum class Kind { real, integer, toggle, choice, text };
enum class Unit {
  none,
  pixels,
  codes_of_255,
  degrees,
  relative_x,  ///< a place as a share of the layer's width; its row is the next parameter
  relative_y,  ///< the same of its height
};
/// What a text is, so that a dialog can show it as that: as matrix.hpp, chain.hpp or
/// pixel_math/program.hpp read it, or the name of a file, from where the program was started if it
/// is relative.
enum class TextFormat { plain, matrix, steps, file, formula };

struct Range {
  double min = 0.0, max = 0.0;
};

/// One entry of a choice: `nick` is what scripts write, `label` what people read.
struct Choice {
  const char* nick;
  const char* label;
};

/// What a user, a script, a dialog and the manual need to know of one parameter.
struct ParamSpec {
  const char* name;               ///< as scripts write it
  const char* label;              ///< with a mnemonic that no other label of the filter has
  const char* blurb;              ///< the tooltip: one sentence without a full stop
  Range range{0.0, 1.0};          ///< what a script may pass, ends included
  Range slider{};                 ///< what the slider shows; empty: the whole range
  double initial = 0.0;           ///< a choice counts from 0, a toggle is 0 or 1
  const char* initial_text = "";  ///< for text
  TextFormat text_format = TextFormat::plain;
  const char* file_patterns = "";  ///< of a file: what its name may look like, "*.cube *.png"
  int digits = 2;                  ///< decimals that the dialog shows
  Unit unit = Unit::none;
  std::span<const Choice> choices{};
  const char* linked_to = nullptr;  ///< the parameter that a chain in the dialog ties this one to
  /// When it applies. Where it does not, no value of it changes the result by more than rounding,
  /// and dialogs show it grey; scripts may set it.
  Conditions applies_if{};
  /// Of the lower one of two limits: the upper one. FilterEntry::limit_histogram() says of what.
  const char* upper_limit = nullptr;
};

/// Values that are good for something, under a name.
struct Preset {
  const char* name;    ///< what it is good for, as people read it
  const char* values;  ///< NAME=VALUE words as in a step of a chain; else the initial ones
};

/// A parameter's value on its way from a host: a number (a choice is its position, a toggle 0 or
/// 1), or a string for text.
using Value = std::variant<double, std::string>;
using Values = std::vector<Value>;

/// One row of a filter's parameter table, bound to the member of its Params that it fills.
struct Param : ParamSpec {
  Kind kind;
  void (*store)(void* params, const Value& value);
  Value (*load)(const void* params);
};

namespace detail {
template <class>
struct member_of;
template <class Owner, class T>
struct member_of<T Owner::*> {
  using owner = Owner;
  using type = T;
};

template <class T>
consteval Kind kind_of() {
  if constexpr (std::same_as<T, std::string>)
    return Kind::text;
  else if constexpr (std::same_as<T, bool>)
    return Kind::toggle;
  else if constexpr (std::is_enum_v<T>)
    return Kind::choice;
  else if constexpr (std::integral<T>)
    return Kind::integer;
  else
    return Kind::real;
}
}  // namespace detail

/// Binds one row of a parameter table to the member it fills; the kind follows from its type.
template <auto Member>
consteval Param param(ParamSpec spec) {
  using Owner = typename detail::member_of<decltype(Member)>::owner;
  using T = typename detail::member_of<decltype(Member)>::type;
  constexpr Kind kind = detail::kind_of<T>();
  if (kind == Kind::toggle) spec.range = {0.0, 1.0};
  if (kind == Kind::choice) spec.range = {0.0, static_cast<double>(spec.choices.size()) - 1.0};
  if (spec.slider.min == spec.slider.max) spec.slider = spec.range;
  if (kind != Kind::text && !(spec.initial >= spec.range.min && spec.initial <= spec.range.max))
    throw "the initial value lies outside the range";
  return {spec, kind,
          [](void* params, const Value& value) {
            T& member = static_cast<Owner*>(params)->*Member;
            if constexpr (kind == Kind::text)
              member = std::get<std::string>(value);
            else
              member = static_cast<T>(std::get<double>(value));
          },
          [](const void* params) -> Value {
            const T& member = static_cast<const Owner*>(params)->*Member;
            if constexpr (kind == Kind::text)
              return member;
            else
              return static_cast<double>(member);
          }};
}

/// The row of a blur's standard deviation in pixels, whose range and slider are the same in every
/// filter.
template <auto Member>
consteval Param std_dev_param(ParamSpec spec) {
  spec.range = {0.0, 1500.0}, spec.slider = {0.0, 100.0}, spec.unit = Unit::pixels;
  return param<Member>(spec);
}

/// Whether a condition is about a value that a parameter of that table can have.
constexpr bool is_about(std::span<const Param> params, const Condition& condition) {
  if (condition.test == Condition::Test::alpha) return true;
  for (const Param& other : params)
    if (other.kind != Kind::text && std::string_view{other.name} == condition.param)
      return condition.value >= other.range.min && condition.value <= other.range.max;
  return false;
}

/// Whether every condition in a table is about its parameters, and none about the one that has it.
constexpr bool conditions_are_valid(std::span<const Param> params) {
  for (const Param& param : params)
    for (const Condition& condition : param.applies_if.list()) {
      if (!is_about(params, condition)) return false;
      if (condition.param != nullptr && std::string_view{condition.param} == param.name)
        return false;
    }
  return true;
}

/// The value that a parameter has when nobody gives one.
Value initial_value(const Param& param);

/// The shortest text of a number that reads as exactly that again.
std::string number_text(double value);

/// A value as it is written in a chain: a choice by its name, a toggle as yes or no.
std::string value_text(const Param& param, const Value& value);

/// Throws ArgumentError, naming the parameter, the value and what is allowed, unless `values` has
/// one value of the right kind inside its range for each row of `params`, in that order.
void validate(std::span<const Param> params, std::span<const Value> values);

/// Whether a parameter that has these conditions applies with `values`, one for each row of
/// `params`, to a picture with an alpha channel or without.
bool hold(const Conditions& conditions, std::span<const Param> params,
          std::span<const Value> values, bool has_alpha);

}  // namespace cuda_filters
