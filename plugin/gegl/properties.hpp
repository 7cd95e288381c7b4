// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gegl-plugin.h>

#include <string>

#include "gpu/core/filter.hpp"

namespace cuda_filters::plugin {

/// The property of an operation that stands for a parameter of `filter`, with its ranges, its
/// decimals and what GIMP shows it by; not owned yet.
GParamSpec* property_of(const FilterEntry& filter, const Param& param);

/// Whether parameters of the filter apply only to pictures with an alpha channel.
bool looks_at_alpha(const FilterEntry& filter);

/// The property that tells GIMP's dialogs, which do not show it, whether the picture has an alpha
/// channel, for the expressions by which they show parameters grey. What is set for it is not kept.
GParamSpec* has_alpha_property();
inline constexpr const char* has_alpha_name = "has-alpha";

/// The property that GIMP's dialogs show as a message while it is not empty. What is set for it is
/// not kept.
GParamSpec* error_property();
inline constexpr const char* error_name = "error";

/// The property that tells these dialogs whether there is a message to show. What is set for it is
/// not kept.
GParamSpec* has_error_property();
inline constexpr const char* has_error_name = "has-error";

/// What was set, as make_job() takes it.
Value value_of(const Param& param, const GValue* value);

/// The other way.
void set_value(GValue* value, const Param& param, const Value& from);

}  // namespace cuda_filters::plugin
