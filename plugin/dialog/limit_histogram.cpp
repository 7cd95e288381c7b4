// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/limit_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "plugin/dialog/toolkit.hpp"
#include "plugin/i18n.hpp"

namespace cuda_filters::plugin {
namespace {

constexpr int histogram_width = 220, histogram_height = 72;
/// The width of the handles, and the room beside the bars that they need at the ends.
constexpr double handle = 5.0;

std::size_t position_of(const FilterEntry& filter, std::string_view name) {
  std::size_t i = 0;
  while (filter.params[i].name != name) ++i;
  return i;
}

void draw_handle(cairo_t* cairo, double x, int height) {
  cairo_set_source_rgb(cairo, 0.0, 0.0, 0.0);
  cairo_set_line_width(cairo, 1.0);
  cairo_move_to(cairo, std::floor(x) + 0.5, 0.0);
  cairo_line_to(cairo, std::floor(x) + 0.5, height - handle);
  cairo_stroke(cairo);
  cairo_move_to(cairo, x, height - 2 * handle);
  cairo_line_to(cairo, x - handle, height);
  cairo_line_to(cairo, x + handle, height);
  cairo_close_path(cairo);
  cairo_set_source_rgb(cairo, 0.95, 0.95, 0.95);
  cairo_fill_preserve(cairo);
  cairo_set_source_rgb(cairo, 0.0, 0.0, 0.0);
  cairo_stroke(cairo);
}

}  // namespace

LimitHistogram::LimitHistogram(const FilterEntry& filter, std::size_t lower, Drawable& drawable,
                               std::function<void(std::size_t, double)> moved)
    : filter_{filter},
      limits_{lower, position_of(filter, filter.params[lower].upper_limit)},
      range_{filter.params[lower].slider},
      moved_{std::move(moved)},
      counter_{drawable},
      area_{gtk_drawing_area_new()} {
  gtk_widget_set_size_request(area_, histogram_width, histogram_height);
  gtk_widget_add_events(area_,
                        GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK | GDK_BUTTON1_MOTION_MASK);
  set_accessible_name(area_, _("Histogram"));
  gimp_help_set_help_data(area_, _("How often each value occurs; drag the limits"), nullptr);
  on_draw(area_, [this](cairo_t* cairo, int width, int height) { draw(cairo, width, height); });
  const auto pressed = +[](GtkWidget*, GdkEventButton* event, LimitHistogram* self) -> gboolean {
    if (event->button == 1 && event->type == GDK_BUTTON_PRESS) self->press(event->x);
    return TRUE;
  };
  const auto dragged = +[](GtkWidget*, GdkEventMotion* event, LimitHistogram* self) -> gboolean {
    self->drag(event->x);
    return TRUE;
  };
  g_signal_connect(area_, "button-press-event", G_CALLBACK(pressed), this);
  g_signal_connect(area_, "motion-notify-event", G_CALLBACK(dragged), this);
  connect(area_, "button-release-event", [this] { dragged_.reset(); });
}

LimitHistogram::~LimitHistogram() {
  if (counting_ != 0) g_source_remove(counting_);
}

void LimitHistogram::show(const Values& values) {
  const Values before = std::exchange(values_, values);
  gtk_widget_queue_draw(area_);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i != limits_[0] && i != limits_[1] && (before.empty() || values[i] != before[i]))
      return begin_counting();
}

/// Counts whenever there is nothing else to do, part by part: GIMP's wire has no lock.
void LimitHistogram::begin_counting() {
  counter_.begin(filter_, values_);
  const auto count =
      +[](gpointer self) -> gboolean { return static_cast<LimitHistogram*>(self)->count(); };
  if (counting_ == 0) counting_ = g_idle_add_full(G_PRIORITY_LOW, count, this, nullptr);
}

/// Counts one part; whether there are more.
bool LimitHistogram::count() {
  bool finished = true;
  try {
    finished = counter_.count_part();
    if (finished) counts_ = counter_.counts();
  } catch (const std::exception&) {  // none may pass through GTK; what there was stays
  }
  if (!finished) return true;
  counting_ = 0;
  gtk_widget_queue_draw(area_);
  return false;
}

double LimitHistogram::limit(std::size_t index) const {
  return std::get<double>(values_[limits_[index]]);
}

/// Where a limit stands, in pixels; beyond the ends at these.
double LimitHistogram::position(double limit, int width) const {
  const double share = (limit - range_.min) / (range_.max - range_.min);
  return handle + std::clamp(share, 0.0, 1.0) * (width - 2 * handle);
}

void LimitHistogram::draw(cairo_t* cairo, int width, int height) const {
  cairo_set_source_rgb(cairo, 0.85, 0.85, 0.85);
  cairo_paint(cairo);
  const double low = position(limit(0), width), high = position(limit(1), width);
  cairo_set_source_rgb(cairo, 1.0, 1.0, 1.0);
  cairo_rectangle(cairo, low, 0.0, std::max(0.0, high - low), height);
  cairo_fill(cairo);
  cairo_set_source_rgb(cairo, 0.35, 0.35, 0.35);
  const double room = height - 2 * handle;
  const auto heights = bar_heights(counts_, width - static_cast<int>(2 * handle));
  for (std::size_t i = 0; i < heights.size(); ++i)
    cairo_rectangle(cairo, handle + static_cast<double>(i), room * (1.0 - heights[i]), 1.0,
                    room * heights[i]);
  cairo_fill(cairo);
  draw_handle(cairo, low, height);
  draw_handle(cairo, high, height);
}

/// Takes the limit that is nearer.
void LimitHistogram::press(double x) {
  GtkAllocation room;
  gtk_widget_get_allocation(area_, &room);
  const double low = position(limit(0), room.width), high = position(limit(1), room.width);
  // Where both stand at one place, the pointer tells which shall go where it is.
  dragged_ =
      std::abs(x - low) == std::abs(x - high) ? x > low : std::abs(x - high) < std::abs(x - low);
  drag(x);
}

void LimitHistogram::drag(double x) {
  if (!dragged_) return;
  GtkAllocation room;
  gtk_widget_get_allocation(area_, &room);
  const double share = std::clamp((x - handle) / (room.width - 2 * handle), 0.0, 1.0);
  const Param& param = filter_.params[limits_[*dragged_]];
  const double scale = std::pow(10.0, param.digits);
  const double value = range_.min + share * (range_.max - range_.min);
  moved_(limits_[*dragged_], std::round(value * scale) / scale);
}

}  // namespace cuda_filters::plugin
