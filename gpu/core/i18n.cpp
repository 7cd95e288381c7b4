// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/i18n.hpp"

#include <cstdarg>
#include <cstdio>

namespace cuda_filters {
namespace {
const char* (*current_translator)(const char*) = nullptr;
}

void set_translator(const char* (*translator)(const char*)) noexcept {
  current_translator = translator;
}

const char* tr(const char* text) noexcept {
  return current_translator != nullptr ? current_translator(text) : text;
}

std::string format_text(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  if (length > 0) std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  return text;
}

}  // namespace cuda_filters
