// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "gpu/core/i18n.hpp"
#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// How many whole seconds a run will still take that has come so far in `elapsed` seconds; nothing
/// where that is too little to say, and where it is about to end.
inline std::optional<int> seconds_left(double fraction, double elapsed) {
  if (elapsed < 1.0 || fraction < 0.02) return std::nullopt;
  const double left = elapsed / fraction * (1.0 - fraction);
  return left < 1.0 ? std::nullopt : std::optional{static_cast<int>(left + 0.5)};
}

/// Progress of one of several drawables, and what the engine wants to tell.
class Progress final : public Observer {
 public:
  Progress(Host& host, std::size_t drawables, std::string name)
      : host_{host}, name_{std::move(name)}, drawables_{drawables} {}
  bool progress(double fraction) override {
    const double all = (static_cast<double>(done) + fraction) / static_cast<double>(drawables_);
    host_.update_progress(all);
    tell_what_remains(all);
    return true;
  }
  void note(const std::string& sentence) override {
    if (!told_) host_.show_message(sentence);  // for the second drawable it is no news
    told_ = true;
  }
  std::size_t done = 0;

 private:
  using Clock = std::chrono::steady_clock;

  /// Shows the seconds that remain beside the name, once a second at most: every text crosses the
  /// wire.
  void tell_what_remains(double fraction) {
    const Clock::time_point now = Clock::now();
    if (now - told_at_ < std::chrono::seconds{1}) return;
    told_at_ = now;
    const std::chrono::duration<double> elapsed = now - began_;
    const auto left = seconds_left(fraction, elapsed.count());
    const std::string text =
        left ? format_text(tr(N_("%s: %d s left")), name_.c_str(), *left) : name_;
    if (text != std::exchange(text_, text)) host_.set_progress_text(text.c_str());
  }

  Host& host_;
  const std::string name_;
  std::string text_ = name_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point told_at_ = began_;
  bool told_ = false;
  std::size_t drawables_;
};

/// Ends the undo group that it began.
class UndoGroup {
 public:
  explicit UndoGroup(Host& host) : host_{host} { host_.begin_undo_group(); }
  UndoGroup(const UndoGroup&) = delete;
  ~UndoGroup() { host_.end_undo_group(); }

 private:
  Host& host_;
};

}  // namespace cuda_filters::plugin
