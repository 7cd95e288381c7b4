// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once

// A source that includes this is compiled several times, for different processors: nothing here may
// have external linkage.

namespace cuda_filters::cpu {
namespace {

// As many as one register holds: vectors of several registers the compiler takes apart in memory,
// which takes several times as long as what is computed.
#if defined(__AVX512F__)
constexpr int vector_lanes = 16;
#elif defined(__AVX2__)
constexpr int vector_lanes = 8;
#else
constexpr int vector_lanes = 4;
#endif

typedef float Vector
    __attribute__((vector_size(vector_lanes * sizeof(float)), aligned(4), may_alias));
typedef int Integers
    __attribute__((vector_size(vector_lanes * sizeof(int)), aligned(4), may_alias));

inline Vector& at(float* p) { return *reinterpret_cast<Vector*>(p); }
inline const Vector& at(const float* p) { return *reinterpret_cast<const Vector*>(p); }

}  // namespace
}  // namespace cuda_filters::cpu
