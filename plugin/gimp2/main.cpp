// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later

#include "gpu/core/error.hpp"
#include "plugin/dialogs.hpp"
#include "plugin/gimp2/host.hpp"
#include "plugin/help.hpp"
#include "plugin/i18n.hpp"
#include "plugin/names.hpp"

// The plug-in for GIMP 2.10: one procedure for each row of the registry.

using namespace cuda_filters;
using namespace cuda_filters::plugin;

namespace {

/// What scripts give where there is no image.
constexpr gint32 no_image = -1;

/// The catalogs beside the executable if there are any, else the system's.
std::string catalogs() {
  gchar* folder = g_path_get_dirname(gimp_get_progname());
  gchar* beside = g_build_filename(folder, "locale", nullptr);
  const std::string found = g_file_test(beside, G_FILE_TEST_IS_DIR) ? beside : LOCALE_FOLDER;
  g_free(folder);
  g_free(beside);
  return found;
}

GimpPDBArgType type_of(Kind kind) {
  switch (kind) {
    case Kind::real:
      return GIMP_PDB_FLOAT;
    case Kind::text:
      return GIMP_PDB_STRING;
    case Kind::integer:
    case Kind::toggle:
    case Kind::choice:
      break;
  }
  return GIMP_PDB_INT32;
}

/// The description of an argument for the procedure browser, with what the table allows.
std::string description_of(const Param& param) {
  std::string text = param.blurb;
  if (param.kind == Kind::real || param.kind == Kind::integer)
    return text + format_text(" (%g … %g)", param.range.min, param.range.max);
  if (param.kind == Kind::toggle) return text + " (0, 1)";
  for (std::size_t i = 0; i < param.choices.size(); ++i)
    text += format_text("%s%zu: %s", i == 0 ? " (" : ", ", i, param.choices[i].nick);
  return param.choices.empty() ? text : text + ")";
}

GimpParamDef argument(GimpPDBArgType type, const char* name, const std::string& description) {
  return {type, g_strdup(name), g_strdup(description.c_str())};  // GIMP keeps neither; query ends
}

/// What every procedure that works on a drawable begins with.
std::vector<GimpParamDef> image_arguments() {
  return {argument(GIMP_PDB_INT32, "run-mode",
                   "The run mode { RUN-INTERACTIVE (0), RUN-NONINTERACTIVE (1), "
                   "RUN-WITH-LAST-VALS (2) }"),
          argument(GIMP_PDB_IMAGE, "image", "The image"),
          argument(GIMP_PDB_DRAWABLE, "drawable", "The layer, mask or channel")};
}

void install_filter(const FilterEntry& filter) {
  std::vector<GimpParamDef> arguments = image_arguments();
  for (const Param& param : filter.params)
    arguments.push_back(argument(type_of(param.kind), param.name, description_of(param)));
  if (filter.takes_aux())
    arguments.push_back(
        argument(GIMP_PDB_DRAWABLE, "aux", filter.aux_param().blurb + std::string{" (-1: none)"}));
  std::vector<GimpParamDef> results;
  if (filter.creates_image())
    results.push_back(argument(GIMP_PDB_IMAGE, "new-image", "The new image"));
  for (const OutputValue& output_value : filter.output_values)
    results.push_back(argument(GIMP_PDB_FLOAT, output_value.name, output_value.blurb));
  const std::string name = procedure_of(filter);
  // Untranslated: GIMP 2.10 looks the texts up itself, whatever the language of the day.
  gimp_install_procedure(
      name.c_str(), filter.info.blurb, filter.info.help, "the gimp-cuda-filters authors",
      "the gimp-cuda-filters authors, LGPL-3.0-or-later", "2026", filter.info.label, "RGB*, GRAY*",
      GIMP_PLUGIN, static_cast<gint>(arguments.size()), static_cast<gint>(results.size()),
      arguments.data(), results.data());
  gimp_plugin_menu_register(name.c_str(), names_of(filter.info.category).path);
  if (filter.needs_selection()) gimp_plugin_menu_register(name.c_str(), edit_menu);
}

void install_info() {
  const GimpParamDef mode = argument(
      GIMP_PDB_INT32, "run-mode", "The run mode { RUN-INTERACTIVE (0), RUN-NONINTERACTIVE (1) }");
  const GimpParamDef result = argument(GIMP_PDB_STRING, "info", "Lines of key: value");
  gimp_install_procedure(info_procedure, N_("Tell which device the CUDA filters use, and why"),
                         N_("Gives one text with a line for each fact, as key: value."),
                         "the gimp-cuda-filters authors",
                         "the gimp-cuda-filters authors, LGPL-3.0-or-later", "2026",
                         N_("CUDA _Devices…"), nullptr, GIMP_PLUGIN, 1, 1, &mode, &result);
  gimp_plugin_menu_register(info_procedure, cuda_menu);
}

void install_manual() {
  const GimpParamDef arguments[] = {
      argument(GIMP_PDB_INT32, "run-mode",
               "The run mode { RUN-INTERACTIVE (0), RUN-NONINTERACTIVE (1) }"),
      argument(GIMP_PDB_STRING, page_name, page_blurb)};
  const auto& [label, title, blurb, help, category] = manual_texts;
  gimp_install_procedure(manual_procedure, blurb, help, "the gimp-cuda-filters authors",
                         "the gimp-cuda-filters authors, LGPL-3.0-or-later", "2026", label, nullptr,
                         GIMP_PLUGIN, 2, 0, arguments, nullptr);
  gimp_plugin_menu_register(manual_procedure, cuda_menu);
}

void install_statistics() {
  const std::vector<GimpParamDef> arguments = image_arguments();
  // A failure puts its sentence in the place of the first result, where GIMP 2.10 must not take it
  // for the length of an array: it would crash.
  std::vector<GimpParamDef> results{argument(GIMP_PDB_INT32, "channels", "The number of channels")};
  for (const StatisticsResult& result : statistics_results) {
    results.push_back(argument(GIMP_PDB_INT32, (std::string{"num-"} + result.name).c_str(),
                               "The number of channels"));
    results.push_back(argument(GIMP_PDB_FLOATARRAY, result.name, result.label));
  }
  results.push_back(argument(GIMP_PDB_FLOAT, "count", count_label));
  const auto& [label, title, blurb, help, category] = statistics_texts;
  gimp_install_procedure(statistics_procedure, blurb, help, "the gimp-cuda-filters authors",
                         "the gimp-cuda-filters authors, LGPL-3.0-or-later", "2026", label,
                         "RGB*, GRAY*", GIMP_PLUGIN, static_cast<gint>(arguments.size()),
                         static_cast<gint>(results.size()), arguments.data(), results.data());
  gimp_plugin_menu_register(statistics_procedure, names_of(category).path);
}

void query() {
  translate_engine(catalogs().c_str());
  gimp_plugin_domain_register(GETTEXT_DOMAIN, catalogs().c_str());
  for (const FilterEntry& filter : filters()) install_filter(filter);
  install_info();
  install_manual();
  install_statistics();
  if (gchar* folder = g_filename_to_uri(help_folder().c_str(), nullptr, nullptr))
    gimp_plugin_help_register(help_domain, folder);  // GIMP ends this process soon
}

/// The return values of run(), which must outlive it.
class Result {
 public:
  void succeed() { set(GIMP_PDB_SUCCESS); }
  void succeed(const std::string& text) { set(GIMP_PDB_SUCCESS, text); }
  void succeed(const Measured& measured) {
    set(GIMP_PDB_SUCCESS);
    values_.emplace_back().type = GIMP_PDB_INT32;
    values_.back().data.d_int32 = static_cast<gint32>(measured.channels.size());
    for (std::size_t i = 0; i < statistics_results.size(); ++i) {
      arrays_[i].clear();
      for (const ChannelMeasures& channel : measured.channels)
        arrays_[i].push_back(channel.*statistics_results[i].value);
      values_.emplace_back().type = GIMP_PDB_INT32;
      values_.back().data.d_int32 = static_cast<gint32>(arrays_[i].size());
      values_.emplace_back().type = GIMP_PDB_FLOATARRAY;
      values_.back().data.d_floatarray = arrays_[i].data();
    }
    values_.emplace_back().type = GIMP_PDB_FLOAT;
    values_.back().data.d_float = static_cast<double>(measured.count);
  }
  void succeed(gint32 image, const std::vector<double>& output_values) {
    set(GIMP_PDB_SUCCESS);
    values_.emplace_back().type = GIMP_PDB_IMAGE;
    values_.back().data.d_image = image;
    for (const double output_value : output_values) {
      values_.emplace_back().type = GIMP_PDB_FLOAT;
      values_.back().data.d_float = output_value;
    }
  }
  void cancel() { set(GIMP_PDB_CANCEL); }
  void fail(GimpPDBStatusType status, const char* sentence) { set(status, sentence); }

  void hand_over(gint* count, GimpParam** values) {
    *count = static_cast<gint>(values_.size());
    *values = values_.data();
  }

 private:
  void set(GimpPDBStatusType status) {
    values_.resize(1);
    values_[0].type = GIMP_PDB_STATUS;
    values_[0].data.d_status = status;
  }
  void set(GimpPDBStatusType status, const std::string& text) {
    set(status);
    text_ = text;
    values_.emplace_back().type = GIMP_PDB_STRING;
    values_[1].data.d_string = text_.data();
  }
  std::vector<GimpParam> values_;
  std::string text_;
  std::vector<double> arrays_[statistics_results.size()];
};

FilterSettings settings_of(const FilterEntry& filter, gint count, const GimpParam* given) {
  const std::size_t wanted = 3 + filter.params.size() + (filter.takes_aux() ? 1 : 0);
  if (static_cast<std::size_t>(count) != wanted)
    throw ArgumentError{format_text(tr(N_("%zu values were given for %zu parameters.")),
                                    static_cast<std::size_t>(count), wanted)};
  FilterSettings settings;
  Values& values = settings.values;
  for (std::size_t i = 0; i < filter.params.size(); ++i) {
    const GimpParam& value = given[3 + i];
    if (filter.params[i].kind == Kind::text)
      values.emplace_back(std::string{value.data.d_string != nullptr ? value.data.d_string : ""});
    else if (filter.params[i].kind == Kind::real)
      values.emplace_back(value.data.d_float);
    else
      values.emplace_back(static_cast<double>(value.data.d_int32));
  }
  if (filter.takes_aux()) settings.aux = given[wanted - 1].data.d_drawable;
  return settings;
}

/// The drawable among the arguments, or none if there is no such drawable. Throws ArgumentError if
/// the image is another one than the drawable's.
std::vector<std::unique_ptr<Drawable>> drawables_of(gint count, const GimpParam* given) {
  if (count < 3) throw ArgumentError{tr(N_("The image and the layer are missing."))};
  const gint32 image = given[1].data.d_image, id = given[2].data.d_drawable;
  gegl_init(nullptr, nullptr);
  std::vector<std::unique_ptr<Drawable>> drawables;
  if (auto drawable = drawable_or_none(id)) {
    drawables.push_back(std::move(drawable));
    if (image != no_image && image != gimp_item_get_image(id)) throw_foreign(*drawables.front());
  }
  return drawables;
}

void run_statistics(gint count, const GimpParam* given, Result& result) {
  const auto drawables = drawables_of(count, given);
  Gimp2Host host{no_image};  // nothing is changed
  const Measured measured = statistics(drawables, host);
  if (given[0].data.d_int32 == GIMP_RUN_INTERACTIVE)
    dialogs().show_statistics(measured, *drawables.front());
  result.succeed(measured);
}

void run_filter(const FilterEntry& filter, gint count, const GimpParam* given, Result& result) {
  const auto drawables = drawables_of(count, given);
  check_drawables(filter, drawables);
  const auto mode = static_cast<GimpRunMode>(given[0].data.d_int32);
  const gint32 id = given[2].data.d_drawable;
  FilterSettings settings = mode == GIMP_RUN_NONINTERACTIVE ? settings_of(filter, count, given)
                                                            : last_settings(filter, id);
  if (mode == GIMP_RUN_INTERACTIVE && !filter.params.empty() &&
      !dialogs().show_filter(filter, *drawables.front(), settings))
    return result.cancel();
  const auto aux = drawable_or_none(settings.aux);
  if (aux == nullptr && settings.aux != no_drawable)
    throw ArgumentError{
        tr(N_("There is no drawable of the number that was given as 'aux'. Give a "
              "layer, a mask or a channel, or -1 for none."))};
  Gimp2Host host{gimp_item_get_image(id)};
  const NewImageResult created =
      apply(plugin::make_job(filter, settings.values, aux.get()), drawables, aux.get(), host);
  keep_last_settings(filter, settings);
  if (created.image != nullptr) {
    const gint32 new_image = static_cast<Gimp2NewImage&>(*created.image).keep();
    if (mode != GIMP_RUN_NONINTERACTIVE) gimp_display_new(new_image);
    result.succeed(new_image, created.output_values);
  } else {
    result.succeed();
  }
  if (mode != GIMP_RUN_NONINTERACTIVE) gimp_displays_flush();
}

void run(const gchar* name, gint count, const GimpParam* given, gint* result_count,
         GimpParam** results) {
  static Result result;
  translate_engine(catalogs().c_str());
  try {
    if (const FilterEntry* filter = filter_of_procedure(name)) {
      run_filter(*filter, count, given, result);
    } else if (std::string{name} == statistics_procedure) {
      run_statistics(count, given, result);
    } else if (std::string{name} == manual_procedure) {
      const char* page = count > 1 ? given[1].data.d_string : nullptr;
      show_manual(page != nullptr ? page : "");
      result.succeed();
    } else {
      const auto lines = info();
      if (count > 0 && given[0].data.d_int32 == GIMP_RUN_INTERACTIVE) dialogs().show_info(lines);
      result.succeed(info_text(lines));
    }
  } catch (const ArgumentError& error) {
    result.fail(GIMP_PDB_CALLING_ERROR, error.what());
  } catch (const Cancelled&) {
    result.cancel();
  } catch (const std::exception& error) {
    result.fail(GIMP_PDB_EXECUTION_ERROR, sentence_of(error).c_str());
  }
  result.hand_over(result_count, results);
}

}  // namespace

int main(int count, char** words) {
  prepare_start();
  const GimpPlugInInfo functions{nullptr, nullptr, query, run};
  return gimp_main(&functions, count, words);
}
