// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <libgimp/gimpui.h>

#include <list>
#include <string_view>

#include "plugin/dialogs.hpp"
#include "plugin/display.hpp"
#include "plugin/gimp3/host.hpp"
#include "plugin/i18n.hpp"
#include "plugin/names.hpp"

namespace cuda_filters::plugin {
namespace {

/// The checks that the user has chosen in GIMP's preferences.
Checks checks() {
  const GeglColor* const own[2] = {gimp_check_custom_color1(), gimp_check_custom_color2()};
  GeglColor* colors[2] = {gegl_color_duplicate(const_cast<GeglColor*>(own[0])),
                          gegl_color_duplicate(const_cast<GeglColor*>(own[1]))};
  GeglColor* chosen[2] = {colors[0], colors[1]};
  gimp_checks_get_colors(gimp_check_type(), &chosen[0], &chosen[1]);
  Checks checks{4 << gimp_check_size(), {}};
  for (int i = 0; i < 2; ++i) {
    gegl_color_get_pixel(chosen[i], babl_format("R'G'B' u8"), checks.colors[i]);
    if (chosen[i] != colors[i]) g_object_unref(chosen[i]);
    g_object_unref(colors[i]);
  }
  return checks;
}

/// What the callbacks of an open dialog need.
struct State {
  const FilterEntry& filter;
  GimpProcedureConfig* config;
  Gimp3Drawable drawable;
  Buffer buffer;  // kept, for its tiles
  GtkDialog* dialog = nullptr;
  GtkLabel *device = nullptr, *error = nullptr;
  JobStatus status{};
};

void show_error(State& state, const std::string& error) {
  gchar* markup = g_markup_printf_escaped("<b>%s</b>", error.c_str());
  gtk_label_set_markup(state.error, markup);
  g_free(markup);
  gtk_widget_set_visible(GTK_WIDGET(state.error), !error.empty());
}

/// The job with the values in the dialog; if there is none, the dialog says why, and OK waits.
std::optional<Job> current_job(State& state) {
  const auto aux = aux_of(state.filter, state.config);
  auto job = try_job(state.filter, values_of(state.filter, state.config), state.drawable, aux.get(),
                     state.status);
  gtk_label_set_text(state.device, state.status.device.c_str());
  gimp_help_set_help_data(GTK_WIDGET(state.device), state.status.reason.c_str(), nullptr);
  show_error(state, state.status.error);
  gtk_dialog_set_response_sensitive(state.dialog, GTK_RESPONSE_OK, job.has_value());
  return job;
}

/// A line of text in the dialog; GIMP takes no empty one.
GtkLabel* add_label(GimpProcedureDialog* dialog, const char* name) {
  auto* label = GTK_LABEL(gimp_procedure_dialog_get_label(dialog, name, " ", FALSE, FALSE));
  gtk_label_set_line_wrap(label, TRUE);
  gtk_label_set_max_width_chars(label, 40);
  gtk_label_set_xalign(label, 0.0f);
  return label;
}

void values_changed(GObject*, GParamSpec*, gpointer data) {
  current_job(*static_cast<State*>(data));
}

void draw_preview(GimpPreview* preview, gpointer data) {
  auto& state = *static_cast<State*>(data);
  Rect area;
  gimp_preview_get_position(preview, &area.x, &area.y);
  gimp_preview_get_size(preview, &area.width, &area.height);
  try {
    const auto job = current_job(state);
    if (!job) return;
    const auto bytes = plugin::preview(*job, state.drawable, state.buffer, area, checks());
    gimp_preview_draw_buffer(preview, bytes.data(), static_cast<int>(bytes.size()) / area.height);
  } catch (const std::exception& error) {  // none may pass through GTK
    show_error(state, error.what());
  }
}

void add_widget(GimpProcedureDialog* dialog, const Param& param) {
  switch (param.kind) {
    case Kind::real:
    case Kind::integer: {
      if (param.range.max - param.range.min < 1.0) {
        // GIMP 3.0's scale entry takes larger steps than that, and complains of itself.
        GtkWidget* scale = gimp_procedure_dialog_get_spin_scale(dialog, param.name, 1.0);
        gtk_spin_button_set_digits(GTK_SPIN_BUTTON(scale), static_cast<guint>(param.digits));
        break;
      }
      GtkWidget* scale = gimp_procedure_dialog_get_scale_entry(dialog, param.name, 1.0);
      // TRUE: the slider only; the number beside it keeps the whole range.
      gimp_scale_entry_set_bounds(GIMP_SCALE_ENTRY(scale), param.slider.min, param.slider.max,
                                  TRUE);
      const int digits = param.kind == Kind::integer ? 0 : param.digits;
      gimp_label_spin_set_digits(GIMP_LABEL_SPIN(scale), digits);
      break;
    }
    case Kind::toggle:
      gimp_procedure_dialog_get_widget(dialog, param.name, GTK_TYPE_CHECK_BUTTON);
      break;
    case Kind::choice:
      gimp_procedure_dialog_get_widget(dialog, param.name, GTK_TYPE_COMBO_BOX);
      break;
    case Kind::text:
      gimp_procedure_dialog_get_widget(dialog, param.name, GIMP_TYPE_LABEL_ENTRY);
      break;
  }
}

/// Two parameters that a check box keeps equal.
struct Link {
  GimpProcedureConfig* config;
  const char *first, *second;
  GBinding* binding = nullptr;
};

void link_toggled(GtkToggleButton* button, gpointer data) {
  auto& link = *static_cast<Link*>(data);
  g_clear_pointer(&link.binding, g_binding_unbind);
  if (gtk_toggle_button_get_active(button))
    link.binding = g_object_bind_property(
        link.config, link.first, link.config, link.second,
        static_cast<GBindingFlags>(G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE));
}

/// Shows two linked parameters with a check box below; the name of the whole.
std::string add_linked(GimpProcedureDialog* dialog, Link& link, bool equal) {
  const std::string name = std::string{link.second} + "-box";
  GtkWidget* box =
      gimp_procedure_dialog_fill_box(dialog, name.c_str(), link.first, link.second, nullptr);
  GtkWidget* button = gtk_check_button_new_with_mnemonic(_("_Keep equal"));
  g_signal_connect(button, "toggled", G_CALLBACK(link_toggled), &link);
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), equal);
  gtk_box_pack_end(GTK_BOX(box), button, FALSE, FALSE, 0);
  gtk_widget_show(button);
  return name;
}

/// The position of the parameter that `param` is linked to; the table's size if there is none.
std::size_t partner_of(std::span<const Param> params, const Param& param) {
  std::size_t i = 0;
  while (i < params.size() &&
         (param.linked_to == nullptr || std::string_view{params[i].name} != param.linked_to))
    ++i;
  return i;
}

/// Makes the widgets of all parameters; the names to fill the dialog with, in order.
GList* add_widgets(GimpProcedureDialog* dialog, const State& state, std::list<Link>& links) {
  const auto params = state.filter.params;
  const Values values = values_of(state.filter, state.config);
  // GIMP 3.0 keeps an empty text as none at all, which its own widget complains of.
  for (std::size_t i = 0; i < params.size(); ++i)
    if (params[i].kind == Kind::text)
      g_object_set(state.config, params[i].name, std::get<std::string>(values[i]).c_str(), nullptr);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < params.size(); ++i) {
    add_widget(dialog, params[i]);
    names.emplace_back(params[i].name);
    const std::size_t partner = partner_of(params, params[i]);
    if (partner >= i) continue;
    links.push_back({state.config, params[partner].name, params[i].name});
    names[partner] = add_linked(dialog, links.back(), values[partner] == values[i]);
    names[i].clear();
  }
  if (state.filter.takes_aux()) {
    gimp_procedure_dialog_get_widget(dialog, "aux", G_TYPE_NONE);
    names.emplace_back("aux");
  }
  GList* list = nullptr;
  for (const std::string& name : names)
    if (!name.empty()) list = g_list_append(list, g_strdup(name.c_str()));
  return list;
}

bool show_dialog(const FilterEntry& filter, GimpProcedure* procedure, GimpProcedureConfig* config,
                 GimpDrawable* drawable) {
  check_display();
  gimp_ui_init(PLUGIN_NAME);
  GtkWidget* widget =
      gimp_procedure_dialog_new(procedure, config, display_name(filter.info).c_str());
  auto* dialog = GIMP_PROCEDURE_DIALOG(widget);
  State state{filter, config, Gimp3Drawable{drawable}, Buffer{gimp_drawable_get_buffer(drawable)}};
  state.dialog = GTK_DIALOG(widget);
  state.error = add_label(dialog, "error"), state.device = add_label(dialog, "device");

  std::list<Link> links;
  GList* contents = add_widgets(dialog, state, links);
  gulong redraw = 0;  // shows the values: in the preview, or else in words
  if (has_preview(filter)) {
    GtkWidget* preview = gimp_procedure_dialog_get_drawable_preview(dialog, "preview", drawable);
    g_signal_connect(preview, "invalidated", G_CALLBACK(draw_preview), &state);
    redraw =
        g_signal_connect_swapped(config, "notify", G_CALLBACK(gimp_preview_invalidate), preview);
    contents = g_list_prepend(contents, g_strdup("preview"));
  } else {
    redraw = g_signal_connect(config, "notify", G_CALLBACK(values_changed), &state);
  }
  contents = g_list_append(g_list_append(contents, g_strdup("error")), g_strdup("device"));
  gimp_procedure_dialog_fill_list(dialog, contents);
  g_list_free_full(contents, g_free);
  current_job(state);

  bool accepted = false;
  do accepted = gimp_procedure_dialog_run(dialog);
  while (accepted && !current_job(state));
  g_signal_handler_disconnect(config, redraw);
  for (Link& link : links) g_clear_pointer(&link.binding, g_binding_unbind);
  gtk_widget_destroy(widget);
  return accepted;
}

void show_text(const char* title, const std::string& text) {
  check_display();
  gimp_ui_init(PLUGIN_NAME);
  GtkWidget* dialog = gimp_dialog_new(title, PLUGIN_NAME, nullptr, static_cast<GtkDialogFlags>(0),
                                      nullptr, nullptr, _("_Close"), GTK_RESPONSE_CLOSE, nullptr);
  GtkWidget* label = gtk_label_new(text.c_str());
  gtk_label_set_selectable(GTK_LABEL(label), TRUE);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_container_set_border_width(GTK_CONTAINER(gtk_dialog_get_content_area(GTK_DIALOG(dialog))),
                                 12);
  gtk_container_add(GTK_CONTAINER(gtk_dialog_get_content_area(GTK_DIALOG(dialog))), label);
  gtk_widget_show_all(dialog);
  gtk_widget_grab_focus(gtk_dialog_get_widget_for_response(GTK_DIALOG(dialog), GTK_RESPONSE_CLOSE));
  gimp_dialog_run(GIMP_DIALOG(dialog));
  gtk_widget_destroy(dialog);
}

}  // namespace
}  // namespace cuda_filters::plugin

const cuda_filters::plugin::Dialogs cuda_filters_dialogs{cuda_filters::plugin::show_dialog,
                                                         cuda_filters::plugin::show_text};
