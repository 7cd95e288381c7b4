// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "gpu/algorithms/pixel_math/program.hpp"
#include "gpu/core/error.hpp"
#include "gpu/core/run_on.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/memory_image.hpp"

namespace cuda_filters::pixel_math {
namespace {

std::string error_of(const std::string& formula) {
  try {
    compile(formula);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}

/// The value of a formula of constants, which is known before any pixel is.
float value_of(const std::string& expression) {
  const auto program = compile("r = " + expression);
  const int place = program->outputs[0] - max_registers;
  EXPECT_TRUE(program->instructions.empty()) << expression;
  return place < 0 ? -1e9f : program->constants.at(place);
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(PixelMath, KnowsPrecedence) {
  EXPECT_EQ(value_of("1 + 2 * 3"), 7.0f);
  EXPECT_EQ(value_of("-2 ^ 2"), -4.0f);
  EXPECT_EQ(value_of("2 ^ 3 ^ 2"), 512.0f);
  EXPECT_EQ(value_of("2 ^ -1"), 0.5f);
  EXPECT_EQ(value_of("10 - 4 - 3"), 3.0f);
  EXPECT_EQ(value_of("8 / 4 / 2"), 1.0f);
  EXPECT_EQ(value_of("-7 % 3"), 2.0f);
  EXPECT_EQ(value_of("-(7 % 3)"), -1.0f);
  EXPECT_EQ(value_of("7 % -3"), -2.0f);
  EXPECT_EQ(value_of("not 1 < 2 or 2 <= 2 and 3 != 4"), 1.0f);
  EXPECT_EQ(value_of("1 > 2 ? 3 : 4 >= 4 ? 5 : 6"), 5.0f);
  EXPECT_EQ(value_of("not not 3"), 1.0f);
  EXPECT_EQ(value_of(".5e1 + 1.e0 + 1E-1 * 0"), 6.0f);
}

TEST(PixelMath, KnowsFunctions) {
  EXPECT_EQ(value_of("min(3, 1, 2) + max(1, 5, 2)"), 6.0f);
  EXPECT_EQ(value_of("clamp(7, 0, 2) + mix(2, 4, 0.25)"), 4.5f);
  EXPECT_EQ(value_of("step(1, 1) + step(1, 0.5) + smoothstep(0, 2, 1)"), 1.5f);
  EXPECT_EQ(value_of("round(2.5) + round(3.5) + floor(-0.5)"), 5.0f);
  EXPECT_EQ(value_of("hypot(3, 4) + sqrt(9) + abs(-1)"), 9.0f);
  EXPECT_EQ(value_of("exp(0) + log(1) + sin(0) + cos(0) + tan(0) + atan2(0, 1)"), 2.0f);
  EXPECT_EQ(value_of("1 / 0"), std::numeric_limits<float>::infinity());
}

TEST(PixelMath, ChangesNothingByAnEmptyFormula) {
  for (const char* formula :
       {"", " \n\n;; # nothing\n", "c = c", "r = in(0, 0).r; n = 1 + r", "r = b; r = r"})
    EXPECT_TRUE(compile(formula)->identity) << formula;
  EXPECT_FALSE(compile("r = b; b = r")->identity);
}

TEST(PixelMath, KnowsWhatAFormulaLooksAt) {
  const auto program = compile("c = in(-3, 2 * 3).c + aux(64, -1).r + in.g");
  EXPECT_EQ(program->halo, (Halo{3, 6}));
  EXPECT_EQ(program->second_halo, (Halo{64, 1}));
  EXPECT_TRUE(program->reads_neighbors && program->reads_second);
  EXPECT_TRUE(compile("c = 1 - c; a = a * w")->by_sample);
  for (const char* formula : {"c = r", "c = c * u", "c = random(1)", "y = r", "a = aux.a"})
    EXPECT_FALSE(compile(formula)->by_sample) << formula;
}

TEST(PixelMath, ComputesEqualValuesOnceInFewRegisters) {
  EXPECT_EQ(compile("r = g * b; g = b * 1 + g * b; b = g * b")->instructions.size(), 3u);
  EXPECT_EQ(compile("c = ((c + 1) * (c + 2)) / ((c + 3) * (c + 4))")->registers, 4 + 5);
  EXPECT_LE(
      compile(std::string{"r = "} + repeated("in(-1, 3).r * 2 + in(2, 0).g * 0.5 + ", 40) + "1")
          ->registers,
      4 + 3);
}

TEST(PixelMath, SaysWhatIsWrongWhere) {
  const auto begins = [](const std::string& formula, const std::string& place,
                         const std::string& part) {
    const std::string error = error_of(formula);
    EXPECT_NE(error.find(place), std::string::npos) << formula << ": " << error;
    EXPECT_NE(error.find(part), std::string::npos) << formula << ": " << error;
  };
  begins("c = 1 -", "line 1, column 8", "the end of the formula, where a number");
  begins("c = 1\nr = 2 3", "line 2, column 7", "'3', where an operator");
  begins("c = (1 + 2", "line 1, column 11", "where ')' was expected");
  begins("c = 1 +\n2", "line 1, column 8", "the end of the line, where");
  begins("c 1", "line 1, column 3", "where '=' was expected");
  begins("1 = c", "line 1, column 1", "'1', where r, g, b");
  begins("# é\n é = 1", "line 2, column 2", "'é', where");
  begins("c = t * 2; t = 1", "line 1, column 5", "nothing called 't'");
  begins("sin = 1", "line 1, column 1", "'sin' has a meaning");
  begins("x = 1", "line 1, column 1", "'x' has a meaning");
  begins("c = mix(1, 2)", "line 1, column 5", "mix() has 2 arguments here, where 3");
  begins("c = sin(1, 2)", "line 1, column 5", "sin() has 2 arguments");
  begins("c = in(65, 0).r", "line 1, column 8", "from -64 to 64");
  begins("c = in(0, 0.5).r", "line 1, column 11", "a whole number");
  begins("c = in(r, 0).r", "line 1, column 8", "does not depend on the pixel");
  begins("c = in(1, 0).z", "line 1, column 14", "one of r, g, b, a, c and y");
  begins("c = aux", "line 1, column 8", "where '.' was expected");
  begins("c = random(c)", "line 1, column 5", "The seed of random()");
  begins("y = c", "line 1, column 5", "no single color c");
  begins("c = 1e99", "line 1, column 5", "'1e99' is beyond");
  begins("c = 1 < 2 < 3", "line 1, column 11", "'<', where an operator or the end");
  begins("c = \x01", "line 1, column 5", "'?'");
  begins("c = \xff", "line 1, column 5", "'?'");
}

TEST(PixelMath, RefusesWhatIsTooLarge) {
  const std::string c_is = "c = ";
  EXPECT_NE(error_of(c_is + repeated("(", 5000)), "");
  EXPECT_NE(error_of(c_is + repeated("-", 5000) + "1"), "");
  EXPECT_NE(error_of(c_is + repeated("not ", 5000) + "1"), "");
  EXPECT_NE(error_of(c_is + repeated("2 ^ ", 5000) + "1"), "");
  EXPECT_NE(error_of(c_is + repeated("r ? 1 : ", 5000) + "1"), "");
  EXPECT_NE(error_of(repeated(" ", 70000)).find("70000 bytes"), std::string::npos);
  std::string constants = "c = 0", operations = "c = r", values = "";
  for (int i = 0; i < 300; ++i) constants += " + r * " + std::to_string(i);
  for (int i = 0; i < 3000; ++i) operations += " * u + v";
  EXPECT_NE(error_of(constants).find("at most"), std::string::npos);
  EXPECT_NE(error_of(operations).find("at most"), std::string::npos);
  std::string sum = "c = 0";
  for (int i = 0; i < 100; ++i) {
    const std::string name = std::string{"n"} + std::to_string(i);
    values += name + " = in(" + std::to_string(i % 64) + "," + std::to_string(i / 64) + ").r\n";
    sum = i == 0 ? "c = n0" : sum + " * " + name;
  }
  EXPECT_EQ(error_of(values + sum), "");  // each is read when it is needed
  for (int i = 0; i < 100; ++i) sum += " + n" + std::to_string(i);
  EXPECT_NE(error_of(values + sum).find("at most"), std::string::npos);
}

/// Runs a formula, with each border in turn, over a picture with values that no photo has.
void run_over_picture(const std::string& formula, int turn) {
  MemoryImage picture{5, 3, Format{SampleType::f32, true, true}};
  const auto values = std::span{reinterpret_cast<float*>(picture.codes().data()), 5 * 3 * 4};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 16;
  values[3] = std::numeric_limits<float>::quiet_NaN();
  values[20] = -std::numeric_limits<float>::infinity();
  values[33] = 1e38f;
  Observer observer;
  MemoryImage out = picture;
  run_on(make_cpu_backend(), nullptr,
         make_job(*find_filter("pixel-math"), Values{formula, 0.0, static_cast<double>(turn % 5)}),
         picture, out, {0, 0, 5, 3}, observer);
}

/// Formulas of random words, and formulas of which some bytes changed; those that are taken run.
TEST(PixelMath, TakesOrRefusesAnyText) {
  std::mt19937 random{static_cast<unsigned>(testing::UnitTest::GetInstance()->random_seed())};
  const auto below = [&](std::size_t count) { return random() % count; };
  const std::vector<std::string> words{
      "r",   "g",   "b",    "a",   "c",  "y",   "x",   "u",         "w",      "in",  "aux", ".",
      "(",   ")",   ",",    "=",   "+",  "-",   "*",   "/",         "%",      "^",   "<",   ">=",
      "==",  "?",   ":",    "and", "or", "not", "min", "mix",       "random", "sin", "1",   "0.5",
      "-64", "1e9", "name", ";",   "\n", "#",   " ",   "in(1,2).c", "c = ",   "é"};
  const std::string good =
      "n = hypot(u - 0.5, v - 0.5) # far\nc = mix(c, in(-1, 2).c, n) ^ 2 ; a = aux.y > 0.5 ? a : "
      "max(0, not r and g, random(3))";
  int taken = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    if (i % 2 == 0) {
      for (std::size_t k = below(40); k > 0; --k) text += words[below(words.size())] + " ";
    } else {
      text = good;
      for (std::size_t k = below(4); k > 0; --k)
        if (below(2) == 0)
          text[below(text.size())] = static_cast<char>(below(256));
        else
          text.insert(below(text.size()), words[below(words.size())]);
    }
    if (!error_of(text).empty()) continue;
    run_over_picture(text, taken);
    ++taken;
  }
  EXPECT_GT(taken, 10);
}

}  // namespace
}  // namespace cuda_filters::pixel_math
