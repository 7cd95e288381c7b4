// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <glib.h>

// What makes tiles move quickly between GIMP and a plug-in, which hand each other one at a time.

namespace cuda_filters::plugin {

/// Keeps a processor awake from begin_run() on, when all tiles of drawables will move. What moving
/// a tile takes is, to a good part, that GIMP wakes us up and we wake up GIMP; a thread that runs
/// only where nothing else wants to (SCHED_IDLE) spares the kernel falling asleep in between. It
/// sleeps while no KeepCpuAwake lives, and ends with the process.
///
/// CUDA_FILTERS_AWAKE=no does without. So does a process with one processor, one whose share of
/// them is limited, which that thread would use up, and one on a machine that is busy anyway.
class KeepCpuAwake {
 public:
  /// Starts a run; to be called by the thread that moves the tiles.
  static void begin_run();
  KeepCpuAwake();
  KeepCpuAwake(const KeepCpuAwake&) = delete;
  ~KeepCpuAwake();
};

/// While it lives, GEGL keeps no tiles that were read or written: their memory serves the next ones
/// at once, while it is still in the processor's cache, and that of the plug-in does not grow with
/// the image. For whoever reads and writes each tile once, and has no GeglBuffer of their own.
class ScopedTileCache {
 public:
  ScopedTileCache();
  ScopedTileCache(const ScopedTileCache&) = delete;
  ~ScopedTileCache();

 private:
  guint64 before_;
};

}  // namespace cuda_filters::plugin
