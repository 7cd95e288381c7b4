// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <utility>

#include "gpu/algorithms/aperture/weighted_mean.hpp"
#include "gpu/algorithms/deconvolution/deconvolve.hpp"
#include "gpu/algorithms/gaussian/blur_rows.hpp"
#include "gpu/algorithms/gaussian/gaussian.hpp"
#include "gpu/algorithms/separable/covering_cpu.hpp"
#include "gpu/algorithms/separable/taps.hpp"
#include "gpu/core/band_progress.hpp"
#include "gpu/cpu/image.hpp"

namespace cuda_filters::cpu {
namespace {

using deconvolution::Areas;
using deconvolution::DeconvolutionSettings;
using deconvolution::Psf;
using deconvolution::Update;

/// Gives out the rows of a part of an image, which goes on beyond the ends of the image as the
/// border says.
class Continued final : public RowReader {
 public:
  Continued(const Image& part, Rect image, Border border)
      : part_{part}, image_{image}, border_{border} {}
  void load(int x, int y, int count, float* pixels) const override {
    const int row = border_index(y, image_.height, border_);
    if (row < 0) {
      std::fill_n(pixels, std::size_t{4} * count, 0.0f);
      return;
    }
    const int end = x + count;
    const int inner = std::clamp(0, x, end), inner_end = std::clamp(image_.width, inner, end);
    for (int i = x; i < inner; ++i) copy(i, row, pixels + std::size_t{4} * (i - x));
    if (inner < inner_end)
      part_.load(inner, row, inner_end - inner, pixels + std::size_t{4} * (inner - x));
    for (int i = inner_end; i < end; ++i) copy(i, row, pixels + std::size_t{4} * (i - x));
  }

 private:
  void copy(int x, int row, float* pixel) const {
    const int column = border_index(x, image_.width, border_);
    if (column < 0)
      std::fill_n(pixel, 4, 0.0f);
    else
      std::copy_n(part_.row(column, row), 4, pixel);
  }

  const Image& part_;
  Rect image_;
  Border border_;
};

/// Convolves with a point spread function, or with the one that is turned.
class Convolution {
 public:
  Convolution(const Psf& psf, bool turned, Size image, Border border)
      : psf_{psf}, reach_x_{psf.reach().x} {
    if (const auto factors = deconvolution::factors_of(psf, turned)) {
      const Halo reach = psf.reach();
      constexpr int steps = 12;
      if (covering::pays(image.width, reach.x, steps))
        columns_ = covering::make_axis(factors.across, image.width, border);
      if (covering::pays(image.height, reach.y, steps))
        rows_ = covering::make_axis(factors.down, image.height, border);
      across_ = Taps::along_x(columns_ ? std::vector{1.0f} : factors.across);
      down_ = Taps::along_y(rows_ ? std::vector{1.0f} : factors.down);
      return;
    }
    weights_ = RowTaps::of(psf.neighbors(turned));
  }

  void run(const RowReader& in, Rect area, const RowWriter& out) const {
    if (weights_) return weighted_mean(in, area, *weights_, out);
    const double sigma = psf_.sigma;
    with_covering(in, area, reach_x_, columns_, rows_, out,
                  [&](const RowReader& from, Rect part, const RowWriter& to) {
                    if (gaussian::Axis{sigma}.decimates())
                      return blur_rows(from, part, columns_ ? 0.0 : sigma, rows_ ? 0.0 : sigma, to);
                    sum_neighbors(from, part, across_, down_, {}, to);
                  });
  }

 private:
  const Psf& psf_;
  int reach_x_;
  covering::Axis columns_, rows_;
  Taps across_, down_;
  std::optional<RowTaps> weights_;
};

/// Takes psf ∗ u and writes the quotients.
class QuotientWriter final : public RowWriter {
 public:
  QuotientWriter(const Input& picture, const Update& update, Image& quotients)
      : picture_{picture}, update_{update}, quotients_{quotients} {}
  void store(int x, int y, int count, const float* pixels) const override {
    thread_local RowBuffer buffer;
    const float* const picture = &picture_.row(x, y, count, buffer)->r;
    float* const to = quotients_.row(x, y);
    if (update_.inverse == 0.0f)
      for (int i = 0; i < 4 * count; ++i) to[i] = Update::plain_quotient(picture[i], pixels[i]);
    else
      for (int i = 0; i < 4 * count; ++i) to[i] = update_.damped_quotient(picture[i], pixels[i]);
  }

 private:
  const Input& picture_;
  const Update& update_;
  Image& quotients_;
};

/// Takes what corrects the light and writes the product.
class ProductWriter final : public RowWriter {
 public:
  explicit ProductWriter(Image& image) : image_{image} {}
  void store(int x, int y, int count, const float* pixels) const override {
    float* const light = image_.row(x, y);
    for (int i = 0; i < 4 * count; ++i) light[i] = Update::product(light[i], pixels[i]);
  }

 private:
  Image& image_;
};

void fill(Image& image, float value) {
  const Rect area = image.area();
  parallel_for(area.height, [&](int i) {
    std::fill_n(image.row(area.x, area.y + i), std::size_t{4} * area.width, value);
  });
}

}  // namespace

void deconvolve(Exec&, const Input& in, const Output& out, const DeconvolutionSettings& settings) {
  const Rect whole = in.image();
  const Areas areas{whole, out.area(), settings};
  const Update update{settings.damping};
  const Convolution convolution{settings.psf, false, whole.size(), settings.border},
      turned{settings.psf, true, whole.size(), settings.border};
  const int steps = 2 * settings.iterations;
  Image light{areas.before(steps)}, quotients{areas.before(steps - 1)};
  fill(light, deconvolution::initial);
  const Continued all_light{light, whole, settings.border},
      all_quotients{quotients, whole, settings.border};
  const QuotientWriter to_quotients{in, update, quotients};
  const ProductWriter to_light{light};
  for (int left = steps; left > 0; left -= 2) {
    cancellation_point();
    convolution.run(all_light, areas.before(left - 1), to_quotients);
    set_band_progress(1.0 - (left - 1.0) / steps);
    cancellation_point();
    turned.run(all_quotients, areas.before(left - 2), to_light);
    set_band_progress(1.0 - (left - 2.0) / steps);
  }
  const Rect area = out.area();
  parallel_for(area.height, [&](int i) {
    out.store(area.x, area.y + i, area.width, light.row(area.x, area.y + i));
  });
}

}  // namespace cuda_filters::cpu
