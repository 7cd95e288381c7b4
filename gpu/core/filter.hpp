// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

#include "gpu/core/border.hpp"
#include "gpu/core/error.hpp"
#include "gpu/core/format.hpp"
#include "gpu/core/param.hpp"
#include "gpu/core/pixel.hpp"

namespace cuda_filters {

class Source;

/// The tone reproduction curve (TRC) of the values that a filter works on.
enum class Trc {
  linear,      ///< linear light
  perceptual,  ///< encoded as the drawable's space encodes its values
  native,      ///< the drawable's own numbers
};

/// What happens to alpha.
enum class Alpha {
  premultiplied,  ///< the filter gets premultiplied pixels, and its result is divided by its alpha
  passthrough,    ///< the filter gets straight pixels, and alpha stays as it was
  channel,        ///< the filter gets straight pixels, and alpha is filtered like a color
};

/// What kind of filter it is: the submenu that it stands in.
enum class Category { blur, enhance, edges, colors, artistic, mattes, geometry, combine, generic };

/// What a filter is called, and where it stands in the menus.
struct FilterInfo {
  const char* name = "";  ///< as in the procedure plug-in-cuda-NAME; no filter's if empty
  const char* label;      ///< the menu's: "_Name (CUDA)", and "…" if there is a dialog
  const char* title;      ///< the dialog's and the undo step's
  const char* blurb;      ///< the tooltip: one sentence without a full stop
  const char* help;       ///< a paragraph for the procedure browser and the manual
  Category category;      ///< where it stands in the menus and in the manual
};

/// Which pixels the analysis passes, which come before the one that computes, go through.
enum class AnalysisScope {
  none,    ///< there is no analysis
  region,  ///< what is to be computed, for statistics of what the executor's Input says is selected
  /// The bands of the whole image, whatever the region is. apply() then gets the same bands, and
  /// the analysis is skipped if one band holds the image.
  image,
  scan,  ///< the whole image, whose state then holds all that the pixels of a new image come from
  /// What is to be computed, and around that as far as Plan::surroundings says. Executors give the
  /// whole of it as analysis_area().
  surroundings,
};

/// A picture that a filter asks for: of working pixels, or of one float a pixel.
struct TemporaryPlan {
  Halo halo{};              ///< by how much it is larger than what is computed, in its own pixels
  int first = 0, last = 0;  ///< the primitives, as they are called, during which there is it
  int level = 0;            ///< of a pyramid: Rect::at_level()
  int channels = 4;
  bool in_image = false;  ///< it ends where the image does
  bool costly = false;    ///< to compute around bands, again and again: these should be long
  friend bool operator==(const TemporaryPlan&, const TemporaryPlan&) = default;
};

/// What the engine must know of a run before it reads a pixel. A filter's plan() says what it
/// means; what its primitives need follows from its apply(), by trace().
struct Plan {
  Trc trc = Trc::perceptual;
  Alpha alpha = Alpha::passthrough;
  Border border = Border::clamp;
  bool identity = false;  ///< these parameters change nothing
  AnalysisScope analysis = AnalysisScope::none;
  bool adds_alpha = false;   ///< is about alpha: a layer that has none gets it, opaque, in the run
  int passes = 1;            ///< of the analysis, at most
  Halo surroundings{};       ///< of AnalysisScope::surroundings
  bool whole_image = false;  ///< all layers, masks and channels, and the canvas, not a drawable

  // What follows is filled in by trace().
  int halo_x = 0, halo_y = 0;  ///< how far from a pixel its result looks
  Halo aux_halo{};             ///< the same in the second picture
  bool analyzes_aux = false;   ///< the second picture is for the analysis, not for apply()
  /// Every color channel is computed alike, from itself and alpha around each pixel, wherever that
  /// is and however large the image. (A processor then takes three columns of a gray picture at
  /// once, which does not pay for functions of single pixels.)
  bool by_channel = false;
  /// Those of apply() and of analyze(), in the order in which they are asked for.
  std::vector<TemporaryPlan> temporaries{}, analysis_temporaries{};
  /// About how long one core of a processor takes for a pixel, in nanoseconds: `bench --device cpu`
  /// with 8-bit RGBA. By it choose_device() decides.
  double cost = 0.0;
  /// Whether a GPU, as it was with an H200, takes about as long as the copies there and back, or
  /// longer.
  bool outlasts_copies() const { return cost > 25.0; }
};

/// What a filter that looks at a second picture calls that: the texts of the parameter `aux`.
struct AuxParam {
  const char* label;
  const char* blurb;  ///< one sentence without a full stop, which says what it is used for
};

/// The second picture of a job. What lies beyond its ends is what the job's border says.
struct Aux {
  std::string layer{};               ///< the name of the layer that it is, where only that is known
  std::shared_ptr<Source> source{};  ///< its pixels, of any size and format
  int x = 0, y = 0;                  ///< where its first pixel lies, in pixels of the image
};

/// A number that a filter found out and hands to scripts with its result.
struct OutputValue {
  const char* name;
  const char* blurb;  ///< one sentence without a full stop
  double (*load)(const void* state);
};

/// A filter: a name, a parameter table, what it needs, and its composition of primitives
/// `template <class Exec> static void apply(Exec&, const Params&, const typename Exec::Input&,
/// const typename Exec::Output&)`. A `static void check(const Params&)` may refuse, by throwing
/// ArgumentError, what the table alone cannot. A `static void prepare(Params&)` before it, once a
/// job, reads what the parameters name, such as a file, into other members.
///
/// apply() may ask its executor for temporary pictures, of the same working pixels, and every
/// primitive reads from and writes to either these or the band's input and output:
///
///     auto blurred = exec.temporary();
///     gaussian_blur(exec, in, blurred, sigma, sigma, border);
///     exec.map(std::tie(in, blurred), out, Difference{});
///
/// Which primitives are called may depend on the parameters alone; an algorithm may choose its own
/// by the executor and the size of the image, too, if what it notes is enough for each choice, and
/// bits depend on no band. A temporary picture goes on beyond the image as its input does, which
/// `border` continues there, and its alpha is one more channel; what belongs to the band's output
/// follows Plan::alpha.
///
/// A temporary channel has one float a pixel, for which functions of pixels take or give a float,
/// and may stand where a picture may in map(), behind the first picture in reduce(), and in the
/// algorithms that are declared for it. Both may be levels of a pyramid, which downsample() and
/// upsample() lead to and back from; all other primitives are between pictures of one level.
///
///     auto luma = exec.temporary_channel(), half = exec.temporary_channel(1);
///     exec.map(in, luma, Luma{});
///     downsample(exec, luma, half);
///
/// A filter that may look at a second picture has the texts of that parameter, `static constexpr
/// AuxParam aux`, and its apply() takes one argument more behind the input: `const typename
/// Exec::Input* aux`, which goes on beyond its ends as the border says, or null if none was given.
///
/// A filter may propose values for certain purposes by a table `static constexpr std::array
/// presets`.
///
/// A filter with an analysis has a type `State`, made anew for every analysis; a function
/// `template <class Exec> static void analyze(Exec&, const Params&, const typename Exec::Input&,
/// Rect area, State&)`, called band by band from top to bottom; and `static void
/// finish(const Params&, State&)`, called after the last band; one that returns a bool asks with
/// true for another pass over all the bands, up to the plan's number of them. Its apply() takes a
/// `const State&` more, which is as it was made if there was no analysis. What analyze() looks at
/// may be temporary pictures: of these, the pixels of `area` count that are selected and whose own
/// alpha is above 0.
///
/// If a filter with an analysis may look at a second picture, it is analyze() that gets it, behind
/// its input, and not apply().
///
/// A filter whose result has another size than its input has a function `static Size
/// resolve_size(const Params&, Size in, Plan&)`, which gives that size and fills in Plan::identity
/// or throws ArgumentError, and a function `static IndexRange input_rows(const Params&, Size in,
/// Size out, IndexRange rows)`, which says which rows of the input the result's `rows` look at;
/// neither end of that may fall when those of `rows` rise. Its apply() computes any part of the
/// result from these rows, all columns wide; Input::image() and Output::image() are the sizes of
/// both.
///
/// A filter that looks the further the larger its image is has a function `static Halo
/// reach(const Params&, Size image)`: how far, in an image of that size, of which it keeps the
/// working pixels; or it has a function `static std::vector<TemporaryPlan> pictures(const Params&,
/// Size image)`, which says what its algorithm keeps instead. What the footprints of its apply()
/// say holds for every size.
///
/// A filter with AnalysisScope::scan makes a new RGB image without alpha, in the precision of its
/// input, which stays as it is. It has a function `static Size new_image_size(const State&)`, asked
/// after finish(); its apply() computes any part of an image of that size from the state alone. It
/// may have a table `output_values`; a `static void check_input(const Params&, Size in)` that
/// refuses inputs by throwing ArgumentError; and a function `static const char* next(const
/// Params&)` that names a filter which is then applied to the new image with its initial values, or
/// is null.
template <class F>
concept Filter = requires(const typename F::Params params) {
  { F::info } -> std::convertible_to<const FilterInfo&>;
  {std::span<const Param>{F::params}};
  { F::plan(params) } -> std::same_as<Plan>;
};

/// What a filter may tell of itself in a dialog: a `static std::string summary(const Params&)`, a
/// line about values that passed check(); a `static std::string summary_of(std::span<const
/// double>)`, one about its output values; and, if its table says of a parameter what upper_limit
/// it has, a `static const FilterEntry& limit_histogram()`.
///
/// A filter of single pixels has, instead of apply(), a `static auto function(const Params&)` that
/// gives what a pixel is taken through: a class of at most 48 bytes with a function
/// `HOST_DEVICE Pixel operator()(Pixel) const`, such as a PerColor, a PerChannel, an AlphaOnly,
/// a ToGray or a PermuteColors, which tell a GPU what need not be computed for 8-bit pictures.
template <class F>
concept PointwiseFilter = Filter<F> && requires(const typename F::Params params) {
  F::function(params);
};

/// A filter that may look at a second picture; one whose plan depends on whether there is one has a
/// `static Plan plan(const Params&, bool with_aux = false)`.
template <class F>
concept Aided = Filter<F> && requires {
  { F::aux } -> std::convertible_to<const AuxParam&>;
};

struct Job;
struct PointwiseStep;

/// A filter once its type is forgotten: a row of the registry, which a FilterOf is. Its `params`
/// and its `state` are what its make_params() and its make_state() made.
class FilterEntry {
 public:
  const std::type_info& type;  ///< of the filter: what executors know it by
  const FilterInfo info;
  const std::span<const Param> params;
  const std::span<const OutputValue> output_values;

  FilterEntry(const FilterEntry&) = delete;
  FilterEntry& operator=(const FilterEntry&) = delete;

  virtual std::shared_ptr<void> make_params() const = 0;
  /// Reads what they name, such as a file, before they are checked. Throws ArgumentError.
  virtual void prepare(void* /*params*/) const {}
  /// Throws ArgumentError if there is something about them that their table does not say.
  virtual void check(const void* /*params*/) const {}
  virtual Plan plan(const void* params, bool with_aux) const = 0;
  /// A line that says what follows from parameters that passed check(), or nothing.
  virtual std::string summary(const void* /*params*/) const { return {}; }
  /// A line that says what the output values of a run mean, or nothing.
  virtual std::string summary_of(std::span<const double> /*output_values*/) const { return {}; }
  /// The analysis that counts the values which two of the parameters limit, with the same
  /// parameters as this filter, for count_limits(); null if there are no such two.
  virtual const FilterEntry* limit_histogram() const { return nullptr; }

  /// Values that the filter itself proposes.
  virtual std::span<const Preset> presets() const { return {}; }

  /// Whether the filter may look at a second picture, whose texts aux_param() has then.
  bool takes_aux() const { return aux_ != nullptr; }
  const AuxParam& aux_param() const { return *aux_; }

  /// Whether the result may have another size than the input. Then input_rows() says which rows of
  /// the input some of the result look at.
  virtual bool changes_size() const { return false; }
  /// The size of the result, which a new image has not before it is analyzed; may make of the plan
  /// one that changes nothing. Throws ArgumentError if there can be no result.
  virtual Size resolve_size(const void* /*params*/, Size in, Plan& /*plan*/) const { return in; }
  virtual IndexRange input_rows(const void* /*params*/, Size /*in*/, Size /*out*/,
                                IndexRange rows) const {
    return rows;
  }

  /// The state of an analysis, or null if the filter has none.
  virtual std::shared_ptr<void> make_state() const { return nullptr; }
  /// Whether the analysis needs one more pass.
  virtual bool finish(const void* /*params*/, void* /*state*/) const { return false; }

  /// Whether the result is a new image, of new_image_size(), and the input stays as it is.
  virtual bool creates_image() const { return false; }
  virtual Size new_image_size(const void* /*state*/) const { return {}; }
  /// The name of a filter that is then applied to the new image, or null.
  virtual const char* next(const void* /*params*/) const { return nullptr; }
  /// Whether the result takes the place of the input, pixel by pixel.
  bool keeps_size() const { return !changes_size() && !creates_image(); }

  /// Whether it works on a selection alone, and refuses to work without:
  /// AnalysisScope::surroundings.
  virtual bool needs_selection() const { return false; }
  /// Whether it is an operation of GEGL, too: what changes pixels wherever they stand.
  bool is_operation() const { return keeps_size() && !needs_selection(); }

  /// Whether every pixel is computed from itself alone, and a chain may do so in one pass with its
  /// neighbors: as pointwise_step().
  virtual bool is_pointwise() const { return false; }
  virtual PointwiseStep pointwise_step(const void* params) const;

  /// Whether the filter stands for others, its steps().
  virtual bool is_composite() const { return false; }
  virtual std::vector<Job> steps(const void* params) const;

 protected:
  FilterEntry(const std::type_info& its_type, const FilterInfo& its_info,
              std::span<const Param> its_params, const AuxParam* aux = nullptr,
              std::span<const OutputValue> its_output_values = {})
      : type{its_type},
        info{its_info},
        params{its_params},
        output_values{its_output_values},
        aux_{aux} {}
  ~FilterEntry() = default;

 private:
  const AuxParam* aux_;
};

/// A filter with parameters that passed every check.
struct Job {
  const FilterEntry* filter;
  std::shared_ptr<const void> params;
  Plan plan;
  std::vector<Job> steps{};  ///< of a filter that stands for others
  std::optional<Aux> aux{};
};

/// A job for an input of a certain size.
struct ResolvedJob : Job {
  Size output{};  ///< of the result; empty if that is a new image
};

template <class F>
concept Analyzing = Filter<F> && requires {
  typename F::State;
};

/// A filter that stands for others has, instead of apply(), a `static std::vector<Job> steps(const
/// Params&)`: these are applied one after the other.
template <class F>
concept Composite = Filter<F> && requires(const typename F::Params params) {
  F::steps(params);
};

template <class F>
concept Resizing = Filter<F> && requires(const typename F::Params params, Plan plan) {
  { F::resolve_size(params, Size{}, plan) } -> std::same_as<Size>;
  { F::input_rows(params, Size{}, Size{}, IndexRange{}) } -> std::same_as<IndexRange>;
};

template <class F>
concept CreatesImage = Analyzing<F> && requires(const typename F::State state) {
  { F::new_image_size(state) } -> std::same_as<Size>;
};

/// Binds one row of a table of output values to the function of a State that gives it.
template <class State, auto Function>
consteval OutputValue output_value(const char* name, const char* blurb) {
  return {name, blurb,
          [](const void* state) -> double { return Function(*static_cast<const State*>(state)); }};
}

/// Checks `values` (in the order of the table) and binds them. Throws ArgumentError, also if there
/// is a second picture and the filter looks at none.
Job make_job(const FilterEntry& filter, std::span<const Value> values,
             std::optional<Aux> aux = std::nullopt);

/// The values that a job was made of, in the order of the table.
Values values_of(const Job& job);

/// Whether any pixel of a job's result may depend on every pixel of the image.
bool needs_all(const Job& job);

/// The job as it is for an input of that size. Throws ArgumentError if there can be no result.
ResolvedJob resolved(Job job, Size in);

/// What is applied to the new image that a job made, if anything. Throws ArgumentError.
std::optional<Job> next_job(const Job& job);

/// How the result of a job on an image of encoding `in` is stored.
Encoding result_encoding(const Job& job, Encoding in);

/// All filters, sorted by name.
std::span<const std::reference_wrapper<const FilterEntry>> filters();

/// The filter of that name, or nullptr.
const FilterEntry* find_filter(std::string_view name);

/// The initial values of a filter's parameters, in order.
Values initial_values(const FilterEntry& filter);

/// Whether the parameter in row `index` of a filter's table applies with these `values`, in the
/// order of the table, to a picture with an alpha channel or without. Where it does not, no value
/// of it changes the result by more than rounding.
bool applies(const FilterEntry& filter, std::size_t index, std::span<const Value> values,
             bool has_alpha);

}  // namespace cuda_filters
