// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The module in a GEGL: every operation gives the bits of the plug-in's own way to the engine,
// whatever pieces GEGL asks for, in whatever order and from however many threads.
#include <gegl-paramspecs.h>
#include <gegl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <random>
#include <regex>
#include <sstream>
#include <thread>

#include "gpu/core/devices.hpp"
#include "gpu/core/engine.hpp"
#include "plugin/buffer.hpp"
#include "plugin/gegl/effect_progress.hpp"
#include "plugin/gegl/version.hpp"
#include "plugin/names.hpp"
#include "plugin/plugin_socket.hpp"
#include "plugin/property_name.hpp"
#include "tests/gegl/graph.hpp"
#include "tests/gegl/processes.hpp"
#include "tests/reference/reference.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

/// Lets C++ have no memory while it lives, where `refuses` says so.
class NoMemory {
 public:
  using Refuses = bool (*)(std::size_t size);
  explicit NoMemory(Refuses refuses) { refuses_ = refuses; }
  NoMemory(const NoMemory&) = delete;
  ~NoMemory() { refuses_ = nullptr; }
  static void* allocate(std::size_t size) {
    const Refuses refuses = refuses_;
    const bool refused = refuses != nullptr && refuses(size);
    if (refused) ++refused_;
    void* const memory = refused ? nullptr : std::malloc(size);
    return memory != nullptr ? memory : throw std::bad_alloc{};
  }
  /// How often since this was last asked.
  static int refused() { return refused_.exchange(0); }

  static bool for_much(std::size_t size) { return size > 65536; }
  /// So many allocations, in some thread.
  static void refuse_first(int count, std::size_t spared) { left_ = count, spared_ = spared; }
  static bool the_first(std::size_t size) { return size > 65536 && size != spared_ && left_-- > 0; }
  /// GEGL names its threads so.
  static bool for_threads_of_gegl(std::size_t) {
    char name[16];
    return pthread_getname_np(pthread_self(), name, sizeof name) == 0 &&
           std::string_view{name} == "worker";
  }

 private:
  inline static std::atomic<Refuses> refuses_ = nullptr;
  inline static std::atomic<int> refused_ = 0, left_ = 0;
  inline static std::atomic<std::size_t> spared_ = 0;
};

}  // namespace
}  // namespace cuda_filters

// Also for what the module allocates.
void* operator new(std::size_t size) { return cuda_filters::NoMemory::allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace cuda_filters {
namespace {

class Gegl final : public testing::Environment {
  void SetUp() override {
    g_setenv("XDG_DATA_HOME", "/dev/null", TRUE);  // nobody's installed module
    g_setenv("CUDA_FILTERS_DEVICE", "cpu", FALSE);
    g_log_set_writer_func(Warnings::write, nullptr, nullptr);
    gegl_init(nullptr, nullptr);
    gegl_load_module_directory(MODULE_FOLDER);
  }
  void TearDown() override { gegl_exit(); }
};
const testing::Environment* const gegl = testing::AddGlobalTestEnvironment(new Gegl);

class Operation : public testing::TestWithParam<const FilterEntry*> {
 protected:
  const FilterEntry& filter() const { return *GetParam(); }

  void compare(const Values& values, const char* format_name) {
    const Babl* taken = babl_format(format_name);
    const Job job = make_job(filter(), values);
    const Babl* format = job.plan.adds_alpha ? plugin::with_alpha(taken) : taken;
    const Buffer in = picture(taken);
    const Bytes wanted = expected(job, in, format);
    const Graph whole{filter(), values, in};
    const GeglRectangle area = whole.extent();
    EXPECT_TRUE(gegl_rectangle_equal(&area, &extent));
    EXPECT_EQ(whole.pixels(extent, format), wanted);
    const Graph again{filter(), values, in};
    EXPECT_EQ(again.pixels(extent, format, true), wanted) << "in pieces";
  }
};

TEST_P(Operation, GivesTheBitsOfThePlugIn) {
  for (const Values& values : examples(filter())) {
    compare(values, "R'G'B'A u8");
  }
}

TEST_P(Operation, AsksOtherOperationsForWhatItNeeds) {
  const FilterEntry& invert = *find_filter("invert");
  const Babl* taken = babl_format("R'G'B'A u8");
  const Buffer in = picture(taken), inverted{gegl_buffer_new(&extent, taken)};
  gegl_buffer_set(inverted.get(), &extent, 0, taken,
                  Graph(invert, initial_values(invert), in).pixels(extent, taken).data(),
                  GEGL_AUTO_ROWSTRIDE);
  for (const Values& values : examples(filter())) {
    const Job job = make_job(filter(), values);
    const Babl* format = job.plan.adds_alpha ? plugin::with_alpha(taken) : taken;
    Graph graph{invert, initial_values(invert), in};
    graph.append(filter(), values);
    EXPECT_EQ(graph.pixels(extent, format, true), expected(job, inverted, format));
  }
}

TEST_P(Operation, WorksInEveryFormat) {
  for (const char* format : {"R'G'B' u8", "RGBA u8", "RGB u16", "R'G'B'A u16", "RGBA half",
                             "R'G'B' half", "RGB float", "R'G'B'A float", "R~G~B~A float", "Y' u8",
                             "YA u16", "Y float", "Y'A half", "RGBA u32", "R'G'B'A double"}) {
    SCOPED_TRACE(format);
    compare(examples(filter()).front(), format);
  }
}

std::string filter_name(const testing::TestParamInfo<const FilterEntry*>& info) {
  std::string name = info.param->info.name;
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Operation, testing::ValuesIn(operations()), filter_name);

/// Whatever place, size and format it has, in one go and in pieces.
TEST(Operations, TakeASecondPictureAtTheirPadAux) {
  const Babl* format = babl_format("R'G'B'A u8");
  const Buffer in = picture(format);
  for (const FilterEntry* filter : operations()) {
    if (!filter->takes_aux()) continue;
    for (const GeglRectangle& area :
         {GeglRectangle{-20, 0, 310, 160}, {30, 60, 40, 50}, {-700, 300, 9, 11}})
      for (const char* name : {"R'G'B' u8", "YA half", "RGBA float"}) {
        SCOPED_TRACE(std::string{filter->info.name} + " " + name);
        const Buffer aux = picture(babl_format(name), area);
        const auto with_aux = [&](const Values& values) {
          Job job = make_job(*filter, values, Aux{.x = area.x - extent.x, .y = area.y - extent.y});
          const plugin::PixelFormat aux_format{babl_format(name), job.plan.trc};
          const plugin::Selection all{.area = {0, 0, area.width, area.height}, .mask = Buffer{}};
          job.aux->source =
              std::make_shared<plugin::BufferSource>(aux.get(), aux_format, all, area);
          return expected(job, in, format);
        };
        // A formula need not look at it.
        const std::vector<Values> all = examples(*filter);
        const auto looking = std::ranges::find_if(all, [&](const Values& each) {
          return with_aux(each) != expected(make_job(*filter, each), in, format);
        });
        ASSERT_NE(looking, all.end());
        const Values& values = *looking;
        const Bytes wanted = with_aux(values);
        Graph whole{*filter, values, in};
        whole.set_aux(aux);
        const GeglRectangle result = whole.extent();
        EXPECT_TRUE(gegl_rectangle_equal(&result, &extent));
        EXPECT_EQ(whole.pixels(extent, format), wanted);
        Graph again{*filter, values, in};
        again.set_aux(aux);
        EXPECT_EQ(again.pixels(extent, format, true), wanted) << "in pieces";
      }
  }
}

TEST(Operations, TakeWhatNoDrawableIsStoredIn) {
  const FilterEntry& filter = *find_filter("gaussian-blur");
  const Values values = examples(filter).front();
  const Job job = make_job(filter, values);
  for (const char* name : {"RaGaBaA float", "R'aG'aB'aA u8", "CIE Lab alpha float", "HSVA float"}) {
    SCOPED_TRACE(name);
    const Babl* format = babl_format("RGBA float");
    const Buffer in = picture(babl_format(name));
    const Graph graph{filter, values, in};
    EXPECT_EQ(graph.pixels(extent, format), expected(job, in, format));
  }
  const Babl* palette = nullptr;
  babl_new_palette_with_space("gegl-test", nullptr, &palette, nullptr);
  const Buffer indexed = picture(palette);
  const Babl* format = babl_format("R'G'B' u8");
  EXPECT_EQ(Graph(filter, values, indexed).pixels(extent, format), expected(job, indexed, format));
}

TEST(Operations, TakeInputsWithoutEnd) {
  for (const char* name : {"gaussian-blur", "stretch-contrast", "canny"}) {
    SCOPED_TRACE(name);
    GeglNode* graph = gegl_node_new();
    GeglColor* color = gegl_color_new("#204060");
    GeglNode* plane = gegl_node_new_child(graph, "operation", "gegl:color", "value", color,
                                          "format", babl_format("R'G'B'A u8"), nullptr);
    GeglNode* operation =
        gegl_node_new_child(graph, "operation", (std::string{"cuda:"} + name).c_str(), nullptr);
    gegl_node_link(plane, operation);
    const GeglRectangle area{-1000000, 1000000, 40, 30};
    std::vector<std::uint8_t> pixels(40 * 30 * 4);
    gegl_node_blit(operation, 1.0, &area, babl_format("R'G'B'A u8"), pixels.data(),
                   GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
    const std::vector<std::uint8_t> first(pixels.begin(), pixels.begin() + 4);
    for (std::size_t i = 0; i < pixels.size(); ++i) ASSERT_EQ(pixels[i], first[i % 4]);
    EXPECT_EQ(first[3], 255);
    g_object_unref(color);
    g_object_unref(graph);
  }
}

TEST(Operations, ComputeNothingOfNothing) {
  for (const FilterEntry* filter : operations()) {
    GeglNode* graph = gegl_node_new();
    GeglNode* operation =
        gegl_node_new_child(graph, "operation", name_of(*filter).c_str(), nullptr);
    const GeglRectangle area = gegl_node_get_bounding_box(operation);
    EXPECT_TRUE(gegl_rectangle_is_empty(&area)) << filter->info.name;
    g_object_unref(graph);
  }
}

TEST(Operations, HandThePictureOnWithOneWarningIfValuesDoNotFit) {
  const FilterEntry& filter = *find_filter("threshold");
  const Babl* format = babl_format("R'G'B'A u8");
  const Buffer in = picture(format);
  Warnings::take();
  Graph graph{filter, {0.9, 0.1, 0.0}, in};
  EXPECT_EQ(graph.pixels(extent, format, true), bytes_of(in, format));
  const auto warnings = Warnings::take();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings.front().find("cuda:threshold"), std::string::npos);
  graph.set(filter.params[0], 0.05);
  EXPECT_EQ(graph.pixels(extent, format),
            expected(make_job(filter, Values{0.05, 0.1, 0.0}), in, format));

  const FilterEntry& matrix = *find_filter("convolution-matrix");
  Values values = initial_values(matrix);
  values[0] = std::string{"1,2,x"};
  EXPECT_EQ(Graph(matrix, values, in).pixels(extent, format), bytes_of(in, format));
  EXPECT_EQ(Warnings::take().size(), 1u);
}

/// A dialog that follows the property `error` shows it; nothing is said beside that.
TEST(Operations, WarnOfNothingThatADialogShows) {
  const Babl* format = babl_format("R'G'B'A u8");
  const Buffer in = picture(format);
  Bytes bytes(std::size_t{4} * extent.width * extent.height);
  for (const char* steps : {"no-such-filter", "guided-filter aux=Nowhere"}) {  // refused, failing
    SCOPED_TRACE(steps);
    GeglNode* graph = gegl_node_new();
    GeglNode* source =
        gegl_node_new_child(graph, "operation", "gegl:buffer-source", "buffer", in.get(), nullptr);
    GeglNode* node = gegl_node_new_child(graph, "operation", "cuda:chain", "steps", steps, nullptr);
    gegl_node_link(source, node);
    std::string shown;
    g_signal_connect(node, "notify::error",
                     G_CALLBACK(+[](GeglNode* changed, GParamSpec*, std::string* to) {
                       gchar* text = nullptr;
                       gegl_node_get(changed, "error", &text, nullptr);
                       *to = text;
                       g_free(text);
                     }),
                     &shown);
    Warnings::take();
    gegl_node_blit(node, 1.0, &extent, format, bytes.data(), GEGL_AUTO_ROWSTRIDE,
                   GEGL_BLIT_DEFAULT);
    EXPECT_EQ(Warnings::take(), std::vector<std::string>{});
    while (g_main_context_iteration(nullptr, FALSE)) {
    }
    EXPECT_NE(shown, "");
    g_object_unref(graph);
  }
}

TEST(Operations, FollowTheirInputAndTheirProperties) {
  const Babl* format = babl_format("R'G'B' u8");
  for (const auto& [name, values] : {std::pair<const char*, Values>{"stretch-contrast", {0.0, 1.0}},
                                     {"gaussian-blur", {7.0, 9.0, 3.0}},
                                     {"sobel", {1.0, 2.0, 3.0, 1.0}}}) {
    SCOPED_TRACE(name);
    const FilterEntry& filter = *find_filter(name);
    const Buffer in = picture(format);
    paint(in, extent, "#505050");
    paint(in, {extent.x, extent.y, extent.width, 60}, "#a0b0c0");
    Graph graph{filter, initial_values(filter), in};
    EXPECT_EQ(graph.pixels(extent, format),
              expected(make_job(filter, initial_values(filter)), in, format));
    for (std::size_t i = 0; i < values.size(); ++i) graph.set(filter.params[i], values[i]);
    const Job job = make_job(filter, values);
    EXPECT_EQ(graph.pixels(extent, format), expected(job, in, format)) << "other values";
    paint(in, {extent.x, extent.y, 9, 9}, "#ffee00");
    EXPECT_EQ(graph.pixels(extent, format, true), expected(job, in, format)) << "other pixels";
  }
}

TEST(Operations, HandThePictureOnIfAThreadOfGeglHasNoMemory) {
  gint threads = 0;
  g_object_get(gegl_config(), "threads", &threads, nullptr);
  g_object_set(gegl_config(), "threads", 4, nullptr);
  const FilterEntry& filter = *find_filter("matte-invert");
  const Values values = initial_values(filter);
  constexpr GeglRectangle area{0, 0, 1500, 1200};
  const Buffer in = picture(babl_format("R'G'B' u8"), area);
  const Babl* format = babl_format("R'G'B'A u8");
  Warnings::take(), NoMemory::refused();
  {
    const Graph graph{filter, values, in};
    const NoMemory none{NoMemory::for_threads_of_gegl};
    EXPECT_EQ(graph.pixels(area, format), bytes_of(in, format));
  }
  EXPECT_GT(NoMemory::refused(), 0);
  EXPECT_EQ(Warnings::take().size(), 1u);
  EXPECT_EQ(Graph(filter, values, in).pixels(area, format),
            expected(make_job(filter, values), in, format));
  g_object_set(gegl_config(), "threads", threads, nullptr);
}

/// Neighbors that cannot run as one do one after the other, and one that cannot hands its input on.
TEST(Operations, RunOneByOneIfTheyCannotAsOne) {
  const Babl* format = babl_format("R'G'B'A u8");
  constexpr GeglRectangle area{0, 0, 600, 500};
  const Buffer in = picture(format, area);
  const FilterEntry &blur = *find_filter("box-blur"), &edges = *find_filter("sobel");
  const auto pixels_of = [&](std::vector<const FilterEntry*> filters, int refused) {
    Graph graph{in};
    for (const FilterEntry* filter : filters) graph.append(*filter, initial_values(*filter));
    NoMemory::refuse_first(refused, std::size_t{4} * area.width * area.height);
    const NoMemory none{NoMemory::the_first};
    return graph.pixels(area, format);
  };
  const Bytes both = pixels_of({&blur, &edges}, 0), handed_on = bytes_of(in, format);
  const Bytes blurred = pixels_of({&blur}, 0), only_edges = pixels_of({&edges}, 0);
  const test::Variable verbose{"CUDA_FILTERS_VERBOSE", "1"};
  Warnings::take(), NoMemory::refused();
  int one_by_one = 0, failures = 0;
  for (int refused = 1;; ++refused) {
    SCOPED_TRACE(refused);
    testing::internal::CaptureStderr();
    const Bytes got = pixels_of({&blur, &edges}, refused);
    const std::string lines = testing::internal::GetCapturedStderr();
    if (NoMemory::refused() < refused) break;
    if (got == both && lines.find(" as one on ") == std::string::npos) ++one_by_one;
    if (got != both) ++failures;
    EXPECT_TRUE(got == both || got == blurred || got == only_edges || got == handed_on);
  }
  EXPECT_GT(one_by_one, 0);
  EXPECT_GT(failures, 0);
  EXPECT_FALSE(Warnings::take().empty());
}

/// A process that waits for an operation of this one, as the plug-in does in GIMP.
class Waiting {
 public:
  Waiting()
      : process_{test::start([this] {
          plugin::PluginSocket plugin_socket;
          if (!open_.give() || !came_.await()) return 100;
          const bool claimed = plugin_socket.claim();
          if (!tried_.give() || !end_.await()) return 101;
          int heard = claimed ? 1 : 0;
          while (const auto message = plugin_socket.take())
            heard += message->topic == plugin::Topic::device ? 2 : 10;
          return heard;
        })} {
    EXPECT_TRUE(open_.await());
  }
  void claim() { EXPECT_TRUE(came_.give() && tried_.await()); }
  void die() {
    kill(process_, SIGKILL);
    EXPECT_EQ(test::status_of(process_), -1);
  }
  static constexpr int nothing = 0, all = 1 + 2, failure = 1 + 10;
  /// What it has heard.
  int end() { return end_.give() ? test::status_of(process_) : -1; }

 private:
  const test::Signal open_, came_, tried_, end_;
  pid_t process_;
};

class OperationThatIsWaitedFor : public testing::Test {
 protected:
  void SetUp() override { Warnings::take(); }
  Bytes pixels(const GeglRectangle& area = extent) const { return graph.pixels(area, format); }
  Bytes wanted() const { return expected(make_job(filter, values), in, format); }

  const FilterEntry& filter = *find_filter("gaussian-blur");
  const Values values{7.0, 9.0, 3.0};
  const Babl* format = babl_format("R'G'B'A u8");
  const Buffer in = picture(format);
  Waiting plugin;
  const Graph graph{filter, values, in};
  static constexpr GeglRectangle part{extent.x, extent.y, 70, 50};
};

TEST_F(OperationThatIsWaitedFor, GivesOneResultWhateverIsAskedFor) {
  plugin.claim();
  const Bytes result = wanted();
  pixels(part);
  paint(in, extent, "#ffee00");  // GEGL forgets what it has
  EXPECT_EQ(pixels(), result);
  EXPECT_EQ(plugin.end(), Waiting::all);
}

TEST_F(OperationThatIsWaitedFor, FailsForGood) {
  plugin.claim();
  {
    const NoMemory none{NoMemory::for_much};
    pixels(part);
  }
  EXPECT_GT(NoMemory::refused(), 0);
  paint(in, {extent.x, extent.y, 9, 9}, "#ffee00");
  EXPECT_EQ(pixels(), bytes_of(in, format));
  EXPECT_EQ(plugin.end(), Waiting::failure);
  EXPECT_EQ(Warnings::take(), std::vector<std::string>{});
}

/// A run that nobody waits for any more is cancelled, about which there is nothing to say; one that
/// has come to its end would be told of on the terminal.
TEST_F(OperationThatIsWaitedFor, EndsWithThePlugin) {
  plugin.claim();
  plugin.die();
  const test::Variable verbose{"CUDA_FILTERS_VERBOSE", "1"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(pixels(), bytes_of(in, format));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(Warnings::take(), std::vector<std::string>{});
}

TEST_F(OperationThatIsWaitedFor, IsAsAnyOtherIfItIsNot) {
  const Graph other{filter, values, in};
  EXPECT_EQ(pixels(part), other.pixels(part, format));
  plugin.claim();
  EXPECT_EQ(pixels(), wanted());
  EXPECT_EQ(plugin.end(), Waiting::nothing);
  EXPECT_EQ(other.pixels(extent, format, true), wanted());
  const Buffer in_part{gegl_buffer_create_sub_buffer(in.get(), &part)};
  const Bytes unchanged = bytes_of(in_part, format);
  const NoMemory none{NoMemory::for_much};
  EXPECT_EQ(Graph(filter, values, in).pixels(part, format), unchanged);
  EXPECT_EQ(Warnings::take().size(), 1u);
}

/// Every way in which GEGL lets somebody change the first or the last pixel of a buffer.
const std::vector<std::pair<const char*, void (*)(GeglBuffer*)>> changes{
    {"set",
     [](GeglBuffer* buffer) {
       const GeglRectangle& all = *gegl_buffer_get_extent(buffer);
       const GeglRectangle pixel{all.x + all.width - 1, all.y + all.height - 1, 1, 1};
       const std::uint8_t color[4]{1, 2, 3, 255};
       gegl_buffer_set(buffer, &pixel, 0, babl_format("R'G'B'A u8"), color, GEGL_AUTO_ROWSTRIDE);
     }},
    {"set color",
     [](GeglBuffer* buffer) {
       const GeglRectangle& all = *gegl_buffer_get_extent(buffer);
       const GeglRectangle pixel{all.x, all.y, 1, 1};
       GeglColor* color = gegl_color_new("#123456");
       gegl_buffer_set_color(buffer, &pixel, color);
       g_object_unref(color);
     }},
    {"iterator",
     [](GeglBuffer* buffer) {
       const GeglRectangle& all = *gegl_buffer_get_extent(buffer);
       const GeglRectangle pixel{all.x, all.y, 1, 1};
       GeglBufferIterator* iterator = gegl_buffer_iterator_new(
           buffer, &pixel, 0, babl_format("R'G'B'A u8"), GEGL_ACCESS_READWRITE, GEGL_ABYSS_NONE, 1);
       while (gegl_buffer_iterator_next(iterator))
         *static_cast<std::uint8_t*>(iterator->items[0].data) ^= 1;
     }},
    {"copy",
     [](GeglBuffer* buffer) {
       const GeglRectangle& all = *gegl_buffer_get_extent(buffer);
       const GeglRectangle from{all.x + 5, all.y + 5, 1, 1}, to{all.x, all.y, 1, 1};
       gegl_buffer_copy(buffer, &from, GEGL_ABYSS_NONE, buffer, &to);
     }},
    {"copy of whole tiles",
     [](GeglBuffer* buffer) {
       const GeglRectangle& all = *gegl_buffer_get_extent(buffer);
       const Buffer other{gegl_buffer_new(&all, gegl_buffer_get_format(buffer))};
       paint(other, all, "#ffee00");
       gegl_buffer_copy(other.get(), &all, GEGL_ABYSS_NONE, buffer, &all);
     }},
    {"clear",
     [](GeglBuffer* buffer) {
       const GeglRectangle& all = *gegl_buffer_get_extent(buffer);
       const GeglRectangle pixel{all.x, all.y, 1, 1};
       gegl_buffer_clear(buffer, &pixel);
     }},
    {"clear of whole tiles", [](GeglBuffer* buffer) { gegl_buffer_clear(buffer, nullptr); }},
    {"sampler's hot tile", [](GeglBuffer* buffer) {
       const GeglRectangle& all = *gegl_buffer_get_extent(buffer);
       const GeglRectangle pixel{all.x + 3, all.y + 3, 1, 1};
       std::uint8_t color[4];
       const Babl* format = babl_format("R'G'B'A u8");
       gegl_buffer_get(buffer, &pixel, 1.0, format, color, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
       color[1] ^= 1;
       gegl_buffer_set(buffer, &pixel, 0, format, color, GEGL_AUTO_ROWSTRIDE);
     }}};

class Versions : public testing::Test {
 protected:
  using Known = std::shared_ptr<const Version>;

  Known version(const Buffer& buffer) const {
    return plugin::version_of(buffer.get(), *gegl_buffer_get_extent(buffer.get()), format);
  }
  static bool equal(const Known& a, const Known& b) {
    return a != nullptr && b != nullptr && a->equals(*b) && b->equals(*a);
  }
  static Buffer part(const Buffer& buffer, const GeglRectangle& area) {
    return Buffer{gegl_buffer_create_sub_buffer(buffer.get(), &area)};
  }

  const Babl* format = babl_format("R'G'B'A u8");
  Buffer in = picture(format);
};

TEST_F(Versions, AreEqualWhileNobodyWrites) {
  const Known first = version(in);
  EXPECT_TRUE(equal(first, version(in)));
  bytes_of(in, format);
  bytes_of(in, babl_format("RGBA float"));
  EXPECT_TRUE(equal(first, version(in)));
  EXPECT_TRUE(equal(version(part(in, extent)), first));
  const Buffer copy{gegl_buffer_dup(in.get())};
  EXPECT_TRUE(equal(first, version(in)));
}

TEST_F(Versions, DifferAfterEveryChange) {
  for (const auto& [name, change] : changes) {
    SCOPED_TRACE(name);
    in = picture(format);
    const Known first = version(in);
    change(in.get());
    const Known second = version(in);
    EXPECT_FALSE(equal(first, second));
    change(part(in, extent).get());
    EXPECT_FALSE(equal(second, version(in))) << "through a part of it";
    // A copy has its tiles in common with the original until one of them is written.
    const Buffer copy{gegl_buffer_dup(in.get())};
    const Known original = version(in), copied = version(copy);
    EXPECT_TRUE(equal(original, copied));
    change(copy.get());
    EXPECT_TRUE(equal(original, version(in)));
    EXPECT_FALSE(equal(copied, version(copy)));
    change(in.get());
    EXPECT_FALSE(equal(original, version(in)));
  }
}

TEST_F(Versions, AreThoseOfAnAreaAndAFormat) {
  const GeglRectangle left{extent.x, extent.y, 200, extent.height};
  const Known whole = version(in), some = version(part(in, left));
  EXPECT_FALSE(equal(whole, some));
  EXPECT_TRUE(equal(some, plugin::version_of(in.get(), left, format)));
  EXPECT_FALSE(equal(whole, plugin::version_of(in.get(), extent, babl_format("RGBA u8"))));
  GeglRectangle moved = extent;
  ++moved.x;
  EXPECT_FALSE(equal(whole, plugin::version_of(in.get(), moved, format)));
  gegl_buffer_set_format(in.get(), babl_format("RGBA u8"));
  EXPECT_FALSE(equal(whole, version(in)));
}

TEST_F(Versions, DifferFromThoseOfABufferThatWasThere) {
  const Known gone = version(in);
  for (int i = 0; i < 20; ++i) {
    in = Buffer{};
    in = picture(format);
    changes.front().second(in.get());
    EXPECT_FALSE(equal(gone, version(in)));
  }
}

TEST_F(Versions, OutliveTheirBuffer) {
  Known known = version(in);
  in = Buffer{};
  EXPECT_TRUE(known->equals(*known));
}

TEST_F(Versions, AreUnknownOfPixelsThatMayChangeBehindGegl) {
  std::vector<std::uint8_t> pixels(std::size_t{600} * 400 * 4);
  const GeglRectangle area{0, 0, 600, 400};
  const Buffer linear{
      gegl_buffer_linear_new_from_data(pixels.data(), format, &area, 0, nullptr, nullptr)};
  EXPECT_EQ(version(linear), nullptr);
  EXPECT_EQ(version(part(linear, {10, 10, 300, 300})), nullptr);
  EXPECT_EQ(plugin::version_of(in.get(), {5000, 0, 100, 100}, format), nullptr);
}

TEST_F(Versions, AreTakenWhileOtherThreadsReadAndWrite) {
  in = picture(format, {0, 0, 900, 700});
  std::atomic<bool> ends = false;
  std::vector<std::jthread> threads;
  threads.emplace_back([&] {
    while (!ends) changes.front().second(in.get());  // in another tile
  });
  threads.emplace_back([&] {
    while (!ends) bytes_of(in, format);
  });
  threads.emplace_back([&] {
    while (!ends) version(in);
  });
  // Never are versions equal of which one was taken before a write, the other one after it.
  for (int i = 0; i < 300; ++i) {
    const Known before = version(in);
    changes[2].second(in.get());
    EXPECT_FALSE(equal(before, version(in)));
  }
  ends = true;
}

TEST(Operations, KeepTheirInputOnAGpuAsLongAsItIsTheSame) {
  const test::Variable device{"CUDA_FILTERS_DEVICE", "0"}, verbose{"CUDA_FILTERS_VERBOSE", "1"};
  SKIP_WITHOUT("cuda");
  const Babl* format = babl_format("R'G'B'A u8");
  const FilterEntry& filter = *find_filter("gaussian-blur");
  const GeglRectangle area{3, 4, 4000, 3000};
  const Buffer in = picture(format, area);
  Graph graph{filter, {2.0, 3.0, 0.0}, in};
  double radius = 2.0;
  /// Whether pixels were read; copying so many takes at least a millisecond.
  const auto reads = [&] {
    radius += 0.25;
    graph.set(filter.params[0], radius);
    testing::internal::CaptureStderr();
    const Bytes pixels = graph.pixels(area, format);
    const std::string line = testing::internal::GetCapturedStderr();
    EXPECT_NE(line.find("cuda:gaussian-blur on"), std::string::npos) << line;
    EXPECT_TRUE(pixels == expected(make_job(filter, Values{radius, 3.0, 0.0}), in, format));
    return line.find("read 0.000 s") == std::string::npos;
  };
  EXPECT_TRUE(reads());
  for (const auto& [name, change] : changes) {
    SCOPED_TRACE(name);
    EXPECT_FALSE(reads());
    change(in.get());
    EXPECT_TRUE(reads());
  }
}

/// Has operations run on one device, and expects that they need no other one.
class OnDevice : public testing::Test {
 protected:
  void prefer(const std::string& name) {
    device_.emplace("CUDA_FILTERS_DEVICE", name == "cpu" ? "cpu" : "0");
    Warnings::take();
  }
  void TearDown() override { EXPECT_EQ(Warnings::take(), std::vector<std::string>{}); }

 private:
  std::optional<test::Variable> device_;
};

class OnEachDevice : public OnDevice, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override { prefer(GetParam()); }
};

TEST_P(OnEachDevice, OperationsRunInSeveralThreadsAtOnce) {
  SKIP_WITHOUT(GetParam());
  const Babl* format = babl_format("R'G'B'A u16");
  const Buffer in = picture(format, {0, 0, 200, 300});
  std::vector<Bytes> wanted;
  for (const FilterEntry* filter : operations())
    wanted.push_back(expected(make_job(*filter, examples(*filter).front()), in, format));
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  for (std::size_t shift = 0; shift < 4; ++shift)
    threads.emplace_back([&, shift] {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::size_t at = (i + 6 * shift) % wanted.size();
        const FilterEntry& filter = *operations()[at];
        const Graph graph{filter, examples(filter).front(), in};
        if (graph.pixels({0, 0, 200, 300}, format, shift == 1) != wanted[at]) ++wrong;
      }
    });
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(All, OnEachDevice, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return info.param; });

class OnGpu : public OnDevice {
 protected:
  void SetUp() override { prefer("cuda"); }
};

class OperationOnGpu : public OnGpu, public testing::WithParamInterface<const FilterEntry*> {};

TEST_P(OperationOnGpu, GivesThePictureOfTheCpu) {
  SKIP_WITHOUT("cuda");
  const FilterEntry& filter = *GetParam();
  for (const auto& [name, type] :
       {std::pair{"R'G'B'A u8", SampleType::u8}, std::pair{"R'G'B'A u16", SampleType::u16}})
    for (const Values& values : examples(filter)) {
      const Babl* format = babl_format(name);
      const Buffer in = picture(format);
      MemoryImage on_gpu{extent.width, extent.height, {type, true, true}}, on_cpu = on_gpu;
      on_gpu.codes() = Graph{filter, values, in}.pixels(extent, format, true);
      {
        const test::Variable cpu{"CUDA_FILTERS_DEVICE", "cpu"};
        on_cpu.codes() = Graph{filter, values, in}.pixels(extent, format);
      }
      const bool divided = make_job(filter, values).plan.alpha == Alpha::premultiplied;
      EXPECT_LE(test::worst_difference(on_gpu, on_cpu, divided), test::allowed_difference(type))
          << name;
    }
}

INSTANTIATE_TEST_SUITE_P(All, OperationOnGpu, testing::ValuesIn(operations()), filter_name);

/// Waits for up to a minute, while what GLib's main loop has to do is done.
bool comes_true(const std::function<bool()>& condition) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::minutes{1};
  while (!condition()) {
    if (Clock::now() > end) return false;
    while (g_main_context_iteration(nullptr, FALSE) == TRUE) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  return true;
}

TEST_F(OnGpu, OperationsGiveTheMemoryOfTheGpuBackAfterAWhile) {
  SKIP_WITHOUT("cuda");
  const FilterEntry& filter = *find_filter("gaussian-blur");
  const Babl* format = babl_format("RGBA float");
  constexpr std::size_t much = std::size_t{32} << 20;
  const int gpu = choose_device().gpu;
  const auto blur = [&] {
    constexpr GeglRectangle area{0, 0, 3000, 3000};
    const Buffer in{gegl_buffer_new(&area, format)};
    paint(in, area, "#204060");
    Graph(filter, {300.0, 300.0, 0.0}, in).pixels(area, format);
  };
  blur();
  const std::size_t while_cached = free_memory(gpu);
  EXPECT_TRUE(comes_true([&] { return free_memory(gpu) >= while_cached + much; }));
  const std::size_t given_back = free_memory(gpu);
  blur();
  EXPECT_LE(free_memory(gpu) + much, given_back) << "for the next run it should be kept";
}

/// A property as scripts and stored pictures rely on it, and as GIMP shows it.
std::string description(GParamSpec* spec) {
  std::string text = format_text("  %s", g_param_spec_get_name(spec));
  if (GEGL_IS_PARAM_SPEC_DOUBLE(spec)) {
    const auto* plain = G_PARAM_SPEC_DOUBLE(spec);
    const auto* shown = GEGL_PARAM_SPEC_DOUBLE(spec);
    text +=
        format_text(" number %g to %g, initially %g; slider %g to %g, steps %g and %g, %d digits",
                    plain->minimum, plain->maximum, plain->default_value, shown->ui_minimum,
                    shown->ui_maximum, shown->ui_step_small, shown->ui_step_big, shown->ui_digits);
  } else if (GEGL_IS_PARAM_SPEC_INT(spec)) {
    const auto* plain = G_PARAM_SPEC_INT(spec);
    const auto* shown = GEGL_PARAM_SPEC_INT(spec);
    text += format_text(" integer %d to %d, initially %d; slider %d to %d, steps %d and %d",
                        plain->minimum, plain->maximum, plain->default_value, shown->ui_minimum,
                        shown->ui_maximum, shown->ui_step_small, shown->ui_step_big);
  } else if (G_IS_PARAM_SPEC_BOOLEAN(spec)) {
    text += format_text(" yes or no, initially %s",
                        G_PARAM_SPEC_BOOLEAN(spec)->default_value ? "yes" : "no");
  } else if (G_IS_PARAM_SPEC_ENUM(spec)) {
    const auto* choice = G_PARAM_SPEC_ENUM(spec);
    text += " one of";
    for (guint i = 0; i < choice->enum_class->n_values; ++i)
      text += format_text(" %s", choice->enum_class->values[i].value_nick);
    text +=
        format_text(", initially %s", choice->enum_class->values[choice->default_value].value_nick);
  } else if (G_IS_PARAM_SPEC_STRING(spec)) {
    text += format_text(" text, initially '%s'", G_PARAM_SPEC_STRING(spec)->default_value);
  }
  for (const char* key : {"unit", "axis", "sensitive"})
    if (const char* value = gegl_param_spec_get_property_key(spec, key); value != nullptr)
      text += format_text("; %s %s", key, value);
  return text + '\n';
}

bool takes_aux(const std::string& operation) {
  GeglNode* graph = gegl_node_new();
  GeglNode* node = gegl_node_new_child(graph, "operation", operation.c_str(), nullptr);
  const bool takes = gegl_node_has_pad(node, "aux");
  g_object_unref(graph);
  return takes;
}

/// The working values are those of the formula, not of one of babl's conversions: which of these is
/// used depends on how fast they were when the process tried them.
TEST(PixelFormats, HaveTheSameCurvesInEveryProcess) {
  using Kind = Transfer::Kind;
  for (const char* name : {"R'G'B'A u8", "Y' u8", "R'G'B' u16", "RGB u8", "YA u16"}) {
    SCOPED_TRACE(name);
    const bool is_linear = !std::strchr(name, '\'');
    const plugin::PixelFormat format{babl_format(name), is_linear ? Trc::perceptual : Trc::linear};
    const Curve wanted{format.encoding.format.type, [&](double code) {
                         return static_cast<float>(value_of(
                             {is_linear ? Kind::linear_to_srgb : Kind::srgb_to_linear}, code));
                       }};
    for (const auto& curve : format.encoding.curves) {
      EXPECT_EQ(curve->values, wanted.values);
      EXPECT_EQ(curve->thresholds, wanted.thresholds);
    }
  }
}

TEST(Operations, AreThoseOfTheList) {
  std::string found;
  guint count = 0;
  gchar** names = gegl_list_operations(&count);
  for (const std::string name : std::span{names, count}) {
    if (!name.starts_with("cuda:")) continue;
    found += name + '\n';
    guint properties = 0;
    GParamSpec** specs = gegl_operation_list_properties(name.c_str(), &properties);
    ASSERT_GT(properties, 0u);
    std::string others;
    for (GParamSpec* spec : std::span{specs, properties}) {
      const std::string property = spec->name;
      if (property == "error" || property == "has-error" || property == "has-alpha")
        others += property + ' ';
      else
        found += description(spec);
    }
    EXPECT_TRUE(others == "error has-error " || others == "error has-error has-alpha ")
        << name << ": " << others;
    g_free(specs);
    if (takes_aux(name)) found += "  aux a second picture\n";
  }
  g_free(names);
  std::ifstream file{OPERATIONS_LIST};
  std::ostringstream listed;
  listed << file.rdbuf();
  EXPECT_EQ(found, listed.str()) << "Names, ranges and choices are a promise to stored pictures.";
}

/// GIMP hides properties that are called as pads are, and warns of expressions about any others but
/// toggles and choices.
TEST(Operations, HaveExpressionsThatGimpUnderstands) {
  const std::regex term{R"(([a-z][a-z0-9-]*)( \{([a-z][a-z0-9-]*)\})?)"};
  int expressions = 0;
  for (const FilterEntry* filter : operations()) {
    const std::string name = name_of(*filter);
    guint count = 0;
    GParamSpec** specs = gegl_operation_list_properties(name.c_str(), &count);
    std::map<std::string, GParamSpec*> properties;
    for (GParamSpec* spec : std::span{specs, count}) properties[spec->name] = spec;
    EXPECT_FALSE(properties.contains("input") || properties.contains("output")) << name;
    for (const auto& [property, spec] : properties)
      for (const char* key : {"sensitive", "visible"}) {
        const char* value = gegl_param_spec_get_property_key(spec, key);
        if (value == nullptr) continue;
        ++expressions;
        const std::string text = value;
        EXPECT_EQ(std::regex_replace(text, term, "").find_first_not_of("!&| "), std::string::npos)
            << text;
        for (std::sregex_iterator found{text.begin(), text.end(), term}, end; found != end;
             ++found) {
          SCOPED_TRACE(name + ' ' + property + ": " + text);
          ASSERT_TRUE(properties.contains((*found)[1]));
          GParamSpec* other = properties[(*found)[1]];
          EXPECT_NE(other, spec);
          EXPECT_EQ(G_IS_PARAM_SPEC_BOOLEAN(other), !(*found)[2].matched);
          if ((*found)[2].matched) {
            ASSERT_TRUE(G_IS_PARAM_SPEC_ENUM(other));
            EXPECT_NE(g_enum_get_value_by_nick(G_PARAM_SPEC_ENUM(other)->enum_class,
                                               (*found)[3].str().c_str()),
                      nullptr);
          }
        }
      }
    g_free(specs);
  }
  EXPECT_GT(expressions, 0);
}

/// What an operation gives for its property `error`, and how often it has said that this changes.
class ShownError {
 public:
  explicit ShownError(GeglNode* node) : node_{node} {
    GeglOperation* operation = gegl_node_get_gegl_operation(node);
    g_signal_connect(operation, "notify::error", G_CALLBACK(count), &changes_);
  }
  std::string text() const {
    gchar* text = nullptr;
    gegl_node_get(node_, "error", &text, nullptr);
    const std::string copy = text != nullptr ? text : "";
    g_free(text);
    return copy;
  }
  int changes() {
    while (g_main_context_iteration(nullptr, FALSE)) {
    }
    return std::exchange(changes_, 0);
  }

 private:
  static void count(GObject*, GParamSpec*, gpointer changes) { ++*static_cast<int*>(changes); }
  GeglNode* node_;
  int changes_ = 0;
};

TEST(Operations, SayWhatIsWrong) {
  GeglNode* graph = gegl_node_new();
  GeglNode* node = gegl_node_new_child(graph, "operation", "cuda:canny", nullptr);
  ShownError error{node};
  EXPECT_EQ(error.text(), "");
  gegl_node_set(node, "low-threshold", 500.0, nullptr);
  EXPECT_EQ(
      error.text(),
      "The parameter 'Low threshold' is 500,\nbut must be below 'High threshold',\nwhich is 130.");
  EXPECT_EQ(error.changes(), 1);
  gegl_node_set(node, "sigma", 2.0, nullptr);
  EXPECT_EQ(error.changes(), 0);
  gegl_node_set(node, "error", "", nullptr);  // as a preset would
  EXPECT_GT(error.changes(), 0);
  EXPECT_NE(error.text(), "");
  gegl_node_set(node, "low-threshold", 70.0, nullptr);
  EXPECT_EQ(error.text(), "");
  EXPECT_EQ(error.changes(), 1);
  g_object_unref(graph);
}

/// What parameters apply to a picture with alpha only, dialogs know by a property.
TEST(Operations, TellWhetherThePictureHasAlpha) {
  const auto has_alpha = [](GeglNode* node) {
    while (g_main_context_iteration(nullptr, FALSE)) {
    }
    gboolean has = FALSE;
    gegl_node_get(node, "has-alpha", &has, nullptr);
    return has != FALSE;
  };
  GeglNode* graph = gegl_node_new();
  GeglNode* node = gegl_node_new_child(graph, "operation", "cuda:median-blur", nullptr);
  bool has_alpha_before = has_alpha(node);
  EXPECT_TRUE(has_alpha_before);
  int changes = 0;
  g_signal_connect_swapped(gegl_node_get_gegl_operation(node), "notify::has-alpha",
                           G_CALLBACK(+[](int* count) { ++*count; }), &changes);
  for (const char* format : {"R'G'B' u8", "Y float", "YA float"}) {
    SCOPED_TRACE(format);
    const Buffer in = picture(babl_format(format));
    GeglNode* source =
        gegl_node_new_child(graph, "operation", "gegl:buffer-source", "buffer", in.get(), nullptr);
    gegl_node_link(source, node);
    gegl_node_process(node);
    const bool wanted = babl_format_has_alpha(babl_format(format));
    EXPECT_EQ(has_alpha(node), wanted);
    EXPECT_EQ(changes, wanted == has_alpha_before ? 0 : 1);
    gegl_node_set(node, "has-alpha", wanted ? FALSE : TRUE, nullptr);  // as a preset would
    changes = 0;
    EXPECT_EQ(has_alpha(node), wanted);
    EXPECT_EQ(changes, 1);
    has_alpha_before = wanted;
    changes = 0;
  }
  g_object_unref(graph);
}

/// A run that fails says so, too, until one succeeds.
TEST(Operations, SayHowTheyFailed) {
  const Buffer in = picture(babl_format("R'G'B'A u8"));
  GeglNode* graph = gegl_node_new();
  GeglNode* source =
      gegl_node_new_child(graph, "operation", "gegl:buffer-source", "buffer", in.get(), nullptr);
  GeglNode* node = gegl_node_new_child(graph, "operation", "cuda:chain", "steps",
                                       "guided-filter aux=Nowhere", nullptr);
  gegl_node_link(source, node);
  ShownError error{node};
  EXPECT_EQ(error.text(), "");
  Bytes bytes(std::size_t{4} * extent.width * extent.height);
  const auto compute = [&] {
    gegl_node_blit(node, 1.0, &extent, babl_format("R'G'B'A u8"), bytes.data(), GEGL_AUTO_ROWSTRIDE,
                   GEGL_BLIT_DEFAULT);
  };
  compute();
  EXPECT_NE(error.text().find("Nowhere"), std::string::npos) << error.text();
  EXPECT_EQ(error.changes(), 1);
  EXPECT_EQ(bytes, bytes_of(in, babl_format("R'G'B'A u8")));
  gegl_node_set(node, "steps", "invert", nullptr);
  EXPECT_EQ(error.text(), "");
  compute();
  EXPECT_EQ(error.text(), "");
  g_object_unref(graph);
}

/// What a node tells of its progress while a run is as far as told after so many milliseconds.
std::vector<double> told_progress(const std::vector<std::pair<int, double>>& run) {
  GeglNode* graph = gegl_node_new();
  GeglNode* node = gegl_node_new_child(graph, "operation", "cuda:invert", nullptr);
  std::vector<double> told;
  g_signal_connect(node, "progress",
                   G_CALLBACK(+[](GeglNode*, double value, std::vector<double>* values) {
                     values->push_back(value);
                   }),
                   &told);
  {
    const plugin::EffectProgress::Time begin{};
    plugin::EffectProgress progress{gegl_node_get_gegl_operation(node), begin};
    for (const auto& [milliseconds, fraction] : run)
      progress.update(fraction, begin + std::chrono::milliseconds{milliseconds});
  }
  g_object_unref(graph);
  return told;
}

TEST(EffectProgress, TellsOfLongRunsInTheThreadOfTheMainLoop) {
  const std::vector<std::pair<int, double>> run{{100, 0.1}, {700, 0.4}, {750, 0.45},
                                                {900, 0.5}, {990, 0.9}, {1100, 1.0}};
  EXPECT_TRUE(told_progress(run).empty());  // nobody runs a main loop
  ASSERT_TRUE(g_main_context_acquire(g_main_context_default()));
  EXPECT_EQ(told_progress(run), (std::vector{0.0, 0.4, 0.5, 1.0}));
  EXPECT_TRUE(told_progress({{100, 0.1}, {690, 0.9}}).empty());
  std::vector<double> elsewhere;
  std::thread{[&] { elsewhere = told_progress(run); }}.join();
  EXPECT_TRUE(elsewhere.empty());
  g_main_context_release(g_main_context_default());
}

TEST(Operations, TellGimpWhereTheyStand) {
  for (const FilterEntry* filter : operations()) {
    const std::string name = name_of(*filter);
    const auto key = [&](const char* key) {
      const char* value = gegl_operation_get_key(name.c_str(), key);
      return std::string{value != nullptr ? value : ""};
    };
    EXPECT_EQ(key("gimp:menu-path"),
              plugin::shown_path(plugin::names_of(filter->info.category).path));
    EXPECT_EQ(key("gimp:menu-label"), filter->info.label);
    EXPECT_EQ(key("title"), std::string{filter->info.title} + " (CUDA)");
    EXPECT_EQ(key("description"), filter->info.blurb);
    EXPECT_NE(key("categories"), "");
    const bool adds_alpha = make_job(*filter, initial_values(*filter)).plan.adds_alpha;
    EXPECT_EQ(key("needs-alpha"), adds_alpha ? "true" : "");
  }
}

}  // namespace
}  // namespace cuda_filters
