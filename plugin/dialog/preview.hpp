// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <libgimp/gimp.h>
#include <libgimp/gimpui.h>

#include <functional>
#include <optional>
#include <string>

#include "plugin/run.hpp"

namespace cuda_filters::plugin {

/// What a filter makes of a drawable, in a dialog.
class Preview {
 public:
  /// Calls `failed` with a sentence whenever no result can be shown. `drawable` and its `buffer`
  /// outlive this.
  Preview(Drawable& drawable, const Buffer& buffer, const Checks& checks,
          std::function<void(const std::string& error)> failed);
  Preview(const Preview&) = delete;
  GtkWidget* widget() { return widget_; }
  /// Shows the result of another job; without one, the last result stays.
  void set_job(std::optional<Job> job);

 private:
  void draw();

  Drawable& drawable_;
  const Buffer& buffer_;
  Checks checks_;
  std::function<void(const std::string& error)> failed_;
  std::optional<Job> job_;
  GtkWidget* widget_;
};

}  // namespace cuda_filters::plugin
