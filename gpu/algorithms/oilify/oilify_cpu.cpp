// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/algorithms/oilify/oilify_filter.hpp"
#include "gpu/algorithms/oilify/oilify_kernels.hpp"
#include "gpu/core/band_progress.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using oilify::Disc;
using oilify::OilifySettings;
using oilify::Units;

/// What all tiles have in common.
struct Picture {
  const Input& in;
  const Output& out;
  const OilifySettings& settings;
  Disc disc{settings.radius};
  Units units{disc};
  std::vector<float> weights = oilify::weights_of(settings, disc.count);
};

/// The pixels that enter and leave when the disc moves by a column or a row.
class Step {
 public:
  /// `along`, `across`: how many pixels it is to the next one, in the step's direction and across.
  Step(const Disc& disc, std::ptrdiff_t along, std::ptrdiff_t across) {
    for (int i = 0; i <= 2 * disc.radius; ++i) {
      const std::ptrdiff_t side = (i - disc.radius) * across;
      entering_.push_back(static_cast<int>(side + (disc.reach[i] + 1) * along));
      leaving_.push_back(static_cast<int>(side - disc.reach[i] * along));
    }
  }
  OilifyChanges changes() const {
    return {entering_.data(), leaving_.data(), static_cast<int>(entering_.size())};
  }

 private:
  std::vector<int> entering_, leaving_;
};

/// One tile, over which the disc goes to the right and to the left in turns, and down.
class Tile {
 public:
  void compute(const Picture& picture, Rect area) {
    const bool by_luminance = picture.settings.by_luminance;
    load(picture, area);
    if (by_luminance && picture.units.narrow)
      return slide(picture, area, narrow_, oilify_kernels().narrow_row);
    if (by_luminance) return slide(picture, area, wide_, oilify_kernels().wide_row);
    const Format format = picture.in.codec().format;
    // The mean of what is all opaque is 1, to the bit.
    const bool shows_alpha = format.alpha && !is_opaque(picture.settings.intensities - 1);
    const unsigned channels = (format.colors() == 1 ? 1u : 7u) | (shows_alpha ? 8u : 0u);
    slide(picture, area, channels_, [=](const OilifyRow& row, ChannelBins& bins) {
      oilify_kernels().channel_row(row, bins, channels);
    });
  }

 private:
  void load(const Picture& picture, Rect area) {
    const OilifySettings& settings = picture.settings;
    const Rect needed = area.grown(settings.radius, settings.radius);
    const auto width = static_cast<std::size_t>(needed.width), size = width * needed.height;
    if (settings.by_luminance) units_.resize(4 * size);
    bins_.resize(settings.by_luminance ? size : 4 * size);
    for (int y = 0; y < needed.height; ++y) {
      const Pixel* const pixels = picture.in.row(needed.x, needed.y + y, needed.width, buffer_);
      std::int32_t* const units = settings.by_luminance ? units_.data() + 4 * y * width : nullptr;
      oilify_kernels().convert(pixels, needed.width, settings.intensities, picture.units.per_one,
                               units, bins_.data() + bins_.size() / needed.height * y);
    }
  }

  bool is_opaque(int last_bin) const {
    for (std::size_t i = 3; i < bins_.size(); i += 4)
      if (bins_[i] != last_bin) return false;
    return true;
  }

  template <class Bins, class Compute>
  void slide(const Picture& picture, Rect area, Bins& bins, Compute compute) {
    const int radius = picture.settings.radius;
    const std::ptrdiff_t pitch = area.width + 2 * radius;
    const Step right{picture.disc, 1, pitch}, left{picture.disc, -1, pitch},
        down{picture.disc, pitch, 1};
    OilifyPixels middle = moved({units_.data(), bins_.data()}, radius * pitch + radius, &bins);
    bins = {};
    for (int dy = -radius; dy <= radius; ++dy) {
      const int reach = picture.disc.reach[radius + dy];
      for (int dx = -reach; dx <= reach; ++dx)
        count(bins, moved(middle, dy * pitch + dx, &bins), 1);
    }
    buffer_.resize(area.width);
    int step = 1;
    for (int y = area.y; y < area.bottom(); ++y, step = -step) {
      cancellation_point();
      float* const out = buffer_.floats() + (step > 0 ? 0 : 4 * (area.width - 1));
      compute({middle, area.width, step, (step > 0 ? right : left).changes(),
               picture.weights.data(), picture.settings.intensities, picture.units.per_one, out},
              bins);
      picture.out.store(area.x, y, area.width, buffer_.floats());
      if (y + 1 == area.bottom()) break;
      middle = moved(middle, step * (area.width - 1), &bins);
      change(bins, middle, down.changes());
      middle = moved(middle, pitch, &bins);
    }
  }

  std::vector<std::int32_t> units_;
  std::vector<std::uint8_t> bins_;
  RowBuffer buffer_;
  LuminanceBins<std::int32_t> narrow_;
  LuminanceBins<double> wide_;
  ChannelBins channels_;
};

}  // namespace

void oilify_filter(Exec&, const Input& in, const Output& out, const OilifySettings& settings) {
  const Picture picture{in, out, settings};
  // A tile looks at a whole disc first, and its surroundings fit into a core's cache.
  constexpr int width = 256;
  const int height = std::max(64, 2 * settings.radius);
  const double all = static_cast<double>(out.area().width) * out.area().height;
  std::atomic<std::int64_t> done = 0;
  for_tiles(out.area(), width, height, [&](Rect area) {
    thread_local Tile tile;
    tile.compute(picture, area);
    done += std::int64_t{area.width} * area.height;
    set_band_progress(static_cast<double>(done) / all);
  });
}

}  // namespace cuda_filters::cpu
