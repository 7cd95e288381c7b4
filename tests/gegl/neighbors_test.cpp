// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Operations that stand one after the other run as one, and nobody sees that but by the time it
// takes.
#include <gegl.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/gegl/graph.hpp"
#include "tests/support/backends.hpp"

namespace cuda_filters {
namespace {

using test::Variable;

/// What run() prints about runs.
std::string said(const std::function<void()>& run) {
  const Variable verbose{"CUDA_FILTERS_VERBOSE", "1"};
  testing::internal::CaptureStderr();
  run();
  return testing::internal::GetCapturedStderr();
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// A filter with some of its examples' values.
struct Step {
  const FilterEntry* filter;
  Values values;
};
Step step(const char* name) {
  const FilterEntry& filter = *find_filter(name);
  return {&filter, examples(filter).front()};
}

void append(Graph& graph, const std::vector<Step>& steps) {
  for (const Step& each : steps) graph.append(*each.filter, each.values);
}

/// The pixels after steps, computed one after the other.
Bytes one_by_one(const std::vector<Step>& steps, const Buffer& in, const Babl* format) {
  const Variable never{"CUDA_FILTERS_FUSE", "no"};
  Graph graph{in};
  append(graph, steps);
  return graph.pixels(extent, format);
}

class NeighborsOnEachDevice : public testing::TestWithParam<const char*> {};

TEST_P(NeighborsOnEachDevice, GiveTheBitsOfOneAfterTheOther) {
  const std::string name = GetParam();
  const Variable device{"CUDA_FILTERS_DEVICE", name == "cpu" ? "cpu" : "0"};
  SKIP_WITHOUT(name);
  const std::vector<const FilterEntry*> all = operations();
  const char* const formats[] = {"R'G'B'A u8", "R'G'B' u8", "RGBA u16",   "R'G'B'A u16",
                                 "RGBA half",  "RGB float", "RGBA float", "R'G'B'A float",
                                 "Y' u8",      "YA float",  "RGBA u32",   "R~G~B~A double"};
  std::mt19937 random{20};
  const auto below = [&](std::size_t end) { return random() % end; };
  int as_one = 0, pieces_as_one = 0;
  for (int i = 0; i < 120; ++i) {
    std::vector<Step> steps(2 + below(3));
    std::string names;
    for (Step& each : steps) {
      each.filter = all[below(all.size())];
      const std::vector<Values> values = examples(*each.filter);
      each.values = values[below(values.size())];
      names += std::string{each.filter->info.name} + " ";
    }
    const Babl* taken = babl_format(formats[i % std::size(formats)]);
    SCOPED_TRACE(names + babl_get_name(taken));
    const Buffer in = picture(taken);
    const Babl* format = plugin::with_alpha(taken);
    const Bytes wanted = one_by_one(steps, in, format);
    Graph graph{in}, pieces{in};
    append(graph, steps), append(pieces, steps);
    Bytes whole, in_pieces;
    as_one += count(said([&] { whole = graph.pixels(extent, format); }), " as one on ") > 0;
    EXPECT_EQ(whole, wanted);
    pieces_as_one +=
        count(said([&] { in_pieces = pieces.pixels(extent, format, true); }), " as one on ") > 0;
    EXPECT_EQ(in_pieces, wanted) << "in pieces";
  }
  EXPECT_GT(as_one, 40);
  EXPECT_GT(pieces_as_one, 10);
}

INSTANTIATE_TEST_SUITE_P(All, NeighborsOnEachDevice, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return info.param; });

TEST(Neighbors, AreAsManyAsThereAre) {
  const Babl* format = babl_format("R'G'B'A u8");
  const Buffer in = picture(format);
  Graph graph{in};
  append(graph, {step("invert"), step("gaussian-blur"), step("sobel"), step("box-blur")});
  const std::string lines = said([&] { graph.pixels(extent, format); });
  EXPECT_EQ(count(lines, "\n"), 1) << lines;
  EXPECT_EQ(count(lines, "cuda:invert, cuda:gaussian-blur, cuda:sobel, cuda:box-blur as one on "),
            1)
      << lines;
}

/// What needs all of the picture ends those that are computed in pieces.
TEST(Neighbors, AreFewerWhereMuchWouldBeComputedAgain) {
  const Babl* format = babl_format("R'G'B'A u8");
  const Buffer in = picture(format);
  Graph graph{in};
  append(graph, {step("gaussian-blur"), step("stretch-contrast"), step("invert"), step("sobel")});
  const std::string lines = said([&] { graph.pixels(extent, format, true); });
  EXPECT_EQ(count(lines, "cuda:gaussian-blur, cuda:stretch-contrast as one on "), 1) << lines;
  EXPECT_GE(count(lines, "cuda:invert, cuda:sobel as one on "), 2) << lines;
}

/// Whatever is unknown, or would be computed for nothing.
TEST(Neighbors, RunOneByOneWhereTheyHaveTo) {
  const Babl* format = babl_format("R'G'B'A u8");
  const Buffer in = picture(format);
  const std::vector<Step> steps{step("gaussian-blur"), step("sobel")};
  const Bytes wanted = one_by_one(steps, in, format);
  const auto expect = [&](const char* about, int runs, Graph& graph, const Bytes& pixels) {
    SCOPED_TRACE(about);
    Bytes got;
    const std::string lines = said([&] { got = graph.pixels(extent, format); });
    EXPECT_EQ(count(lines, "cuda-filters: cuda:"), runs) << lines;
    EXPECT_EQ(count(lines, " as one on "), 0) << lines;
    EXPECT_EQ(got, pixels);
  };
  {
    const Variable never{"CUDA_FILTERS_FUSE", "no"};
    Graph graph{in};
    append(graph, steps);
    expect("forbidden", 2, graph, wanted);
  }
  {
    Graph graph{in};
    append(graph, {steps[0]});
    graph.append("gegl:nop");
    append(graph, {steps[1]});
    expect("something stands between", 2, graph, wanted);
  }
  {
    Graph graph{in};
    append(graph, {steps[0]});
    GeglNode* blurred = graph.last();
    append(graph, {steps[1]});
    graph.append("gegl:over");
    gegl_node_connect_from(graph.last(), "aux", blurred, "output");
    Graph plain{in};
    append(plain, {steps[0]});
    GeglNode* plainly_blurred = plain.last();
    append(plain, {steps[1]});
    plain.append("gegl:over");
    gegl_node_connect_from(plain.last(), "aux", plainly_blurred, "output");
    expect("another operation takes the first one's result", 2, graph, [&] {
      const Variable never{"CUDA_FILTERS_FUSE", "no"};
      return plain.pixels(extent, format);
    }());
  }
  {
    Graph graph{in};
    append(graph, steps);
    gegl_node_set_passthrough(graph.first(), TRUE);
    expect("the first one is switched off", 1, graph, one_by_one({steps[1]}, in, format));
    gegl_node_set_passthrough(graph.last(), TRUE);
    expect("both are", 0, graph, bytes_of(in, format));
  }
  {
    Graph graph{in};
    append(graph, steps);
    append(graph, {step("guided-filter")});
    graph.set_aux(in);
    Bytes got;
    const std::string lines = said([&] { got = graph.pixels(extent, format); });
    EXPECT_EQ(count(lines, "cuda:gaussian-blur, cuda:sobel as one on "), 1) << lines;
    EXPECT_EQ(count(lines, "cuda:guided-filter on "), 1) << lines;
    const Variable never{"CUDA_FILTERS_FUSE", "no"};
    Graph plain{in};
    append(plain, steps);
    append(plain, {step("guided-filter")});
    plain.set_aux(in);
    EXPECT_EQ(got, plain.pixels(extent, format));
  }
  {
    const Buffer doubles = picture(babl_format("R'G'B'A double"));
    Graph graph{doubles};
    append(graph, steps);
    expect("no filter works in what lies between", 2, graph, one_by_one(steps, doubles, format));
  }
}

/// The second time an operation before is not computed again, and its own result is right.
TEST(Neighbors, RunOneByOneWhileSomebodyTriesValues) {
  const Babl* format = babl_format("R'G'B'A u16");
  const Buffer in = picture(format);
  std::vector<Step> steps{step("gaussian-blur"), step("median-blur"), step("box-blur")};
  Graph graph{in};
  append(graph, steps);
  const auto lines = [&] {
    return said([&] { EXPECT_EQ(graph.pixels(extent, format), one_by_one(steps, in, format)); });
  };
  EXPECT_EQ(count(lines(), " as one on "), 1);
  const auto change = [&](double radius) {
    steps[2].values[0] = radius;
    graph.set(steps[2].filter->params[0], radius);
    return lines();
  };
  // one_by_one() says three lines.
  const std::string first = change(17.0);
  EXPECT_EQ(count(first, "cuda:gaussian-blur, cuda:median-blur as one on "), 1) << first;
  EXPECT_EQ(count(first, "\n"), 3 + 2) << first;
  EXPECT_EQ(count(change(19.0), "\n"), 3 + 1);
  EXPECT_EQ(count(change(21.0), "\n"), 3 + 1);
}

/// Also after a run as one, which has left nothing there.
TEST(Neighbors, HaveResultsOfTheirOwn) {
  const Babl* format = babl_format("R'G'B' u8");
  const Buffer in = picture(format);
  const std::vector<Step> steps{step("gaussian-blur"), step("sobel"), step("invert")};
  Graph graph{in};
  append(graph, steps);
  Bytes got;
  const std::string lines = said([&] { got = graph.pixels(extent, format); });
  EXPECT_EQ(count(lines, " as one on "), 1) << lines;
  EXPECT_EQ(got, one_by_one(steps, in, format));
  EXPECT_EQ(graph.pixels_of(graph.first(), extent, format), one_by_one({steps[0]}, in, format));
  paint(in, {extent.x + 20, extent.y + 20, 90, 50}, "#ffee00");
  EXPECT_EQ(graph.pixels_of(graph.first(), extent, format), one_by_one({steps[0]}, in, format));
  EXPECT_EQ(graph.pixels(extent, format, true), one_by_one(steps, in, format));
}

/// What GEGL has of one that was computed before is taken.
TEST(Neighbors, AreThoseThatAreNotKnownYet) {
  const Babl* format = babl_format("R'G'B' u8");
  const Buffer in = picture(format);
  const std::vector<Step> steps{step("gaussian-blur"), step("sobel"), step("median-blur")};
  Graph graph{in};
  append(graph, {steps[0]});
  graph.pixels(extent, format);
  append(graph, {steps[1], steps[2]});
  Bytes got;
  const std::string lines = said([&] { got = graph.pixels(extent, format); });
  EXPECT_EQ(got, one_by_one(steps, in, format));
  EXPECT_EQ(count(lines, "\n"), 1) << lines;
  EXPECT_EQ(count(lines, "cuda:sobel, cuda:median-blur as one on "), 1) << lines;
}

/// What comes before two branches is computed once for both.
TEST(Neighbors, OfSeveralBranchesShareTheirSource) {
  const Babl* format = babl_format("R'G'B'A u8");
  const Buffer in = picture(format);
  const auto graph_of = [&] {
    auto graph = std::make_unique<Graph>(in);
    append(*graph, {step("gaussian-blur")});
    GeglNode* blurred = graph->last();
    append(*graph, {step("sobel"), step("invert")});
    GeglNode* edges = graph->branch(blurred);
    append(*graph, {step("median-blur"), step("box-blur")});
    graph->append("gegl:over");
    gegl_node_connect_from(graph->last(), "aux", edges, "output");
    return graph;
  };
  const auto graph = graph_of(), plain = graph_of();
  Bytes got;
  const std::string lines = said([&] { got = graph->pixels(extent, format); });
  EXPECT_EQ(count(lines, "\n"), 3) << lines;
  EXPECT_EQ(count(lines, "cuda:sobel, cuda:invert as one on "), 1) << lines;
  EXPECT_EQ(count(lines, "cuda:median-blur, cuda:box-blur as one on "), 1) << lines;
  const Variable never{"CUDA_FILTERS_FUSE", "no"};
  EXPECT_EQ(got, plain->pixels(extent, format));
}

/// Several threads may evaluate a graph, each an end of its own.
TEST(Neighbors, RunInSeveralThreadsAtOnce) {
  const Babl* format = babl_format("R'G'B'A u8");
  const Buffer in = picture(format);
  const std::vector<Step> first{step("sobel"), step("invert")};
  const std::vector<Step> second{step("gaussian-blur"), step("invert")};
  const auto alone = [&](const std::vector<Step>& steps) {
    const Variable never{"CUDA_FILTERS_FUSE", "no"};
    Graph graph{in};
    graph.append("gegl:invert-gamma");
    append(graph, steps);
    return graph.pixels(extent, format);
  };
  const Bytes wanted[]{alone(first), alone(second)};
  std::atomic<int> wrong = 0;
  const std::string lines = said([&] {
    for (int i = 0; i < 20; ++i) {
      Graph graph{in};
      graph.append("gegl:invert-gamma");
      GeglNode* source = graph.last();
      append(graph, first);
      GeglNode* const ends[]{graph.branch(source), (append(graph, second), graph.last())};
      std::vector<std::jthread> threads;
      for (int k = 0; k < 2; ++k)
        threads.emplace_back([&, k] {
          if (Graph::pixels_of(ends[k], extent, format, true) != wanted[k]) ++wrong;
        });
    }
  });
  EXPECT_GE(count(lines, " as one on "), 10);
  EXPECT_EQ(wrong, 0);
}

/// A blur of large surroundings goes by large blocks, which are kept, whatever comes after it.
TEST(Neighbors, DoNotComputeSurroundingsForEachPiece) {
  const Babl* format = babl_format("R'G'B'A u8");
  const Buffer in = picture(format);
  Graph graph{in};
  append(graph, {{find_filter("gaussian-blur"), {50.0, 50.0, 0.0}}, step("invert")});
  const std::string lines = said([&] { graph.pixels(extent, format, true); });
  EXPECT_EQ(count(lines, "cuda:gaussian-blur on "), 1) << lines;
  EXPECT_EQ(count(lines, " as one on "), 0) << lines;
}

TEST(Neighbors, SayWhatIsWrongAsOneAfterTheOtherDo) {
  const Babl* format = babl_format("R'G'B'A u8");
  const Buffer in = picture(format);
  Graph graph{in};
  append(graph, {step("gaussian-blur"),
                 {find_filter("threshold"), {0.9, 0.1, 0.0}},
                 step("sobel"),
                 step("invert")});
  Warnings::take();
  Bytes got;
  const std::string lines = said([&] { got = graph.pixels(extent, format); });
  EXPECT_EQ(got, one_by_one({step("gaussian-blur"), step("sobel"), step("invert")}, in, format));
  EXPECT_EQ(count(lines, "cuda:sobel, cuda:invert as one on "), 1) << lines;
  const auto warnings = Warnings::take();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings.front().find("cuda:threshold"), std::string::npos);
}

}  // namespace
}  // namespace cuda_filters
