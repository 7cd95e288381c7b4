// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include "gpu/core/backend.hpp"
#include "gpu/cpu/kernels.hpp"

namespace cuda_filters::cpu {

/// Memory that is kept from one use to the next.
class Scratch {
 public:
  /// So many bytes, with anything in them.
  std::byte* hold(std::size_t bytes);

 private:
  std::shared_ptr<std::byte[]> memory_;
  std::size_t bytes_ = 0;
};

/// A band of a gray picture without alpha, whose pixels would take a quarter of a working pixel,
/// packed into three columns side by side as the channels of one picture: the same bits in a third
/// to a half of the work, for a filter whose plan is `by_channel`.
class GrayPacking {
 public:
  /// Whether that can be done, the columns are so wide that what surrounds them, which is computed
  /// for each, is the smaller part, and there is not too much of it.
  static bool pays(const Plan& plan, const Encoding& in, const Encoding& out, const Band& band);

  /// Packs the rows that `band` looks at into `scratch`.
  GrayPacking(const Plan& plan, const Encoding& in, const Encoding& out, const RowStore& store,
              const Band& band, Scratch& scratch);

  /// What to compute instead, of an image of size().
  const Band& band() const { return packed_; }
  const RowStore& store() const { return store_; }
  Size size() const { return packed_.in.lookup.image; }
  static Encoding encoding(Encoding of_gray) {
    of_gray.format.color = true;
    return of_gray;
  }

  /// Brings the result to where that of the band belongs.
  void unpack() const;

 private:
  const Band& band_;
  std::size_t result_bytes_;  ///< of a sample
  Band packed_{};
  RowStore store_{};
};

}  // namespace cuda_filters::cpu
