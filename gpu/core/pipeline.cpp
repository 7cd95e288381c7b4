// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/pipeline.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "gpu/core/required_input.hpp"
#include "gpu/core/stopwatch.hpp"

namespace cuda_filters {

Pipeline::Pipeline(Backend& backend, const Job& job, const Encoding& encoding, Source& source,
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
      area_{banded_area(job, {source.width(), source.height()}, region, source.surveyed(region))},
      progress_{progress},
      plan_{plan},
      slots_{plan.slots, source.height(), job.plan.border, plan.bands} {
  Store store = make_store(there);
  if (!makes()) prepare_results();
  store.bands_are_apart =
      job.plan.survey == Survey::none && !store.stays && (there_ == nullptr || there_->on_host);
  const Rect input = padded_input(job, size(), area_);
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

void Pipeline::run(int& done, Report& summary) {
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

Store Pipeline::make_store(const Resident* there) {
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

void Pipeline::prepare_results() {
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

void Pipeline::begin_new_image() {
  const auto [width, height] = job_.filter->made(state_.get());
  region_ = area_ = {0, 0, width, height};
  sink_->begin({width, height}, out_encoding_);
  prepare_results();
}

void Pipeline::sweep(int begin, Rect wanted, void* survey,
                     const std::function<void(const Band&)>& ended) {
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

Band Pipeline::read(int begin, int end) {
  Band band{};
  const Rect rows{area_.x, begin, area_.width, end - begin};
  band.lookup.area = padded_input(job_, size(), rows);
  const IndexRange padded{band.lookup.area.y, band.lookup.area.bottom()};
  band.fresh = slots_.load(store_memory_ != nullptr ? plan_.read_with(padded, last_row_) : padded);
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
                   store_memory_.get() + (slot + begin - row) * plan_.slot_bytes, plan_.slot_bytes);
      begin = end;
      ask_now_and_then();
    }
  return band;
}

void Pipeline::write(const Band& band) {
  const Stopwatch stopwatch{times_->write};
  sink_->write(band.out, out_encoding_, band.result, row_bytes());
}

std::size_t Pipeline::row_bytes() const {
  return static_cast<std::size_t>(region_.width) * out_encoding_.format.bytes_per_pixel();
}

void Pipeline::place_result(Band& band) {
  if (there_ != nullptr) {
    band.result_stays = !there_->on_host || backend_.uses_host_memory();
    band.result = there_->rows + (band.out.y - there_->area.y) * there_->row_bytes;
  } else if (!results_.empty()) {
    band.result = results_[turn_++ % results_.size()].get();
  }
}

void Pipeline::read_mask(Read& read) {
  if (makes() || !source_.has_mask()) return;
  const Rect area = read.band.out;
  read.mask = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(area.width) *
                                                          area.height);
  const Stopwatch stopwatch{times_->read};
  source_.read_mask(area, read.mask->data());
  read.band.mask = read.mask->data();
}

void Pipeline::report(int surveyed, int computed) {
  const double rows = static_cast<double>(surveyed_rows_) + surveyed + computed;
  const double all = static_cast<double>(rows_to_survey_) + (sink_ != nullptr ? region_.height : 0);
  ask(rows / all);
}

void Pipeline::ask(double fraction) {
  fraction_ = fraction;
  asked_ = Clock::now();
  progress_(fraction);
}

void Pipeline::ask_now_and_then() {
  if (Clock::now() - asked_ > asks_every) ask(fraction_);
}

}  // namespace cuda_filters
