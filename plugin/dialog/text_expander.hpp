// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <libgimp/gimp.h>
#include <libgimp/gimpui.h>

#include <functional>
#include <string>

namespace cuda_filters::plugin {

/// The text that stands for what other widgets show, to be copied or written; folded away until
/// somebody wants to see it.
class TextExpander {
 public:
  /// Calls `changed` with the text whenever the user has changed it.
  TextExpander(const char* tooltip, std::function<void(const std::string& text)> changed);
  TextExpander(const TextExpander&) = delete;
  GtkWidget* widget() const { return expander_; }
  void show(const std::string& text);
  /// Unfolds the text.
  void open();

 private:
  std::function<void(const std::string& text)> changed_;
  GtkWidget *expander_, *view_;
  bool showing_ = false;  ///< what changes now comes from here, not from the user
  bool opened_ = false;   ///< by the user, and the text has not appeared yet
};

}  // namespace cuda_filters::plugin
