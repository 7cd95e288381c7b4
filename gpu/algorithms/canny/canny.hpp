// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gpu/core/pixel.hpp"

/// Canny's edges (Canny 1986, with the comparisons of OpenCV's Canny()), shared by every executor.
///
/// A pixel's class comes from its neighborhood: `weak` where the gradient is above the low
/// threshold and a maximum along its own direction, `strong` if it is above the high one too.
/// Components of 8-connected pixels with a class are labelled band by band; which of them go on in
/// the next band is settled in BandLinks, so that a chain may wind through any number of bands.
namespace cuda_filters::canny {

enum class Channel { luminance, red, green, blue, value };

/// A pixel's class, two bits; a component's class is the OR of its pixels'.
inline constexpr unsigned none = 0, weak = 1, strong = 3;

/// How far from a pixel its class looks into the blurred channel.
inline constexpr int reach = 2;

/// The sector of a gradient: along x below tan 22.5°, along y above tan 67.5°; the fractions of
/// 2^15 that OpenCV uses.
inline constexpr float tan_22 = 13573.0f / 32768.0f, tan_67 = 79109.0f / 32768.0f;

/// The largest sigma of the blur.
inline constexpr double max_sigma = 20.0;
/// The largest threshold that sliders and histograms show, in units of 1/255.
inline constexpr double max_shown = 500.0;

struct CannySettings {
  std::vector<float> weights;  ///< of the blur along both axes; one for none
  Channel channel;
  bool squares;     ///< magnitudes and thresholds are squares: the norm l2
  float low, high;  ///< a magnitude must be above, in units of 1/255
  bool invert;

  /// `sigma` in pixels, the thresholds in units of 1/255.
  CannySettings(double sigma, double low, double high, bool l2, Channel channel, bool invert);
  int radius() const { return static_cast<int>(weights.size() / 2); }
};

/// One end of a band: for each of its pixels the component's label and class, by code().
using EndRow = std::vector<std::uint32_t>;
/// `label` is the position of the component's first pixel in the band, below 2^30.
HOST_DEVICE constexpr std::uint32_t code(int label, unsigned component_class) {
  return static_cast<std::uint32_t>(label) << 2 | component_class;
}

/// Joins the components of bands.
class BandLinks {
 public:
  /// The next band, which begins at row `y` of the image.
  void add(int y, EndRow first, EndRow last);
  /// Does the part of join() that the bands so far allow; call it while the GPU is busy.
  void join_so_far();
  /// After the last band: finds what is joined to a strong component of another band.
  void join();
  /// The labels of weak components in the band from row `y` on that are; empty before join().
  const std::vector<int>& promoted(int y) const;

 private:
  struct Ends {
    int y;
    EndRow first, last;
  };
  /// One that reaches an end of the band from row `y` on.
  struct Component {
    int y;
    std::uint32_t code;
  };
  std::vector<Ends> waiting_;  ///< bands that are not joined yet
  std::vector<Component> components_;
  std::vector<int> parents_;     ///< of components
  std::vector<int> last_above_;  ///< the last joined band's last row's, -1 where there is none
  std::unordered_map<int, std::vector<int>> promoted_;
};

}  // namespace cuda_filters::canny
