// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/dialog/preview_picture.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "plugin/second_picture.hpp"

namespace cuda_filters::plugin {
namespace {

/// So many rows are moved from GIMP at a time.
constexpr int copied_at_once = 4 * tile_height;
/// So many rows are shown at a time.
constexpr int shown_at_once = tile_height;

/// The rows of a buffer that another one in this process lacks.
void copy_rows(GeglBuffer* from, GeglBuffer* to, int y, int rows) {
  const KeepCpuAwake awake;
  const GeglRectangle all = *gegl_buffer_get_extent(from);
  const GeglRectangle area{all.x, all.y + y, all.width, rows};
  gegl_buffer_copy(from, &area, GEGL_ABYSS_NONE, to, &area);
}

Buffer empty_copy(const Buffer& buffer) {
  return Buffer{
      gegl_buffer_new(gegl_buffer_get_extent(buffer.get()), gegl_buffer_get_format(buffer.get()))};
}

Selection copied(Selection selection) {
  if (selection.mask.get() == nullptr) return selection;
  Buffer mask = empty_copy(selection.mask);
  copy_rows(selection.mask.get(), mask.get(), 0, gegl_buffer_get_extent(mask.get())->height);
  selection.mask = std::move(mask);
  return selection;
}

/// All pixels of another source.
class SourceCopy final : public Source {
 public:
  SourceCopy(std::shared_ptr<Source> original, Trc trc)
      : original_{std::move(original)}, encoding_{original_->encoding(trc)} {
    row_bytes_ = static_cast<std::size_t>(encoding_.format.bytes_per_pixel()) * original_->width();
    pixels_.resize(row_bytes_ * original_->height());
    original_->read({0, 0, original_->width(), original_->height()}, encoding_, pixels_.data(),
                    row_bytes_);
  }
  int width() const override { return original_->width(); }
  int height() const override { return original_->height(); }
  Encoding encoding(Trc) override { return encoding_; }
  std::optional<Transfer> transfer(Trc trc) override { return original_->transfer(trc); }
  void convert(float* pixels, std::size_t count, Trc trc, bool back) override {
    original_->convert(pixels, count, trc, back);
  }
  void read(Rect area, const Encoding&, std::byte* to, std::size_t stride) override {
    const auto pixel = static_cast<std::size_t>(encoding_.format.bytes_per_pixel());
    for (int y = 0; y < area.height; ++y)
      std::copy_n(&pixels_[row_bytes_ * (area.y + y) + pixel * area.x], pixel * area.width,
                  to + stride * y);
  }

 private:
  std::shared_ptr<Source> original_;
  Encoding encoding_;
  std::size_t row_bytes_;
  std::vector<std::byte> pixels_;
};

}  // namespace

PreviewPicture::PreviewPicture(const Buffer& from, const Babl* format, Selection selection,
                               Channels locked)
    : from_{from.get()},
      format_{format},
      size_{gegl_buffer_get_width(from_), gegl_buffer_get_height(from_)},
      pixels_{empty_copy(from)},
      selection_{copied(std::move(selection))},
      locked_channels_{locked} {}

PreviewPicture::PreviewPicture(Buffer pixels)
    : from_{pixels.get()},
      format_{gegl_buffer_get_format(from_)},
      size_{gegl_buffer_get_width(from_), gegl_buffer_get_height(from_)},
      pixels_{std::move(pixels)},
      selection_{.area = {0, 0, size_.width, size_.height}, .mask = Buffer{}},
      copied_rows_{size_.height} {}

bool PreviewPicture::copy_some() {
  const int rows = std::min(copied_at_once, size_.height - copied_rows_);
  if (rows > 0) copy_rows(from_, pixels_.get(), copied_rows_, rows);
  copied_rows_ += rows;
  return copied_rows_ == size_.height;
}

const Babl* PreviewPicture::format_in_run(const Plan& plan) const {
  return plan.adds_alpha ? with_alpha(format_) : format_;
}

std::vector<std::uint8_t> PreviewPicture::shown(Rect area) const {
  const std::size_t row_bytes =
      static_cast<std::size_t>(area.width) * babl_format_get_bytes_per_pixel(format_);
  std::vector<std::byte> stored(row_bytes * area.height);
  const GeglRectangle rectangle{area.x, area.y, area.width, area.height};
  gegl_buffer_get(pixels_.get(), &rectangle, 1.0, format_, stored.data(),
                  static_cast<int>(row_bytes), GEGL_ABYSS_NONE);
  std::vector<std::uint8_t> pixels(4 * static_cast<std::size_t>(area.width) * area.height);
  ShownPixels{format_}.convert(stored.data(), pixels.data(), area.width * area.height);
  return pixels;
}

void PreviewPicture::add_to(PreviewRaster& raster, IndexRange rows) const {
  const Rect all = raster.source();
  for (int y = rows.begin; y < rows.end; y += shown_at_once) {
    const int end = std::min(y + shown_at_once, rows.end);
    const auto pixels = shown({all.x, y, all.width, end - y});
    const std::size_t row_bytes = 4 * static_cast<std::size_t>(all.width);
    raster.add(y, end, [&](int row, std::uint8_t* to) {
      std::copy_n(&pixels[row_bytes * (row - y)], row_bytes, to);
    });
  }
}

Buffer PreviewPicture::reduced(int factor) const {
  const GeglRectangle area{0, 0, (size_.width + factor - 1) / factor,
                           (size_.height + factor - 1) / factor};
  Buffer small{gegl_buffer_new(&area, format_)};
  const auto pixel_bytes = static_cast<std::size_t>(babl_format_get_bytes_per_pixel(format_));
  std::vector<std::byte> row(pixel_bytes * area.width);
  for (int y = 0; y < area.height; ++y) {
    const GeglRectangle line{0, y, area.width, 1};
    gegl_buffer_get(pixels_.get(), &line, 1.0 / factor, format_, row.data(), GEGL_AUTO_ROWSTRIDE,
                    GEGL_ABYSS_CLAMP);
    gegl_buffer_set(small.get(), &line, 0, format_, row.data(), GEGL_AUTO_ROWSTRIDE);
  }
  return small;
}

Selection PreviewPicture::reduced_selection(int factor) const {
  const GeglRectangle area{0, 0, (size_.width + factor - 1) / factor,
                           (size_.height + factor - 1) / factor};
  Selection small{.area = {0, 0, area.width, area.height}, .mask = Buffer{}};
  if (selection_.mask.get() == nullptr) return small;
  const Babl* const format = babl_format("Y u8");
  small.mask = Buffer{gegl_buffer_new(&area, format)};
  std::vector<std::uint8_t> rows(static_cast<std::size_t>(size_.width) * factor);
  std::vector<std::uint8_t> line(area.width);
  for (int y = 0; y < area.height; ++y) {
    // A pixel is selected as much as the one that is most of those that it stands for.
    const int count = std::min(factor, size_.height - y * factor);
    const GeglRectangle from{selection_.x, selection_.y + y * factor, size_.width, count};
    gegl_buffer_get(selection_.mask.get(), &from, 1.0, format, rows.data(), size_.width,
                    GEGL_ABYSS_NONE);
    std::ranges::fill(line, 0);
    for (int row = 0; row < count; ++row)
      for (int x = 0; x < size_.width; ++x) {
        const std::uint8_t selected = rows[static_cast<std::size_t>(row) * size_.width + x];
        line[x / factor] = std::max(line[x / factor], selected);
      }
    const GeglRectangle to{0, y, area.width, 1};
    gegl_buffer_set(small.mask.get(), &to, 0, format, line.data(), GEGL_AUTO_ROWSTRIDE);
  }
  return small;
}

ShownPixels::ShownPixels(const Babl* stored)
    : format_{preview_format(stored)},
      fish_{babl_fish(stored, format_)},
      shown_{babl_format_with_space("R'G'B'A u8", stored)},
      linear_{babl_format_with_space("RGBA float", stored)},
      channels_{babl_format_get_n_components(format_)} {}

void ShownPixels::convert(const void* from, std::uint8_t* to, int count) const {
  if (channels_ == 4) {
    babl_process(fish_, from, to, count);
    return;
  }
  std::vector<std::uint8_t> packed(static_cast<std::size_t>(channels_) * count);
  babl_process(fish_, from, packed.data(), count);
  const bool gray = channels_ < 3, alpha = channels_ == 2;
  const std::uint8_t* pixel = packed.data();
  for (int i = 0; i < count; ++i, pixel += channels_, to += 4) {
    to[0] = pixel[0], to[1] = pixel[gray ? 0 : 1], to[2] = pixel[gray ? 0 : 2];
    to[3] = alpha ? pixel[1] : 255;
  }
}

void ShownPixels::blend(const std::uint8_t* over, const std::uint8_t* selected, int count,
                        std::uint8_t* to) const {
  const auto is_partly = [=](int i) { return selected[i] != 0 && selected[i] != 255; };
  for (int i = 0; i < count;) {
    int end = i;
    while (end < count && is_partly(end)) ++end;
    if (end > i) {
      blend_partly(over + 4 * i, selected + i, end - i, to + 4 * i);
      i = end;
      continue;
    }
    if (selected[i] == 255) std::copy_n(over + 4 * i, 4, to + 4 * i);
    ++i;
  }
}

void ShownPixels::blend_partly(const std::uint8_t* over, const std::uint8_t* selected, int count,
                               std::uint8_t* to) const {
  std::vector<float> above(4 * static_cast<std::size_t>(count)), below(above.size());
  // Only here: for its first such conversion babl fills 256 MiB, to learn how fast tables would be.
  const Babl* const to_linear = babl_fish(shown_, linear_);
  babl_process(to_linear, over, above.data(), count);
  babl_process(to_linear, to, below.data(), count);
  for (int i = 0; i < count; ++i) {
    float *const pixel = &below[4 * i], *const added = &above[4 * i];
    const float share = static_cast<float>(selected[i]) / 255.0f;
    const float from_above = added[3] * share, from_below = pixel[3] * (1.0f - share);
    const float alpha = from_above + from_below;
    for (int c = 0; c < 3; ++c)
      if (alpha > 0.0f) pixel[c] = (added[c] * from_above + pixel[c] * from_below) / alpha;
    pixel[3] = alpha;
  }
  babl_process(babl_fish(linear_, shown_), below.data(), to, count);
}

void SecondPictureCopies::replace_in(Job& job) {
  decltype(copies_) used;
  const auto replace = [&](Job& of) {
    if (!of.aux || of.aux->source == nullptr) return;
    const Key key{drawable_of(*of.aux->source), of.plan.trc};
    auto& copy = used[key];
    if (copy == nullptr) copy = copies_[key];
    if (copy == nullptr) copy = std::make_shared<SourceCopy>(of.aux->source, of.plan.trc);
    of.aux->source = copy;
  };
  replace(job);
  for (Job& step : job.steps) replace(step);
  copies_ = std::move(used);
}

}  // namespace cuda_filters::plugin
