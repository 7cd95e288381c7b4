// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "gpu/algorithms/pixel_math/graph.hpp"
#include "gpu/algorithms/pixel_math/tokens.hpp"
#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"

// The grammar is in README.md. Each function below reads what it is called after.

namespace cuda_filters::pixel_math {
namespace {

constexpr std::size_t longest_text = 65536;
constexpr int deepest = 200, max_values = 1 << 17;

/// A value for each channel that is computed. One that says c differs from channel to channel.
struct Value {
  std::array<int, 4> of{};
  bool by_channel = false;
};

struct Function {
  const char* name;
  Op op;
  int arguments;
};
constexpr Function functions[] = {
    {"abs", Op::absolute, 1},
    {"floor", Op::floor, 1},
    {"round", Op::round, 1},
    {"sqrt", Op::square_root, 1},
    {"exp", Op::exponential, 1},
    {"log", Op::logarithm, 1},
    {"sin", Op::sine, 1},
    {"cos", Op::cosine, 1},
    {"tan", Op::tangent, 1},
    {"atan2", Op::angle, 2},
    {"hypot", Op::hypotenuse, 2},
    {"step", Op::step, 2},
    {"min", Op::minimum, 2},
    {"max", Op::maximum, 2},
    {"clamp", Op::clamp, 3},
    {"mix", Op::mix, 3},
    {"smoothstep", Op::smooth_step, 3},
    {"random", Op::random, 1},
};
constexpr const char* words[] = {"r", "g", "b",  "a",   "c",  "x",   "y",  "w",  "h",
                                 "u", "v", "in", "aux", "pi", "and", "or", "not"};

const Function* find_function(std::string_view name) {
  const auto found = std::ranges::find(functions, name,
                                       [](const Function& f) { return std::string_view{f.name}; });
  return found == std::end(functions) ? nullptr : found;
}
bool is_word(std::string_view name) {
  return std::ranges::find(words, name, [](const char* w) { return std::string_view{w}; }) !=
         std::end(words);
}

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_{text} {
    for (int c = 0; c < 4; ++c) formula_.outputs[c] = own(c);
  }

  Formula formula() {
    for (;;) {
      while (now().kind == Token::Kind::end_of_line) tokens_.next();
      if (now().kind == Token::Kind::end) return std::move(formula_);
      line();
      if (now().kind != Token::Kind::end_of_line && now().kind != Token::Kind::end)
        expected(tr(N_("an operator or the end of the line")));
    }
  }

 private:
  using Kind = Token::Kind;

  /// Counts how deep expressions lie in each other.
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : depth_{parser.depth_} {
      if (++depth_ > deepest)
        fail(parser.now().place,
             format_text(tr(N_("More than %d expressions lie in each other. Give some of them a "
                               "name, in a line before.")),
                         deepest));
    }
    ~Deeper() { --depth_; }

   private:
    int& depth_;
  };

  const Token& now() const { return tokens_.current(); }
  [[noreturn]] void expected(const std::string& what) const {
    fail(now().place, format_text(tr(N_("There is %s, where %s was expected.")),
                                  now().description().c_str(), what.c_str()));
  }
  void expect(const char* symbol) {
    if (!now().is(symbol)) expected("'" + std::string{symbol} + "'");
    tokens_.next();
  }
  bool accept(const char* symbol) {
    if (!now().is(symbol)) return false;
    tokens_.next();
    return true;
  }

  int own(int channel) { return formula_.graph.number_of({.op = Op::own, .channel = channel}); }
  Value same(int number) const { return {{number, number, number, number}}; }
  Value source(Op op) { return same(formula_.graph.number_of({.op = op})); }
  Value constant(float value) { return same(formula_.graph.constant(value)); }
  Value make(Op op, const Value& a) { return make(op, a, none, none); }
  Value make(Op op, const Value& a, const Value& b) { return make(op, a, b, none); }
  Value make(Op op, const Value& a, const Value& b, const Value& c) {
    Value result;
    result.by_channel = a.by_channel || b.by_channel || c.by_channel;
    for (int k = 0; k < 4; ++k) result.of[k] = formula_.graph.make(op, a.of[k], b.of[k], c.of[k]);
    if (formula_.graph.size() > max_values) fail_too_large();
    return result;
  }

  void line() {
    if (now().kind != Kind::name) expected(tr(N_("r, g, b, a, y, c or a name")));
    const Token name = now();
    tokens_.next();
    expect("=");
    const bool is_own = !is_word(name.text) && find_function(name.text) == nullptr;
    const bool is_gray = name.text == "y",
               is_result = std::string_view{"rgbayc"}.find(name.text) != std::string_view::npos;
    if (!is_own && !(is_result && name.text.size() == 1))
      fail(name.place, format_text(tr(N_("'%s' has a meaning already. Choose another name.")),
                                   std::string{name.text}.c_str()));
    const TextPlace place = now().place;
    Value value = expression();
    if (is_gray && value.by_channel)
      fail(place, tr(N_("In a line for y there is no single color c. Use r, g and b.")));
    if (is_own) {
      // A name that does not say c is one number, random or not.
      if (!value.by_channel) value = same(value.of[0]);
      names_.insert_or_assign(std::string{name.text}, value);
      return;
    }
    const int channel = static_cast<int>(std::string_view{"rgba"}.find(name.text));
    for (int c = 0; c < 4; ++c)
      if (is_gray && c < 3)
        formula_.outputs[c] = value.of[0];
      else if (name.text == "c" ? c < 3 : c == channel)
        formula_.outputs[c] = value.of[c];
  }

  Value expression() {
    const Deeper deeper{*this};
    const Value condition = disjunction();
    if (!accept("?")) return condition;
    const Value first = expression();
    expect(":");
    const Value second = expression();
    return make(Op::select, condition, first, second);
  }

  Value disjunction() {
    Value value = conjunction();
    while (now().is_word("or")) tokens_.next(), value = make(Op::logical_or, value, conjunction());
    return value;
  }
  Value conjunction() {
    Value value = negation();
    while (now().is_word("and")) tokens_.next(), value = make(Op::logical_and, value, negation());
    return value;
  }
  Value negation() {
    if (!now().is_word("not")) return comparison();
    const Deeper deeper{*this};
    tokens_.next();
    return make(Op::logical_not, negation());
  }
  Value comparison() {
    const Value a = sum();
    if (accept("<")) return make(Op::less, a, sum());
    if (accept(">")) return make(Op::less, sum(), a);
    if (accept("<=")) return make(Op::less_or_equal, a, sum());
    if (accept(">=")) return make(Op::less_or_equal, sum(), a);
    if (accept("==")) return make(Op::equal, a, sum());
    if (accept("!=")) return make(Op::not_equal, a, sum());
    return a;
  }
  Value sum() {
    Value value = product();
    for (;;)
      if (accept("+"))
        value = make(Op::add, value, product());
      else if (accept("-"))
        value = make(Op::subtract, value, product());
      else
        return value;
  }
  Value product() {
    Value value = signed_power();
    for (;;)
      if (accept("*"))
        value = make(Op::multiply, value, signed_power());
      else if (accept("/"))
        value = make(Op::divide, value, signed_power());
      else if (accept("%"))
        value = make(Op::remainder, value, signed_power());
      else
        return value;
  }
  Value signed_power() {
    const Deeper deeper{*this};
    if (accept("-")) return make(Op::negate, signed_power());
    if (accept("+")) return signed_power();
    const Value base = operand();
    return accept("^") ? make(Op::power, base, signed_power()) : base;
  }

  Value operand() {
    const Token token = now();
    if (token.kind == Kind::number) return tokens_.next(), constant(token.value);
    if (accept("(")) {
      const Value value = expression();
      expect(")");
      return value;
    }
    if (token.kind != Kind::name || token.text == "and" || token.text == "or")
      expected(tr(N_("a number, a name or '('")));
    tokens_.next();
    if (token.text == "in") return neighbor(Op::neighbor);
    if (token.text == "aux") return neighbor(Op::of_second);
    if (const Function* function = find_function(token.text)) return call(*function, token);
    return name(token);
  }

  Value name(const Token& token) {
    const std::string_view text = token.text;
    if (const auto own_name = names_.find(std::string{text}); own_name != names_.end())
      return own_name->second;
    if (text == "c") return {{own(0), own(1), own(2), own(3)}, true};
    if (text == "r") return same(own(0));
    if (text == "g") return same(own(1));
    if (text == "b") return same(own(2));
    if (text == "a") return same(own(3));
    if (text == "x") return source(Op::column);
    if (text == "y") return source(Op::row);
    if (text == "w") return source(Op::width);
    if (text == "h") return source(Op::height);
    if (text == "u") return source(Op::across);
    if (text == "v") return source(Op::down);
    if (text == "pi") return constant(std::numbers::pi_v<float>);
    fail(token.place,
         format_text(tr(N_("There is nothing called %s here. Give it a value in a line before, or "
                           "use r, g, b, a, c, x, y, w, h, u, v, in, aux, pi or a function.")),
                     token.description().c_str()));
  }

  Value call(const Function& function, const Token& token) {
    expect("(");
    std::vector<Value> arguments{expression()};
    while (accept(",")) arguments.push_back(expression());
    const bool takes_more = function.op == Op::minimum || function.op == Op::maximum;
    const int count = static_cast<int>(arguments.size());
    if (count < function.arguments || (count > function.arguments && !takes_more))
      fail(token.place, format_text(tr(N_("%s() has %d arguments here, where %d are expected.")),
                                    function.name, count, function.arguments));
    expect(")");
    if (function.op == Op::random) return random(arguments[0], token);
    if (function.arguments == 1) return make(function.op, arguments[0]);
    if (function.arguments == 3) return make(function.op, arguments[0], arguments[1], arguments[2]);
    Value value = arguments[0];
    for (int i = 1; i < count; ++i) value = make(function.op, value, arguments[i]);
    return value;
  }

  Value random(const Value& argument, const Token& token) {
    const auto seed = formula_.graph.constant_value(argument.of[0]);
    if (argument.by_channel || !seed)
      fail(token.place, tr(N_("The seed of random() must be a number that does not depend on the "
                              "pixel, as in random(1).")));
    Value value;
    for (int c = 0; c < 4; ++c)
      value.of[c] =
          formula_.graph.number_of({.op = Op::random, .value = *seed + 0.0f, .channel = c});
    return value;
  }

  /// A distance in an access to a neighbor.
  int offset() {
    const TextPlace place = now().place;
    const Value value = expression();
    const auto known = formula_.graph.constant_value(value.of[0]);
    if (value.by_channel || !known || *known != std::floor(*known) ||
        !(std::fabs(*known) <= farthest))
      fail(place, format_text(tr(N_("How far a neighbor lies must be a whole number from -%d to "
                                    "%d that does not depend on the pixel, such as in(-1, 0).c.")),
                              farthest, farthest));
    return static_cast<int>(*known);
  }

  Value neighbor(Op op) {
    int dx = 0, dy = 0;
    if (accept("(")) {
      dx = offset();
      expect(",");
      dy = offset();
      expect(")");
    }
    expect(".");
    const std::string_view channel = now().kind == Kind::name ? now().text : "";
    const std::size_t place = std::string_view{"rgbacy"}.find(channel);
    if (channel.size() != 1 || place == std::string_view::npos)
      expected(tr(N_("one of r, g, b, a, c and y")));
    tokens_.next();
    const bool is_here = op == Op::neighbor && dx == 0 && dy == 0;
    const auto read = [&](int c) {
      return is_here ? own(c)
                     : formula_.graph.number_of({.op = op, .dx = dx, .dy = dy, .channel = c});
    };
    if (channel == "c") return {{read(0), read(1), read(2), read(3)}, true};
    if (channel == "y") return make(Op::luminance, same(read(0)), same(read(1)), same(read(2)));
    return same(read(static_cast<int>(place)));
  }

  static constexpr Value none{{-1, -1, -1, -1}};
  Tokens tokens_;
  Formula formula_;
  std::map<std::string, Value> names_;
  int depth_ = 0;
};

}  // namespace

Formula parse(std::string_view text) {
  if (text.size() > longest_text)
    throw ArgumentError{format_text(tr(N_("The formula has %zu bytes; %zu are the most.")),
                                    text.size(), longest_text)};
  return Parser{text}.formula();
}

}  // namespace cuda_filters::pixel_math
