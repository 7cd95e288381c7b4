// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <array>
#include <cstddef>
#include <utility>

#include "gpu/core/pixel.hpp"

/// Sorting networks, made by the compiler: Batcher's odd-even merge (1968) for lists of any length.
namespace cuda_filters::network {

/// Puts the smaller of two wires on `low` and the larger on `high`.
struct Comparator {
  short low, high;
};

/// Comparators in their order, and where the sorted values end up.
template <int wires, int capacity>
struct Network {
  Comparator comparators[capacity]{};  // no std::array: its [] is not for devices
  int count = 0;
  short order[wires]{};
};

/// A list of wires whose values are sorted.
template <int wires>
struct List {
  std::array<short, wires> wire{};
  int size = 0;
  constexpr void push(short w) { wire[size++] = w; }
  constexpr List every_other(int first) const {
    List list;
    for (int i = first; i < size; i += 2) list.push(wire[i]);
    return list;
  }
};

template <int wires, int capacity>
constexpr List<wires> merge(const List<wires>& a, const List<wires>& b,
                            Network<wires, capacity>& network) {
  if (a.size == 0) return b;
  if (b.size == 0) return a;
  const auto compare = [&](short low, short high) {
    network.comparators[network.count++] = {low, high};
  };
  List<wires> merged;
  if (a.size == 1 && b.size == 1) {
    compare(a.wire[0], b.wire[0]);
    merged.push(a.wire[0]);
    merged.push(b.wire[0]);
    return merged;
  }
  const List<wires> even = merge(a.every_other(0), b.every_other(0), network);
  const List<wires> odd = merge(a.every_other(1), b.every_other(1), network);
  merged.push(even.wire[0]);
  for (int i = 0; i < odd.size || i + 1 < even.size; ++i) {
    if (i < odd.size && i + 1 < even.size) compare(odd.wire[i], even.wire[i + 1]);
    if (i < odd.size) merged.push(odd.wire[i]);
    if (i + 1 < even.size) merged.push(even.wire[i + 1]);
  }
  return merged;
}

/// Merges the two shortest lists first, then again.
template <int... lengths>
constexpr auto merge_all() {
  constexpr int wires = (lengths + ...), lists = sizeof...(lengths);
  Network<wires, 16 * wires> network;
  std::array<List<wires>, lists> open{};
  short wire = 0, list = 0;
  for (const int length : {lengths...}) {
    for (int i = 0; i < length; ++i) open[list].push(wire++);
    ++list;
  }
  for (int left = lists; left > 1; --left) {
    const auto take_shortest = [&](int among) {
      int shortest = 0;
      for (int i = 1; i < among; ++i)
        if (open[i].size < open[shortest].size) shortest = i;
      const List<wires> taken = open[shortest];
      for (int i = shortest + 1; i < among; ++i) open[i - 1] = open[i];
      return taken;
    };
    const List<wires> one = take_shortest(left), other = take_shortest(left - 1);
    open[left - 2] = merge(one, other, network);
  }
  for (int i = 0; i < wires; ++i) network.order[i] = open[0].wire[i];
  return network;
}

/// Merges sorted lists of these lengths; lists of one wire are sorted so.
template <int... lengths>
struct Merging {
  static constexpr int wires = (lengths + ...);
  static constexpr auto network = merge_all<lengths...>();
};

template <std::size_t... i>
Merging<(static_cast<void>(i), 1)...> singles(std::index_sequence<i...>);

/// Sorts so many values.
template <int count>
using Sorting = decltype(singles(std::make_index_sequence<count>{}));

#ifdef __CUDACC__
/// Comparator number `index` of a network.
template <class Merging, std::size_t index, class T, class Min, class Max>
HOST_DEVICE inline void compare(T* values, Min min, Max max) {
  constexpr int a = Merging::network.comparators[index].low;
  constexpr int b = Merging::network.comparators[index].high;
  const T low = min(values[a], values[b]);
  values[b] = max(values[a], values[b]);
  values[a] = low;
}
#endif

/// Sends as many values as it has wires through a network. What nobody asks for, the compiler
/// leaves out.
template <class Merging, class T, class Min, class Max>
HOST_DEVICE inline void run(T* values, Min min, Max max) {
#ifdef __CUDACC__  // a GPU's memory does not have the network
  [&]<std::size_t... i>(std::index_sequence<i...>) { (compare<Merging, i>(values, min, max), ...); }
  (std::make_index_sequence<Merging::network.count>{});
#else
  // A function a comparator would take GCC several times as long. Only in another loop it does this
  // soon enough to see that the values are none in memory.
#pragma GCC unroll 65534
  for (int i = 0; i < Merging::network.count; ++i) {
    T &low = values[Merging::network.comparators[i].low],
      &high = values[Merging::network.comparators[i].high];
    const T smaller = min(low, high);
    high = max(low, high);
    low = smaller;
  }
#endif
}

/// The wire on which value number `rank` of a network comes out.
template <class Merging, std::size_t rank>
inline constexpr int wire_of = Merging::network.order[rank];

}  // namespace cuda_filters::network
