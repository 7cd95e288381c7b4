// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <string>

#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// Progress of one of several drawables, and what the engine wants to tell.
class Progress final : public Observer {
 public:
  Progress(Host& host, std::size_t drawables) : host_{host}, drawables_{drawables} {}
  bool progress(double fraction) override {
    host_.update_progress((static_cast<double>(done) + fraction) / static_cast<double>(drawables_));
    return true;
  }
  void note(const std::string& sentence) override {
    if (!told_) host_.show_message(sentence);  // for the second drawable it is no news
    told_ = true;
  }
  std::size_t done = 0;

 private:
  Host& host_;
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
