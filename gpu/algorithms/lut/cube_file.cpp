// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/lut/cube_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters::lut {
namespace {

/// How many characters a line may have.
constexpr int longest_line = 4096;

using Words = std::vector<std::string_view>;

/// The words of a line: what stands between blanks, up to a comment.
void split(std::string_view line, Words& words) {
  constexpr std::string_view blanks = " \t\r\v\f";
  words.clear();
  line = line.substr(0, line.find('#'));
  for (;;) {
    const auto begin = line.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return;
    line.remove_prefix(begin);
    words.push_back(line.substr(0, line.find_first_of(blanks)));
    line.remove_prefix(words.back().size());
  }
}

/// What a message shows of a word: its first characters, those that can be shown.
std::string shown(std::string_view word) {
  std::string text{word.substr(0, 20)};
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

bool begins_number(std::string_view word) {
  return word.find_first_of("0123456789+-.") == 0 || word == "nan" || word == "inf";
}

class Reader {
 public:
  Reader(std::istream& text, std::uint64_t bytes, const std::string& name)
      : text_{text}, bytes_{bytes}, name_{name} {}

  Lut read() {
    std::vector<char> buffer(longest_line + 1);
    while (text_.getline(buffer.data(), longest_line + 1) || text_.gcount() > 0) {
      ++line_;
      auto length = static_cast<std::size_t>(text_.gcount());
      if (text_.fail())
        refuse(format_text(tr(N_("Line %zu of \"%s\" is longer than %d characters.")), line_,
                           name_.c_str(), longest_line));
      if (!text_.eof() && length > 0) --length;  // the end of the line
      std::string_view line{buffer.data(), length};
      if (line_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
      split(line, words_);
      if (!words_.empty()) take_line();
    }
    finish();
    return std::move(lut_);
  }

 private:
  [[noreturn]] static void refuse(const std::string& sentence) { throw ArgumentError{sentence}; }

  void take_line() {
    const std::string_view first = words_[0];
    if (begins_number(first)) return take_color();
    if (first == "TITLE") return;
    const std::span numbers = std::span{words_}.subspan(1);
    if (first == "LUT_1D_SIZE") return take_size(lut_.curves, numbers, largest_curve);
    if (first == "LUT_3D_SIZE") return take_size(lut_.cube, numbers, largest_cube);
    if (first == "LUT_1D_INPUT_RANGE") return take_range(lut_.curves, numbers);
    if (first == "LUT_3D_INPUT_RANGE") return take_range(lut_.cube, numbers);
    if (first == "DOMAIN_MIN") return take_domain(min_, has_min_, numbers);
    if (first == "DOMAIN_MAX") return take_domain(max_, has_max_, numbers);
    refuse(format_text(tr(N_("Line %zu of \"%s\" begins with '%s', which is neither a number nor "
                             "a word of .cube files.")),
                       line_, name_.c_str(), shown(first).c_str()));
  }

  void expect(std::size_t count, std::size_t wanted) const {
    if (count != wanted)
      refuse(format_text(tr(N_("Line %zu of \"%s\" has %zu numbers; %zu are wanted.")), line_,
                         name_.c_str(), count, wanted));
  }

  float number(std::string_view word) const {
    const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
    double value = 0.0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (problem != std::errc{} || end != digits.data() + digits.size() ||
        !(std::abs(value) <= std::numeric_limits<float>::max()))
      refuse(format_text(tr(N_("Line %zu of \"%s\" says '%s' where a number is wanted.")), line_,
                         name_.c_str(), shown(word).c_str()));
    return static_cast<float>(value);
  }

  void take_size(Stage& stage, std::span<const std::string_view> numbers, int largest) {
    expect(numbers.size(), 1);
    if (stage.size > 0 || !lut_.curves.nodes.empty() || !lut_.cube.nodes.empty())
      refuse(format_text(tr(N_("Line %zu of \"%s\" gives a size after another one, or after "
                               "colors.")),
                         line_, name_.c_str()));
    const double size = number(numbers[0]);
    if (!(size >= 2.0 && size <= largest) || size != std::floor(size))
      refuse(format_text(tr(N_("Line %zu of \"%s\" gives the size %s; a whole number from 2 to %d "
                               "is wanted.")),
                         line_, name_.c_str(), shown(numbers[0]).c_str(), largest));
    stage.size = static_cast<int>(size);
  }

  void take_range(Stage& stage, std::span<const std::string_view> numbers) {
    expect(numbers.size(), 2);
    stage.min.fill(number(numbers[0])), stage.max.fill(number(numbers[1]));
    check_domain(stage);
  }

  void take_domain(std::array<float, 3>& end, bool& is_given,
                   std::span<const std::string_view> numbers) {
    expect(numbers.size(), 3);
    for (int c = 0; c < 3; ++c) end[c] = number(numbers[c]);
    is_given = true;
    domain_line_ = line_;
  }

  void check_domain(const Stage& stage) const {
    for (int c = 0; c < 3; ++c)
      if (!(stage.max[c] > stage.min[c]))
        refuse(format_text(tr(N_("Line %zu of \"%s\" has the domain end where it begins, or "
                                 "before.")),
                           line_, name_.c_str()));
  }

  std::size_t wanted_curves() const { return static_cast<std::size_t>(lut_.curves.size); }
  std::size_t wanted_cube() const {
    const auto size = static_cast<std::size_t>(lut_.cube.size);
    return size * size * size;
  }

  /// The curves come first.
  void take_color() {
    expect(words_.size(), 3);
    if (lut_.curves.size == 0 && lut_.cube.size == 0) refuse_without_size();
    const bool of_curves = lut_.curves.nodes.size() < wanted_curves();
    std::vector<Pixel>& nodes = of_curves ? lut_.curves.nodes : lut_.cube.nodes;
    const std::size_t wanted = of_curves ? wanted_curves() : wanted_cube();
    if (nodes.size() == wanted)
      refuse(format_text(tr(N_("Line %zu of \"%s\" is one color too many: there are %zu.")), line_,
                         name_.c_str(), wanted_curves() + wanted_cube()));
    // No file has more colors than it has room for the shortest lines.
    if (nodes.empty()) nodes.reserve(std::min<std::uint64_t>(wanted, bytes_ / 6 + 1));
    const float r = number(words_[0]), g = number(words_[1]), b = number(words_[2]);
    nodes.push_back({r, g, b, 0.0f});
  }

  [[noreturn]] void refuse_without_size() const {
    refuse(format_text(tr(N_("The file \"%s\" has no line LUT_1D_SIZE or LUT_3D_SIZE before its "
                             "colors.")),
                       name_.c_str()));
  }

  void finish() {
    if (lut_.curves.size == 0 && lut_.cube.size == 0) refuse_without_size();
    const std::size_t wanted = wanted_curves() + wanted_cube();
    const std::size_t count = lut_.curves.nodes.size() + lut_.cube.nodes.size();
    if (count != wanted)
      refuse(format_text(tr(N_("The file \"%s\" ends after %zu of %zu colors.")), name_.c_str(),
                         count, wanted));
    // The domain is that of the picture's values, which the first table takes.
    Stage& first = lut_.curves.size > 0 ? lut_.curves : lut_.cube;
    if (has_min_) first.min = min_;
    if (has_max_) first.max = max_;
    line_ = domain_line_;
    check_domain(first);
  }

  std::istream& text_;
  std::uint64_t bytes_;
  const std::string& name_;
  Lut lut_{};
  Words words_{};
  std::size_t line_ = 0, domain_line_ = 0;
  std::array<float, 3> min_{}, max_{};
  bool has_min_ = false, has_max_ = false;
};

}  // namespace

Lut parse_cube(std::istream& text, std::uint64_t bytes, const std::string& name) {
  return Reader{text, bytes, name}.read();
}

}  // namespace cuda_filters::lut
