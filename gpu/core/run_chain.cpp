// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/run_chain.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "gpu/core/chain.hpp"
#include "gpu/core/device_image_cache.hpp"
#include "gpu/core/fused_pointwise.hpp"
#include "gpu/core/memory_pool.hpp"
#include "gpu/core/required_input.hpp"
#include "gpu/core/run_bands.hpp"

namespace cuda_filters {
namespace {

/// The row, which is in no menu, of a pass whose parameters are FusedPointwise.
class FusedPointwiseEntry final : public FilterEntry {
 public:
  FusedPointwiseEntry() : FilterEntry{typeid(FusedPointwise), {}, {}} {}
  std::shared_ptr<void> make_params() const override { return std::make_shared<FusedPointwise>(); }
  Plan plan(const void*, bool) const override {
    return {.trc = Trc::native, .alpha = Alpha::channel};
  }
};

Job fused_pointwise_job(std::vector<PointwiseStep> steps) {
  static const FusedPointwiseEntry entry;
  auto params = std::make_shared<FusedPointwise>(FusedPointwise{std::move(steps)});
  const Plan plan = entry.plan(params.get(), false);
  return {&entry, std::move(params), plan};
}

/// The type of the row, which is in no menu either, of a chain that rounds.
struct RoundingChain {};

class RoundingChainEntry final : public FilterEntry {
 public:
  RoundingChainEntry() : FilterEntry{typeid(RoundingChain), its_info(), {}} {}
  std::shared_ptr<void> make_params() const override { return std::make_shared<RoundingChain>(); }
  Plan plan(const void*, bool) const override { return {}; }

 private:
  /// Under a name of their own, by which estimates learn how long they take.
  static FilterInfo its_info() {
    FilterInfo info = find_filter("chain")->info;
    info.name = "rounding-chain";
    return info;
  }
};

bool rounds(const Job& chain) { return chain.filter->type == typeid(RoundingChain); }

void add_transfer(std::vector<PointwiseStep>& steps, const Transfer& transfer) {
  if (transfer.kind == Transfer::Kind::none) return;
  PointwiseStep step;
  step.set(PointwiseStep::transfer, terms_of(transfer));
  step.of_colors = true;
  steps.push_back(step);
}

/// Part of an image between two steps, in numbers that mean what the source's own numbers mean:
/// floats, or, if it `rounds`, of the source's type.
class ImageBetween final : public Source, public Sink {
 public:
  ImageBetween(Source& original, Rect area, MemoryPool& memory, bool stays, bool rounds)
      : original_{original}, format_{original.encoding(Trc::native).format}, rounds_{rounds} {
    if (!rounds) format_.type = SampleType::f32;
    view_.area = area;
    view_.row_bytes = static_cast<std::size_t>(area.width) * format_.bytes_per_pixel();
    memory_ = memory.take(view_.row_bytes * area.height);
    view_.rows = memory_.get();
    stays_ = stays;
  }
  int width() const override { return original_.width(); }
  int height() const override { return original_.height(); }
  Encoding encoding(Trc trc) override {
    if (rounds_) return original_.encoding(trc);
    Encoding encoding{format_, {}};
    encoding.transfer = original_.transfer(trc).value();
    return encoding;
  }
  std::optional<Transfer> transfer(Trc trc) override { return original_.transfer(trc); }
  Encoding encoding_for(const Encoding& in) override {
    return in.format == format_ ? in : encoding(Trc::native);
  }
  const PixelView* view() const override { return stays_ ? &view_ : nullptr; }
  void read(Rect area, const Encoding&, std::byte* to, std::size_t stride) override {
    for (int y = 0; y < area.height; ++y)
      std::memcpy(to + y * stride, at(area.x, area.y + y), row_bytes(area));
  }
  void write(Rect area, const Encoding&, const std::byte* from, std::size_t stride) override {
    for (int y = 0; y < area.height; ++y)
      std::memcpy(at(area.x, area.y + y), from + y * stride, row_bytes(area));
  }
  Rect analyzed_area(Rect region) override { return original_.analyzed_area(region); }
  bool has_mask() const override { return original_.has_mask(); }
  void read_mask(Rect area, std::uint8_t* to) override { original_.read_mask(area, to); }

 private:
  std::size_t row_bytes(Rect area) const {
    return static_cast<std::size_t>(area.width) * format_.bytes_per_pixel();
  }
  std::byte* at(int x, int y) {
    return view_.rows + (y - view_.area.y) * view_.row_bytes +
           static_cast<std::size_t>(x - view_.area.x) * format_.bytes_per_pixel();
  }

  Source& original_;
  Format format_;
  bool rounds_;
  PixelView view_{};
  bool stays_ = false;
  std::shared_ptr<std::byte[]> memory_;
};

/// The same image in a light to which no formula leads.
class ConvertedImage final : public Source, public Sink {
 public:
  ConvertedImage(ImageBetween& image, Source& original, Trc trc)
      : image_{image}, original_{original}, trc_{trc} {}
  int width() const override { return image_.width(); }
  int height() const override { return image_.height(); }
  Encoding encoding(Trc) override { return image_.encoding(Trc::native); }
  void read(Rect area, const Encoding& encoding, std::byte* to, std::size_t stride) override {
    image_.read(area, encoding, to, stride);
    for (int y = 0; y < area.height; ++y)
      original_.convert(reinterpret_cast<float*>(to + y * stride), area.width, trc_, false);
  }
  void write(Rect area, const Encoding& encoding, const std::byte* from,
             std::size_t stride) override {
    const auto* floats = reinterpret_cast<const float*>(from);
    std::vector<float> row(static_cast<std::size_t>(area.width) * encoding.format.channels());
    for (int y = 0; y < area.height; ++y, floats += stride / sizeof(float)) {
      std::copy_n(floats, row.size(), row.data());
      original_.convert(row.data(), area.width, trc_, true);
      image_.write({area.x, area.y + y, area.width, 1}, encoding,
                   reinterpret_cast<const std::byte*>(row.data()), stride);
    }
  }
  Rect analyzed_area(Rect region) override { return image_.analyzed_area(region); }
  bool has_mask() const override { return image_.has_mask(); }
  void read_mask(Rect area, std::uint8_t* to) override { image_.read_mask(area, to); }

 private:
  ImageBetween& image_;
  Source& original_;
  Trc trc_;
};

/// A sink of codes in the source's own numbers, for a pass that comes from floats.
class Encoder final : public Sink {
 public:
  Encoder(Sink& sink, const Encoding& encoding) : sink_{sink}, encoding_{encoding} {}
  Encoding encoding_for(const Encoding&) override { return encoding_; }
  void write(Rect area, const Encoding& encoding, const std::byte* from,
             std::size_t stride) override {
    sink_.write(area, encoding, from, stride);
  }
  const PixelView* view() const override { return sink_.view(); }
  bool may_be_read() const override { return sink_.may_be_read(); }
  std::shared_ptr<const Version> version() override { return sink_.version(); }

 private:
  Sink& sink_;
  Encoding encoding_;
};

/// All passes, with what lies between two of them in memory of that kind.
void run_passes(Backend& backend, std::span<const Pass> passes, Source& source, Sink& sink,
                bool stays, bool rounds, const Progress& progress, Report& report) {
  // That of an earlier pass is taken if nobody uses it any more.
  MemoryPool memory{[&](std::size_t bytes) {
    if (!stays) return std::shared_ptr<std::byte[]>(new std::byte[bytes]);
    try {
      return backend.memory(bytes);
    } catch (const DeviceMemoryError&) {
      if (!drop_cached_device_images()) throw;
    }
    return backend.memory(bytes);
  }};
  Encoder encoder{sink, source.encoding(Trc::native)};
  Sink& end = rounds ? sink : encoder;
  std::unique_ptr<ImageBetween> before;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const auto part = [&](double fraction) {
      progress((static_cast<double>(i) + fraction) / static_cast<double>(passes.size()));
    };
    const bool last = i + 1 == passes.size();
    auto after =
        last ? nullptr
             : std::make_unique<ImageBetween>(source, passes[i].region, memory, stays, rounds);
    if (passes[i].converts) {  // never the first or the last
      ConvertedImage converted_before{*before, source, passes[i].job.plan.trc};
      ConvertedImage converted_after{*after, source, passes[i].job.plan.trc};
      run_pass(backend, passes[i].job, converted_before, converted_after, passes[i].region, part,
               report);
    } else {
      run_pass(backend, passes[i].job, before ? static_cast<Source&>(*before) : source,
               last ? end : static_cast<Sink&>(*after), passes[i].region, part, report);
    }
    before = std::move(after);
  }
}

/// A pass for each step that changes pixels.
std::vector<Pass> rounding_passes(std::span<const Job> steps, Size size, Rect region) {
  std::vector<Pass> passes;
  for (const Job& step : steps)
    if (!step.plan.identity) passes.push_back({resolved(step, size), region});
  return passes;
}

/// Passes of which the first and the last one convert to floats and back.
std::vector<Pass> float_passes(std::span<const Job> steps, Source& source, Rect region) {
  const Size size = source.size();
  std::vector<Pass> passes;
  std::vector<PointwiseStep> fused;
  constexpr std::size_t max_fused = 12;  // and at most two conversions each
  const auto end_fused = [&] {
    passes.push_back({resolved(fused_pointwise_job(std::exchange(fused, {})), size), region});
  };
  for (const Job& step : steps) {
    if (step.plan.identity) continue;
    const auto transfer = source.transfer(step.plan.trc);
    if (transfer && step.filter->is_pointwise()) {
      if (fused.size() > max_fused) end_fused();
      add_transfer(fused, *transfer);
      fused.push_back(step.filter->pointwise_step(step.params.get()));
      add_transfer(fused, inverse(*transfer));
      continue;
    }
    if (passes.empty() || !fused.empty()) end_fused();
    passes.push_back({resolved(step, size), region, !transfer});
  }
  end_fused();
  return passes;
}

}  // namespace

Job rounding_chain(std::vector<Job> steps) {
  static const RoundingChainEntry entry;
  const Plan plan = plan_of_chain(steps);
  return {&entry, entry.make_params(), plan, std::move(steps)};
}

std::vector<Pass> plan_passes(const Job& chain, Source& source, Rect region) {
  const Size size = source.size();
  std::vector<Pass> passes = rounds(chain) ? rounding_passes(chain.steps, size, region)
                                           : float_passes(chain.steps, source, region);
  for (std::size_t i = passes.size(); i-- > 1;)
    passes[i - 1].region = required_input(passes[i].job, size, passes[i].region,
                                          source.analyzed_area(passes[i].region));
  return passes;
}

void run_chain(Backend& backend, const Job& chain, Source& source, Sink& sink, Rect region,
               const Progress& progress, Report& report) {
  const std::vector<Pass> passes = plan_passes(chain, source, region);
  const bool stays = std::ranges::none_of(passes, &Pass::converts);
  try {
    run_passes(backend, passes, source, sink, stays, rounds(chain), progress, report);
  } catch (const DeviceMemoryError&) {
    if (!stays) throw;
    run_passes(backend, passes, source, sink, false, rounds(chain), progress, report);
  }
}

}  // namespace cuda_filters
