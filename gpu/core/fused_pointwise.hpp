// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/core/filter.hpp"
#include "gpu/core/transfer.hpp"

// Functions of single pixels one after the other, chosen when the program runs: what becomes of
// neighbors in a chain.

namespace cuda_filters {

/// One of them: the function of a filter, or a conversion of the colors to another light.
struct PointwiseStep {
  static constexpr int transfer = -1;  ///< the kind of a conversion, whose bytes are its terms
  static constexpr int none = -2;

  int kind = none;         ///< else the filter's number in PointwiseKinds
  bool of_colors = false;  ///< each of the colors by itself
  alignas(8) std::byte bytes[48] = {};

  template <class F>
  void set(int new_kind, const F& function) {
    static_assert(std::is_trivially_copyable_v<F> && sizeof(F) <= sizeof(bytes));
    kind = new_kind;
    std::memcpy(bytes, &function, sizeof function);
  }
  template <class F>
  HOST_DEVICE const F& as() const {
    return *reinterpret_cast<const F*>(bytes);
  }
};

/// The parameters of a pass over the pixels that does several steps.
struct FusedPointwise {
  std::vector<PointwiseStep> steps;
};

template <class F>
concept ColorFunction = requires(F f) {
  f.color(0.0f, 0);
}
&&changed_channels<F>.end <= 3;

namespace detail {
template <class F, bool = PointwiseFilter<F>>
struct FunctionOf {
  struct type {
    HOST_DEVICE Pixel operator()(Pixel p) const { return p; }
  };
};
template <class F>
struct FunctionOf<F, true> {
  using type = std::remove_cvref_t<decltype(F::function(std::declval<typename F::Params>()))>;
};
}  // namespace detail

/// The functions of all filters, by their number.
template <class... F>
struct PointwiseKinds {
  /// Calls g with the function of a step that is no conversion.
  template <class G>
  HOST_DEVICE static void visit(const PointwiseStep& step, G&& g) {
    visit_from<0, F...>(step, g);
  }

 private:
  template <int kind, class First, class... Rest, class G>
  HOST_DEVICE static void visit_from(const PointwiseStep& step, G& g) {
    if (step.kind == kind)
      g(step.as<typename detail::FunctionOf<First>::type>());
    else if constexpr (sizeof...(Rest) > 0)
      visit_from<kind + 1, Rest...>(step, g);
  }
};

}  // namespace cuda_filters
