// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/engine.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <limits>
#include <optional>
#include <utility>

#include "gpu/core/backend.hpp"

namespace cuda_filters {
namespace {

/// GIMP's tiles are this high: bands that end with a tile are read and written fastest.
constexpr int tile_height = 128;

bool changes_size(const Job& job) {
  return job.filter->input_rows != nullptr && !job.plan.identity;
}

/// The part of the padded image that the part `out` of the result is computed from.
Rect needed_input(const Job& job, Size image, Rect out) {
  if (!changes_size(job)) return out.grown(job.plan.halo_x, job.plan.halo_y);
  const IndexRange rows =
      job.filter->input_rows(job.params.get(), image, job.plan.output, {out.y, out.bottom()});
  return {0, rows.begin, image.width, rows.size()};
}

/// How a run is cut into bands of whole rows, and what they need of the image.
struct BandPlan {
  IndexRange columns;  ///< of the image, that are stored
  std::size_t slot_bytes;
  int rows;   ///< of a band, at most
  int slots;  ///< for the rows of two bands

  BandPlan(const Job& job, const Encoding& encoding, Size image, Rect region, std::size_t budget,
           int most_rows) {
    const std::size_t pixel_bytes = encoding.format.bytes_per_pixel();
    const int halo = job.plan.halo_y;
    const Rect input = needed_input(job, image, region);
    columns = needed_indices({input.x, input.right()}, image.width, job.plan.border);
    slot_bytes = columns.size() * pixel_bytes;
    if (changes_size(job)) {
      rows = std::min(512, most_rows);
      const auto bytes = [&] {
        return slots * slot_bytes + 2 * rows * (region.width * pixel_bytes);
      };
      while (slots = most_input_rows(job, image, region, 2 * rows), rows > 1 && bytes() > budget)
        rows /= 2;
      return;
    }
    // Rows that two bands share are computed twice: bands should be long beside their halos.
    const std::size_t wished = std::max<std::size_t>(512, std::size_t{8} * halo);
    // Two bands are stored, with their halos, and two results.
    const std::size_t fitting = budget / (slot_bytes * 4);
    const std::size_t chosen = std::min(wished, std::max<std::size_t>(fitting, tile_height));
    rows = std::min(static_cast<int>(chosen / tile_height) * tile_height, most_rows);
    slots = static_cast<int>(std::min<std::int64_t>(image.height, 2 * (std::int64_t{rows} + halo)));
  }

  /// How many rows of the input `count` neighbouring rows of the result look at, at most.
  static int most_input_rows(const Job& job, Size image, Rect region, int count) {
    int most = 0;
    for (int y = region.y; y < region.bottom(); ++y) {
      const Rect part{region.x, y, region.width, std::min(count, region.bottom() - y)};
      most = std::max(most, needed_input(job, image, part).height);
    }
    return most;
  }

  /// Where the band that begins at `begin` ends: at the end of a tile, or of the region.
  int end_of(int begin, Rect region) const {
    const int aligned = rows >= tile_height ? begin / tile_height * tile_height : begin;
    return std::min(aligned + rows, region.bottom());
  }

  /// Where the band begins that holds row `row`, if the first one begins at `area.y`.
  int begin_of(int row, Rect area) const {
    int begin = area.y;
    for (int end; (end = end_of(begin, area)) <= row;) begin = end;
    return begin;
  }
};

Rect united(Rect a, Rect b) {
  const int x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

/// What the bands are cut from.
Rect banded_area(const Job& job, Source& source, Rect region) {
  if (job.plan.survey == Survey::image || job.plan.survey == Survey::scan)
    return {0, 0, source.width(), source.height()};
  return job.plan.survey == Survey::region ? united(region, source.surveyed(region)) : region;
}

/// Reads, computes and writes the bands of a region: one band is computed on the device while the
/// calling thread reads the next and writes the last.
class Pipeline {
 public:
  Pipeline(Backend& backend, const Job& job, const Encoding& encoding, Source& source, Sink& sink,
           Rect& region, Observer& observer, double& shown, const BandPlan& plan)
      : backend_{backend},
        job_{job},
        encoding_{encoding},
        result_encoding_{result_encoding(job, encoding)},
        source_{source},
        sink_{sink},
        region_{region},
        area_{banded_area(job, source, region)},
        observer_{observer},
        shown_{shown},
        plan_{plan},
        slots_{plan.slots, source.height(), job.plan.border} {
    store_memory_ = backend.host_memory(std::max<std::size_t>(1, plan.slots * plan.slot_bytes));
    if (!makes()) prepare_results();
    const Rect input = needed_input(job, size(), area_);
    columns_ =
        column_lookup({input.x, input.right()}, plan.columns, source.width(), job.plan.border);
    const bool one_band = plan.end_of(area_.y, area_) == area_.bottom();
    surveys_ = !job.plan.identity && (job.plan.survey == Survey::region || makes() ||
                                      (job.plan.survey == Survey::image && !one_band));
    surveyed_rows_ = surveys_ ? area_.height : 0;
    state_ = job.filter->make_state();
    backend.begin(job, encoding, {store_memory_.get(), plan.slots, plan.slot_bytes});
  }

  ~Pipeline() {
    if (computing_.valid()) computing_.wait();
  }

  /// Runs from row `done` on and keeps it at the first row that is not written yet.
  void run(int& done, Report& summary) {
    if (surveys_) {
      const Rect surveyed = job_.plan.survey == Survey::region ? source_.surveyed(region_) : area_;
      sweep(surveyed.y, surveyed, state_.get(),
            [&](const Band& band) { report(band.out.bottom() - area_.y, 0); });
      job_.filter->finish(job_.params.get(), state_.get());
      slots_.release();
    }
    if (makes()) begin_new_image();
    const Rect rest{region_.x, done, region_.width, region_.bottom() - done};
    const bool fixed = job_.plan.survey == Survey::image;
    sweep(fixed ? plan_.begin_of(done, area_) : done, rest, nullptr, [&](const Band& band) {
      write(band);
      done = band.out.bottom();
      ++summary.bands;
      report(surveyed_rows_, done - region_.y);
    });
    summary.findings.clear();
    for (const Finding& finding : job_.filter->findings)
      summary.findings.push_back(finding.load(state_.get()));
  }

 private:
  bool makes() const { return job_.filter->made != nullptr; }

  void prepare_results() {
    const std::size_t row_bytes =
        static_cast<std::size_t>(region_.width) * result_encoding_.format.bytes_per_pixel();
    for (auto& result : results_) result = backend_.host_memory(row_bytes * plan_.rows);
  }

  /// From here on the bands are those of the new image.
  void begin_new_image() {
    const auto [width, height] = job_.filter->made(state_.get());
    region_ = area_ = {0, 0, width, height};
    prepare_results();
    sink_.begin({width, height}, result_encoding_);
  }

  /// Goes through the bands from row `begin` on; of each, what lies in `wanted` is computed, or
  /// added to the state `survey`, and then handed to `ended`.
  void sweep(int begin, Rect wanted, void* survey, const std::function<void(const Band&)>& ended) {
    std::optional<Band> current;
    while (begin < wanted.bottom() || current) {
      std::optional<Band> next;
      if (begin < wanted.bottom()) {
        const int end = plan_.end_of(begin, area_);
        next = makes() && survey == nullptr ? band_of_state() : read(begin, end);
        const int top = std::max(begin, wanted.y);
        next->out = {wanted.x, top, wanted.width, std::min(end, wanted.bottom()) - top};
        next->survey = survey;
        next->mask = survey != nullptr ? mask_of(next->out) : nullptr;
        next->state = state_.get();
        next->result = results_[turn_].get();
        turn_ = 1 - turn_;
        begin = end;
      }
      if (current) computing_.get();
      if (next) start(*next);
      if (current) ended(*current);
      if (next) next->fresh.clear();
      current = std::move(next);
    }
  }

  Size size() const { return {source_.width(), source_.height()}; }

  /// One that looks at no row of the input.
  Band band_of_state() const {
    Band band{};
    band.lookup.width = source_.width(), band.lookup.height = source_.height();
    return band;
  }

  Band read(int begin, int end) {
    Band band{};
    const Rect rows{area_.x, begin, area_.width, end - begin};
    band.lookup.area = needed_input(job_, size(), rows);
    band.lookup.width = source_.width(), band.lookup.height = source_.height();
    const IndexRange padded{band.lookup.area.y, band.lookup.area.bottom()};
    band.fresh = slots_.load(padded);
    band.lookup.rows = slots_.lookup(padded);
    band.lookup.columns = columns_;
    for (const auto& run : band.fresh)
      source_.read({plan_.columns.begin, run.row, plan_.columns.size(), run.count}, encoding_,
                   store_memory_.get() + run.slot * plan_.slot_bytes, plan_.slot_bytes);
    return band;
  }

  const std::uint8_t* mask_of(Rect area) {
    if (makes() || !source_.has_mask()) return nullptr;
    std::vector<std::uint8_t>& mask = masks_[turn_];
    mask.resize(static_cast<std::size_t>(area.width) * area.height);
    source_.read_mask(area, mask.data());
    return mask.data();
  }

  void start(const Band& band) {
    in_work_ = band;
    computing_ = std::async(std::launch::async, [this] { backend_.process(in_work_); });
  }

  void write(const Band& band) {
    sink_.write(
        band.out, result_encoding_, band.result,
        static_cast<std::size_t>(region_.width) * result_encoding_.format.bytes_per_pixel());
  }

  /// How many rows were surveyed, and how many were computed. A survey that began
  /// again shows no progress before it is where the last one was.
  void report(int surveyed, int computed) {
    const double rows = static_cast<double>(surveyed) + computed;
    const double all = static_cast<double>(surveyed_rows_) + region_.height;
    shown_ = std::max(shown_, rows / all);
    if (!observer_.progress(shown_))
      throw Cancelled{tr(N_("Cancelled. The picture is unchanged."))};
  }

  Backend& backend_;
  const Job& job_;
  const Encoding& encoding_;
  const Encoding result_encoding_;
  Source& source_;
  Sink& sink_;
  Rect& region_;
  Rect area_;  ///< what the bands are cut from
  Observer& observer_;
  double& shown_;
  const BandPlan& plan_;
  RowSlots slots_;
  std::vector<int> columns_;
  std::shared_ptr<std::byte[]> store_memory_, results_[2];
  std::vector<std::uint8_t> masks_[2];
  bool surveys_ = false;
  int surveyed_rows_ = 0;
  std::shared_ptr<void> state_;
  int turn_ = 0;
  Band in_work_{};
  std::future<void> computing_;
};

/// Hands the pixels on as they are, for parameters that change nothing.
class CopyBackend final : public Backend {
 public:
  explicit CopyBackend(Backend& device) : device_{device} {}
  std::string device() const override { return device_.device(); }
  bool is_gpu() const override { return device_.is_gpu(); }
  std::size_t budget() const override { return device_.budget(); }
  std::shared_ptr<std::byte[]> host_memory(std::size_t bytes) override {
    return std::shared_ptr<std::byte[]>(new std::byte[bytes]);
  }
  void begin(const Job&, const Encoding& encoding, const Store& store) override {
    pixel_bytes_ = encoding.format.bytes_per_pixel();
    store_ = store;
  }
  void process(const Band& band) override {
    const Lookup& lookup = band.lookup;
    const std::size_t first = lookup.columns[band.out.x - lookup.area.x] * pixel_bytes_;
    const std::size_t row_bytes = band.out.width * pixel_bytes_;
    for (int y = 0; y < band.out.height; ++y) {
      const std::size_t slot = lookup.rows[band.out.y + y - lookup.area.y];
      std::memcpy(band.result + y * row_bytes, store_.rows + slot * store_.slot_bytes + first,
                  row_bytes);
    }
  }

 private:
  Backend& device_;
  Store store_{};
  std::size_t pixel_bytes_ = 0;
};

}  // namespace

Report run_on(std::unique_ptr<Backend> backend, std::unique_ptr<Backend> second, const Job& given,
              Source& source, Sink& sink, Rect region, Observer& observer) {
  const Size size{source.width(), source.height()};
  const Job job = given.plan.output == Size{} ? fitted(given, size) : given;
  Report report;
  report.device = backend->device();
  report.on_gpu = backend->is_gpu();
  const bool makes = job.filter->made != nullptr;
  if (makes) region = {0, 0, size.width, size.height};
  if (region.empty()) return report;
  const Encoding encoding = source.encoding(job.plan.light);
  const auto fall_back = [&](const Error& error) {
    if (second == nullptr) throw;
    report.fallback = error.what();
    report.on_gpu = false;
    observer.note(format_text(tr(N_("%s The rest was done on the CPU.")), error.what()));
    backend = std::move(second);
    report.device += ", " + backend->device();
  };
  constexpr int unlimited = std::numeric_limits<int>::max();
  int most_rows = unlimited;
  int failed_at = -1;  // where the device last ran out of memory
  int done = region.y;
  double shown = 0.0;
  while (done < region.bottom()) {
    if (makes) region = {0, 0, size.width, size.height};  // until it is known
    const BandPlan plan{
        job, encoding, size, banded_area(job, source, region), backend->budget(), most_rows};
    CopyBackend copy{*backend};
    Backend& worker = job.plan.identity ? static_cast<Backend&>(copy) : *backend;
    try {
      Pipeline{worker, job, encoding, source, sink, region, observer, shown, plan}.run(done,
                                                                                       report);
    } catch (const DeviceMemoryError& error) {
      const bool again = failed_at == done || plan.rows == 1;
      failed_at = done;
      if (again) fall_back(error);
      most_rows = again ? unlimited : plan.rows / 2;
    } catch (const DeviceError& error) {
      fall_back(error);
      most_rows = unlimited;
    }
  }
  return report;
}

Report run(const Job& job, Source& source, Sink& sink, Rect region, const DeviceChoice& device,
           Observer& observer) {
  if (device.gpu < 0)
    return run_on(make_cpu_backend(), nullptr, job, source, sink, region, observer);
  std::unique_ptr<Backend> gpu;
  try {
    gpu = make_cuda_backend(device.gpu);
  } catch (const Error& error) {
    observer.note(format_text(tr(N_("%s The CPU did the work.")), error.what()));
    Report report = run_on(make_cpu_backend(), nullptr, job, source, sink, region, observer);
    report.fallback = error.what();
    return report;
  }
  return run_on(std::move(gpu), make_cpu_backend(), job, source, sink, region, observer);
}

DeviceChoice choose_device() {
  const char* wish = std::getenv("CUDA_FILTERS_DEVICE");
  const std::string_view wanted = wish != nullptr ? wish : "";
  if (wanted == "cpu") return {-1, tr(N_("CUDA_FILTERS_DEVICE asks for the CPU"))};
  const DeviceReport devices = describe_devices();
  if (wanted.empty()) {
    if (devices.gpus.empty()) return {-1, devices.problem};
    return {devices.gpus.front().index, tr(N_("it is the first GPU"))};
  }
  int index = -1;
  const auto [end, problem] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), index);
  if (problem != std::errc{} || end != wanted.data() + wanted.size() || index < 0)
    throw ArgumentError{
        format_text(tr(N_("The environment variable CUDA_FILTERS_DEVICE is '%s', but must be "
                          "'cpu' or the number of a GPU.")),
                    wish)};
  if (devices.gpus.empty()) return {-1, devices.problem};
  if (std::ranges::none_of(devices.gpus, [&](const auto& gpu) { return gpu.index == index; }))
    throw ArgumentError{
        format_text(tr(N_("The environment variable CUDA_FILTERS_DEVICE asks for GPU %d, but this "
                          "machine has GPUs 0 to %d only.")),
                    index, devices.gpus.back().index)};
  return {index, tr(N_("CUDA_FILTERS_DEVICE asks for it"))};
}

}  // namespace cuda_filters
