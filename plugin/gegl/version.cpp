// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/gegl/version.hpp"

extern "C" {
#include <gegl-buffer-backend.h>  // it does not say so itself
}

#include <algorithm>
#include <cstring>
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
/// one, which has the same memory until either is written: GEGL copies when it writes.
struct Tile {
  std::unique_ptr<GeglTile, Unref> tile;
  guint revision;
  const guchar* pixels;
  IndexRange rows{}, columns{};  ///< those of its pixels that count

  bool is_unchanged() const {
    return gegl_tile_get_rev(tile.get()) == revision && gegl_tile_get_data(tile.get()) == pixels;
  }
};

class TilesVersion final : public Version {
 public:
  /// Rectangles in the pixels of the storage, which buffers of the same tiles share.
  TilesVersion(const GeglRectangle& area, const GeglRectangle& existing, const Babl* stored,
               const Babl* read, Size tile_size, std::vector<Tile> tiles)
      : area_{area},
        existing_{existing},
        stored_{stored},
        read_{read},
        tile_size_{tile_size},
        tiles_{std::move(tiles)} {}
  bool equals(const Version& version) const override {
    const auto* other = dynamic_cast<const TilesVersion*>(&version);
    return other != nullptr && gegl_rectangle_equal(&area_, &other->area_) &&
           gegl_rectangle_equal(&existing_, &other->existing_) && stored_ == other->stored_ &&
           read_ == other->read_ && tile_size_ == other->tile_size_ &&
           std::ranges::equal(tiles_, other->tiles_,
                              [&](const Tile& a, const Tile& b) { return are_same(a, b); });
  }
  bool replaces(const Version& version) const override {
    const auto* other = dynamic_cast<const TilesVersion*>(&version);
    return other != nullptr && gegl_rectangle_equal(&area_, &other->area_) &&
           std::ranges::equal(tiles_, other->tiles_, {}, address_of, address_of);
  }

 private:
  static const GeglTile* address_of(const Tile& tile) { return tile.tile.get(); }

  /// Whether the pixels of `before`, as they were, are those of `now`. Of a tile at the end of the
  /// picture GEGL copies the pixels, so that they have to be compared.
  bool are_same(const Tile& before, const Tile& now) const {
    if (before.tile == now.tile)
      return before.revision == now.revision && before.pixels == now.pixels;
    if (!before.is_unchanged()) return false;
    if (before.pixels == now.pixels) return true;
    if (before.rows.size() == tile_size_.height && before.columns.size() == tile_size_.width)
      return false;
    const std::size_t pixel_bytes = babl_format_get_bytes_per_pixel(stored_);
    for (int y = before.rows.begin; y < before.rows.end; ++y) {
      const std::size_t first =
          (static_cast<std::size_t>(y) * tile_size_.width + before.columns.begin) * pixel_bytes;
      if (std::memcmp(before.pixels + first, now.pixels + first,
                      before.columns.size() * pixel_bytes) != 0)
        return false;
    }
    return true;
  }

  GeglRectangle area_, existing_;  ///< what is wanted, and the part of it that is not the abyss
  const Babl *stored_, *read_;
  Size tile_size_;
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
      const guchar* const pixels = gegl_tile_get_data(tile.get());
      const IndexRange rows{std::max(0, existing.y - y * height),
                            std::min(height, existing.y + existing.height - y * height)};
      const IndexRange columns{std::max(0, existing.x - x * width),
                               std::min(width, existing.x + existing.width - x * width)};
      tiles.push_back({std::move(tile), revision, pixels, rows, columns});
    }
  return std::make_shared<const TilesVersion>(stored(area), existing,
                                              gegl_buffer_get_format(buffer), format,
                                              Size{width, height}, std::move(tiles));
}

}  // namespace cuda_filters::plugin
