// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <optional>
#include <utility>

#include "gpu/algorithms/aperture/weighted_mean.hpp"
#include "gpu/algorithms/deconvolution/deconvolution_kernels.hpp"
#include "gpu/algorithms/deconvolution/deconvolve.hpp"
#include "gpu/algorithms/gaussian/blur_rows.hpp"
#include "gpu/algorithms/gaussian/gaussian.hpp"
#include "gpu/algorithms/separable/aligned_row.hpp"
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

  /// Whether it is a sum along rows and one along columns, of few neighbors: see Iteration.
  bool is_small() const {
    constexpr int small = 16;
    return !weights_ && !columns_ && !rows_ && !gaussian::Axis{psf_.sigma}.decimates() &&
           std::max(across_.radius_x, down_.radius_y) <= small;
  }
  const Taps& across() const { return across_; }
  const Taps& down() const { return down_; }

 private:
  const Psf& psf_;
  int reach_x_;
  covering::Axis columns_, rows_;
  Taps across_, down_;
  std::optional<RowTaps> weights_;
};

/// The quotients of `count` pixels.
void update_quotients(const Update& update, const float* picture, const float* model, int count,
                      float* to) {
  if (update.inverse == 0.0f)
    deconvolution_kernels().quotients(picture, model, std::size_t{4} * count, to);
  else
    for (int i = 0; i < 4 * count; ++i) to[i] = update.damped_quotient(picture[i], model[i]);
}

/// Takes psf ∗ u and writes the quotients.
class QuotientWriter final : public RowWriter {
 public:
  QuotientWriter(const Input& picture, const Update& update, Image& quotients)
      : picture_{picture}, update_{update}, quotients_{quotients} {}
  void store(int x, int y, int count, const float* pixels) const override {
    thread_local RowBuffer buffer;
    const float* const picture = &picture_.row(x, y, count, buffer)->r;
    update_quotients(update_, picture, pixels, count, quotients_.row(x, y));
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
    deconvolution_kernels().products(light, pixels, deconvolution::least_light,
                                     std::size_t{4} * count, light);
  }

 private:
  Image& image_;
};

/// The last rows that were summed along themselves, and sums of these along columns.
class SummedRows {
 public:
  SummedRows(const Taps& across, const Taps& down, int width, int height, Border border)
      : across_{across},
        down_{down},
        width_{width},
        height_{height},
        border_{border},
        pointers_(std::max(across.offsets.size(), down.offsets.size())) {
    rows_.resize(2 * down.radius_y + 1);
    for (AlignedRow& row : rows_) row.resize(width);
    nothing_.resize(width);
  }

  /// Adds row y of the image: `pixels` begin across.radius_x before the first one.
  void add(int y, const float* pixels) {
    for (std::size_t t = 0; t < across_.offsets.size(); ++t)
      pointers_[t] = pixels + std::size_t{4} * (across_.radius_x + across_.offsets[t].x);
    sum(across_, row(y).floats());
  }
  /// The sums of row y, of whose neighbors those in the image must have been the last to be added.
  void sum_columns(int y, float* to) {
    for (std::size_t t = 0; t < down_.offsets.size(); ++t) {
      const int neighbor = border_index(y + down_.offsets[t].y, height_, border_);
      pointers_[t] = (neighbor < 0 ? nothing_ : row(neighbor)).floats();
    }
    sum(down_, to);
  }

 private:
  AlignedRow& row(int y) { return rows_[y % rows_.size()]; }
  void sum(const Taps& taps, float* to) {
    sum_kernels().weighted_sum(pointers_.data(), taps.weights.data(),
                               static_cast<int>(taps.offsets.size()), to, std::size_t{4} * width_);
  }

  const Taps &across_, &down_;
  int width_, height_;
  Border border_;
  std::vector<AlignedRow> rows_;
  AlignedRow nothing_;
  std::vector<const float*> pointers_;
};

/// Both convolutions of an iteration at once, tile by tile, of which the quotients are kept no
/// longer than it takes: light goes from one image to another one, once through memory.
class Iteration {
 public:
  Iteration(const Input& picture, const Update& update, const Convolution& convolution,
            const Convolution& turned, Border border)
      : picture_{picture},
        update_{update},
        convolution_{convolution},
        turned_{turned},
        whole_{picture.image()},
        border_{border} {}

  /// Whether that is possible and pays.
  static bool pays(const Convolution& convolution, const Convolution& turned, Border border) {
    return convolution.is_small() && turned.is_small() && border != Border::wrap;
  }

  /// Where light is `even`, the same everywhere, so is what becomes of it.
  void run(const Image& light, bool even, Rect area, Image& to) const {
    constexpr int tile_bytes = 512 * 1024;
    const int rows = 2 * (convolution_.down().radius_y + turned_.down().radius_y + 1);
    const int width = std::clamp(tile_bytes / (static_cast<int>(sizeof(Pixel)) * rows), 64, 1024);
    constexpr int height = 256;
    const Continued continued{light, whole_, border_};
    for_tiles(area, width, height, [&](Rect tile) { run_tile(continued, light, even, tile, to); });
  }

 private:
  void run_tile(const RowReader& continued, const Image& light, bool even, Rect tile,
                Image& to) const {
    const int of_model = convolution_.across().radius_x, of_turned = turned_.across().radius_x;
    const int up = turned_.down().radius_y, model_up = convolution_.down().radius_y;
    const int left = std::max(tile.x - of_turned, 0),
              right = std::min(tile.right() + of_turned, whole_.width);
    const int width = right - left, seen = width + 2 * of_model;
    SummedRows models{convolution_.across(), convolution_.down(), width, whole_.height, border_};
    SummedRows corrections{turned_.across(), turned_.down(), tile.width, whole_.height, border_};
    // Quotients go on beyond the image, up to what the second convolution looks at.
    const int before = left - (tile.x - of_turned), all = tile.width + 2 * of_turned;
    RowBuffer pixels(seen), sums(std::max(width, tile.width)), quotients(all), buffer;
    std::vector<int> columns(all);  // of the quotients, or -1
    for (int i = 0; i < all; ++i) {
      const int column = border_index(tile.x - of_turned + i, whole_.width, border_);
      columns[i] = column < 0 ? -1 : before + column - left;
    }

    int next_light = std::max(tile.y - up - model_up, 0), next = std::max(tile.y - up, 0);
    for (int y = tile.y; y < tile.bottom(); ++y) {
      for (; next < std::min(y + up + 1, whole_.height); ++next) {
        for (; !even && next_light < std::min(next + model_up + 1, whole_.height); ++next_light) {
          const float* lights = pixels.floats();
          if (left >= of_model && right + of_model <= whole_.width)
            lights = light.row(left - of_model, next_light);
          else
            continued.load(left - of_model, next_light, seen, pixels.floats());
          models.add(next_light, lights);
        }
        if (even)
          std::fill_n(sums.floats(), std::size_t{4} * width, deconvolution::initial);
        else
          models.sum_columns(next, sums.floats());
        const float* const picture = &picture_.row(left, next, width, buffer)->r;
        float* const here = quotients.floats();
        update_quotients(update_, picture, sums.floats(), width, here + std::size_t{4} * before);
        const auto go_on = [&](int i) {
          if (columns[i] < 0)
            std::fill_n(here + std::size_t{4} * i, 4, 0.0f);
          else
            std::copy_n(here + std::size_t{4} * columns[i], 4, here + std::size_t{4} * i);
        };
        for (int i = 0; i < before; ++i) go_on(i);
        for (int i = before + width; i < all; ++i) go_on(i);
        corrections.add(next, here);
      }
      corrections.sum_columns(y, sums.floats());
      float* const result = to.row(tile.x, y);
      deconvolution_kernels().products(light.row(tile.x, y), sums.floats(),
                                       deconvolution::least_light, std::size_t{4} * tile.width,
                                       result);
    }
  }

  const Input& picture_;
  const Update& update_;
  const Convolution &convolution_, &turned_;
  Rect whole_;
  Border border_;
};

void fill(Image& image, float value) {
  const Rect area = image.area();
  parallel_for(area.height, [&](int i) {
    std::fill_n(image.row(area.x, area.y + i), std::size_t{4} * area.width, value);
  });
}

void store_all(const Image& image, const Output& out) {
  const Rect area = out.area();
  parallel_for(area.height, [&](int i) {
    out.store(area.x, area.y + i, area.width, image.row(area.x, area.y + i));
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
  Image light{areas.before(steps)};
  fill(light, deconvolution::initial);
  if (Iteration::pays(convolution, turned, settings.border)) {
    const Iteration iteration{in, update, convolution, turned, settings.border};
    Image other{areas.before(steps - 2)};
    Image *from = &light, *to = &other;
    for (int left = steps; left > 0; left -= 2) {
      cancellation_point();
      // Beyond the ends of the image there may be no light.
      const bool even = left == steps && settings.border != Border::transparent;
      iteration.run(*from, even, areas.before(left - 2), *to);
      std::swap(from, to);
      set_band_progress(1.0 - (left - 2.0) / steps);
    }
    return store_all(*from, out);
  }
  Image quotients{areas.before(steps - 1)};
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
  store_all(light, out);
}

}  // namespace cuda_filters::cpu
