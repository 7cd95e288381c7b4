// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/core/pixel.hpp"

/// Another number of samples along each axis, planned here once for every executor: each sample of
/// the result is a weighted sum of neighboring samples of the input, first along the columns and
/// then along the rows.
///
/// Weights are those of the filter's kernel at the distances from the place of the output sample,
/// computed in double and divided by their sum; samples outside of the image take no part, as in
/// Pillow, so that no border is made up. An axis whose size stays is not touched.
namespace cuda_filters::resample {

/// Nearest sample; triangle; cubic with a = -1/2 (Keys, IEEE ASSP 29, 1981); cubic with B = C = 1/3
/// (Mitchell and Netravali, SIGGRAPH 1988); sinc windowed by its main lobe at 3 times the width.
enum class Interpolation { nearest, bilinear, bicubic, mitchell, lanczos };

/// What lies on each other: the outer edges of both images (sample i at (i + ½)·in/out - ½), or the
/// centers of their outer samples (i·(in - 1)/(out - 1); a single sample takes the middle).
enum class Grid { centers, corners };

struct ResampleSettings {
  Interpolation interpolation = Interpolation::lanczos;
  /// On reduction, the kernel is as many times wider, except for `nearest`.
  bool antialias = true;
  Grid grid = Grid::centers;
  friend bool operator==(const ResampleSettings&, const ResampleSettings&) = default;
};

/// How the samples of a row or a column come from those of the input.
class Axis {
 public:
  Axis(int in, int out, const ResampleSettings& settings);

  int in() const { return in_; }
  int out() const { return out_; }
  /// The samples of the input that sample i looks at; neither end falls when i rises.
  IndexRange window(int i) const;
  /// Those that a row of samples looks at.
  IndexRange window(IndexRange outputs) const {
    return {window(outputs.begin).begin, window(outputs.end - 1).end};
  }
  /// Whether every sample is one of the input's.
  bool picks() const { return in_ == out_ || interpolation_ == Interpolation::nearest; }
  /// The weights of all windows: of sample i from i · `taps` on, zeros after them.
  struct Weights {
    int taps = 1;  ///< of the largest window
    std::vector<IndexRange> windows;
    std::vector<float> values;
  };
  Weights weights() const;

 private:
  /// The place of sample i is `step` samples for each whole `period`, and `center` more.
  struct Place {
    std::int64_t whole;
    int phase;
    double center;
  };
  Place place(int i) const;
  IndexRange unclipped(const Place& place) const;

  int in_, out_;
  Interpolation interpolation_;
  double numerator_step_, offset_, denominator_;  // center = (i·step + offset) / denominator
  int period_;
  std::int64_t step_;
  double widening_, support_;
};

}  // namespace cuda_filters::resample
