// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <libgimp/gimp.h>
#include <libgimp/gimpui.h>

#include <functional>
#include <string_view>
#include <utility>

#include "plugin/dialogs.hpp"
#include "plugin/display.hpp"
#include "plugin/gimp2/host.hpp"
#include "plugin/i18n.hpp"
#include "plugin/names.hpp"

namespace cuda_filters::plugin {
namespace {

/// The checks that the user has chosen in GIMP's preferences.
Checks checks() {
  guchar light, dark;
  gimp_checks_get_shades(gimp_check_type(), &light, &dark);
  return {4 << gimp_check_size(), {{light, light, light}, {dark, dark, dark}}};
}

/// The dialog of one filter: a preview, unless the filter changes the size, and a row of widgets
/// for each parameter.
class Dialog {
 public:
  Dialog(const FilterEntry& filter, gint32 drawable, FilterSettings& settings)
      : filter_{filter},
        drawable_{drawable},
        buffer_{drawable_.buffer()},
        values_{settings.values},
        aux_{settings.aux},
        rows_(filter.params.size()) {
    build(drawable);
  }
  ~Dialog() { gtk_widget_destroy(dialog_); }

  bool run() {
    gtk_widget_show_all(dialog_);
    for (;;) switch (gimp_dialog_run(GIMP_DIALOG(dialog_))) {
        case reset:
          for (std::size_t i = 0; i < rows_.size(); ++i)
            rows_[i].show(initial_value(filter_.params[i]));
          if (aux_box_ != nullptr)
            gimp_int_combo_box_set_active(GIMP_INT_COMBO_BOX(aux_box_), no_drawable);
          break;
        case GTK_RESPONSE_OK:
          if (current_job()) return true;
          break;
        default:
          return false;
      }
  }

 private:
  static constexpr int reset = 1;

  /// Two parameters that a check box keeps equal.
  struct Link {
    std::size_t first, second;
    GtkWidget* box;
  };

  /// What ties a parameter to its widget.
  struct Row {
    Dialog* dialog = nullptr;
    std::size_t index = 0;
    std::function<Value()> read;
    std::function<void(const Value&)> show;
  };

  void build(gint32 drawable) {
    dialog_ = gimp_dialog_new(display_name(filter_.info).c_str(), PLUGIN_NAME, nullptr,
                              static_cast<GtkDialogFlags>(0), gimp_standard_help_func,
                              procedure_of(filter_).c_str(), _("_Reset"), reset, _("_Cancel"),
                              GTK_RESPONSE_CANCEL, _("_OK"), GTK_RESPONSE_OK, nullptr);
    gtk_dialog_set_alternative_button_order(GTK_DIALOG(dialog_), GTK_RESPONSE_OK, reset,
                                            GTK_RESPONSE_CANCEL, -1);
    gtk_dialog_set_default_response(GTK_DIALOG(dialog_), GTK_RESPONSE_OK);
    gimp_window_set_transient(GTK_WINDOW(dialog_));

    GtkWidget* box = gtk_vbox_new(FALSE, 12);
    gtk_container_set_border_width(GTK_CONTAINER(box), 12);
    gtk_box_pack_start(GTK_BOX(gtk_dialog_get_content_area(GTK_DIALOG(dialog_))), box, TRUE, TRUE,
                       0);
    if (has_preview(filter_)) {
      preview_ = gimp_drawable_preview_new_from_drawable_id(drawable);
      gtk_box_pack_start(GTK_BOX(box), preview_, TRUE, TRUE, 0);
      g_signal_connect(preview_, "invalidated", G_CALLBACK(draw_preview), this);
    }

    const int count = static_cast<int>(rows_.size());
    GtkWidget* table = gtk_table_new(static_cast<guint>(2 * count + 2), 3, FALSE);
    gtk_table_set_col_spacings(GTK_TABLE(table), 6);
    gtk_table_set_row_spacings(GTK_TABLE(table), 6);
    gtk_box_pack_start(GTK_BOX(box), table, FALSE, FALSE, 0);
    for (int i = 0; i < count; ++i) add_row(GTK_TABLE(table), i);
    if (filter_.takes_aux()) add_aux_row(GTK_TABLE(table), count, drawable);

    error_ = add_label(box), device_ = add_label(box);
    gtk_widget_set_no_show_all(error_, TRUE);
    show_values();
  }

  static GtkWidget* add_label(GtkWidget* box) {
    GtkWidget* label = gtk_label_new(nullptr);
    gtk_misc_set_alignment(GTK_MISC(label), 0.0f, 0.5f);
    gtk_label_set_line_wrap(GTK_LABEL(label), TRUE);
    gtk_box_pack_start(GTK_BOX(box), label, FALSE, FALSE, 0);
    return label;
  }

  /// The job with the values in the dialog; if there is none, the dialog says why, and OK waits.
  std::optional<Job> current_job() {
    const auto aux = drawable_or_none(aux_);
    auto job = try_job(filter_, values_, drawable_, aux.get(), job_status_);
    gtk_label_set_text(GTK_LABEL(device_), job_status_.device.c_str());
    gimp_help_set_help_data(device_, job_status_.reason.c_str(), nullptr);
    show_error(job_status_.error);
    gtk_dialog_set_response_sensitive(GTK_DIALOG(dialog_), GTK_RESPONSE_OK, job.has_value());
    return job;
  }

  void show_error(const std::string& error) {
    gchar* markup = g_markup_printf_escaped("<b>%s</b>", error.c_str());
    gtk_label_set_markup(GTK_LABEL(error_), markup);
    g_free(markup);
    gtk_widget_set_visible(error_, !error.empty());
  }

  void add_row(GtkTable* table, int i) {
    const Param& param = filter_.params[static_cast<std::size_t>(i)];
    Row& row = rows_[static_cast<std::size_t>(i)];
    row.dialog = this;
    row.index = static_cast<std::size_t>(i);
    switch (param.kind) {
      case Kind::real:
      case Kind::integer:
        add_scale(table, i, param, row);
        break;
      case Kind::toggle:
        add_check_box(table, i, param, row);
        break;
      case Kind::choice:
        add_combo_box(table, i, param, row);
        break;
      case Kind::text:
        add_entry(table, i, param, row);
        break;
    }
    row.show(values_[row.index]);
    if (param.linked_to != nullptr) add_link(table, i, param);
  }

  void add_scale(GtkTable* table, int i, const Param& param, Row& row) {
    const int digits = param.kind == Kind::integer ? 0 : param.digits;
    const double step =
        param.kind == Kind::integer ? 1.0 : (param.slider.max - param.slider.min) / 100;
    GtkObject* adjustment = gimp_scale_entry_new(
        table, 0, 2 * i, label_of(param).c_str(), 140, 8, std::get<double>(values_[row.index]),
        param.slider.min, param.slider.max, step, 10 * step, static_cast<guint>(digits), FALSE,
        param.range.min, param.range.max, _(param.blurb), nullptr);
    auto* value = GTK_ADJUSTMENT(adjustment);
    row.read = [=] { return Value{gtk_adjustment_get_value(value)}; };
    row.show = [=](const Value& v) { gtk_adjustment_set_value(value, std::get<double>(v)); };
    g_signal_connect(adjustment, "value-changed", G_CALLBACK(changed), &row);
  }

  void add_check_box(GtkTable* table, int i, const Param& param, Row& row) {
    GtkWidget* box = gtk_check_button_new_with_mnemonic(_(param.label));
    gimp_help_set_help_data(box, _(param.blurb), nullptr);
    gtk_table_attach_defaults(table, box, 0, 3, guint(2 * i), guint(2 * i + 1));
    auto* toggle = GTK_TOGGLE_BUTTON(box);
    row.read = [=] { return Value{gtk_toggle_button_get_active(toggle) ? 1.0 : 0.0}; };
    row.show = [=](const Value& v) {
      gtk_toggle_button_set_active(toggle, std::get<double>(v) != 0.0);
    };
    g_signal_connect(box, "toggled", G_CALLBACK(changed), &row);
  }

  void add_combo_box(GtkTable* table, int i, const Param& param, Row& row) {
    GtkWidget* box = GTK_WIDGET(g_object_new(GIMP_TYPE_INT_COMBO_BOX, nullptr));
    int value = 0;
    for (const auto& [nick, label] : param.choices)
      gimp_int_combo_box_append(GIMP_INT_COMBO_BOX(box), GIMP_INT_STORE_VALUE, value++,
                                GIMP_INT_STORE_LABEL, _(label), -1);
    gimp_help_set_help_data(box, _(param.blurb), nullptr);
    gimp_table_attach_aligned(table, 0, 2 * i, _(param.label), 0.0f, 0.5f, box, 2, FALSE);
    row.read = [=] {
      gint active = 0;
      gimp_int_combo_box_get_active(GIMP_INT_COMBO_BOX(box), &active);
      return Value{static_cast<double>(active)};
    };
    row.show = [=](const Value& v) {
      gimp_int_combo_box_set_active(GIMP_INT_COMBO_BOX(box),
                                    static_cast<gint>(std::get<double>(v)));
    };
    g_signal_connect(box, "changed", G_CALLBACK(changed), &row);
  }

  void add_entry(GtkTable* table, int i, const Param& param, Row& row) {
    GtkWidget* entry = gtk_entry_new();
    gtk_entry_set_activates_default(GTK_ENTRY(entry), TRUE);
    gimp_help_set_help_data(entry, _(param.blurb), nullptr);
    gimp_table_attach_aligned(table, 0, 2 * i, _(param.label), 0.0f, 0.5f, entry, 2, FALSE);
    row.read = [=] { return Value{std::string{gtk_entry_get_text(GTK_ENTRY(entry))}}; };
    row.show = [=](const Value& v) {
      gtk_entry_set_text(GTK_ENTRY(entry), std::get<std::string>(v).c_str());
    };
    g_signal_connect(entry, "changed", G_CALLBACK(changed), &row);
  }

  /// A choice among the drawables of the same image, and none.
  void add_aux_row(GtkTable* table, int i, gint32 drawable) {
    const auto is_of_image = [](gint32 image, gint32 item, gpointer wanted) -> gboolean {
      return image == GPOINTER_TO_INT(wanted) && !gimp_item_is_group(item);
    };
    aux_box_ =
        gimp_drawable_combo_box_new(is_of_image, GINT_TO_POINTER(gimp_item_get_image(drawable)));
    auto* box = GIMP_INT_COMBO_BOX(aux_box_);
    gimp_int_combo_box_prepend(box, GIMP_INT_STORE_VALUE, no_drawable, GIMP_INT_STORE_LABEL,
                               _("None"), -1);
    gimp_help_set_help_data(aux_box_, _(filter_.aux_param().blurb), nullptr);
    gimp_table_attach_aligned(table, 0, 2 * i, _(filter_.aux_param().label), 0.0f, 0.5f, aux_box_,
                              2, FALSE);
    gimp_int_combo_box_connect(box, aux_, G_CALLBACK(aux_changed), this);
  }

  static void aux_changed(GtkWidget* box, gpointer data) {
    auto& self = *static_cast<Dialog*>(data);
    gint aux = no_drawable;
    gimp_int_combo_box_get_active(GIMP_INT_COMBO_BOX(box), &aux);
    if (std::exchange(self.aux_, aux) != aux) self.show_values();
  }

  /// A check box that keeps a parameter equal to the one that it is linked to.
  void add_link(GtkTable* table, int i, const Param& param) {
    Link link{0, static_cast<std::size_t>(i), gtk_check_button_new_with_mnemonic(_("_Keep equal"))};
    while (filter_.params[link.first].name != std::string_view{param.linked_to}) ++link.first;
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(link.box),
                                 values_[link.first] == values_[link.second]);
    gtk_table_attach_defaults(table, link.box, 0, 3, guint(2 * i + 1), guint(2 * i + 2));
    g_signal_connect(link.box, "toggled", G_CALLBACK(link_toggled), this);
    links_.push_back(link);
  }

  static void link_toggled(GtkToggleButton* box, gpointer data) {
    auto& self = *static_cast<Dialog*>(data);
    for (const Link& link : self.links_)
      if (link.box == GTK_WIDGET(box) && gtk_toggle_button_get_active(box))
        self.rows_[link.second].show(self.values_[link.first]);
  }

  static void changed(GtkWidget*, gpointer data) {
    const auto& row = *static_cast<Row*>(data);
    Dialog& dialog = *row.dialog;
    if (dialog.values_[row.index] == row.read()) return;
    dialog.values_[row.index] = row.read();
    for (const Link& link : dialog.links_) {
      if (!gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(link.box))) continue;
      if (row.index == link.first) dialog.rows_[link.second].show(row.read());
      if (row.index == link.second) dialog.rows_[link.first].show(row.read());
    }
    dialog.show_values();
  }

  /// In the preview, or else in words.
  void show_values() {
    if (preview_ != nullptr)
      gimp_preview_invalidate(GIMP_PREVIEW(preview_));
    else
      current_job();
  }

  static void draw_preview(GimpPreview* preview, gpointer data) {
    auto& self = *static_cast<Dialog*>(data);
    Rect area;
    gimp_preview_get_position(preview, &area.x, &area.y);
    gimp_preview_get_size(preview, &area.width, &area.height);
    try {
      const auto job = self.current_job();
      if (!job) return;
      const auto bytes = plugin::preview(*job, self.drawable_, self.buffer_, area, checks());
      gimp_preview_draw_buffer(preview, bytes.data(), static_cast<int>(bytes.size()) / area.height);
    } catch (const std::exception& error) {  // none may pass through GTK
      self.show_error(error.what());
    }
  }

  const FilterEntry& filter_;
  Gimp2Drawable drawable_;
  Buffer buffer_;  // kept, for its tiles
  Values& values_;
  gint32& aux_;
  std::vector<Row> rows_;
  std::vector<Link> links_;
  JobStatus job_status_;
  GtkWidget *dialog_ = nullptr, *preview_ = nullptr, *aux_box_ = nullptr;
  GtkWidget *device_ = nullptr, *error_ = nullptr;
};

bool show_dialog(const FilterEntry& filter, gint32 drawable, FilterSettings& settings) {
  check_display();
  gimp_ui_init(PLUGIN_NAME, TRUE);
  return Dialog{filter, drawable, settings}.run();
}

void show_text(const char* title, const std::string& text) {
  check_display();
  gimp_ui_init(PLUGIN_NAME, FALSE);
  GtkWidget* dialog = gimp_dialog_new(title, PLUGIN_NAME, nullptr, static_cast<GtkDialogFlags>(0),
                                      nullptr, nullptr, _("_Close"), GTK_RESPONSE_CLOSE, nullptr);
  GtkWidget* label = gtk_label_new(text.c_str());
  gtk_label_set_selectable(GTK_LABEL(label), TRUE);
  gtk_misc_set_alignment(GTK_MISC(label), 0.0f, 0.0f);
  gtk_misc_set_padding(GTK_MISC(label), 12, 12);
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
