// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "gpu/core/device_choice.hpp"
#include "gpu/core/devices.hpp"
#include "gpu/core/filter.hpp"
#include "plugin/buffer.hpp"
#include "plugin/plugin_socket.hpp"

namespace cuda_filters::plugin {

/// Warns once of something that does not change from run to run.
void tell_once(const std::string& sentence);

/// The values of an operation's properties and the Job built from them, for any thread.
class PropertyValues {
 public:
  explicit PropertyValues(const FilterEntry& filter)
      : filter_{filter}, values_{initial_values(filter)} {}

  /// Whether a procedure of the plug-in waits, which wants all of the picture or nothing.
  bool called();

  /// Whether such a procedure has ended without waiting for the result.
  bool is_abandoned() const;

  Value value(std::size_t index) const;
  /// True if error() changes.
  bool set_value(std::size_t index, Value value);

  /// Whether the picture has an alpha channel, as far as is known.
  bool has_alpha() const;
  /// True if has_alpha() changes.
  bool set_has_alpha(bool has_alpha);

  /// What is wrong with the values, or else how the last computation with them failed; empty if
  /// nothing is known to be wrong.
  std::string error() const;
  /// Notes how a computation failed, or empty that it did not; true if error() changes.
  bool set_failure(const std::string& failure);

  /// The job, or nothing if there is none with these values. `with_aux`: it has a second picture,
  /// whose pixels are added before it computes.
  std::optional<Job> job(bool with_aux);

  /// Where a job of these values, or of neighbors, too, runs on an image of that size: with the
  /// same values all pieces on one device.
  DeviceChoice device(const Job& job, Size image);

  /// Which part of the result GEGL asked for last.
  GeglRectangle requested() const;
  void set_requested(const GeglRectangle& area);

  /// Notes that something was computed.
  void ran();

  /// Whether values were changed after that: somebody tries some, and will set others.
  bool is_tried() const;

  /// Warns why there is no job, once for the same values, for those who see no error(). GEGL asks
  /// for the job between setting one value and the next, too: call this only before computing.
  void tell_problem();

  /// Tells the plug-in that waits; false if none hears it.
  bool tell(Topic topic, const std::string& text);

  /// The result for the plug-in that waits, as compute() gives it, or null if it throws; that is
  /// tried once, so that all that GEGL ever asks for is of one outcome.
  template <class Compute>
  GeglBuffer* result(const Compute& compute) {
    const std::lock_guard lock{computing_};
    if (!std::exchange(computed_, true)) result_ = compute();
    return result_.get();
  }

 private:
  /// Makes the job anew if the values have changed.
  void make(bool with_aux);

  const FilterEntry& filter_;
  mutable std::mutex mutex_;
  Values values_;
  Outbox plugin_{lost_gpus()};
  bool has_alpha_ = true;
  bool has_run_ = false;  ///< if it does so again, somebody tries values: there will be more runs
  bool is_tried_ = false;
  std::optional<bool> known_;  ///< the job, with a second picture or without
  std::optional<Job> job_;
  std::string problem_, told_, failure_;    ///< empty: none
  std::map<double, DeviceChoice> devices_;  ///< by the cost of the job
  Size image_;                              ///< for which they were chosen
  GeglRectangle requested_{};
  std::mutex computing_;
  bool computed_ = false;
  Buffer result_;
};

}  // namespace cuda_filters::plugin
