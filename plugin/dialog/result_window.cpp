// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/result_window.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "plugin/dialog/gimp_ui.hpp"
#include "plugin/dialog/toolkit.hpp"
#include "plugin/display.hpp"
#include "plugin/histogram.hpp"
#include "plugin/i18n.hpp"

namespace cuda_filters::plugin {
namespace {

/// A window with something to read in it.
class ResultWindow {
 public:
  ResultWindow(const char* title, GtkWidget* content)
      : dialog_{gimp_dialog_new(title, PLUGIN_NAME, nullptr, static_cast<GtkDialogFlags>(0),
                                nullptr, nullptr, nullptr)},
        error_{new_wrapped_label()} {
    GtkWidget* column = new_column(12);
    gtk_container_set_border_width(GTK_CONTAINER(column), 12);
    gtk_box_pack_start(GTK_BOX(column), content, TRUE, TRUE, 0);
    gtk_box_pack_start(GTK_BOX(column), error_, FALSE, FALSE, 0);
    gtk_widget_set_no_show_all(error_, TRUE);
    gtk_box_pack_start(GTK_BOX(gtk_dialog_get_content_area(GTK_DIALOG(dialog_))), column, TRUE,
                       TRUE, 0);
  }
  ResultWindow(const ResultWindow&) = delete;
  ~ResultWindow() { gtk_widget_destroy(dialog_); }

  GtkWindow* window() const { return GTK_WINDOW(dialog_); }
  GtkClipboard* clipboard() const {
    return gtk_widget_get_clipboard(dialog_, GDK_SELECTION_CLIPBOARD);
  }
  void add_button(const char* label, std::function<void()> clicked) {
    GtkWidget* button = gtk_button_new_with_mnemonic(label);
    connect(button, "clicked", std::move(clicked));
    gtk_dialog_add_action_widget(GTK_DIALOG(dialog_), button, GTK_RESPONSE_NONE);
  }
  void complain(const std::string& error) {
    set_bold(error_, error);
    gtk_widget_set_visible(error_, !error.empty());
  }
  void run() {
    GtkWidget* close = gtk_dialog_add_button(GTK_DIALOG(dialog_), _("_Close"), GTK_RESPONSE_CLOSE);
    gtk_widget_show_all(dialog_);
    gtk_widget_grab_focus(close);
    while (gimp_dialog_run(GIMP_DIALOG(dialog_)) == GTK_RESPONSE_NONE) continue;
    gtk_clipboard_store(clipboard());  // this process ends
  }

 private:
  GtkWidget *dialog_, *error_;
};

void add_copy_button(ResultWindow& window, const std::string& text) {
  window.add_button(_("Co_py"), [&window, text] {
    gtk_clipboard_set_text(window.clipboard(), text.c_str(), -1);
    gtk_clipboard_set_can_store(window.clipboard(), nullptr, 0);
  });
}

/// Asks where to save a file; empty if the user cancels.
std::string ask_for_file(GtkWindow* parent, const char* title, const char* proposed) {
  GtkWidget* chooser =
      gtk_file_chooser_dialog_new(title, parent, GTK_FILE_CHOOSER_ACTION_SAVE, _("_Cancel"),
                                  GTK_RESPONSE_CANCEL, _("_Save"), GTK_RESPONSE_ACCEPT, nullptr);
  gtk_dialog_set_default_response(GTK_DIALOG(chooser), GTK_RESPONSE_ACCEPT);
  gtk_file_chooser_set_do_overwrite_confirmation(GTK_FILE_CHOOSER(chooser), TRUE);
  gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(chooser), proposed);
  std::string path;
  if (gtk_dialog_run(GTK_DIALOG(chooser)) == GTK_RESPONSE_ACCEPT) {
    gchar* chosen = gtk_file_chooser_get_filename(GTK_FILE_CHOOSER(chooser));
    path = chosen != nullptr ? chosen : "";
    g_free(chosen);
  }
  gtk_widget_destroy(chooser);
  return path;
}

/// Saves a text where the user says; a sentence if that fails.
std::string save(GtkWindow* parent, const std::string& text) {
  const std::string path = ask_for_file(parent, _("Save Statistics"), "statistics.csv");
  GError* error = nullptr;
  if (path.empty() || g_file_set_contents(path.c_str(), text.c_str(), -1, &error)) return {};
  std::string sentence = format_text(
      _("The file could not be saved: %s. Choose another folder, or make room."), error->message);
  g_clear_error(&error);
  return sentence;
}

/// The cells as a text that other programs read: rows of cells with a separator between them.
std::string joined(const StatisticsTable& table, char separator) {
  std::string text;
  for (const auto& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += separator;
      text += row[i];
    }
    text += '\n';
  }
  return text;
}

// What a histogram looks like.
constexpr int histogram_width = std::tuple_size_v<Histogram>, histogram_height = 64;
constexpr double paper = 0.9;
struct Ink {
  double red, green, blue;
};

/// The color of a channel's bars: its own one, and dark gray for gray and alpha.
Ink ink_of(std::size_t channel, std::size_t channels) {
  constexpr Ink colors[]{{0.8, 0.0, 0.0}, {0.0, 0.55, 0.0}, {0.0, 0.0, 0.8}};
  return channels >= std::size(colors) && channel < std::size(colors) ? colors[channel]
                                                                      : Ink{0.25, 0.25, 0.25};
}

/// Draws bars as high as the square roots of the counts, so that rare values are seen, too.
void draw_histogram(cairo_t* cairo, int width, int height, const Histogram& histogram, Ink ink) {
  cairo_set_source_rgb(cairo, paper, paper, paper);
  cairo_paint(cairo);
  cairo_set_source_rgb(cairo, ink.red, ink.green, ink.blue);
  const double highest = std::sqrt(static_cast<double>(*std::ranges::max_element(histogram)));
  const double bar = static_cast<double>(width) / static_cast<double>(histogram.size());
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    if (histogram[i] == 0) continue;
    const double length = height * std::sqrt(static_cast<double>(histogram[i])) / highest;
    cairo_rectangle(cairo, bar * static_cast<double>(i), height - length, bar, length);
  }
  cairo_fill(cairo);
}

void add_histograms(Grid& grid, int row, const std::vector<Histogram>& histograms) {
  GtkWidget* label = new_label(nullptr);
  set_bold(label, _("Histogram"));
  grid.attach(label, 0, row);
  for (std::size_t c = 0; c < histograms.size(); ++c) {
    GtkWidget* area = gtk_drawing_area_new();
    gtk_widget_set_size_request(area, histogram_width, histogram_height);
    const Ink ink = ink_of(c, histograms.size());
    on_draw(area, [histogram = histograms[c], ink](cairo_t* cairo, int width, int height) {
      draw_histogram(cairo, width, height, histogram, ink);
    });
    grid.attach(area, static_cast<int>(c) + 1, row, 1, 1, Grow::across);
  }
}

GtkWidget* new_table(const StatisticsTable& table, const std::vector<Histogram>& histograms) {
  Grid grid{12};
  add_histograms(grid, static_cast<int>(table.size()), histograms);
  for (std::size_t row = 0; row < table.size(); ++row)
    for (std::size_t column = 0; column < table[row].size(); ++column) {
      GtkWidget* label = new_label(table[row][column].c_str());
      if (row == 0 || column == 0)
        set_bold(label, table[row][column]);
      else
        gtk_label_set_selectable(GTK_LABEL(label), TRUE);
      if (column > 0) align(label, 1.0f);
      grid.attach(label, static_cast<int>(column), static_cast<int>(row), 1, 1, Grow::across);
    }
  return grid.widget();
}

}  // namespace

void show_info_window(const std::vector<DescriptionLine>& lines) {
  check_display();
  init_ui(false);
  Grid grid{12};
  int row = 0;
  for (const DescriptionLine& line : lines) {
    GtkWidget* label = new_label(nullptr);
    set_bold(label, line.label);
    align(label, 0.0f, 0.0f);
    grid.attach(label, 0, row);
    GtkWidget* value = new_wrapped_label();
    gtk_label_set_text(GTK_LABEL(value), (line.shown.empty() ? line.value : line.shown).c_str());
    gtk_label_set_selectable(GTK_LABEL(value), TRUE);
    grid.attach(value, 1, row++, 1, 1, Grow::across);
  }
  ResultWindow window{_("CUDA Devices"), grid.widget()};
  add_copy_button(window, info_text(lines));
  window.run();
}

void show_statistics_window(const Measured& measured, Drawable& drawable) {
  check_display();
  init_ui(false);
  const StatisticsTable table = statistics_table(measured);
  ResultWindow window{_(statistics_texts.title), new_table(table, histograms(drawable))};
  add_copy_button(window, joined(table, '\t'));
  window.add_button(_("_Save…"),
                    [&] { window.complain(save(window.window(), joined(table, ','))); });
  window.run();
}

}  // namespace cuda_filters::plugin
