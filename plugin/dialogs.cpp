// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialogs.hpp"

#include <dlfcn.h>
#include <glib.h>

#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters::plugin {

std::string beside_program(const char* name) {
  gchar* program = g_file_read_link("/proc/self/exe", nullptr);
  gchar* folder = g_path_get_dirname(program != nullptr ? program : "");
  gchar* file = g_build_filename(folder, name, nullptr);
  std::string path = file;
  g_free(file);
  g_free(folder);
  g_free(program);
  return path;
}

namespace {

const Dialogs& load_dialogs() {
  // For all to see, as if the program were linked with it: GTK loads modules that expect that.
  if (void* library = dlopen(beside_program("dialogs.so").c_str(), RTLD_NOW | RTLD_GLOBAL))
    if (const void* dialogs = dlsym(library, "cuda_filters_dialogs"))
      return *static_cast<const Dialogs*>(dialogs);
  throw Error{format_text(tr(N_("The plug-in's dialogs cannot be loaded: %s. Install the plug-in "
                                "again.")),
                          dlerror())};
}

}  // namespace

const Dialogs& dialogs() {
  static const Dialogs& loaded = load_dialogs();
  return loaded;
}

}  // namespace cuda_filters::plugin
