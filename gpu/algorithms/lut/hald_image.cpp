// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/lut/hald_image.hpp"

#ifdef HAVE_PNG
#include <png.h>
#endif

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"
#include "gpu/core/system.hpp"

namespace cuda_filters::lut {

#ifdef HAVE_PNG
namespace {

constexpr int largest_level = 16;

/// Says what libpng does not like of a file; no exception may pass through libpng, which ends here.
struct Failure {
  std::string reason;
};
[[noreturn]] void fail(png_structp png, png_const_charp reason) {
  static_cast<Failure*>(png_get_error_ptr(png))->reason = reason;
  png_longjmp(png, 1);
}
void ignore(png_structp, png_const_charp) {}

struct Reading {
  Failure failure{};
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::vector<png_byte> samples{};
  std::vector<png_bytep> rows{};
  int width = 0, height = 0;
  bool deep = false;

  Reading() {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &failure, fail, ignore);
    if (png != nullptr) info = png_create_info_struct(png);
    if (info == nullptr) throw Error{tr(N_("There is not enough memory for this."))};
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() { png_destroy_read_struct(&png, &info, nullptr); }
};

/// Both return whether libpng could do it. Of what has a destructor nothing may begin or end here.
bool read_header(Reading& reading, std::FILE* file) {
  if (setjmp(png_jmpbuf(reading.png)) != 0) return false;
  png_set_user_limits(reading.png, 1 << 20, 1 << 20);
  png_init_io(reading.png, file);
  png_read_info(reading.png, reading.info);
  reading.width = static_cast<int>(png_get_image_width(reading.png, reading.info));
  reading.height = static_cast<int>(png_get_image_height(reading.png, reading.info));
  reading.deep = png_get_bit_depth(reading.png, reading.info) == 16;
  png_set_expand(reading.png);
  png_set_gray_to_rgb(reading.png);
  png_set_strip_alpha(reading.png);
  (void)png_set_interlace_handling(reading.png);
  png_read_update_info(reading.png, reading.info);
  return true;
}
bool read_rows(Reading& reading) {
  if (setjmp(png_jmpbuf(reading.png)) != 0) return false;
  png_read_image(reading.png, reading.rows.data());
  return true;
}

/// The level of a Hald image of that size, or 0.
int level_of(int width, int height) {
  for (int level = 2; level <= largest_level; ++level)
    if (width == height && width == level * level * level) return level;
  return 0;
}

Lut table_of(const Reading& reading, int level) {
  Lut lut;
  lut.cube.size = level * level;
  lut.cube.nodes.resize(static_cast<std::size_t>(reading.width) * reading.height);
  const std::size_t sample_bytes = reading.deep ? 2 : 1;
  const auto sample = [&](std::size_t i) {
    const png_byte* const at = &reading.samples[i * sample_bytes];
    return reading.deep ? static_cast<float>(at[0] << 8 | at[1]) / 65535.0f
                        : static_cast<float>(at[0]) / 255.0f;
  };
  for (std::size_t i = 0; i < lut.cube.nodes.size(); ++i)
    lut.cube.nodes[i] = {sample(3 * i), sample(3 * i + 1), sample(3 * i + 2), 0.0f};
  return lut;
}

}  // namespace

Lut read_hald(const std::string& file) {
  const auto refuse = [&](const char* reason) {
    throw ArgumentError{
        format_text(tr(N_("The file \"%s\" cannot be read: %s.")), file.c_str(), reason)};
  };
  const auto close = [](std::FILE* open) { (void)std::fclose(open); };
  const std::unique_ptr<std::FILE, decltype(close)> open{open_file(file), close};
  if (open == nullptr) refuse(std::strerror(errno));
  Reading reading;
  if (!read_header(reading, open.get())) refuse(reading.failure.reason.c_str());
  const int level = level_of(reading.width, reading.height);
  if (level == 0)
    throw ArgumentError{
        format_text(tr(N_("The picture \"%s\" has %d × %d pixels; a Hald image has 8 × 8, 27 × 27, "
                          "64 × 64 and so on, up to 4096 × 4096.")),
                    file.c_str(), reading.width, reading.height)};
  const std::size_t row_bytes = png_get_rowbytes(reading.png, reading.info);
  const std::size_t expected = std::size_t{3} * reading.width * (reading.deep ? 2 : 1);
  if (row_bytes != expected) refuse("libpng");
  reading.samples.resize(row_bytes * reading.height);
  for (int y = 0; y < reading.height; ++y) reading.rows.push_back(&reading.samples[row_bytes * y]);
  if (!read_rows(reading)) refuse(reading.failure.reason.c_str());
  return table_of(reading, level);
}

#else

Lut read_hald(const std::string&) {
  throw ArgumentError{
      tr(N_("Hald images cannot be read here, because this was built without "
            "libpng. Take a .cube file."))};
}

#endif

}  // namespace cuda_filters::lut
