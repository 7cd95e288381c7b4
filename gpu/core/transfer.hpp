// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cmath>
#include <cstdint>

namespace cuda_filters {

/// How the floats of an image relate to working values, by a formula: `srgb_to_linear` and
/// `linear_to_srgb` are those of IEC 61966-2-1, below 0 the straight line goes on; `power` raises
/// to `exponent` and has nothing below 0, as in babl.
struct Transfer {
  enum class Kind : std::uint8_t { none, srgb_to_linear, linear_to_srgb, power };
  Kind kind = Kind::none;
  float exponent = 1.0f;

  friend bool operator==(const Transfer&, const Transfer&) = default;
};

constexpr Transfer inverse(const Transfer& transfer) {
  using Kind = Transfer::Kind;
  switch (transfer.kind) {
    case Kind::none:
      break;
    case Kind::srgb_to_linear:
      return {Kind::linear_to_srgb};
    case Kind::linear_to_srgb:
      return {Kind::srgb_to_linear};
    case Kind::power:
      return {Kind::power, 1.0f / transfer.exponent};
  }
  return transfer;
}

/// The transfer as one formula for all kinds: a · v where v ≤ knee, else
/// scale · ((v + before) · factor)^exponent + after. 0.055 is rounded so that 1 remains 1.
struct TransferTerms {
  float knee, a, before, factor, exponent, scale, after;
};

constexpr TransferTerms terms_of(const Transfer& transfer) {
  using Kind = Transfer::Kind;
  switch (transfer.kind) {
    case Kind::srgb_to_linear:
      return {0.04045f, 1.0f / 12.92f, 1.055f - 1.0f, 1.0f / 1.055f, 2.4f, 1.0f, 0.0f};
    case Kind::linear_to_srgb:
      return {0.0031308f, 12.92f, 0.0f, 1.0f, 1.0f / 2.4f, 1.055f, 1.0f - 1.055f};
    case Kind::power:
      return {0.0f, 0.0f, 0.0f, 1.0f, transfer.exponent, 1.0f, 0.0f};
    case Kind::none:
      break;
  }
  return {0.0f, 1.0f, 0.0f, 1.0f, 1.0f, 1.0f, 0.0f};
}

/// The working value of a stored one, in double.
inline double value_of(const Transfer& transfer, double stored) {
  const TransferTerms terms = terms_of(transfer);
  if (!(stored > terms.knee)) return stored * terms.a;
  return std::pow((stored + terms.before) * terms.factor, terms.exponent) * terms.scale +
         terms.after;
}

}  // namespace cuda_filters
