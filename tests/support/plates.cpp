// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tests/support/plates.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace cuda_filters::test {
namespace {

/// Something bright or dark: a Gaussian blob, which is the product of one along x and one along y.
struct Blob {
  double x, y, sigma, height;
};

std::vector<Blob> blobs_of(const PlateSettings& settings) {
  std::mt19937 random{settings.seed};
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  };
  std::vector<Blob> blobs;
  const int count = 60 + settings.width * settings.height / 200;
  for (int i = 0; i < count; ++i)
    blobs.push_back({uniform(-20.0, settings.width + 20.0), uniform(-20.0, settings.height + 20.0),
                     std::exp(uniform(std::log(1.5), std::log(12.0))), uniform(-1.0, 1.0)});
  return blobs;
}

/// The scene as seen through a window of the plates' size that begins at `shift`.
std::vector<double> scene(const PlateSettings& settings, const std::vector<Blob>& blobs,
                          align::Shift shift) {
  const int width = settings.width, height = settings.height;
  std::vector<double> values(static_cast<std::size_t>(width) * height, 0.5);
  std::vector<double> across(static_cast<std::size_t>(width));
  for (const Blob& blob : blobs) {
    const auto along = [&](double d) { return std::exp(-d * d / (2 * blob.sigma * blob.sigma)); };
    const auto reach = [&](double center, int size) {
      const double radius = 5.0 * blob.sigma;
      return std::pair{std::clamp(static_cast<int>(std::ceil(center - radius)), 0, size),
                       std::clamp(static_cast<int>(std::floor(center + radius)) + 1, 0, size)};
    };
    const double x0 = blob.x - shift.x, y0 = blob.y - shift.y;
    const auto [left, right] = reach(x0, width);
    const auto [top, bottom] = reach(y0, height);
    for (int x = left; x < right; ++x) across[static_cast<std::size_t>(x)] = along(x - x0);
    for (int y = top; y < bottom; ++y) {
      const double factor = settings.contrast * blob.height * along(y - y0);
      double* row = &values[static_cast<std::size_t>(y) * width];
      for (int x = left; x < right; ++x) row[x] += factor * across[static_cast<std::size_t>(x)];
    }
  }
  return values;
}

}  // namespace

std::vector<float> make_plates(const PlateSettings& settings) {
  const int width = settings.width, height = settings.height;
  const std::vector<Blob> blobs = blobs_of(settings);
  const align::Shift shifts[3] = {settings.first, {}, settings.last};
  std::mt19937 random{settings.seed + 1};
  std::normal_distribution<double> normal;
  const auto below = [&](int count) { return static_cast<int>(random() % unsigned(count)); };
  std::vector<float> scan;
  for (int plate = 0; plate < 3; ++plate) {
    std::vector<double> values = scene(settings, blobs, shifts[plate]);
    const auto pixel = [&](int x, int y) -> double& {
      return values[static_cast<std::size_t>(y) * width + x];
    };
    for (double& value : values)
      value = settings.gains[plate] * std::pow(std::clamp(value, 0.0, 1.0), settings.gammas[plate]);
    for (int i = 0; i < settings.scratches; ++i) {
      const int column = below(width), slope = below(3) - 1;
      for (int y = 0; y < height; ++y)
        pixel(std::clamp(column + y * slope / 4, 0, width - 1), y) = 1.0;
    }
    if (settings.frame > 0) {
      const int left = settings.frame + below(4), right = settings.frame + below(4);
      const int top = settings.frame + below(4), bottom = settings.frame + below(4);
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
          if (x < left || x >= width - right || y < top || y >= height - bottom)
            pixel(x, y) = settings.border;
    }
    for (const double value : values)
      scan.push_back(static_cast<float>(value + settings.noise * normal(random)));
  }
  return scan;
}

}  // namespace cuda_filters::test
