// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/pipeline.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "gpu/core/required_input.hpp"

namespace cuda_filters {
namespace {

bool needs_analysis(const PlannedRun& run) {
  const Plan& plan = run.job.plan;
  if (plan.identity) return false;
  const bool one_band = run.plan.end_of(run.area.y, run.area) == run.area.bottom();
  return plan.analysis == AnalysisScope::region || plan.analysis == AnalysisScope::surroundings ||
         run.creates_image() || (plan.analysis == AnalysisScope::image && !one_band);
}

Encoding output_encoding(const PlannedRun& run) {
  return run.sink != nullptr ? run.sink->encoding_for(result_encoding(run.job, run.encoding))
                             : run.encoding;
}

PictureRead read_of_input(const PlannedRun& run) {
  const BandPlan& plan = run.plan;
  return {run.source,
          run.source_view,
          run.encoding,
          run.job.plan.border,
          {plan.columns, plan.slot_bytes, plan.slots},
          plan.bands,
          padded_input(run.job, run.image(), run.area)};
}

PictureRead read_of_aux(const PlannedRun& run) {
  return {*run.job.aux->source,         nullptr,      *run.aux,
          run.job.plan.border,          run.plan.aux, run.plan.bands,
          padded_aux(run.job, run.area)};
}

}  // namespace

Pipeline::Pipeline(Backend& backend, const PlannedRun& run, const Progress& progress,
                   Report& report)
    : backend_{backend},
      run_{run},
      report_{report},
      analyzes_{needs_analysis(run)},
      progress_{progress, analyzes_ ? std::int64_t{run.job.plan.passes} * run.area.height : 0,
                run.sink != nullptr ? run.region.height : 0},
      reader_{backend, read_of_input(run), progress_, report.times.read},
      writer_{backend, run.sink, output_encoding(run), report.times.write},
      state_{run.job.filter->make_state()} {
  if (!run.creates_image()) writer_.begin(run.plan, run.region, run.area);
  RowStore store = reader_.store();
  store.bands_are_apart =
      run.job.plan.analysis == AnalysisScope::none && !store.stays && writer_.goes_to_host();
  if (run.keeps_source) store.image_rows = run.image().height;
  RunPictures pictures{{run.encoding, store}, std::nullopt, writer_.encoding()};
  if (run.keeps_result) pictures.cached_result = run.image();
  if (run.aux) {
    aux_reader_.emplace(backend, read_of_aux(run), progress_, report.times.read);
    pictures.aux = {*run.aux, aux_reader_->store()};
  }
  backend.begin(run.job, pictures);
  worker_ = std::make_unique<Worker>(backend);
}

void Pipeline::run(WrittenRows& written) {
  if (analyzes_) analyze();
  if (run_.sink == nullptr) return progress_.computed(0);
  if (run_.creates_image()) {
    const Size size = run_.job.filter->new_image_size(state_.get());
    const Rect image{0, 0, size.width, size.height};
    run_.sink->begin(size, writer_.encoding());
    writer_.begin(run_.plan, image, image);
    progress_.set_rows_to_compute(size.height);
    compute(image, image, written);
  } else {
    compute(run_.region, run_.area, written);
  }
  report_.output_values.clear();
  for (const OutputValue& output_value : run_.job.filter->output_values)
    report_.output_values.push_back(output_value.load(state_.get()));
}

void Pipeline::analyze() {
  const Rect analyzed_area = run_.job.plan.analysis == AnalysisScope::region
                                 ? run_.source.analyzed_area(run_.region)
                                 : run_.area;
  do {
    run_pass(analyzed_area.y, run_.area, analyzed_area, state_.get(),
             [&](const Band& band) { progress_.analyzed(band.out.bottom() - run_.area.y); });
    reader_.release();
    progress_.end_pass(run_.area.height);
  } while (run_.job.filter->finish(run_.job.params.get(), state_.get()));
  progress_.end_analysis();
}

/// Computes and writes what is not written of `region`, by bands of `area`.
void Pipeline::compute(Rect region, Rect area, WrittenRows& written) {
  const Rect rest{region.x, written.end, region.width, region.bottom() - written.end};
  const bool fixed = run_.job.plan.analysis == AnalysisScope::image;
  const int begin = fixed ? run_.plan.begin_of(written.end, area) : written.end;
  run_pass(begin, area, rest, nullptr, [&](const Band& band) {
    writer_.write(band);
    written.end = band.out.bottom();
    ++report_.bands;
    progress_.computed(written.end - region.y);
  });
}

Read Pipeline::next_band(int begin, Rect area, Rect wanted, void* analysis) {
  Read next;
  const int end = run_.plan.end_of(begin, area), top = std::max(begin, wanted.y);
  // A new image is computed from the state alone.
  const Rect rows{area.x, begin, area.width, end - begin};
  if (!run_.creates_image() || analysis != nullptr)
    next.band.in = reader_.read(padded_input(run_.job, run_.image(), rows), run_.plan);
  next.band.in.lookup.image = run_.image();
  if (aux_reader_ && (analysis != nullptr) == run_.job.plan.analyzes_aux)
    next.band.aux = read_aux(rows);
  next.band.out = {wanted.x, top, wanted.width, std::min(end, wanted.bottom()) - top};
  next.band.analysis = analysis;
  next.band.analysis_area = wanted;
  next.band.state = state_.get();
  if (analysis == nullptr) return next;
  if (!run_.creates_image()) next.mask = reader_.read_mask(next.band.out);
  if (next.mask != nullptr) next.band.mask = next.mask->data();
  return next;
}

/// Brings what the rows of a band look at of the second picture.
BandInput Pipeline::read_aux(Rect rows) {
  BandInput aux = aux_reader_->read(padded_aux(run_.job, rows), {});
  aux.lookup.area.x += run_.job.aux->x, aux.lookup.area.y += run_.job.aux->y;
  return aux;
}

/// Goes through the bands of `area` from row `begin` on, as next_band() makes them, and hands each
/// to `ended` when the device is done with it.
void Pipeline::run_pass(int begin, Rect area, Rect wanted, void* analysis,
                        const std::function<void(const Band&)>& ended) {
  const int depth = std::min(backend_.depth(), run_.plan.bands - 1);
  std::deque<Read> waiting;  // read, and not under way yet
  while (true) {
    while (begin < wanted.bottom() &&
           (waiting.empty() || (run_.plan.keeps_all && worker_->is_busy()))) {
      waiting.push_back(next_band(begin, area, wanted, analysis));
      begin = run_.plan.end_of(begin, area);
    }
    const int under_way = worker_->under_way();
    if (waiting.empty() && under_way == 0) return;
    std::optional<Read> ready;
    if (waiting.empty() || under_way == depth)
      ready = worker_->finish(RunProgress::interval,
                              [this](double rows) { progress_.ask_within_band(rows); });
    if (!waiting.empty()) {
      writer_.place(waiting.front().band);
      worker_->start(std::move(waiting.front()));
      waiting.pop_front();
    }
    if (ready) ended(ready->band);
  }
}

}  // namespace cuda_filters
