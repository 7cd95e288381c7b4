// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/filter_dialog.hpp"

#include "plugin/dialog/gimp_ui.hpp"
#include "plugin/dialog/param_grid.hpp"
#include "plugin/dialog/preset_row.hpp"
#include "plugin/dialog/preview.hpp"
#include "plugin/dialog/toolkit.hpp"
#include "plugin/display.hpp"
#include "plugin/i18n.hpp"
#include "plugin/names.hpp"

namespace cuda_filters::plugin {
namespace {

/// The dialog of one filter: a preview, unless the filter changes the size, and beside it the
/// parameters; below, what is wrong, and where the filter will run.
class FilterDialog {
 public:
  FilterDialog(const FilterEntry& filter, Drawable& drawable, FilterSettings& settings)
      : filter_{filter},
        drawable_{drawable},
        buffer_{drawable.buffer()},
        settings_{settings},
        dialog_{new_dialog(filter)},
        params_{filter, drawable, settings, [this] { show_job(); }},
        presets_{filter,
                 {.window = GTK_WINDOW(dialog_),
                  .values = [this] { return params_.settings().values; },
                  .show =
                      [this](const Values& values) {
                        params_.show({values, params_.settings().aux});
                      },
                  .complain = [this](const std::string& error) { show_error(error); }}} {
    build();
    show_job();
  }
  FilterDialog(const FilterDialog&) = delete;
  ~FilterDialog() { gtk_widget_destroy(dialog_); }

  bool run() {
    gtk_widget_show_all(dialog_);
    gtk_widget_child_focus(params_.widget(), GTK_DIR_TAB_FORWARD);
    for (;;) switch (gimp_dialog_run(GIMP_DIALOG(dialog_))) {
        case reset:
          params_.show({.values = initial_values(filter_)});
          break;
        case GTK_RESPONSE_OK:
          // An entry that is still being written in takes over what it shows.
          gtk_window_set_focus(GTK_WINDOW(dialog_), nullptr);
          if (!accepted_) break;
          settings_ = params_.settings();
          return true;
        default:
          return false;
      }
  }

 private:
  static constexpr int reset = 1;

  static GtkWidget* new_dialog(const FilterEntry& filter) {
    GtkWidget* dialog = gimp_dialog_new(
        display_name(filter.info).c_str(), PLUGIN_NAME, nullptr, static_cast<GtkDialogFlags>(0),
        gimp_standard_help_func, procedure_of(filter).c_str(), _("_Reset"), reset, _("_Cancel"),
        GTK_RESPONSE_CANCEL, _("_OK"), GTK_RESPONSE_OK, nullptr);
    // The button is GIMP's, if the user wants help at all; some of its catalogs lack the word.
    if (GtkWidget* help = gtk_dialog_get_widget_for_response(GTK_DIALOG(dialog), GTK_RESPONSE_HELP))
      gtk_button_set_label(GTK_BUTTON(help), _("_Help"));
    gtk_dialog_set_default_response(GTK_DIALOG(dialog), GTK_RESPONSE_OK);
    gimp_window_set_transient(GTK_WINDOW(dialog));
    return dialog;
  }

  void build() {
    GtkWidget* column = new_column(12);
    gtk_container_set_border_width(GTK_CONTAINER(column), 12);
    GtkWidget* content = gtk_dialog_get_content_area(GTK_DIALOG(dialog_));
    gtk_box_pack_start(GTK_BOX(content), column, TRUE, TRUE, 0);
    GtkWidget* row = new_row(12);
    gtk_box_pack_start(GTK_BOX(column), row, TRUE, TRUE, 0);
    if (has_preview(filter_)) {
      preview_.emplace(
          drawable_, buffer_, checks(), filter_.keeps_size(),
          Preview::Listener{
              .failed = [this](const std::string& error) { show_error(error); },
              .created = [this](const auto& values) { show_summary(filter_.summary_of(values)); }});
      gtk_box_pack_start(GTK_BOX(row), preview_->widget(), TRUE, TRUE, 0);
    }
    GtkWidget* settings = new_column(12);
    if (preview_) keep_narrow(settings);
    gtk_box_pack_start(GTK_BOX(row), settings, !preview_, TRUE, 0);
    gtk_box_pack_start(GTK_BOX(settings), presets_.widget(), FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(settings), params_.widget(), TRUE, TRUE, 0);
    summary_ = new_wrapped_label();
    gtk_box_pack_start(GTK_BOX(settings), summary_, FALSE, FALSE, 0);
    gtk_widget_set_no_show_all(summary_, TRUE);
    build_error_row(column);
    device_ = new_wrapped_label();
    gtk_box_pack_start(GTK_BOX(column), device_, FALSE, FALSE, 0);
  }

  void build_error_row(GtkWidget* column) {
    error_row_ = new_row();
    error_ = new_wrapped_label();
    GtkWidget* icon =
        gtk_image_new_from_icon_name(GIMP_ICON_DIALOG_WARNING, GTK_ICON_SIZE_LARGE_TOOLBAR);
    gtk_box_pack_start(GTK_BOX(error_row_), icon, FALSE, FALSE, 0);
    gtk_box_pack_start(GTK_BOX(error_row_), error_, TRUE, TRUE, 0);
    gtk_box_pack_start(GTK_BOX(column), error_row_, FALSE, FALSE, 0);
    gtk_widget_show_all(error_row_);
    gtk_widget_set_no_show_all(error_row_, TRUE);
  }

  /// Shows the result of the values in the dialog; if they have none, it says why, and OK waits.
  void show_job() {
    std::optional<Job> job;
    try {
      const auto& [values, aux] = params_.settings();
      job = try_job(filter_, values, drawable_, drawable_or_none(aux).get(), status_);
    } catch (const std::exception& error) {  // none may pass through GTK
      status_.error = sentence_of(error);
    }
    set_small(device_, status_.device);
    show_summary(status_.summary);
    gimp_help_set_help_data(device_, status_.reason.c_str(), nullptr);
    show_error(status_.error);
    accepted_ = job.has_value();
    gtk_dialog_set_response_sensitive(GTK_DIALOG(dialog_), GTK_RESPONSE_OK, accepted_);
    presets_.update();
    if (preview_) preview_->set_job(std::move(job));
  }

  void show_summary(const std::string& summary) {
    set_small(summary_, summary);
    gtk_widget_set_visible(summary_, !summary.empty());
  }

  void show_error(const std::string& error) {
    set_bold(error_, error);
    gtk_widget_set_visible(error_row_, !error.empty());
  }

  const FilterEntry& filter_;
  Drawable& drawable_;
  Buffer buffer_;  // kept, for its tiles
  FilterSettings& settings_;
  GtkWidget *dialog_, *device_ = nullptr, *error_row_ = nullptr, *error_ = nullptr;
  GtkWidget* summary_ = nullptr;
  ParamGrid params_;
  PresetRow presets_;
  std::optional<Preview> preview_;
  JobStatus status_;
  bool accepted_ = false;  ///< whether there is a result
};

}  // namespace

bool show_filter_dialog(const FilterEntry& filter, Drawable& drawable, FilterSettings& settings) {
  check_display();
  init_ui(has_preview(filter));
  return FilterDialog{filter, drawable, settings}.run();
}

}  // namespace cuda_filters::plugin
