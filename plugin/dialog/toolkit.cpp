// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/toolkit.hpp"

#include <algorithm>
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

GtkWidget* new_icon_button(const char* icon, const char* what) {
  GtkWidget* button = gtk_button_new();
  gtk_container_add(GTK_CONTAINER(button), gtk_image_new_from_icon_name(icon, GTK_ICON_SIZE_MENU));
  gimp_help_set_help_data(button, what, nullptr);
  set_accessible_name(button, what);
  return button;
}

void align(GtkWidget* label, float x, float y) {
#if GTK_MAJOR_VERSION < 3
  gtk_misc_set_alignment(GTK_MISC(label), x, y);
#else
  gtk_label_set_xalign(GTK_LABEL(label), x);
  gtk_label_set_yalign(GTK_LABEL(label), y);
#endif
}

void keep_narrow([[maybe_unused]] GtkWidget* widget) {
#if GTK_MAJOR_VERSION >= 3
  gtk_widget_set_hexpand(widget, FALSE);  // else it is as its children are
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

GtkWidget* new_scrolled(GtkWidget* child, int width, int height) {
  GtkWidget* window = gtk_scrolled_window_new(nullptr, nullptr);
  auto* scrolled = GTK_SCROLLED_WINDOW(window);
  gtk_scrolled_window_set_policy(scrolled, GTK_POLICY_AUTOMATIC, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_shadow_type(scrolled, GTK_SHADOW_IN);
  gtk_widget_set_size_request(window, width, height);
  gtk_container_add(GTK_CONTAINER(window), child);
  return window;
}

GtkWidget* new_scrolled_to_fit(GtkWidget* child, int max_width, int max_height) {
  constexpr int scrollbar = 24;
  GtkRequisition size;
  gtk_widget_show_all(child);
#if GTK_MAJOR_VERSION < 3
  gtk_widget_size_request(child, &size);
#else
  gtk_widget_get_preferred_size(child, nullptr, &size);
#endif
  if (size.width <= max_width && size.height <= max_height) return child;
  GtkWidget* viewport = gtk_viewport_new(nullptr, nullptr);
  gtk_container_add(GTK_CONTAINER(viewport), child);
  GtkWidget* window = new_scrolled(viewport, std::min(size.width + scrollbar, max_width),
                                   std::min(size.height + scrollbar, max_height));
  // What gets the keyboard is scrolled into view.
  auto* scrolled = GTK_SCROLLED_WINDOW(window);
  gtk_container_set_focus_hadjustment(GTK_CONTAINER(child),
                                      gtk_scrolled_window_get_hadjustment(scrolled));
  gtk_container_set_focus_vadjustment(GTK_CONTAINER(child),
                                      gtk_scrolled_window_get_vadjustment(scrolled));
  return window;
}

void pop_up(GtkWidget* menu, GtkWidget* button) {
#if GTK_MAJOR_VERSION < 3
  const auto place = +[](GtkMenu*, gint* x, gint* y, gboolean* push_in, gpointer data) {
    auto* below = static_cast<GtkWidget*>(data);
    GtkAllocation room;
    gtk_widget_get_allocation(below, &room);
    gdk_window_get_origin(gtk_widget_get_window(below), x, y);
    *x += room.x, *y += room.y + room.height;
    *push_in = TRUE;
  };
  gtk_menu_popup(GTK_MENU(menu), nullptr, nullptr, place, button, 0, gtk_get_current_event_time());
#else
  // GTK wants an event, of which there is none any more when a key has pressed the button.
  GdkEvent* event = gtk_get_current_event();
  if (event == nullptr) {
    event = gdk_event_new(GDK_KEY_PRESS);
    event->key.window = GDK_WINDOW(g_object_ref(gtk_widget_get_window(button)));
    GdkSeat* seat = gdk_display_get_default_seat(gtk_widget_get_display(button));
    gdk_event_set_device(event, gdk_seat_get_keyboard(seat));
  }
  gtk_menu_popup_at_widget(GTK_MENU(menu), button, GDK_GRAVITY_SOUTH_WEST, GDK_GRAVITY_NORTH_WEST,
                           event);
  gdk_event_free(event);
#endif
}

std::string text_in(GtkTextBuffer* buffer) {
  GtkTextIter begin, end;
  gtk_text_buffer_get_bounds(buffer, &begin, &end);
  gchar* text = gtk_text_buffer_get_text(buffer, &begin, &end, FALSE);
  std::string copy = text;
  g_free(text);
  return copy;
}

void use_fixed_width_font(GtkWidget* text_view) {
#if GTK_MAJOR_VERSION < 3
  PangoFontDescription* font = pango_font_description_from_string("Monospace");
  gtk_widget_modify_font(text_view, font);
  pango_font_description_free(font);
#else
  gtk_text_view_set_monospace(GTK_TEXT_VIEW(text_view), TRUE);
#endif
}

void set_accessible_name(GtkWidget* widget, const char* name) {
  atk_object_set_name(gtk_widget_get_accessible(widget), name);
}

void set_bold(GtkWidget* label, const std::string& text) { set_markup(label, "<b>%s</b>", text); }

void set_small(GtkWidget* label, const std::string& text) {
  set_markup(label, "<small>%s</small>", text);
}

}  // namespace cuda_filters::plugin
