// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// An image that stays on the GPU from one run to the next: taken when it is the same, and only
// then.
#include "gpu/core/device_image_cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "gpu/core/chain.hpp"
#include "gpu/core/devices.hpp"
#include "gpu/core/engine.hpp"
#include "tests/reference/reference.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

struct Number final : Version {
  explicit Number(int number, bool replaces_all = false)
      : number{number}, replaces_all{replaces_all} {}
  bool equals(const Version& other) const override {
    const auto* same = dynamic_cast<const Number*>(&other);
    return same != nullptr && same->number == number;
  }
  bool replaces(const Version&) const override { return replaces_all; }
  int number;
  bool replaces_all;
};

/// A result that the next run may begin with.
class Readable final : public Sink {
 public:
  Readable(MemoryImage& image, std::shared_ptr<const Version> version)
      : image_{image}, version_{std::move(version)} {}
  Encoding encoding_for(const Encoding& in) override { return image_.encoding_for(in); }
  void write(Rect area, const Encoding& encoding, const std::byte* from,
             std::size_t stride) override {
    image_.write(area, encoding, from, stride);
  }
  bool may_be_read() const override { return true; }
  std::shared_ptr<const Version> version() override { return version_; }

 private:
  MemoryImage& image_;
  std::shared_ptr<const Version> version_;
};

std::shared_ptr<const Version> version(int number) { return std::make_shared<Number>(number); }

/// Fails at the calls of process() and memory() with these numbers.
class Failing final : public test::Wrapped {
 public:
  Failing(std::unique_ptr<Backend> inner, int process, bool device, int memory = -1)
      : Wrapped{std::move(inner)}, process_{process}, device_{device}, memory_{memory} {}
  void process(const Band& band) override {
    heights.push_back(band.out.height);
    if (process_-- == 0) {
      if (device_) throw DeviceError{"It broke."};
      throw DeviceMemoryError{"No room."};
    }
    Wrapped::process(band);
  }
  std::shared_ptr<std::byte[]> memory(std::size_t bytes) override {
    if (memory_-- == 0) throw DeviceMemoryError{"No room."};
    return Wrapped::memory(bytes);
  }
  inline static std::vector<int> heights;

 private:
  int process_;
  bool device_;
  int memory_;
};

class DeviceImageCache : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!is_remote()) SKIP_WITHOUT("cuda");
    release_idle_memory();
    Failing::heights.clear();
  }
  void TearDown() override { release_idle_memory(); }

  bool is_remote() const { return std::string{GetParam()} == "remote"; }
  /// One that has room for the image, in several bands.
  std::unique_ptr<Backend> gpu() const {
    if (is_remote()) return std::make_unique<test::Remote>(3, 0, 800000);
    return test::make_backend("cuda");
  }
  /// How many rows a run reads from an image of that version; its result goes to `out`.
  int read(const Job& job, const std::shared_ptr<const Version>& version,
           std::unique_ptr<Backend> first, std::unique_ptr<Backend> second = nullptr) {
    test::Counting source{in, version};
    const Size size = resolved(job, in.size()).output;
    out = in.like(size);
    const Report report = run_on(std::move(first), std::move(second), job, source, out,
                                 {0, 0, size.width, size.height}, observer);
    bands = report.bands;
    return source.rows;
  }
  int read(const Job& job, const std::shared_ptr<const Version>& version) {
    return read(job, version, gpu());
  }
  /// What a GPU makes of the image that keeps nothing.
  MemoryImage expected(const Job& job) {
    read(job, nullptr);
    return out;
  }

  static constexpr int height = 1500;
  MemoryImage in = test::random_image(61, height, {SampleType::u8, true, true}, true, 7);
  MemoryImage out = in;
  const Job blur = make_job(*find_filter("gaussian-blur"), Values{2.0, 3.0, 0.0});
  Observer observer;
  int bands = 0;
};

TEST_P(DeviceImageCache, PixelsAreNotReadAgainByAnyFilter) {
  for (const FilterEntry& filter : filters()) {
    if (!filter.keeps_size()) continue;
    for (const Values& values : reference::find(filter.info.name)->examples) {
      SCOPED_TRACE(filter.info.name);
      const Job job = make_job(filter, values);
      if (job.plan.identity) continue;
      const MemoryImage wanted = expected(job);
      EXPECT_GE(read(job, version(1)), height);
      EXPECT_TRUE(out.codes() == wanted.codes());
      EXPECT_EQ(read(job, version(1)), 0);
      EXPECT_TRUE(out.codes() == wanted.codes()) << "without reading";
      release_idle_memory();
    }
  }
}

TEST_P(DeviceImageCache, PixelsLieInTheOrderOfTheImage) {
  ASSERT_EQ(read(blur, version(1)), height);
  EXPECT_TRUE(bands > 2 || !is_remote());
  const FilterEntry& box = *find_filter("box-blur");
  for (std::size_t border = 0; border < box.params[2].choices.size(); ++border) {
    const Job job = make_job(box, Values{9.0, 40.0, static_cast<double>(border)});
    const MemoryImage wanted = expected(job);
    EXPECT_EQ(read(job, version(1)), 0);
    EXPECT_TRUE(out.codes() == wanted.codes()) << box.params[2].choices[border].nick;
  }
  // Even if the first run needs the last rows first.
  release_idle_memory();
  const Job wrap = make_job(box, parse_values(box, {{"radius-y=40", "border=wrap"}}));
  ASSERT_EQ(wrap.plan.border, Border::wrap);
  EXPECT_EQ(read(wrap, version(1)), height);
  const MemoryImage wanted = expected(blur);
  EXPECT_EQ(read(blur, version(1)), 0);
  EXPECT_TRUE(out.codes() == wanted.codes());
}

TEST_P(DeviceImageCache, PixelsAreThoseOfAnEqualVersion) {
  EXPECT_EQ(read(blur, version(1)), height);
  const MemoryImage before = out;
  in.codes()[5000] = std::byte{77};
  const MemoryImage changed = expected(blur);
  EXPECT_EQ(read(blur, version(2)), height);
  EXPECT_TRUE(out.codes() == changed.codes());
  EXPECT_EQ(read(blur, version(2)), 0);
  EXPECT_TRUE(out.codes() == changed.codes());
  EXPECT_EQ(read(blur, nullptr), height);
  EXPECT_EQ(read(blur, version(1)), 0) << "both are kept";
  EXPECT_TRUE(out.codes() == before.codes());
}

TEST_P(DeviceImageCache, ResultIsTheSourceOfTheNextRun) {
  for (const char* text : {"gaussian-blur", "median-blur radius=2", "invert", "canny",
                           "autocontrast", "box-blur radius-x=3 | add value=0.1"}) {
    SCOPED_TRACE(text);
    release_idle_memory();
    const Job job = make_job(*find_filter("chain"), Values{std::string{text}});
    const Job first = job.steps.size() == 1 ? job.steps.front() : job;
    MemoryImage between = in.like(in.size());
    Readable sink{between, version(2)};
    run_on(gpu(), nullptr, first, in, sink, {0, 0, 61, height}, observer);
    std::swap(in, between);
    const MemoryImage wanted = expected(blur);
    EXPECT_EQ(read(blur, version(2)), 0);
    EXPECT_TRUE(out.codes() == wanted.codes());
    std::swap(in, between);
  }
}

TEST_P(DeviceImageCache, ResultIsWhole) {
  Readable sink{out, version(2)};
  run_on(gpu(), nullptr, blur, in, sink, {0, 10, 61, height - 10}, observer);
  EXPECT_FALSE(drop_cached_device_images());
  // Nor is one kept that was begun before and after a failure.
  const auto first = bands > 2 ? 2 : 0;
  run_on(std::make_unique<Failing>(gpu(), first, false), nullptr, blur, in, sink,
         {0, 0, 61, height}, observer);
  const MemoryImage result = out;
  std::swap(in, out);
  const MemoryImage wanted = expected(blur);
  read(blur, version(2));
  EXPECT_TRUE(out.codes() == wanted.codes());
}

TEST_P(DeviceImageCache, WhatIsReplacedMakesRoom) {
  EXPECT_EQ(read(blur, version(1)), height);
  EXPECT_EQ(read(blur, std::make_shared<Number>(2, true)), height);
  EXPECT_EQ(read(blur, version(2)), 0);
  EXPECT_EQ(read(blur, version(1)), height);
}

TEST_P(DeviceImageCache, PixelsAreThoseOfTheSameSizeAndFormat) {
  EXPECT_EQ(read(blur, version(1)), height);
  in = test::random_image(61, height - 1, {SampleType::u8, true, true}, true, 7);
  EXPECT_EQ(read(blur, version(1)), height - 1);
  in = test::random_image(61, height - 1, {SampleType::u8, true, false}, true, 7);
  EXPECT_EQ(read(blur, version(1)), height - 1);
  EXPECT_EQ(read(blur, version(1)), 0);
}

TEST_P(DeviceImageCache, ImageIsWhole) {
  test::Counting source{in, version(1)};
  run_on(gpu(), nullptr, blur, source, out, {5, 100, 50, 300}, observer);
  EXPECT_LT(source.rows, height);
  const MemoryImage wanted = expected(blur);
  EXPECT_EQ(read(blur, version(1)), height);
  EXPECT_TRUE(out.codes() == wanted.codes());
}

TEST_P(DeviceImageCache, ImageGoesWithIdleMemory) {
  auto first = version(1);
  const std::weak_ptr<const Version> watched = first;
  read(blur, std::exchange(first, nullptr));
  EXPECT_FALSE(watched.expired());
  release_idle_memory();
  EXPECT_TRUE(watched.expired());
  EXPECT_FALSE(drop_cached_device_images());
  EXPECT_EQ(read(blur, version(1)), height);
}

TEST_P(DeviceImageCache, ImageMakesRoomBeforeBandsAreHalved) {
  const MemoryImage wanted = expected(blur);
  read(blur, version(1));
  EXPECT_GT(read(blur, nullptr, std::make_unique<Failing>(gpu(), 0, false)), height);
  EXPECT_TRUE(out.codes() == wanted.codes());
  ASSERT_GE(Failing::heights.size(), 2u);
  EXPECT_EQ(Failing::heights[0], Failing::heights[1]);
  EXPECT_FALSE(drop_cached_device_images());

  // The image that this run itself works from, too.
  read(blur, version(1));
  EXPECT_EQ(read(blur, version(1), std::make_unique<Failing>(gpu(), 0, false)), height);
  EXPECT_TRUE(out.codes() == wanted.codes());
}

TEST_P(DeviceImageCache, ImageMakesRoomForThoseOfAChain) {
  const Job chain =
      make_job(*find_filter("chain"),
               Values{std::string{"box-blur | invert | median-blur | add value=0.1"}});
  const MemoryImage wanted = expected(chain);
  EXPECT_EQ(read(chain, version(1)), height);
  EXPECT_EQ(read(chain, version(1)), 0);
  EXPECT_TRUE(out.codes() == wanted.codes());
  EXPECT_EQ(read(chain, nullptr, std::make_unique<Failing>(gpu(), -1, false, 0)), height);
  EXPECT_TRUE(out.codes() == wanted.codes());
  EXPECT_FALSE(drop_cached_device_images());
}

TEST_P(DeviceImageCache, ImageGoesWhenTheDeviceFails) {
  const MemoryImage wanted = expected(blur);
  read(blur, version(1));
  EXPECT_GT(read(blur, version(1), std::make_unique<Failing>(gpu(), 0, true), make_cpu_backend()),
            0);
  EXPECT_FALSE(drop_cached_device_images());
  // Nor is it kept by a run that failed, however that went on.
  for (const bool device : {true, false}) {
    read(blur, version(1), std::make_unique<Failing>(gpu(), bands > 1 ? 1 : 0, device),
         make_cpu_backend());
    EXPECT_FALSE(is_remote() && drop_cached_device_images());
    EXPECT_EQ(read(blur, version(2)), height);
    EXPECT_TRUE(out.codes() == wanted.codes());
  }
}

TEST_P(DeviceImageCache, ImageOutlivesARunThatWasCancelled) {
  struct Impatient final : Observer {
    bool progress(double) override { return false; }
  } impatient;
  const MemoryImage wanted = expected(blur);
  test::Counting source{in, version(1)};
  EXPECT_THROW(run_on(gpu(), nullptr, blur, source, out, {0, 0, 61, height}, impatient), Cancelled);
  EXPECT_FALSE(drop_cached_device_images()) << "of a run that did not end";
  read(blur, version(1));
  EXPECT_THROW(run_on(gpu(), nullptr, blur, source, out, {0, 0, 61, height}, impatient), Cancelled);
  EXPECT_EQ(read(blur, version(1)), 0);
  EXPECT_TRUE(out.codes() == wanted.codes());
}

TEST_P(DeviceImageCache, ImageIsTakenByRunsOfSeveralThreads) {
  std::vector<MemoryImage> images, wanted;
  for (int i = 0; i < 3; ++i) {
    in = images.emplace_back(
        test::random_image(61, height, {SampleType::u8, true, true}, true, 30 + i));
    wanted.push_back(expected(blur));
  }
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0, taken = 0;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 24; ++i) {
        const int at = i < 16 ? (i / 4 + thread / 2) % 3 : 2;  // in the end the same
        MemoryImage image = images[at], result = image;
        test::Counting source{image, version(at)};
        Observer silent;
        run_on(gpu(), nullptr, blur, source, result, {0, 0, 61, height}, silent);
        if (result.codes() != wanted[at].codes()) ++wrong;
        if (source.rows == 0) ++taken;
        if (i == 11) release_idle_memory();
      }
    });
  threads.clear();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(taken, 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceImageCache, testing::Values("remote", "cuda"),
                         [](const auto& info) { return std::string{info.param}; });

/// A device that others stand in for.
class DeviceImageCachedBy : public testing::Test {
 protected:
  ~DeviceImageCachedBy() override { release_idle_memory(); }
  int read(std::unique_ptr<Backend> backend, int number = 1) {
    test::Counting source{in, version(number)};
    MemoryImage out = in;
    run_on(std::move(backend), nullptr, blur, source, out, {0, 0, 61, 1500}, observer);
    return source.rows;
  }
  MemoryImage in = test::random_image(61, 1500, {SampleType::u8, true, true}, true, 7);
  const Job blur = make_job(*find_filter("gaussian-blur"), Values{2.0, 3.0, 0.0});
  Observer observer;
};

TEST_F(DeviceImageCachedBy, OneGpuForItself) {
  EXPECT_EQ(read(std::make_unique<test::Remote>(3, 0, 800000)), 1500);
  EXPECT_EQ(read(std::make_unique<test::Remote>(3, 0, 800000)), 0);
  EXPECT_EQ(read(std::make_unique<test::Remote>(3, 1, 800000)), 1500);
  EXPECT_EQ(read(make_cpu_backend()), 1500);
  EXPECT_EQ(read(std::make_unique<test::Remote>(3, 1, 800000)), 0);
}

TEST_F(DeviceImageCachedBy, NoneOfSeveralThatShareARun) {
  const auto shared = [] {
    std::vector<std::unique_ptr<Backend>> devices;
    for (int gpu = 0; gpu < 2; ++gpu)
      devices.push_back(std::make_unique<test::Remote>(3, gpu, 800000));
    return make_multi_backend(std::move(devices));
  };
  EXPECT_EQ(read(shared()), 1500);
  EXPECT_EQ(read(shared()), 1500);
  EXPECT_FALSE(drop_cached_device_images());
}

TEST_F(DeviceImageCachedBy, WhatWasAskedForLastWhereThereIsRoomForFew) {
  const auto gpu = [] { return std::make_unique<test::Remote>(3, 0, 800000); };
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(read(gpu(), i), 1500);
    EXPECT_EQ(read(gpu(), 0), 0) << i;
  }
  EXPECT_EQ(read(gpu(), 39), 0);
  EXPECT_EQ(read(gpu(), 1), 1500);
}

TEST_F(DeviceImageCachedBy, PicturesThatAreLargerThanTheStoreOfARun) {
  const auto gpu = [] { return std::make_unique<test::Remote>(3, 0, 400000); };
  MemoryImage result = in;
  test::Counting source{in, version(1)};
  Readable sink{result, version(2)};
  run_on(gpu(), nullptr, blur, source, sink, {0, 0, 61, 1500}, observer);
  EXPECT_EQ(read(gpu(), 1), 0);  // the source was put together from the parts of it
  std::swap(in, result);
  EXPECT_EQ(read(gpu(), 2), 0);
}

TEST_F(DeviceImageCachedBy, NoneOfWhichARunReadAPart) {
  const auto gpu = [] { return std::make_unique<test::Remote>(3, 0, 400000); };
  MemoryImage wanted = in;
  run_on(gpu(), nullptr, blur, in, wanted, {0, 0, 61, 1500}, observer);
  release_idle_memory();
  // Memory runs out after some bands, which are not read again.
  Failing::heights.clear();
  EXPECT_GE(read(std::make_unique<Failing>(gpu(), 2, false)), 1500);
  ASSERT_GT(Failing::heights.size(), 3u);
  test::Counting source{in, version(1)};
  MemoryImage out = in;
  run_on(gpu(), nullptr, blur, source, out, {0, 0, 61, 1500}, observer);
  EXPECT_EQ(source.rows, 1500);
  EXPECT_TRUE(out.codes() == wanted.codes());
}

TEST_F(DeviceImageCachedBy, NoneWithoutTheRoom) {
  EXPECT_EQ(read(std::make_unique<test::Remote>(3, 0, 200000)), 1500);
  EXPECT_EQ(read(std::make_unique<test::Remote>(3, 0, 200000)), 1500);
  EXPECT_FALSE(drop_cached_device_images());
}

TEST_F(DeviceImageCachedBy, CudaInSeveralBandsAndFreedWhenIdle) {
  SKIP_WITHOUT("cuda");
  MemoryImage large = test::random_image(2000, 8000, {SampleType::u8, true, true}, true, 3);
  const std::size_t bytes = large.codes().size();
  const int gpu = choose_device().gpu;
  std::vector<MemoryImage> results;
  for (const auto& known : {version(1), version(1), std::shared_ptr<const Version>{}}) {
    test::Counting source{large, known};
    MemoryImage& out = results.emplace_back(large.like(large.size()));
    const Report report =
        run_on(make_gpu_backend(gpu), nullptr, blur, source, out, {0, 0, 2000, 8000}, observer);
    EXPECT_TRUE(report.on_gpu);
    EXPECT_GT(report.bands, 1);
    EXPECT_EQ(source.rows, results.size() == 2 ? 0 : 8000);
  }
  EXPECT_TRUE(results[0].codes() == results[2].codes());
  EXPECT_TRUE(results[1].codes() == results[2].codes());
  const std::size_t free = free_memory(gpu);
  release_idle_memory();
  EXPECT_GE(free_memory(gpu), free + bytes);
}

}  // namespace
}  // namespace cuda_filters
