// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/convolution/matrix.hpp"

#include <gtest/gtest.h>

#include "gpu/core/error.hpp"

namespace cuda_filters {
namespace {

std::string problem_of(const std::string& text) {
  try {
    parse_matrix(text);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "none";
}

TEST(ParseMatrix, ReadsRowsAndValues) {
  const Matrix matrix = parse_matrix(" 1, -2.5 ,+3e1 ; 4,5,6;7,8, 9 ");
  EXPECT_EQ(matrix.width, 3);
  EXPECT_EQ(matrix.height, 3);
  EXPECT_EQ(matrix.at(1, 0), -2.5);
  EXPECT_EQ(matrix.at(2, 0), 30.0);
  EXPECT_EQ(matrix.at(2, 2), 9.0);
}

TEST(ParseMatrix, TakesRectangles) {
  const Matrix row = parse_matrix("0,0,0,0,1,0,0,0,0");
  EXPECT_EQ(row.width, 9);
  EXPECT_EQ(row.height, 1);
  EXPECT_EQ(row.radius_x(), 4);
  EXPECT_EQ(parse_matrix("1;2;3").height, 3);
}

TEST(ParseMatrix, TakesLineBreaksAndBlanksForSeparators) {
  const Matrix wanted = parse_matrix("1,2,3;4,5,6;7,8,9");
  for (const char* text : {"1 2 3\n4 5 6\n7 8 9", "\n 1\t2  3 \r\n4 5 6\r\n\r\n7 8 9\n\n",
                           "1,2 3;4 5,6\n7 ,8, 9", "1 2 3;\n4 5 6 ;\n\n7 8 9"}) {
    const Matrix matrix = parse_matrix(text);
    EXPECT_EQ(matrix.width, 3) << text;
    EXPECT_EQ(matrix.values, wanted.values) << text;
  }
}

/// Line breaks around a comma never began a row, and those around a semicolon no other one.
TEST(ParseMatrix, TakesLineBreaksAroundSeparatorsForNothing) {
  const Matrix row = parse_matrix("1,\n2\n,\r\n3\n");
  EXPECT_EQ(row.width, 3);
  EXPECT_EQ(row.height, 1);
  const Matrix column = parse_matrix("1;\n2\n;\n3");
  EXPECT_EQ(column.width, 1);
  EXPECT_EQ(column.height, 3);
}

TEST(ParseMatrix, RefusesSeparatorsWithNothingBetween) {
  EXPECT_NE(problem_of("1 2 3,\n").find("row 1, column 4"), std::string::npos)
      << problem_of("1 2 3,\n");
  EXPECT_NE(problem_of("1\n2\n3;").find("row 4, column 1"), std::string::npos);
  EXPECT_NE(problem_of(",1 2").find("row 1, column 1"), std::string::npos);
  EXPECT_NE(problem_of("1 2 3;;4 5 6").find("Row 2"), std::string::npos);
  EXPECT_NE(problem_of("1 - 2").find("'-'"), std::string::npos);
}

TEST(MatrixText, ReadsAsTheSameMatrix) {
  EXPECT_EQ(matrix_text(parse_matrix("1 -2.5 3\n4 5 6\n7 8 1e-9")), "1,-2.5,3;4,5,6;7,8,1e-09");
  const Matrix matrix{3, 1, {0.1 + 0.2, -1.0 / 3.0, 123456789.125}};
  EXPECT_EQ(parse_matrix(matrix_text(matrix)).values, matrix.values);
}

TEST(ResizedMatrix, KeepsItsMiddle) {
  const Matrix matrix = parse_matrix("1,2,3;4,5,6;7,8,9");
  EXPECT_EQ(matrix_text(resized(matrix, 5, 3)), "0,1,2,3,0;0,4,5,6,0;0,7,8,9,0");
  EXPECT_EQ(matrix_text(resized(matrix, 1, 5)), "0;2;5;8;0");
  EXPECT_EQ(resized(resized(matrix, 15, 7), 3, 3).values, matrix.values);
  EXPECT_EQ(weight_sum(resized(matrix, 15, 15)), 45.0);
}

TEST(ParseMatrix, SaysWhereAWordIsNoNumber) {
  EXPECT_NE(problem_of("1,2,3;4,x5,6;7,8,9").find("row 2, column 2"), std::string::npos);
  EXPECT_NE(problem_of("1,2,3;4,x5,6;7,8,9").find("'x5'"), std::string::npos);
  EXPECT_NE(problem_of("1,,3").find("row 1, column 2"), std::string::npos);
  EXPECT_NE(problem_of("").find("row 1, column 1"), std::string::npos);
  EXPECT_NE(problem_of("1,nan,3").find("row 1, column 2"), std::string::npos);
  EXPECT_NE(problem_of("1,inf,3").find("row 1, column 2"), std::string::npos);
  EXPECT_NE(problem_of("1,1e999,3").find("row 1, column 2"), std::string::npos);
}

TEST(ParseMatrix, RefusesShapesThatDoNotFit) {
  EXPECT_NE(problem_of("1,2,3;4,5;7,8,9").find("Row 2"), std::string::npos);
  EXPECT_NE(problem_of("1,2;3,4").find("2 columns and 2 rows"), std::string::npos);
  std::string wide = "1";
  for (int i = 1; i < 129; ++i) wide += ",1";
  EXPECT_NE(problem_of(wide).find("127"), std::string::npos);
  wide.resize(wide.size() - 4);
  EXPECT_EQ(problem_of(wide), "none");
}

TEST(Separate, FindsTheFactorsOfRankOne) {
  const auto parts = separate(parse_matrix("1,2,1;2,4,2;1,2,1"));
  ASSERT_TRUE(parts);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 3; ++x)
      EXPECT_DOUBLE_EQ(parts->column[y] * parts->row[x],
                       parse_matrix("1,2,1;2,4,2;1,2,1").at(x, y));
  EXPECT_TRUE(separate(parse_matrix("1,0,-1;2,0,-2;1,0,-1")));
}

TEST(Separate, RefusesHigherRanksAndNothing) {
  EXPECT_FALSE(separate(parse_matrix("0,1,0;1,-4,1;0,1,0")));
  EXPECT_FALSE(separate(parse_matrix("1,2,1;2,4.0001,2;1,2,1")));
  EXPECT_FALSE(separate(parse_matrix("0,0,0;0,0,0;0,0,0")));
}

}  // namespace
}  // namespace cuda_filters
