// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/second_picture.hpp"

#include <algorithm>
#include <utility>

#include "gpu/core/i18n.hpp"
#include "plugin/buffer.hpp"

namespace cuda_filters::plugin {
namespace {

/// What a source of a drawable's pixels refers to.
struct DrawablePixels {
  Buffer owned;
  PixelFormat pixel_format;
  Selection all;
};

class DrawableSource final : private DrawablePixels, public BufferSource {
 public:
  DrawableSource(Drawable& drawable, Trc trc)
      : DrawablePixels{drawable.buffer(),
                       {drawable.format(), trc},
                       {.area = {0, 0, drawable.size().width, drawable.size().height},
                        .mask = Buffer{}}},
        BufferSource{owned.get(), pixel_format, all},
        id{drawable.id()} {}

  const int id;
};

/// Throws ArgumentError unless the drawable's pixels can be read beside those of `target`.
void check_readable(const Drawable& aux, const Drawable& target) {
  if (!aux.is_in_image_of(target))
    throw ArgumentError{format_text(
        tr(N_("'%s' belongs to another image. A second picture must be in the image that is "
              "filtered.")),
        aux.name().c_str())};
  if (aux.obstacle() == Drawable::Obstacle::group) throw ArgumentError{obstacle_sentence(aux)};
}

/// The layer that a step of a chain names.
std::unique_ptr<Drawable> layer_named(const std::string& name, const Drawable& target) {
  auto layer = target.layer_named(name);
  if (layer == nullptr)
    throw ArgumentError{format_text(
        tr(N_("The image has no layer named '%s'. Write the name after 'aux=' as the layers "
              "dialog shows it.")),
        name.c_str())};
  return layer;
}

void add_source(Job& job, const Drawable& target, Drawable& aux) {
  check_readable(aux, target);
  const Rect target_place = target.placement(), aux_place = aux.placement();
  job.aux->source = std::make_shared<DrawableSource>(aux, job.plan.trc);
  job.aux->x = aux_place.x - target_place.x, job.aux->y = aux_place.y - target_place.y;
}

}  // namespace

int drawable_of(const Source& source) { return dynamic_cast<const DrawableSource&>(source).id; }

bool has_second_picture(const Job& job) {
  return job.aux.has_value() || std::ranges::any_of(job.steps, has_second_picture);
}

Job with_second_pictures(Job job, const Drawable& target, Drawable* aux) {
  if (job.aux) add_source(job, target, *aux);
  for (Job& step : job.steps)
    if (step.aux) add_source(step, target, *layer_named(step.aux->layer, target));
  return job;
}

void check_second_pictures(const Job& job, std::span<const std::unique_ptr<Drawable>> targets,
                           Drawable* aux) {
  for (const auto& target : targets) {
    if (job.aux) check_readable(*aux, *target);
    for (const Job& step : job.steps)
      if (step.aux) check_readable(*layer_named(step.aux->layer, *target), *target);
  }
}

}  // namespace cuda_filters::plugin
