// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once

namespace cuda_filters::plugin {

/// What a GIMP's plug-in takes from its library of dialogs; its host.hpp says what that is.
struct Dialogs;

/// The dialogs, from the library beside the executable, which is loaded for the first of them.
/// Throws Error, with what to do about it.
const Dialogs& dialogs();

}  // namespace cuda_filters::plugin

/// The symbol under which the library exports its dialogs.
extern "C" const cuda_filters::plugin::Dialogs cuda_filters_dialogs;
