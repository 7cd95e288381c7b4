// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/pixel_math/tokens.hpp"

#include <charconv>
#include <cstddef>

#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters::pixel_math {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// How many bytes the character at the beginning has: of UTF-8, or one.
std::size_t character_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead >= 0xf0 && lead < 0xf5   ? 4
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                                                           : 1;
  if (length > text.size()) return 1;
  for (std::size_t i = 1; i < length; ++i)
    if (!is_continuation(text[i])) return 1;
  return length;
}

}  // namespace

void fail(TextPlace place, const std::string& problem) {
  throw FormulaError{format_text(tr(N_("The formula has an error in line %d, column %d: %s")),
                                 place.line, place.column, problem.c_str()),
                     place};
}

std::string Token::description() const {
  if (kind == Kind::end) return tr(N_("the end of the formula"));
  if (kind == Kind::end_of_line && text != ";") return tr(N_("the end of the line"));
  // What cannot be shown, such as half a character, must not be in a message.
  constexpr std::size_t longest = 40;
  const auto lead = static_cast<unsigned char>(text[0]);
  const bool shown = lead >= 0x20 && lead != 0x7f && (lead < 0x80 || text.size() > 1);
  const std::string known{shown ? text.substr(0, longest) : "?"};
  return "'" + known + (text.size() > longest ? "…'" : "'");
}

std::string_view Tokens::take(std::size_t bytes) {
  const std::string_view taken = rest_.substr(0, bytes);
  for (const char c : taken)
    if (c == '\n')
      ++place_.line, place_.column = 1;
    else if (!is_continuation(c))
      ++place_.column;
  rest_.remove_prefix(bytes);
  return taken;
}

void Tokens::skip() {
  while (!rest_.empty()) {
    const char c = rest_.front();
    if (c == '#')
      take(std::min(rest_.find('\n'), rest_.size()));
    else if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && brackets_ > 0))
      take(1);
    else
      break;
  }
}

std::size_t Tokens::number_length() const {
  std::size_t end = 0;
  const auto digits = [&] {
    while (end < rest_.size() && is_digit(rest_[end])) ++end;
  };
  digits();
  if (end < rest_.size() && rest_[end] == '.') ++end, digits();
  if (end < rest_.size() && (rest_[end] == 'e' || rest_[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent < rest_.size() && (rest_[exponent] == '+' || rest_[exponent] == '-')) ++exponent;
    if (exponent < rest_.size() && is_digit(rest_[exponent])) end = exponent, digits();
  }
  return end;
}

void Tokens::next() {
  skip();
  token_ = {Token::Kind::end, {}, place_};
  if (rest_.empty()) return;
  const char c = rest_.front();
  if (c == '\n' || c == ';') {
    token_.kind = Token::Kind::end_of_line, token_.text = take(1);
    brackets_ = 0;
  } else if (is_digit(c) || (c == '.' && rest_.size() > 1 && is_digit(rest_[1]))) {
    token_.kind = Token::Kind::number, token_.text = take(number_length());
    const char *begin = token_.text.data(), *end = begin + token_.text.size();
    const auto [last, problem] = std::from_chars(begin, end, token_.value);
    if (problem != std::errc{} || last != end)
      fail(token_.place, format_text(tr(N_("%s is beyond the numbers that there are.")),
                                     token_.description().c_str()));
  } else if (is_letter(c)) {
    std::size_t length = 1;
    while (length < rest_.size() && (is_letter(rest_[length]) || is_digit(rest_[length]))) ++length;
    token_.kind = Token::Kind::name, token_.text = take(length);
  } else {
    const std::string_view pair = rest_.substr(0, 2);
    const bool is_pair = pair == "<=" || pair == ">=" || pair == "==" || pair == "!=";
    token_.kind = Token::Kind::symbol, token_.text = take(is_pair ? 2 : character_length(rest_));
    if (c == '(') ++brackets_;
    if (c == ')' && brackets_ > 0) --brackets_;
  }
}

}  // namespace cuda_filters::pixel_math
