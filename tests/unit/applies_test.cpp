// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// What parameter tables say of when a parameter applies, against what the filters do.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "gpu/core/filter.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/example.hpp"

namespace cuda_filters {
namespace {

enum class Mode { plain, scaled };
constexpr std::array modes{Choice{"plain", "Plain"}, Choice{"scaled", "Scaled"}};

struct Params {
  Mode mode;
  bool automatic;
  int size;
  double factor;
  std::string text;
};

/// A table whose parameter 'factor' has these conditions.
consteval auto table_with(Conditions conditions) {
  return std::array{
      param<&Params::mode>({.name = "mode", .label = "", .blurb = "", .choices = modes}),
      param<&Params::automatic>({.name = "automatic", .label = "", .blurb = ""}),
      param<&Params::size>({.name = "size", .label = "", .blurb = "", .range = {0.0, 9.0}}),
      param<&Params::factor>(
          {.name = "factor", .label = "", .blurb = "", .applies_if = conditions}),
      param<&Params::text>({.name = "text", .label = "", .blurb = ""}),
  };
}

bool factor_applies(Conditions conditions, const Values& values, bool has_alpha = true) {
  constexpr auto table = table_with({});
  return hold(conditions, table, values, has_alpha);
}

const Values plain{0.0, 0.0, 0.0, 0.5, ""}, scaled{1.0, 1.0, 7.0, 0.5, ""};

TEST(Conditions, AreAboutTheValueOfAnotherParameter) {
  EXPECT_TRUE(factor_applies({}, plain));
  EXPECT_TRUE(factor_applies(is("mode", Mode::scaled), scaled));
  EXPECT_FALSE(factor_applies(is("mode", Mode::scaled), plain));
  EXPECT_TRUE(factor_applies(is_not("mode", Mode::scaled), plain));
  EXPECT_FALSE(factor_applies(is_not("mode", Mode::scaled), scaled));
  EXPECT_TRUE(factor_applies(is("automatic", true), scaled));
  EXPECT_FALSE(factor_applies(is("size", 0), scaled));
}

TEST(Conditions, AreAboutThePicture) {
  EXPECT_TRUE(factor_applies(has_alpha_channel, plain, true));
  EXPECT_FALSE(factor_applies(has_alpha_channel, plain, false));
}

TEST(Conditions, GoTogether) {
  const Condition yes = is("size", 0), no = is("automatic", true);  // with `plain`
  EXPECT_TRUE(factor_applies(both(yes, yes), plain));
  EXPECT_FALSE(factor_applies(both(yes, no), plain));
  EXPECT_FALSE(factor_applies(both(no, yes), plain));
  EXPECT_TRUE(factor_applies(either(yes, no), plain));
  EXPECT_TRUE(factor_applies(either(no, yes), plain));
  EXPECT_FALSE(factor_applies(either(no, no), plain));
}

TEST(Conditions, AreCheckedWhenATableIsCompiled) {
  static_assert(conditions_are_valid(table_with({})));
  static_assert(conditions_are_valid(table_with(either(is("mode", Mode::scaled), is("size", 9)))));
  static_assert(conditions_are_valid(table_with(has_alpha_channel)));
  static_assert(!conditions_are_valid(table_with(is("mood", Mode::scaled))), "no such parameter");
  static_assert(!conditions_are_valid(table_with(is("factor", 1.0))), "the parameter itself");
  static_assert(!conditions_are_valid(table_with(is("mode", 2))), "no such choice");
  static_assert(!conditions_are_valid(table_with(is("size", 10))), "outside of the range");
  static_assert(!conditions_are_valid(table_with(is("text", 0))), "a text has no such value");
  static_assert(!conditions_are_valid(table_with(both(is("size", 0), is("none", 0)))));
}

using Random = std::mt19937;

/// Any value of a parameter, of a slider one that shows, and often one of its ends.
Value any_value(const Param& param, Random& random) {
  if (param.kind == Kind::text) return initial_value(param);
  const auto [min, max] = param.slider;
  if (param.kind == Kind::real) {
    if (random() % 4 == 0) return random() % 2 == 0 ? min : max;
    return min + (max - min) * std::uniform_real_distribution{}(random);
  }
  if (param.kind == Kind::integer && random() % 4 == 0) return min;
  // Large neighborhoods and many iterations show no more than small ones.
  const int end = static_cast<int>(std::min(max, min + 30.0));
  return static_cast<double>(std::uniform_int_distribution{static_cast<int>(min), end}(random));
}

/// The values of an example, some of them replaced by any; what the filter refuses is not among
/// them.
Values any_values(const FilterEntry& filter, Random& random) {
  const auto& examples = reference::find(filter.info.name)->examples;
  for (;;) {
    Values values = examples[random() % examples.size()];
    for (std::size_t i = 0; i < values.size(); ++i)
      if (random() % 3 == 0) values[i] = any_value(filter.params[i], random);
    try {
      make_job(filter, values);
      return values;
    } catch (const ArgumentError&) {
    }
  }
}

/// What of it a filter makes, or the sentence with which it refuses.
struct Outcome {
  MemoryImage result;
  std::string refusal{};

  /// Whether people would see the same: floats, of sums of many, may be rounded in another way.
  bool same_as(const Outcome& other) const {
    constexpr double rounding = 1e-4;
    const SampleType type = MemoryImage{result}.encoding(Trc::linear).format.type;
    return refusal == other.refusal && result.size() == other.result.size() &&
           (result.codes() == other.result.codes() ||
            (type == SampleType::f32 &&
             test::worst_difference(result, other.result, false) < rounding));
  }
};

Outcome outcome(const FilterEntry& filter, const Values& values, MemoryImage in) {
  try {
    const ResolvedJob job = resolved(make_job(filter, values), in.size());
    if (job.plan.identity) return {in};
    MemoryImage out = job.output == in.size() ? in : in.like(job.output);
    Observer observer;
    run_on(make_cpu_backend(), nullptr, job, in, out, {0, 0, out.width(), out.height()}, observer);
    return {out};
  } catch (const ArgumentError& error) {
    return {in, error.what()};
  }
}

class Applies : public testing::TestWithParam<std::reference_wrapper<const FilterEntry>> {
 protected:
  /// Calls f(values, picture, has_alpha) for many of all three.
  template <class F>
  void for_many(F f) const {
    const FilterEntry& filter = GetParam();
    Random random{7};
    for (int round = 0; round < 40; ++round)
      for (const SampleType type : {SampleType::u8, SampleType::f32})
        for (const bool alpha : {false, true}) {
          const Format format{type, random() % 3 != 0, alpha};
          const int width = 1 + static_cast<int>(random() % 17);
          const int height = 1 + static_cast<int>(random() % 17);
          const Values values = any_values(filter, random);
          f(random, values,
            test::example_image(filter, width, height, format, type == SampleType::u8, random()));
        }
  }
};

TEST_P(Applies, WhatDoesNotApplyChangesNothing) {
  const FilterEntry& filter = GetParam();
  for_many([&](Random& random, const Values& values, const MemoryImage& in) {
    const bool alpha = MemoryImage{in}.encoding(Trc::linear).format.alpha;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (applies(filter, i, values, alpha)) continue;
      Values changed = values;
      changed[i] = any_value(filter.params[i], random);
      EXPECT_TRUE(outcome(filter, values, in).same_as(outcome(filter, changed, in)))
          << filter.params[i].name << ", alpha: " << alpha;
    }
  });
}

TEST_P(Applies, WhatAppliesChangesSomething) {
  const FilterEntry& filter = GetParam();
  std::vector<bool> conditional, changes(filter.params.size());
  for (const Param& param : filter.params) conditional.push_back(!param.applies_if.list().empty());
  for_many([&](Random& random, const Values& values, const MemoryImage& in) {
    const bool alpha = MemoryImage{in}.encoding(Trc::linear).format.alpha;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!conditional[i] || changes[i] || !applies(filter, i, values, alpha)) continue;
      Values changed = values;
      changed[i] = any_value(filter.params[i], random);
      changes[i] = !outcome(filter, values, in).same_as(outcome(filter, changed, in));
    }
  });
  for (std::size_t i = 0; i < changes.size(); ++i)
    EXPECT_EQ(changes[i], conditional[i]) << filter.params[i].name;
}

/// The filters that have a parameter which does not always apply; heal_test.cpp has those that need
/// a selection.
std::vector<std::reference_wrapper<const FilterEntry>> conditional_filters() {
  std::vector<std::reference_wrapper<const FilterEntry>> found;
  for (const FilterEntry& filter : filters())
    if (!filter.needs_selection() && std::ranges::any_of(filter.params, [](const Param& p) {
          return !p.applies_if.list().empty();
        }))
      found.push_back(filter);
  return found;
}

INSTANTIATE_TEST_SUITE_P(Filters, Applies, testing::ValuesIn(conditional_filters()),
                         [](const auto& info) {
                           std::string name = info.param.get().info.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace cuda_filters
