// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// preview_bench [WIDTHxHEIGHT [FILTER...]]
// How long the dialogs' preview takes to read a picture, RGBA of 8 bits, to show it, and to show
// what becomes of it when a value changes: all of it in a window of 900 × 600 pixels, and a part at
// 100 %. Medians in milliseconds; without what the window itself takes to be drawn.
#include <gegl.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "plugin/dialog/preview_view.hpp"
#include "plugin/dialog/preview_worker.hpp"

namespace {

using namespace cuda_filters;
using namespace cuda_filters::plugin;
using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

double median(std::vector<double> numbers) {
  std::ranges::nth_element(numbers, numbers.begin() + static_cast<long>(numbers.size() / 2));
  return numbers[numbers.size() / 2];
}

Buffer random_picture(Size size) {
  const GeglRectangle extent{0, 0, size.width, size.height};
  Buffer buffer{gegl_buffer_new(&extent, babl_format("R'G'B'A u8"))};
  std::mt19937 random{1};
  std::vector<std::uint32_t> row(static_cast<std::size_t>(size.width));
  for (int y = 0; y < size.height; ++y) {
    for (std::uint32_t& pixel : row) pixel = random() | 0xff000000U;
    const GeglRectangle line{0, y, size.width, 1};
    gegl_buffer_set(buffer.get(), &line, 0, nullptr, row.data(), GEGL_AUTO_ROWSTRIDE);
  }
  return buffer;
}

/// Requests what shows and waits for it.
class Waiting {
 public:
  explicit Waiting(const PreviewPicture& picture)
      : worker_{picture, [this] {
                  const std::lock_guard lock{mutex_};
                  changed_.notify_one();
                }} {}

  /// How long it takes until something of the result shows, and until all of it does.
  std::pair<double, double> show(const PreviewRequest& request) {
    const auto began = Clock::now();
    const auto before = worker_.result().after;
    worker_.request(request);
    double first = 0.0;
    std::unique_lock lock{mutex_};
    for (;;) {
      const PreviewResult result = worker_.result();
      if (first == 0.0 && result.after != before) first = milliseconds(began);
      if (!result.is_busy) return {first, milliseconds(began)};
      changed_.wait_for(lock, std::chrono::milliseconds{1});
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  PreviewWorker worker_;
};

/// The filter with its first parameter a little larger each time.
Job changed_job(const FilterEntry& filter, int turn) {
  Values values = initial_values(filter);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (filter.params[i].kind == Kind::real) {
      const double value = std::get<double>(values[i]) + 0.01 * turn;
      values[i] = std::min(value, filter.params[i].range.max);
      break;
    }
  return make_job(filter, values);
}

void measure(const FilterEntry& filter, Waiting& worker, const PreviewView& view,
             const char* part) {
  std::vector<double> first, all;
  for (int turn = 0; turn < 12; ++turn) {
    const auto [begun, done] = worker.show(
        {changed_job(filter, turn), view.picture(), view.shown(), std::min(1.0, view.zoom())});
    if (turn < 2) continue;  // the device, and what it keeps, is there then
    first.push_back(begun), all.push_back(done);
  }
  std::printf("| %s | %s | %.1f | %.1f |\n", filter.info.name, part, median(first), median(all));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  gegl_init(nullptr, nullptr);
  Size size{6000, 4000};
  if (count > 1) std::sscanf(words[1], "%dx%d", &size.width, &size.height);
  std::vector<std::string> names(words + std::min(count, 2), words + count);
  if (names.empty())
    names = {"invert", "gamma", "gaussian-blur", "unsharp-mask", "median-blur", "canny"};
  {
    const Buffer buffer = random_picture(size);
    const auto began = Clock::now();
    PreviewPicture picture{buffer,
                           gegl_buffer_get_format(buffer.get()),
                           {.area = {0, 0, size.width, size.height}, .mask = Buffer{}}};
    while (!picture.copy_some()) continue;
    std::printf("%d x %d, read in %.1f ms\n\n", size.width, size.height, milliseconds(began));
    std::puts("| filter | shows | first, ms | all, ms |\n| --- | --- | ---: | ---: |");
    Waiting worker{picture};
    for (const std::string& name : names) {
      const FilterEntry* filter = find_filter(name);
      if (filter == nullptr) return std::fprintf(stderr, "no filter '%s'\n", name.c_str()), 1;
      PreviewView view{size};
      view.set_window({900, 600});
      measure(*filter, worker, view, "all of it");
      view.zoom_to(1.0, 450, 300);
      measure(*filter, worker, view, "a part at 100 %");
    }
  }
  gegl_exit();
}
