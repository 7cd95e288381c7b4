// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gegl-plugin.h>

#include <optional>

#include "gpu/core/filter.hpp"
#include "plugin/gegl/property_values.hpp"

namespace cuda_filters::plugin {

/// An operation of ours, as GEGL holds it.
struct Operation {
  /// It is a GeglOperationFilter or, where there may be a second picture, a GeglOperationComposer.
  GeglOperation parent;
  PropertyValues* settings;
};
static_assert(sizeof(GeglOperationFilter) == sizeof(GeglOperation));
static_assert(sizeof(GeglOperationComposer) == sizeof(GeglOperation));

struct OperationClass {
  union {
    GeglOperationClass operation;
    GeglOperationFilterClass filter;
    GeglOperationComposerClass composer;
  } parent;
  const FilterEntry* filter;
};

/// What GEGL calls the second picture.
inline constexpr const char* aux_pad = "aux";

/// Whether the operation, which may be null, is one of ours. Those of another copy of the module
/// are not.
bool is_ours(GeglOperation* operation);
/// Makes those of a type ours.
void add_type(GType type);

/// The values of one of ours.
template <class Instance>
PropertyValues& settings_of(Instance* instance) {
  return *reinterpret_cast<Operation*>(instance)->settings;
}

/// The filter that one of ours applies.
const FilterEntry& filter_of(gpointer instance);

/// Where the second picture lies, if there is one.
std::optional<GeglRectangle> area_of_aux(GeglOperation* operation);

/// What it does with its values, or nothing if there is no job with these.
std::optional<Job> job_of(GeglOperation* operation);

GeglRectangle rectangle(Rect area);

/// What the engine takes for the image when an operation has to compute `roi`: all of the input,
/// or, where that has no end, what the result there looks at.
GeglRectangle image_of(GeglOperation* operation, const Job& job, const GeglRectangle& roi);

/// What lies in both, as the engine counts: from the first pixel of the image on.
Rect part_of(const GeglRectangle& image, const GeglRectangle& roi);

/// A rectangle that the engine counts from the first pixel of the image on, as GEGL does.
GeglRectangle in_image(const GeglRectangle& image, Rect area);

/// What of the image the pixels of `roi` in the result depend on.
GeglRectangle needed(const Job& job, const GeglRectangle& image, const GeglRectangle& roi);

}  // namespace cuda_filters::plugin
