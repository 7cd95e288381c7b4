// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/gegl/property_values.hpp"

#include <exception>
#include <set>

namespace cuda_filters::plugin {

void tell_once(const std::string& sentence) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock{mutex};
  if (told.insert(sentence).second) g_warning("%s", sentence.c_str());
}

bool PropertyValues::called() {
  const std::lock_guard lock{mutex_};
  return plugin_.is_claimed();
}

bool PropertyValues::is_abandoned() const {
  const std::lock_guard lock{mutex_};
  return plugin_.is_abandoned();
}

Value PropertyValues::value(std::size_t index) const {
  const std::lock_guard lock{mutex_};
  return values_[index];
}

bool PropertyValues::set_value(std::size_t index, Value value) {
  const std::lock_guard lock{mutex_};
  const std::string before = problem_ + failure_;
  if (has_run_ && values_[index] != value) is_tried_ = true;
  values_[index] = std::move(value);
  const bool with_aux = known_.value_or(false);
  known_.reset();
  make(with_aux);
  failure_.clear();
  return problem_ != before;
}

bool PropertyValues::has_alpha() const {
  const std::lock_guard lock{mutex_};
  return has_alpha_;
}

bool PropertyValues::set_has_alpha(bool has_alpha) {
  const std::lock_guard lock{mutex_};
  return std::exchange(has_alpha_, has_alpha) != has_alpha;
}

std::string PropertyValues::error() const {
  const std::lock_guard lock{mutex_};
  return problem_.empty() ? failure_ : problem_;
}

bool PropertyValues::set_failure(const std::string& failure) {
  const std::lock_guard lock{mutex_};
  return std::exchange(failure_, failure) != failure && problem_.empty();
}

std::optional<Job> PropertyValues::job(bool with_aux) {
  const std::lock_guard lock{mutex_};
  make(with_aux);
  return job_;
}

void PropertyValues::make(bool with_aux) {
  if (known_ == with_aux) return;
  known_ = with_aux;
  devices_.clear();
  try {
    job_ = make_job(filter_, values_, with_aux ? std::optional{Aux{}} : std::nullopt);
    problem_.clear();
  } catch (const std::exception& error) {
    job_.reset();
    problem_ = error.what();
  }
}

DeviceChoice PropertyValues::device(const Job& job, Size image) {
  const std::lock_guard lock{mutex_};
  if (image_ != image) devices_.clear();
  image_ = image;
  const auto known = devices_.find(job.plan.cost);
  if (known != devices_.end()) return known->second;
  DeviceChoice device;
  try {
    device = choose_device(job, image.pixels(), has_run_ && !plugin_.is_claimed());
  } catch (const std::exception& error) {
    tell_once(error.what());
    device = DeviceChoice{-1, error.what()};
  }
  return devices_[job.plan.cost] = device;
}

GeglRectangle PropertyValues::requested() const {
  const std::lock_guard lock{mutex_};
  return requested_;
}

void PropertyValues::set_requested(const GeglRectangle& area) {
  const std::lock_guard lock{mutex_};
  requested_ = area;
}

void PropertyValues::ran() {
  const std::lock_guard lock{mutex_};
  has_run_ = true;
}

bool PropertyValues::is_tried() const {
  const std::lock_guard lock{mutex_};
  return is_tried_;
}

void PropertyValues::tell_problem() {
  std::unique_lock lock{mutex_};
  const std::string problem = problem_;
  if (std::exchange(told_, problem) == problem || problem.empty()) return;
  lock.unlock();
  if (!tell(Topic::failure, problem)) g_warning("cuda:%s: %s", filter_.info.name, problem.c_str());
}

bool PropertyValues::tell(Topic topic, const std::string& text) {
  const std::lock_guard lock{mutex_};
  return plugin_.tell(topic, text);
}

}  // namespace cuda_filters::plugin
