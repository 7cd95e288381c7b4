// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <libgimp/gimpui.h>

#include <cmath>

#include "plugin/gimp3/host.hpp"
#include "plugin/text.hpp"

namespace cuda_filters::plugin {
namespace {

/// What the preview's callback needs.
struct PreviewState {
  const FilterEntry& filter;
  GimpProcedureConfig* config;
  Gimp3Drawable drawable;
  Buffer buffer;  // kept, for its tiles
};

void draw_preview(GimpPreview* preview, gpointer data) {
  auto& state = *static_cast<PreviewState*>(data);
  Rect area;
  gimp_preview_get_position(preview, &area.x, &area.y);
  gimp_preview_get_size(preview, &area.width, &area.height);
  try {
    const Job job = make_job(state.filter, values_of(state.filter, state.config));
    const auto bytes = plugin::preview(job, state.drawable, state.buffer, area);
    gimp_preview_draw_buffer(preview, bytes.data(), static_cast<int>(bytes.size()) / area.height);
  } catch (const Error&) {
    // A text that is only half typed: OK will say what is wrong with it.
  }
}

void add_widget(GimpProcedureDialog* dialog, const Param& param) {
  switch (param.kind) {
    case Kind::real:
    case Kind::integer: {
      GtkWidget* scale = gimp_procedure_dialog_get_scale_entry(dialog, param.name, 1.0);
      gimp_scale_entry_set_bounds(GIMP_SCALE_ENTRY(scale), param.slider.min, param.slider.max,
                                  FALSE);
      const int digits = param.kind == Kind::integer ? 0 : param.digits;
      gimp_label_spin_set_digits(GIMP_LABEL_SPIN(scale), digits);
      break;
    }
    case Kind::toggle:
      gimp_procedure_dialog_get_widget(dialog, param.name, GTK_TYPE_CHECK_BUTTON);
      break;
    case Kind::choice:
      gimp_procedure_dialog_get_widget(dialog, param.name, GIMP_TYPE_STRING_COMBO_BOX);
      break;
    case Kind::text:
      gimp_procedure_dialog_get_widget(dialog, param.name, GTK_TYPE_ENTRY);
      break;
  }
}

/// Two parameters that a check box keeps equal.
struct Link {
  GimpProcedureConfig* config;
  std::string first, second;
  GtkToggleButton* button;

  double value(const std::string& name) const {
    gdouble value = 0.0;
    g_object_get(config, name.c_str(), &value, nullptr);
    return value;
  }
  void copy(const std::string& from, const std::string& to) {
    if (gtk_toggle_button_get_active(button) && value(from) != value(to))
      g_object_set(config, to.c_str(), value(from), nullptr);
  }
};

void first_changed(GObject*, GParamSpec*, gpointer link) {
  auto& l = *static_cast<Link*>(link);
  l.copy(l.first, l.second);
}
void second_changed(GObject*, GParamSpec*, gpointer link) {
  auto& l = *static_cast<Link*>(link);
  l.copy(l.second, l.first);
}

/// Shows two linked parameters with a check box below; the box's name.
std::string add_linked(GimpProcedureDialog* dialog, const Param& second, Link& link) {
  link.first = second.linked_to;
  link.second = second.name;
  const std::string name = link.second + "-box";
  GtkWidget* box = gimp_procedure_dialog_fill_box(dialog, name.c_str(), link.first.c_str(),
                                                  link.second.c_str(), nullptr);
  GtkWidget* button = gtk_check_button_new_with_mnemonic(_("_Keep equal"));
  link.button = GTK_TOGGLE_BUTTON(button);
  gtk_toggle_button_set_active(link.button, link.value(link.first) == link.value(link.second));
  gtk_box_pack_end(GTK_BOX(box), button, FALSE, FALSE, 0);
  gtk_widget_show(button);
  g_signal_connect(link.config, ("notify::" + link.first).c_str(), G_CALLBACK(first_changed),
                   &link);
  g_signal_connect(link.config, ("notify::" + link.second).c_str(), G_CALLBACK(second_changed),
                   &link);
  return name;
}

}  // namespace

bool show_dialog(const FilterEntry& filter, GimpProcedure* procedure, GimpProcedureConfig* config,
                 GimpDrawable* drawable) {
  gimp_ui_init(PLUGIN_NAME);
  GtkWidget* widget = gimp_procedure_dialog_new(procedure, config, _(filter.info.title));
  auto* dialog = GIMP_PROCEDURE_DIALOG(widget);
  PreviewState state{filter, config, Gimp3Drawable{drawable},
                     Buffer{gimp_drawable_get_buffer(drawable)}};
  GtkWidget* preview = gimp_procedure_dialog_get_drawable_preview(dialog, "preview", drawable);
  g_signal_connect(preview, "invalidated", G_CALLBACK(draw_preview), &state);
  const gulong redraw =
      g_signal_connect_swapped(config, "notify", G_CALLBACK(gimp_preview_invalidate), preview);

  Link link{config, {}, {}, nullptr};
  GList* contents = g_list_append(nullptr, g_strdup("preview"));
  for (std::size_t i = 0; i < filter.params.size(); ++i) {
    const Param& param = filter.params[i];
    add_widget(dialog, param);
    const bool linked_by_next =
        i + 1 < filter.params.size() && filter.params[i + 1].linked_to == std::string{param.name};
    if (linked_by_next) continue;
    const std::string name =
        param.linked_to != nullptr ? add_linked(dialog, param, link) : param.name;
    contents = g_list_append(contents, g_strdup(name.c_str()));
  }
  gimp_procedure_dialog_get_label(dialog, "device", device_text().c_str(), FALSE, FALSE);
  contents = g_list_append(contents, g_strdup("device"));
  gimp_procedure_dialog_fill_list(dialog, contents);
  g_list_free_full(contents, g_free);

  const bool accepted = gimp_procedure_dialog_run(dialog);
  g_signal_handler_disconnect(config, redraw);
  g_signal_handlers_disconnect_by_data(config, &link);
  gtk_widget_destroy(widget);
  return accepted;
}

void show_info(const std::string& text) {
  gimp_ui_init(PLUGIN_NAME);
  GtkWidget* dialog = gimp_dialog_new(_("CUDA Filters: Devices"), PLUGIN_NAME, nullptr,
                                      static_cast<GtkDialogFlags>(0), nullptr, nullptr, _("_Close"),
                                      GTK_RESPONSE_CLOSE, nullptr);
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

}  // namespace cuda_filters::plugin
