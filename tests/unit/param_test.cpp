// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/param.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "gpu/core/error.hpp"

namespace cuda_filters {
namespace {

enum class Mode { first, second, third };
constexpr std::array mode_choices{Choice{"first", "First"}, Choice{"second", "Second"},
                                  Choice{"third", "Third"}};

struct Everything {
  double real;
  int integer;
  bool toggle;
  Mode choice;
  std::string text;
};

constexpr std::array table{
    param<&Everything::real>({.name = "real", .label = "", .blurb = "", .range = {-2.0, 8.5}}),
    param<&Everything::integer>(
        {.name = "integer", .label = "", .blurb = "", .range = {1.0, 9.0}, .initial = 4.0}),
    param<&Everything::toggle>({.name = "toggle", .label = "", .blurb = "", .initial = 1.0}),
    param<&Everything::choice>(
        {.name = "choice", .label = "", .blurb = "", .choices = mode_choices}),
    param<&Everything::text>({.name = "text", .label = "", .blurb = "", .initial_text = "hello"}),
};

std::string problem_of(const Values& values) {
  try {
    validate(table, values);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "none";
}

TEST(Param, KindsFollowFromTheMembers) {
  EXPECT_EQ(table[0].kind, Kind::real);
  EXPECT_EQ(table[1].kind, Kind::integer);
  EXPECT_EQ(table[2].kind, Kind::toggle);
  EXPECT_EQ(table[3].kind, Kind::choice);
  EXPECT_EQ(table[4].kind, Kind::text);
  EXPECT_EQ(table[3].range.max, 2.0);
}

TEST(Param, ValuesReachTheirMembersAndComeBack) {
  const Values values{3.25, 7.0, 0.0, 2.0, std::string{"world"}};
  Everything params{};
  for (std::size_t i = 0; i < values.size(); ++i) table[i].store(&params, values[i]);
  EXPECT_EQ(params.real, 3.25);
  EXPECT_EQ(params.integer, 7);
  EXPECT_FALSE(params.toggle);
  EXPECT_EQ(params.choice, Mode::third);
  EXPECT_EQ(params.text, "world");
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(table[i].load(&params), values[i]);
}

TEST(Validate, TakesBothEndsOfARange) {
  EXPECT_EQ(problem_of({-2.0, 1.0, 0.0, 0.0, ""}), "none");
  EXPECT_EQ(problem_of({8.5, 9.0, 1.0, 2.0, "anything"}), "none");
}

TEST(Validate, NamesParameterValueAndRange) {
  EXPECT_EQ(problem_of({8.75, 1.0, 0.0, 0.0, ""}),
            "The parameter 'real' is 8.75, but must be a number from -2 to 8.5.");
  EXPECT_EQ(problem_of({0.0, 2.5, 0.0, 0.0, ""}),
            "The parameter 'integer' is 2.5, but must be a whole number from 1 to 9.");
  EXPECT_EQ(problem_of({0.0, 1.0, 2.0, 0.0, ""}),
            "The parameter 'toggle' is 2, but must be 0 (no) or 1 (yes).");
  EXPECT_EQ(problem_of({0.0, 1.0, 0.0, 3.0, ""}),
            "The parameter 'choice' is 3, but must be one of 0 (first), 1 (second), 2 (third).");
  EXPECT_EQ(problem_of({0.0, 1.0, 0.0, 0.0, 5.0}),
            "The parameter 'text' is 5, but must be a text.");
  EXPECT_EQ(problem_of({std::string{"red"}, 1.0, 0.0, 0.0, ""}),
            "The parameter 'real' is \"red\", but must be a number from -2 to 8.5.");
}

TEST(Validate, RefusesWhatIsNoNumber) {
  EXPECT_NE(problem_of({std::numeric_limits<double>::quiet_NaN(), 1.0, 0.0, 0.0, ""}), "none");
  EXPECT_NE(problem_of({std::numeric_limits<double>::infinity(), 1.0, 0.0, 0.0, ""}), "none");
}

TEST(Validate, CountsTheValues) {
  EXPECT_EQ(problem_of({1.0}), "1 values were given for 5 parameters.");
}

}  // namespace
}  // namespace cuda_filters
