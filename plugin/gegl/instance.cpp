// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/gegl/instance.hpp"

#include <mutex>
#include <set>

#include "gpu/core/required_input.hpp"

namespace cuda_filters::plugin {

namespace {

struct Types {
  std::mutex mutex;
  std::set<GType> ours;
};
Types& types() {
  static Types all;
  return all;
}

}  // namespace

bool is_ours(GeglOperation* operation) {
  const std::lock_guard lock{types().mutex};
  return operation != nullptr && types().ours.contains(G_OBJECT_TYPE(operation));
}

void add_type(GType type) {
  const std::lock_guard lock{types().mutex};
  types().ours.insert(type);
}

const FilterEntry& filter_of(gpointer instance) {
  return *reinterpret_cast<OperationClass*>(G_OBJECT_GET_CLASS(instance))->filter;
}

std::optional<GeglRectangle> area_of_aux(GeglOperation* operation) {
  if (!filter_of(operation).takes_aux()) return std::nullopt;
  const GeglRectangle* area = gegl_operation_source_get_bounding_box(operation, aux_pad);
  if (area == nullptr || gegl_rectangle_is_empty(area)) return std::nullopt;
  return *area;
}

std::optional<Job> job_of(GeglOperation* operation) {
  return settings_of(operation).job(area_of_aux(operation).has_value());
}

GeglRectangle rectangle(Rect area) { return {area.x, area.y, area.width, area.height}; }

GeglRectangle image_of(GeglOperation* operation, const Job& job, const GeglRectangle& roi) {
  const GeglRectangle* input = gegl_operation_source_get_bounding_box(operation, "input");
  if (input != nullptr && !gegl_rectangle_is_infinite_plane(input)) return *input;
  if (gegl_rectangle_is_infinite_plane(&roi)) return roi;
  const Rect area{roi.x, roi.y, roi.width, roi.height};
  return rectangle(padded_input(resolved(job, {}), {}, area));
}

Rect part_of(const GeglRectangle& image, const GeglRectangle& roi) {
  GeglRectangle part;
  gegl_rectangle_intersect(&part, &image, &roi);
  return {part.x - image.x, part.y - image.y, part.width, part.height};
}

GeglRectangle in_image(const GeglRectangle& image, Rect area) {
  return {image.x + area.x, image.y + area.y, area.width, area.height};
}

GeglRectangle needed(const Job& job, const GeglRectangle& image, const GeglRectangle& roi) {
  const Rect part = part_of(image, roi);
  if (part.empty() && !needs_all(job)) return roi;
  const Rect all{0, 0, image.width, image.height};  // counts for statistics
  return in_image(image, required_input(resolved(job, all.size()), all.size(), part, all));
}

}  // namespace cuda_filters::plugin
