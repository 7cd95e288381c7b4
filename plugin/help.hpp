// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <string>

#include "gpu/core/filter.hpp"
#include "plugin/i18n.hpp"

// The manual: pages of HTML in the folder "help" beside the program, in a folder for each language,
// with a gimp-help.xml by which GIMP finds the page of a procedure.

namespace cuda_filters::plugin {

/// The name under which GIMP knows the manual. A plug-in registers it when it is asked for its
/// procedures.
inline constexpr const char* help_domain = GETTEXT_DOMAIN;

/// The folder of the manual.
std::string help_folder();

/// Shows the page of a filter in the browser, and as far as there is one in the language, that
/// GIMP's preferences say. It does nothing where GIMP has no windows.
void show_help(const FilterEntry& filter);

/// Shows the page of the filter of that name, or of all filters if it is empty, likewise. Throws
/// ArgumentError if there is no such filter.
void show_manual(const std::string& name);

}  // namespace cuda_filters::plugin
