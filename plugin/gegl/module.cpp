// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <dlfcn.h>

#include <string>

#include "plugin/gegl/operation.hpp"
#include "plugin/i18n.hpp"

// The module that GEGL loads: an operation for each filter whose result has its input's size.
// Loading it asks for no GPU; the first run does.

using namespace cuda_filters;
using namespace cuda_filters::plugin;

namespace {

/// The catalogs of a module in the user's data folder lie there, too.
std::string catalogs() {
  Dl_info module;
  const std::string user = g_get_user_data_dir();
  const bool is_users = dladdr(reinterpret_cast<const void*>(&catalogs), &module) != 0 &&
                        std::string{module.dli_fname}.starts_with(user + "/");
  return is_users ? user + "/locale" : LOCALE_FOLDER;
}

}  // namespace

extern "C" {

G_MODULE_EXPORT const GeglModuleInfo* gegl_module_query(GTypeModule*) {
  static const GeglModuleInfo info{GEGL_MODULE_ABI_VERSION};
  return &info;
}

G_MODULE_EXPORT gboolean gegl_module_register(GTypeModule* module) {
  translate_engine(catalogs().c_str());
  for (const FilterEntry& filter : filters())
    if (filter.is_operation()) register_operation(module, filter);
  return TRUE;
}
}
