// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <libgimp/gimp.h>
#include <libgimp/gimpui.h>

#include <functional>
#include <string>

// What GTK 2 and GTK 3 name differently, and what both lack.

namespace cuda_filters::plugin {

GtkWidget* new_box(GtkOrientation orientation, int spacing);

/// A row of widgets with a space between them.
inline GtkWidget* new_row(int spacing = 6) { return new_box(GTK_ORIENTATION_HORIZONTAL, spacing); }

/// A column of widgets with a space between them.
inline GtkWidget* new_column(int spacing = 6) { return new_box(GTK_ORIENTATION_VERTICAL, spacing); }

/// A slider without a number beside it.
GtkWidget* new_slider(GtkAdjustment* adjustment);

/// A text that begins at the left end of its room; `mnemonic`: with the mark of one.
GtkWidget* new_label(const char* text, bool mnemonic = false);

/// A text that takes more lines where it would make its window wide.
GtkWidget* new_wrapped_label();

/// Aligns a label's text: 0 is the left or upper end of its room, 1 the right or lower one.
void align(GtkWidget* label, float x, float y = 0.5f);

/// Lets a widget leave the room across that is left over to those beside it, whatever it holds.
void keep_narrow(GtkWidget* widget);

/// A button with a picture, whose tooltip and name say what it does.
GtkWidget* new_icon_button(const char* icon, const char* what);

/// Where a widget takes more room than it needs.
enum class Grow { none, across, both };

/// Widgets in aligned rows and columns.
class Grid {
 public:
  explicit Grid(int spacing = 6);
  GtkWidget* widget() const { return grid_; }
  void attach(GtkWidget* child, int column, int row, int width = 1, int height = 1,
              Grow grow = Grow::none);

 private:
  GtkWidget* grid_;
};

/// Calls `handler` whenever an object emits a signal that expects no answer, as long as it lives.
gulong connect(gpointer object, const char* signal, std::function<void()> handler);

/// Calls `handler` for an event of a widget; true ends the event.
template <class Event>
void on_event(GtkWidget* widget, const char* signal, std::function<bool(const Event&)> handler) {
  using Handler = std::function<bool(const Event&)>;
  const auto call = +[](GtkWidget*, Event* event, Handler* connected) -> gboolean {
    return (*connected)(*event);
  };
  g_signal_connect_data(
      widget, signal, G_CALLBACK(call), new Handler{std::move(handler)},
      [](gpointer data, GClosure*) { delete static_cast<Handler*>(data); },
      static_cast<GConnectFlags>(0));
}

/// Calls `draw` with the size of a drawing area whenever it is to be drawn.
void on_draw(GtkWidget* area, std::function<void(cairo_t*, int width, int height)> draw);

/// Lets the mnemonic of a label lead to one of the widgets inside of `container`.
void set_mnemonic_target(GtkWidget* container, GtkWidget* inside);

/// A frame of that size, at least, in which a widget is scrolled if it is larger.
GtkWidget* new_scrolled(GtkWidget* child, int width, int height);

/// The widget itself, or, if it is larger than that, a frame of that size at most in which it is
/// scrolled.
GtkWidget* new_scrolled_to_fit(GtkWidget* child, int max_width, int max_height);

/// Opens a menu below a button.
void pop_up(GtkWidget* menu, GtkWidget* button);

/// All of a text.
std::string text_in(GtkTextBuffer* buffer);

/// Gives all letters of a text view one width.
void use_fixed_width_font(GtkWidget* text_view);

/// What assistive technologies call a widget that no label names.
void set_accessible_name(GtkWidget* widget, const char* name);

/// Shows `text` in bold, or quietly in small letters.
void set_bold(GtkWidget* label, const std::string& text);
void set_small(GtkWidget* label, const std::string& text);

}  // namespace cuda_filters::plugin
