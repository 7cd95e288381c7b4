// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/text_window.hpp"

#include "plugin/dialog/gimp_ui.hpp"
#include "plugin/dialog/toolkit.hpp"
#include "plugin/display.hpp"
#include "plugin/i18n.hpp"

namespace cuda_filters::plugin {

void show_text_window(const char* title, const std::string& text) {
  check_display();
  init_ui(false);
  GtkWidget* dialog = gimp_dialog_new(title, PLUGIN_NAME, nullptr, static_cast<GtkDialogFlags>(0),
                                      nullptr, nullptr, _("_Close"), GTK_RESPONSE_CLOSE, nullptr);
  GtkWidget* label = new_label(text.c_str());
  gtk_label_set_selectable(GTK_LABEL(label), TRUE);
  GtkWidget* column = new_column();
  gtk_container_set_border_width(GTK_CONTAINER(column), 12);
  gtk_box_pack_start(GTK_BOX(column), label, TRUE, TRUE, 0);
  gtk_container_add(GTK_CONTAINER(gtk_dialog_get_content_area(GTK_DIALOG(dialog))), column);
  gtk_widget_show_all(dialog);
  gtk_widget_grab_focus(gtk_dialog_get_widget_for_response(GTK_DIALOG(dialog), GTK_RESPONSE_CLOSE));
  gimp_dialog_run(GIMP_DIALOG(dialog));
  gtk_widget_destroy(dialog);
}

}  // namespace cuda_filters::plugin
