// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// What gimps.py loads into GIMP 3 once. Processes read the file in which babl stores the
// conversions that it has found and measured, but GIMP 3 ends without writing it: it initializes
// babl more often than it ends it. Here babl is ended, as a process does, until it has stored them.
#include <dlfcn.h>

namespace {

struct Store {
  ~Store() {
    constexpr int users_of_babl = 8;  // or fewer: ending it more often does nothing
    if (void* exit = dlsym(RTLD_DEFAULT, "babl_exit"))
      for (int i = 0; i < users_of_babl; ++i) reinterpret_cast<void (*)()>(exit)();
  }
} store;

}  // namespace
