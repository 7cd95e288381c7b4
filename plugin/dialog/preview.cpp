// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/preview.hpp"

#include <utility>

#include "plugin/dialog/gimp_ui.hpp"
#include "plugin/dialog/toolkit.hpp"

namespace cuda_filters::plugin {

Preview::Preview(Drawable& drawable, const Buffer& buffer, const Checks& checks,
                 std::function<void(const std::string& error)> failed)
    : drawable_{drawable},
      buffer_{buffer},
      checks_{checks},
      failed_{std::move(failed)},
      widget_{new_drawable_preview(drawable)} {
  connect(widget_, "invalidated", [this] { draw(); });
}

void Preview::set_job(std::optional<Job> job) {
  job_ = std::move(job);
  gimp_preview_invalidate(GIMP_PREVIEW(widget_));
}

void Preview::draw() {
  if (!job_) return;
  GimpPreview* preview = GIMP_PREVIEW(widget_);
  Rect area;
  gimp_preview_get_position(preview, &area.x, &area.y);
  gimp_preview_get_size(preview, &area.width, &area.height);
  try {
    const auto bytes = plugin::preview(*job_, drawable_, buffer_, area, checks_);
    gimp_preview_draw_buffer(preview, bytes.data(), static_cast<int>(bytes.size()) / area.height);
  } catch (const std::exception& error) {  // none may pass through GTK
    failed_(error.what());
  }
}

}  // namespace cuda_filters::plugin
