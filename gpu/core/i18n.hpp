// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <string>

/// Marks a string for translation where it cannot be translated yet.
#define N_(text) text

namespace cuda_filters {

/// Sets what translates the engine's own messages; without it they stay in English.
void set_translator(const char* (*translator)(const char*)) noexcept;

/// The translation of a message of the engine.
[[gnu::format_arg(1)]] const char* tr(const char* text) noexcept;

/// What GCC calls the C standard's formats: by printf it means those of Windows there.
#if defined(__MINGW32__) && !defined(__clang__)
#define STANDARD_PRINTF gnu_printf
#else
#define STANDARD_PRINTF printf
#endif

/// printf into a string.
[[gnu::format(STANDARD_PRINTF, 1, 2)]] std::string format_text(const char* format, ...);

}  // namespace cuda_filters
