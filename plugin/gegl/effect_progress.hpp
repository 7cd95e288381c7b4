// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gegl-plugin.h>

#include <chrono>

namespace cuda_filters::plugin {

/// Tells whoever follows a node of GEGL how far a run of its operation is: nothing of a run that is
/// short, and of a longer one 0, what follows, and at its end 1. Handlers may draw, so only the
/// thread of the main loop tells. GIMP 3 listens, and draws too late (docs/gegl-operations.md).
class EffectProgress {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// What is shorter than that is told nothing of.
  static constexpr std::chrono::milliseconds quiet_for{700};
  /// There is no more news than each so often.
  static constexpr std::chrono::milliseconds told_each{100};

  EffectProgress(GeglOperation* operation, Time now)
      : operation_{g_main_context_is_owner(g_main_context_default()) ? operation : nullptr},
        told_at_{now + quiet_for - told_each} {}
  EffectProgress(const EffectProgress&) = delete;
  ~EffectProgress() {
    if (begun_) tell(1.0);
  }

  void update(double fraction, Time now) {
    if (operation_ == nullptr || now - told_at_ < told_each) return;
    told_at_ = now;
    if (!begun_) tell(0.0);
    begun_ = true;
    if (fraction > 0.0 && fraction < 1.0) tell(fraction);
  }

 private:
  void tell(double fraction) {
    char text[] = "";  // who listens has a text of its own
    gegl_operation_progress(operation_, fraction, text);
  }

  GeglOperation* operation_;
  Time told_at_;
  bool begun_ = false;
};

}  // namespace cuda_filters::plugin
