// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <cstring>

#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using Change = std::function<void(Pixel*, int)>;

/// What a function of single samples makes of every code, for each channel of a format.
class CodeTables {
 public:
  CodeTables(const Codec& before, const Codec& after, const Change& change) {
    const Format& format = before.format;
    const int codes = code_count(format.type), channels = format.channels();
    const std::size_t sample_bytes = bytes_of(format.type);
    const std::size_t pixel_bytes = format.bytes_per_pixel();
    // Pixels all of whose channels have the same code.
    std::vector<std::byte> stored(codes * pixel_bytes), changed(stored.size());
    for (int code = 0; code < codes; ++code)
      for (int c = 0; c < channels; ++c)
        std::memcpy(&stored[code * pixel_bytes + c * sample_bytes], &code, sample_bytes);
    constexpr int part = 256;
    parallel_for(codes / part, [&](int i) {
      RowBuffer row{part};
      const std::size_t first = i * part * pixel_bytes;
      kernels().decode(before, &stored[first], part, row.floats());
      change(row.pixels(), part);
      kernels().encode(after, row.floats(), &stored[first], part, &changed[first]);
    });
    for (int c = 0; c < channels; ++c) {
      tables_[c].resize(codes * sample_bytes);
      for (int code = 0; code < codes; ++code)
        std::memcpy(&tables_[c][code * sample_bytes],
                    &changed[code * pixel_bytes + c * sample_bytes], sample_bytes);
      pointers_[c] = tables_[c].data();
    }
  }
  const void* const* pointers() const { return pointers_; }

 private:
  std::vector<std::byte> tables_[4];
  const void* pointers_[4]{};
};

/// Whether a sample of the result depends on the one stored sample before it, and there are so many
/// of them that tables pay.
bool wants_tables(const Input& in, const Output& out) {
  const Codec& codec = in.codec();
  const Format& format = codec.format;
  if (!is_integer(format.type) || format != out.codec().format || in.image() != out.image())
    return false;
  if (format.alpha && codec.alpha == Alpha::premultiplied) return false;
  const Rect area = out.area();
  return std::int64_t{area.width} * area.height >= 4 * code_count(format.type);
}

}  // namespace

void Exec::map_rows(const Input& in, const Output& out, bool by_sample, const Change& change) {
  const Rect area = out.area();
  // Its place is taken in every band, also in one that is too small for tables.
  std::any* const place = by_sample ? &cache_slot() : nullptr;
  if (by_sample && wants_tables(in, out)) {
    std::any& slot = *place;
    if (!slot.has_value())
      slot = std::make_shared<const CodeTables>(in.codec(), out.codec(), change);
    const auto tables = std::any_cast<std::shared_ptr<const CodeTables>>(slot);
    parallel_for(area.height, [&](int row) {
      const int y = area.y + row;
      kernels().look_up(in.codec().format, tables->pointers(), in.codes(area.x, y), area.width,
                        out.codes(area.x, y));
    });
    return;
  }
  parallel_for(area.height, [&](int row) {
    thread_local RowBuffer buffer;
    buffer.resize(area.width);
    in.load(area.x, area.y + row, area.width, buffer.floats());
    change(buffer.pixels(), area.width);
    out.store(area.x, area.y + row, area.width, buffer.floats());
  });
}

}  // namespace cuda_filters::cpu
