// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/param.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "gpu/core/error.hpp"

namespace cuda_filters {
namespace {

std::string number(double value) { return format_text("%.10g", value); }

[[noreturn]] void refuse(const Param& param, const std::string& value, const std::string& allowed) {
  throw ArgumentError{format_text(tr(N_("The parameter '%s' is %s, but must be %s.")), param.name,
                                  value.c_str(), allowed.c_str())};
}

std::string allowed_values(const Param& param) {
  switch (param.kind) {
    case Kind::real:
      return format_text(tr(N_("a number from %s to %s")), number(param.range.min).c_str(),
                         number(param.range.max).c_str());
    case Kind::integer:
      return format_text(tr(N_("a whole number from %s to %s")), number(param.range.min).c_str(),
                         number(param.range.max).c_str());
    case Kind::toggle:
      return tr(N_("0 (no) or 1 (yes)"));
    case Kind::choice: {
      std::string list;
      for (std::size_t i = 0; i < param.choices.size(); ++i)
        list += format_text("%s%zu (%s)", i == 0 ? "" : ", ", i, param.choices[i].nick);
      return format_text(tr(N_("one of %s")), list.c_str());
    }
    case Kind::text:
      return tr(N_("a text"));
  }
  return {};
}

void validate_one(const Param& param, const Value& value) {
  const std::string* text = std::get_if<std::string>(&value);
  if (param.kind == Kind::text) {
    if (text == nullptr) refuse(param, number(std::get<double>(value)), allowed_values(param));
    return;
  }
  if (text != nullptr) refuse(param, '"' + *text + '"', allowed_values(param));
  const double given = std::get<double>(value);
  const bool in_range = given >= param.range.min && given <= param.range.max;  // false for NaN
  const bool fits = param.kind == Kind::real || given == std::floor(given);
  if (!in_range || !fits) refuse(param, number(given), allowed_values(param));
}

}  // namespace

Value initial_value(const Param& param) {
  if (param.kind == Kind::text) return std::string{param.initial_text};
  return param.initial;
}

std::string number_text(double value) {
  char text[32];
  const auto [end, problem] = std::to_chars(std::begin(text), std::end(text), value);
  return {text, problem == std::errc{} ? end : text};
}

std::string value_text(const Param& param, const Value& value) {
  if (param.kind == Kind::text) return std::get<std::string>(value);
  const double number = std::get<double>(value);
  if (param.kind == Kind::toggle) return number != 0.0 ? "yes" : "no";
  if (param.kind == Kind::choice) return param.choices[static_cast<std::size_t>(number)].nick;
  return number_text(number);
}

void validate(std::span<const Param> params, std::span<const Value> values) {
  if (params.size() != values.size())
    throw ArgumentError{format_text(tr(N_("%zu values were given for %zu parameters.")),
                                    values.size(), params.size())};
  for (std::size_t i = 0; i < params.size(); ++i) validate_one(params[i], values[i]);
}

bool hold(const Conditions& conditions, std::span<const Param> params,
          std::span<const Value> values, bool has_alpha) {
  const auto holds = [&](const Condition& condition) {
    if (condition.test == Condition::Test::alpha) return has_alpha;
    const auto other = std::ranges::find(params, std::string_view{condition.param},
                                         [](const Param& param) { return param.name; });
    const double value = std::get<double>(values[static_cast<std::size_t>(other - params.begin())]);
    return (value == condition.value) == (condition.test == Condition::Test::equal);
  };
  const auto list = conditions.list();
  return conditions.any() ? std::ranges::any_of(list, holds) : std::ranges::all_of(list, holds);
}

}  // namespace cuda_filters
