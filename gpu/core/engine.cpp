// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/engine.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <list>
#include <mutex>
#include <new>
#include <optional>
#include <ranges>
#include <stop_token>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "gpu/core/backend.hpp"
#include "gpu/core/cancellation.hpp"
#include "gpu/core/chain.hpp"
#include "gpu/core/kept.hpp"
#include "gpu/core/measure.hpp"

namespace cuda_filters {
namespace {

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
  int rows;                  ///< of a band, at most
  int bands;                 ///< that are stored: those under way, and one that is being read
  int slots;                 ///< for their rows, or for more that stay
  bool whole_tiles = false;  ///< what a band needs of a tile's rows is read with the rest of them
  bool keeps_all = false;    ///< there is a slot for every row

  /// `in_place`: both the pixels and the results are where the device copies from and to.
  BandPlan(const Job& job, const Encoding& encoding, Size image, Rect region,
           const Backend& backend, bool in_place, int most_rows)
      : bands{backend.depth() + 1} {
    // As much host memory is pinned, where pixels and results are elsewhere.
    constexpr std::size_t most_pinned = std::size_t{512} << 20;
    const std::size_t budget =
        backend.is_gpu() && !in_place ? std::min(backend.budget(), most_pinned) : backend.budget();
    const std::size_t pixel_bytes = encoding.format.bytes_per_pixel();
    const int halo = job.plan.halo_y;
    const Rect input = needed_input(job, image, region);
    columns = needed_indices({input.x, input.right()}, image.width, job.plan.border);
    slot_bytes = columns.size() * pixel_bytes;
    if (changes_size(job)) {
      rows = std::min(512, most_rows);
      const auto bytes = [&] {
        return slots * slot_bytes + bands * rows * (region.width * pixel_bytes);
      };
      while (slots = most_input_rows(job, image, region, bands * rows),
             rows > 1 && bytes() > budget)
        rows /= 2;
      return;
    }
    // A device that has several bands under way begins sooner with shorter ones, but after a survey
    // the host has to wait for each.
    constexpr std::size_t quick = std::size_t{6} << 20;
    const bool surveys = job.plan.survey != Survey::none;
    const bool overlaps = bands > 2 && !surveys;
    const std::size_t least =
        overlaps ? std::max<std::size_t>(tile_height, quick / slot_bytes) : 512;
    // What takes a GPU longer than the copies is best computed in long bands, of which there are
    // enough to begin and to end with a short one. Pinning memory for them would take longer.
    constexpr int most_bands = 6;
    const std::size_t longest = region.height / most_bands, very_long = std::size_t{32} * halo;
    const bool heavy = job.plan.outlasts_copies();
    // Rows that two bands share are computed twice: bands should be long beside their halos. But
    // where one GPU waits for the copies, it has time for that, and with short ones neither
    // direction of the bus waits long for the other one's first or last band. (Of several GPUs,
    // each would need most rows.)
    const std::size_t halos = overlaps && !heavy && backend.gpu() >= 0 ? 1 : 8;
    const std::size_t wished = std::max(
        {least, halos * halo, overlaps && heavy && in_place ? std::min(longest, very_long) : 0});
    // As many results as stored bands, which have their halos.
    const std::size_t fitting = budget / (slot_bytes * 2 * bands);
    const std::size_t chosen = std::min(wished, std::max<std::size_t>(fitting, tile_height));
    rows = std::min(static_cast<int>(chosen / tile_height) * tile_height, most_rows);
    // Of one band no survey is made.
    const std::size_t whole = 2 * region.height * slot_bytes;
    if (job.plan.survey == Survey::image && backend.is_gpu() && whole <= budget &&
        region.height <= most_rows)
      rows = std::max(rows, region.height);
    // What is read more than once may be twice what else is kept, unless memory has run out
    // already.
    const std::int64_t all =
        std::min<std::int64_t>(image.height, region.height + std::int64_t{2} * halo);
    const bool again = job.plan.survey == Survey::region || job.plan.survey == Survey::image;
    // Of a picture that is not large, all may be read before a GPU is ready.
    const std::size_t room = again ? 2 * budget : backend.is_gpu() ? budget / 2 : 0;
    const std::int64_t resident = all * slot_bytes <= room && rows < most_rows ? all : 0;
    std::int64_t stored = std::int64_t{bands} * rows + std::int64_t{2} * halo;
    whole_tiles = halo > 0 && rows >= tile_height && (stored + rows) * slot_bytes < budget;
    if (whole_tiles) stored += tile_height;
    slots = static_cast<int>(std::min<std::int64_t>(image.height, std::max(resident, stored)));
    keeps_all = slots >= all;
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

  /// Where the band that begins at `begin` ends: at the end of a tile, or of the region. While the
  /// first band and the last one are on their way, nothing comes or goes the other way: they are
  /// shorter.
  int end_of(int begin, Rect region) const {
    const int aligned = rows >= tile_height ? begin / tile_height * tile_height : begin;
    const int half = rows / (2 * tile_height) * tile_height;
    const bool first = begin == region.y, last = region.bottom() - aligned <= rows;
    const bool shorter = bands > 2 && half > 0 && (first || last) && rows < region.height;
    return std::min(aligned + (shorter ? half : rows), region.bottom());
  }

  /// The rows to read for those that a band needs, of all that are needed up to row `last`, so that
  /// no tile is asked for twice.
  IndexRange read_with(IndexRange needed, int last) const {
    if (!whole_tiles || needed.end >= last) return needed;
    const int tiles = (needed.end + tile_height - 1) / tile_height;
    return {needed.begin, std::min(tiles * tile_height, last)};
  }

  /// Where the band begins that holds row `row`, if the first one begins at `area.y`.
  int begin_of(int row, Rect area) const {
    int begin = area.y;
    for (int end; (end = end_of(begin, area)) <= row;) begin = end;
    return begin;
  }
};

/// What the bands are cut from.
Rect banded_area(const Job& job, Source& source, Rect region) {
  if (job.plan.survey == Survey::image || job.plan.survey == Survey::scan)
    return {0, 0, source.width(), source.height()};
  return job.plan.survey == Survey::region ? united(region, source.surveyed(region)) : region;
}

/// Adds the seconds for which it lives to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_{sum} {}
  ~Stopwatch() { sum_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& sum_;
  Clock::time_point start_ = Clock::now();
};

/// A band and what it needs besides stored rows.
struct Read {
  Band band{};
  std::shared_ptr<std::vector<std::uint8_t>> mask{};
};

/// Hands bands to a backend in a thread of its own, one after the other; where the system starts no
/// threads, in the one that calls finish().
class Worker {
 public:
  explicit Worker(Backend& backend) : backend_{backend} {
    try {
      thread_ = std::thread{[this] { work(); }};
    } catch (const std::system_error&) {  // a limit of the user or of the machine
    }
  }
  /// Cancels what the backend is at, and waits for the end of that.
  ~Worker() {
    cancellation_.request_stop();
    {
      const std::lock_guard lock{mutex_};
      ending_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
    if (!items_.empty()) backend_.abandon();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void start(Read&& read) {
    const std::lock_guard lock{mutex_};
    items_.push_back({std::move(read)});
    changed_.notify_all();
  }
  /// How many bands were started and not finished.
  int under_way() const {
    const std::lock_guard lock{mutex_};
    return static_cast<int>(items_.size());
  }
  /// Whether finish() would have to wait for the thread.
  bool is_busy() const {
    const std::lock_guard lock{mutex_};
    return !items_.empty() && !items_.front().done;
  }
  /// Waits for the result of the first band that is under way, and calls waiting(), which may
  /// throw, whenever `patience` has passed. Throws what the backend threw.
  template <class Waiting>
  Read finish(std::chrono::milliseconds patience, Waiting waiting) {
    std::unique_lock lock{mutex_};
    if (!thread_.joinable()) compute_next(lock);
    while (!changed_.wait_for(lock, patience, [&] { return items_.front().done; })) {
      lock.unlock();
      waiting();
      lock.lock();
    }
    if (items_.front().problem) std::rethrow_exception(items_.front().problem);
    lock.unlock();
    while (!backend_.finish(patience)) waiting();
    lock.lock();
    Read read = std::move(items_.front().read);
    items_.pop_front();
    return read;
  }

 private:
  struct Item {
    Read read;
    bool uploaded = false, done = false;
    std::exception_ptr problem{};
  };

  void work() {
    std::unique_lock lock{mutex_};
    do {
      changed_.wait(lock, [&] { return ending_ || next() != items_.end(); });
    } while (!ending_ && compute_next(lock));
  }

  std::list<Item>::iterator next() { return std::ranges::find(items_, false, &Item::done); }

  /// Computes the first band that is not done, if there is one. False if that failed: the bands
  /// after it may need it.
  bool compute_next(std::unique_lock<std::mutex>& lock) {
    const auto item = next();
    if (item == items_.end()) return true;
    const Cancellable cancellable{cancellation_.get_token()};
    // What waits is on its way while this one is computed. What fails may be needed by all after
    // it.
    for (auto each = item; each != items_.end(); ++each) {
      if (!std::exchange(each->uploaded, true)) attempt(*each, lock, &Backend::upload);
      if (each->problem) break;
    }
    if (!item->problem) attempt(*item, lock, &Backend::process);
    item->done = true;
    changed_.notify_all();
    return !item->problem;
  }

  void attempt(Item& item, std::unique_lock<std::mutex>& lock, void (Backend::*call)(const Band&)) {
    lock.unlock();
    try {
      (backend_.*call)(item.read.band);
    } catch (...) {
      item.problem = std::current_exception();
    }
    lock.lock();
  }

  Backend& backend_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Item> items_;
  bool ending_ = false;
  std::stop_source cancellation_;
  std::thread thread_;
};

/// Reads, computes and writes the bands of a region: while the device has some of them under way,
/// the calling thread reads the next one, or several, and writes the last one.
class Pipeline {
 public:
  /// `there`: where the source's pixels are, if they can be taken from there, or null.
  Pipeline(Backend& backend, const Job& job, const Encoding& encoding, Source& source,
           const Resident* there, Sink* sink, Rect& region, const Progress& progress,
           const BandPlan& plan)
      : backend_{backend},
        job_{job},
        encoding_{encoding},
        source_{source},
        sink_{sink},
        out_encoding_{sink != nullptr ? sink->encoding_for(result_encoding(job, encoding))
                                      : encoding},
        region_{region},
        area_{banded_area(job, source, region)},
        progress_{progress},
        plan_{plan},
        slots_{plan.slots, source.height(), job.plan.border, plan.bands} {
    Store store = make_store(there);
    if (!makes()) prepare_results();
    store.bands_are_apart =
        job.plan.survey == Survey::none && !store.stays && (there_ == nullptr || there_->on_host);
    const Rect input = needed_input(job, size(), area_);
    last_row_ = std::min(input.bottom(), source.height());
    columns_ =
        column_lookup({input.x, input.right()}, columns_here_, source.width(), job.plan.border);
    const bool one_band = plan.end_of(area_.y, area_) == area_.bottom();
    surveys_ = !job.plan.identity && (job.plan.survey == Survey::region || makes() ||
                                      (job.plan.survey == Survey::image && !one_band));
    rows_to_survey_ = surveys_ ? std::int64_t{job.plan.sweeps} * area_.height : 0;
    state_ = job.filter->make_state();
    backend.begin(job, encoding, out_encoding_, store);
    depth_ = std::min(backend.depth(), plan.bands - 1);
    worker_.emplace(backend);
  }

  /// What the survey found.
  const std::shared_ptr<void>& state() const { return state_; }

  /// Whether the store has become the whole image.
  bool stores_image() const { return slots_.hold_image(); }

  /// Runs from row `done` on and keeps it at the first row that is not written yet.
  void run(int& done, Report& summary) {
    times_ = &summary.times;
    if (surveys_) {
      const Rect surveyed = job_.plan.survey == Survey::region ? source_.surveyed(region_) : area_;
      do {
        sweep(surveyed.y, surveyed, state_.get(),
              [&](const Band& band) { report(band.out.bottom() - area_.y, 0); });
        slots_.release();
        surveyed_rows_ += area_.height;
      } while (job_.filter->finish(job_.params.get(), state_.get()));
      surveyed_rows_ = rows_to_survey_;
    }
    if (sink_ == nullptr) {
      done = region_.bottom();
      return report(0, 0);
    }
    if (makes()) begin_new_image();
    const Rect rest{region_.x, done, region_.width, region_.bottom() - done};
    const bool fixed = job_.plan.survey == Survey::image;
    sweep(fixed ? plan_.begin_of(done, area_) : done, rest, nullptr, [&](const Band& band) {
      if (there_ == nullptr) write(band);
      done = band.out.bottom();
      ++summary.bands;
      report(0, done - region_.y);
    });
    summary.findings.clear();
    for (const Finding& finding : job_.filter->findings)
      summary.findings.push_back(finding.load(state_.get()));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds asks_every{100};

  bool makes() const { return job_.filter->made != nullptr; }

  /// Where the rows of the bands are: where the source has them if they can be used there, else in
  /// slots into which they are read.
  Store make_store(const Resident* there) {
    Store store{nullptr, plan_.slots, plan_.slot_bytes};
    columns_here_ = plan_.columns;
    if (there != nullptr && (!there->on_host || backend_.uses_host_memory())) {
      const IndexRange rows{there->area.y, there->area.bottom()};
      slots_ = RowSlots{rows, source_.height(), job_.plan.border};
      columns_here_ = {there->area.x, there->area.right()};
      return {there->rows, rows.size(), there->row_bytes, true};
    }
    if (there != nullptr && there->area == Rect{0, 0, source_.width(), source_.height()} &&
        there->row_bytes == plan_.slot_bytes) {
      store.rows = there->rows;
      store.is_image = true;
      return store;
    }
    store_memory_ = backend_.host_memory(std::max<std::size_t>(1, store.slots * store.slot_bytes));
    store.rows = store_memory_.get();
    return store;
  }

  /// Where the results of the bands are: in the sink's memory if they can be put there, else in
  /// memory from which they are written.
  void prepare_results() {
    there_ = sink_ != nullptr ? sink_->resident() : nullptr;
    const auto fits = [&](const Resident& there) {
      return there.row_bytes == row_bytes() && there.area.x == region_.x;
    };
    if (there_ != nullptr && there_->on_host && !fits(*there_)) there_ = nullptr;
    if (sink_ == nullptr || there_ != nullptr) return;
    const int count = plan_.bands;  // of a small picture fewer
    for (int y = area_.y; y < area_.bottom() && std::ssize(results_) < count;
         y = plan_.end_of(y, area_))
      results_.push_back(backend_.host_memory(row_bytes() * plan_.rows));
  }

  /// From here on the bands are those of the new image.
  void begin_new_image() {
    const auto [width, height] = job_.filter->made(state_.get());
    region_ = area_ = {0, 0, width, height};
    sink_->begin({width, height}, out_encoding_);
    prepare_results();
  }

  /// Goes through the bands from row `begin` on; of each, what lies in `wanted` is computed, or
  /// added to the state `survey`, and then handed to `ended`.
  void sweep(int begin, Rect wanted, void* survey, const std::function<void(const Band&)>& ended) {
    std::deque<Read> waiting;  // read, and not under way yet
    while (true) {
      while (begin < wanted.bottom() &&
             (waiting.empty() || (plan_.keeps_all && worker_->is_busy()))) {
        const int end = plan_.end_of(begin, area_), top = std::max(begin, wanted.y);
        Read& next = waiting.emplace_back();
        if (!makes() || survey != nullptr) next.band = read(begin, end);
        next.band.lookup.width = source_.width(), next.band.lookup.height = source_.height();
        next.band.out = {wanted.x, top, wanted.width, std::min(end, wanted.bottom()) - top};
        next.band.survey = survey;
        next.band.state = state_.get();
        if (survey != nullptr) read_mask(next);
        begin = end;
      }
      const int under_way = worker_->under_way();
      if (waiting.empty() && under_way == 0) return;
      std::optional<Read> ready;
      if (waiting.empty() || under_way == depth_)
        ready = worker_->finish(asks_every, [this] { ask(fraction_); });
      if (!waiting.empty()) {
        place_result(waiting.front().band);
        worker_->start(std::move(waiting.front()));
        waiting.pop_front();
      }
      if (ready) ended(ready->band);
    }
  }

  Size size() const { return {source_.width(), source_.height()}; }

  Band read(int begin, int end) {
    Band band{};
    const Rect rows{area_.x, begin, area_.width, end - begin};
    band.lookup.area = needed_input(job_, size(), rows);
    const IndexRange padded{band.lookup.area.y, band.lookup.area.bottom()};
    band.fresh =
        slots_.load(store_memory_ != nullptr ? plan_.read_with(padded, last_row_) : padded);
    band.lookup.rows = slots_.lookup(padded);
    band.lookup.columns = columns_;
    if (store_memory_ == nullptr) return band;
    const Stopwatch stopwatch{times_->read};
    constexpr int rows_at_once = 4 * tile_height;  // read in much less than a tenth of a second
    for (const auto& [row, slot, count] : band.fresh)
      for (int begin = row; begin < row + count;) {
        const int tiles = (begin + rows_at_once) / tile_height;
        const int end = std::min(tiles * tile_height, row + count);
        source_.read({plan_.columns.begin, begin, plan_.columns.size(), end - begin}, encoding_,
                     store_memory_.get() + (slot + begin - row) * plan_.slot_bytes,
                     plan_.slot_bytes);
        begin = end;
        ask_now_and_then();
      }
    return band;
  }

  void write(const Band& band) {
    const Stopwatch stopwatch{times_->write};
    sink_->write(band.out, out_encoding_, band.result, row_bytes());
  }

  /// Bytes of a row of the result.
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(region_.width) * out_encoding_.format.bytes_per_pixel();
  }

  void place_result(Band& band) {
    if (there_ != nullptr) {
      band.result_stays = !there_->on_host || backend_.uses_host_memory();
      band.result = there_->rows + (band.out.y - there_->area.y) * there_->row_bytes;
    } else if (!results_.empty()) {
      band.result = results_[turn_++ % results_.size()].get();
    }
  }

  void read_mask(Read& read) {
    if (makes() || !source_.has_mask()) return;
    const Rect area = read.band.out;
    read.mask = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(area.width) *
                                                            area.height);
    const Stopwatch stopwatch{times_->read};
    source_.read_mask(area, read.mask->data());
    read.band.mask = read.mask->data();
  }

  /// Rows that this sweep has surveyed, and rows that were computed. A survey that began again
  /// shows no progress before it is where the last one was.
  void report(int surveyed, int computed) {
    const double rows = static_cast<double>(surveyed_rows_) + surveyed + computed;
    const double all =
        static_cast<double>(rows_to_survey_) + (sink_ != nullptr ? region_.height : 0);
    ask(rows / all);
  }

  /// Tells of the progress; the answer may end the run.
  void ask(double fraction) {
    fraction_ = fraction;
    asked_ = Clock::now();
    progress_(fraction);
  }
  void ask_now_and_then() {
    if (Clock::now() - asked_ > asks_every) ask(fraction_);
  }

  Backend& backend_;
  const Job& job_;
  const Encoding& encoding_;
  Source& source_;
  Sink* sink_;  ///< null: a survey is all that is wanted
  const Encoding out_encoding_;
  Rect& region_;
  Rect area_;  ///< what the bands are cut from
  const Progress& progress_;
  const BandPlan& plan_;
  RowSlots slots_;
  IndexRange columns_here_{};  ///< those of the image that the store has
  std::vector<int> columns_;
  int last_row_ = 0;                           ///< + 1, of the image
  std::shared_ptr<std::byte[]> store_memory_;  ///< null: the source's is used
  const Resident* there_ = nullptr;            ///< where the sink has its pixels, if they go there
  std::vector<std::shared_ptr<std::byte[]>> results_;
  std::size_t turn_ = 0;  ///< of the results
  int depth_ = 1;         ///< how many bands are under way at most
  bool surveys_ = false;
  std::int64_t surveyed_rows_ = 0;          ///< by the sweeps before this one
  std::int64_t rows_to_survey_ = 0;         ///< by all of them
  double fraction_ = 0.0;                   ///< of the run, that is done
  Clock::time_point asked_ = Clock::now();  ///< when the observer was told last
  std::shared_ptr<void> state_;
  Times* times_ = nullptr;        ///< the report's, of a run
  std::optional<Worker> worker_;  ///< the last one to be made: it ends before what it uses
};

/// Hands the pixels on as they are, for parameters that change nothing.
class CopyBackend final : public Backend {
 public:
  explicit CopyBackend(Backend& device) : device_{device} {}
  std::string device() const override { return device_.device(); }
  bool is_gpu() const override { return device_.is_gpu(); }
  bool uses_host_memory() const override { return true; }
  std::size_t budget() const override { return device_.budget(); }
  Times times() const override { return device_.times(); }
  std::shared_ptr<std::byte[]> host_memory(std::size_t bytes) override {
    return std::shared_ptr<std::byte[]>(new std::byte[bytes]);
  }
  std::shared_ptr<std::byte[]> memory(std::size_t bytes) override { return host_memory(bytes); }
  void begin(const Job&, const Encoding& encoding, const Encoding&, const Store& store) override {
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

/// Tells an observer of the progress of a run, which never goes back.
Progress progress_of(Observer& observer) {
  return [&observer, shown = 0.0](double fraction) mutable {
    shown = std::max(shown, fraction);
    if (!observer.progress(shown)) throw_cancelled();
  };
}

/// The bands from row `done` on, which it keeps at the first row that is not written yet, halved
/// while memory runs out, of the device or the host: until that fails twice at one row. Without a
/// sink it ends with the survey. Gives what the survey found.
std::shared_ptr<void> run_bands(Backend& backend, const Job& given, Source& source, Sink* sink,
                                Rect region, const Progress& progress, int& done, Report& report) {
  const Size size{source.width(), source.height()};
  const Job job = given.plan.output == Size{} ? fitted(given, size) : given;
  const bool makes = job.filter->made != nullptr;
  std::shared_ptr<void> state = job.filter->make_state();
  const Encoding encoding = source.encoding(job.plan.light);
  const bool in_place =
      source.resident() != nullptr && sink != nullptr && sink->resident() != nullptr;
  int most_rows = std::numeric_limits<int>::max();
  int failed_at = -1;  // where memory last ran out
  // Whether to try again, with more room or less to do.
  const auto makes_room = [&](const BandPlan& plan, std::size_t budget) {
    if (drop_kept_image()) return true;
    if (backend.budget() < budget) return true;  // now the device knows how much is free
    if (failed_at == done || plan.rows == 1) return false;
    failed_at = done;
    most_rows = plan.rows / 2;
    return true;
  };
  while (done < region.bottom()) {
    if (makes) region = {0, 0, size.width, size.height};  // until it is known
    // There is nothing to read while it becomes ready.
    if (in_place && backend.is_gpu()) (void)backend.device();
    const std::size_t budget = backend.budget();
    CopyBackend copy{backend};
    Backend& worker = job.plan.identity ? static_cast<Backend&>(copy) : backend;
    const BandPlan plan{job,    encoding, size,     banded_area(job, source, region),
                        worker, in_place, most_rows};
    // Where one GPU holds the whole image, it need not be read again while it stays the same.
    const bool whole = plan.slots >= size.height && plan.columns.size() == size.width;
    const auto version = whole && worker.gpu() >= 0 ? source.version() : nullptr;
    const auto kept =
        version != nullptr ? kept_image(worker.gpu(), size, encoding.format, *version) : nullptr;
    const Resident* const there = kept != nullptr ? &kept->resident : source.resident();
    try {
      Pipeline pipeline{worker, job, encoding, source, there, sink, region, progress, plan};
      pipeline.run(done, report);
      state = pipeline.state();
      if (version != nullptr && kept == nullptr && pipeline.stores_image())
        keep_image(worker.gpu(), size, encoding.format, version, worker.take_store());
    } catch (const DeviceError&) {
      drop_kept_image();
      throw;
    } catch (const DeviceMemoryError&) {
      if (!makes_room(plan, budget)) throw;
    } catch (const std::bad_alloc&) {
      if (!makes_room(plan, budget)) throw;
    }
  }
  return state;
}

/// Whether a GPU has been used: from then on, this process need not wait for its start.
std::atomic<bool> gpu_has_started{false};

/// Calls attempt(device, report) with one device after the other until one does not fail, and says
/// so. What failed is gone before the next one begins; the last one stays, since what it found out
/// may be in its memory.
template <class Attempt>
Report with_fallback(Backends& devices, Observer& observer, Attempt attempt) {
  Report report;
  const auto add = [&](const Backend& device) {
    report.times += device.times();
    if (const std::string name = device.device(); !name.empty())
      report.device += (report.device.empty() ? "" : ", ") + name;
  };
  for (auto device = devices.begin();; ++device) {
    const auto next = std::next(device);
    const auto go_on = [&](const char* problem, bool tell) {
      if (next == devices.end()) throw;
      report.fallback = problem;
      const char* sentence = (*next)->is_gpu() ? tr(N_("%s The rest was done on one GPU."))
                                               : tr(N_("%s The rest was done on the CPU."));
      if (tell) observer.note(format_text(sentence, problem));
      add(**device);
      device->reset();
    };
    report.on_gpu = (*device)->is_gpu();
    try {
      attempt(**device, report);
      if (report.on_gpu) gpu_has_started = true;
      add(**device);
      return report;
    } catch (const DeviceMemoryError& error) {
      go_on(error.what(), true);
    } catch (const NoDeviceError& error) {
      go_on(error.what(), false);  // nobody asked for it
    } catch (const DeviceError& error) {
      go_on(error.what(), true);
    } catch (const std::bad_alloc&) {
      go_on(tr(N_("There is not enough memory to copy pixels to the GPU.")), true);
    }
  }
}

/// Calls work(devices, problem) with the backends of a choice: the device, and what stands in for
/// it; or with the CPU, because of a problem.
template <class Work>
auto with_backends(const DeviceChoice& device, Observer& observer, Work work) {
  const auto on_cpu = [&](const std::string& problem) {
    if (!problem.empty())
      observer.note(format_text(tr(N_("%s The CPU did the work.")), problem.c_str()));
    return work(backends(make_cpu_backend(), nullptr), problem);
  };
  if (device.gpu < 0) return on_cpu(device.missing);
  Backends devices, shared;
  try {
    shared.push_back(make_cuda_backend(device.gpu));
    for (const int other : device.others) shared.push_back(make_cuda_backend(other));
    devices.push_back(make_shared_backend(std::move(shared)));
    // Another GPU may be busy.
    if (!device.others.empty()) devices.push_back(make_cuda_backend(device.gpu));
  } catch (const Error& error) {
    return on_cpu(error.what());
  }
  devices.push_back(make_cpu_backend());
  return work(std::move(devices), {});
}

}  // namespace

void run_pass(Backend& backend, const Job& job, Source& source, Sink& sink, Rect region,
              const Progress& progress, Report& report) {
  int done = region.y;
  run_bands(backend, job, source, &sink, region, progress, done, report);
}

Backends backends(std::unique_ptr<Backend> first, std::unique_ptr<Backend> second) {
  Backends devices;
  devices.push_back(std::move(first));
  if (second != nullptr) devices.push_back(std::move(second));
  return devices;
}

Report run_on(Backends devices, const Job& job, Source& source, Sink& sink, Rect region,
              Observer& observer) {
  if (job.filter->made != nullptr) region = {0, 0, source.width(), source.height()};
  if (region.empty()) return {};
  const Progress progress = progress_of(observer);
  int done = region.y;
  return with_fallback(devices, observer, [&](Backend& on, Report& report) {
    if (!job.steps.empty() && !job.plan.identity)
      run_chain(on, job, source, sink, region, progress, report);
    else
      run_bands(on, job, source, &sink, region, progress, done, report);
  });
}

Measured measure_on(Backends devices, Source& source, Rect region, Observer& observer) {
  const Job job = make_job(measure_entry(), {});
  const Progress progress = progress_of(observer);
  std::shared_ptr<void> state = job.filter->make_state();
  int done = region.y;
  with_fallback(devices, observer, [&](Backend& on, Report& report) {
    state = run_bands(on, job, source, nullptr, region, progress, done, report);
  });
  return measured(*static_cast<const Measuring*>(state.get()),
                  source.encoding(job.plan.light).format);
}

Report run(const Job& job, Source& source, Sink& sink, Rect region, const DeviceChoice& device,
           Observer& observer) {
  return with_backends(device, observer, [&](Backends devices, const std::string& problem) {
    Report report = run_on(std::move(devices), job, source, sink, region, observer);
    if (!problem.empty()) report.fallback = problem;
    return report;
  });
}

Measured measure(Source& source, Rect region, const DeviceChoice& device, Observer& observer) {
  return with_backends(device, observer, [&](Backends devices, const std::string&) {
    return measure_on(std::move(devices), source, region, observer);
  });
}

void release_idle_memory() {
  drop_kept_image();
  release_freed_memory();
}

std::size_t memory_limit() {
  const char* wish = std::getenv("CUDA_FILTERS_MEMORY");
  const std::string_view wanted = wish != nullptr ? wish : "";
  if (wanted.empty()) return SIZE_MAX;
  std::size_t mebibytes = 0;
  const auto [end, problem] =
      std::from_chars(wanted.data(), wanted.data() + wanted.size(), mebibytes);
  if (problem != std::errc{} || end != wanted.data() + wanted.size() || mebibytes == 0 ||
      mebibytes > SIZE_MAX >> 20)
    throw ArgumentError{
        format_text(tr(N_("The environment variable CUDA_FILTERS_MEMORY is '%s', but must be a "
                          "whole number of MiB, 1 or more.")),
                    wish)};
  return mebibytes << 20;
}

DeviceChoice choose_device() {
  memory_limit();  // not only where a GPU is used
  const char* wish = std::getenv("CUDA_FILTERS_DEVICE");
  const std::string_view wanted = wish != nullptr ? wish : "";
  if (wanted == "cpu") return {-1, tr(N_("CUDA_FILTERS_DEVICE asks for the CPU"))};
  const DeviceReport devices = describe_devices();
  if (wanted.empty()) {
    if (devices.gpus.empty()) return {-1, devices.problem};
    return {devices.gpus.front().index,
            tr(N_("it is the first GPU; what the processor ends sooner goes there"))};
  }
  std::vector<int> asked_for;
  for (const auto part : std::views::split(wanted, ',')) {
    int index = -1;
    const char* const last = part.data() + part.size();
    const auto [end, problem] = std::from_chars(part.data(), last, index);
    if (problem != std::errc{} || end != last || index < 0)
      throw ArgumentError{
          format_text(tr(N_("The environment variable CUDA_FILTERS_DEVICE is '%s', but must be "
                            "'cpu', the number of a GPU, or several such as '0,1'.")),
                      wish)};
    if (std::ranges::find(asked_for, index) == asked_for.end()) asked_for.push_back(index);
  }
  DeviceChoice choice{-1, devices.problem};
  std::vector<int> usable;
  for (const int index : asked_for) {
    const auto lost = std::ranges::find(devices.lost, index, &GpuDescription::index);
    if (lost != devices.lost.end()) {
      choice.reason = lost->problem;  // the run that failed told of it
      continue;
    }
    usable.push_back(index);
    if (devices.gpus.empty()) {
      choice.missing =
          format_text(tr(N_("The environment variable CUDA_FILTERS_DEVICE asks for GPU %d. %s")),
                      index, devices.problem.c_str());
      return choice;
    }
    if (std::ranges::find(devices.gpus, index, &GpuDescription::index) == devices.gpus.end())
      throw ArgumentError{
          format_text(tr(N_("The environment variable CUDA_FILTERS_DEVICE asks for GPU %d, but "
                            "this machine has GPUs 0 to %d only.")),
                      index, devices.gpus.back().index)};
  }
  if (usable.empty()) return choice;
  choice.gpu = usable.front();
  choice.others.assign(usable.begin() + 1, usable.end());
  choice.reason = tr(N_("CUDA_FILTERS_DEVICE asks for it"));
  return choice;
}

double cpu_seconds(const Job& job, double pixels) {
  return 1e-9 * job.plan.cost * pixels / cpu_threads();
}

DeviceChoice choose_device(const Job& job, double pixels, bool again) {
  memory_limit();
  if (const char* wish = std::getenv("CUDA_FILTERS_DEVICE"); wish != nullptr && *wish != '\0')
    return choose_device();
  // Seconds, measured on an H200 with 16 cores: until a GPU has its context, what any run takes,
  // and what the GPU takes for a pixel on which the processor spends no time, copies included.
  constexpr double start = 0.3, run = 0.005, pixel = 0.5e-9;
  // How much faster than a core the GPU computes.
  constexpr double gain = 200.0;
  const double on_cpu = cpu_seconds(job, pixels), core = on_cpu * cpu_threads();
  const double until_start = gpu_has_started || again ? 0.0 : start;
  const double on_gpu = until_start + run + pixel * pixels + core / gain;
  if (on_cpu <= on_gpu)
    return {-1, format_text(tr(N_("it will take about %.2f s there, and %.2f s on a GPU")), on_cpu,
                            on_gpu)};
  // The driver takes a tenth of a second to answer; the run can begin meanwhile.
  const bool long_run = core / gain > 2 * start;
  const bool can_be_shared = job.steps.empty() && job.plan.survey == Survey::none;
  const auto likely = long_run ? std::nullopt : likely_gpu();
  DeviceChoice choice = likely ? DeviceChoice{*likely, {}} : choose_device();
  if (long_run && can_be_shared)
    for (const GpuDescription& gpu : describe_devices().gpus)
      if (gpu.index != choice.gpu && gpu.name == describe_devices().gpus.front().name)
        choice.others.push_back(gpu.index);
  if (choice.gpu >= 0)
    choice.reason = format_text(
        tr(N_("it will take about %.2f s there, and %.2f s on the processor")), on_gpu, on_cpu);
  return choice;
}

}  // namespace cuda_filters
