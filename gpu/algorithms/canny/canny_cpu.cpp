// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

#include "gpu/algorithms/canny/canny_edges.hpp"
#include "gpu/algorithms/canny/classifier.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using namespace edges;

/// Neighbors of one row that have a class, and their component.
struct Line {
  int begin, end, component;
};

/// Sets of components that turn out to be one.
class Components {
 public:
  int add(unsigned component_class) {
    parents_.push_back(static_cast<int>(parents_.size()));
    classes_.push_back(static_cast<std::uint8_t>(component_class));
    return parents_.back();
  }
  int count() const { return static_cast<int>(parents_.size()); }
  std::size_t bytes() const { return parents_.capacity() * sizeof(int) + classes_.capacity(); }
  int find(int i) {
    while (parents_[i] != i) i = parents_[i] = parents_[parents_[i]];
    return i;
  }
  /// Returns the root of both.
  int unite(int a, int b) {
    a = find(a), b = find(b);
    const int low = std::min(a, b), high = std::max(a, b);
    parents_[high] = low;
    classes_[low] |= classes_[high];
    return low;
  }
  std::uint8_t& class_of(int root) { return classes_[root]; }

 private:
  std::vector<int> parents_;
  std::vector<std::uint8_t> classes_;
};

/// Calls line(begin, end, strong) for what has a class in a row.
template <class F>
void for_each_line(const std::uint64_t* found_bits, const std::uint64_t* strong_bits, int width,
                   F&& line) {
  int begin = -1;
  bool is_strong = false;
  for (int x = 0; x < width; x += 64) {
    const std::uint64_t found = found_bits[x / 64], strong = strong_bits[x / 64];
    int at = 0;
    while (at < 64) {
      if (begin < 0) {
        const std::uint64_t rest = found >> at;
        if (rest == 0) break;
        at += std::countr_zero(rest);
        begin = x + at;
        is_strong = false;
      }
      const int length = std::countr_one(found >> at);
      const int end = std::min(64, at + length);
      const std::uint64_t inside = (end == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1) &
                                   (~std::uint64_t{0} << at);
      is_strong |= at < 64 && (strong & inside) != 0;
      if (end == 64) break;  // goes on in the next 64
      line(begin, x + end, is_strong);
      begin = -1, at = end;
    }
  }
  if (begin >= 0) line(begin, width, is_strong);
}

/// Calls touch(i, j) for the lines i and j of two rows that are neighbors, corners included.
template <class F>
void for_each_contact(const Line* above, int count_above, const Line* below, int count_below,
                      F&& touch) {
  int i = 0;
  for (int j = 0; j < count_below; ++j) {
    while (i < count_above && above[i].end < below[j].begin) ++i;
    for (int k = i; k < count_above && above[k].begin <= below[j].end; ++k) touch(k, j);
  }
}

/// Some rows of a band: their lines, and components that end with the strip.
class Strip {
 public:
  void fill(const Input& in, const CannySettings& settings, int begin, int end, int width) {
    thread_local ClassBits bits;
    bits.resize(width, end - begin);
    Classifier classifier{in, settings};
    for (int x = 0; x < width; x += tile_width) classifier.run(x, begin, end, bits);
    first_.push_back(0);
    for (int row = 0; row < end - begin; ++row) add_lines(bits.found(row), bits.strong(row), width);
    number_roots();
  }

  int rows() const { return static_cast<int>(first_.size()) - 1; }
  const Line* row(int i) const { return lines_.data() + first_[i]; }
  int count(int i) const { return first_[i + 1] - first_[i]; }
  const std::vector<std::uint8_t>& classes() const { return classes_; }
  std::size_t bytes() const {
    return lines_.capacity() * sizeof(Line) + first_.capacity() * sizeof(int) + classes_.capacity();
  }

 private:
  void add_lines(const std::uint64_t* found, const std::uint64_t* strong, int width) {
    int above = rows() == 0 ? 0 : first_[rows() - 1];
    const int above_end = first_.back();
    for_each_line(found, strong, width, [&](int from, int to, bool is_strong) {
      // The lines above that touch this one, corners included; the last may touch the next too.
      while (above < above_end && lines_[above].end < from) ++above;
      const unsigned line_class = is_strong ? canny::strong : canny::weak;
      int component = -1;
      for (int i = above; i < above_end && lines_[i].begin <= to; ++i)
        component =
            component < 0 ? lines_[i].component : components_.unite(component, lines_[i].component);
      if (component < 0)
        component = components_.add(line_class);
      else if (is_strong)
        components_.class_of(components_.find(component)) = canny::strong;
      lines_.push_back({from, to, component});
    });
    first_.push_back(static_cast<int>(lines_.size()));
  }

  /// Gives the components that are left numbers from 0 on.
  void number_roots() {
    std::vector<int> numbers(components_.count());
    for (int i = 0; i < components_.count(); ++i) {
      const int root = components_.find(i);  // not above i
      if (root == i) {
        numbers[i] = static_cast<int>(classes_.size());
        classes_.push_back(components_.class_of(i));
      }
      numbers[i] = numbers[root];
    }
    for (Line& line : lines_) line.component = numbers[line.component];
    lines_.shrink_to_fit();
    components_ = {};
  }

  std::vector<Line> lines_;
  std::vector<int> first_;  // of each row, and one more
  Components components_;
  std::vector<std::uint8_t> classes_;  // of each component
};

/// The band whose padded image is `in`.
Rect band_area(const Input& in, const CannySettings& settings) {
  const int halo = settings.radius() + canny::reach;
  return in.area().grown(-halo, -halo);
}

/// The components of a band.
class BandEdges {
 public:
  BandEdges(const Input& in, const CannySettings& settings) {
    area_ = band_area(in, settings);
    const int height = std::max(64, settings.radius());
    strip_height_ = height;
    strips_.resize((area_.height + height - 1) / height);
    parallel_for(static_cast<int>(strips_.size()), [&](int i) {
      const int begin = area_.y + i * height;
      strips_[i].fill(in, settings, begin, std::min(begin + height, area_.bottom()), area_.width);
    });
    for (const Strip& strip : strips_) {
      offsets_.push_back(components_.count());
      for (const std::uint8_t component_class : strip.classes()) components_.add(component_class);
    }
    for (std::size_t s = 1; s < strips_.size(); ++s) {
      const Strip &above = strips_[s - 1], &below = strips_[s];
      const int last = above.rows() - 1;
      for_each_contact(above.row(last), above.count(last), below.row(0), below.count(0),
                       [&](int i, int j) {
                         components_.unite(offsets_[s - 1] + above.row(last)[i].component,
                                           offsets_[s] + below.row(0)[j].component);
                       });
    }
  }

  Rect area() const { return area_; }
  std::size_t bytes() const {
    std::size_t bytes = components_.bytes();
    for (const Strip& strip : strips_) bytes += strip.bytes();
    return bytes;
  }

  canny::EndRow end_row(int y) {
    canny::EndRow codes(area_.width, 0);
    const auto [strip, row] = place(y);
    for (int i = 0; i < strips_[strip].count(row); ++i) {
      const Line& line = strips_[strip].row(row)[i];
      const int root = components_.find(offsets_[strip] + line.component);
      std::fill(codes.begin() + line.begin, codes.begin() + line.end,
                canny::code(root, components_.class_of(root)));
    }
    return codes;
  }

  /// Makes the components of these labels strong, and settles all others.
  void settle(const std::vector<int>& promoted) {
    for (const int label : promoted) components_.class_of(label) = canny::strong;
    strong_.resize(components_.count());
    for (int i = 0; i < components_.count(); ++i)
      strong_[i] = components_.class_of(components_.find(i)) == canny::strong;
  }

  /// Calls line(begin, end) for the edges of row y, after settle().
  template <class F>
  void for_each_edge(int y, F&& line) const {
    const auto [strip, row] = place(y);
    const Line* lines = strips_[strip].row(row);
    for (int i = 0; i < strips_[strip].count(row); ++i)
      if (strong_[offsets_[strip] + lines[i].component]) line(lines[i].begin, lines[i].end);
  }

 private:
  std::pair<int, int> place(int y) const {
    return {(y - area_.y) / strip_height_, (y - area_.y) % strip_height_};
  }

  Rect area_;
  int strip_height_;
  std::vector<Strip> strips_;
  std::vector<int> offsets_;  // by strip: what its components count from
  Components components_;
  std::vector<char> strong_;
};

/// The edges of bands that were analyzed, as far as there is room, until they are drawn.
class EdgeCache {
 public:
  void add(std::shared_ptr<BandEdges> edges) {
    bytes_ += edges->bytes();
    if (bytes_ <= max_bytes) bands_[edges->area().y] = std::move(edges);
  }
  /// Those of the band whose padded image `in` is, or null.
  std::shared_ptr<BandEdges> take(const Input& in, const CannySettings& settings) {
    const Rect area = band_area(in, settings);
    const auto found = bands_.find(area.y);
    if (found == bands_.end() || found->second->area() != area) return nullptr;
    return std::move(bands_.extract(found).mapped());
  }

 private:
  static constexpr std::size_t max_bytes = std::size_t{256} << 20;
  std::size_t bytes_ = 0;
  std::map<int, std::shared_ptr<BandEdges>> bands_;  // by their first row
};

EdgeCache& edge_cache(std::any& slot) {
  if (!slot.has_value()) slot = EdgeCache{};
  return *std::any_cast<EdgeCache>(&slot);
}

/// Writes black and white in any format: the codes of both are made once.
class TwoColorPen {
 public:
  TwoColorPen(const Output& out, bool invert)
      : out_{out}, pixel_bytes_{out.codec().format.bytes_per_pixel()} {
    const Format& format = out.codec().format;
    const Rect area = out.area();
    const std::byte* any = out.original(area.x, area.y);
    for (const bool is_edge : {false, true}) {
      const float value = is_edge != invert ? 1.0f : 0.0f;
      RowBuffer pixel{1};
      *pixel.pixels() = {value, value, value, value};
      std::byte code[sizeof(Pixel)];
      kernels().encode(out.codec(), pixel.floats(), any, 1, code);
      std::fill(code + format.colors() * bytes_of(format.type), std::end(code), std::byte{0});
      fill_row(rows_[is_edge], code, area.width);
    }
    if (!format.alpha) return;
    std::byte alpha[sizeof(Pixel)]{};
    std::fill(alpha + format.colors() * bytes_of(format.type), std::end(alpha), std::byte{0xff});
    fill_row(alpha_, alpha, area.width);
  }

  /// Draws the pixels [begin, end) of row y.
  void draw(int begin, int end, int y, bool is_edge) const {
    if (begin >= end) return;
    std::byte* to = out_.codes(begin, y);
    const std::size_t bytes = static_cast<std::size_t>(end - begin) * pixel_bytes_;
    const std::byte* color = rows_[is_edge].data();
    if (alpha_.empty()) {
      std::memcpy(to, color, bytes);
      return;
    }
    const std::byte *before = out_.original(begin, y), *alpha = alpha_.data();
    for (std::size_t i = 0; i < bytes; ++i) to[i] = (before[i] & alpha[i]) | color[i];
  }

 private:
  void fill_row(std::vector<std::byte>& row, const std::byte* code, int width) const {
    for (int i = 0; i < width; ++i) row.insert(row.end(), code, code + pixel_bytes_);
  }

  const Output& out_;
  int pixel_bytes_;
  std::vector<std::byte> rows_[2], alpha_;  // alpha_: which bits stay
};

}  // namespace

void analyze_edges(Exec& exec, const Input& in, Rect, const CannySettings& settings,
                   canny::BandLinks& links) {
  auto edges = std::make_shared<BandEdges>(in, settings);
  const Rect area = edges->area();
  links.add(area.y, edges->end_row(area.y), edges->end_row(area.bottom() - 1));
  edge_cache(exec.cache_slot()).add(std::move(edges));
}

void canny_edges(Exec& exec, const Input& in, const Output& out, const CannySettings& settings,
                 const canny::BandLinks& links) {
  std::shared_ptr<BandEdges> edges = edge_cache(exec.cache_slot()).take(in, settings);
  if (edges == nullptr) edges = std::make_shared<BandEdges>(in, settings);
  edges->settle(links.promoted(edges->area().y));
  const Rect area = out.area();
  const TwoColorPen pen{out, settings.invert};
  parallel_for(area.height, [&](int row) {
    const int y = area.y + row;
    pen.draw(area.x, area.right(), y, false);
    edges->for_each_edge(y, [&](int begin, int end) {
      pen.draw(std::max(begin, area.x), std::min(end, area.right()), y, true);
    });
  });
}

}  // namespace cuda_filters::cpu
