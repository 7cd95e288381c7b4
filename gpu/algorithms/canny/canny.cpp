// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/canny/canny.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "gpu/algorithms/gaussian/gaussian.hpp"

namespace cuda_filters::canny {
namespace {

/// The largest float that is not above `value`: what is above one is above the other.
float float_below(double value) {
  const float nearest = static_cast<float>(value);
  return static_cast<double>(nearest) <= value
             ? nearest
             : std::nextafter(nearest, -std::numeric_limits<float>::infinity());
}

int find(std::vector<int>& parents, int node) {
  while (parents[node] != node) node = parents[node] = parents[parents[node]];
  return node;
}

void unite(std::vector<int>& parents, int a, int b) {
  a = find(parents, a), b = find(parents, b);
  parents[std::max(a, b)] = std::min(a, b);
}

/// Finds the number that was given to a code, none of which is 0.
class CodeNumbers {
 public:
  explicit CodeNumbers(std::size_t max_count) : slots_(std::bit_ceil(2 * max_count + 1)) {}
  /// The number of a code, which is `fresh` if it is new.
  int of(std::uint32_t code, int fresh) {
    for (std::size_t i = code * 0x9e3779b97f4a7c15u >> 32;; ++i) {
      auto& [known, number] = slots_[i & (slots_.size() - 1)];
      if (known == code) return number;
      if (known != 0) continue;
      known = code;
      return number = fresh;
    }
  }

 private:
  struct Slot {
    std::uint32_t code = 0;
    int number = 0;
  };
  std::vector<Slot> slots_;
};

}  // namespace

CannySettings::CannySettings(double sigma, double low_threshold, double high_threshold, bool l2,
                             Channel channel_, bool invert_)
    : weights{gaussian::Axis{sigma}.weights()},
      channel{channel_},
      squares{l2},
      low{float_below(l2 ? low_threshold * low_threshold : low_threshold)},
      high{float_below(l2 ? high_threshold * high_threshold : high_threshold)},
      invert{invert_} {}

void BandLinks::add(int y, EndRow first, EndRow last) {
  waiting_.push_back({y, std::move(first), std::move(last)});
}

void BandLinks::join_so_far() {
  std::vector<int> first, last;  // the components of a row's pixels, -1 where there is none
  for (const Ends& band : waiting_) {
    const auto count = [](const EndRow& row) {
      return row.size() - static_cast<std::size_t>(std::ranges::count(row, 0u));
    };
    CodeNumbers numbers{count(band.first) + count(band.last)};
    const auto number = [&](const EndRow& row, std::vector<int>& numbered) {
      numbered.assign(row.size(), -1);
      for (std::size_t x = 0; x < row.size(); ++x) {
        if (row[x] == 0) continue;
        if (x > 0 && row[x] == row[x - 1]) {
          numbered[x] = numbered[x - 1];
          continue;
        }
        const auto fresh = static_cast<int>(components_.size());
        numbered[x] = numbers.of(row[x], fresh);
        if (numbered[x] != fresh) continue;
        components_.push_back({band.y, row[x]});
        parents_.push_back(fresh);
      }
    };
    number(band.first, first);
    number(band.last, last);
    const int width = static_cast<int>(last_above_.size());  // 0 above the first band
    for (int x = 0; x < width; ++x) {
      if (first[x] < 0) continue;
      for (int i = std::max(0, x - 1); i <= std::min(width - 1, x + 1); ++i)
        if (last_above_[i] >= 0) unite(parents_, last_above_[i], first[x]);
    }
    std::swap(last, last_above_);
  }
  waiting_.clear();
}

void BandLinks::join() {
  join_so_far();
  std::vector<bool> is_strong(components_.size());
  for (std::size_t i = 0; i < components_.size(); ++i)
    if ((components_[i].code & 3) == strong) is_strong[find(parents_, static_cast<int>(i))] = true;
  for (std::size_t i = 0; i < components_.size(); ++i) {
    const auto [y, code] = components_[i];
    if ((code & 3) == weak && is_strong[find(parents_, static_cast<int>(i))])
      promoted_[y].push_back(static_cast<int>(code >> 2));
  }
  components_ = {}, parents_ = {}, last_above_ = {};
}

const std::vector<int>& BandLinks::promoted(int y) const {
  static const std::vector<int> nothing;
  const auto found = promoted_.find(y);
  return found == promoted_.end() ? nothing : found->second;
}

}  // namespace cuda_filters::canny
