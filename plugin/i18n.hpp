// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <libintl.h>

#include "gpu/core/i18n.hpp"

#define PLUGIN_NAME "cuda-filters"
#define GETTEXT_DOMAIN "gimp-cuda-filters"

namespace cuda_filters::plugin {

/// The translation of a text of this project.
[[gnu::format_arg(1)]] inline const char* translated(const char* text) {
  return dgettext(GETTEXT_DOMAIN, text);
}

/// Lets the engine's messages be translated, from the catalogs in `folder` if it is not null.
inline void translate_engine(const char* folder) {
  if (folder != nullptr) bindtextdomain(GETTEXT_DOMAIN, folder);
  bind_textdomain_codeset(GETTEXT_DOMAIN, "UTF-8");
  set_translator([](const char* text) -> const char* { return translated(text); });
}

}  // namespace cuda_filters::plugin

#define _(text) ::cuda_filters::plugin::translated(text)
