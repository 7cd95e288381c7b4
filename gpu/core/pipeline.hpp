// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/core/backend.hpp"
#include "gpu/core/band.hpp"
#include "gpu/core/band_plan.hpp"
#include "gpu/core/band_worker.hpp"
#include "gpu/core/filter.hpp"
#include "gpu/core/image.hpp"

namespace cuda_filters {

/// Reads, computes and writes the bands of a region: while the device has some of them under way,
/// the calling thread reads the next one, or several, and writes the last one.
class Pipeline {
 public:
  /// `there`: where the source's pixels are, if they can be taken from there, or null.
  Pipeline(Backend& backend, const Job& job, const Encoding& encoding, Source& source,
           const Resident* there, Sink* sink, Rect& region, const Progress& progress,
           const BandPlan& plan);

  /// What the survey found.
  const std::shared_ptr<void>& state() const { return state_; }

  /// Whether the store has become the whole image.
  bool stores_image() const { return slots_.hold_image(); }

  /// Runs from row `done` on and keeps it at the first row that is not written yet.
  void run(int& done, Report& summary);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds asks_every{100};

  bool makes() const { return job_.filter->made != nullptr; }

  /// Where the rows of the bands are: where the source has them if they can be used there, else in
  /// slots into which they are read.
  Store make_store(const Resident* there);

  /// Where the results of the bands are: in the sink's memory if they can be put there, else in
  /// memory from which they are written.
  void prepare_results();

  /// From here on the bands are those of the new image.
  void begin_new_image();

  /// Goes through the bands from row `begin` on; of each, what lies in `wanted` is computed, or
  /// added to the state `survey`, and then handed to `ended`.
  void sweep(int begin, Rect wanted, void* survey, const std::function<void(const Band&)>& ended);

  Size size() const { return {source_.width(), source_.height()}; }

  Band read(int begin, int end);

  void write(const Band& band);

  /// Bytes of a row of the result.
  std::size_t row_bytes() const;

  void place_result(Band& band);

  void read_mask(Read& read);

  /// Rows that this sweep has surveyed, and rows that were computed. A survey that began again
  /// shows no progress before it is where the last one was.
  void report(int surveyed, int computed);

  /// Tells of the progress; the answer may end the run.
  void ask(double fraction);
  void ask_now_and_then();

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

}  // namespace cuda_filters
