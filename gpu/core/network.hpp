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
  for (int left = lists; left > 1; left = (left + 1) / 2)
    for (int i = 0; i < (left + 1) / 2; ++i)
      open[i] = 2 * i + 1 < left ? merge(open[2 * i], open[2 * i + 1], network) : open[2 * i];
  for (int i = 0; i < wires; ++i) network.order[i] = open[0].wire[i];
  return network;
}

/// Merges sorted lists of these lengths, neighbours first; lists of one wire are sorted so.
template <int... lengths>
struct Merging {
  static constexpr int wires = (lengths + ...);
  static constexpr auto network = merge_all<lengths...>();
};

template <int length, std::size_t... i>
Merging<(static_cast<void>(i), length)...> repeat(std::index_sequence<i...>);

/// Merges `lists` sorted lists of `length` wires each.
template <int lists, int length>
using MergingEqual = decltype(repeat<length>(std::make_index_sequence<lists>{}));

/// Comparator number `index` of a network.
template <class Merging, std::size_t index, class T, class Min, class Max>
HOST_DEVICE inline void compare(T (&values)[Merging::wires], Min min, Max max) {
  constexpr int a = Merging::network.comparators[index].low;
  constexpr int b = Merging::network.comparators[index].high;
  const T low = min(values[a], values[b]);
  values[b] = max(values[a], values[b]);
  values[a] = low;
}

/// Sends values through a network. What nobody asks for, the compiler leaves out.
template <class Merging, class T, class Min, class Max>
HOST_DEVICE inline void run(T (&values)[Merging::wires], Min min, Max max) {
  [&]<std::size_t... i>(std::index_sequence<i...>) { (compare<Merging, i>(values, min, max), ...); }
  (std::make_index_sequence<Merging::network.count>{});
}

/// The wire on which value number `rank` of a network comes out.
template <class Merging, std::size_t rank>
inline constexpr int wire_of = Merging::network.order[rank];

/// Merges sorted lists that lie one after the other, and uses them up.
template <class Merging, class T, class Min, class Max>
HOST_DEVICE inline void merge(T (&values)[Merging::wires], T (&sorted)[Merging::wires], Min min,
                              Max max) {
  run<Merging>(values, min, max);
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((sorted[i] = values[wire_of<Merging, i>]), ...);
  }
  (std::make_index_sequence<Merging::wires>{});
}

/// Sorts.
template <int length, class T, class Min, class Max>
HOST_DEVICE inline void sort(T (&values)[length], T (&sorted)[length], Min min, Max max) {
  merge<MergingEqual<length, 1>>(values, sorted, min, max);
}

/// The medians of two windows, one row apart, of symmetric shapes that are d samples wide. All but
/// the top one of each column of the first window and the bottom one of the last window they share:
/// common[] holds those as Merging's lists, and is used up; `first` and `last` are the d, sorted,
/// that only the first and only the last window has. All but d + 1 of the common samples are too
/// small or too large to be a median, whatever the others are.
template <class Merging, int d, class T, class Min, class Max>
HOST_DEVICE inline void two_medians(T (&common)[Merging::wires], const T (&first)[d],
                                    const T (&last)[d], Min min, Max max, T& first_median,
                                    T& last_median) {
  constexpr int lowest = (Merging::wires + d) / 2 - d;
  run<Merging>(common, min, max);
  // The d-th of two sorted lists: i + 1 samples from one, d - i from the other.
  first_median = last_median = common[wire_of<Merging, lowest + d>];
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((first_median = min(first_median, max(common[wire_of<Merging, lowest + i>], first[d - 1 - i])),
      last_median = min(last_median, max(common[wire_of<Merging, lowest + i>], last[d - 1 - i]))),
     ...);
  }
  (std::make_index_sequence<d>{});
}

/// The same of squares, d = 2 · radius + 1, that share 2 · radius rows, each row sorted.
template <int radius, class T, class Min, class Max>
HOST_DEVICE inline void two_medians(T (&common)[2 * radius * (2 * radius + 1)],
                                    const T (&first)[2 * radius + 1],
                                    const T (&last)[2 * radius + 1], Min min, Max max,
                                    T& first_median, T& last_median) {
  two_medians<MergingEqual<2 * radius, 2 * radius + 1>>(common, first, last, min, max, first_median,
                                                        last_median);
}

}  // namespace cuda_filters::network
