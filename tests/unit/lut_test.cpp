// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/lut/lut.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <clocale>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <tuple>

#include "gpu/algorithms/lut/cube_file.hpp"
#include "gpu/algorithms/lut/lut_kernels.hpp"
#include "gpu/algorithms/lut/read_lut.hpp"
#include "gpu/core/error.hpp"
#include "gpu/cpu/kernels.hpp"
#include "tests/support/temporary_path.hpp"

namespace cuda_filters::lut {
namespace {

Lut parsed(const std::string& text) {
  std::istringstream stream{text};
  return parse_cube(stream, text.size(), "x.cube");
}

std::string problem_of(const std::string& text) {
  try {
    parsed(text);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "none";
}

/// A file, which goes with the object.
struct TemporaryFile {
  const test::TemporaryPath place{};
  const std::string path = place.path().string();
  void write(const std::string& text) const { std::ofstream{path, std::ios::binary} << text; }
};

const std::string curve = "LUT_1D_SIZE 2\n0 0.25 0.5\n1 .75 5e-1\n";

TEST(CubeFile, ReadsCurves) {
  const Lut lut = parsed(curve);
  EXPECT_EQ(lut.cube.size, 0);
  ASSERT_EQ(lut.curves.size, 2);
  EXPECT_EQ(lut.curves.nodes[0].g, 0.25f);
  EXPECT_EQ(lut.curves.nodes[1].g, 0.75f);
  EXPECT_EQ(lut.curves.nodes[1].b, 0.5f);
}

TEST(CubeFile, ReadsBlanksTabsCommentsAndEveryEndOfLine) {
  const std::string text =
      "\xef\xbb\xbf# by hand\r\n\r\nTITLE \"LUT_1D_SIZE # 3\"\r\nLUT_3D_SIZE\t2\r\n"
      "DOMAIN_MIN -1 -2 -3\r\nDOMAIN_MAX +1 2.5e0 3 # above\r\n";
  std::string colors;
  for (int i = 0; i < 8; ++i)
    colors.append(1, '\t').append(std::to_string(i)).append("  1E-2 -.5\r\n \t\r\n");
  // The last line may have no end.
  for (const std::size_t without : {0, 5}) {
    const Lut lut = parsed(text + colors.substr(0, colors.size() - without));
    ASSERT_EQ(lut.cube.size, 2);
    EXPECT_EQ(lut.cube.min[2], -3.0f);
    EXPECT_EQ(lut.cube.max[1], 2.5f);
    ASSERT_EQ(lut.cube.nodes.size(), 8u);
    EXPECT_EQ(lut.cube.nodes[7].r, 7.0f);
    EXPECT_EQ(lut.cube.nodes[7].g, 0.01f);
  }
}

TEST(CubeFile, ReadsCurvesBeforeACube) {
  std::string text =
      "LUT_1D_SIZE 2\nLUT_1D_INPUT_RANGE -0.5 4\nLUT_3D_SIZE 2\nLUT_3D_INPUT_RANGE 0 2\n0 0 0\n"
      "2 2 2\n";
  for (int i = 0; i < 8; ++i) text += std::to_string(i) + " 0 0\n";
  const Lut lut = parsed(text);
  EXPECT_EQ(lut.curves.max[0], 4.0f);
  EXPECT_EQ(lut.cube.max[2], 2.0f);
  EXPECT_EQ(lut.curves.nodes[1].r, 2.0f);
  EXPECT_EQ(lut.cube.nodes[1].r, 1.0f);
}

TEST(CubeFile, ReadsNumbersInEveryLocale) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  for (const char* locale : {"de_DE.UTF-8", "fr_FR.UTF-8"}) std::setlocale(LC_NUMERIC, locale);
  EXPECT_EQ(parsed(curve).curves.nodes[0].g, 0.25f);
  std::setlocale(LC_NUMERIC, before.c_str());
}

TEST(CubeFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problem_of("LUT_1D_SIZE 2\n0 0 0\n1 1\n"),
            "Line 3 of \"x.cube\" has 2 numbers; 3 are wanted.");
  EXPECT_EQ(problem_of("LUT_1D_SIZE 2\n0 0 0\n1 1 1,5\n"),
            "Line 3 of \"x.cube\" says '1,5' where a number is wanted.");
  const auto contains = [](const std::string& text, const std::string& words) {
    EXPECT_NE(problem_of(text).find(words), std::string::npos) << problem_of(text);
  };
  contains("", "no line LUT_1D_SIZE or LUT_3D_SIZE");
  contains("0 0 0\n", "no line LUT_1D_SIZE or LUT_3D_SIZE");
  contains("LUT_2D_SIZE 2\n", "Line 1 of \"x.cube\" begins with 'LUT_2D_SIZE'");
  for (const char* size : {"1", "257", "2.5", "1e9", "-3"})
    contains(std::string{"LUT_3D_SIZE "} + size, "whole number from 2 to 256");
  contains("LUT_1D_SIZE 65537", "whole number from 2 to 65536");
  contains("LUT_1D_SIZE", "has 0 numbers; 1 are wanted");
  contains("LUT_1D_SIZE 2\nLUT_1D_SIZE 2\n", "Line 2 of \"x.cube\" gives a size after another");
  contains(curve + "LUT_3D_SIZE 2\n", "Line 4 of \"x.cube\" gives a size after another");
  contains(curve + "1 1 1\n", "Line 4 of \"x.cube\" is one color too many: there are 2.");
  contains("LUT_3D_SIZE 2\n0 0 0\n", "ends after 1 of 8 colors");
  contains("LUT_1D_SIZE 2\nDOMAIN_MIN 0 1 0\n0 0 0\n1 1 1", "Line 2 of \"x.cube\" has the domain");
  contains("LUT_1D_SIZE 2\nLUT_1D_INPUT_RANGE 1 1\n", "Line 2 of \"x.cube\" has the domain");
  contains("LUT_1D_SIZE 2\n0 0 nan\n", "'nan'");
  contains("LUT_1D_SIZE 2\n0 0 1e39\n", "'1e39'");
  contains("LUT_1D_SIZE 2\n0 0 0x1\n", "'0x1'");
  contains(std::string(5000, ' '), "longer than 4096");
  contains("\x01\xff", "begins with '?\?'");
}

/// Whatever a file holds, it is read or refused: by its bytes changed, left out, put in and moved.
TEST(CubeFile, SurvivesEveryFile) {
  std::string shaper = "LUT_1D_SIZE 2\nLUT_1D_INPUT_RANGE -0.5 4\nLUT_3D_SIZE 2\n0 0 0\n2 2 2\n";
  for (int i = 0; i < 8; ++i) shaper += std::to_string(i) + ".5 1e-1 0\n";
  const std::string pieces[] = {"\n",
                                " ",
                                "LUT_3D_SIZE 256\n",
                                "LUT_1D_SIZE 65536\n",
                                "1e",
                                "-",
                                "DOMAIN_MAX 0 0 0\n",
                                "#",
                                "9999999999",
                                std::string(1, '\0')};
  std::mt19937 random{static_cast<unsigned>(testing::UnitTest::GetInstance()->random_seed())};
  int read = 0;
  constexpr int files = 3000;
  for (int i = 0; i < files; ++i) {
    std::string text = i % 2 == 0 ? shaper : curve;
    for (unsigned changes = random() % 4; changes > 0; --changes) {
      const std::size_t at = random() % (text.size() + 1);
      switch (random() % 4) {
        case 0:
          if (at < text.size()) text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 20);
          break;
        case 2:
          text.insert(at, pieces[random() % std::size(pieces)]);
          break;
        default:
          text.insert(at, text.substr(random() % (text.size() + 1), random() % 30));
      }
    }
    try {
      const Lut lut = parsed(text);
      const auto size = static_cast<std::size_t>(lut.cube.size);
      ASSERT_EQ(lut.cube.nodes.size(), size * size * size);
      ASSERT_EQ(lut.curves.nodes.size(), static_cast<std::size_t>(lut.curves.size));
      ASSERT_TRUE(size >= 2 || lut.curves.size >= 2);
      ++read;
    } catch (const ArgumentError&) {
    }
  }
  EXPECT_GT(read, files / 10);
  EXPECT_LT(read, files);
}

TEST(ReadLut, ReadsAFileAgainThatChanged) {
  const TemporaryFile file;
  file.write(curve);
  const auto first = read_lut(file.path);
  file.write("LUT_1D_SIZE 2\n0 0.25 0.5\n1 .75 6e-1\n");  // as long, and within the same moment
  EXPECT_EQ(read_lut(file.path)->curves.nodes[1].b, 0.6f);
  EXPECT_EQ(first->curves.nodes[1].b, 0.5f);
}

TEST(ReadLut, SaysWhyAFileCannotBeRead) {
  const auto refusal = [](const std::string& file) -> std::string {
    try {
      read_lut(file);
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_NE(refusal("/nowhere/x.cube").find("\"/nowhere/x.cube\" cannot be read: "),
            std::string::npos);
  EXPECT_NE(refusal("/").find("cannot be read"), std::string::npos);
  EXPECT_NE(refusal("/dev/zero").find("cannot be read"), std::string::npos);
  const TemporaryFile file;
  file.write("\x89PNG\r\n\x1a\nno more");
  EXPECT_NE(refusal(file.path), "none");
}

#ifdef HAVE_PNG
std::string bytes_of(const std::string& file) {
  std::ostringstream bytes;
  bytes << std::ifstream{file, std::ios::binary}.rdbuf();
  return bytes.str();
}

TEST(ReadLut, ReadsHaldImages) {
  const auto table = read_lut(TABLES "hald.png");
  ASSERT_EQ(table->cube.size, 4);
  for (int i = 0; i < 64; ++i) {
    const double r = i % 4 / 3.0, g = i / 4 % 4 / 3.0, b = i / 16 / 3.0;
    const Pixel& node = table->cube.nodes[i];
    EXPECT_NEAR(node.r, 1.0 - std::sqrt(r), 1e-5);
    EXPECT_NEAR(node.g, 0.8 * g + 0.1 * r, 1e-5);
    EXPECT_NEAR(node.b, b * b, 1e-5);
  }
}

TEST(ReadLut, SurvivesEveryImage) {
  const std::string image = bytes_of(TABLES "hald.png");
  std::mt19937 random{static_cast<unsigned>(testing::UnitTest::GetInstance()->random_seed())};
  const TemporaryFile file;
  for (int i = 0; i < 300; ++i) {
    std::string changed = image;
    for (unsigned changes = random() % 3; changes > 0; --changes)
      changed[8 + random() % (changed.size() - 8)] = static_cast<char>(random());
    if (i % 3 == 0) changed.resize(8 + random() % (changed.size() - 8));
    file.write(changed);
    try {
      ASSERT_EQ(read_lut(file.path)->cube.nodes.size(), 64u);
    } catch (const ArgumentError&) {
    }
  }
}
#endif

/// Every level of the processor computes what GPUs do, up to rounding.
TEST(LutKernels, ComputeWhatIsDefined) {
  Lut table;
  std::mt19937 random{3};
  std::uniform_real_distribution<float> value{-0.25f, 1.25f};
  for (const auto& [stage, size, count] :
       {std::tuple{&table.curves, 5, 5}, std::tuple{&table.cube, 7, 343}}) {
    stage->size = size;
    for (int i = 0; i < count; ++i)
      stage->nodes.push_back({value(random), value(random), value(random), 0.0f});
  }
  std::vector<Pixel> pixels;
  for (int i = 0; i < 999; ++i)
    pixels.push_back({value(random), value(random), value(random), value(random)});
  for (int i = 0; i < 200; ++i) pixels[i].g = pixels[i].r, pixels[i].b = i % 2 == 0 ? 1.0f : 0.0f;
  pixels[7].r = NAN, pixels[8].g = INFINITY, pixels[9].b = -INFINITY;
  for (const cpu::Level& level : cpu::levels())
    for (int set = 0; set < 16; ++set) {
      const Stage none;
      const Stage &curves = set & 1 ? table.curves : none, &cube = set & 2 ? table.cube : none;
      const LutSettings settings{axes_of(curves), axes_of(cube),
                                 set & 4 ? Interpolation::trilinear : Interpolation::tetrahedral,
                                 1.0f, (set & 8) != 0};
      std::vector<Pixel> changed_row = pixels;
      const int count = static_cast<int>(pixels.size()) - 4;
      level.lut_kernels->apply(settings, curves.nodes.data(), cube.nodes.data(), count,
                               reinterpret_cast<float*>(changed_row.data()));
      for (int i = 0; i < count; ++i) {
        if ((set & 3) == 0 && (i == 7 || i == 8 || i == 9)) continue;
        const Pixel wanted = changed(settings, curves.nodes.data(), cube.nodes.data(), pixels[i]);
        ASSERT_NEAR(changed_row[i].r, wanted.r, 5e-6) << level.name << " " << set << " " << i;
        ASSERT_NEAR(changed_row[i].g, wanted.g, 5e-6) << level.name << " " << set << " " << i;
        ASSERT_NEAR(changed_row[i].b, wanted.b, 5e-6) << level.name << " " << set << " " << i;
        ASSERT_EQ(changed_row[i].a, pixels[i].a);
      }
      for (std::size_t i = count; i < pixels.size(); ++i) ASSERT_EQ(changed_row[i].r, pixels[i].r);
    }
}

}  // namespace
}  // namespace cuda_filters::lut
