// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "gpu/core/backend.hpp"
#include "gpu/core/band_reader.hpp"
#include "gpu/core/band_worker.hpp"
#include "gpu/core/band_writer.hpp"
#include "gpu/core/planned_run.hpp"
#include "gpu/core/report.hpp"
#include "gpu/core/run_progress.hpp"

namespace cuda_filters {

/// How far a result is written. It outlives attempts that fail: the next one goes on there.
struct WrittenRows {
  int end;  ///< the first row that is not written yet
};

/// Reads, computes and writes the bands of a run: while the device has some of them under way, the
/// calling thread reads the next one, or several, and writes the last one.
class Pipeline {
 public:
  /// What it did is added to `report`.
  Pipeline(Backend& backend, const PlannedRun& run, const Progress& progress, Report& report);

  /// Runs from the first row on that is not written.
  void run(WrittenRows& written);

  /// What the analysis found.
  const std::shared_ptr<void>& state() const { return state_; }
  /// Whether the store has become the whole image.
  bool stores_image() const { return reader_.holds_image(); }
  /// How the result is stored.
  const Format& result_format() const { return writer_.encoding().format; }

 private:
  void analyze();
  void compute(Rect region, Rect area, WrittenRows& written);
  /// Reads the band of `area` that begins at row `begin`, of which `wanted` is computed or, with a
  /// state `analysis`, added to that.
  Read next_band(int begin, Rect area, Rect wanted, void* analysis);
  BandInput read_aux(Rect rows);
  void run_pass(int begin, Rect area, Rect wanted, void* analysis,
                const std::function<void(const Band&)>& ended);

  Backend& backend_;
  const PlannedRun& run_;
  Report& report_;
  bool analyzes_;
  RunProgress progress_;
  BandReader reader_;
  std::optional<BandReader> aux_reader_;
  BandWriter writer_;
  std::shared_ptr<void> state_;
  std::unique_ptr<Worker> worker_;  ///< the last one to be made: it ends before what it uses
};

}  // namespace cuda_filters
