// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gegl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/engine.hpp"
#include "plugin/buffer.hpp"
#include "plugin/pixel_format.hpp"
#include "plugin/property_name.hpp"
#include "tests/reference/reference.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {

using plugin::Buffer;
using Bytes = std::vector<std::byte>;

/// What the operations warned of since the last call.
class Warnings {
 public:
  static std::vector<std::string> take() {
    const std::lock_guard lock{mutex_};
    return std::exchange(texts_, {});
  }
  static GLogWriterOutput write(GLogLevelFlags level, const GLogField* fields, gsize count,
                                gpointer) {
    std::string domain, text;
    for (const GLogField& field : std::span{fields, count}) {
      if (std::string{field.key} == "GLIB_DOMAIN") domain = static_cast<const char*>(field.value);
      if (std::string{field.key} == "MESSAGE") text = static_cast<const char*>(field.value);
    }
    if (domain != "cuda-filters") return g_log_writer_default(level, fields, count, nullptr);
    const std::lock_guard lock{mutex_};
    texts_.push_back(text);
    return G_LOG_WRITER_HANDLED;
  }

 private:
  inline static std::mutex mutex_;
  inline static std::vector<std::string> texts_;
};

/// All filters that are operations.
inline std::vector<const FilterEntry*> operations() {
  std::vector<const FilterEntry*> found;
  for (const FilterEntry& filter : filters())
    if (filter.is_operation()) found.push_back(&filter);
  return found;
}

inline std::string name_of(const FilterEntry& filter) {
  return std::string{"cuda:"} + filter.info.name;
}

/// Initial values, and those that show what the filter does.
inline std::vector<Values> examples(const FilterEntry& filter) {
  std::vector<Values> all = reference::find(filter.info.name)->examples;
  all.push_back(initial_values(filter));
  return all;
}

inline constexpr GeglRectangle extent{-13, 7, 290, 141};

/// A picture of random pixels that does not begin at (0, 0).
inline Buffer picture(const Babl* format, const GeglRectangle& area = extent) {
  const MemoryImage image =
      test::random_image(area.width, area.height, {SampleType::f32, true, true}, true, 5);
  Buffer buffer{gegl_buffer_new(&area, format)};
  gegl_buffer_set(buffer.get(), &area, 0, babl_format_with_space("R'G'B'A float", format),
                  image.codes().data(), GEGL_AUTO_ROWSTRIDE);
  return buffer;
}

inline Bytes bytes_of(const Buffer& buffer, const Babl* format) {
  const GeglRectangle area = *gegl_buffer_get_extent(buffer.get());
  Bytes bytes(static_cast<std::size_t>(area.width) * area.height *
              babl_format_get_bytes_per_pixel(format));
  gegl_buffer_get(buffer.get(), &area, 1.0, format, bytes.data(), GEGL_AUTO_ROWSTRIDE,
                  GEGL_ABYSS_NONE);
  return bytes;
}

/// The plug-in's way: what it would write, in the format in which it does.
inline Bytes expected(const Job& job, const Buffer& in, const Babl* format) {
  const GeglRectangle area = *gegl_buffer_get_extent(in.get());
  if (job.plan.identity) return bytes_of(in, format);
  const plugin::PixelFormat pixel_format{format, job.plan.trc};
  const plugin::Selection all{.area = {0, 0, area.width, area.height}, .mask = Buffer{}};
  const Buffer out{gegl_buffer_new(&area, format)};
  plugin::BufferSource source{in.get(), pixel_format, all, area};
  plugin::BufferSink sink{out.get(), pixel_format, area.x, area.y};
  Observer observer;
  run(job, source, sink, all.area, choose_device(), observer);
  return bytes_of(out, format);
}

inline void paint(const Buffer& buffer, const GeglRectangle& area, const char* name) {
  GeglColor* color = gegl_color_new(name);
  gegl_buffer_set_color(buffer.get(), &area, color);
  g_object_unref(color);
}

/// gegl:buffer-source and operations after it.
class Graph {
 public:
  explicit Graph(const Buffer& in) : graph_{gegl_node_new()} {
    operation_ =
        gegl_node_new_child(graph_, "operation", "gegl:buffer-source", "buffer", in.get(), nullptr);
  }
  Graph(const FilterEntry& filter, const Values& values, const Buffer& in) : Graph{in} {
    append(filter, values);
  }
  void append(const char* operation) {
    GeglNode* before = operation_;
    operation_ = gegl_node_new_child(graph_, "operation", operation, nullptr);
    gegl_node_link(before, operation_);
    if (first_ == nullptr) first_ = operation_;
  }
  void append(const FilterEntry& filter, const Values& values) {
    append(name_of(filter).c_str());
    for (std::size_t i = 0; i < values.size(); ++i) set(filter.params[i], values[i]);
  }
  Graph(const Graph&) = delete;
  ~Graph() { g_object_unref(graph_); }

  void set(const Param& param, const Value& value) {
    const std::string name = plugin::property_name(param);
    if (param.kind == Kind::text)
      gegl_node_set(operation_, name.c_str(), std::get<std::string>(value).c_str(), nullptr);
    else if (param.kind == Kind::real)
      gegl_node_set(operation_, name.c_str(), std::get<double>(value), nullptr);
    else
      gegl_node_set(operation_, name.c_str(), static_cast<int>(std::get<double>(value)), nullptr);
  }
  /// Links a second picture to the last operation.
  void set_aux(const Buffer& aux) {
    GeglNode* source = gegl_node_new_child(graph_, "operation", "gegl:buffer-source", "buffer",
                                           aux.get(), nullptr);
    gegl_node_connect_from(operation_, "aux", source, "output");
  }
  /// Goes on from an earlier node; returns the one that was the last.
  GeglNode* branch(GeglNode* from) { return std::exchange(operation_, from); }
  GeglNode* first() const { return first_; }  ///< after the source
  GeglNode* last() const { return operation_; }
  GeglRectangle extent() const { return gegl_node_get_bounding_box(operation_); }

  /// The pixels of `area`, all of them in one go or in pieces in a random order.
  Bytes pixels(const GeglRectangle& area, const Babl* format, bool in_pieces = false) const {
    return pixels_of(operation_, area, format, in_pieces);
  }
  /// Those that a node of it gives.
  static Bytes pixels_of(GeglNode* node, const GeglRectangle& area, const Babl* format,
                         bool in_pieces = false) {
    const std::size_t pixel = babl_format_get_bytes_per_pixel(format), row = pixel * area.width;
    Bytes bytes(row * area.height);
    constexpr int width = 67, height = 43;
    std::vector<GeglRectangle> pieces;
    if (!in_pieces) pieces.push_back(area);
    for (int y = 0; in_pieces && y < area.height; y += height)
      for (int x = 0; x < area.width; x += width)
        pieces.push_back({area.x + x, area.y + y, std::min(width, area.width - x),
                          std::min(height, area.height - y)});
    std::ranges::shuffle(pieces, std::mt19937{3});
    for (const GeglRectangle& piece : pieces)
      gegl_node_blit(node, 1.0, &piece, format,
                     &bytes[(piece.y - area.y) * row + (piece.x - area.x) * pixel],
                     static_cast<int>(row), GEGL_BLIT_DEFAULT);
    return bytes;
  }

 private:
  GeglNode* graph_;
  GeglNode* first_ = nullptr;
  GeglNode* operation_;  ///< the last one
};

}  // namespace cuda_filters
