// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tests/support/values.hpp"

#include <algorithm>
#include <charconv>

namespace cuda_filters::test {
namespace {

Value parse_value(const Param& param, const std::string& text) {
  if (param.kind == Kind::text) return text;
  if (param.kind == Kind::toggle && (text == "yes" || text == "no"))
    return text == "yes" ? 1.0 : 0.0;
  for (std::size_t i = 0; i < param.choices.size(); ++i)
    if (text == param.choices[i].nick) return static_cast<double>(i);
  double value = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return text;
  return value;
}

}  // namespace

Values parse_values(const FilterEntry& filter, const std::vector<std::string>& words) {
  Values values = initial_values(filter);
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    const auto param = std::ranges::find(filter.params, word.substr(0, equals), &Param::name);
    if (equals == std::string::npos || param == filter.params.end())
      throw ArgumentError{"no such parameter: " + word};
    values[param - filter.params.begin()] = parse_value(*param, word.substr(equals + 1));
  }
  return values;
}

}  // namespace cuda_filters::test
