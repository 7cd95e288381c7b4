// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numbers>

#include "tests/reference/reference.hpp"

// Formulas that are as they should be, read into trees of functions that are called for each pixel.

namespace cuda_filters::reference {
namespace {

/// What an expression may look at.
struct Here {
  const Picture& in;
  const Picture& second;
  int left, top;  ///< where the second picture lies
  Border border;
  int x, y, channel;                   ///< of the pixel and of what it is that is computed
  std::map<std::string, Color> names;  ///< what they are for each channel
};
using Expression = std::function<double(const Here&)>;
using Expressions = std::vector<Expression>;

struct Line {
  std::string target;
  Expression value;
  bool says_color;  ///< c, or a name whose line does
};

double hashed(double seed, int channel, int x, int y) {
  const auto mix = [](std::uint32_t n) {
    n = (n ^ n >> 16) * 0x7feb352du;
    n = (n ^ n >> 15) * 0x846ca68bu;
    return n ^ n >> 16;
  };
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(seed));
  std::uint32_t n = mix(mix(bits) + channel);
  n = mix(n + x * 0x9e3779b1u);
  return (mix(n + y * 0x85ebca6bu) >> 8) / 16777216.0;
}

double gray_of(double r, double g, double b) {
  return r == g && g == b ? g : 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

class Reader {
 public:
  explicit Reader(const std::string& text) : text_{text} {}

  std::vector<Line> lines() {
    std::vector<Line> all;
    for (;;) {
      while (skip(), at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == ';')) ++at_;
      if (at_ == text_.size()) return all;
      const std::string target = word();
      take("=");
      says_color_ = false;
      all.push_back({target, choice(), false});
      all.back().says_color = says_color_;
      color_names_[target] = says_color_ && target.size() > 1;
    }
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '#'))
      if (text_[at_] == '#')
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      else
        ++at_;
  }
  bool take(const std::string& symbol) {
    skip();
    if (text_.compare(at_, symbol.size(), symbol) != 0) return false;
    const auto is_letter = [&](std::size_t i) {
      return i < text_.size() && std::isalnum(text_[i]);
    };
    if (std::isalpha(symbol[0]) && is_letter(at_ + symbol.size())) return false;
    at_ += symbol.size();
    return true;
  }
  std::string word() {
    skip();
    std::string result;
    while (at_ < text_.size() && (std::isalnum(text_[at_]) || text_[at_] == '_'))
      result += text_[at_++];
    return result;
  }

  Expression choice() {
    const Expression condition = disjunction();
    if (!take("?")) return condition;
    const Expression first = choice();
    take(":");
    const Expression second = choice();
    return [=](const Here& h) { return condition(h) != 0.0 ? first(h) : second(h); };
  }
  Expression disjunction() {
    Expression a = conjunction();
    while (take("or"))
      a = [a, b = conjunction()](const Here& h) -> double { return a(h) != 0.0 || b(h) != 0.0; };
    return a;
  }
  Expression conjunction() {
    Expression a = negation();
    while (take("and"))
      a = [a, b = negation()](const Here& h) -> double { return a(h) != 0.0 && b(h) != 0.0; };
    return a;
  }
  Expression negation() {
    if (!take("not")) return comparison();
    return [a = negation()](const Here& h) -> double { return a(h) == 0.0; };
  }
  Expression comparison() {
    const Expression a = sum();
    if (take("<=")) return [a, b = sum()](const Here& h) -> double { return a(h) <= b(h); };
    if (take(">=")) return [a, b = sum()](const Here& h) -> double { return a(h) >= b(h); };
    if (take("==")) return [a, b = sum()](const Here& h) -> double { return a(h) == b(h); };
    if (take("!=")) return [a, b = sum()](const Here& h) -> double { return a(h) != b(h); };
    if (take("<")) return [a, b = sum()](const Here& h) -> double { return a(h) < b(h); };
    if (take(">")) return [a, b = sum()](const Here& h) -> double { return a(h) > b(h); };
    return a;
  }
  Expression sum() {
    Expression a = product();
    for (;;)
      if (take("+"))
        a = [a, b = product()](const Here& h) { return a(h) + b(h); };
      else if (take("-"))
        a = [a, b = product()](const Here& h) { return a(h) - b(h); };
      else
        return a;
  }
  Expression product() {
    Expression a = sign();
    for (;;)
      if (take("*"))
        a = [a, b = sign()](const Here& h) { return a(h) * b(h); };
      else if (take("/"))
        a = [a, b = sign()](const Here& h) { return a(h) / b(h); };
      else if (take("%"))
        a = [a, b = sign()](const Here& h) {
          const double over = b(h);
          return a(h) - over * std::floor(a(h) / over);
        };
      else
        return a;
  }
  Expression sign() {
    if (take("-")) return [a = sign()](const Here& h) { return -a(h); };
    const Expression a = operand();
    if (!take("^")) return a;
    return [a, b = sign()](const Here& h) { return std::pow(a(h), b(h)); };
  }

  Expression operand() {
    skip();
    if (take("(")) {
      const Expression inner = choice();
      take(")");
      return inner;
    }
    if (std::isdigit(text_[at_]) || text_[at_] == '.') {
      std::size_t length = 0;
      const double value = std::stof(text_.substr(at_), &length);
      at_ += length;
      return [=](const Here&) { return value; };
    }
    const std::string name = word();
    if (name == "in" || name == "aux") return neighbor(name == "aux");
    says_color_ = says_color_ || name == "c" || color_names_[name];
    if (!take("(")) return named(name);
    Expressions arguments{choice()};
    while (take(",")) arguments.push_back(choice());
    take(")");
    return function(name, arguments);
  }

  Expression neighbor(bool second) {
    Expression dx = [](const Here&) { return 0.0; }, dy = dx;
    if (take("(")) {
      dx = choice(), take(","), dy = choice(), take(")");
    }
    take(".");
    const std::string channel = word();
    says_color_ = says_color_ || channel == "c";
    return [=](const Here& h) {
      const int x = h.x + static_cast<int>(dx(h)) - (second ? h.left : 0);
      const int y = h.y + static_cast<int>(dy(h)) - (second ? h.top : 0);
      const Color color = sample(second ? h.second : h.in, x, y, h.border);
      if (channel == "y") return gray_of(color[0], color[1], color[2]);
      return color.at(channel == "c" ? h.channel : std::string{"rgba"}.find(channel));
    };
  }

  static Expression named(const std::string& name) {
    if (name == "pi") return [](const Here&) { return std::numbers::pi; };
    if (name == "x") return [](const Here& h) -> double { return h.x; };
    if (name == "y") return [](const Here& h) -> double { return h.y; };
    if (name == "w") return [](const Here& h) -> double { return h.in.width; };
    if (name == "h") return [](const Here& h) -> double { return h.in.height; };
    if (name == "u") return [](const Here& h) { return (h.x + 0.5) / h.in.width; };
    if (name == "v") return [](const Here& h) { return (h.y + 0.5) / h.in.height; };
    return [=](const Here& h) {
      if (name == "c") return h.in.at(h.x, h.y)[h.channel];
      const std::size_t channel = name.size() == 1 ? std::string{"rgba"}.find(name) : 4;
      return channel < 4 ? h.in.at(h.x, h.y).at(channel) : h.names.at(name)[h.channel];
    };
  }

  static Expression function(const std::string& name, const Expressions& of) {
    using Unary = double (*)(double);
    static const std::map<std::string, Unary> unary{
        {"abs", std::fabs},  {"floor", std::floor}, {"round", std::nearbyint},
        {"sqrt", std::sqrt}, {"exp", std::exp},     {"log", std::log},
        {"sin", std::sin},   {"cos", std::cos},     {"tan", std::tan}};
    const Expression a = of[0], b = of.size() > 1 ? of[1] : a, c = of.size() > 2 ? of[2] : b;
    if (const auto found = unary.find(name); found != unary.end())
      return [a, f = found->second](const Here& h) { return f(a(h)); };
    if (name == "random")
      return [=](const Here& h) { return hashed(a(h), h.in.gray ? 0 : h.channel, h.x, h.y); };
    if (name == "atan2") return [=](const Here& h) { return std::atan2(a(h), b(h)); };
    if (name == "hypot") return [=](const Here& h) { return std::hypot(a(h), b(h)); };
    if (name == "step") return [=](const Here& h) { return b(h) < a(h) ? 0.0 : 1.0; };
    if (name == "min" || name == "max")
      return [=](const Here& h) {
        double result = a(h);
        for (const Expression& other : of)
          if (const double value = other(h); name == "min" ? value < result : value > result)
            result = value;
        return result;
      };
    const auto clamped = [](double value, double lower, double upper) {
      return value < lower ? lower : upper < value ? upper : value;
    };
    if (name == "clamp") return [=](const Here& h) { return clamped(a(h), b(h), c(h)); };
    if (name == "mix") return [=](const Here& h) { return a(h) * (1.0 - c(h)) + b(h) * c(h); };
    return [=](const Here& h) {  // smoothstep
      const double t = clamped((c(h) - a(h)) / (b(h) - a(h)), 0.0, 1.0);
      return t * t * (3.0 - 2.0 * t);
    };
  }

  std::string text_;
  std::size_t at_ = 0;
  bool says_color_ = false;
  std::map<std::string, bool> color_names_;
};

/// What a name stands for in lines of each channel.
Color for_channels(const Expression& value, Here here, bool says_color) {
  Color result;
  for (int c = 0; c < 4; ++c) here.channel = says_color ? c : 0, result[c] = value(here);
  return result;
}

Coding coding_of(const Picture& in, const Values& values) {
  const double light = number(values[1]);
  return light == 0.0 ? Coding::srgb : light == 1.0 ? Coding::linear : in.coding;
}

Picture with_second(const Picture& picture, const Values& values, const Picture& second, int left,
                    int top) {
  const Coding coding = coding_of(picture, values);
  const Picture in = recoded(picture, coding), other = recoded(second, coding);
  const std::vector<Line> lines = Reader{std::get<std::string>(values[0])}.lines();
  Picture out = in;
  const auto border = static_cast<Border>(number(values[2]));
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      Here here{in, other, left, top, border, x, y, 0, {}};
      Color& color = out.at(x, y);
      for (const auto& [target, value, says_color] : lines) {
        here.channel = 0;
        const std::size_t channel = std::string{"rgba"}.find(target);
        if (target == "c")
          for (; here.channel < 3; ++here.channel) color[here.channel] = value(here);
        else if (target == "y")
          color[0] = color[1] = color[2] = value(here);
        else if (channel < 4 && target.size() == 1)
          here.channel = static_cast<int>(channel), color[channel] = value(here);
        else
          here.names[target] = for_channels(value, here, says_color);
      }
      if (in.gray) color[0] = color[1] = color[2] = gray_of(color[0], color[1], color[2]);
      if (!in.alpha) color[3] = 1.0;
    }
  return recoded(out, picture.coding);
}

Picture apply(const Picture& in, const Values& values) { return with_second(in, values, in, 0, 0); }

}  // namespace

extern const Reference reference_pixel_math{
    "pixel-math",
    apply,
    // The second one knows no place, and repeats itself where a picture does.
    {{"c = 1 - c", 0.0, 0.0},
     {"c = (in(-1, 0).c + in(2, -3).c + in(0, 5).c) / 3 # a mean\na = min(a, in(-6, 0).a)", 0.0,
      3.0},
     {"r = b; b = r; g = 0.5 * (r + a); a = mix(a, u, 0.25)", 1.0, 0.0},
     {"far = hypot(u - 0.5, v - 0.5); c = c * (1 - far ^ 2) + 0.1 * random(7)", 2.0, 1.0},
     {"y = clamp(aux.y, 0.2, 0.9) * 0.5 + aux(-2, 1).r * v", 0.0, 2.0},
     {"nn = smoothstep(-0.3, 1.7, c) * (c < 0.50123 and not (u > 2) ? 0.7 : 0.9)\n"
      "c = nn + 0.1 * sin(pi * u) ; a = max(a, 0.25, 1 - x % 3 / 4)",
      0.0, 4.0}},
    [](const Values&) { return 1e-5; },
    [](const Values&) { return 4.0; },
    nullptr,
    with_second};

}  // namespace cuda_filters::reference
