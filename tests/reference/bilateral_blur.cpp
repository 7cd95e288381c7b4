// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tests/reference/reference.hpp"

namespace cuda_filters::reference {
namespace {

/// exp(-d² / 2s²), or for s = 0 what that goes to.
double bell(double squared, double s) {
  if (s == 0.0) return squared == 0.0 ? 1.0 : 0.0;
  return std::exp(-squared / (2.0 * s * s));
}

/// How much each pixel of a picture counts around one of them by the distance alone, with what lies
/// beyond the ends, which are the same pixels again; and transparency, the last number.
class Disc {
 public:
  Disc(const Picture& picture, double std_dev, Border border)
      : width_{picture.width},
        height_{picture.height},
        radius_{static_cast<int>(std::ceil(3.0 * std_dev))},
        std_dev_{std_dev},
        columns_(picture.width, 1),
        rows_(1, picture.height),
        border_{border} {
    for (int dy = 0, end = radius_; dy <= radius_; ends_[dy++] = end)
      while (end * end + dy * dy > radius_ * radius_) --end;
  }

  /// Says which column the next ones are around.
  void set_column(int x) {
    // Of rows that reach so far.
    sums_.assign(radius_ + 1, std::vector<double>(width_ + 1));
    for (int end = 0; end <= radius_; ++end) {
      if (end > 0) sums_[end] = sums_[end - 1];
      sums_[end][place(columns_, x + end, 0, width_)] += bell(end * end, std_dev_);
      if (end > 0) sums_[end][place(columns_, x - end, 0, width_)] += bell(end * end, std_dev_);
    }
  }
  std::vector<double> around_row(int y) const {
    std::vector<double> weights(static_cast<std::size_t>(width_) * height_ + 1);
    for (int dy = -radius_; dy <= radius_; ++dy) {
      const int end = ends_[std::abs(dy)];
      const int row = place(rows_, 0, y + dy, height_);
      const double weight = bell(dy * dy, std_dev_);
      for (int x = 0; x < width_; ++x)
        (row < height_ ? weights[static_cast<std::size_t>(row) * width_ + x] : weights.back()) +=
            weight * sums_[end][x];
      weights.back() += weight * sums_[end][width_];
    }
    return weights;
  }

 private:
  /// A row or a column of pixels that know where they stand.
  struct Numbered : Picture {
    Numbered(int columns, int rows) {
      width = columns, height = rows;
      for (int i = 0; i < columns * rows; ++i) pixels.push_back({i + 1.0});
    }
  };
  int place(const Numbered& pixels, int x, int y, int none) const {
    const int number = static_cast<int>(sample(pixels, x, y, border_)[0]);
    return number == 0 ? none : number - 1;
  }

  int width_, height_, radius_;
  double std_dev_;
  std::vector<int> ends_ = std::vector<int>(radius_ + 1);  ///< how far the rows reach
  Numbered columns_, rows_;
  Border border_;
  std::vector<std::vector<double>> sums_;
};

/// A mean around a pixel, of colors that weigh by what differs.
struct Mean {
  int guide;
  double range_std_dev;
  Color own;  ///< what the others are compared with
  Color sums{}, weights{};

  void add(const Color& color, const Color& compared, double weight) {
    Color squares{};
    for (int c = 0; c < 4; ++c) squares[c] = (compared[c] - own[c]) * (compared[c] - own[c]);
    Color bells;
    if (guide == 0) bells.fill(bell(squares[0] + squares[1] + squares[2], range_std_dev));
    if (guide == 1) {
      const double y = 0.2126 * (compared[0] - own[0]) + 0.7152 * (compared[1] - own[1]) +
                       0.0722 * (compared[2] - own[2]);
      bells.fill(bell(y * y, range_std_dev));
    }
    if (guide == 2)
      for (int c = 0; c < 4; ++c) bells[c] = bell(squares[c], range_std_dev);
    for (int c = 0; c < 4; ++c) {
      double w = weight * bells[c];
      if (c < 3) w *= color[3];
      sums[c] += w * color[c];
      weights[c] += w;
    }
  }
  Color result(const Color& was) const {
    Color color = was;
    for (int c = 0; c < 4; ++c)
      if (weights[c] > 1e-30) color[c] = sums[c] / weights[c];  // of less, none is near
    return color;
  }
};

/// `compared`'s first pixel lies at (dx, dy) of the picture.
Picture filtered(const Picture& in, const Values& values, const Picture& compared, int dx, int dy) {
  const double std_dev = number(values[0]), range_std_dev = number(values[1]);
  const int guide = static_cast<int>(number(values[2]));
  const auto border = static_cast<Border>(number(values[3]));
  const Picture before = recoded(in, Coding::srgb), other = recoded(compared, Coding::srgb);
  const int radius = static_cast<int>(std::ceil(3.0 * std_dev));
  // What lies beyond the ends of two pictures is not the same pixels again: then each counts.
  const bool is_own = &in == &compared;
  Disc disc{in, std_dev, border};
  Picture out = before;
  for (int x = 0; x < in.width; ++x) {
    if (is_own) disc.set_column(x);
    for (int y = 0; y < in.height; ++y) {
      Mean mean{guide, range_std_dev, sample(other, x - dx, y - dy, border)};
      if (is_own) {
        const std::vector<double> weights = disc.around_row(y);
        for (std::size_t i = 0; i < before.pixels.size(); ++i)
          if (weights[i] > 0.0) mean.add(before.pixels[i], before.pixels[i], weights[i]);
        if (weights.back() > 0.0) mean.add({}, {}, weights.back());
      } else {
        for (int v = -radius; v <= radius; ++v)
          for (int u = -radius; u <= radius; ++u)
            if (u * u + v * v <= radius * radius)
              mean.add(sample(before, x + u, y + v, border),
                       sample(other, x + u - dx, y + v - dy, border), bell(u * u + v * v, std_dev));
      }
      out.at(x, y) = mean.result(before.at(x, y));
    }
  }
  return recoded(out, in.coding);
}

/// One value a pixel may go by a grid.
double accuracy(const Values& values) {
  return number(values[0]) < 8.0 || number(values[2]) == 0.0 ? 2e-5 : 1e-3;
}

Picture apply(const Picture& in, const Values& values) { return filtered(in, values, in, 0, 0); }

}  // namespace

extern const Reference reference_bilateral_blur{"bilateral-blur",
                                                apply,
                                                {{4.0, 0.1, 0.0, 0.0},
                                                 {1.3, 0.25, 1.0, 1.0},
                                                 {2.0, 0.3, 2.0, 4.0},
                                                 {5.2, 2.0, 0.0, 2.0},
                                                 {3.0, 0.05, 2.0, 3.0},
                                                 {12.5, 0.1, 1.0, 1.0},
                                                 {12.0, 0.3, 2.0, 2.0}},
                                                accuracy,
                                                nullptr,
                                                nullptr,
                                                filtered};

}  // namespace cuda_filters::reference
