// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <utility>

#include "gpu/algorithms/rank/network.hpp"
#include "gpu/algorithms/rank/rank.hpp"

/// Medians of small squares and circles by sorting networks, of four windows at a time, one below
/// the other. What all four share is merged once, and all of it but the middle is forgotten: it is
/// too small or too large to be a median, whatever the rest is. To that goes what only the upper
/// two share, or the lower two, and again the middle stays; then what one window has alone.
/// (Sharing sorted parts and forgetting extremes: Adams, Fast Median Filters using Separable
/// Sorting Networks, 2021.)
namespace cuda_filters::rank {

/// The samples of a window, which each row of the image has ready as `lists` sorted lists, one
/// after the other: the columns that reach as far as the middle one, then pairs, the left and the
/// right column of the next distance.
template <Shape shape, int radius>
struct SmallWindow {
  static constexpr int diameter = 2 * radius + 1;
  static constexpr int middle = [] {
    int columns = 1;
    while (columns < diameter && reach_of(shape, radius, columns / 2 + 1) == radius) columns += 2;
    return columns;
  }();
  static constexpr int lists = 1 + (diameter - middle) / 2;

  static constexpr int size(int list) { return list == 0 ? middle : 2; }
  /// Where a list begins.
  static constexpr int first(int list) { return list == 0 ? 0 : middle + 2 * (list - 1); }
  static constexpr int reach(int list) { return reach_of(shape, radius, middle / 2 + list); }
  /// How far away the column of number `i` is, before that is sorted.
  HOST_DEVICE static constexpr int column(int i) {
    if (i < middle) return i - middle / 2;
    const int away = middle / 2 + 1 + (i - middle) / 2;
    return (i - middle) % 2 == 0 ? -away : away;
  }
};

/// Of each list the rows from `first` + `first_way` · reach to `last` + `last_way` · reach, counted
/// from the middle of the first window.
struct ListRows {
  int first, first_way, last, last_way;
};

template <class NetworkWindow, ListRows span>
struct WindowPart {
  struct Place {
    short row, sample;
  };
  template <int capacity>
  struct Places {
    Place place[capacity]{};  // no std::array: its [] is not for devices
  };

  static constexpr int from(int list) {
    return span.first + span.first_way * NetworkWindow::reach(list);
  }
  static constexpr int rows(int list) {
    return span.last + span.last_way * NetworkWindow::reach(list) + 1 - from(list);
  }
  static constexpr int lists = [] {
    int sum = 0;
    for (int list = 0; list < NetworkWindow::lists; ++list) sum += rows(list);
    return sum;
  }();
  static constexpr int length(int number) {
    int list = 0;
    for (; number >= rows(list); ++list) number -= rows(list);
    return NetworkWindow::size(list);
  }
  static constexpr int size = [] {
    int sum = 0;
    for (int number = 0; number < lists; ++number) sum += length(number);
    return sum;
  }();
  static constexpr auto places = [] {
    Places<size + 1> places;
    int count = 0;
    for (int list = 0; list < NetworkWindow::lists; ++list)
      for (int row = 0; row < rows(list); ++row)
        for (int i = 0; i < NetworkWindow::size(list); ++i)
          places.place[count++] = {static_cast<short>(from(list) + row),
                                   static_cast<short>(NetworkWindow::first(list) + i)};
    return places;
  }();

  template <std::size_t... number>
  static network::Merging<length(number)...> merging(std::index_sequence<number...>);
  using Merging = decltype(merging(std::make_index_sequence<lists>{}));

  /// Loads the samples and merges them; value number i of the sorted ones is then
  /// values[network::wire_of<Merging, i>].
  template <class T, class Sample, class Min, class Max>
  HOST_DEVICE static void sort(T* values, Sample sample, Min min, Max max) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      ((values[i] = sample(places.place[i].row, places.place[i].sample)), ...);
    }
    (std::make_index_sequence<size>{});
    if constexpr (size > 0) network::run<Merging>(values, min, max);
  }
};

/// The lists of a row: sample(dx) is the one of the column `dx` away.
template <class NetworkWindow, class T, class Sample, class Min, class Max>
HOST_DEVICE inline void sort_row(T (&sorted)[NetworkWindow::diameter], Sample sample, Min min,
                                 Max max) {
  constexpr int middle = NetworkWindow::middle;
  using Sorting = network::Sorting<middle>;
  T values[middle];
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((values[i] = sample(NetworkWindow::column(i))), ...);
    network::run<Sorting>(values, min, max);
    ((sorted[i] = values[network::wire_of<Sorting, i>]), ...);
  }
  (std::make_index_sequence<middle>{});
  const auto pair = [&](int first) {
    const T left = sample(NetworkWindow::column(first)),
            right = sample(NetworkWindow::column(first + 1));
    sorted[first] = min(left, right);
    sorted[first + 1] = max(left, right);
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (pair(middle + 2 * static_cast<int>(i)), ...);
  }
  (std::make_index_sequence<NetworkWindow::lists - 1>{});
}

/// What all four windows share, and the half of that which the upper ones are nearer to.
template <class NetworkWindow>
using Shared = WindowPart<NetworkWindow, ListRows{3, -1, 0, 1}>;
template <class NetworkWindow>
using SharedHalf = WindowPart<NetworkWindow, ListRows{3, -1, 1, 0}>;
/// How many of these, in the middle, are not forgotten.
template <class NetworkWindow>
inline constexpr int common =
    Shared<NetworkWindow>::size < 3 * NetworkWindow::diameter + 1 ? Shared<NetworkWindow>::size
                                                                  : 3 * NetworkWindow::diameter + 1;

/// Takes the middle of sorted values, as a network of Merging leaves them.
template <class NetworkWindow, class Merging, class T>
HOST_DEVICE inline void take_middle(const T* values, T* middle) {
  constexpr int taken = common<NetworkWindow>, first = (Merging::wires - taken) / 2;
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((middle[i] = values[network::wire_of<Merging, first + i>]), ...);
  }
  (std::make_index_sequence<taken>{});
}

/// The medians of the two upper ones of four windows. sample(row, i) is number `i` of a row's
/// lists; row 0 is the middle of the first window. The two lower ones' are these, from the fourth
/// window up, with the rows counted from there. The `common` samples, sorted, lie at the beginning
/// of `values`, where there is room for the 2 · diameter others that two windows share.
template <class NetworkWindow, class T, class Sample, class Min, class Max>
HOST_DEVICE inline void two_medians(T* values, Sample sample, Min min, Max max, T& first_median,
                                    T& second_median) {
  constexpr int d = NetworkWindow::diameter, common = rank::common<NetworkWindow>;
  using Both = WindowPart<NetworkWindow, ListRows{1, -1, 2, -1}>;
  static_assert(Both::size == 2 * d);
  T more[2 * d];
  Both::sort(more, sample, min, max);
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((values[common + i] = more[network::wire_of<typename Both::Merging, i>]), ...);
  }
  (std::make_index_sequence<2 * d>{});
  using Merging = network::Merging<common, 2 * d>;
  network::run<Merging>(values, min, max);
  constexpr int lowest = (common + d - 1) / 2;
  const auto median = [&]<class Own>(Own) {
    static_assert(Own::size == d);
    T own[d];
    Own::sort(own, sample, min, max);
    // The d-th of two sorted lists: i + 1 samples from one, d - i from the other.
    T found = values[network::wire_of<Merging, lowest + d>];
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      ((found = min(found, max(values[network::wire_of<Merging, lowest + i>],
                               own[network::wire_of<typename Own::Merging, d - 1 - i>]))),
       ...);
    }
    (std::make_index_sequence<d>{});
    return found;
  };
  first_median = median(WindowPart<NetworkWindow, ListRows{0, -1, 0, -1}>{});
  second_median = median(WindowPart<NetworkWindow, ListRows{1, 1, 1, 1}>{});
}

/// The medians of four windows, of samples as two_medians() has them.
template <class NetworkWindow, class T, class Sample, class Min, class Max>
HOST_DEVICE inline void four_medians(Sample sample, Min min, Max max, T (&medians)[4]) {
  constexpr int common = rank::common<NetworkWindow>, d = NetworkWindow::diameter;
  T upper[common + 2 * d], lower[common + 2 * d];
  if constexpr (common > 0) {
    using Shared = rank::Shared<NetworkWindow>;
    T shared[Shared::size];
    Shared::sort(shared, sample, min, max);
    take_middle<NetworkWindow, typename Shared::Merging>(shared, upper);
    take_middle<NetworkWindow, typename Shared::Merging>(shared, lower);
  }
  two_medians<NetworkWindow>(upper, sample, min, max, medians[0], medians[1]);
  two_medians<NetworkWindow>(
      lower, [&](int row, int i) { return sample(3 - row, i); }, min, max, medians[3], medians[2]);
}

}  // namespace cuda_filters::rank
