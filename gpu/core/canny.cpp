// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/canny.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/core/gaussian.hpp"

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

/// The components that reach one of a band's ends, sorted by label; one code each.
EndRow components(const EndRow& first, const EndRow& last) {
  EndRow all;
  for (const EndRow* row : {&first, &last})
    std::ranges::copy_if(*row, std::back_inserter(all), [](std::uint32_t c) { return c != 0; });
  std::ranges::sort(all);
  const auto rest = std::ranges::unique(all);
  all.erase(rest.begin(), rest.end());
  return all;
}

}  // namespace

Settings::Settings(double sigma, double low_threshold, double high_threshold, bool l2,
                   Channel channel_, bool invert_)
    : weights{gaussian::Axis{sigma}.weights()},
      channel{channel_},
      squares{l2},
      low{float_below(l2 ? low_threshold * low_threshold : low_threshold)},
      high{float_below(l2 ? high_threshold * high_threshold : high_threshold)},
      invert{invert_} {}

void Joints::add(int y, EndRow first, EndRow last) {
  bands_.push_back({y, std::move(first), std::move(last)});
}

void Joints::join() {
  std::vector<EndRow> ends;
  std::vector<int> offsets;
  int count = 0;
  for (const Ends& band : bands_) {
    ends.push_back(components(band.first, band.last));
    offsets.push_back(count);
    count += static_cast<int>(ends.back().size());
  }
  const auto node = [&](std::size_t band, std::uint32_t code) {
    const auto found = std::ranges::lower_bound(ends[band], code);
    return offsets[band] + static_cast<int>(found - ends[band].begin());
  };
  std::vector<int> parents(count);
  for (int i = 0; i < count; ++i) parents[i] = i;
  for (std::size_t b = 1; b < bands_.size(); ++b) {
    const EndRow &above = bands_[b - 1].last, &below = bands_[b].first;
    const int width = static_cast<int>(below.size());
    for (int x = 0; x < width; ++x) {
      if (below[x] == 0) continue;
      for (int i = std::max(0, x - 1); i <= std::min(width - 1, x + 1); ++i)
        if (above[i] != 0) unite(parents, node(b - 1, above[i]), node(b, below[x]));
    }
  }
  std::vector<bool> is_strong(count);
  const auto each = [&](auto&& f) {
    for (std::size_t b = 0; b < bands_.size(); ++b)
      for (std::size_t i = 0; i < ends[b].size(); ++i)
        f(bands_[b].y, ends[b][i], find(parents, offsets[b] + static_cast<int>(i)));
  };
  each([&](int, std::uint32_t code, int root) {
    if ((code & 3) == strong) is_strong[root] = true;
  });
  each([&](int y, std::uint32_t code, int root) {
    if ((code & 3) == weak && is_strong[root]) raised_[y].push_back(static_cast<int>(code >> 2));
  });
  bands_.clear();
}

const std::vector<int>& Joints::raised(int y) const {
  static const std::vector<int> nothing;
  const auto found = raised_.find(y);
  return found == raised_.end() ? nothing : found->second;
}

}  // namespace cuda_filters::canny
