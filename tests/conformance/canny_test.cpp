// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// What Canny's edges must be however the image is cut: chains through the whole image, the seams of
// tiles and bands, and a device that fails between analysis and result.
#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/core/engine.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

constexpr Format gray{SampleType::u8, false, false};

Job job_of(double sigma, double low, double high) {
  return make_job(*find_filter("canny"), Values{sigma, low, high, 0.0, 0.0, 0.0});
}

MemoryImage edges(const Job& job, MemoryImage in, std::unique_ptr<Backend> backend, Rect region) {
  MemoryImage out = in;
  Observer silent;
  run_on(std::move(backend), nullptr, job, in, out, region, silent);
  return out;
}

MemoryImage edges(const Job& job, const MemoryImage& in, std::unique_ptr<Backend> backend) {
  return edges(job, in, std::move(backend), {0, 0, in.width(), in.height()});
}

std::unique_ptr<Backend> cramped(const std::string& name) {
  return std::make_unique<test::Cramped>(test::make_backend(name));
}

long count_edges(const MemoryImage& image) {
  return std::ranges::count_if(image.codes(), [](std::byte b) { return b != std::byte{0}; });
}

class CannyEdges : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { SKIP_WITHOUT(GetParam()); }
};

TEST_P(CannyEdges, ASpiralLivesByOneStrongEnd) {
  const Job job = job_of(0.0, 100.0, 400.0);
  for (const auto& [width, height] : {std::pair{203, 1501}, {1029, 777}}) {
    const auto weak = test::spiral_image(width, height, gray, false);
    const auto strong = test::spiral_image(width, height, gray, true);
    EXPECT_EQ(count_edges(edges(job, weak, cramped(GetParam()))), 0);
    EXPECT_EQ(count_edges(edges(job, weak, test::make_backend(GetParam()))), 0);
    const auto wanted = reference::find("canny")->apply(test::picture_of(strong, true),
                                                        {0.0, 100.0, 400.0, 0.0, 0.0, 0.0});
    for (const MemoryImage& found : {edges(job, strong, cramped(GetParam())),
                                     edges(job, strong, test::make_backend(GetParam()))}) {
      long wrong = 0;
      for (std::size_t i = 0; i < wanted.pixels.size(); ++i)
        wrong += test::load_sample(found, i) != wanted.pixels[i][0];
      EXPECT_EQ(wrong, 0);
      EXPECT_GT(count_edges(found), count_edges(strong) / 2);
    }
  }
}

TEST_P(CannyEdges, ARegionHasTheEdgesOfTheWholeImage) {
  const Job job = job_of(0.0, 100.0, 400.0);
  const auto in = test::spiral_image(203, 1501, gray, true);
  const MemoryImage whole = edges(job, in, make_cpu_backend());
  for (const Rect region : {Rect{50, 700, 100, 300}, {0, 1400, 203, 101}, {100, 3, 1, 1}}) {
    const MemoryImage found = edges(job, in, cramped(GetParam()), region);
    for (int y = 0; y < in.height(); ++y)
      for (int x = 0; x < in.width(); ++x) {
        const bool inside =
            x >= region.x && x < region.right() && y >= region.y && y < region.bottom();
        const std::size_t i = static_cast<std::size_t>(y) * in.width() + x;
        ASSERT_EQ(found.codes()[i], (inside ? whole : in).codes()[i]) << x << ", " << y;
      }
  }
}

TEST_P(CannyEdges, AreTheSameBitsOnEveryDeviceAndInEveryBand) {
  unsigned seed = 40;
  for (const Format& format : test::all_formats())
    for (const auto& [width, height] : {std::pair{64, 32}, {65, 33}, {191, 401}, {1000, 131}})
      for (const double sigma : {0.0, 1.4})
        for (const double high : {120.0, 300.0, 600.0}) {
          const Job job = job_of(sigma, 40.0, sigma > 0.0 ? high / 4.0 + 15.0 : high);
          const auto in = test::random_image(width, height, format, true, ++seed);
          const auto wanted = edges(job, in, make_cpu_backend());
          EXPECT_EQ(edges(job, in, test::make_backend(GetParam())).codes(), wanted.codes())
              << test::name_of(format) << ' ' << width << ' ' << sigma << ' ' << high;
          EXPECT_EQ(edges(job, in, cramped(GetParam())).codes(), wanted.codes())
              << test::name_of(format) << ' ' << width << ' ' << sigma << ' ' << high;
        }
}

INSTANTIATE_TEST_SUITE_P(Devices, CannyEdges, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string{info.param}; });

/// A device that claims to be a GPU and fails at one call of process().
class Faulty final : public test::Wrapped {
 public:
  Faulty(bool of_memory, int call)
      : Wrapped{make_cpu_backend()}, of_memory_{of_memory}, left_{call} {}
  bool is_gpu() const override { return true; }
  std::size_t budget() const override { return 4 * 256 * 203; }
  void process(const Band& band) override {
    if (left_-- == 0) {
      if (of_memory_) throw DeviceMemoryError{"No room."};
      throw DeviceError{"It broke."};
    }
    Wrapped::process(band);
  }

 private:
  bool of_memory_;
  int left_;
};

TEST(Analysis, BeginsAgainWhenTheDeviceFails) {
  const Job job = job_of(0.0, 100.0, 400.0);
  MemoryImage in = test::spiral_image(203, 1501, gray, true);
  const MemoryImage wanted = edges(job, in, make_cpu_backend());
  struct Rising final : Observer {
    bool progress(double fraction) override {
      EXPECT_GE(fraction, last);
      last = fraction;
      return true;
    }
    double last = 0.0;
  };
  for (const bool of_memory : {false, true})
    for (int call = 0; call < 12; ++call) {
      MemoryImage out = in;
      Rising observer;
      const Report report = run_on(std::make_unique<Faulty>(of_memory, call), make_cpu_backend(),
                                   job, in, out, {0, 0, 203, 1501}, observer);
      EXPECT_EQ(out.codes(), wanted.codes()) << call;
      EXPECT_EQ(report.on_gpu, of_memory);
      EXPECT_EQ(observer.last, 1.0);
    }
}

TEST(Analysis, ReadsEveryRowOnceIfTheyFit) {
  const Job job = job_of(0.0, 100.0, 400.0);
  for (const int height : {300, 900, 1501}) {
    MemoryImage in = test::spiral_image(203, height, gray, true), out = in;
    test::Counting counting{in};
    Observer silent;
    run_on(make_cpu_backend(), nullptr, job, counting, out, {0, 0, 203, height}, silent);
    EXPECT_LE(counting.rows, height == 1501 ? 2 * height : height) << height;
  }
}

}  // namespace
}  // namespace cuda_filters
