// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The preview without its window: which part shows, how it is reduced, and what is computed for it.
#include <gegl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <random>

#include "gpu/core/engine.hpp"
#include "plugin/dialog/preview_view.hpp"
#include "plugin/dialog/preview_worker.hpp"

namespace cuda_filters::plugin {
namespace {

TEST(PreviewView, FitsTheWholePictureAndEnlargesNone) {
  for (const Size picture : {Size{6000, 4000}, Size{4000, 6000}, Size{524288, 1}, Size{301, 203}}) {
    PreviewView view{picture};
    view.set_window({300, 200});
    EXPECT_TRUE(view.shows_all());
    EXPECT_LE(view.zoomed().width, 300);
    EXPECT_LE(view.zoomed().height, 200);
    EXPECT_EQ(view.shown(), (Rect{0, 0, view.zoomed().width, view.zoomed().height}));
  }
  PreviewView small{{40, 30}};
  small.set_window({300, 200});
  EXPECT_EQ(small.zoom(), 1.0);
  EXPECT_EQ(small.left(), 130);
  EXPECT_EQ(small.top(), 85);
}

TEST(PreviewView, ZoomsAroundAPointAndKeepsItsLimits) {
  PreviewView view{{6000, 4000}};
  view.set_window({600, 400});
  for (int i = 0; i < 40; ++i) {
    const double before = (450.0 - view.left()) / view.zoom();
    view.zoom_in(450.0, 100.0);
    EXPECT_NEAR((450.0 - view.left()) / view.zoom(), before, 1.0 / view.zoom() + 1e-9);
  }
  EXPECT_EQ(view.zoom(), PreviewView::largest_zoom);
  EXPECT_FALSE(view.shows_all());
  for (int i = 0; i < 40; ++i) view.zoom_out(450.0, 100.0);
  EXPECT_TRUE(view.shows_all());
  EXPECT_EQ(view.zoom(), 0.1);
  view.zoom_to(1.0, 300.0, 200.0);
  EXPECT_EQ(view.shown().size(), (Size{600, 400}));
}

TEST(PreviewView, LeavesNoRoomEmptyThatThePictureCouldFill) {
  PreviewView view{{1000, 800}};
  view.set_window({300, 200});
  view.zoom_to(1.0, 0, 0);
  view.pan(100000, 100000);
  EXPECT_EQ(view.shown(), (Rect{0, 0, 300, 200}));
  view.pan(-100000, -100000);
  EXPECT_EQ(view.shown(), (Rect{700, 600, 300, 200}));
  view.set_window({500, 400});
  EXPECT_EQ(view.shown(), (Rect{500, 400, 500, 400}));
  view.set_window({2000, 400});
  EXPECT_EQ(view.left(), 500);
}

TEST(PreviewView, TellsWhichPixelsShowWhenTheyAreEnlarged) {
  PreviewView view{{1000, 800}};
  view.set_window({400, 300});
  EXPECT_EQ(view.visible(), view.shown());
  view.zoom_to(4.0, 0, 0);
  EXPECT_EQ(view.scale(), 1.0);
  EXPECT_EQ(view.visible(), (Rect{0, 0, 100, 75}));
  view.pan(-4 * 500 - 2, -4 * 300 - 3);
  EXPECT_EQ(view.visible(), (Rect{500, 300, 101, 76}));
  view.pan(-100000, -100000);
  EXPECT_EQ(view.visible(), (Rect{900, 725, 100, 75}));
}

/// Random pixels, of which some are transparent.
std::vector<std::uint8_t> random_pixels(Size size, unsigned seed) {
  std::mt19937 random{seed};
  std::vector<std::uint8_t> pixels(4 * static_cast<std::size_t>(size.width) * size.height);
  for (std::uint8_t& value : pixels) value = static_cast<std::uint8_t>(random());
  return pixels;
}

PreviewRaster reduced(const std::vector<std::uint8_t>& pixels, Size size, Rect area, double scale,
                      int band) {
  PreviewRaster raster{size, area, scale};
  const Rect source = raster.source();
  for (int y = source.y; y < source.bottom(); y += band)
    raster.add(y, std::min(y + band, source.bottom()), [&](int row, std::uint8_t* to) {
      std::copy_n(&pixels[4 * (static_cast<std::size_t>(row) * size.width + source.x)],
                  4 * source.width, to);
    });
  EXPECT_TRUE(raster.is_complete());
  return raster;
}

/// The mean of the pixels whose middles lie in a reduced one, with colors multiplied by alpha.
std::array<double, 4> mean_of(const std::vector<std::uint8_t>& pixels, Size size, int column,
                              int row, double scale) {
  std::array<double, 4> sum{};
  double count = 0;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      if (std::floor((x + 0.5) * scale) != column || std::floor((y + 0.5) * scale) != row) continue;
      const std::uint8_t* pixel = &pixels[4 * (static_cast<std::size_t>(y) * size.width + x)];
      for (int c = 0; c < 3; ++c) sum[c] += pixel[c] * (pixel[3] / 255.0);
      sum[3] += pixel[3], ++count;
    }
  for (double& value : sum) value /= count;
  return sum;
}

TEST(PreviewRaster, HasTheMeansOfThePixels) {
  const Size size{61, 47};
  const auto pixels = random_pixels(size, 1);
  for (const double scale : {1.0, 0.7, 0.5, 0.31, 0.1}) {
    const Rect area{1, 2, static_cast<int>(size.width * scale) - 1,
                    static_cast<int>(size.height * scale) - 2};
    const auto raster = reduced(pixels, size, area, scale, 7);
    for (int y = 0; y < area.height; ++y)
      for (int x = 0; x < area.width; ++x) {
        const auto mean = mean_of(pixels, size, area.x + x, area.y + y, scale);
        const std::uint32_t word = raster.pixels()[static_cast<std::size_t>(y) * area.width + x];
        for (int c = 0; c < 4; ++c) {
          const int shift = c == 3 ? 24 : 16 - 8 * c;
          EXPECT_NEAR(word >> shift & 255, mean[c], 0.51) << scale << ' ' << x << ' ' << y;
        }
      }
  }
}

TEST(PreviewRaster, DoesNotDependOnHowItsRowsCome) {
  const Size size{200, 150};
  const auto pixels = random_pixels(size, 2);
  for (const double scale : {1.0, 0.37}) {
    const Rect area{0, 0, static_cast<int>(size.width * scale),
                    static_cast<int>(size.height * scale)};
    const auto whole = reduced(pixels, size, area, scale, size.height);
    for (const int band : {1, 2, 3, 64})
      EXPECT_EQ(reduced(pixels, size, area, scale, band).pixels(), whole.pixels()) << band;
  }
}

/// A picture in a buffer, and a worker for it that can be waited for.
class PreviewWorkerTest : public ::testing::TestWithParam<const char*> {
 protected:
  static constexpr Size size{300, 200};

  void make(const char* format, Selection selection, Channels locked = {}) {
    const GeglRectangle extent{0, 0, size.width, size.height};
    format_ = babl_format(format);
    buffer_ = Buffer{gegl_buffer_new(&extent, format_)};
    const auto pixels = random_pixels(size, 3);
    gegl_buffer_set(buffer_.get(), &extent, 0, babl_format("R'G'B'A u8"), pixels.data(),
                    GEGL_AUTO_ROWSTRIDE);
    picture_.emplace(buffer_, format_, std::move(selection), locked);
    while (!picture_->copy_some()) continue;
    worker_.emplace(*picture_, [this] {
      if (worker_->result().is_coarse) was_coarse_ = true;
      const std::lock_guard lock{mutex_};
      changed_.notify_one();
    });
  }

  /// What shows when nothing follows any more.
  PreviewResult last() {
    std::unique_lock lock{mutex_};
    for (;;) {
      PreviewResult result = worker_->result();
      if (!result.is_busy) return result;
      changed_.wait_for(lock, std::chrono::milliseconds{10});
    }
  }

  /// What the engine makes of an area of the picture, as a window shows it.
  std::vector<std::uint8_t> expected(const Job& job) {
    return expected(job, {0, 0, size.width, size.height});
  }
  std::vector<std::uint8_t> expected(const Job& job, Rect area) {
    const PixelFormat format{picture_->format_in_run(job.plan), job.plan.trc};
    BufferSource source{buffer_.get(), format, picture_->selection()};
    const GeglRectangle extent{0, 0, size.width, size.height};
    Buffer result{gegl_buffer_new(&extent, format.babl)};
    BufferSink sink{result.get(), format};
    Observer silent;
    run(job, source, sink, area, choose_device(), silent);
    std::vector<std::byte> stored(static_cast<std::size_t>(size.width) * size.height *
                                  babl_format_get_bytes_per_pixel(format.babl));
    gegl_buffer_get(result.get(), &extent, 1.0, format.babl, stored.data(), GEGL_AUTO_ROWSTRIDE,
                    GEGL_ABYSS_NONE);
    std::vector<std::uint8_t> shown(4 * static_cast<std::size_t>(size.width) * size.height);
    ShownPixels{format.babl}.convert(stored.data(), shown.data(), size.width * size.height);
    return shown;
  }

  static Selection all() { return {.area = {0, 0, size.width, size.height}, .mask = Buffer{}}; }

  const Babl* format_ = nullptr;
  Buffer buffer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> was_coarse_ = false;
  std::optional<PreviewPicture> picture_;
  std::optional<PreviewWorker> worker_;
};

Job job_of(const char* name) {
  const FilterEntry& filter = *find_filter(name);
  return make_job(filter, initial_values(filter));
}

std::uint32_t premultiplied(const std::uint8_t* pixel) {
  const auto part = [&](int c) {
    return static_cast<std::uint32_t>((pixel[c] * pixel[3] + 127) / 255);
  };
  return static_cast<std::uint32_t>(pixel[3]) << 24 | part(0) << 16 | part(1) << 8 | part(2);
}

TEST_P(PreviewWorkerTest, ShowsAtFullSizeWhatTheEngineGives) {
  make("R'G'B'A u8", all());
  const Job job = job_of(GetParam());
  const auto whole = expected(job);
  const Rect area{37, 50, 200, 120};
  worker_->request({job, size, area, 1.0});
  const PreviewResult result = last();
  ASSERT_EQ(result.error, "");
  ASSERT_TRUE(result.after->is_complete());
  EXPECT_FALSE(result.is_coarse);
  for (int y = 0; y < area.height; ++y)
    for (int x = 0; x < area.width; ++x)
      ASSERT_EQ(result.after->pixels()[static_cast<std::size_t>(y) * area.width + x],
                premultiplied(
                    &whole[4 * (static_cast<std::size_t>(area.y + y) * size.width + area.x + x)]))
          << x << ", " << y;
}

INSTANTIATE_TEST_SUITE_P(Filters, PreviewWorkerTest,
                         ::testing::Values("gaussian-blur", "median-blur", "autocontrast", "canny",
                                           "invert", "guided-filter", "chain"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

using PreviewWorkers = PreviewWorkerTest;

TEST_F(PreviewWorkers, ReduceTheExactResult) {
  make("RGBA float", all());
  const Job job = job_of("gaussian-blur");
  const auto whole = expected(job);
  const Rect area{0, 0, 100, 66};
  worker_->request({job, size, area, 1.0 / 3});
  const PreviewResult result = last();
  EXPECT_EQ(result.after->pixels(), reduced(whole, size, area, 1.0 / 3, 64).pixels());
  EXPECT_EQ(
      result.before->pixels(),
      reduced(picture_->shown({0, 0, size.width, size.height}), size, area, 1.0 / 3, 64).pixels());
}

TEST_F(PreviewWorkers, ShowThePictureWhereItIsNotSelected) {
  const GeglRectangle extent{0, 0, size.width, size.height};
  Buffer mask{gegl_buffer_new(&extent, babl_format("Y u8"))};
  std::vector<std::uint8_t> shares(static_cast<std::size_t>(size.width) * size.height);
  for (int y = 40; y < 160; ++y)
    for (int x = 50; x < 250; ++x)
      shares[static_cast<std::size_t>(y) * size.width + x] = x < 150 ? 255 : 128;
  gegl_buffer_set(mask.get(), &extent, 0, nullptr, shares.data(), GEGL_AUTO_ROWSTRIDE);
  make("R'G'B' u8", {.area = {50, 40, 200, 120}, .mask = std::move(mask)});
  const Job job = job_of("invert");
  worker_->request({job, size, {0, 0, size.width, size.height}, 1.0});
  const PreviewResult result = last();
  ASSERT_EQ(result.error, "");
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::uint32_t before = result.before->pixels()[i], after = result.after->pixels()[i];
    const int red = before >> 16 & 255;
    const auto light = [](int code) {
      return value_of({Transfer::Kind::srgb_to_linear}, code / 255.0);
    };
    const double share = shares[i] / 255.0;
    const double mixed = light(255 - red) * share + light(red) * (1.0 - share);
    const double wanted = 255.0 * value_of({Transfer::Kind::linear_to_srgb}, mixed);
    ASSERT_NEAR(after >> 16 & 255, wanted, 0.51) << i;
  }
}

/// A selection of just that rectangle.
Selection selection_of(Rect selected, Size size) {
  const GeglRectangle extent{0, 0, size.width, size.height};
  const GeglRectangle area{selected.x, selected.y, selected.width, selected.height};
  Buffer mask{gegl_buffer_new(&extent, babl_format("Y u8"))};
  const std::vector<std::uint8_t> all(static_cast<std::size_t>(selected.width) * selected.height,
                                      255);
  gegl_buffer_set(mask.get(), &area, 0, nullptr, all.data(), GEGL_AUTO_ROWSTRIDE);
  return {.area = selected, .mask = std::move(mask)};
}

TEST_F(PreviewWorkers, HealWhatIsSelectedWhateverShowsOfIt) {
  const Rect selected{120, 80, 60, 50};
  make("R'G'B' u8", selection_of(selected, size));
  const Job job = job_of("heal-selection");
  const auto whole = expected(job, selected);
  const Rect area{100, 90, 50, 30};
  worker_->request({job, size, area, 1.0});
  const PreviewResult result = last();
  ASSERT_EQ(result.error, "");
  for (int y = area.y; y < area.bottom(); ++y)
    for (int x = area.x; x < area.right(); ++x) {
      const std::size_t i = static_cast<std::size_t>(y - area.y) * area.width + (x - area.x);
      const std::size_t at = static_cast<std::size_t>(y) * size.width + x;
      const bool heals = !intersected(selected, {x, y, 1, 1}).empty();
      ASSERT_EQ(result.after->pixels()[i],
                heals ? premultiplied(&whole[4 * at]) : result.before->pixels()[i])
          << x << ", " << y;
    }
  EXPECT_FALSE(was_coarse_);
}

TEST_F(PreviewWorkers, HealCoarselyFirstWhereThatTakesAWhile) {
  const Rect selected{50, 40, 200, 120};
  make("R'G'B' u8", selection_of(selected, size));
  const Job job = job_of("heal-selection");
  worker_->request({job, size, {0, 0, 100, 66}, 1.0 / 3});
  EXPECT_EQ(last().error, "");
  const DeviceChoice device = choose_device();
  const double seconds = expected_seconds(job, selected.size().pixels(), device);
  EXPECT_EQ(was_coarse_, device.gpu < 0 && seconds > 0.15);
}

TEST_F(PreviewWorkers, HealThoughAReducedPictureIsTooSmall) {
  make("R'G'B' u8", selection_of({10, 10, 280, 180}, size));
  worker_->request({job_of("heal-selection"), size, {0, 0, 30, 20}, 0.1});
  const PreviewResult result = last();
  EXPECT_EQ(result.error, "");
  EXPECT_TRUE(result.after->is_complete());
  EXPECT_FALSE(was_coarse_);
}

TEST_F(PreviewWorkers, KeepChannelsThatGimpLeavesAlone) {
  make("R'G'B'A u8", all(), {false, true, false, true});
  const Rect area{0, 0, size.width, size.height};
  const Job job = job_of("gaussian-blur");
  const auto before = picture_->shown(area), after = expected(job);
  worker_->request({job, size, area, 1.0});
  const PreviewResult result = last();
  ASSERT_EQ(result.error, "");
  for (std::size_t i = 0; i < before.size(); i += 4) {
    const std::uint8_t pixel[] = {after[i], before[i + 1], after[i + 2], before[i + 3]};
    ASSERT_EQ(result.after->pixels()[i / 4], premultiplied(pixel)) << i / 4;
  }
}

TEST_F(PreviewWorkers, ShowTheNewImageOfAFilterThatMakesOne) {
  make("Y' u8", all());
  const FilterEntry& filter = *find_filter("align-plates");
  Values values = initial_values(filter);
  const auto made = [&](const char* post) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::string{filter.params[i].name} == "post")
        for (std::size_t c = 0; c < filter.params[i].choices.size(); ++c)
          if (std::string{filter.params[i].choices[c].nick} == post)
            values[i] = static_cast<double>(c);
    return make_job(filter, values);
  };
  for (const char* post : {"none", "autocontrast"}) {
    const Job job = made(post);
    Observer silent;
    const auto wanted = make_new_picture(job, *picture_, silent);
    const Size new_size = wanted->picture.size();
    ASSERT_LT(new_size.height, size.height / 2);
    // Nothing of the picture is shown for the new image: its size is told first.
    if (std::string{"none"} == post) {
      worker_->request({job, size, {0, 0, size.width, size.height}, 1.0});
      const PreviewResult unknown = last();
      EXPECT_EQ(unknown.picture, new_size);
      EXPECT_EQ(unknown.after, nullptr);
    }
    const Rect area{0, 0, new_size.width, new_size.height};
    worker_->request({job, new_size, area, 1.0});
    const PreviewResult result = last();
    ASSERT_EQ(result.error, "");
    EXPECT_EQ(result.output_values, wanted->output_values);
    EXPECT_EQ(result.output_values.size(), filter.output_values.size());
    EXPECT_EQ(result.after->pixels(),
              reduced(wanted->picture.shown(area), new_size, area, 1.0, 64).pixels());
  }
}

TEST_F(PreviewWorkers, TellWhyThereIsNoNewImage) {
  make("Y' u8", all());
  const FilterEntry& filter = *find_filter("align-plates");
  const GeglRectangle extent{0, 0, 12, 100};
  const Buffer narrow{gegl_buffer_new(&extent, format_)};
  PreviewPicture picture{narrow, format_, {.area = {0, 0, 12, 100}, .mask = Buffer{}}};
  while (!picture.copy_some()) continue;
  worker_.emplace(picture, [] {});
  worker_->request({job_of(filter.info.name), {12, 100}, {0, 0, 12, 100}, 1.0});
  EXPECT_NE(last().error.find("12"), std::string::npos);
  worker_.reset();  // before the picture
}

TEST_F(PreviewWorkers, ShowTheLastOfManyRequests) {
  make("R'G'B'A u8", all());
  const FilterEntry& filter = *find_filter("diffusion");
  for (const double steps : {2000.0, 1999.0, 1998.0, 3.0}) {
    Values values = initial_values(filter);
    values[1] = steps;
    worker_->request({make_job(filter, values), size, {0, 0, 150, 100}, 0.5});
  }
  Values values = initial_values(filter);
  values[1] = 3.0;
  const auto whole = expected(make_job(filter, values));
  EXPECT_EQ(last().after->pixels(), reduced(whole, size, {0, 0, 150, 100}, 0.5, 64).pixels());
}

TEST_F(PreviewWorkers, ShowThePictureWithoutAJob) {
  make("Y' u16", all());
  worker_->request({std::nullopt, size, {0, 0, 150, 100}, 0.5});
  const PreviewResult result = last();
  EXPECT_EQ(result.after, result.before);
  EXPECT_TRUE(result.before->is_complete());
}

TEST(JobForReduced, HasLengthsThatAreAsMuchSmaller) {
  const FilterEntry& filter = *find_filter("median-blur");
  Values values = initial_values(filter);
  values[1] = 20.0;
  const Values smaller = values_of(*job_for_reduced(make_job(filter, values), 4));
  EXPECT_EQ(std::get<double>(smaller[1]), 5.0);
  EXPECT_EQ(smaller[2], values[2]);
  EXPECT_FALSE(job_for_reduced(job_of("chain"), 2));
}

/// GEGL is there for all tests.
class WithGegl : public ::testing::Environment {
  void SetUp() override { gegl_init(nullptr, nullptr); }
  void TearDown() override { gegl_exit(); }
};
[[maybe_unused]] const auto* const with_gegl = ::testing::AddGlobalTestEnvironment(new WithGegl);

}  // namespace
}  // namespace cuda_filters::plugin
