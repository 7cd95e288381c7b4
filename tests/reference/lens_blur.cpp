// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

constexpr double degree = std::numbers::pi / 180.0;

/// How much of the pixel at (x, y) an aperture around (0, 0) covers: clamp(½ - s, 0, 1), where s is
/// how far it lies outside of the outline.
class Coverage {
 public:
  explicit Coverage(const Values& values) : shape_{static_cast<int>(number(values[1]))} {
    const double sides = number(values[2]);
    for (int k = 0; k < sides; ++k) {
      const double normal = (number(values[3]) + 360.0 * (k + 0.5) / sides) * degree;
      normals_.push_back({std::cos(normal), -std::sin(normal)});
    }
    edge_ = std::cos(std::numbers::pi / sides);
  }

  double operator()(double x, double y, double radius) const {
    const double distance = std::sqrt(x * x + y * y);
    if (distance > radius + 1.0) return 0.0;
    double outside = distance - radius;
    if (shape_ == 1) {
      outside = -1e9;
      for (const auto& [right, down] : normals_)
        outside = std::max(outside, x * right + y * down - radius * edge_);
    }
    if (shape_ == 2) outside = std::max(outside, radius / 2.0 - distance);
    return std::clamp(0.5 - outside, 0.0, 1.0);
  }

 private:
  int shape_;
  double edge_;
  std::vector<std::array<double, 2>> normals_;
};

/// The area of an aperture, and half a pixel, which is what a point covers of the pixel it is in.
double area(double radius, const Values& values) {
  const int shape = static_cast<int>(number(values[1]));
  const double sides = number(values[2]);
  const double of_one = shape == 1   ? sides / 2.0 * std::sin(360.0 / sides * degree)
                        : shape == 2 ? std::numbers::pi * (1.0 - 0.25)
                                     : std::numbers::pi;
  return of_one * radius * radius + 0.5;
}

double encoded(double light) {
  return light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1.0 / 2.4) - 0.055;
}

/// Light multiplied by 1 + highlights · smoothstep(threshold, 1, Y').
Picture brightened(Picture picture, const Values& values) {
  const double highlights = number(values[4]), threshold = number(values[5]);
  for (Color& color : picture.pixels) {
    const double luma =
        0.2126 * encoded(color[0]) + 0.7152 * encoded(color[1]) + 0.0722 * encoded(color[2]);
    const double x = std::clamp((luma - threshold) / (1.0 - threshold), 0.0, 1.0);
    const double factor = 1.0 + highlights * x * x * (3.0 - 2.0 * x);
    if (highlights != 0.0)
      for (int c = 0; c < 3; ++c) color[c] *= factor;
  }
  return picture;
}

/// The radius at a place of the depth map.
double radius_at(const Picture& depth, int x, int y, const Values& values) {
  const double near = number(values[6]), far = number(values[7]);
  const auto border = static_cast<Border>(number(values[8]));
  const Color color = sample(depth, x, y, border);
  const double luminance =
      color[3] < least_alpha ? 0.0 : 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2];
  if (near == far) return luminance > near ? number(values[0]) : 0.0;
  return number(values[0]) * std::clamp((luminance - near) / (far - near), 0.0, 1.0);
}

/// Sums of weighted colors, and of the weights.
struct Mean {
  Color sum{};
  double weights = 0.0;

  void add(const Color& color, double weight) {
    weights += weight;
    for (int c = 0; c < 4; ++c) sum[c] += weight * color[c];
  }
};

/// For each column of the picture and each column it has, and one for transparency, how much of the
/// aperture's row v is there: what lies beyond the ends are the same columns again.
std::vector<double> folded_row(const Coverage& coverage, int v, double radius, int width,
                               Border border) {
  const int reach = static_cast<int>(radius) + 1;
  std::vector<double> shares(static_cast<std::size_t>(width) * (width + 1));
  for (int u = -reach; u <= reach; ++u) {
    const double covered = coverage(-u, -v, radius);
    if (covered == 0.0) continue;
    for (int x = 0; x < width; ++x) {
      const int place = border_index(x + u, width, border);
      shares[static_cast<std::size_t>(x) * (width + 1) + (place < 0 ? width : place)] += covered;
    }
  }
  return shares;
}

/// The mean over the aperture.
std::vector<Mean> means(const Picture& before, const Values& values, Border border) {
  const Coverage coverage{values};
  const double radius = number(values[0]);
  const int reach = static_cast<int>(radius) + 1, width = before.width;
  std::vector<Mean> all(before.pixels.size());
  for (int v = -reach; v <= reach; ++v) {
    const std::vector<double> shares = folded_row(coverage, v, radius, width, border);
    for (int y = 0; y < before.height; ++y) {
      const int row = border_index(y + v, before.height, border);
      for (int x = 0; x < width; ++x)
        for (int place = 0; place <= width; ++place) {
          const double share = shares[static_cast<std::size_t>(x) * (width + 1) + place];
          const bool exists = row >= 0 && place < width;
          if (share != 0.0)
            all[static_cast<std::size_t>(y) * width + x].add(
                exists ? before.at(place, row) : Color{}, share);
        }
    }
  }
  return all;
}

/// The mean around each pixel p: each pixel q counts by how much its own aperture covers p, divided
/// by that aperture's area: a sharp foreground does not bleed into a blurred background. Of a q
/// that lies farther away than p, the radius is no larger than p's: a blurred background does not
/// bleed over a sharp foreground, behind which it is hidden. `depth`'s first pixel lies at (left,
/// top) of the picture.
std::vector<Mean> depth_means(const Picture& before, const Values& values, Border border,
                              const Picture& depth, int left, int top) {
  const Coverage coverage{values};
  const int reach = static_cast<int>(number(values[0])) + 1, width = before.width + 2 * reach;
  std::vector<double> radii(static_cast<std::size_t>(width) * (before.height + 2 * reach));
  for (std::size_t i = 0; i < radii.size(); ++i)
    radii[i] = radius_at(depth, static_cast<int>(i % width) - reach - left,
                         static_cast<int>(i / width) - reach - top, values);
  std::vector<Mean> all;
  for (int y = 0; y < before.height; ++y)
    for (int x = 0; x < before.width; ++x) {
      Mean mean;
      const double own = radii[static_cast<std::size_t>(y + reach) * width + x + reach];
      const int rows = static_cast<int>(own) + 1;
      for (int v = -rows; v <= rows; ++v)
        for (int u = -rows; u <= rows; ++u) {
          const auto place = static_cast<std::size_t>(y + v + reach) * width + x + u + reach;
          const double radius = std::min(own, radii[place]), covered = coverage(-u, -v, radius);
          if (covered > 0.0)
            mean.add(sample(before, x + u, y + v, border), covered / area(radius, values));
        }
      // Of a ring, p may lie in all holes that it lies in at all.
      if (mean.weights == 0.0) mean.add(before.at(x, y), 1.0);
      all.push_back(mean);
    }
  return all;
}

Picture filtered(const Picture& in, const Values& values, const Picture* depth, int left, int top) {
  const auto border = static_cast<Border>(number(values[8]));
  const Picture straight = recoded(in, Coding::linear);
  const Picture before = premultiplied(brightened(straight, values));
  const std::vector<Mean> all =
      depth == nullptr
          ? means(before, values, border)
          : depth_means(before, values, border, recoded(*depth, Coding::linear), left, top);
  Picture out = before;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (int c = 0; c < 4; ++c) out.pixels[i][c] = all[i].sum[c] / all[i].weights;
  return recoded(unpremultiplied(out, straight), in.coding);
}

Picture apply(const Picture& in, const Values& values) {
  return filtered(in, values, nullptr, 0, 0);
}

Picture apply_with_depth(const Picture& in, const Values& values, const Picture& depth, int x,
                         int y) {
  return filtered(in, values, &depth, x, y);
}

}  // namespace

extern const Reference reference_lens_blur{"lens-blur",
                                           apply,
                                           {{4.0, 0.0, 6.0, 0.0, 0.0, 0.9, 0.0, 1.0, 0.0},
                                            {6.3, 1.0, 5.0, 20.0, 0.0, 0.9, 0.2, 0.7, 1.0},
                                            {5.5, 2.0, 6.0, 0.0, 3.0, 0.6, 0.9, 0.1, 2.0},
                                            {2.5, 1.0, 3.0, -90.0, 0.0, 0.9, 0.5003, 0.5003, 3.0},
                                            {0.0, 0.0, 6.0, 0.0, 5.0, 0.3, 0.0, 1.0, 4.0},
                                            {11.2, 0.0, 6.0, 0.0, 1.0, 0.0, 0.0, 0.4, 4.0}},
                                           [](const Values&) { return 1e-5; },
                                           [](const Values& values) {
                                             const double highlights = number(values[4]);
                                             return 1.0 + highlights +
                                                    1.5 * highlights / (1.001 - number(values[5]));
                                           },
                                           nullptr,
                                           apply_with_depth};

}  // namespace cuda_filters::reference
