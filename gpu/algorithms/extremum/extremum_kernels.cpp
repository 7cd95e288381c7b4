// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/extremum/extremum_kernels.hpp"

// Compiled once for each level: see DEFINE_KERNELS. The compiler makes vectors of these loops.

namespace cuda_filters::cpu {
namespace {

/// As key_of() and code_of() of window.hpp, which may not be called from here, as they might be
/// linked for another processor.
template <class Key, bool floats, bool least>
void keys_of(const Key* codes, std::size_t count, Key infinity, Key* keys) {
  constexpr unsigned sign = 8 * sizeof(Key) - 1;
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    Key key = codes[i];
    if (floats) {
      const Key size = static_cast<Key>(key & static_cast<Key>(~(Key{1} << sign)));
      const Key negative = static_cast<Key>(0 - (key >> sign));
      key = static_cast<Key>(key ^ (negative | static_cast<Key>(Key{1} << sign)));
      if (least) key = static_cast<Key>(~key);
      keys[i] = size > infinity ? Key{0} : key;
    } else {
      keys[i] = least ? static_cast<Key>(~key) : key;
    }
  }
}

template <class Key, bool floats, bool least>
void codes_of(const Key* keys, std::size_t count, Key* codes) {
  constexpr unsigned sign = 8 * sizeof(Key) - 1;
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    Key code = least ? static_cast<Key>(~keys[i]) : keys[i];
    if (floats) {
      const Key positive = static_cast<Key>(0 - (code >> sign));
      code =
          static_cast<Key>(code ^ (static_cast<Key>(~positive) | static_cast<Key>(Key{1} << sign)));
    }
    codes[i] = code;
  }
}

template <class Key>
void to_keys(const Key* codes, std::size_t count, Key infinity, bool least, Key* keys) {
  if (infinity == 0)
    (least ? keys_of<Key, false, true> : keys_of<Key, false, false>)(codes, count, infinity, keys);
  else
    (least ? keys_of<Key, true, true> : keys_of<Key, true, false>)(codes, count, infinity, keys);
}

template <class Key>
void to_codes(const Key* keys, std::size_t count, Key infinity, bool least, Key* codes) {
  if (infinity == 0)
    (least ? codes_of<Key, false, true> : codes_of<Key, false, false>)(keys, count, codes);
  else
    (least ? codes_of<Key, true, true> : codes_of<Key, true, false>)(keys, count, codes);
}

template <class Key>
void larger(const Key* a, const Key* b, std::size_t count, Key* to) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) to[i] = a[i] > b[i] ? a[i] : b[i];
}

template <class Key>
void raise(const Key* a, const Key* b, std::size_t count, Key* to) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    const Key both = a[i] > b[i] ? a[i] : b[i];
    to[i] = to[i] > both ? to[i] : both;
  }
}

template <class Key>
void raise_two(const Key* a, const Key* b, std::size_t count, Key* to, Key* other) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    const Key both = a[i] > b[i] ? a[i] : b[i];
    to[i] = to[i] > both ? to[i] : both;
    other[i] = other[i] > both ? other[i] : both;
  }
}

template <class Key>
constexpr ExtremumKernel<Key> kernel{to_keys<Key>, to_codes<Key>, larger<Key>, raise<Key>,
                                     raise_two<Key>};

}  // namespace

DEFINE_KERNELS(ExtremumKernels, extremum_kernels){kernel<std::uint8_t>, kernel<std::uint16_t>,
                                                  kernel<std::uint32_t>};

}  // namespace cuda_filters::cpu
