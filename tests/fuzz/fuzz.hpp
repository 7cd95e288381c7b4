// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "gpu/core/error.hpp"

/// What libFuzzer, or replay.cpp, calls with each input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace cuda_filters::fuzz {

/// Ends the process, so that libFuzzer keeps the input, unless something holds.
inline void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "\nNot as promised: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Whether GIMP can show a text: it is UTF-8 without a zero.
inline bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto at = [&](std::size_t j) {
      return j < text.size() ? static_cast<unsigned char>(text[j]) : 0u;
    };
    const unsigned first = at(i);
    const std::size_t length = first == 0     ? 0
                               : first < 0x80 ? 1
                               : first < 0xc2 ? 0
                               : first < 0xe0 ? 2
                               : first < 0xf0 ? 3
                               : first < 0xf5 ? 4
                                              : 0;
    if (length == 0) return false;
    for (std::size_t j = 1; j < length; ++j)
      if ((at(i + j) & 0xc0) != 0x80) return false;
    const unsigned second = at(i + 1);
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
      return false;
    i += length;
  }
  return true;
}

/// Whether f() does what it should: true, or false if it refuses its input by a sentence. That can
/// be shown if `given`, from which it may quote, can be.
template <class F>
bool accepted(std::string_view given, F f) {
  try {
    f();
    return true;
  } catch (const Error& error) {
    const std::string_view sentence = error.what();
    require(!sentence.empty(), "an error without a sentence");
    require(is_utf8(sentence) || !is_utf8(given), "a sentence that cannot be shown");
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

/// A file in memory with a name by which others can open it.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : fd_{memfd_create("input", 0)} {
    require(fd_ >= 0 &&
                write(fd_, content.data(), content.size()) == static_cast<ssize_t>(content.size()),
            "no file in memory");
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string name() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

}  // namespace cuda_filters::fuzz
