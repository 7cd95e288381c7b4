// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/chain.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace cuda_filters {
namespace {

Value parse_value(const Param& param, const std::string& text) {
  switch (param.kind) {
    case Kind::text:
      return text;
    case Kind::toggle:
      if (text == "yes" || text == "true") return 1.0;
      if (text == "no" || text == "false") return 0.0;
      break;
    case Kind::choice:
      for (std::size_t i = 0; i < param.choices.size(); ++i)
        if (text == param.choices[i].nick) return static_cast<double>(i);
      break;
    case Kind::real:
    case Kind::integer:
      break;
  }
  double value = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return text;  // to be refused
  return value;
}

std::string names_of(std::span<const Param> params) {
  std::string names;
  for (const Param& param : params) names += (names.empty() ? "" : ", ") + std::string{param.name};
  return names;
}

/// How many letters must change to make one word of the other (Levenshtein 1966).
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

const FilterEntry& filter_named(const std::string& name) {
  if (const FilterEntry* filter = find_filter(name); filter != nullptr) return *filter;
  const auto all = filters();
  const auto nearest = std::ranges::min_element(
      all, {}, [&](const FilterEntry& f) { return distance(name, f.info.name); });
  throw ArgumentError{format_text(tr(N_("There is no filter '%s'. Is it '%s' that you mean?")),
                                  name.c_str(), nearest->get().info.name)};
}

/// The words of a chain, step by step.
std::vector<std::vector<std::string>> split(const std::string& text) {
  std::vector<std::vector<std::string>> steps(1);
  std::string word;
  bool in_word = false;
  char quote = 0;
  const auto end_word = [&] {
    if (in_word) steps.back().push_back(std::exchange(word, {}));
    in_word = false;
  };
  for (const char c : text) {
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote != 0) {
      word += c;
    } else if (c == '"' || c == '\'') {
      quote = c, in_word = true;
    } else if (c == '|') {
      end_word();
      steps.emplace_back();
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      end_word();
    } else {
      word += c, in_word = true;
    }
  }
  if (quote != 0)
    throw ArgumentError{
        format_text(tr(N_("The chain has a quotation mark %c that is not closed, before '%s'.")),
                    quote, word.c_str())};
  end_word();
  return steps;
}

/// So that what the steps look at, all together, stays far below what an int holds.
constexpr std::size_t max_steps = 1000;

Job parse_step(const std::vector<std::string>& words) {
  if (words.empty())
    throw ArgumentError{tr(N_("The name of a filter is missing before or after a '|'."))};
  const FilterEntry& filter = filter_named(words.front());
  if (filter.is_composite())
    throw ArgumentError{tr(N_("A chain cannot be a step of a chain; write its steps instead."))};
  if (!filter.keeps_size())
    throw ArgumentError{
        tr(N_("It changes the size of the picture or makes a new one, which no step of "
              "a chain can do. Call it by itself."))};
  std::vector<std::string> values{words.begin() + 1, words.end()};
  std::optional<Aux> aux;
  std::erase_if(values, [&](const std::string& word) {
    constexpr std::string_view name = "aux=";
    if (!word.starts_with(name)) return false;
    aux = Aux{.layer = word.substr(name.size())};
    return true;
  });
  return make_job(filter, parse_values(filter, values), std::move(aux));
}

}  // namespace

Values parse_values(const FilterEntry& filter, std::span<const std::string> words) {
  Values values = initial_values(filter);
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos)
      throw ArgumentError{format_text(tr(N_("'%s' is not of the form name=value.")), word.c_str())};
    const auto param = std::ranges::find(filter.params, word.substr(0, equals), &Param::name);
    if (param == filter.params.end())
      throw ArgumentError{
          format_text(tr(N_("'%s': the filter '%s' has no such parameter; it has: %s.")),
                      word.c_str(), filter.info.name, names_of(filter.params).c_str())};
    values[param - filter.params.begin()] = parse_value(*param, word.substr(equals + 1));
  }
  return values;
}

Values preset_values(const FilterEntry& filter, const Preset& preset) {
  return parse_values(filter, split(preset.values).front());
}

std::vector<Job> parse_chain(const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return {};
  const auto written = split(text);
  if (written.size() > max_steps)
    throw ArgumentError{
        format_text(tr(N_("The chain has %zu steps, but may have %zu. Call it more than once.")),
                    written.size(), max_steps)};
  std::vector<Job> steps;
  for (const auto& words : written) {
    try {
      steps.push_back(parse_step(words));
    } catch (const ArgumentError& error) {
      const std::string name = words.empty() ? "" : " (" + words.front() + ")";
      throw ArgumentError{format_text(tr(N_("Step %zu%s of the chain: %s")), steps.size() + 1,
                                      name.c_str(), error.what())};
    }
  }
  return steps;
}

Plan plan_of_chain(std::span<const Job> steps) {
  Plan plan{.trc = Trc::native, .alpha = Alpha::channel, .identity = true, .cost = 0.0};
  for (const Job& job : steps) {
    const Plan& step = job.plan;
    if (step.identity) continue;
    plan.identity = false;
    plan.cost += step.cost;
    plan.halo_x += step.halo_x, plan.halo_y += step.halo_y;
    if (step.border == Border::wrap) plan.border = Border::wrap;
    if (step.alpha == Alpha::premultiplied) plan.alpha = Alpha::premultiplied;
    plan.adds_alpha = plan.adds_alpha || step.adds_alpha;
  }
  return plan;
}

}  // namespace cuda_filters
