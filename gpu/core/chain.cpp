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

constexpr char off_mark = '#';
constexpr std::string_view aux_prefix = "aux=";

/// The step that these words say, which need no make_job() to be right.
ChainStep parse_step(std::vector<std::string> words) {
  ChainStep step;
  if (!words.empty() && words.front().starts_with(off_mark)) {
    step.enabled = false;
    words.front().erase(0, 1);
    if (words.front().empty()) words.erase(words.begin());
  }
  if (words.empty())
    throw ArgumentError{tr(N_("The name of a filter is missing before or after a '|'."))};
  step.filter = &filter_named(words.front());
  if (step.filter->is_composite())
    throw ArgumentError{tr(N_("A chain cannot be a step of a chain; write its steps instead."))};
  if (!can_be_step(*step.filter))
    throw ArgumentError{
        tr(N_("This filter changes the size of the picture or makes a new one, which no step of "
              "a chain can do. Call it by itself."))};
  words.erase(words.begin());
  std::erase_if(words, [&](const std::string& word) {
    if (!word.starts_with(aux_prefix)) return false;
    step.aux_layer = word.substr(aux_prefix.size());
    return true;
  });
  step.values = parse_values(*step.filter, words);
  validate(step.filter->params, step.values);
  return step;
}

Job job_of(const ChainStep& step) {
  std::optional<Aux> aux;
  if (step.aux_layer) aux = Aux{.layer = *step.aux_layer};
  return make_job(*step.filter, step.values, std::move(aux));
}

/// Calls f(step) for each step of a text. What goes wrong says in which.
template <class F>
void for_each_step(const std::string& text, F f) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return;
  const auto written = split(text);
  if (written.size() > max_steps)
    throw ArgumentError{
        format_text(tr(N_("The chain has %zu steps, but may have %zu. Call it more than once.")),
                    written.size(), max_steps)};
  for (std::size_t i = 0; i < written.size(); ++i) {
    try {
      f(parse_step(written[i]));
    } catch (const ArgumentError& error) {
      const std::string name = written[i].empty() ? "" : " (" + written[i].front() + ")";
      throw ArgumentError{
          format_text(tr(N_("Step %zu%s of the chain: %s")), i + 1, name.c_str(), error.what())};
    }
  }
}

/// A word that split() takes apart as this one.
std::string quoted(const std::string& word) {
  if (word.find_first_of(" \t\r\n|\"'") == std::string::npos) return word;
  char quote = word.find('"') == std::string::npos ? '"' : '\'';
  std::string text{quote};
  for (const char c : word) {
    if (c == quote) {  // ends here, and the other one begins
      text += quote;
      text += quote = c == '"' ? '\'' : '"';
    }
    text += c;
  }
  return text + quote;
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

bool can_be_step(const FilterEntry& filter) {
  return filter.is_operation() && !filter.is_composite();
}

std::vector<ChainStep> parse_steps(const std::string& text) {
  std::vector<ChainStep> steps;
  for_each_step(text, [&](ChainStep step) { steps.push_back(std::move(step)); });
  return steps;
}

std::vector<Job> parse_chain(const std::string& text) {
  std::vector<Job> jobs;
  for_each_step(text, [&](const ChainStep& step) {
    if (step.enabled) jobs.push_back(job_of(step));
  });
  return jobs;
}

std::string steps_text(std::span<const ChainStep> steps) {
  std::string text;
  for (const ChainStep& step : steps) {
    if (!text.empty()) text += " | ";
    if (!step.enabled) text += off_mark;
    text += step.filter->info.name;
    const auto params = step.filter->params;
    for (std::size_t i = 0; i < params.size(); ++i)
      if (step.values[i] != initial_value(params[i]))
        text.append(" ")
            .append(params[i].name)
            .append("=")
            .append(quoted(value_text(params[i], step.values[i])));
    if (step.aux_layer) text.append(" ").append(aux_prefix).append(quoted(*step.aux_layer));
  }
  return text;
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
