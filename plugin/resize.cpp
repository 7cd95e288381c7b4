// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/resize.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "plugin/names.hpp"
#include "plugin/progress.hpp"
#include "plugin/store.hpp"
#include "plugin/verbose.hpp"

// GIMP scales the items, as its own Scale Layer and Scale Image do, so that identities, offsets,
// groups and everything else are its business; then their pixels are replaced by ours, which were
// computed before. What undo keeps are the items before they were scaled, so that pixels which are
// written without an undo step of their own come and go with them.

namespace cuda_filters::plugin {
namespace {

/// The value of GIMP_MAX_IMAGE_SIZE, up to which GIMP's images go.
constexpr int largest = 524288;

/// One drawable whose pixels are scaled.
struct ScaledPart {
  Drawable* drawable;
  Size before, after;
  ResultStore result{};
};

/// All that is scaled at a time.
class ScaledParts {
 public:
  void add(Drawable* drawable, Size before, Size after) {
    if (drawable == nullptr || before == after) return;
    if (after.width < 1 || after.height < 1)
      throw ArgumentError{
          format_text(tr(N_("Of '%s' no pixel would be left. Choose a larger size.")),
                      drawable->name().c_str())};
    if (after.width > largest || after.height > largest)
      throw ArgumentError{format_text(
          tr(N_("'%s' would have %d × %d pixels, but GIMP's layers end at %d. Choose a smaller "
                "size.")),
          drawable->name().c_str(), after.width, after.height, largest)};
    parts_.push_back({drawable, before, after});
  }

  /// A layer with its mask, and what is in it.
  void add(const Layer& layer, Rect after) {
    if (!layer.group) add(layer.drawable.get(), layer.area.size(), after.size());
    add(layer.mask.get(), layer.area.size(), after.size());
    const double across = static_cast<double>(after.width) / layer.area.width;
    const double down = static_cast<double>(after.height) / layer.area.height;
    for (const Layer& child : layer.children) {
      const Rect before{child.area.x - layer.area.x, child.area.y - layer.area.y, child.area.width,
                        child.area.height};
      Rect scaled = scaled_by(before, across, down);
      scaled.x += after.x, scaled.y += after.y;
      add(child, scaled);
    }
  }

  /// Where GIMP puts what lies in `area`, by factors: edges are rounded, halves away from 0.
  static Rect scaled_by(Rect area, double across, double down) {
    const auto edge = [](double factor, int place) {
      constexpr double limit = 1 << 29;  // far beyond what GIMP has
      return static_cast<int>(std::round(std::clamp(factor * place, -limit, limit)));
    };
    const int x = edge(across, area.x), y = edge(down, area.y);
    return {x, y, edge(across, area.right()) - x, edge(down, area.bottom()) - y};
  }

  void compute(const Job& job, Host& host) {
    if (parts_.empty()) return;
    Progress progress{host, parts_.size(), display_name(job.filter->info)};
    double pixels = 0.0, bytes = 0.0;
    for (const ScaledPart& part : parts_) {
      pixels += std::max(part.before.pixels(), part.after.pixels());
      bytes += part.after.pixels() * babl_format_get_bytes_per_pixel(part.drawable->format());
    }
    check_room(bytes);
    checked_ = check_swap(host, bytes, parts_.front().drawable->format());
    const DeviceChoice device = choose_device(job, pixels);
    KeepCpuAwake::begin_run();
    const ScopedTileCache tile_cache;
    for (ScaledPart& part : parts_) {
      const Babl* stored = part.drawable->format();
      const PixelFormat format{stored, job.plan.trc};
      const Rect area{0, 0, part.after.width, part.after.height};
      part.result = ResultStore{area, stored};
      const Buffer from = part.drawable->buffer();
      const Selection everything;
      BufferSource source{from.get(), format, everything};
      ResultStoreSink sink{part.result, format};
      run({job, part.after}, source, sink, area, device, progress);
      ++progress.done;
    }
  }

  /// After GIMP has scaled the drawables. Where GIMP might lose pixels, they are read once more.
  void write() {
    const ScopedTileCache tile_cache;
    for (ScaledPart& part : parts_) {
      {
        const Buffer to = part.drawable->buffer();
        if (gegl_buffer_get_width(to.get()) != part.after.width ||
            gegl_buffer_get_height(to.get()) != part.after.height)
          throw Error{format_text(
              tr(N_("GIMP gave '%s' another size than was expected. Undo the last step.")),
              part.drawable->name().c_str())};
        part.result.copy_to(to.get());
        if (!checked_) part.result = ResultStore{};
      }
      part.drawable->update({0, 0, part.after.width, part.after.height});
    }
    if (checked_)
      for (const ScaledPart& part : parts_)
        if (!part.result.is_in(part.drawable->buffer().get()))
          throw Error{sentence_about_loss(part.drawable->name())};
  }

 private:
  std::vector<ScaledPart> parts_;
  bool checked_ = false;  ///< so little is free that GIMP might lose pixels
};

/// Throws if GIMP refused to scale, which it gave a reason for.
void check_taken(const std::optional<std::string>& reason, const std::string& name) {
  if (reason)
    throw Error{format_text(tr(N_("GIMP did not take the result for '%s': %s")), name.c_str(),
                            reason->c_str())};
}

void resize_image(const Job& job, Host& host) {
  const Size canvas = host.canvas();
  const ResolvedJob resolved_job = resolved(job, canvas);
  if (resolved_job.plan.identity) return;
  const Size size = resolved_job.output;
  const double across = static_cast<double>(size.width) / canvas.width;
  const double down = static_cast<double>(size.height) / canvas.height;
  const std::vector<Layer> layers = host.layers();
  const auto channels = host.channels();
  ScaledParts parts;
  for (const Layer& layer : layers)
    parts.add(layer, ScaledParts::scaled_by(layer.area, across, down));
  for (const auto& channel : channels) parts.add(channel.get(), canvas, size);
  parts.compute(resolved_job, host);
  host.end_progress();  // and with it GIMP's button that cancels
  const UndoGroup group{host};
  check_taken(host.scale_image(size), tr(N_("the image")));
  parts.write();
}

/// Throws ArgumentError if GIMP would refuse to scale a layer or what is in it.
void check_locks(const Layer& layer) {
  const std::string sentence = layer.group ? std::string{} : obstacle_sentence(*layer.drawable);
  if (!sentence.empty()) throw ArgumentError{sentence};
  if (layer.fixed_by)
    throw ArgumentError{
        format_text(tr(N_("The position of '%s' is locked. Unlock it in the layers dialog first.")),
                    layer.fixed_by->c_str())};
  for (const Layer& child : layer.children) check_locks(child);
}

/// Throws ArgumentError if a layer is in another one.
void check_inside(const Layer& layer, const Layer& outer) {
  for (const Layer& child : outer.children) {
    if (child.drawable->same_as(*layer.drawable))
      throw ArgumentError{
          format_text(tr(N_("'%s' is in '%s', with which all that is in it is scaled. Choose one "
                            "of the two.")),
                      layer.drawable->name().c_str(), outer.drawable->name().c_str())};
    check_inside(layer, child);
  }
}

void resize_layers(const Job& job, std::span<const std::unique_ptr<Drawable>> drawables,
                   Host& host) {
  std::vector<std::pair<Layer, Size>> scaled;
  for (const auto& drawable : drawables) {
    std::optional<Layer> layer = drawable->layer();
    if (!layer)
      throw ArgumentError{format_text(
          tr(N_("'%s' is a channel, and has the size of the image. Scale the image instead.")),
          drawable->name().c_str())};
    check_locks(*layer);
    const bool again = std::ranges::any_of(
        scaled, [&](const auto& other) { return other.first.drawable->same_as(*layer->drawable); });
    const ResolvedJob resolved_job = resolved(job, layer->area.size());
    if (again || resolved_job.plan.identity) continue;  // or a mask of a layer that was named too
    scaled.emplace_back(std::move(*layer), resolved_job.output);
  }
  for (const auto& [layer, size] : scaled)
    for (const auto& other : scaled) check_inside(layer, other.first);
  if (scaled.empty()) return;
  ScaledParts parts;
  for (const auto& [layer, size] : scaled)
    parts.add(layer, {layer.area.x, layer.area.y, size.width, size.height});
  parts.compute(job, host);
  host.end_progress();
  const UndoGroup group{host};
  for (const auto& [layer, size] : scaled)
    check_taken(layer.drawable->scale_layer(size), layer.drawable->name());
  parts.write();
}

}  // namespace

void resize(const Job& job, std::span<const std::unique_ptr<Drawable>> drawables, Host& host) {
  host.begin_progress(display_name(job.filter->info).c_str());
  const auto began = std::chrono::steady_clock::now();
  if (job.plan.whole_image)
    resize_image(job, host);
  else
    resize_layers(job, drawables, host);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - began;
  if (verbose())
    std::fprintf(stderr, "cuda-filters: %s: %.3f s\n", job.filter->info.name, time.count());
}

}  // namespace cuda_filters::plugin
