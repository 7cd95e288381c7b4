// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <string>

#include "gpu/core/param.hpp"

namespace cuda_filters::plugin {

/// What an operation calls the property of a parameter: as scripts call the parameter, but GIMP's
/// dialogs show no property that has the name of a pad, and of an operation itself GEGL's nodes
/// have a property.
inline std::string property_name(const Param& param) {
  const std::string name = param.name;
  const bool is_taken = name == "input" || name == "output" || name == "operation";
  return is_taken ? name + "-mode" : name;
}

}  // namespace cuda_filters::plugin
