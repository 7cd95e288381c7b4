// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/toolkit.hpp"

#include <utility>

namespace cuda_filters::plugin {
namespace {

constexpr bool is_gtk2 = GTK_MAJOR_VERSION < 3;

/// How long the lines of a text that may have several are, in letters.
constexpr int wrapped_chars = 45;

/// Deletes what a signal handler was connected with.
template <class T>
void forget(gpointer data, GClosure*) {
  delete static_cast<T*>(data);
}

void set_markup(GtkWidget* label, const char* format, const std::string& text) {
  gchar* markup = g_markup_printf_escaped(format, text.c_str());
  gtk_label_set_markup(GTK_LABEL(label), markup);
  g_free(markup);
}

}  // namespace

GtkWidget* new_box(GtkOrientation orientation, int spacing) {
#if GTK_MAJOR_VERSION < 3
  return orientation == GTK_ORIENTATION_HORIZONTAL ? gtk_hbox_new(FALSE, spacing)
                                                   : gtk_vbox_new(FALSE, spacing);
#else
  return gtk_box_new(orientation, spacing);
#endif
}

GtkWidget* new_slider(GtkAdjustment* adjustment) {
#if GTK_MAJOR_VERSION < 3
  GtkWidget* slider = gtk_hscale_new(adjustment);
#else
  GtkWidget* slider = gtk_scale_new(GTK_ORIENTATION_HORIZONTAL, adjustment);
#endif
  gtk_scale_set_draw_value(GTK_SCALE(slider), FALSE);
  return slider;
}

GtkWidget* new_label(const char* text, bool mnemonic) {
  GtkWidget* label = mnemonic ? gtk_label_new_with_mnemonic(text) : gtk_label_new(text);
  align(label, 0.0f);
  return label;
}

GtkWidget* new_wrapped_label() {
  GtkWidget* label = new_label(nullptr);
  gtk_label_set_line_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_width_chars(GTK_LABEL(label), wrapped_chars);
  gtk_label_set_max_width_chars(GTK_LABEL(label), wrapped_chars);
  return label;
}

void align(GtkWidget* label, float x) {
#if GTK_MAJOR_VERSION < 3
  gtk_misc_set_alignment(GTK_MISC(label), x, 0.5f);
#else
  gtk_label_set_xalign(GTK_LABEL(label), x);
#endif
}

Grid::Grid(int spacing) {
#if GTK_MAJOR_VERSION < 3
  grid_ = gtk_table_new(1, 1, FALSE);
  gtk_table_set_col_spacings(GTK_TABLE(grid_), static_cast<guint>(spacing));
  gtk_table_set_row_spacings(GTK_TABLE(grid_), static_cast<guint>(spacing));
#else
  grid_ = gtk_grid_new();
  gtk_grid_set_column_spacing(GTK_GRID(grid_), static_cast<guint>(spacing));
  gtk_grid_set_row_spacing(GTK_GRID(grid_), static_cast<guint>(spacing));
#endif
}

void Grid::attach(GtkWidget* child, int column, int row, int width, int height, Grow grow) {
#if GTK_MAJOR_VERSION < 3
  const auto grows = [](bool does) {
    return static_cast<GtkAttachOptions>(does ? GTK_EXPAND | GTK_FILL : GTK_FILL);
  };
  const auto at = [](int number) { return static_cast<guint>(number); };
  gtk_table_attach(GTK_TABLE(grid_), child, at(column), at(column + width), at(row),
                   at(row + height), grows(grow != Grow::none), grows(grow == Grow::both), 0, 0);
#else
  gtk_widget_set_hexpand(child, grow != Grow::none);
  gtk_widget_set_vexpand(child, grow == Grow::both);
  gtk_grid_attach(GTK_GRID(grid_), child, column, row, width, height);
#endif
}

gulong connect(gpointer object, const char* signal, std::function<void()> handler) {
  using Handler = std::function<void()>;
  // Swapped, the handler comes first, and what else the signal hands over does not matter.
  const auto call = +[](Handler* connected) { (*connected)(); };
  return g_signal_connect_data(object, signal, G_CALLBACK(call), new Handler{std::move(handler)},
                               forget<Handler>, G_CONNECT_SWAPPED);
}

void on_draw(GtkWidget* area, std::function<void(cairo_t*, int width, int height)> draw) {
  using Draw = std::function<void(cairo_t*, int, int)>;
  auto* const data = new Draw{std::move(draw)};
#if GTK_MAJOR_VERSION < 3
  const auto call = +[](GtkWidget* widget, GdkEventExpose* event, Draw* connected) -> gboolean {
    GtkAllocation room;
    gtk_widget_get_allocation(widget, &room);
    cairo_t* cairo = gdk_cairo_create(gtk_widget_get_window(widget));
    gdk_cairo_region(cairo, event->region);
    cairo_clip(cairo);
    (*connected)(cairo, room.width, room.height);
    cairo_destroy(cairo);
    return TRUE;
  };
#else
  const auto call = +[](GtkWidget* widget, cairo_t* cairo, Draw* connected) -> gboolean {
    (*connected)(cairo, gtk_widget_get_allocated_width(widget),
                 gtk_widget_get_allocated_height(widget));
    return TRUE;
  };
#endif
  g_signal_connect_data(area, is_gtk2 ? "expose-event" : "draw", G_CALLBACK(call), data,
                        forget<Draw>, static_cast<GConnectFlags>(0));
}

void set_mnemonic_target(GtkWidget* container, GtkWidget* inside) {
  const auto call = +[](GtkWidget*, gboolean, GtkWidget* target) -> gboolean {
    gtk_widget_grab_focus(target);
    return TRUE;
  };
  g_signal_connect(container, "mnemonic-activate", G_CALLBACK(call), inside);
}

void set_bold(GtkWidget* label, const std::string& text) { set_markup(label, "<b>%s</b>", text); }

void set_small(GtkWidget* label, const std::string& text) {
  set_markup(label, "<small>%s</small>", text);
}

}  // namespace cuda_filters::plugin
