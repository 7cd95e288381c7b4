// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/reference/atrous.hpp"

namespace cuda_filters::reference {
namespace {

/// The deviations of the details of white noise, by level: the norms of what the transform makes of
/// a single pixel, which is a product of two axes.
std::vector<double> noise(int levels) {
  const int middle = 2 * ((1 << levels) - 1);
  std::vector<double> fine(2 * middle + 1), norms;
  fine[middle] = 1.0;
  for (int level = 0; level < levels; ++level) {
    std::vector<double> coarse(fine.size());
    for (int i = 0; i < static_cast<int>(fine.size()); ++i)
      for (int k = -2; k <= 2; ++k)
        if (const int from = i + k * (1 << level);
            from >= 0 && from < static_cast<int>(fine.size()))
          coarse[i] += spline[k + 2] * fine[from];
    double squares = 0.0;
    for (std::size_t y = 0; y < fine.size(); ++y)
      for (std::size_t x = 0; x < fine.size(); ++x) {
        const double detail = fine[x] * fine[y] - coarse[x] * coarse[y];
        squares += detail * detail;
      }
    norms.push_back(std::sqrt(squares));
    fine = coarse;
  }
  return norms;
}

const std::vector<double>& all_noise() {
  static const std::vector<double> all = noise(8);
  return all;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::ranges::sort(values);
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

/// A detail after firm shrinkage: 0 up to the threshold, itself from the second one on, on a
/// straight line between them.
double shrunk(double detail, double threshold, double softness) {
  const double size = std::abs(detail), sign = detail < 0.0 ? -1.0 : 1.0;
  if (size <= threshold) return 0.0;
  if (softness == 1.0) return sign * (size - threshold);
  const double second = threshold / (1.0 - softness);
  if (size > second) return detail;
  return sign * second * (size - threshold) / (second - threshold);
}

constexpr double kr = 0.2126, kb = 0.0722, kg = 1.0 - kr - kb;

Picture apply(const Picture& in, const Values& values) {
  const double threshold = number(values[0]), softness = number(values[2]),
               luma = number(values[3]), chroma = number(values[4]);
  if (threshold == 0.0 || (luma == 0.0 && chroma == 0.0)) return in;
  const int levels = static_cast<int>(number(values[1]));
  const auto border = static_cast<Border>(number(values[5]));
  Picture out = recoded(in, Coding::srgb);
  const Picture before = out;
  Field fine{in.width, in.height, 2 * ((1 << levels) - 1)};
  for (int y = -fine.margin; y < in.height + fine.margin; ++y)
    for (int x = -fine.margin; x < in.width + fine.margin; ++x) {
      const Color p = sample(before, x, y, border);
      const double brightness = kr * p[0] + kg * p[1] + kb * p[2];
      fine.at(x, y) = {brightness, (p[2] - brightness) / (2.0 - 2.0 * kb),
                       (p[0] - brightness) / (2.0 - 2.0 * kr), 0.0};
    }
  Field original = fine, result{in.width, in.height, 0};
  double deviation[3];
  for (int level = 0; level < levels; ++level) {
    Field coarse = smoothed(fine, 1 << level);
    for (int c = 0; c < 3; ++c) {
      if (level == 0) {
        std::vector<double> sizes;
        for (int y = 0; y < in.height; ++y)
          for (int x = 0; x < in.width; ++x)
            if (before.at(x, y)[3] > 0.0)
              sizes.push_back(std::abs(fine.at(x, y)[c] - coarse.at(x, y)[c]));
        deviation[c] = median(sizes) / 0.674489750196081743;
      }
      const double here = threshold * deviation[c] * all_noise()[level] / all_noise()[0];
      for (int y = 0; y < in.height; ++y)
        for (int x = 0; x < in.width; ++x)
          result.at(x, y)[c] += shrunk(fine.at(x, y)[c] - coarse.at(x, y)[c], here, softness);
    }
    fine = coarse;
  }
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      double ycc[3];
      for (int c = 0; c < 3; ++c) {
        const double was = original.at(x, y)[c], is = result.at(x, y)[c] + fine.at(x, y)[c];
        ycc[c] = was + (c == 0 ? luma : chroma) * (is - was);
      }
      Color& color = out.at(x, y);
      color[0] = ycc[0] + (2.0 - 2.0 * kr) * ycc[2];
      color[2] = ycc[0] + (2.0 - 2.0 * kb) * ycc[1];
      color[1] = (ycc[0] - kr * color[0] - kb * color[2]) / kg;
    }
  return recoded(out, in.coding);
}

}  // namespace

extern const Reference reference_wavelet_denoise{
    "wavelet-denoise",
    apply,
    {{1.5, 3.0, 1.0, 1.0, 1.0, 0.0},
     {3.0, 4.0, 0.5, 0.7, 1.0, 1.0},
     {0.8, 2.0, 0.9, 1.0, 0.0, 2.0},
     {2.0, 3.0, 0.0, 0.5, 1.0, 3.0},
     {4.0, 1.0, 0.3, 0.0, 0.8, 4.0}},
    [](const Values&) { return 1e-5; },
    // Between the two thresholds details grow by 1 / softness.
    [](const Values& values) {
      const double softness = number(values[2]);
      return softness == 0.0 ? 1.0 : std::min(1.0 / softness, 100.0);
    }};

}  // namespace cuda_filters::reference
