// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/gegl/neighbors.hpp"

#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "gpu/core/required_input.hpp"
#include "plugin/gegl/instance.hpp"

namespace cuda_filters::plugin {
namespace {

bool is_forbidden() {
  const char* wish = std::getenv("CUDA_FILTERS_FUSE");
  return wish != nullptr && std::string_view{wish} == "no";
}

/// By the context of the operation that they have left their work to.
struct Waiting {
  std::mutex mutex;
  std::map<GeglOperationContext*, Neighbors> neighbors;
};
Waiting& waiting() {
  static Waiting all;
  return all;
}

/// The operation that alone takes the result of another one, if it is one of ours.
GeglOperation* next_of(GeglOperation* operation) {
  GeglNode** nodes = nullptr;
  const int count = gegl_node_get_consumers(operation->node, "output", &nodes, nullptr);
  GeglOperation* next = count == 1 ? gegl_node_get_gegl_operation(nodes[0]) : nullptr;
  g_free(nodes);
  if (next == nullptr || !is_ours(next) || gegl_node_get_passthrough(next->node)) return nullptr;
  return gegl_operation_get_source_node(next, "input") == operation->node ? next : nullptr;
}

/// Whether filters that work in `trc` take pixels of that format as they are stored, without babl.
bool is_taken_as_stored(const Babl* format, Trc trc) {
  return pixel_format(format, Trc::native).babl == format &&
         pixel_format(format, trc).babl == format;
}

/// What the operation does, if a run with its neighbors, whose results have that format, may do it.
std::optional<Job> job_among_neighbors(GeglOperation* operation, const Babl* format) {
  PropertyValues& settings = settings_of(operation);
  if (settings.called() || settings.is_tried() ||
      gegl_operation_get_format(operation, "input") != format ||
      gegl_operation_get_format(operation, "output") != format)
    return std::nullopt;
  auto job = job_of(operation);
  if (!job || !job->steps.empty() || job->aux || job->plan.identity ||
      !is_taken_as_stored(format, job->plan.trc))
    return std::nullopt;
  return job;
}

/// Whether neighbors, the last one of which is asked for `part`, look at little else.
bool look_near(const Neighbors& neighbors, Size size, Rect part) {
  constexpr double limit = 1.25;  // of the pixels
  const Rect all{0, 0, size.width, size.height};
  Rect region = part;
  for (std::size_t i = neighbors.size(); i-- > 0 && region != all;) {
    region = required_input(resolved(neighbors[i].job(), size), size, region, all);
    if (region.size().pixels() > limit * part.size().pixels()) return false;
  }
  return true;
}

}  // namespace

std::string names_of(const Neighbors& neighbors) {
  std::string all;
  for (const Neighbor& each : neighbors) {
    if (!all.empty()) all += ", ";
    all += std::string{"cuda:"} + each.job().filter->info.name;
  }
  return all;
}

Neighbors take_neighbors(GeglOperationContext* context) {
  const std::lock_guard lock{waiting().mutex};
  const auto found = waiting().neighbors.extract(context);
  return found.empty() ? Neighbors{} : std::move(found.mapped());
}

bool leave_to_next(const Neighbors& before, GeglOperation* operation, GeglOperationContext* context,
                   const GeglRectangle& roi) try {
  constexpr std::size_t max_neighbors = 100;
  GeglOperation* next = is_forbidden() ? nullptr : next_of(operation);
  if (next == nullptr || before.size() >= max_neighbors) return false;
  // Of what is evaluated now. Where the next one is part of that, it is what `roi` is for.
  GeglOperationContext* its_context = gegl_operation_context_node_get_context(context, next->node);
  const GeglRectangle* image = gegl_operation_source_get_bounding_box(operation, "input");
  const GeglRectangle* its_image = gegl_operation_source_get_bounding_box(next, "input");
  if (its_context == nullptr || image == nullptr || its_image == nullptr ||
      gegl_rectangle_is_infinite_plane(image) || !gegl_rectangle_equal(image, its_image))
    return false;
  const Babl* format = gegl_operation_get_format(operation, "input");
  auto job = job_among_neighbors(operation, format);
  auto its_job = job_among_neighbors(next, format);
  if (!job || !its_job) return false;
  Neighbors neighbors = before;
  neighbors.emplace_back(operation, std::move(*job));
  const Rect wanted = part_of(*image, settings_of(next).requested());
  neighbors.emplace_back(next, std::move(*its_job));
  // It would compute much more than this piece, for the next ones.
  constexpr double limit = 2.0;
  if (wanted.empty() || part_of(*image, roi).size().pixels() > limit * wanted.size().pixels() ||
      !look_near(neighbors, {image->width, image->height}, wanted))
    return false;
  neighbors.pop_back();
  const std::lock_guard lock{waiting().mutex};
  waiting().neighbors.insert_or_assign(its_context, std::move(neighbors));
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

}  // namespace cuda_filters::plugin
