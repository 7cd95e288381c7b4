// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/preview.hpp"

#include <gdk/gdkkeysyms.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "gpu/core/i18n.hpp"
#include "plugin/dialog/toolkit.hpp"
#include "plugin/i18n.hpp"
#include "plugin/verbose.hpp"

namespace cuda_filters::plugin {
namespace {

/// The window is at first so large, in pixels, and never smaller than a half of it.
constexpr int initial_size = 360;
/// How far from its middle the handle can be taken.
constexpr int handle_reach = 6;
/// How far a key moves the picture.
constexpr int key_step = 32;

using Clock = std::chrono::steady_clock;
double seconds(Clock::duration time) { return std::chrono::duration<double>{time}.count(); }

/// A raster as cairo knows it, which must outlive the surface.
cairo_surface_t* surface_of(const PreviewRaster& raster) {
  auto* words = const_cast<std::uint32_t*>(raster.pixels().data());  // which cairo only reads
  return cairo_image_surface_create_for_data(reinterpret_cast<unsigned char*>(words),
                                             CAIRO_FORMAT_ARGB32, raster.area().width,
                                             raster.area().height, 4 * raster.area().width);
}

}  // namespace

struct Preview::Link {
  std::mutex mutex;
  Preview* preview;
  bool pending = false;  ///< a call is on its way

  /// Lets the main loop's thread call the preview, once for all that is new meanwhile.
  static void tell(const std::shared_ptr<Link>& link) {
    const std::lock_guard lock{link->mutex};
    if (std::exchange(link->pending, true)) return;
    g_idle_add_full(
        G_PRIORITY_DEFAULT,
        [](gpointer data) -> gboolean {
          call(**static_cast<std::shared_ptr<Link>*>(data));
          return G_SOURCE_REMOVE;
        },
        new std::shared_ptr<Link>{link},
        [](gpointer data) { delete static_cast<std::shared_ptr<Link>*>(data); });
  }

 private:
  static void call(Link& link) {
    std::unique_lock lock{link.mutex};
    link.pending = false;
    Preview* const to = link.preview;
    lock.unlock();
    if (to != nullptr) to->changed();
  }
};

Preview::Preview(const Drawable& drawable, const Buffer& buffer, const Checks& checks,
                 bool compares, Listener listener)
    : picture_{buffer, drawable.format(), drawable.selection(), drawable.locked_channels()},
      checks_{checks},
      listener_{std::move(listener)},
      view_{drawable.size()},
      link_{std::make_shared<Link>()},
      widget_{new_column()} {
  link_->preview = this;
  gtk_box_pack_start(GTK_BOX(widget_), build_area(), TRUE, TRUE, 0);
  gtk_box_pack_start(GTK_BOX(widget_), build_buttons(compares), FALSE, FALSE, 0);
  reading_ = g_idle_add(
      [](gpointer preview) -> gboolean { return static_cast<Preview*>(preview)->read_some(); },
      this);
}

Preview::~Preview() {
  if (reading_ != 0) g_source_remove(reading_);
  worker_.reset();
  const std::lock_guard lock{link_->mutex};
  link_->preview = nullptr;
}

void Preview::set_job(std::optional<Job> job) {
  try {
    if (job) second_pictures_.replace_in(*job);
    job_ = std::move(job);
  } catch (const std::exception& error) {  // none may pass through GTK
    job_.reset();
    listener_.failed(sentence_of(error));
  }
  refresh();
}

/// Reads some more of the picture, between other events; true as long as there is more.
bool Preview::read_some() {
  try {
    if (!picture_.copy_some()) return true;
    if (verbose())
      std::fprintf(stderr, "cuda-filters: preview: read in %.4f s\n",
                   seconds(Clock::now() - made_));
    worker_.emplace(picture_, [link = link_] { Link::tell(link); });
  } catch (const std::exception& error) {  // none may pass through GTK
    listener_.failed(sentence_of(error));
  }
  reading_ = 0;
  refresh();
  return false;
}

/// Asks for what is to be shown now.
void Preview::refresh() {
  if (worker_) worker_->request({job_, view_.picture(), view_.visible(), view_.scale()});
  update_labels();
}

/// There is something new to show.
void Preview::changed() {
  const std::string before = std::exchange(result_, worker_->result()).error;
  if (result_.picture != Size{} && result_.picture != view_.picture()) {
    view_.set_picture(result_.picture);
    result_.before = result_.after = last_ = nullptr;  // of the other one
    return refresh();
  }
  if (result_.after != nullptr && result_.after->is_complete()) last_ = result_.after;
  if (result_.error.empty() && !result_.output_values.empty())
    listener_.created(result_.output_values);
  // An error that is over goes; without a job the dialog itself says what is wrong.
  if (!result_.error.empty() || (job_ && !before.empty())) listener_.failed(result_.error);
  update_labels();
  gtk_widget_queue_draw(area_);
}

void Preview::view_changed() {
  refresh();
  gtk_widget_queue_draw(area_);
}

void Preview::update_labels() {
  gtk_label_set_text(GTK_LABEL(zoom_label_),
                     format_text(_("%.4g%%"), std::round(1000.0 * view_.zoom()) / 10.0).c_str());
  const char* const state = reading_ != 0       ? _("Reading…")
                            : result_.is_coarse ? _("Draft…")
                            : result_.is_busy   ? _("Computing…")
                                                : "";
  gtk_label_set_text(GTK_LABEL(state_label_), state);
}

GtkWidget* Preview::build_area() {
  area_ = gtk_drawing_area_new();
  gtk_widget_set_size_request(area_, initial_size, initial_size * 3 / 4);
  gtk_widget_set_can_focus(area_, TRUE);
  gtk_widget_add_events(area_, GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK |
                                   GDK_BUTTON_MOTION_MASK | GDK_SCROLL_MASK | GDK_KEY_PRESS_MASK |
                                   GDK_KEY_RELEASE_MASK | GDK_FOCUS_CHANGE_MASK);
  on_draw(area_, [this](cairo_t* cairo, int width, int height) { draw(cairo, {width, height}); });
  on_event<GdkEventButton>(area_, "button-press-event",
                           [this](const GdkEventButton& event) { return pressed(event); });
  on_event<GdkEventMotion>(area_, "motion-notify-event",
                           [this](const GdkEventMotion& event) { return moved(event); });
  on_event<GdkEventScroll>(area_, "scroll-event",
                           [this](const GdkEventScroll& event) { return scrolled(event); });
  on_event<GdkEventKey>(area_, "key-press-event",
                        [this](const GdkEventKey& event) { return key(event.keyval, true); });
  on_event<GdkEventKey>(area_, "key-release-event",
                        [this](const GdkEventKey& event) { return key(event.keyval, false); });
  on_event<GdkEventFocus>(area_, "focus-out-event", [this](const GdkEventFocus&) {
    key(GDK_KEY_space, false);
    return false;
  });
  GtkWidget* frame = gtk_frame_new(nullptr);
  gtk_frame_set_shadow_type(GTK_FRAME(frame), GTK_SHADOW_IN);
  gtk_container_add(GTK_CONTAINER(frame), area_);
  return frame;
}

GtkWidget* Preview::add_button(GtkWidget* row, const char* icon, const char* tip,
                               std::function<void()> clicked) {
  GtkWidget* button = new_icon_button(icon, tip);
  connect(button, "clicked", std::move(clicked));
  gtk_box_pack_start(GTK_BOX(row), button, FALSE, FALSE, 0);
  return button;
}

GtkWidget* Preview::add_toggle(GtkWidget* row, const char* label, const char* tip, bool active) {
  GtkWidget* button = gtk_check_button_new_with_mnemonic(label);
  gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), active);
  gimp_help_set_help_data(button, tip, nullptr);
  connect(button, "toggled", [this] { gtk_widget_queue_draw(area_); });
  gtk_box_pack_start(GTK_BOX(row), button, FALSE, FALSE, 0);
  return button;
}

GtkWidget* Preview::build_buttons(bool compares) {
  GtkWidget* column = new_column(2);
  GtkWidget *zooms = new_row(2), *shown = new_row();
  add_button(zooms, GIMP_ICON_ZOOM_OUT, _("Zoom out"),
             [this] { zoom_at_middle(&PreviewView::zoom_out); });
  add_button(zooms, GIMP_ICON_ZOOM_IN, _("Zoom in"),
             [this] { zoom_at_middle(&PreviewView::zoom_in); });
  add_button(zooms, GIMP_ICON_ZOOM_ORIGINAL, _("Zoom to 100%"), [this] { key(GDK_KEY_1, true); });
  add_button(zooms, GIMP_ICON_ZOOM_FIT_BEST, _("Show all of the picture"),
             [this] { key(GDK_KEY_0, true); });
  zoom_label_ = new_label(nullptr), state_label_ = new_label(nullptr);
  gimp_help_set_help_data(zoom_label_,
                          _("Wheel, + and −: zoom; 0: all of it; 1: 100%; drag, arrows: move; "
                            "Space, while it is pressed: the picture as it was"),
                          nullptr);
  gtk_box_pack_start(GTK_BOX(zooms), zoom_label_, FALSE, FALSE, 6);
  gtk_box_pack_start(GTK_BOX(zooms), state_label_, FALSE, FALSE, 0);
  shows_result_ = add_toggle(shown, _("_Preview"), _("Show the result, not the picture"), true);
  splits_ = add_toggle(shown, _("Split view"),
                       _("Show the picture left of a line that you can drag"), false);
  gtk_box_pack_start(GTK_BOX(column), zooms, FALSE, FALSE, 0);
  gtk_box_pack_start(GTK_BOX(column), shown, FALSE, FALSE, 0);
  gtk_widget_set_no_show_all(shown, !compares);
  return column;
}

void Preview::zoom_at_middle(void (PreviewView::*zoom)(double, double)) {
  (view_.*zoom)(view_.window().width / 2.0, view_.window().height / 2.0);
  view_changed();
}

bool Preview::shows_split() const {
  return gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(splits_)) &&
         gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(shows_result_)) && !key_held_;
}

bool Preview::pressed(const GdkEventButton& event) {
  gtk_widget_grab_focus(area_);
  if (event.button != 1) return false;
  drags_handle_ = shows_split() && std::abs(event.x - split_x()) <= handle_reach;
  drag_x_ = static_cast<int>(event.x), drag_y_ = static_cast<int>(event.y);
  return true;
}

bool Preview::moved(const GdkEventMotion& event) {
  if ((event.state & GDK_BUTTON1_MASK) == 0) return false;
  const int x = static_cast<int>(event.x), y = static_cast<int>(event.y);
  if (drags_handle_) {
    split_ = std::clamp(event.x / view_.window().width, 0.0, 1.0);
    gtk_widget_queue_draw(area_);
    return true;
  }
  view_.pan(x - std::exchange(drag_x_, x), y - std::exchange(drag_y_, y));
  view_changed();
  return true;
}

bool Preview::scrolled(const GdkEventScroll& event) {
  if (event.direction == GDK_SCROLL_UP)
    view_.zoom_in(event.x, event.y);
  else if (event.direction == GDK_SCROLL_DOWN)
    view_.zoom_out(event.x, event.y);
  else
    return false;
  view_changed();
  return true;
}

bool Preview::key(guint value, bool down) {
  if (value == GDK_KEY_space) {
    if (std::exchange(key_held_, down) != down) gtk_widget_queue_draw(area_);
    return true;
  }
  if (!down) return false;
  const Size window = view_.window();
  switch (value) {
    case GDK_KEY_plus:
    case GDK_KEY_KP_Add:
      view_.zoom_in(window.width / 2.0, window.height / 2.0);
      break;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
      view_.zoom_out(window.width / 2.0, window.height / 2.0);
      break;
    case GDK_KEY_0:
      view_.fit();
      break;
    case GDK_KEY_1:
      view_.zoom_to(1.0, window.width / 2.0, window.height / 2.0);
      break;
    case GDK_KEY_Left:
      view_.pan(key_step, 0);
      break;
    case GDK_KEY_Right:
      view_.pan(-key_step, 0);
      break;
    case GDK_KEY_Up:
      view_.pan(0, key_step);
      break;
    case GDK_KEY_Down:
      view_.pan(0, -key_step);
      break;
    default:
      return false;
  }
  view_changed();
  return true;
}

/// Tells, if that is wanted, what a result took that now shows for the first time, in seconds.
void Preview::print_times(Clock::time_point drawing_began) {
  if (!verbose() || !job_ || !result_.run || result_.run->requested == told_) return;
  told_ = result_.run->requested;
  const Clock::time_point now = Clock::now();
  const Times& times = result_.run->report.times;
  std::fprintf(stderr,
               "cuda-filters: preview of %s on %s: shown after %.4f s: read %.4f s, "
               "context %.4f s, upload %.4f s, compute %.4f s, download %.4f s, write %.4f s, "
               "draw %.4f s\n",
               job_->filter->info.name, result_.run->report.device.c_str(), seconds(now - told_),
               times.read, times.context, times.upload, times.compute, times.download, times.write,
               seconds(now - drawing_began));
}

void Preview::draw(cairo_t* cairo, Size window) {
  const Clock::time_point began = Clock::now();
  if (window != view_.window()) {
    view_.set_window(window);
    refresh();
  }
  const Rect part = view_.shown();
  cairo_rectangle(cairo, view_.left() + part.x, view_.top() + part.y, part.width, part.height);
  cairo_clip(cairo);
  draw_checks(cairo);
  const bool result = gtk_toggle_button_get_active(GTK_TOGGLE_BUTTON(shows_result_));
  if (shows_split())
    draw_split(cairo, window);
  else if (result && !key_held_)
    draw_after(cairo);
  else if (result_.before != nullptr)
    draw_raster(cairo, *result_.before);
  print_times(began);
}

void Preview::draw_split(cairo_t* cairo, Size window) {
  const double x = std::round(split_x());
  cairo_save(cairo);
  cairo_rectangle(cairo, 0, 0, x, window.height);
  cairo_clip(cairo);
  if (result_.before != nullptr) draw_raster(cairo, *result_.before);
  cairo_restore(cairo);
  cairo_save(cairo);
  cairo_rectangle(cairo, x, 0, window.width - x, window.height);
  cairo_clip(cairo);
  draw_after(cairo);
  cairo_restore(cairo);
  draw_handle(cairo, window);
}

void Preview::draw_handle(cairo_t* cairo, Size window) const {
  const double x = std::round(split_x());
  cairo_set_line_width(cairo, 3.0);
  for (const double shade : {0.0, 1.0}) {
    cairo_set_source_rgb(cairo, shade, shade, shade);
    cairo_move_to(cairo, x, 0);
    cairo_line_to(cairo, x, window.height);
    cairo_stroke(cairo);
    cairo_arc(cairo, x, window.height / 2.0, shade > 0 ? 4.0 : 5.0, 0.0, 2 * G_PI);
    cairo_fill(cairo);
    cairo_set_line_width(cairo, 1.0);
  }
}

/// What transparent pixels are shown on: squares that stay where they are in the picture.
void Preview::draw_checks(cairo_t* cairo) const {
  const int size = checks_.size;
  const Rect part = view_.shown();
  for (const bool second : {false, true}) {
    const unsigned char* color = checks_.colors[second];
    cairo_set_source_rgb(cairo, color[0] / 255.0, color[1] / 255.0, color[2] / 255.0);
    if (!second) {
      cairo_paint(cairo);
      continue;
    }
    for (int row = part.y / size; row * size < part.bottom(); ++row)
      for (int column = part.x / size; column * size < part.right(); ++column)
        if (((row ^ column) & 1) != 0)
          cairo_rectangle(cairo, view_.left() + column * size, view_.top() + row * size, size,
                          size);
    cairo_fill(cairo);
  }
}

/// Where the raster lies in the window now, whatever it was asked for.
void Preview::draw_raster(cairo_t* cairo, const PreviewRaster& raster) const {
  const double enlarged = view_.zoom() / raster.scale();
  cairo_surface_t* surface = surface_of(raster);
  cairo_save(cairo);
  cairo_translate(cairo, view_.left(), view_.top());
  cairo_scale(cairo, enlarged, enlarged);
  cairo_set_source_surface(cairo, surface, raster.area().x, raster.area().y);
  cairo_pattern_set_filter(cairo_get_source(cairo),
                           enlarged >= 1.0 ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
  cairo_rectangle(cairo, raster.area().x, raster.area().y, raster.area().width,
                  raster.complete_rows());
  cairo_fill(cairo);
  cairo_restore(cairo);
  cairo_surface_destroy(surface);
}

/// The result as far as it is there, and below that the last one that was complete.
void Preview::draw_after(cairo_t* cairo) const {
  const auto& now = result_.after;
  if (now == nullptr) {
    if (result_.before != nullptr) draw_raster(cairo, *result_.before);
    return;
  }
  if (last_ != nullptr && last_ != now) {
    const double end =
        view_.top() + (now->area().y + now->complete_rows()) * (view_.zoom() / now->scale());
    cairo_save(cairo);
    cairo_rectangle(cairo, 0, end, view_.window().width, view_.window().height);
    cairo_clip(cairo);
    draw_raster(cairo, *last_);
    cairo_restore(cairo);
  }
  draw_raster(cairo, *now);
}

}  // namespace cuda_filters::plugin
