// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Whole runs on the processor, each a line of the text: see case.hpp. One ends with a picture,
// outside of whose region nothing has changed, or with a sentence; with one thread and with more it
// does so with the same bits.
#include <algorithm>
#include <cstring>
#include <thread>

#include "gpu/core/engine.hpp"
#include "gpu/cpu/parallel.hpp"
#include "tests/fuzz/case.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/support/backends.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed);

namespace cuda_filters::fuzz {
namespace {

/// A source that holds a run to what image.hpp promises.
class CheckedSource final : public Source {
 public:
  explicit CheckedSource(MemoryImage& image) : image_{image} {}
  int width() const override { return image_.width(); }
  int height() const override { return image_.height(); }
  Encoding encoding(Trc trc) override { return image_.encoding(trc); }
  std::optional<Transfer> transfer(Trc trc) override { return image_.transfer(trc); }
  const PixelView* view() const override { return image_.view(); }
  bool has_mask() const override { return image_.has_mask(); }
  void read(Rect area, const Encoding& encoding, std::byte* to, std::size_t stride) override {
    check(area);
    image_.read(area, encoding, to, stride);
  }
  void read_mask(Rect area, std::uint8_t* to) override {
    check(area);
    image_.read_mask(area, to);
  }

 private:
  void check(Rect area) const {
    require(std::this_thread::get_id() == caller_, "a source is read by the calling thread");
    require(!area.empty() && area.x >= 0 && area.y >= 0 && area.right() <= width() &&
                area.bottom() <= height(),
            "a source is read inside of its image");
  }

  MemoryImage& image_;
  const std::thread::id caller_ = std::this_thread::get_id();
};

class CheckedSink final : public Sink {
 public:
  CheckedSink(MemoryImage& image, Rect region) : image_{image}, region_{region} {}
  void begin(Size size, const Encoding& encoding) override {
    image_.begin(size, encoding);
    region_ = {0, 0, size.width, size.height};
  }
  void write(Rect area, const Encoding& encoding, const std::byte* from,
             std::size_t stride) override {
    require(std::this_thread::get_id() == caller_, "a sink is written by the calling thread");
    require(!area.empty() && area.x >= region_.x && area.y >= region_.y &&
                area.right() <= region_.right() && area.bottom() <= region_.bottom(),
            "a sink is written inside of the region");
    image_.write(area, encoding, from, stride);
  }
  const PixelView* view() const override { return image_.view(); }

 private:
  MemoryImage& image_;
  Rect region_;
  const std::thread::id caller_ = std::this_thread::get_id();
};

class Canceller final : public Observer {
 public:
  explicit Canceller(int at) : left_{at} {}
  bool progress(double fraction) override {
    require(fraction >= 0.0 && fraction <= 1.0 + 1e-9, "a fraction from 0 to 1");
    return left_ == 0 || --left_ > 0;
  }

 private:
  int left_;
};

struct Outcome {
  bool succeeded = false;
  std::string sentence{};
  MemoryImage picture;
};

std::unique_ptr<Backend> backend_of(Device device) {
  switch (device) {
    case Device::cpu:
      break;
    case Device::cramped:
      return std::make_unique<test::Cramped>(make_cpu_backend());
    case Device::remote:
      return std::make_unique<test::Remote>();
  }
  return make_cpu_backend();
}

/// What a picture has before it is written to.
void fill_with_pattern(MemoryImage& image) {
  unsigned value = 1;
  for (std::byte& byte : image.codes())
    byte = static_cast<std::byte>((value = value * 69069 + 1) >> 9);
}

/// Whether two pictures of one size are the same outside of a region.
bool same_outside(const MemoryImage& a, const MemoryImage& b, Rect region) {
  const std::size_t row_bytes = a.row_bytes(), pixel = row_bytes / a.width();
  const auto same = [&](int y, int from, int to) {
    const std::size_t at = y * row_bytes + from * pixel;
    return std::memcmp(a.codes().data() + at, b.codes().data() + at, (to - from) * pixel) == 0;
  };
  for (int y = 0; y < a.height(); ++y) {
    const bool in_region = y >= region.y && y < region.bottom();
    if (!same(y, 0, in_region ? region.x : a.width())) return false;
    if (in_region && !same(y, region.right(), a.width())) return false;
  }
  return true;
}

Outcome outcome_of(const Case& from, const ResolvedJob& job, const MemoryImage& picture,
                   Rect region, Device device, int threads) {
  cpu::set_thread_count(threads);
  const bool keeps_size = job.filter->keeps_size(), creates_image = job.filter->creates_image();
  MemoryImage in = picture;
  Outcome outcome{.picture = creates_image ? picture.like({1, 1}) : picture.like(job.output)};
  fill_with_pattern(outcome.picture);
  const MemoryImage before = outcome.picture;
  if (from.in_view) in.expose_memory();
  if (from.out_view && keeps_size) outcome.picture.expose_memory();
  CheckedSource source{in};
  CheckedSink sink{outcome.picture, region};
  Canceller observer{from.cancel};
  try {
    run_on(backend_of(device), nullptr, job, source, sink, region, observer);
    outcome.succeeded = true;
  } catch (const Error& error) {
    outcome.sentence = error.what();
    require(!outcome.sentence.empty(), "an error without a sentence");
  } catch (const std::bad_alloc&) {
    outcome.sentence = "There is not enough memory.";
  }
  require(in.codes() == picture.codes(), "the input stays as it is");
  if (!creates_image)
    require(same_outside(outcome.picture, before, region), "nothing changes outside of the region");
  return outcome;
}

/// What surrounds the selected pixels.
Rect selected_part(const MemoryImage& image) {
  Rect part;
  for (std::size_t i = 0; i < image.selection.size(); ++i) {
    const int x = static_cast<int>(i % image.width()), y = static_cast<int>(i / image.width());
    if (image.selection[i] > 0) part = part.empty() ? Rect{x, y, 1, 1} : united(part, {x, y, 1, 1});
  }
  return part;
}

void run_case(const Case& from) {
  std::optional<ResolvedJob> job;
  if (!accepted(from.steps, [&] { job = make_case_job(from); })) return;
  constexpr double max_seconds = 0.05;
  if (seconds_of(from, *job) > max_seconds) return;
  MemoryImage picture = make_picture(from.in, from.pixels, from.seed);
  picture.selection = make_mask(from);
  Rect region = from.region;
  if (job->filter->creates_image()) region = {0, 0, picture.width(), picture.height()};
  if (!job->filter->keeps_size() && !job->filter->creates_image())
    region = {0, 0, job->output.width, job->output.height};
  if (job->filter->needs_selection()) {
    region = selected_part(picture);
    if (region.empty()) return;
  }
  const Rect all =
      job->filter->creates_image() ? region : Rect{0, 0, job->output.width, job->output.height};
  if (region.x < 0 || region.y < 0 || region.width < 1 || region.height < 1 ||
      region.right() > all.width || region.bottom() > all.height)
    return;
  // More of the lowest bands, each with the rows around it, would show no more and take minutes.
  constexpr int max_low_rows = 4000;
  if (from.device != Device::cpu && job->plan.halo_y > 0 && region.height > max_low_rows) return;
  const Outcome one = outcome_of(from, *job, picture, region, Device::cpu, 1);
  const Outcome more = outcome_of(from, *job, picture, region, from.device, from.threads);
  cpu::set_thread_count(0);
  if (from.cancel != 0) return;
  require(one.succeeded == more.succeeded && one.sentence == more.sentence,
          "the same outcome: '" + one.sentence + "' and '" + more.sentence + "'");
  const bool finite = from.pixels == Pixels::plain || from.pixels == Pixels::flat ||
                      from.pixels == Pixels::zero || is_integer(from.in.format.type);
  if (one.succeeded && (finite || from.device == Device::cpu))
    require(one.picture.codes() == more.picture.codes(), "the same bits");
}

}  // namespace
}  // namespace cuda_filters::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cuda_filters;
  GTEST_FLAG_SET(break_on_failure, true);  // what backends.hpp expects
  std::string_view text = fuzz::text_of(data, size);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (const auto read = fuzz::parse_case(line)) fuzz::run_case(*read);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return 0;
}

/// Most inputs are drawn; the others are changed, byte by byte and word by word, from those that
/// went where none had been before.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  std::mt19937 random{seed};
  if (random() % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text = cuda_filters::fuzz::text_of(cuda_filters::fuzz::random_case(random));
  const std::size_t length = std::min(text.size(), max_size);
  std::memcpy(data, text.data(), length);
  return length;
}
