// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

#include "gpu/core/error.hpp"

namespace cuda_filters::pixel_math {

/// Where in a text something begins: both count from 1, columns in characters.
struct TextPlace {
  int line = 1, column = 1;
};

struct Token {
  enum class Kind { number, name, symbol, end_of_line, end } kind;
  std::string_view text;
  TextPlace place;
  float value = 0.0f;  ///< of a number

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  bool is_word(std::string_view word) const { return kind == Kind::name && text == word; }
  /// What there is, in the words of a message.
  std::string description() const;
};

/// What tells of an error in a formula, and where it is.
struct FormulaError : ArgumentError {
  FormulaError(const std::string& sentence, TextPlace at) : ArgumentError{sentence}, place{at} {}
  TextPlace place;
};

/// Throws FormulaError.
[[noreturn]] void fail(TextPlace place, const std::string& problem);

/// Cuts a formula into tokens, one after the other. Between brackets a line goes on behind its
/// break; ';' ends it as a break does.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : rest_{text} { next(); }
  const Token& current() const { return token_; }
  /// Goes on to the next one. Throws FormulaError at a number that is none.
  void next();

 private:
  void skip();
  std::string_view take(std::size_t bytes);
  std::size_t number_length() const;

  std::string_view rest_;
  TextPlace place_;
  int brackets_ = 0;
  Token token_{};
};

}  // namespace cuda_filters::pixel_math
