// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The engine's own work: bands, fallback, cancelling, errors. The pixels are the conformance
// tests' business.
#include "gpu/core/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <latch>

#include "gpu/algorithms/box/box_filter.hpp"
#include "gpu/core/chain.hpp"
#include "gpu/core/devices.hpp"
#include "gpu/core/measure.hpp"
#include "gpu/cpu/exec.hpp"
#include "gpu/cpu/parallel.hpp"
#include "tests/reference/reference.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/entry.hpp"
#include "tests/support/pictures.hpp"
#include "tests/support/plates.hpp"

namespace cuda_filters {
namespace {

enum class Failure { memory, device, missing };

/// A device that claims to be a GPU and fails at chosen calls of process().
class Faulty final : public test::Wrapped {
 public:
  Faulty(Failure failure, int first, int last, std::vector<int>* heights)
      : Wrapped{make_cpu_backend()},
        failure_{failure},
        first_{first},
        last_{last},
        heights_{heights} {}
  std::string device() const override { return "faulty"; }
  bool is_gpu() const override { return true; }
  std::size_t budget() const override { return std::size_t{4} * 256 * row_bytes; }
  void process(const Band& band) override {
    const int call = call_++;
    heights_->push_back(band.out.height);
    if (call >= first_ && call <= last_) {
      if (failure_ == Failure::memory) throw DeviceMemoryError{"No room."};
      if (failure_ == Failure::missing) throw NoDeviceError{"It is not there."};
      throw DeviceError{"It broke."};
    }
    Wrapped::process(band);
  }
  static constexpr std::size_t row_bytes = 64 * 4;

 private:
  Failure failure_;
  int first_, last_;
  std::vector<int>* heights_;
  int call_ = 0;
};

class Log final : public Observer {
 public:
  bool progress(double fraction) override {
    EXPECT_GE(fraction, last);
    EXPECT_LE(fraction, 1.0);
    last = fraction;
    return fraction < stop_at;
  }
  void note(const std::string& sentence) override { notes.push_back(sentence); }
  double last = 0.0, stop_at = 2.0;
  std::vector<std::string> notes;
};

class Engine : public testing::Test {
 protected:
  Report run_faulty(Failure failure, int first, int last) {
    MemoryImage out = in;
    const Report report = run_on(std::make_unique<Faulty>(failure, first, last, &heights),
                                 make_cpu_backend(), job, in, out, all, log);
    EXPECT_EQ(out.codes(), expected().codes());
    EXPECT_EQ(log.last, 1.0);
    return report;
  }
  MemoryImage expected() {
    MemoryImage out = in;
    Observer silent;
    run_on(make_cpu_backend(), nullptr, job, in, out, all, silent);
    return out;
  }

  MemoryImage in = test::random_image(64, 1000, {SampleType::u8, true, true}, true, 1);
  Job job = make_job(*find_filter("gaussian-blur"), Values{2.0, 2.0, 0.0});
  Rect all{0, 0, 64, 1000};
  Log log;
  std::vector<int> heights;
};

TEST_F(Engine, WorksInBandsThatEndWithTiles) {
  const Report report = run_faulty(Failure::device, 99, 99);
  EXPECT_EQ(heights, (std::vector{256, 256, 256, 232}));
  EXPECT_EQ(report.bands, 4);
  EXPECT_TRUE(report.on_gpu);
  EXPECT_EQ(report.fallback, "");
  EXPECT_TRUE(log.notes.empty());
}

TEST_F(Engine, HalvesTheBandsWhenMemoryRunsOut) {
  const Report report = run_faulty(Failure::memory, 1, 1);
  EXPECT_EQ(heights[1], 256);
  EXPECT_EQ(heights[2], 128);
  EXPECT_TRUE(report.on_gpu);
  EXPECT_TRUE(log.notes.empty());
}

TEST_F(Engine, GoesOnWithTheCpuWhenHalvingDoesNotHelp) {
  const Report report = run_faulty(Failure::memory, 1, 99);
  EXPECT_FALSE(report.on_gpu);
  EXPECT_EQ(report.fallback, "No room.");
  ASSERT_EQ(log.notes.size(), 1u);
  EXPECT_EQ(log.notes[0], "No room. The rest was done on the CPU.");
}

TEST_F(Engine, GoesOnWithTheCpuFromTheBandThatFailed) {
  for (int first = 0; first < 4; ++first) {
    log = Log{}, heights.clear();
    const Report report = run_faulty(Failure::device, first, first);
    EXPECT_FALSE(report.on_gpu);
    EXPECT_EQ(report.fallback, "It broke.");
    EXPECT_EQ(static_cast<int>(heights.size()), first + 1);
    EXPECT_EQ(log.notes.size(), 1u);
  }
}

/// One of several GPUs may be busy: the first one may do by itself what is left.
TEST_F(Engine, GoesOnWithOneGpuAndThenWithTheCpu) {
  for (const bool second_fails : {false, true}) {
    log = Log{}, heights.clear();
    std::vector<int> later;
    Backends devices =
        backends(std::make_unique<Faulty>(Failure::device, 1, 99, &heights),
                 std::make_unique<Faulty>(Failure::device, second_fails ? 1 : 99, 99, &later));
    devices.push_back(make_cpu_backend());
    MemoryImage out = in;
    const Report report = run_on(std::move(devices), job, in, out, all, log);
    EXPECT_EQ(out.codes(), expected().codes());
    EXPECT_EQ(heights.size(), 2u);
    EXPECT_EQ(report.on_gpu, !second_fails);
    EXPECT_EQ(later.size(), second_fails ? 2u : 3u);
    ASSERT_EQ(log.notes.size(), second_fails ? 2u : 1u);
    EXPECT_EQ(log.notes.front(), "It broke. The rest was done on one GPU.");
    EXPECT_EQ(log.notes.back().ends_with("on the CPU."), second_fails);
    EXPECT_EQ(report.device.starts_with("faulty, faulty"), true);
  }
}

/// What an analysis found out may be in the memory of its device.
TEST_F(Engine, DevicesOutliveWhatTheyFoundOut) {
  struct OutputValue final : test::Wrapped {
    explicit OutputValue(std::vector<std::string>& ends)
        : Wrapped{make_cpu_backend()}, ends_{ends} {}
    ~OutputValue() override { ends_.push_back("device"); }
    void process(const Band& band) override {
      Wrapped::process(band);
      auto& found = static_cast<Measuring*>(band.analysis)->medians.on_device;
      if (found == nullptr)
        found = {this, [&ends = ends_](void*) { ends.push_back("output_value"); }};
    }
    std::vector<std::string>& ends_;
  };
  std::vector<std::string> ends;
  measure_on(backends(std::make_unique<OutputValue>(ends), nullptr), in, all, log);
  EXPECT_EQ(ends, (std::vector<std::string>{"output_value", "device"}));
}

TEST_F(Engine, PassesTheErrorOnWithoutASecondDevice) {
  MemoryImage out = in;
  EXPECT_THROW(run_on(std::make_unique<Faulty>(Failure::device, 2, 2, &heights), nullptr, job, in,
                      out, all, log),
               DeviceError);
}

TEST_F(Engine, StopsWhenTheObserverSaysSo) {
  MemoryImage out = in;
  log.stop_at = 0.3;
  EXPECT_THROW(run_on(std::make_unique<Faulty>(Failure::device, 99, 99, &heights), nullptr, job, in,
                      out, all, log),
               Cancelled);
  EXPECT_LT(heights.size(), 4u);
}

TEST_F(Engine, PassesOnWhatTheSourceThrows) {
  struct Broken final : Source {
    int width() const override { return 64; }
    int height() const override { return 1000; }
    Encoding encoding(Trc) override { return {{SampleType::u8, true, true}, {}}; }
    void read(Rect, const Encoding&, std::byte*, std::size_t) override {
      throw Error{"No pixels."};
    }
  } broken;
  MemoryImage out = in;
  EXPECT_THROW(run_on(make_cpu_backend(), nullptr, job, broken, out, all, log), Error);
  EXPECT_EQ(out.codes(), in.codes());
}

TEST_F(Engine, DoesNothingToAnEmptyRegion) {
  MemoryImage out = in;
  run_on(make_cpu_backend(), nullptr, job, in, out, {5, 5, 0, 10}, log);
  EXPECT_EQ(out.codes(), in.codes());
}

TEST_F(Engine, ReadsEveryRowOnce) {
  test::Counting counting{in};
  MemoryImage out = in;
  run_on(std::make_unique<Faulty>(Failure::device, 99, 99, &heights), nullptr, job, counting, out,
         all, log);
  EXPECT_EQ(counting.rows, 1000);
}

TEST_F(Engine, BandsOfAnotherSizeReadEveryRowOnceAndSurviveFailures) {
  job = make_job(*find_filter("resize"), Values{0.0, 0.0, 0.37, 0.0, 4.0, 1.0, 0.0, 0.0});
  const Size size = resolved(job, in.size()).output;
  EXPECT_EQ(size, (Size{24, 370}));
  all = {0, 0, size.width, size.height};
  MemoryImage wanted = in.like(size);
  test::Counting counting{in};
  run_on(make_cpu_backend(), nullptr, job, in, wanted, all, log);
  log = Log{};
  for (const int failing : {99, 0, 1, 2}) {
    for (const Failure failure : {Failure::memory, Failure::device}) {
      MemoryImage out = in.like(size);
      counting.rows = 0, heights.clear();
      run_on(std::make_unique<Faulty>(failure, failing, failing, &heights), make_cpu_backend(), job,
             counting, out, all, log);
      EXPECT_EQ(out.codes(), wanted.codes());
      if (failing == 99) {
        EXPECT_EQ(heights, (std::vector{128, 128, 114}));
        EXPECT_EQ(counting.rows, 1000);
      }
      log = Log{};
    }
  }
}

/// Gives every pixel the largest red of the region: a filter with an analysis.
struct Brightest {
  struct Params {};
  static constexpr FilterInfo info{"brightest", "", "", "", "", Category::generic};
  static constexpr std::array<Param, 0> params{};
  static Plan plan(const Params&) {
    return {.alpha = Alpha::passthrough, .analysis = AnalysisScope::region};
  }
  struct State {
    float found = 0.0f, result = 0.0f;
    int rows = 0;
  };
  static void analyze(trace::Exec&, const Params&, trace::Input, Rect, State&) {}
  static void analyze(cpu::Exec&, const Params&, const cpu::Input& in, Rect area, State& state) {
    cpu::RowBuffer row(area.width);
    for (int y = area.y; y < area.bottom(); ++y, ++state.rows) {
      in.load(area.x, y, area.width, row.floats());
      for (int x = 0; x < area.width; ++x) state.found = std::max(state.found, row.pixels()[x].r);
    }
  }
  static void finish(const Params&, State& state) {
    EXPECT_EQ(state.rows, 700);
    state.result = state.found;
  }
  static void apply(trace::Exec& exec, const Params&, trace::Input in, trace::Output out,
                    const State&) {
    box_filter(exec, in, out, 3, 40, Border::clamp);
  }
  static void apply(cpu::Exec& exec, const Params&, const cpu::Input& in, const cpu::Output& out,
                    const State& state) {
    exec.map(in, out, [=](Pixel p) {
      return Pixel{state.result, state.result, state.result, p.a};
    });
  }
};

TEST_F(Engine, AnalyzesTheRegionBeforeItComputes) {
  job = make_job(test::entry_of<Brightest>(), {});
  const Rect region{5, 100, 50, 700};
  std::byte brightest{};
  for (int y = region.y; y < region.bottom(); ++y)
    for (int x = region.x; x < region.right(); ++x)
      brightest = std::max(brightest, in.codes()[(y * 64 + x) * 4]);
  for (int failing : {99, 0, 1, 4, 5}) {
    MemoryImage out = in, wanted = in;
    run_on(std::make_unique<Faulty>(Failure::device, failing, failing, &heights),
           make_cpu_backend(), job, in, out, region, log);
    for (int y = region.y; y < region.bottom(); ++y)
      for (int x = region.x; x < region.right(); ++x)
        for (int c = 0; c < 3; ++c) wanted.codes()[(y * 64 + x) * 4 + c] = brightest;
    EXPECT_EQ(out.codes(), wanted.codes()) << failing;
    log = Log{};
  }
}

/// Changes nothing, after three of the four passes that it may make.
struct Patient {
  struct Params {};
  static constexpr FilterInfo info{"patient", "", "", "", "", Category::generic};
  static constexpr std::array<Param, 0> params{};
  static Plan plan(const Params&) { return {.analysis = AnalysisScope::region, .passes = 4}; }
  struct State {
    int pass = 0, rows = 0;
  };
  static void analyze(trace::Exec&, const Params&, trace::Input, Rect, State&) {}
  static void analyze(cpu::Exec&, const Params&, const cpu::Input&, Rect area, State& state) {
    EXPECT_EQ(area.y, 100 + state.rows);
    state.rows += area.height;
  }
  static bool finish(const Params&, State& state) {
    EXPECT_EQ(state.rows, 700);
    state.rows = 0;
    return ++state.pass < 3;
  }
  static void apply(trace::Exec& exec, const Params&, trace::Input in, trace::Output out,
                    const State&) {
    box_filter(exec, in, out, 0, 5, Border::clamp);
  }
  static void apply(cpu::Exec& exec, const Params&, const cpu::Input& in, const cpu::Output& out,
                    const State& state) {
    EXPECT_EQ(state.pass, 3);
    exec.map(in, out, [](Pixel p) { return p; });
  }
};

TEST_F(Engine, SweepsUntilTheFilterIsDone) {
  job = make_job(test::entry_of<Patient>(), {});
  const Rect region{0, 100, 64, 700};
  for (const bool fits : {true, false}) {
    log = Log{};
    test::Counting counting{in};
    MemoryImage out = in;
    std::unique_ptr<Backend> backend = make_cpu_backend();
    if (!fits) backend = std::make_unique<test::Cramped>(std::move(backend));
    run_on(std::move(backend), nullptr, job, counting, out, region, log);
    EXPECT_EQ(out.codes(), in.codes());
    EXPECT_EQ(log.last, 1.0);
    if (fits)
      EXPECT_EQ(counting.rows, 710);
    else
      EXPECT_GT(counting.rows, 4 * 600);
  }
  for (const Failure failure : {Failure::memory, Failure::device})
    for (int failing : {0, 2, 4, 9, 11}) {
      log = Log{};
      MemoryImage out = in;
      run_on(std::make_unique<Faulty>(failure, failing, failing, &heights), make_cpu_backend(), job,
             in, out, region, log);
      EXPECT_EQ(out.codes(), in.codes());
      EXPECT_EQ(log.last, 1.0);
    }
}

/// Devices with memory of their own, one or several, whose bands are as short as can be.
class Devices : public testing::TestWithParam<const FilterEntry*> {
 protected:
  static std::unique_ptr<Backend> remotes(int count,
                                          std::vector<test::Remote*>* created = nullptr) {
    std::vector<std::unique_ptr<Backend>> devices;
    for (int i = 0; i < count; ++i) {
      auto remote = std::make_unique<test::Remote>(3);
      if (created != nullptr) created->push_back(remote.get());
      devices.push_back(std::move(remote));
    }
    return make_multi_backend(std::move(devices));
  }

  /// With the image's memory hidden and exposed.
  void check(const Job& job) {
    // A band has 128 rows, or where temporary pictures take memory a quarter of the halo: there are
    // at least twenty of these in fewer rows, and each device has a few.
    const bool short_bands =
        !job.plan.temporaries.empty() || !job.plan.analysis_temporaries.empty();
    const int halo = job.plan.halo_y;
    const int rows = short_bands ? std::clamp(6 * halo, 60, 300) : halo > 16 ? 300 : 1500;
    MemoryImage in = test::random_image(61, rows, {SampleType::u8, true, true}, true, 7);
    MemoryImage wanted = in.like(resolved(job, in.size()).output);
    const Rect all{0, 0, wanted.width(), wanted.height()};
    run_on(std::make_unique<test::Cramped>(make_cpu_backend()), nullptr, job, in, wanted, all,
           log_);
    for (const bool exposed : {false, true}) {
      if (exposed) in.expose_memory();
      for (const int count : {1, 2, 3}) {
        MemoryImage out = wanted.like(wanted.size());
        if (exposed) out.expose_memory();
        run_on(remotes(count), nullptr, job, in, out, all, log_);
        EXPECT_TRUE(out.codes() == wanted.codes()) << count << " devices";
      }
    }
  }

  Observer log_;
};

TEST_P(Devices, GiveTheBitsOfOneThatComputesInTheHostsMemory) {
  const FilterEntry& filter = *GetParam();
  const auto& examples = reference::find(filter.info.name)->examples;
  for (const Values& values : examples) {
    const Job job = make_job(filter, values);
    if (job.filter->creates_image()) continue;  // the test's picture has no three plates
    check(job);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, Devices, testing::ValuesIn([] {
                           std::vector<const FilterEntry*> all;
                           for (const FilterEntry& filter : filters()) all.push_back(&filter);
                           return all;
                         }()),
                         [](const auto& info) {
                           std::string name = info.param->info.name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_F(Devices, GetOnlyTheRowsThatTheirBandsNeed) {
  const Job job = make_job(*find_filter("box-blur"), Values{0.0, 20.0, 0.0});
  MemoryImage in = test::random_image(61, 1280, {SampleType::u8, true, true}, true, 7);
  for (const int count : {1, 2}) {
    MemoryImage out = in;
    std::vector<test::Remote*> created;
    auto devices = remotes(count, &created);
    // Ten bands of one tile; of two devices, each has its own bands and what is around them.
    struct Borrowed final : test::Wrapped {
      explicit Borrowed(std::unique_ptr<Backend> inner, std::vector<test::Remote*>& created,
                        std::vector<int>& rows)
          : Wrapped{std::move(inner)}, created_{created}, rows_{rows} {}
      ~Borrowed() override {
        for (const test::Remote* remote : created_) rows_.push_back(remote->uploaded_rows);
      }
      std::vector<test::Remote*>& created_;
      std::vector<int>& rows_;
    };
    std::vector<int> rows;
    run_on(std::make_unique<Borrowed>(std::move(devices), created, rows), nullptr, job, in, out,
           {0, 0, 61, 1280}, log_);
    if (count == 1)
      EXPECT_EQ(rows, (std::vector{1280}));
    else
      EXPECT_EQ(rows, (std::vector{5 * 128 + 9 * 20, 5 * 128 + 9 * 20}));
  }
}

/// The last GPU may be the first one, which then takes turns with itself.
TEST_F(Devices, OfCudaGiveTheBitsOfOne) {
  SKIP_WITHOUT("cuda");
  const std::vector<GpuDescription> gpus = describe_devices().gpus;
  MemoryImage in = test::random_image(301, 5000, {SampleType::u8, true, true}, true, 7);
  for (const FilterEntry& filter : filters()) {
    if (filter.creates_image()) continue;
    for (const Values& values : reference::find(filter.info.name)->examples) {
      const Job job = make_job(filter, values);
      MemoryImage wanted = in.like(resolved(job, in.size()).output);
      const Rect all{0, 0, wanted.width(), wanted.height()};
      const Report one =
          run_on(make_gpu_backend(gpus.front().index), nullptr, job, in, wanted, all, log_);
      const test::Variable memory{"CUDA_FILTERS_MEMORY", "1"};
      std::vector<std::unique_ptr<Backend>> devices;
      devices.push_back(make_gpu_backend(gpus.front().index));
      devices.push_back(make_gpu_backend(gpus.back().index));
      MemoryImage out = wanted.like(wanted.size());
      const Report both =
          run_on(make_multi_backend(std::move(devices)), nullptr, job, in, out, all, log_);
      EXPECT_TRUE(both.bands > one.bands || wanted.height() == 1) << filter.info.name;
      EXPECT_TRUE(out.codes() == wanted.codes()) << filter.info.name;
    }
  }
}

TEST_F(Engine, KeepsSeveralBandsUnderWay) {
  struct Deep final : test::Wrapped {
    explicit Deep(int& max_depth) : Wrapped{make_cpu_backend()}, max_depth_{max_depth} {}
    int depth() const override { return 3; }
    std::size_t budget() const override { return 1; }
    void process(const Band& band) override {
      Wrapped::process(band);
      max_depth_ = std::max(max_depth_, ++under_way_);
    }
    bool finish(std::chrono::milliseconds) override {
      --under_way_;
      return true;
    }
    int& max_depth_;
    std::atomic<int> under_way_ = 0;
  };
  int max_depth = 0;
  MemoryImage out = in;
  run_on(std::make_unique<Deep>(max_depth), nullptr, job, in, out, all, log);
  EXPECT_LE(max_depth, 3);
  EXPECT_GE(max_depth, 1);
  EXPECT_EQ(out.codes(), expected().codes());
}

/// What the first band of a run makes ready, the others need.
/// All rows of the picture have a slot, so that bands may be read ahead, but not all of the second
/// picture's.
TEST_F(Engine, ReadsNoSecondPictureOverOneThatABandWaitsFor) {
  const FilterEntry& filter = *find_filter("pixel-math");
  Values values = initial_values(filter);
  values[0] = std::string{"c = in(0, 64).c - aux.c"};
  MemoryImage picture = test::random_image(300, 1100, {SampleType::u8, true, true}, true, 1);
  const auto second = std::make_shared<MemoryImage>(
      test::random_image(300, 1100, {SampleType::u8, true, true}, true, 2));
  const Job job = make_job(filter, values, Aux{"", second, 0, 0});
  const auto result_of = [&](std::unique_ptr<Backend> backend) {
    MemoryImage out = picture;
    Observer silent;
    run_on(std::move(backend), nullptr, job, picture, out, {0, 0, 300, 1100}, silent);
    return out.codes();
  };
  EXPECT_EQ(result_of(make_cpu_backend()),
            result_of(std::make_unique<test::Cramped>(make_cpu_backend())));
}

TEST_F(Engine, BringsNothingOverAfterAnUploadThatFailed) {
  struct Watched final : Source {
    explicit Watched(MemoryImage& image) : image_{image} {}
    int width() const override { return image_.width(); }
    int height() const override { return image_.height(); }
    Encoding encoding(Trc trc) override { return image_.encoding(trc); }
    std::optional<Transfer> transfer(Trc trc) override { return image_.transfer(trc); }
    void read(Rect area, const Encoding& encoding, std::byte* to, std::size_t stride) override {
      if (reads_++ < 3) third.count_down();
      image_.read(area, encoding, to, stride);
    }
    std::latch third{3};

   private:
    MemoryImage& image_;
    int reads_ = 0;
  } watched{in};
  struct Full final : test::Wrapped {
    explicit Full(std::latch& third_read) : Wrapped{make_cpu_backend()}, third_read_{third_read} {}
    bool is_gpu() const override { return true; }
    int depth() const override { return 4; }
    std::size_t budget() const override { return std::size_t{10} * 128 * Faulty::row_bytes; }
    void upload(const Band&) override {
      if (uploads_++ > 0) {
        EXPECT_TRUE(begun_again_);
        return;
      }
      third_read_.wait();  // the second band waits by now
      throw DeviceMemoryError{"No room."};
    }
    void begin(const ResolvedJob& job, const RunPictures& pictures) override {
      begun_again_ = uploads_ > 0;
      Wrapped::begin(job, pictures);
    }

   private:
    std::latch& third_read_;
    int uploads_ = 0;
    bool begun_again_ = false;
  };
  MemoryImage out = in;
  const Report report = run_on(std::make_unique<Full>(watched.third), make_cpu_backend(), job,
                               watched, out, all, log);
  EXPECT_TRUE(report.on_gpu);
  EXPECT_EQ(out.codes(), expected().codes());
}

TEST_F(Engine, TakesPixelsThatLieOpenWithoutACopy) {
  MemoryImage out = in;
  in.expose_memory(), out.expose_memory();
  run_on(make_cpu_backend(), nullptr, job, in, out, all, log);
  EXPECT_EQ(out.codes(), expected().codes());
  // Only the part that is asked for changes.
  MemoryImage part = in;
  part.expose_memory();
  run_on(make_cpu_backend(), nullptr, job, in, part, {7, 100, 20, 333}, log);
  for (int y = 0; y < 1000; ++y)
    for (int x = 0; x < 64; ++x) {
      const bool inside = x >= 7 && x < 27 && y >= 100 && y < 433;
      const std::size_t at = (std::size_t{64} * y + x) * 4;
      const MemoryImage& wanted = inside ? out : in;
      ASSERT_EQ(part.codes()[at], wanted.codes()[at]) << x << ", " << y;
    }
}

TEST(ParallelFor, CallsEveryBodyOnceAndPassesAProblemOn) {
  std::vector<int> calls(1000);
  cpu::parallel_for(1000, [&](int i) { ++calls[i]; });
  EXPECT_EQ(calls, std::vector<int>(1000, 1));
  EXPECT_THROW(cpu::parallel_for(100,
                                 [](int i) {
                                   if (i == 37) throw Error{"here"};
                                 }),
               Error);
}

TEST(ChooseDevice, FollowsTheEnvironment) {
  {
    const test::Variable wish{"CUDA_FILTERS_DEVICE", "cpu"};
    EXPECT_EQ(choose_device().gpu, -1);
    EXPECT_NE(choose_device().reason.find("CUDA_FILTERS_DEVICE"), std::string::npos);
  }
  for (const char* nonsense : {"gpu", "-1", "0x", "1.5", "0,", ",0", "0,x", "0 1", "0,cpu"}) {
    const test::Variable wish{"CUDA_FILTERS_DEVICE", nonsense};
    EXPECT_THROW(choose_device(), ArgumentError) << nonsense;
  }
}

TEST(ChooseDevice, RefusesAMemoryThatIsNoNumber) {
  const FilterEntry& invert = *find_filter("invert");
  const Job job = make_job(invert, initial_values(invert));
  for (const char* nonsense : {"x", "0", "-1", "1.5", "64M", " 64", "99999999999999999999"}) {
    const test::Variable memory{"CUDA_FILTERS_MEMORY", nonsense};
    for (const char* device : {"", "cpu"}) {
      const test::Variable wish{"CUDA_FILTERS_DEVICE", device};
      EXPECT_THROW(choose_device(), ArgumentError) << nonsense;
      EXPECT_THROW(choose_device(job, 1.0), ArgumentError) << nonsense;
    }
  }
  for (const char* fine : {"", "1", "64"}) {
    const test::Variable memory{"CUDA_FILTERS_MEMORY", fine};
    EXPECT_NO_THROW(choose_device(job, 1.0)) << fine;
  }
}

TEST_F(Engine, SaysThatTheGpuThatWasAskedForIsMissing) {
  const test::Variable wish{"CUDA_FILTERS_DEVICE", "99"};
  if (!describe_devices().gpus.empty()) {
    EXPECT_THROW(choose_device(), ArgumentError);
    return;
  }
  MemoryImage out = in;
  const Report report = run(job, in, out, {0, 0, in.width(), in.height()}, choose_device(), log);
  EXPECT_FALSE(report.on_gpu);
  EXPECT_NE(report.fallback.find("GPU 99"), std::string::npos) << report.fallback;
  ASSERT_EQ(log.notes.size(), 1u);
  EXPECT_NE(log.notes.front().find("GPU 99"), std::string::npos) << log.notes.front();
}

TEST(ChooseDevice, SaysWhyThereIsNoGpu) {
  const DeviceChoice choice = choose_device();
  EXPECT_FALSE(choice.reason.empty());
  EXPECT_EQ(choice.gpu < 0, describe_devices().gpus.empty());
}

TEST(ChooseDevice, SparesTheDriverWhatTheCpuEndsSooner) {
  const FilterEntry& invert = *find_filter("invert");
  const Job light = make_job(invert, initial_values(invert));
  const DeviceChoice small = choose_device(light, 1e4);
  EXPECT_EQ(small.gpu, -1);
  EXPECT_NE(small.reason, choose_device().reason);
  const FilterEntry& median = *find_filter("median-blur");
  const Job heavy = make_job(median, parse_values(median, std::vector<std::string>{"radius=400"}));
  EXPECT_EQ(choose_device(heavy, 1e10).gpu, choose_device().gpu);
  EXPECT_EQ(choose_device(heavy, 1e2).gpu, -1);
}

TEST(ChooseDevice, CountsTheStartOfAGpuOnceForManyRuns) {
  const FilterEntry& median = *find_filter("median-blur");
  const Job heavy = make_job(median, parse_values(median, std::vector<std::string>{"radius=400"}));
  const double pixels = 0.2 / expected_seconds(heavy, 1.0, {});  // a GPU starts no sooner
  EXPECT_EQ(choose_device(heavy, pixels, true).gpu, choose_device().gpu);
  EXPECT_EQ(choose_device(heavy, 1e2, true).gpu, -1);
}

TEST(ChooseDevice, LeavesItToTheEnvironment) {
  const test::Variable wish{"CUDA_FILTERS_DEVICE", "cpu"};
  const FilterEntry& median = *find_filter("median-blur");
  const Job heavy = make_job(median, parse_values(median, std::vector<std::string>{"radius=400"}));
  const DeviceChoice choice = choose_device(heavy, 1e10);
  EXPECT_EQ(choice.gpu, -1);
  EXPECT_EQ(choice.reason, choose_device().reason);
}

TEST(Plan, EveryFilterSaysWhatItCosts) {
  for (const FilterEntry& filter : filters()) {
    const double cost = make_job(filter, initial_values(filter)).plan.cost;
    if (!filter.is_composite()) {
      EXPECT_GT(cost, 0.0) << filter.info.name;
    }
  }
}

TEST_F(Engine, SaysNothingOfADeviceThatNobodyAskedFor) {
  const Report report = run_faulty(Failure::missing, 0, 0);
  EXPECT_TRUE(log.notes.empty());
  EXPECT_FALSE(report.on_gpu);
  EXPECT_EQ(report.fallback, "It is not there.");
}

TEST_F(Engine, SaysWhereTheTimeWent) {
  MemoryImage out = in;
  const Report report = run(job, in, out, {0, 0, in.width(), in.height()}, {}, log);
  EXPECT_GT(report.times.compute, 0.0);
  EXPECT_EQ(report.times.context, 0.0);
}

class NewImage : public testing::Test {
 protected:
  NewImage() {
    const std::vector<float> plates = test::make_plates(settings);
    for (std::size_t i = 0; i < plates.size(); ++i) test::store_sample(scan, i, plates[i]);
  }

  const test::PlateSettings settings{.width = 90, .height = 210, .first = {3, -5}, .last = {-2, 4}};
  MemoryImage scan = test::empty_image(settings.width, 3 * settings.height,
                                       {SampleType::f32, false, false}, false);
  const FilterEntry& filter = *find_filter("align-plates");
  const Job job = make_job(filter, initial_values(filter));
  Observer silent;
};

TEST_F(NewImage, HasTheSizeAndTheFormatThatTheSinkIsTold) {
  MemoryImage out = scan.like({1, 1});
  const Report report = run_on(make_cpu_backend(), nullptr, job, scan, out, {}, silent);
  EXPECT_EQ(out.size(), (Size{85, 201}));
  EXPECT_EQ(out.row_bytes(), 85 * 3 * sizeof(float));
  EXPECT_EQ(report.output_values, (std::vector<double>{3, -5, -2, 4}));
}

TEST_F(NewImage, IsTheSameWhereverTheDeviceFails) {
  MemoryImage wanted = scan.like({1, 1});
  run_on(make_cpu_backend(), nullptr, job, scan, wanted, {}, silent);
  for (const Failure failure : {Failure::memory, Failure::device})
    for (int call = 0; call < 7; ++call) {
      std::vector<int> heights;
      MemoryImage out = scan.like({1, 1});
      Log log;
      const Report report = run_on(std::make_unique<Faulty>(failure, call, call + 1, &heights),
                                   make_cpu_backend(), job, scan, out, {}, log);
      EXPECT_GT(heights.size(), std::size_t(call));
      EXPECT_EQ(out.codes(), wanted.codes()) << call;
      EXPECT_EQ(report.output_values.size(), filter.output_values.size());
      EXPECT_EQ(log.last, 1.0);
    }
}

TEST_F(NewImage, IsRefusedForInputsThatAreTooSmall) {
  MemoryImage small = scan.like({15, 900}), out = scan.like({1, 1});
  EXPECT_THROW(run_on(make_cpu_backend(), nullptr, job, small, out, {}, silent), ArgumentError);
}

TEST_F(NewImage, GoesThroughTheFilterThatItsParametersName) {
  const Param& post = filter.params.back();
  for (std::size_t i = 0; i < post.choices.size(); ++i) {
    Values values = initial_values(filter);
    values.back() = static_cast<double>(i);
    const auto next = next_job(make_job(filter, values));
    EXPECT_EQ(next.has_value(), i > 0) << post.choices[i].nick;
  }
}

}  // namespace
}  // namespace cuda_filters
