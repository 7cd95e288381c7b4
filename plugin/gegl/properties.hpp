// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gegl-plugin.h>

#include <string>

#include "gpu/core/filter.hpp"

namespace cuda_filters::plugin {

/// A label for people, without the mark of its mnemonic.
std::string without_mnemonic(const char* label);

/// The property of an operation that stands for a parameter of `filter`, with its ranges, its
/// decimals and what GIMP shows it by; not owned yet.
GParamSpec* property_of(const FilterEntry& filter, const Param& param);

/// What was set, as make_job() takes it.
Value value_of(const Param& param, const GValue* value);

/// The other way.
void set_value(GValue* value, const Param& param, const Value& from);

}  // namespace cuda_filters::plugin
