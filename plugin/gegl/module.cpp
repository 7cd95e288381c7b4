// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/gegl/operation.hpp"
#include "plugin/i18n.hpp"

// The module that GEGL loads: an operation for each filter whose result has its input's size.
// Loading it asks for no GPU; the first run does.

using namespace cuda_filters;
using namespace cuda_filters::plugin;

extern "C" {

G_MODULE_EXPORT const GeglModuleInfo* gegl_module_query(GTypeModule*) {
  static const GeglModuleInfo info{GEGL_MODULE_ABI_VERSION};
  return &info;
}

G_MODULE_EXPORT gboolean gegl_module_register(GTypeModule* module) {
  translate_engine(LOCALE_FOLDER);
  for (const FilterEntry& filter : filters())
    if (is_operation(filter)) register_operation(module, filter);
  return TRUE;
}
}
