// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/core/luminance.hpp"
#include "gpu/core/pixel.hpp"

/// Three gray plates of one scene, taken through different color filters, brought onto each other.
///
/// The same thing is bright on one plate and dark on another, so that not brightness is compared
/// but contours: the plate loses what is one pixel wide, such as scratches and dust, by a median of
/// 3 × 3 pixels; it is smoothed; and the size of its gradient becomes a byte, scaled so that nine
/// of ten contours are below `common_contour` whatever the exposure. Sums of products of bytes are
/// exact, so that every executor finds the same shift, bit for bit.
///
/// The search begins on plates that are halved until the range is a few pixels, tries every shift
/// there, and follows the best ones to full size. Between pixels goes a polynomial through the
/// scores around the best shift, which noise on the plates does not draw to either side as it would
/// if the plates themselves were interpolated.
namespace cuda_filters::align {

enum class Metric { correlation, mse };

struct AlignSettings {
  int range;  ///< the largest shift, in pixels
  Metric metric;
  bool crop_frame;  ///< whether the frames of the plates are no part of the overlap
  int subpixel;     ///< shifts are multiples of 1/subpixel
};

/// Which plate is which in the scan, from the top; the others are moved onto the middle one.
inline constexpr int plates = 3, middle_plate = 1;

/// How far something is moved to the right and down.
struct Shift {
  double x = 0.0, y = 0.0;
};

/// One whole shift to be tried: `window`, in pixels of the middle plate at some level, is compared
/// with the same place of `plate` moved by (dx, dy), and lies inside of both.
struct Trial {
  int plate;
  int dx, dy;
  Rect window;
};

/// What a trial gives: sums over its window of the contours of the plate, f, and of the middle one,
/// g, of their squares and of their products.
struct Sums {
  std::uint64_t f = 0, g = 0, ff = 0, gg = 0, fg = 0;

  void merge(const Sums& other) {
    f += other.f, g += other.g, ff += other.ff, gg += other.gg, fg += other.fg;
  }
};

/// The pixels of the plates, wherever an executor keeps them. Level 0 is full size, and every
/// further one has half the width and height of the one before, rounded down.
class Matcher {
 public:
  virtual ~Matcher() = default;
  /// A plate at a level, row by row; what is not finite is 0.
  virtual std::vector<float> reduced(int plate, int level) = 0;
  /// What the trials give at a level, in their order.
  virtual std::vector<Sums> sums(int level, std::span<const Trial> trials) = 0;
};

/// Where the plates lie: what the search found.
struct Placement {
  std::array<Shift, plates> shifts;  ///< of each plate onto the middle one
  Rect overlap;                      ///< in pixels of the middle plate: what all plates show
};

/// The smallest width and height of a plate that can be placed.
inline constexpr int smallest_plate = 16;

/// The size of a plate at a level.
constexpr Size size_at(Size plate, int level) {
  return {plate.width >> level, plate.height >> level};
}

/// The number of levels that place() may ask for.
int level_count(Size plate);

/// Finds the frame of a plate: how many columns and rows at each side show no picture, at most a
/// tenth. A frame is a bundle of lines of which enough pixels are darker, or lighter, than nearly
/// all of the picture's middle, and that end in an edge.
struct Margins {
  int left = 0, right = 0, top = 0, bottom = 0;
};
Margins find_frame(std::span<const float> plate, Size size);

/// Finds how the first and the last plate lie on the middle one. Plates have at least
/// `smallest_plate` pixels a side. Throws Error if the three share nothing.
Placement place(Matcher& matcher, Size plate, const AlignSettings& settings);

// What both executors compute of contours, with the same bits: no product and sum may be fused.

/// How far from a pixel its contour looks.
inline constexpr int reach = 6;

/// The smoothing along each axis: binomial weights, whose standard deviation is √2 pixels.
inline constexpr int smooth_radius = 4;

/// The median of the nine pixels around one, at(dx, dy).
template <class F>
HOST_DEVICE static inline float median(F at) {
  const auto low = [](float a, float b) { return a < b ? a : b; };
  const auto high = [](float a, float b) { return a < b ? b : a; };
  const auto middle = [=](float a, float b, float c) {
    return high(low(a, b), low(high(a, b), c));
  };
  float lowest[3], middles[3], highest[3];
  for (int x = 0; x < 3; ++x) {
    const float a = at(x - 1, -1), b = at(x - 1, 0), c = at(x - 1, 1);
    lowest[x] = low(low(a, b), c), middles[x] = middle(a, b, c), highest[x] = high(high(a, b), c);
  }
  return middle(high(high(lowest[0], lowest[1]), lowest[2]),
                middle(middles[0], middles[1], middles[2]),
                low(low(highest[0], highest[1]), highest[2]));
}

/// The weighted sum of nine values, value_at(-4) … value_at(4).
template <class F>
HOST_DEVICE static inline float smoothed(F value_at) {
  const float outer = exact::product(1.0f, value_at(-4) + value_at(4));
  const float third = exact::product(8.0f, value_at(-3) + value_at(3));
  const float second = exact::product(28.0f, value_at(-2) + value_at(2));
  const float first = exact::product(56.0f, value_at(-1) + value_at(1));
  return ((outer + third) + (second + first)) + exact::product(70.0f, value_at(0));
}

/// The size of a gradient, from the smoothed values on both sides.
HOST_DEVICE static inline float contour(float left, float right, float above, float below) {
  const float x = right - left, y = below - above;
  return (x < 0.0f ? -x : x) + (y < 0.0f ? -y : y);
}

/// A contour as a byte; NaN gives 0.
HOST_DEVICE static inline std::uint8_t contour_code(float size, float scale) {
  const float code = exact::product(size, scale);
  return code > 0.0f ? static_cast<std::uint8_t>(code < 255.0f ? code : 255.0f) : 0;
}

/// What stands for a sample in the search.
HOST_DEVICE static inline float searchable(float sample) {
  return sample - sample == 0.0f ? sample : 0.0f;  // NaN from what is not finite
}

/// One pixel of the next level.
HOST_DEVICE static inline float halved(float a, float b, float c, float d) {
  return exact::product((a + b) + (c + d), 0.25f);
}

/// The scale of a level's contours comes from a histogram of some of them: those of every s-th
/// column and row of square tiles, with this s for the side of a plate.
constexpr int sample_step(int side) { return side / 256 + 1; }
inline constexpr int sample_tile = 32;

/// Buckets of that histogram: eight an octave.
inline constexpr int contour_buckets = 2048;
/// The bucket of a contour, or -1 for 0 and for what is not finite.
HOST_DEVICE static inline int contour_bucket(float size) {
  const std::uint32_t bits = exact::bits_of(size);
  return bits > 0 && bits < 0x7f800000u ? static_cast<int>(bits >> 20) : -1;
}

/// Nine of ten contours are below this code.
inline constexpr float common_contour = 96.0f;

/// The scale that does that for a contour in bucket `bucket`; 0 if its sizes are denormal.
HOST_DEVICE static inline float scale_of_bucket(int bucket) {
  if (bucket < 8) return 0.0f;
  return exact::quotient(common_contour,
                         exact::float_from_bits(static_cast<std::uint32_t>(bucket) << 20));
}

/// Whether `below` of all contours are the nine of ten.
HOST_DEVICE constexpr bool enough(std::uint64_t below, std::uint64_t all) {
  return all > 0 && below * 10 >= all * 9;
}

/// The three plates of a scan, collected band by band, each where its executor computes: rows of
/// floats without gaps, the first plate first. Rows left over when the scan is cut in thirds are
/// dropped.
struct Scan {
  Size plate{};  ///< nothing before the first band
  std::unique_ptr<float[]> here;
  std::shared_ptr<void> on_device;  ///< of a GPU's executor
  Placement placement;              ///< once it was found

  std::size_t plate_pixels() const { return static_cast<std::size_t>(plate.width) * plate.height; }
};

/// What a pixel of a scan that has colors is on its plate; gray stays what it is.
HOST_DEVICE static inline float luma(Pixel p) {
  return p.r == p.g && p.b == p.g ? p.g : exact::luminance(p.r, p.g, p.b);
}

/// Which color the first plate is; the last one is the other.
enum class Order { bgr, rgb };
/// The plate that a channel (0 red … 2 blue) comes from.
HOST_DEVICE constexpr int plate_of(int channel, Order order) {
  return order == Order::rgb ? channel : 2 - channel;
}

/// The weights of the pixels i - 1, i, i + 1, i + 2 at a place `fraction` (0 … 1) after pixel i:
/// cubic interpolation (Keys 1981, a = -1/2).
struct CubicWeights {
  float at[4];
};
CubicWeights cubic_weights(double fraction);

/// Where a moved plate's pixels come from: at (x, y) of the middle plate lies what is interpolated
/// after the pixel (x + x0, y + y0) of the plate; after a whole shift it is that pixel itself.
struct Resampling {
  int x0, y0;
  bool whole;
  CubicWeights x, y;
};
Resampling resampling(Shift shift);

}  // namespace cuda_filters::align
