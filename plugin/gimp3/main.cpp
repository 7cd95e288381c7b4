// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cstring>

#include "gpu/core/error.hpp"
#include "plugin/dialogs.hpp"
#include "plugin/gimp3/host.hpp"
#include "plugin/help.hpp"
#include "plugin/i18n.hpp"
#include "plugin/names.hpp"

// The plug-in for GIMP 3: one procedure for each row of the registry.

using namespace cuda_filters;
using namespace cuda_filters::plugin;

struct CudaFilters {
  GimpPlugIn parent;
};
struct CudaFiltersClass {
  GimpPlugInClass parent;
};
G_DEFINE_TYPE(CudaFilters, cuda_filters, GIMP_TYPE_PLUG_IN)

namespace {

GimpChoice* choice_of(const Param& param) {
  GimpChoice* choice = gimp_choice_new();
  int id = 0;
  for (const auto& [nick, label] : param.choices)
    gimp_choice_add(choice, nick, id++, _(label), nullptr);
  return choice;
}

void add_argument(GimpProcedure* procedure, const Param& param) {
  const auto [min, max] = param.range;
  const std::string label = label_of(param);
  switch (param.kind) {
    case Kind::real:
      return gimp_procedure_add_double_argument(procedure, param.name, label.c_str(),
                                                _(param.blurb), min, max, param.initial,
                                                G_PARAM_READWRITE);
    case Kind::integer:
      return gimp_procedure_add_int_argument(procedure, param.name, label.c_str(), _(param.blurb),
                                             static_cast<int>(min), static_cast<int>(max),
                                             static_cast<int>(param.initial), G_PARAM_READWRITE);
    case Kind::toggle:
      return gimp_procedure_add_boolean_argument(procedure, param.name, label.c_str(),
                                                 _(param.blurb), param.initial != 0.0,
                                                 G_PARAM_READWRITE);
    case Kind::choice:
      return gimp_procedure_add_choice_argument(
          procedure, param.name, label.c_str(), _(param.blurb), choice_of(param),
          param.choices[static_cast<std::size_t>(param.initial)].nick, G_PARAM_READWRITE);
    case Kind::text:
      return gimp_procedure_add_string_argument(procedure, param.name, label.c_str(),
                                                _(param.blurb), param.initial_text,
                                                G_PARAM_READWRITE);
  }
}

GimpValueArray* failed(GimpProcedure* procedure, GimpPDBStatusType status, const char* sentence) {
  return gimp_procedure_new_return_values(procedure, status,
                                          g_error_new_literal(GIMP_PLUG_IN_ERROR, 0, sentence));
}

/// What a call returns: for a new image, that one and what was found.
GimpValueArray* succeeded(GimpProcedure* procedure, const NewImageResult& created,
                          GimpRunMode mode) {
  GimpValueArray* values = gimp_procedure_new_return_values(procedure, GIMP_PDB_SUCCESS, nullptr);
  if (created.image != nullptr) {
    GimpImage* image = static_cast<Gimp3NewImage&>(*created.image).keep();
    if (mode != GIMP_RUN_NONINTERACTIVE) gimp_display_new(image);
    int at = 1;
    GIMP_VALUES_SET_IMAGE(values, at++, image);
    for (const double output_value : created.output_values)
      GIMP_VALUES_SET_DOUBLE(values, at++, output_value);
  }
  if (mode != GIMP_RUN_NONINTERACTIVE) gimp_displays_flush();
  return values;
}

/// What `work` returns, or the failure that it throws.
template <class Work>
GimpValueArray* attempted(GimpProcedure* procedure, Work work) {
  try {
    return work();
  } catch (const ArgumentError& error) {
    return failed(procedure, GIMP_PDB_CALLING_ERROR, error.what());
  } catch (const Cancelled&) {
    return gimp_procedure_new_return_values(procedure, GIMP_PDB_CANCEL, nullptr);
  } catch (const std::exception& error) {
    return failed(procedure, GIMP_PDB_EXECUTION_ERROR, sentence_of(error).c_str());
  }
}

/// The drawables of a call. Throws ArgumentError if one is in another image than `image`.
std::vector<std::unique_ptr<Drawable>> drawables_of(GimpImage* image, GimpDrawable** given) {
  gegl_init(nullptr, nullptr);
  std::vector<std::unique_ptr<Drawable>> drawables;
  for (GimpDrawable** d = given; d != nullptr && *d != nullptr; ++d)
    if (std::find(given, d, *d) == d) {  // a script may name one twice
      drawables.push_back(std::make_unique<Gimp3Drawable>(*d));
      if (gimp_item_get_image(GIMP_ITEM(*d)) != image) throw_foreign(*drawables.back());
    }
  return drawables;
}

GimpValueArray* run_statistics(GimpProcedure* procedure, GimpRunMode mode, GimpImage* image,
                               GimpDrawable** given, GimpProcedureConfig*, gpointer) {
  return attempted(procedure, [&] {
    Gimp3Host host{image};
    const auto drawables = drawables_of(image, given);
    const Measured measured = statistics(drawables, host);
    if (mode == GIMP_RUN_INTERACTIVE) dialogs().show_statistics(measured, *drawables.front());
    GimpValueArray* values = gimp_procedure_new_return_values(procedure, GIMP_PDB_SUCCESS, nullptr);
    int next = 1;
    for (const StatisticsResult& result : statistics_results) {
      std::vector<double> numbers;
      for (const ChannelMeasures& channel : measured.channels)
        numbers.push_back(channel.*result.value);
      GIMP_VALUES_SET_DOUBLE_ARRAY(values, next++, numbers.data(), numbers.size());
    }
    g_value_set_double(gimp_value_array_index(values, next), static_cast<double>(measured.count));
    return values;
  });
}

GimpValueArray* run_filter(GimpProcedure* procedure, GimpRunMode mode, GimpImage* image,
                           GimpDrawable** given, GimpProcedureConfig* config, gpointer row) {
  const auto& filter = *static_cast<const FilterEntry*>(row);
  return attempted(procedure, [&] {
    const auto drawables = drawables_of(image, given);
    check_drawables(filter, drawables);
    FilterSettings settings = settings_of(filter, config);
    if (mode == GIMP_RUN_INTERACTIVE && !filter.params.empty()) {
      if (!dialogs().show_filter(filter, *drawables.front(), settings))
        return gimp_procedure_new_return_values(procedure, GIMP_PDB_CANCEL, nullptr);
      set_settings(config, filter, settings);
    }
    const auto aux = drawable_or_none(settings.aux);
    const Job job = plugin::make_job(filter, settings.values, aux.get());
    Gimp3Host host{image};
    return succeeded(procedure, apply(job, drawables, aux.get(), host), mode);
  });
}

GimpValueArray* run_info(GimpProcedure* procedure, GimpProcedureConfig* config, gpointer) {
  return attempted(procedure, [&] {
    const auto lines = info(lost_in_gimp());
    GimpRunMode mode = GIMP_RUN_NONINTERACTIVE;
    g_object_get(config, "run-mode", &mode, nullptr);
    if (mode == GIMP_RUN_INTERACTIVE) dialogs().show_info(lines);
    GimpValueArray* values = gimp_procedure_new_return_values(procedure, GIMP_PDB_SUCCESS, nullptr);
    g_value_set_string(gimp_value_array_index(values, 1), info_text(lines).c_str());
    return values;
  });
}

GimpValueArray* run_manual(GimpProcedure* procedure, GimpProcedureConfig* config, gpointer) {
  return attempted(procedure, [&] {
    gchar* page = nullptr;
    g_object_get(config, page_name, &page, nullptr);
    const std::string name = page != nullptr ? page : "";
    g_free(page);
    show_manual(name);
    return gimp_procedure_new_return_values(procedure, GIMP_PDB_SUCCESS, nullptr);
  });
}

GList* query_procedures(GimpPlugIn* plug_in) {
  GFile* folder = g_file_new_for_path(help_folder().c_str());
  gimp_plug_in_set_help_domain(plug_in, help_domain, folder);
  g_object_unref(folder);
  GList* names = g_list_append(nullptr, g_strdup(info_procedure));
  names = g_list_append(names, g_strdup(manual_procedure));
  names = g_list_append(names, g_strdup(statistics_procedure));
  for (const FilterEntry& filter : filters())
    names = g_list_append(names, g_strdup(procedure_of(filter).c_str()));
  return names;
}

GimpProcedure* create_info(GimpPlugIn* plug_in) {
  GimpProcedure* procedure = gimp_procedure_new(plug_in, info_procedure, GIMP_PDB_PROC_TYPE_PLUGIN,
                                                run_info, nullptr, nullptr);
  gimp_procedure_set_menu_label(procedure, _("CUDA _Devices…"));
  gimp_procedure_add_menu_path(procedure, cuda_menu);
  gimp_procedure_set_documentation(procedure, _("Tell which device the CUDA filters use, and why"),
                                   _("Gives one text with a line for each fact, as key: value."),
                                   info_procedure);
  gimp_procedure_add_enum_argument(procedure, "run-mode", _("Run mode"), _("The run mode"),
                                   GIMP_TYPE_RUN_MODE, GIMP_RUN_NONINTERACTIVE, G_PARAM_READWRITE);
  gimp_procedure_add_string_return_value(procedure, "info", _("Information"),
                                         _("Lines of key: value"), nullptr, G_PARAM_READWRITE);
  return procedure;
}

GimpProcedure* create_manual(GimpPlugIn* plug_in) {
  GimpProcedure* procedure = gimp_procedure_new(
      plug_in, manual_procedure, GIMP_PDB_PROC_TYPE_PLUGIN, run_manual, nullptr, nullptr);
  const auto& [label, title, blurb, help, category] = manual_texts;
  gimp_procedure_set_menu_label(procedure, _(label));
  gimp_procedure_add_menu_path(procedure, cuda_menu);
  gimp_procedure_set_documentation(procedure, _(blurb), _(help), manual_procedure);
  gimp_procedure_add_enum_argument(procedure, "run-mode", _("Run mode"), _("The run mode"),
                                   GIMP_TYPE_RUN_MODE, GIMP_RUN_NONINTERACTIVE, G_PARAM_READWRITE);
  gimp_procedure_add_string_argument(procedure, page_name, _(page_label), _(page_blurb), "",
                                     G_PARAM_READWRITE);
  return procedure;
}

GimpProcedure* create_statistics(GimpPlugIn* plug_in) {
  GimpProcedure* procedure = gimp_image_procedure_new(
      plug_in, statistics_procedure, GIMP_PDB_PROC_TYPE_PLUGIN, run_statistics, nullptr, nullptr);
  gimp_procedure_set_image_types(procedure, "RGB*, GRAY*");
  gimp_procedure_set_sensitivity_mask(procedure, GIMP_PROCEDURE_SENSITIVE_DRAWABLE);
  const auto& [label, title, blurb, help, category] = statistics_texts;
  gimp_procedure_set_menu_label(procedure, _(label));
  gimp_procedure_add_menu_path(procedure, shown_path(names_of(category).path).c_str());
  gimp_procedure_set_documentation(procedure, _(blurb), _(help), statistics_procedure);
  for (const StatisticsResult& result : statistics_results)
    gimp_procedure_add_double_array_return_value(procedure, result.name, _(result.label),
                                                 _(result.label), G_PARAM_READWRITE);
  gimp_procedure_add_double_return_value(procedure, "count", _(count_label), _(count_label), 0.0,
                                         G_MAXDOUBLE, 0.0, G_PARAM_READWRITE);
  return procedure;
}

/// Whether GEGL has our operations, which GIMP then shows in its menus. Known when GIMP asks what
/// procedures there are; afterwards it keeps what it was told.
bool has_operations() {
  static const bool has = [] {
    gegl_init(nullptr, nullptr);
    return gegl_has_operation("cuda:invert");
  }();
  return has;
}

GimpProcedure* create_filter(GimpPlugIn* plug_in, const FilterEntry& filter) {
  const std::string name = procedure_of(filter);
  auto* row = const_cast<FilterEntry*>(&filter);  // GIMP hands it back to run_filter() as it is
  GimpProcedure* procedure = gimp_image_procedure_new(
      plug_in, name.c_str(), GIMP_PDB_PROC_TYPE_PLUGIN, run_filter, row, nullptr);
  gimp_procedure_set_image_types(procedure, "RGB*, GRAY*");
  // Where there is an operation, that is what stands in the menu of its category for one layer.
  const bool for_several = filter.is_operation() && has_operations();
  const int one = for_several ? 0 : GIMP_PROCEDURE_SENSITIVE_DRAWABLE;
  const int several = filter.creates_image() ? 0 : GIMP_PROCEDURE_SENSITIVE_DRAWABLES;
  gimp_procedure_set_sensitivity_mask(procedure, one | several);
  gimp_procedure_set_menu_label(procedure, _(filter.info.label));
  const char* path = for_several ? N_("<Image>/Filters/CUDA/On Several Layers")
                                 : names_of(filter.info.category).path;
  gimp_procedure_add_menu_path(procedure, shown_path(path).c_str());
  if (filter.needs_selection()) gimp_procedure_add_menu_path(procedure, edit_menu);
  gimp_procedure_set_documentation(procedure, _(filter.info.blurb), _(filter.info.help),
                                   name.c_str());
  for (const Param& param : filter.params) add_argument(procedure, param);
  if (filter.takes_aux())
    gimp_procedure_add_drawable_argument(procedure, "aux", _(filter.aux_param().label),
                                         _(filter.aux_param().blurb), TRUE, G_PARAM_READWRITE);
  if (filter.creates_image())
    gimp_procedure_add_image_return_value(procedure, "new-image", _("New image"),
                                          _("The new image"), FALSE, G_PARAM_READWRITE);
  for (const OutputValue& output_value : filter.output_values)
    gimp_procedure_add_double_return_value(procedure, output_value.name, output_value.name,
                                           _(output_value.blurb), -G_MAXDOUBLE, G_MAXDOUBLE, 0.0,
                                           G_PARAM_READWRITE);
  return procedure;
}

GimpProcedure* create_procedure(GimpPlugIn* plug_in, const gchar* name) {
  const FilterEntry* filter = filter_of_procedure(name);
  GimpProcedure* procedure = filter != nullptr ? create_filter(plug_in, *filter)
                             : std::string{name} == statistics_procedure
                                 ? create_statistics(plug_in)
                             : std::string{name} == manual_procedure ? create_manual(plug_in)
                                                                     : create_info(plug_in);
  gimp_procedure_set_attribution(procedure, "the gimp-cuda-filters authors",
                                 "the gimp-cuda-filters authors, LGPL-3.0-or-later", "2026");
  return procedure;
}

/// GIMP finds the catalogs in the plug-in's own folder; without them it had better not look.
gboolean set_i18n(GimpPlugIn*, const gchar*, gchar** domain, gchar**) {
  gchar* folder = g_path_get_dirname(gimp_get_progname());
  gchar* catalogs = g_build_filename(folder, "locale", nullptr);
  const gboolean exists = g_file_test(catalogs, G_FILE_TEST_IS_DIR);
  if (exists) {
    *domain = g_strdup(GETTEXT_DOMAIN);
    translate_engine(catalogs);
  }
  g_free(folder);
  g_free(catalogs);
  return exists;
}

}  // namespace

static void cuda_filters_class_init(CudaFiltersClass* type) {
  GimpPlugInClass* plug_in = GIMP_PLUG_IN_CLASS(type);
  plug_in->query_procedures = query_procedures;
  plug_in->create_procedure = create_procedure;
  plug_in->set_i18n = set_i18n;
}

static void cuda_filters_init(CudaFilters*) {}

int main(int count, char** words) {
  // A query looks at the operations of GEGL, which no other call needs.
  const bool is_query = std::any_of(words, words + count,
                                    [](const char* word) { return !std::strcmp(word, "-query"); });
  if (!is_query) prepare_start();
  return gimp_main(cuda_filters_get_type(), count, words);
}
