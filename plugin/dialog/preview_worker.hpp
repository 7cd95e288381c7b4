// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "plugin/dialog/new_picture.hpp"
#include "plugin/dialog/preview_picture.hpp"

namespace cuda_filters::plugin {

/// What a preview shall show: a part of the picture at a scale, as PreviewRaster has it, and what a
/// job makes of it, if there is one; of a filter that makes a new image, a part of that.
struct PreviewRequest {
  std::optional<Job> job;
  Size picture;  ///< of which it is a part, as far as is known
  Rect area;
  double scale;
  std::chrono::steady_clock::time_point made = std::chrono::steady_clock::now();
};

/// The run that has computed a result.
struct PreviewRun {
  std::chrono::steady_clock::time_point requested;  ///< when its request was made
  Report report;                                    ///< the sink, `write`, makes the raster
};

/// What there is to show.
struct PreviewResult {
  Size picture{};  ///< of which this is a part; if it is not the one requested, this is none of it
  std::vector<double> output_values{};          ///< of a new image
  std::shared_ptr<const PreviewRaster> before;  ///< the picture, or null as long as it is read
  std::shared_ptr<const PreviewRaster> after;   ///< the result, as far as it is there, or null
  std::optional<PreviewRun> run{};              ///< of a result that is complete and exact
  bool is_coarse = false;  ///< the result is of a reduced picture, and the exact one follows
  bool is_busy = false;    ///< more follows
  std::string error{};     ///< why there is no result; empty if there is one
};

/// Computes what a preview shows in a thread of its own. Of several requests only the last one
/// counts: what is computed for an earlier one is cancelled.
class PreviewWorker {
 public:
  /// `picture` outlives this. The thread calls `changed` whenever there is something new to show.
  PreviewWorker(const PreviewPicture& picture, std::function<void()> changed);
  PreviewWorker(const PreviewWorker&) = delete;
  ~PreviewWorker();

  void request(PreviewRequest request);
  PreviewResult result() const;

 private:
  void work();
  void serve(const PreviewRequest& request);
  /// Makes the new image that is shown from then on, if the job makes one and it is not there yet.
  void make_new(const Job& job);
  /// The picture itself, or the new image.
  const PreviewPicture& shown_picture() const;
  /// How many pixels its run goes through: more than show where statistics are of more.
  double computed_pixels(const PreviewRequest& request) const;
  void show_before(const PreviewRequest& request);
  void show_coarse(const PreviewRequest& request, const DeviceChoice& device);
  void show_exact(const PreviewRequest& request, const DeviceChoice& device);
  void show(std::shared_ptr<const PreviewRaster> after, bool coarse,
            std::optional<PreviewRun> run = std::nullopt);
  bool is_superseded() const;

  class Sink;
  class Watch;

  const PreviewPicture& picture_;
  const std::function<void()> changed_;
  mutable std::mutex mutex_;
  std::condition_variable requested_;
  std::optional<PreviewRequest> next_;
  bool ending_ = false;
  PreviewResult result_;
  struct Reduced {
    Buffer pixels;
    Selection selection;
  };
  std::map<int, Reduced> reduced_;  ///< the picture, by the factor that it is reduced by
  std::unique_ptr<const NewPicture> new_picture_;
  Values new_picture_values_;  ///< what it was made with
  std::thread thread_;
};

/// The job for a picture of which width and height were divided by `factor`, with lengths as much
/// smaller; nothing if that is not known.
std::optional<Job> job_for_reduced(const Job& job, int factor);

}  // namespace cuda_filters::plugin
