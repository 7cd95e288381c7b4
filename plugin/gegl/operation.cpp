// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/gegl/operation.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/core/devices.hpp"
#include "gpu/core/engine.hpp"
#include "gpu/core/required_input.hpp"
#include "gpu/core/run_chain.hpp"
#include "plugin/gegl/effect_progress.hpp"
#include "plugin/gegl/instance.hpp"
#include "plugin/gegl/neighbors.hpp"
#include "plugin/gegl/operation_formats.hpp"
#include "plugin/gegl/parallel_buffer.hpp"
#include "plugin/gegl/properties.hpp"
#include "plugin/gegl/property_values.hpp"
#include "plugin/i18n.hpp"
#include "plugin/names.hpp"
#include "plugin/plugin_socket.hpp"
#include "plugin/verbose.hpp"

namespace cuda_filters::plugin {
namespace {

GType parent_type(const FilterEntry& filter) {
  return filter.takes_aux() ? GEGL_TYPE_OPERATION_COMPOSER : GEGL_TYPE_OPERATION_FILTER;
}

/// What the class that an operation is derived from does.
GeglOperationClass* parent_class(gpointer instance) {
  return static_cast<GeglOperationClass*>(g_type_class_peek(parent_type(filter_of(instance))));
}

/// What the engine wants to tell goes to the plug-in that waits, which cancels the run by ending,
/// and to who shows the progress of effects.
class RunObserver final : public Observer {
 public:
  explicit RunObserver(GeglOperation* operation)
      : settings_{settings_of(operation)}, shown_{operation, std::chrono::steady_clock::now()} {}
  bool progress(double fraction) override {
    shown_.update(fraction, std::chrono::steady_clock::now());
    return !settings_.is_abandoned();
  }
  void note(const std::string& sentence) override {
    if (!settings_.tell(Topic::note, sentence)) tell_once(sentence);
  }

 private:
  PropertyValues& settings_;
  EffectProgress shown_;
};

/// Lets dialogs show that a property has changed, in the thread that they live in.
void notify_later(gpointer operation, const char* property) {
  struct Change {
    GWeakRef operation;
    const char* property;
  };
  auto* change = new Change{{}, property};
  g_weak_ref_init(&change->operation, operation);
  const auto notify = [](gpointer data) -> gboolean {
    auto& [weak, name] = *static_cast<Change*>(data);
    gpointer living = g_weak_ref_get(&weak);
    if (living == nullptr) return G_SOURCE_REMOVE;
    g_object_notify(G_OBJECT(living), name);
    g_object_unref(living);
    return G_SOURCE_REMOVE;
  };
  const auto forget = [](gpointer data) {
    g_weak_ref_clear(&static_cast<Change*>(data)->operation);
    delete static_cast<Change*>(data);
  };
  g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, notify, change, forget);
}

void show_error(gpointer operation) {
  notify_later(operation, has_error_name);
  notify_later(operation, error_name);
}

/// Whether somebody follows the property `error`, as dialogs of GIMP do. The gegl command and
/// scripts do not.
bool error_is_seen(GeglOperation* operation) {
  static const guint notify = g_signal_lookup("notify", G_TYPE_OBJECT);
  return operation->node != nullptr &&
         g_signal_has_handler_pending(operation->node, notify,
                                      g_quark_from_static_string(error_name), FALSE) != FALSE;
}

void prepare(GeglOperation* operation) {
  const Babl* source = gegl_operation_get_source_format(operation, "input");
  const Babl* format = taken_format(source);
  if (source != nullptr && settings_of(operation).set_has_alpha(babl_format_has_alpha(source)) &&
      looks_at_alpha(filter_of(operation)))
    notify_later(operation, has_alpha_name);
  const auto job = job_of(operation);
  if (filter_of(operation).takes_aux())
    gegl_operation_set_format(operation, aux_pad,
                              taken_format(gegl_operation_get_source_format(operation, aux_pad)));
  gegl_operation_set_format(operation, "input", format);
  gegl_operation_set_format(operation, "output",
                            job && job->plan.adds_alpha ? with_alpha(format) : format);
}

/// What the engine takes for the second picture where the image is `image`, and the job with its
/// place: all of it, or, where it has no end, what lies beside the image.
GeglRectangle place_aux(GeglOperation* operation, Job& job, const GeglRectangle& image) {
  GeglRectangle area = area_of_aux(operation).value_or(image);
  if (gegl_rectangle_is_infinite_plane(&area)) {
    const Rect beside = Rect{image.x, image.y, image.width, image.height}.grown(job.plan.aux_halo);
    area = rectangle(beside);
  }
  job.aux->x = area.x - image.x, job.aux->y = area.y - image.y;
  return area;
}

/// The result is as large as the input, wherever a second picture lies.
GeglRectangle get_bounding_box(GeglOperation* operation) {
  const GeglRectangle* input = gegl_operation_source_get_bounding_box(operation, "input");
  return input != nullptr ? *input : GeglRectangle{};
}

GeglRectangle get_required_for_output(GeglOperation* operation, const gchar* pad,
                                      const GeglRectangle* roi) {
  auto job = job_of(operation);
  if (!job || job->plan.identity || gegl_rectangle_is_infinite_plane(roi)) return *roi;
  const GeglRectangle image = image_of(operation, *job, *roi);
  if (std::string_view{pad} != aux_pad) {
    settings_of(operation).set_requested(*roi);
    return needed(*job, image, *roi);
  }
  if (!job->aux) return {};
  const GeglRectangle aux = place_aux(operation, *job, image);
  return in_image(aux, required_aux(*job, {aux.width, aux.height}, part_of(image, *roi)));
}

/// What is computed, and kept, when `roi` is asked for. GIMP asks for tiles: where any needs the
/// whole image, a procedure waits for all of it, or a GPU is there, for which that is no more
/// trouble, all of them are computed at once; else blocks so large that little is computed twice
/// because it surrounds several of them.
GeglRectangle get_cached_region(GeglOperation* operation, const GeglRectangle* roi) {
  const auto job = job_of(operation);
  if (!job || job->plan.identity || gegl_rectangle_is_infinite_plane(roi)) return *roi;
  const GeglRectangle image = image_of(operation, *job, *roi);
  const Size size{image.width, image.height};
  PropertyValues& settings = settings_of(operation);
  if (needs_all(*job) || settings.called() || settings.device(*job, size).gpu >= 0) return image;
  const auto block = [](int halo) { return halo == 0 ? 1 : std::max(128, 4 * halo); };
  const GeglRectangle grid{image.x, image.y, block(job->plan.halo_x), block(job->plan.halo_y)};
  GeglRectangle blocks;
  gegl_rectangle_align(&blocks, roi, &grid, GEGL_RECTANGLE_ALIGNMENT_SUPERSET);
  gegl_rectangle_intersect(&blocks, &blocks, &image);
  return blocks;
}

GeglRectangle get_invalidated_by_change(GeglOperation* operation, const gchar* pad,
                                        const GeglRectangle* changed) {
  const auto job = job_of(operation);
  if (!job || job->plan.identity || gegl_rectangle_is_infinite_plane(changed)) return *changed;
  const GeglRectangle image = image_of(operation, *job, *changed);
  const Rect area{changed->x - image.x, changed->y - image.y, changed->width, changed->height};
  const Size size{image.width, image.height};
  return in_image(image, std::string_view{pad} == aux_pad ? affected_by_aux(*job, size, area)
                                                          : affected_output(*job, size, area));
}

/// Frees what GPUs keep for the next run when there was none for a while: GIMP may stay for days.
void release_memory_later() {
  static std::atomic<guint> runs = 0;
  constexpr guint seconds = 30;
  g_timeout_add_seconds(
      seconds,
      [](gpointer run) -> gboolean {
        if (GPOINTER_TO_UINT(run) == runs) release_idle_memory();
        return G_SOURCE_REMOVE;
      },
      GUINT_TO_POINTER(++runs));
}

/// The pixels of a second picture.
struct AuxSource {
  Selection all;
  InputSource source;

  AuxSource(GeglBuffer* buffer, const PixelFormat& format, const GeglRectangle& area)
      : all{.area = {0, 0, area.width, area.height}, .mask = Buffer{}},
        source{buffer, format, all, area} {}
};

/// Gives a job its second picture, if it has one; no pixels mean that there are none.
void add_aux(GeglOperation* operation, Job& job, GeglBuffer* aux, const GeglRectangle& image) {
  if (!job.aux) return;
  const GeglRectangle area = place_aux(operation, job, image);
  const Babl* format = gegl_operation_get_format(operation, aux_pad);
  const auto pixels = std::make_shared<AuxSource>(aux, pixel_format(format, job.plan.trc), area);
  job.aux->source = {pixels, &pixels->source};
}

/// Runs a job, which is called that, over `roi`. Returns on which device.
std::string compute(GeglOperation* operation, const std::string& name, const Job& job,
                    Source& source, Sink& sink, const GeglRectangle& image,
                    const GeglRectangle& roi) {
  PropertyValues& settings = settings_of(operation);
  RunObserver observer{operation};
  const auto began = std::chrono::steady_clock::now();
  const DeviceChoice device = settings.device(job, source.size());
  // Also after a run that a GPU could not end.
  struct Afterwards {
    bool used_gpu;
    ~Afterwards() {
      if (used_gpu) release_memory_later();
    }
  } const afterwards{device.gpu >= 0};
  const Report report = run(job, source, sink, part_of(image, roi), device, observer);
  settings.ran();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  if (verbose()) {
    const Times& times = report.times;
    std::fprintf(stderr,
                 "cuda-filters: %s on %s: %d × %d of %d × %d pixels in %.3f s: read %.3f s, "
                 "context %.3f s, upload %.3f s, compute %.3f s, download %.3f s, write %.3f s\n",
                 name.c_str(), report.device.c_str(), roi.width, roi.height, image.width,
                 image.height, seconds.count(), times.read, times.context, times.upload,
                 times.compute, times.download, times.write);
  }
  return report.device;
}

/// Computes `roi` of the result. Returns on which device.
std::string compute(GeglOperation* operation, Job job, GeglBuffer* input, GeglBuffer* aux,
                    GeglBuffer* output, const GeglRectangle& roi) {
  const GeglRectangle image = image_of(operation, job, roi);
  add_aux(operation, job, aux, image);
  const Babl* stored = gegl_operation_get_format(operation, "output");
  const PixelFormat& format = pixel_format(stored, job.plan.trc);
  // All of the image counts for statistics, whichever part of the result is asked for.
  const Selection all{.area = {0, 0, image.width, image.height}, .mask = Buffer{}};
  InputSource source{input, format, all, image};
  OutputSink sink{output, format, image};
  return compute(operation, std::string{"cuda:"} + job.filter->info.name, job, source, sink, image,
                 roi);
}

/// Computes all of the result for the plug-in that waits. Throws also if that cannot be told of it:
/// what it has not heard of must not become the picture.
Buffer compute_all(GeglOperation* operation, const Job& job, GeglBuffer* input, GeglBuffer* aux,
                   const GeglRectangle& roi) {
  const GeglRectangle image = image_of(operation, job, roi);
  Buffer result{gegl_buffer_new(&image, gegl_operation_get_format(operation, "output"))};
  const std::string device = compute(operation, job, input, aux, result.get(), image);
  if (!settings_of(operation).tell(Topic::device, device))
    throw Error{
        tr(N_("The plug-in that waited for the result does not hear of it any more. The "
              "pixels are unchanged."))};
  return result;
}

/// To the plug-in that waits, the dialog or the terminal.
void report_failure(GeglOperation* operation, const std::exception& error) {
  PropertyValues& settings = settings_of(operation);
  if (settings.set_failure(error.what())) show_error(operation);
  if (!settings.tell(Topic::failure, error.what()) && !error_is_seen(operation))
    tell_once(std::string{"cuda:"} + filter_of(operation).info.name + ": " + error.what());
}

/// Computes `roi`. What fails leaves the input as it is: no exception may pass through GEGL.
gboolean process_pictures(GeglOperation* operation, GeglBuffer* input, GeglBuffer* aux,
                          GeglBuffer* output, const GeglRectangle* roi, gint) {
  if (input == nullptr) return FALSE;
  PropertyValues& settings = settings_of(operation);
  GeglBuffer* from = input;
  try {
    const auto job = settings.job(aux != nullptr && area_of_aux(operation).has_value());
    if (job && !settings.called()) {
      compute(operation, *job, input, aux, output, *roi);
      if (settings.set_failure({})) show_error(operation);
      return TRUE;
    }
    if (job)
      if (GeglBuffer* result =
              settings.result([&] { return compute_all(operation, *job, input, aux, *roi); }))
        from = result;
  } catch (const Cancelled&) {  // nobody is there to be told
  } catch (const std::exception& error) {
    report_failure(operation, error);
  }
  gegl_buffer_copy(from, roi, GEGL_ABYSS_NONE, output, roi);
  return TRUE;
}

gboolean process_picture(GeglOperation* operation, GeglBuffer* input, GeglBuffer* output,
                         const GeglRectangle* roi, gint level) {
  return process_pictures(operation, input, nullptr, output, roi, level);
}

/// Computes `roi` of what becomes of `input` by all of the neighbors.
void compute_as_one(const Neighbors& neighbors, GeglBuffer* input, GeglBuffer* output,
                    const GeglRectangle& roi) {
  GeglOperation* last = neighbors.back().operation();
  const GeglRectangle image = *gegl_operation_source_get_bounding_box(last, "input");
  const PixelFormat& format = pixel_format(gegl_operation_get_format(last, "output"), Trc::native);
  std::vector<Job> steps;
  for (const Neighbor& each : neighbors) steps.push_back(each.job());
  const Selection all{.area = {0, 0, image.width, image.height}, .mask = Buffer{}};
  NeighborsSource source{input, format, all, image};
  OutputSink sink{output, format, image};
  compute(last, names_of(neighbors) + " as one", rounding_chain(std::move(steps)), source, sink,
          image, roi);
  for (const Neighbor& each : neighbors) {
    settings_of(each.operation()).ran();
    if (settings_of(each.operation()).set_failure({})) show_error(each.operation());
  }
}

/// The same, each by itself.
void compute_one_by_one(const Neighbors& neighbors, GeglBuffer* input, GeglBuffer* output,
                        const GeglRectangle& roi) {
  std::vector<GeglRectangle> areas{roi};
  for (std::size_t i = neighbors.size(); i-- > 1;) {
    const Job& job = neighbors[i].job();
    areas.push_back(needed(job, image_of(neighbors[i].operation(), job, roi), areas.back()));
  }
  Buffer before;
  for (std::size_t i = 0; i < neighbors.size(); ++i) {
    GeglOperation* operation = neighbors[i].operation();
    const GeglRectangle& area = areas[neighbors.size() - 1 - i];
    const bool last = i + 1 == neighbors.size();
    Buffer after{last ? nullptr
                      : gegl_buffer_new(&area, gegl_operation_get_format(operation, "output"))};
    process_pictures(operation, i == 0 ? input : before.get(), nullptr, last ? output : after.get(),
                     &area, 0);
    before = std::move(after);
  }
}

/// Computes `roi` of what becomes of `input` by all of the neighbors. What fails as one is done by
/// one after the other, which say what is wrong.
void process_neighbors(const Neighbors& neighbors, GeglBuffer* input, GeglBuffer* output,
                       const GeglRectangle& roi) {
  try {
    if (neighbors.size() > 1) return compute_as_one(neighbors, input, output, roi);
  } catch (const std::exception&) {
  }
  compute_one_by_one(neighbors, input, output, roi);
}

/// Computes, unless there is nothing to compute or the next operation does it. True if the input is
/// to be handed on. `neighbors`: those before, whose input that is.
bool hands_on(GeglOperation* operation, GeglOperationContext* context, const GeglRectangle& roi,
              int level, GeglBuffer* input, Neighbors& neighbors, gboolean& success) {
  PropertyValues& settings = settings_of(operation);
  const auto job = settings.job(area_of_aux(operation).has_value());
  if (!error_is_seen(operation)) settings.tell_problem();
  if (job && !job->plan.identity) {
    if (level == 0 && leave_to_next(neighbors, operation, context, roi)) return true;
    if (neighbors.empty()) {
      success = parent_class(operation)->process(operation, context, "output", &roi, level);
      return false;
    }
    neighbors.emplace_back(operation, *job);
  }
  if (neighbors.empty()) return true;
  process_neighbors(neighbors, input, gegl_operation_context_get_target(context, "output"), roi);
  return false;
}

gboolean process(GeglOperation* operation, GeglOperationContext* context, const gchar*,
                 const GeglRectangle* roi, gint level) {
  Neighbors neighbors = take_neighbors(context);
  GObject* input = gegl_operation_context_get_object(context, "input");
  if (input == nullptr) return FALSE;
  gboolean success = TRUE;
  try {
    if (!hands_on(operation, context, *roi, level, GEGL_BUFFER(input), neighbors, success))
      return success;
  } catch (const std::exception& error) {  // such as std::bad_alloc
    report_failure(operation, error);
  }
  gegl_operation_context_take_object(context, "output", G_OBJECT(g_object_ref(input)));
  return TRUE;
}

/// What is wrong, for GIMP's dialogs: in lines as wide as these, which show but the first line of
/// what they have to wrap.
std::string error_text(gpointer operation) {
  std::string sentence = with_labels(settings_of(operation).error(), filter_of(operation));
  constexpr std::size_t width = 40;
  for (std::size_t begin = 0; sentence.size() - begin > width;) {
    std::size_t blank = sentence.rfind(' ', begin + width);
    if (blank == std::string::npos || blank < begin) blank = sentence.find(' ', begin + width);
    if (blank == std::string::npos) break;
    sentence[blank] = '\n';
    begin = blank + 1;
  }
  return sentence;
}

void set_property(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  const auto params = filter_of(object).params;
  PropertyValues& settings = settings_of(object);
  if (id <= params.size()) {
    if (settings.set_value(id - 1, value_of(params[id - 1], value))) show_error(object);
    return;
  }
  // What is kept of another run says nothing of this one.
  GValue now = G_VALUE_INIT;
  g_value_init(&now, spec->value_type);
  g_object_get_property(object, spec->name, &now);
  if (g_param_values_cmp(spec, value, &now) != 0) notify_later(object, spec->name);
  g_value_unset(&now);
}

void get_property(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  const auto params = filter_of(object).params;
  const PropertyValues& settings = settings_of(object);
  const std::string_view name = spec->name;
  if (id <= params.size())
    set_value(value, params[id - 1], settings.value(id - 1));
  else if (name == error_name)
    g_value_set_string(value, error_text(object).c_str());
  else
    g_value_set_boolean(value,
                        name == has_error_name ? !settings.error().empty() : settings.has_alpha());
}

void finalize(GObject* object) {
  GObjectClass* const parent = G_OBJECT_CLASS(parent_class(object));
  delete reinterpret_cast<Operation*>(object)->settings;
  parent->finalize(object);
}

void class_init(gpointer type, gpointer data) {
  const auto& filter = *static_cast<const FilterEntry*>(data);
  reinterpret_cast<OperationClass*>(type)->filter = &filter;

  GObjectClass* object = G_OBJECT_CLASS(type);
  object->set_property = set_property;
  object->get_property = get_property;
  object->finalize = finalize;
  guint id = 0;
  for (const Param& param : filter.params)
    g_object_class_install_property(object, ++id, property_of(filter, param));
  g_object_class_install_property(object, ++id, error_property());
  g_object_class_install_property(object, ++id, has_error_property());
  if (looks_at_alpha(filter)) g_object_class_install_property(object, ++id, has_alpha_property());

  GeglOperationClass* operation = GEGL_OPERATION_CLASS(type);
  operation->threaded = FALSE;  // the engine has threads of its own
  operation->prepare = prepare;
  operation->process = process;
  operation->get_bounding_box = get_bounding_box;
  operation->get_required_for_output = get_required_for_output;
  operation->get_cached_region = get_cached_region;
  operation->get_invalidated_by_change = get_invalidated_by_change;
  if (filter.takes_aux())
    GEGL_OPERATION_COMPOSER_CLASS(type)->process = process_pictures;
  else
    GEGL_OPERATION_FILTER_CLASS(type)->process = process_picture;

  const FilterInfo& info = filter.info;
  const std::string name = std::string{"cuda:"} + info.name;
  const std::string title = display_name(info);
  const CategoryNames& names = names_of(info.category);
  const std::string menu = shown_path(names.path);
  // No license: GEGL knows only some, and hides operations of others.
  gegl_operation_class_set_keys(operation, "name", name.c_str(), "title", title.c_str(),
                                "description", _(info.blurb), "categories", names.word,
                                "gimp:menu-path", menu.c_str(), "gimp:menu-label", _(info.label),
                                nullptr);
  if (make_job(filter, initial_values(filter)).plan.adds_alpha)
    gegl_operation_class_set_key(operation, "needs-alpha", "true");  // GIMP adds it to the layer
}

void instance_init(GTypeInstance* instance, gpointer type) {
  reinterpret_cast<Operation*>(instance)->settings =
      new PropertyValues{*static_cast<OperationClass*>(type)->filter};
}

}  // namespace

void register_operation(GTypeModule* module, const FilterEntry& filter) {
  const std::string name = std::string{"cuda-operation-"} + filter.info.name;
  const GTypeInfo info{sizeof(OperationClass), nullptr, nullptr,       class_init, nullptr, &filter,
                       sizeof(Operation),      0,       instance_init, nullptr};
  add_type(g_type_module_register_type(module, parent_type(filter), name.c_str(), &info,
                                       static_cast<GTypeFlags>(0)));
}

}  // namespace cuda_filters::plugin
