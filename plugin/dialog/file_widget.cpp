// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/file_widget.hpp"

#include <filesystem>
#include <sstream>
#include <string>
#include <utility>

#include "plugin/dialog/toolkit.hpp"
#include "plugin/i18n.hpp"

namespace cuda_filters::plugin {
namespace {

/// What names of a file may look like, as a choice of a file chooser.
GtkFileFilter* filter_of(const char* patterns) {
  GtkFileFilter* filter = gtk_file_filter_new();
  gtk_file_filter_set_name(filter, patterns);
  std::istringstream words{patterns};
  for (std::string pattern; words >> pattern;) gtk_file_filter_add_pattern(filter, pattern.c_str());
  return filter;
}

GtkFileFilter* all_files() {
  GtkFileFilter* filter = gtk_file_filter_new();
  gtk_file_filter_set_name(filter, _("All files"));
  gtk_file_filter_add_pattern(filter, "*");
  return filter;
}

}  // namespace

FileWidget::FileWidget(const Param& param, std::function<void()> changed)
    : param_{param}, row_{new_row()}, entry_{gtk_entry_new()} {
  gtk_entry_set_activates_default(GTK_ENTRY(entry_), TRUE);
  gtk_entry_set_width_chars(GTK_ENTRY(entry_), 32);
  gimp_help_set_help_data(entry_, _(param.blurb), nullptr);
  connect(entry_, "changed", std::move(changed));
  GtkWidget* button = new_icon_button(GIMP_ICON_DOCUMENT_OPEN, _("Choose a file"));
  connect(button, "clicked", [this] { ask(); });
  gtk_box_pack_start(GTK_BOX(row_), entry_, TRUE, TRUE, 0);
  gtk_box_pack_start(GTK_BOX(row_), button, FALSE, FALSE, 0);
  set_mnemonic_target(row_, entry_);
}

Value FileWidget::value() const { return std::string{gtk_entry_get_text(GTK_ENTRY(entry_))}; }

void FileWidget::show(const Value& value) {
  gtk_entry_set_text(GTK_ENTRY(entry_), std::get<std::string>(value).c_str());
}

void FileWidget::ask() {
  GtkWidget* window = gtk_widget_get_toplevel(entry_);
  GtkWidget* dialog = gtk_file_chooser_dialog_new(
      _("Choose a file"), GTK_WINDOW(window), GTK_FILE_CHOOSER_ACTION_OPEN, _("_Cancel"),
      GTK_RESPONSE_CANCEL, _("_OK"), GTK_RESPONSE_ACCEPT, nullptr);
  gtk_dialog_set_default_response(GTK_DIALOG(dialog), GTK_RESPONSE_ACCEPT);
  auto* chooser = GTK_FILE_CHOOSER(dialog);
  gtk_file_chooser_add_filter(chooser, filter_of(param_.file_patterns));
  gtk_file_chooser_add_filter(chooser, all_files());
  if (const auto name = std::get<std::string>(value()); !name.empty()) {
    std::error_code failure;
    const auto path = std::filesystem::absolute(name, failure);
    if (!failure) gtk_file_chooser_set_filename(chooser, path.c_str());
  }
  if (gtk_dialog_run(GTK_DIALOG(dialog)) == GTK_RESPONSE_ACCEPT)
    if (gchar* chosen = gtk_file_chooser_get_filename(chooser); chosen != nullptr) {
      gtk_entry_set_text(GTK_ENTRY(entry_), chosen);
      g_free(chosen);
    }
  gtk_widget_destroy(dialog);
}

}  // namespace cuda_filters::plugin
