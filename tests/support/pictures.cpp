// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tests/support/pictures.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cuda_filters::test {
namespace {

Format format_of(const MemoryImage& image) {
  return const_cast<MemoryImage&>(image).encoding(Trc::native).format;
}

template <class T>
T get(const MemoryImage& image, std::size_t index) {
  T sample;
  std::memcpy(&sample, image.codes().data() + index * sizeof sample, sizeof sample);
  return sample;
}

template <class T>
void put(MemoryImage& image, std::size_t index, T sample) {
  std::memcpy(image.codes().data() + index * sizeof sample, &sample, sizeof sample);
}

double code_of(double value, double top) {
  return std::isnan(value) ? 0.0 : std::clamp(std::floor(value * top + 0.5), 0.0, top);
}

}  // namespace

std::string name_of(const Format& format) {
  constexpr const char* types[] = {"u8", "u16", "f16", "f32"};
  return std::string{format.color ? "rgb" : "y"} + (format.alpha ? "a-" : "-") +
         types[static_cast<int>(format.type)];
}

Format parse_format(const std::string& name) {
  for (const Format& format : all_formats())
    if (name_of(format) == name) return format;
  throw ArgumentError{"no such format: " + name};
}

std::vector<Format> all_formats() {
  std::vector<Format> formats;
  for (const auto type : {SampleType::u8, SampleType::u16, SampleType::f16, SampleType::f32})
    for (const bool color : {true, false})
      for (const bool alpha : {true, false}) formats.push_back({type, color, alpha});
  return formats;
}

double load_sample(const MemoryImage& image, std::size_t index) {
  switch (format_of(image).type) {
    case SampleType::u8:
      return get<std::uint8_t>(image, index) / 255.0;
    case SampleType::u16:
      return get<std::uint16_t>(image, index) / 65535.0;
    case SampleType::f16:
      return static_cast<double>(get<_Float16>(image, index));
    case SampleType::f32:
      break;
  }
  return get<float>(image, index);
}

void store_sample(MemoryImage& image, std::size_t index, double value) {
  switch (format_of(image).type) {
    case SampleType::u8:
      return put(image, index, static_cast<std::uint8_t>(code_of(value, 255.0)));
    case SampleType::u16:
      return put(image, index, static_cast<std::uint16_t>(code_of(value, 65535.0)));
    case SampleType::f16:
      return put(image, index, static_cast<_Float16>(value));
    case SampleType::f32:
      return put(image, index, static_cast<float>(value));
  }
}

MemoryImage empty_image(int width, int height, Format format, bool srgb) {
  return srgb ? srgb_image(width, height, format) : linear_image(width, height, format);
}

MemoryImage random_image(int width, int height, Format format, bool srgb, unsigned seed) {
  MemoryImage image = empty_image(width, height, format, srgb);
  std::mt19937 random{seed};
  std::uniform_real_distribution<double> unit{0.0, 1.0};
  const double low = is_integer(format.type) ? 0.0 : -0.25;
  const double span = is_integer(format.type) ? 1.0 : 1.75;
  std::size_t index = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double ramp = (x + 0.5) / width, step = (x / 5 + y / 7) % 3 / 2.0;
      for (int c = 0; c < format.colors(); ++c)
        store_sample(image, index++,
                     low + span * (0.25 * ramp + 0.25 * step + 0.5 * std::pow(unit(random), 2.0)));
      if (format.alpha)
        store_sample(image, index++, std::clamp(unit(random) * 2.0 - 0.5 + 0.5 * step, 0.0, 1.0));
    }
  return image;
}

MemoryImage spiral_image(int width, int height, Format format, bool bright_end) {
  MemoryImage image = empty_image(width, height, format, true);
  const auto draw = [&](int x0, int y0, int x1, int y1, int code) {
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x)
        for (int c = 0; c < format.channels(); ++c)
          store_sample(image, (static_cast<std::size_t>(y) * width + x) * format.channels() + c,
                       c == format.colors() ? 1.0 : code / 255.0);
  };
  draw(0, 0, width - 1, height - 1, 0);
  constexpr int step = 8;
  int left = 4, top = 4, right = width - 5, bottom = height - 5;
  for (int turn = 0; bottom - top > 2 * step && right - left > 2 * step; ++turn) {
    draw(turn == 0 ? left : left - step, top, right, top, 60);
    draw(right, top, right, bottom, 60);
    draw(left, bottom, right, bottom, 60);
    draw(left, top + step, left, bottom, 60);
    left += step, top += step, right -= step, bottom -= step;
  }
  if (bright_end) draw(4, 4, 29, 4, 110);
  return image;
}

double worst_difference(const MemoryImage& got, const MemoryImage& wanted, bool divided) {
  const Format format = format_of(wanted);
  const std::size_t samples = wanted.codes().size() / bytes_of(format.type);
  double worst = 0.0;
  for (std::size_t i = 0; i < samples; ++i) {
    const double a = load_sample(got, i), b = load_sample(wanted, i);
    const std::size_t alpha_index = i / format.channels() * format.channels() + format.colors();
    const double alpha = divided ? load_sample(wanted, alpha_index) : 1.0;
    if (alpha < 1e-2) continue;
    const double error = std::abs(a - b) * alpha;
    worst = std::max(worst, is_integer(format.type) ? error * (code_count(format.type) - 1)
                                                    : error / std::max(1.0, std::abs(b)));
  }
  return worst;
}

double allowed_difference(SampleType type) {
  if (is_integer(type)) return 1.0 + 1e-9;
  return type == SampleType::f16 ? 0x1p-10 + 1e-5 : 1e-5;  // one step of a half around 1 is 2^-10
}

reference::Picture picture_of(const MemoryImage& image, bool srgb) {
  const Format format = format_of(image);
  const auto coding = srgb ? reference::Coding::srgb : reference::Coding::linear;
  const bool bytes = format.type == SampleType::u8;
  reference::Picture picture{image.width(), image.height(), format.alpha, bytes, coding, {},
                             !format.color};
  const std::size_t count = static_cast<std::size_t>(image.width()) * image.height();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * format.channels();
    reference::Color color;
    for (int c = 0; c < 3; ++c) color[c] = load_sample(image, first + (format.color ? c : 0));
    color[3] = format.alpha ? load_sample(image, first + format.colors()) : 1.0;
    picture.pixels.push_back(color);
  }
  return picture;
}

}  // namespace cuda_filters::test
