// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <map>
#include <stdexcept>
#include <utility>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

using Steps = std::vector<std::pair<const char*, Values>>;

/// The chains that tests use, spelled out.
const std::map<std::string, Steps> chains{
    {"", {}},
    {"invert", {{"invert", {0.0}}}},
    {"multiply value=1.5 | add value=0.1 light=perceptual clamp=no | gamma gamma=0.8 | "
     "subtract value=0.05 | invert | lower-clamp red=0.1 green=0.2 blue=-0.3",
     {{"multiply", {1.5, 0.0, 0.0}},
      {"add", {0.1, 0.0, 1.0}},
      {"gamma", {0.8, 0.0}},
      {"subtract", {0.05, 1.0, 0.0}},
      {"invert", {0.0}},
      {"lower-clamp", {0.1, 0.2, -0.3, 0.0, 0.0}}}},
    {"invert light=linear | sobel scale=0.25 border=mirror | monochrome light=perceptual",
     {{"invert", {1.0}}, {"sobel", {0.0, 0.0, 0.25, 1.0}}, {"monochrome", {0.3, 0.59, 0.11, 1.0}}}},
    {"multiply value=0.5 light=perceptual | gaussian-blur std-dev-x=2 std-dev-y=1 border=reflect",
     {{"multiply", {0.5, 0.0, 1.0}}, {"gaussian-blur", {2.0, 1.0, 2.0}}}},
    {"'box-blur' radius-x=2 radius-y=3|median-blur radius=2 neighborhood=square",
     {{"box-blur", {2.0, 3.0, 0.0}}, {"median-blur", {0.0, 2.0, 50.0, 50.0, 0.0}}}},
};

Picture apply(const Picture& in, const Values& values) {
  Picture picture = in;
  for (const auto& [name, step] : chains.at(std::get<std::string>(values[0])))
    picture = find(name)->apply(picture, step);
  return picture;
}

std::vector<Values> examples() {
  std::vector<Values> all;
  for (const auto& [text, steps] : chains)
    if (!text.empty()) all.push_back({text});
  return all;
}

}  // namespace

// Near black an error in linear light is 12.92 times as large in sRGB.
extern const Reference reference_chain{"chain", apply, examples(),
                                       [](const Values&) { return 3e-4; }};

}  // namespace cuda_filters::reference
