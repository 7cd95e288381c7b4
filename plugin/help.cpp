// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/help.hpp"

#include <libgimp/gimp.h>

#include "gpu/core/error.hpp"
#include "plugin/dialogs.hpp"
#include "plugin/run.hpp"

namespace cuda_filters::plugin {

std::string help_folder() { return beside_program("help"); }

void show_help(const FilterEntry& filter) { gimp_help(help_domain, procedure_of(filter).c_str()); }

void show_manual(const std::string& name) {
  if (name.empty()) {
    gimp_help(help_domain, manual_procedure);
    return;
  }
  const FilterEntry* filter = find_filter(name);
  if (filter == nullptr)
    throw ArgumentError{format_text(
        tr(N_(
            "There is no filter '%s'. Give a name such as in the manual, or none for all of it.")),
        name.c_str())};
  show_help(*filter);
}

}  // namespace cuda_filters::plugin
