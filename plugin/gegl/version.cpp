// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/gegl/version.hpp"

extern "C" {
#include <gegl-buffer-backend.h>  // it does not say so itself
}

#include <string_view>
#include <utility>
#include <vector>

namespace cuda_filters::plugin {
namespace {

struct Unref {
  void operator()(GeglTile* tile) const { gegl_tile_unref(tile); }
};

/// A tile, whose address is no other one's while it is held, and how often it had been written
/// before its pixels were read. GEGL counts when a write ends, so that every write that the pixels
/// may lack is counted after them. A tile that copying or clearing puts in its place is another
/// one.
struct Tile {
  std::unique_ptr<GeglTile, Unref> tile;
  guint revision;
  friend bool operator==(const Tile&, const Tile&) = default;
};

class TilesVersion final : public Version {
 public:
  /// Rectangles in the pixels of the storage, which buffers of the same tiles share.
  TilesVersion(const GeglRectangle& area, const GeglRectangle& existing, const Babl* stored,
               const Babl* read, std::vector<Tile> tiles)
      : area_{area}, existing_{existing}, stored_{stored}, read_{read}, tiles_{std::move(tiles)} {}
  bool equals(const Version& version) const override {
    const auto* other = dynamic_cast<const TilesVersion*>(&version);
    return other != nullptr && gegl_rectangle_equal(&area_, &other->area_) &&
           gegl_rectangle_equal(&existing_, &other->existing_) && stored_ == other->stored_ &&
           read_ == other->read_ && tiles_ == other->tiles_;
  }

 private:
  GeglRectangle area_, existing_;  ///< what is wanted, and the part of it that is not the abyss
  const Babl *stored_, *read_;
  std::vector<Tile> tiles_;
};

/// Whether only GEGL writes to the tiles of a buffer with that backend.
bool belongs_to_gegl(GObject* backend) {
  const std::string_view name = G_OBJECT_TYPE_NAME(backend);
  return name == "GeglTileBackendSwap" || name == "GeglTileBackendRam";
}

int tile_of(int pixel, int size) { return pixel >= 0 ? pixel / size : (pixel + 1) / size - 1; }

}  // namespace

std::shared_ptr<const Version> version_of(GeglBuffer* buffer, const GeglRectangle& area,
                                          const Babl* format) {
  int shift_x = 0, shift_y = 0, width = 0, height = 0;
  GObject* backend = nullptr;
  g_object_get(buffer, "shift-x", &shift_x, "shift-y", &shift_y, "tile-width", &width,
               "tile-height", &height, "backend", &backend, nullptr);
  if (backend == nullptr) return nullptr;
  const bool known = belongs_to_gegl(backend);
  g_object_unref(backend);
  GeglRectangle existing;
  if (!gegl_rectangle_intersect(&existing, &area, gegl_buffer_get_abyss(buffer)) || !known)
    return nullptr;
  const auto stored = [&](GeglRectangle part) {
    return GeglRectangle{part.x + shift_x, part.y + shift_y, part.width, part.height};
  };
  existing = stored(existing);
  const int left = tile_of(existing.x, width), top = tile_of(existing.y, height);
  const int right = tile_of(existing.x + existing.width - 1, width);
  const int bottom = tile_of(existing.y + existing.height - 1, height);
  if (left == right && top == bottom) return nullptr;
  std::vector<Tile> tiles;
  for (int y = top; y <= bottom; ++y)
    for (int x = left; x <= right; ++x) {
      std::unique_ptr<GeglTile, Unref> tile{gegl_buffer_get_tile(buffer, x, y, 0)};
      if (tile == nullptr) return nullptr;
      const guint revision = gegl_tile_get_rev(tile.get());
      tiles.push_back({std::move(tile), revision});
    }
  return std::make_shared<const TilesVersion>(
      stored(area), existing, gegl_buffer_get_format(buffer), format, std::move(tiles));
}

}  // namespace cuda_filters::plugin
