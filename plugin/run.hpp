// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/core/engine.hpp"
#include "gpu/core/estimate.hpp"
#include "gpu/core/measure.hpp"
#include "plugin/buffer.hpp"

namespace cuda_filters::plugin {

/// The prefix of every procedure's name.
inline constexpr const char* procedure_prefix = "plug-in-cuda-";
inline constexpr const char* info_procedure = "plug-in-cuda-info";
inline constexpr const char* manual_procedure = "plug-in-cuda-manual";
inline constexpr const char* statistics_procedure = "plug-in-cuda-statistics";

/// The texts of a procedure that users and the procedure browsers see.
struct ProcedureTexts {
  const char *label, *title, *blurb, *help;
  Category category;
};
inline constexpr ProcedureTexts statistics_texts{
    .label = N_("CUDA Statisti_cs…"),
    .title = N_("Statistics"),
    .blurb = N_("Measure the least, the largest, the mean and the middle value of each channel"),
    .help = N_("Of the selected pixels that are not fully transparent, this gives for each channel "
               "(red, green, blue, alpha, or gray, alpha) the least and the largest number, the "
               "mean, the standard deviation, the median (of an even number of pixels the mean of "
               "the two in the middle), and how many pixels there are. The numbers are those of "
               "the layer as it is stored, from 0 to 1; what is not finite is left out."),
    .category = Category::colors};

/// One of its results: a number for each channel.
struct StatisticsResult {
  const char* name;   ///< as scripts know it
  const char* label;  ///< for people
  double ChannelMeasures::*value;
};
inline constexpr std::array statistics_results{
    StatisticsResult{"min", N_("Minimum"), &ChannelMeasures::min},
    StatisticsResult{"max", N_("Maximum"), &ChannelMeasures::max},
    StatisticsResult{"mean", N_("Mean"), &ChannelMeasures::mean},
    StatisticsResult{"std-dev", N_("Standard deviation"), &ChannelMeasures::standard_deviation},
    StatisticsResult{"median", N_("Median"), &ChannelMeasures::median},
};
inline constexpr const char* count_label = N_("Pixels");

inline constexpr ProcedureTexts manual_texts{
    .label = N_("CUDA _Manual"),
    .title = N_("Manual"),
    .blurb = N_("Show the manual of the CUDA filters"),
    .help =
        N_("The manual, or the page of one filter, opens in the browser that GIMP's preferences "
           "name for help."),
    .category = Category::generic};

/// Its argument.
inline constexpr const char* page_name = "page";
inline constexpr const char* page_label = N_("Page");
inline constexpr const char* page_blurb =
    N_("The name of a filter, such as median-blur, or nothing for all of the manual");

struct Layer;

/// An operation of GEGL that is ready to change a drawable inside of GIMP.
class InGimpOperation {
 public:
  virtual ~InGimpOperation() = default;
  /// Makes its result the drawable's pixels, inside of the selection. Returns GIMP's reason if it
  /// refuses.
  virtual std::optional<std::string> merge() = 0;
};

/// Something about red, green, blue and alpha.
using Channels = std::array<bool, 4>;

/// A layer, mask or channel, as one version of GIMP shows it.
class Drawable {
 public:
  enum class Obstacle { none, group, locked, indexed };

  virtual ~Drawable() = default;
  virtual std::string name() const = 0;
  /// Why a filter cannot change it.
  virtual Obstacle obstacle() const = 0;
  /// The name of what locks its pixels: of itself, its layer or a group around that.
  virtual std::optional<std::string> locked_by() const = 0;
  /// Layers have alpha channels, or can get them; masks and channels cannot.
  virtual bool is_layer() const = 0;
  virtual bool is_alpha_locked() const = 0;
  /// Which channels GIMP leaves as they are when something is merged: those that are not active,
  /// and alpha where it is locked.
  virtual Channels locked_channels() const = 0;
  /// Gives a layer an opaque alpha channel; false if GIMP refuses.
  virtual bool add_alpha() = 0;
  /// Takes it away again.
  virtual void remove_alpha() = 0;
  virtual const Babl* format() const = 0;
  virtual Selection selection() const = 0;
  virtual Buffer buffer() = 0;
  virtual Buffer shadow_buffer() = 0;
  /// Makes the shadow the drawable's pixels, inside of the selection; false if GIMP refuses.
  virtual bool merge_shadow(Rect area) = 0;
  virtual void free_shadow() = 0;
  /// The operation that does the job on it without moving pixels to the plug-in; null if this GIMP
  /// has none, or would not give it just what buffer() gives.
  virtual std::unique_ptr<InGimpOperation> operation(const Job& /*job*/) { return nullptr; }

  /// The number by which GIMP knows it.
  virtual int id() const = 0;
  bool same_as(const Drawable& other) const { return id() == other.id(); }
  virtual bool is_in_image_of(const Drawable& other) const = 0;
  /// The first layer of that name in its image, or null.
  virtual std::unique_ptr<Drawable> layer_named(const std::string& name) const = 0;
  virtual Size size() const = 0;
  /// Where it lies in its image.
  virtual Rect placement() const = 0;
  /// The size of the image that it belongs to.
  virtual Size canvas() const = 0;
  /// The layer that it is, or whose mask it is; nothing for a channel.
  virtual std::optional<Layer> layer() = 0;
  /// Scales the layer that it is around its center, with its mask and whatever pixels that gives.
  /// Returns GIMP's reason if it refuses.
  virtual std::optional<std::string> scale_layer(Size size) = 0;
  /// Tells GIMP that pixels were written to buffer().
  virtual void update(Rect area) = 0;
};

/// A layer with its mask, if it has one, and for a group what is in it.
struct Layer {
  std::unique_ptr<Drawable> drawable, mask;
  Rect area;                            ///< in pixels of the image
  bool group;                           ///< perhaps an empty one
  std::optional<std::string> fixed_by;  ///< what locks its position: itself or a group around it
  std::vector<Layer> children;
};

class Host;

/// An RGB image that a filter makes, with one layer; it goes with this object unless it is kept.
class NewImage {
 public:
  virtual ~NewImage() = default;
  Drawable& layer() { return *layers_.front(); }
  std::span<const std::unique_ptr<Drawable>> layers() const { return layers_; }
  /// GIMP, for runs on the layer.
  virtual Host& host() = 0;

 protected:
  explicit NewImage(std::unique_ptr<Drawable> layer) { layers_.push_back(std::move(layer)); }

 private:
  std::vector<std::unique_ptr<Drawable>> layers_;
};

/// What a filter that makes a new image gives; nothing for others.
struct NewImageResult {
  std::unique_ptr<NewImage> image;
  std::vector<double> output_values;
};

/// GIMP, as far as a run needs it.
class Host {
 public:
  virtual ~Host() = default;
  virtual void begin_undo_group() = 0;
  virtual void end_undo_group() = 0;
  virtual Size canvas() = 0;
  virtual std::vector<Layer> layers() = 0;
  /// The channels, and the selection if there is one.
  virtual std::vector<std::unique_ptr<Drawable>> channels() = 0;
  /// Scales the image with everything in it, with whatever pixels that gives. Returns GIMP's reason
  /// if it refuses.
  virtual std::optional<std::string> scale_image(Size size) = 0;
  /// An image of that size, with the precision, the resolution and, if it has colors, the profile
  /// of this one, and no undo steps; null if GIMP refuses.
  virtual std::unique_ptr<NewImage> new_image(Size size, const std::string& layer_name) = 0;
  virtual void begin_progress(const char* text) = 0;
  virtual void update_progress(double fraction) = 0;
  /// Changes what begin_progress() has said, and leaves the bar where it is.
  virtual void set_progress_text(const char* text) = 0;
  virtual void end_progress() = 0;
  virtual void show_message(const std::string& sentence) = 0;
  /// What GIMP says of the last call that failed.
  virtual std::string last_error() = 0;
};

/// What GIMP shows behind transparent pixels: squares of two colors, R'G'B'.
struct Checks {
  int size;  ///< in pixels, a power of 2
  unsigned char colors[2][3];
};

/// What an exception says to the user.
std::string sentence_of(const std::exception& error);

/// The registry row of a procedure, or nullptr.
const FilterEntry* filter_of_procedure(const std::string& procedure);
std::string procedure_of(const FilterEntry& filter);

/// Why a filter cannot change a drawable, and what to do about it; empty if it can.
std::string obstacle_sentence(const Drawable& drawable);

/// Throws ArgumentError, with what to do about it, unless the filter can change every drawable, or
/// make its new image of the only one. One that changes the size takes groups, too.
void check_drawables(const FilterEntry& filter,
                     std::span<const std::unique_ptr<Drawable>> drawables);

/// Throws ArgumentError, with what to do about it: a drawable is in another image than was given.
[[noreturn]] void throw_foreign(const Drawable& drawable);

/// As make_job() of the engine, with `aux` for the second picture if that is not null.
Job make_job(const FilterEntry& filter, const Values& values, const Drawable* aux);

/// Applies a filter, whose second picture is `aux` if it looks at one, to drawables in one undo
/// step: all of them, or none if anything fails. Throws Error.
NewImageResult apply(const Job& job, std::span<const std::unique_ptr<Drawable>> drawables,
                     Drawable* aux, Host& host);

/// The size of what a job with that plan changes: of the drawable or of the whole image.
Size input_size(const Plan& plan, const Drawable& drawable);

/// What a dialog tells of the values that it shows.
struct JobStatus {
  std::string device{};   ///< where it will run
  std::string reason{};   ///< a sentence: why there
  std::string summary{};  ///< what follows from the values; empty if the filter tells nothing
  std::string error{};    ///< a sentence: why the values give no result; empty if they do
};

/// As make_job() for a drawable, with the pixels of its second picture, or nothing; `status` is
/// what the dialog shows then.
std::optional<Job> try_job(const FilterEntry& filter, const Values& values,
                           const Drawable& drawable, Drawable* aux, JobStatus& status);

/// Whether a preview can show what the filter does: a scaled picture would look like the picture.
inline bool has_preview(const FilterEntry& filter) { return !filter.changes_size(); }

/// What plug-in-cuda-statistics finds in what is selected of the one drawable. Throws Error, with
/// what to do about it, if there is nothing to measure.
Measured statistics(std::span<const std::unique_ptr<Drawable>> drawables, Host& host);
/// Rows of cells.
using StatisticsTable = std::vector<std::vector<std::string>>;
/// The results of statistics() for people: a row for each, below the names of the channels, and one
/// more for how many pixels there are. Numbers have a point, whatever the language.
StatisticsTable statistics_table(const Measured& measured);

/// What plug-in-cuda-info tells. `lost_in_gimp`: why operations in GIMP's own process can use GPUs
/// no more.
std::vector<DescriptionLine> info(const std::vector<std::string>& lost_in_gimp = {});
/// The same for scripts: `key: value`, one a line.
std::string info_text(const std::vector<DescriptionLine>& lines);

/// Lets this process end with GIMP, however that ends, and sets what GEGL and babl look at when
/// they start in it; to be called first in main(). GEGL loads no operations, which no buffer needs:
/// that saves 0.03 to 0.1 s. babl tries chains of conversions only where no single one is exact
/// enough, which saves 0.025 s in gegl_init() alone, and looks at none that GIMP 2.10 kept of
/// earlier runs, which saves 0.2 s.
void prepare_start();

}  // namespace cuda_filters::plugin
