// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cmath>
#include <cstdint>

#include "gpu/core/luminance.hpp"
#include "gpu/device.hpp"

/// What the operations of formulas give, on every executor. All but the functions at the end give
/// the same bits everywhere: neither compiler fuses a product with a sum.
namespace cuda_filters::pixel_math {

HOST_DEVICE static inline float number_of(bool truth) { return truth ? 1.0f : 0.0f; }
/// NaN is true, as in C.
HOST_DEVICE static inline bool is_true(float a) { return a != 0.0f; }

struct Negated {
  HOST_DEVICE float operator()(float a) const { return -a; }
};
struct Absolute {
  HOST_DEVICE float operator()(float a) const { return std::fabs(a); }
};
struct Floor {
  HOST_DEVICE float operator()(float a) const { return std::floor(a); }
};
/// Halves go to the even neighbor.
struct Rounded {
  HOST_DEVICE float operator()(float a) const { return std::rint(a); }
};
struct SquareRoot {
  HOST_DEVICE float operator()(float a) const { return std::sqrt(a); }
};
struct Not {
  HOST_DEVICE float operator()(float a) const { return number_of(!is_true(a)); }
};
struct Sum {
  HOST_DEVICE float operator()(float a, float b) const { return exact::sum(a, b); }
};
struct Difference {
  HOST_DEVICE float operator()(float a, float b) const { return exact::difference(a, b); }
};
struct Product {
  HOST_DEVICE float operator()(float a, float b) const { return exact::product(a, b); }
};
struct Quotient {
  HOST_DEVICE float operator()(float a, float b) const { return exact::quotient(a, b); }
};
/// It has the sign of b: a - b · floor(a / b).
struct Remainder {
  HOST_DEVICE float operator()(float a, float b) const {
    return exact::difference(a, exact::product(b, std::floor(exact::quotient(a, b))));
  }
};
struct Less {
  HOST_DEVICE float operator()(float a, float b) const { return number_of(a < b); }
};
struct LessOrEqual {
  HOST_DEVICE float operator()(float a, float b) const { return number_of(a <= b); }
};
struct Equal {
  HOST_DEVICE float operator()(float a, float b) const { return number_of(a == b); }
};
struct NotEqual {
  HOST_DEVICE float operator()(float a, float b) const { return number_of(a != b); }
};
struct And {
  HOST_DEVICE float operator()(float a, float b) const {
    return is_true(a) ? number_of(is_true(b)) : 0.0f;
  }
};
struct Or {
  HOST_DEVICE float operator()(float a, float b) const {
    return is_true(a) ? 1.0f : number_of(is_true(b));
  }
};
/// The first one, unless the second one is less: that is the first of two of which one is NaN.
struct Minimum {
  HOST_DEVICE float operator()(float a, float b) const { return b < a ? b : a; }
};
struct Maximum {
  HOST_DEVICE float operator()(float a, float b) const { return a < b ? b : a; }
};
/// As GLSL has it: 0 below the edge, else 1.
struct Step {
  HOST_DEVICE float operator()(float edge, float a) const { return a < edge ? 0.0f : 1.0f; }
};
/// The products of floats have no rounding in double.
struct Hypotenuse {
  HOST_DEVICE float operator()(float a, float b) const {
    const double x = a, y = b;
    return static_cast<float>(std::sqrt(x * x + y * y));
  }
};
struct Select {
  HOST_DEVICE float operator()(float condition, float a, float b) const {
    return is_true(condition) ? a : b;
  }
};
struct Clamped {
  HOST_DEVICE float operator()(float a, float lower, float upper) const {
    return Minimum{}(Maximum{}(a, lower), upper);
  }
};
/// As GLSL has it: a · (1 - t) + b · t.
struct Mixture {
  HOST_DEVICE float operator()(float a, float b, float t) const {
    return exact::sum(exact::product(a, exact::difference(1.0f, t)), exact::product(b, t));
  }
};
/// As GLSL has it: t²(3 - 2t), where t goes from 0 to 1 between the edges.
struct SmoothStep {
  HOST_DEVICE float operator()(float from, float to, float a) const {
    const float way = exact::quotient(exact::difference(a, from), exact::difference(to, from));
    const float t = Clamped{}(way, 0.0f, 1.0f);
    return exact::product(exact::product(t, t), exact::difference(3.0f, exact::product(2.0f, t)));
  }
};
/// Of three equal colors it is their value.
struct Luminance {
  HOST_DEVICE float operator()(float r, float g, float b) const {
    const float y = exact::luminance(r, g, b);
    return r == g && g == b ? g : y;
  }
};

// What a GPU and a processor may have up to 4 units in the last place wrong.
struct Exponential {
  HOST_DEVICE float operator()(float a) const { return std::exp(a); }
};
struct Logarithm {
  HOST_DEVICE float operator()(float a) const { return std::log(a); }
};
struct Sine {
  HOST_DEVICE float operator()(float a) const { return std::sin(a); }
};
struct Cosine {
  HOST_DEVICE float operator()(float a) const { return std::cos(a); }
};
struct Tangent {
  HOST_DEVICE float operator()(float a) const { return std::tan(a); }
};
struct Angle {
  HOST_DEVICE float operator()(float y, float x) const { return std::atan2(y, x); }
};
struct Power {
  HOST_DEVICE float operator()(float a, float b) const { return std::pow(a, b); }
};

/// Calls X(name, function) for each operation that gives the same bits everywhere, …
#define EXACT_OPERATIONS(X)     \
  X(negate, Negated)            \
  X(absolute, Absolute)         \
  X(floor, Floor)               \
  X(round, Rounded)             \
  X(square_root, SquareRoot)    \
  X(logical_not, Not)           \
  X(add, Sum)                   \
  X(subtract, Difference)       \
  X(multiply, Product)          \
  X(divide, Quotient)           \
  X(remainder, Remainder)       \
  X(less, Less)                 \
  X(less_or_equal, LessOrEqual) \
  X(equal, Equal)               \
  X(not_equal, NotEqual)        \
  X(logical_and, And)           \
  X(logical_or, Or)             \
  X(minimum, Minimum)           \
  X(maximum, Maximum)           \
  X(step, Step)                 \
  X(hypotenuse, Hypotenuse)     \
  X(select, Select)             \
  X(clamp, Clamped)             \
  X(mix, Mixture)               \
  X(smooth_step, SmoothStep)    \
  X(luminance, Luminance)
/// … and for each other one.
#define ROUNDED_OPERATIONS(X) \
  X(exponential, Exponential) \
  X(logarithm, Logarithm)     \
  X(sine, Sine)               \
  X(cosine, Cosine)           \
  X(tangent, Tangent)         \
  X(angle, Angle)             \
  X(power, Power)

/// Mixes the bits of a number: Wellons's lowbias32.
HOST_DEVICE static inline std::uint32_t mixed_bits(std::uint32_t bits) {
  bits = (bits ^ bits >> 16) * 0x7feb352du;
  bits = (bits ^ bits >> 15) * 0x846ca68bu;
  return bits ^ bits >> 16;
}
/// What the random numbers of all pixels begin with.
HOST_DEVICE static inline std::uint32_t random_key(float seed, unsigned channel) {
  return mixed_bits(mixed_bits(exact::bits_of(seed)) + channel);
}
/// The random number of a pixel of the layer: a multiple of 2^-24 from 0 on and below 1.
HOST_DEVICE static inline float random_number(std::uint32_t key, int x, int y) {
  const std::uint32_t of_column = mixed_bits(key + static_cast<std::uint32_t>(x) * 0x9e3779b1u);
  const std::uint32_t bits = mixed_bits(of_column + static_cast<std::uint32_t>(y) * 0x85ebca6bu);
  return static_cast<float>(bits >> 8) * 0x1p-24f;
}

/// Where the middle of column or row `index` of `count` lies, from 0 to 1.
HOST_DEVICE static inline float relative(int index, float count) {
  return exact::quotient(exact::sum(static_cast<float>(index), 0.5f), count);
}

}  // namespace cuda_filters::pixel_math
