// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/run.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <new>
#include <utility>

#include "gpu/core/devices.hpp"
#include "gpu/core/estimate.hpp"
#include "gpu/core/i18n.hpp"
#include "plugin/names.hpp"
#include "plugin/new_image.hpp"
#include "plugin/plugin_socket.hpp"
#include "plugin/progress.hpp"
#include "plugin/resize.hpp"
#include "plugin/second_picture.hpp"
#include "plugin/store.hpp"
#include "plugin/verbose.hpp"

namespace cuda_filters::plugin {
namespace {

using Clock = std::chrono::steady_clock;
const Clock::time_point start_of_process = Clock::now();

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The format in which a run reads and writes a drawable: with alpha if it will have that.
const Babl* format_in_run(const Drawable& drawable, const Plan& plan) {
  return plan.adds_alpha ? with_alpha(drawable.format()) : drawable.format();
}

[[noreturn]] void throw_refusal(const Drawable& drawable, const std::string& reason) {
  throw Error{format_text(tr(N_("GIMP did not take the result for '%s': %s")),
                          drawable.name().c_str(), reason.c_str())};
}

/// The shadow of a drawable as a sink, which sends the last tiles when it goes.
class ShadowSink final : public Sink {
 public:
  ShadowSink(Drawable& drawable, const PixelFormat& format)
      : shadow_{drawable.shadow_buffer()}, sink_{shadow_.get(), format} {}
  void write(Rect area, const Encoding& encoding, const std::byte* from,
             std::size_t stride) override {
    sink_.write(area, encoding, from, stride);
  }

 private:
  Buffer shadow_;
  BufferSink sink_;
};

/// What was computed for several drawables: in their shadows, or, for a layer that lacks the alpha
/// channel of its result, in a store of our own. What was not merged is given up.
class Results {
 public:
  /// `checked`: what a store held is read once more when GIMP has it.
  Results(Host& host, bool checked) : host_{host}, checked_{checked} {}
  Results(const Results&) = delete;
  ~Results() { give_up(); }
  bool empty() const { return computed_.empty(); }

  /// Where to write the result for a drawable, which will have the format `stored`.
  std::unique_ptr<Sink> add(Drawable& drawable, Rect area, const Babl* stored,
                            const PixelFormat& format) {
    Result& result = computed_.emplace_back();
    result.drawable = &drawable, result.area = area;
    if (stored == drawable.format()) return std::make_unique<ShadowSink>(drawable, format);
    result.store = ResultStore{area, stored};
    return std::make_unique<ResultStoreSink>(result.store, format);
  }

  /// Makes the results the pictures. If GIMP takes one of them no more, the layers whose result it
  /// has not taken are as they were.
  void merge() {
    const UndoGroup group{host_};
    try {
      for (Result& result : computed_)
        if (!result.store.empty()) add_alpha(result);
      for (; !computed_.empty(); computed_.pop_front()) {
        const Result& result = computed_.front();
        if (!result.drawable->merge_shadow(result.area)) fail(result);
        // Not left to when GIMP tidies up after this process: the next one may have a shadow then.
        result.drawable->free_shadow();
      }
    } catch (...) {
      give_up();
      throw;
    }
  }

 private:
  struct Result {
    Drawable* drawable;
    Rect area;
    ResultStore store;
    bool alpha_added = false;
  };

  void add_alpha(Result& result) {
    Drawable& drawable = *result.drawable;
    if (!drawable.add_alpha()) fail(result);
    result.alpha_added = true;
    result.store.copy_to(drawable.shadow_buffer().get());
    if (checked_ && !result.store.is_in(drawable.shadow_buffer().get()))
      throw Error{sentence_about_loss(drawable.name())};
    result.store = ResultStore{};
  }

  [[noreturn]] void fail(const Result& result) {
    throw_refusal(*result.drawable, host_.last_error());
  }

  void give_up() {
    for (const Result& result : computed_) {
      result.drawable->free_shadow();
      if (result.alpha_added) result.drawable->remove_alpha();
    }
    computed_.clear();
  }

  Host& host_;
  bool checked_;
  std::deque<Result> computed_;
};

/// Throws ArgumentError if a run is about an alpha channel that the drawable cannot have or change.
void check_alpha(const Plan& plan, const Drawable& drawable) {
  if (!plan.adds_alpha) return;
  const std::string name = drawable.name();
  if (!drawable.is_layer())
    throw ArgumentError{format_text(
        tr(N_("'%s' is a mask or a channel and has no transparency. Choose a layer instead.")),
        name.c_str())};
  if (drawable.is_alpha_locked())
    throw ArgumentError{format_text(tr(N_("The alpha channel of '%s' is locked. Unlock it in the "
                                          "layers dialog first.")),
                                    name.c_str())};
}

/// Throws ArgumentError if a filter needs a selection and there is none in a drawable.
void check_selection(const FilterEntry& filter, const Drawable& drawable) {
  if (!filter.needs_selection()) return;
  const Selection selection = drawable.selection();
  if (selection.mask.get() == nullptr)
    throw ArgumentError{
        tr(N_("Nothing is selected. Select what is to be replaced, with a little around it."))};
  if (selection.area.empty())
    throw ArgumentError{
        format_text(tr(N_("Nothing of '%s' is selected. Select what is to be replaced in it.")),
                    drawable.name().c_str())};
}

/// The name of what a run goes to.
std::string name_of(const DeviceChoice& choice) {
  if (choice.gpu < 0) return tr(N_("Processor"));
  for (const GpuDescription& gpu : describe_devices().gpus)
    if (gpu.index == choice.gpu)
      return choice.others.empty()
                 ? gpu.name
                 : format_text("%zu × %s", choice.others.size() + 1, gpu.name.c_str());
  return format_text("GPU %d", choice.gpu);
}

/// Where a run goes, and why.
std::string sentence_about(const DeviceChoice& choice) {
  if (choice.gpu < 0)
    return format_text(tr(N_("Runs on the processor: %s")), choice.reason.c_str());
  return format_text(tr(N_("Runs on %s: %s")), name_of(choice).c_str(), choice.reason.c_str());
}

/// Whether the environment asks for every call to move the pixels, and to compute in its process.
bool wire_is_wanted() {
  const char* wish = std::getenv("CUDA_FILTERS_WIRE");
  return wish != nullptr && std::string{wish} == "1";
}

/// Whether an operation inside of GIMP finds what a run here finds. Around a selection GIMP gives
/// it nothing, and statistics are not about what is selected then; a second picture it has at the
/// first one's place.
bool finds_the_same(const Job& job, const Drawable& drawable, const Selection& selection) {
  if (has_second_picture(job)) return false;
  if (selection.mask.get() == nullptr) return true;
  if (needs_all(job)) return false;
  const bool alone = job.plan.halo_x == 0 && job.plan.halo_y == 0;
  return alone || selection.area.size() == drawable.size();
}

/// Whether a run takes so long that users want to see how far it is, to cancel it, or to do
/// something else in GIMP meanwhile; then moving the pixels is a small part of it.
bool takes_long(const Job& job, const DeviceChoice& device, double pixels) {
  return expected_seconds(job, pixels, device) > 2.0;
}

/// Lets GIMP do the job in its own process, with the same bits. False, with the pixels as they
/// were, if it cannot, should not or fails; GIMP may then have an undo step nevertheless, and
/// `group` is one step of that and what is done instead. Throws Error.
bool apply_inside(const Job& job, Drawable& drawable, const Selection& selection,
                  const DeviceChoice& device, Host& host, std::optional<UndoGroup>& group) {
  const Rect area = selection.area;
  if (wire_is_wanted() || area.empty() || !job.filter->is_operation() ||
      !finds_the_same(job, drawable, selection) || takes_long(job, device, area.size().pixels()))
    return false;
  const double startup = seconds_since(start_of_process);
  PluginSocket plugin_socket;
  const auto operation = plugin_socket.is_open() ? drawable.operation(job) : nullptr;
  if (operation == nullptr || !plugin_socket.claim()) return false;
  // What GIMP's process has lost may still be there for this one.
  if (device.gpu >= 0 && !plugin_socket.lost_gpus().empty()) return false;

  const auto merging_began = Clock::now();
  host.begin_progress(display_name(job.filter->info).c_str());
  const bool adds_alpha = format_in_run(drawable, job.plan) != drawable.format();
  group.emplace(host);
  if (adds_alpha && !drawable.add_alpha()) throw_refusal(drawable, host.last_error());
  std::optional<std::string> computed_on, failure = operation->merge();
  while (const auto message = plugin_socket.take()) {
    if (message->topic == Topic::device) computed_on = message->text;
    if (message->topic == Topic::note) host.show_message(message->text);
    if (message->topic == Topic::failure) failure = message->text;
  }
  // An operation that could not say that it has the result handed the pixels on as they were.
  if (!computed_on && !failure) failure = "no result was reported";
  if (failure && adds_alpha) drawable.remove_alpha();
  if (failure && computed_on) throw_refusal(drawable, *failure);  // it would refuse that once more
  if (failure) {
    if (verbose())
      std::fprintf(stderr, "cuda-filters: %s inside GIMP failed, so the pixels are moved: %s\n",
                   job.filter->info.name, failure->c_str());
    return false;
  }
  if (verbose())
    std::fprintf(stderr, "cuda-filters: %s on %s inside GIMP: start %.3f s, merge %.3f s\n",
                 job.filter->info.name, computed_on->c_str(), startup,
                 seconds_since(merging_began));
  return true;
}

}  // namespace

std::string sentence_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return tr(N_("There is not enough memory. Close other images or programs."));
  return error.what();
}

const FilterEntry* filter_of_procedure(const std::string& procedure) {
  const std::string prefix = procedure_prefix;
  return procedure.starts_with(prefix) ? find_filter(procedure.substr(prefix.size())) : nullptr;
}

std::string procedure_of(const FilterEntry& filter) {
  return std::string{procedure_prefix} + filter.info.name;
}

std::string obstacle_sentence(const Drawable& drawable) {
  const std::string name = drawable.name();
  switch (drawable.obstacle()) {
    case Drawable::Obstacle::group:
      return format_text(tr(N_("'%s' is a layer group and has no pixels of its own. Choose a "
                               "layer in it instead.")),
                         name.c_str());
    case Drawable::Obstacle::locked:
      return format_text(tr(N_("The pixels of '%s' are locked. Unlock them in the layers dialog "
                               "first.")),
                         drawable.locked_by().value_or(name).c_str());
    case Drawable::Obstacle::indexed:
      return format_text(tr(N_("'%s' belongs to an image with indexed colors. Convert the image "
                               "to RGB first (Image ▸ Mode ▸ RGB).")),
                         name.c_str());
    case Drawable::Obstacle::none:
      break;
  }
  return {};
}

void check_drawables(const FilterEntry& filter,
                     std::span<const std::unique_ptr<Drawable>> drawables) {
  if (drawables.empty())
    throw ArgumentError{tr(N_("No drawable was given. Choose a layer, mask or channel first."))};
  if (filter.creates_image()) {
    if (drawables.size() > 1)
      throw ArgumentError{tr(N_("A new image is made of one layer. Choose a single one."))};
    if (drawables.front()->obstacle() != Drawable::Obstacle::indexed) return;
  }
  for (const auto& drawable : drawables) {
    if (filter.changes_size() && drawable->obstacle() == Drawable::Obstacle::group) continue;
    if (const std::string sentence = obstacle_sentence(*drawable); !sentence.empty())
      throw ArgumentError{sentence};
  }
}

void throw_foreign(const Drawable& drawable) {
  throw ArgumentError{format_text(
      tr(N_("'%s' belongs to another image than the one that was given. Give the image that it "
            "belongs to.")),
      drawable.name().c_str())};
}

Job make_job(const FilterEntry& filter, const Values& values, const Drawable* aux) {
  return cuda_filters::make_job(
      filter, values, aux != nullptr ? std::optional{Aux{.layer = aux->name()}} : std::nullopt);
}

namespace {

/// What is selected of each drawable, and how much that is.
struct SelectedAreas {
  std::vector<Selection> of;
  double pixels = 0.0, bytes = 0.0;
};

SelectedAreas selected_areas(const Job& job, std::span<const std::unique_ptr<Drawable>> drawables) {
  SelectedAreas selected;
  for (const auto& drawable : drawables) {
    selected.of.push_back(drawable->selection());
    const double here = selected.of.back().area.size().pixels();
    selected.pixels += here;
    selected.bytes += here * babl_format_get_bytes_per_pixel(format_in_run(*drawable, job.plan));
  }
  return selected;
}

/// Computes what is selected of each drawable into `results`, which change no drawable yet.
Report compute_results(const Job& job, std::span<const std::unique_ptr<Drawable>> drawables,
                       std::span<const Selection> selections, Drawable* aux,
                       const DeviceChoice& device, Results& results, Host& host) {
  Progress progress{host, drawables.size(), display_name(job.filter->info)};
  Report report;
  for (std::size_t i = 0; i < drawables.size(); ++i) {
    const auto& drawable = drawables[i];
    const Selection& selection = selections[i];
    const Rect area = selection.area;
    if (!area.empty()) {
      const Babl* stored = format_in_run(*drawable, job.plan);
      const PixelFormat format{stored, job.plan.trc};
      Buffer from = drawable->buffer();
      std::unique_ptr<Sink> sink = results.add(*drawable, area, stored, format);
      BufferSource source{from.get(), format, selection};
      const Report of_this =
          run(with_second_pictures(job, *drawable, aux), source, *sink, area, device, progress);
      report.device = of_this.device, report.times += of_this.times;
      const auto sending_began = Clock::now();
      sink.reset(), from = Buffer{};  // the last tiles are sent now
      report.times.write += seconds_since(sending_began);
    }
    ++progress.done;
  }
  return report;
}

/// Tells what a run took, in seconds: `waiting` for the worker, and `merging` the results.
void print_times(const Job& job, const DeviceChoice& device, const Report& report, double startup,
                 double waiting, double merging) {
  const char* const name = job.filter->info.name;
  const Times& times = report.times;
  std::fprintf(stderr,
               "cuda-filters: %s: %s\n"
               "cuda-filters: %s on %s: start %.3f s, read %.3f s, context %.3f s, "
               "upload %.3f s, compute %.3f s, download %.3f s, wait %.3f s, write %.3f s, "
               "merge %.3f s\n",
               name, sentence_about(device).c_str(), name, report.device.c_str(), startup,
               times.read, times.context, times.upload, times.compute, times.download, waiting,
               times.write, merging);
}

}  // namespace

NewImageResult apply(const Job& job, std::span<const std::unique_ptr<Drawable>> drawables,
                     Drawable* aux, Host& host) {
  const auto check = [&] {
    check_drawables(*job.filter, drawables);
    check_second_pictures(job, drawables, aux);
    for (const auto& drawable : drawables)
      check_alpha(job.plan, *drawable), check_selection(*job.filter, *drawable);
  };
  check();
  if (job.filter->creates_image()) {
    const std::optional<Job> next = next_job(job);
    NewImageResult result = create_image(job, *drawables.front(), host);
    if (next) apply(*next, result.image->layers(), nullptr, result.image->host());
    return result;
  }
  if (job.filter->changes_size()) {
    resize(job, drawables, host);
    return {};
  }
  if (job.plan.identity) return {};
  const SelectedAreas selected = selected_areas(job, drawables);
  const bool checked = check_swap(host, selected.bytes, drawables.front()->format());
  const DeviceChoice device = choose_device(job, selected.pixels);
  std::optional<UndoGroup> group;
  // Of several drawables none may change before all results are there.
  if (drawables.size() == 1 &&
      apply_inside(job, *drawables.front(), selected.of.front(), device, host, group))
    return {};
  const double startup = seconds_since(start_of_process);
  host.begin_progress(display_name(job.filter->info).c_str());

  KeepCpuAwake::begin_run();
  // First every result, and only when all of them are right the pictures.
  const ScopedTileCache tile_cache;
  Results results{host, checked};
  const auto computing_began = Clock::now();
  const Report report = compute_results(job, drawables, selected.of, aux, device, results, host);
  if (results.empty()) return {};
  check();  // once more: who waits for a long run may lock a layer meanwhile
  const double waiting = seconds_since(computing_began) - report.times.read - report.times.write;

  const auto merging_began = Clock::now();
  results.merge();
  if (verbose()) print_times(job, device, report, startup, waiting, seconds_since(merging_began));
  return {};
}

Size input_size(const Plan& plan, const Drawable& drawable) {
  return plan.whole_image ? drawable.canvas() : drawable.size();
}

std::optional<Job> try_job(const FilterEntry& filter, const Values& values,
                           const Drawable& drawable, Drawable* aux, JobStatus& status) {
  status.error.clear(), status.summary.clear();
  try {
    Job made = with_second_pictures(make_job(filter, values, aux), drawable, aux);
    check_alpha(made.plan, drawable);
    check_selection(filter, drawable);
    const Size size = input_size(made.plan, drawable);
    const ResolvedJob job = resolved(std::move(made), size);
    // Without a GPU, the status does not tell how long a GPU would take.
    const DeviceChoice best = choose_device();
    const double pixels =
        filter.needs_selection() ? drawable.selection().area.size().pixels() : size.pixels();
    const DeviceChoice device = best.gpu < 0 ? best : choose_device(job, pixels);
    status.device = name_of(device), status.reason = sentence_about(device);
    status.summary = filter.summary(job.params.get());
    if (filter.changes_size())
      check_room(job.output.pixels() * babl_format_get_bytes_per_pixel(drawable.format()));
    return job;
  } catch (const ArgumentError& error) {
    status.error = with_labels(error.what(), filter);
    return std::nullopt;
  }
}

void prepare_start() {
  g_setenv("GEGL_PATH", "/dev/null", TRUE);
  g_setenv("BABL_PATH_LENGTH", "1", TRUE);
  g_setenv("BABL_INHIBIT_CACHE", "1", TRUE);
  // GIMP is the parent. It may be gone before a long computation asks it for anything again.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

}  // namespace cuda_filters::plugin
