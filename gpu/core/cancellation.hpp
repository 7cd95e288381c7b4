// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <stop_token>
#include <utility>

#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters {

namespace detail {

/// A function's variable: of one that several files include, GCC for Windows makes several.
inline std::stop_token& cancellation_token() {
  static thread_local std::stop_token token;
  return token;
}

}  // namespace detail

/// The request to end what this thread computes for; one that never comes outside of a run.
inline const std::stop_token& cancellation_token() { return detail::cancellation_token(); }

/// While it lives, a stop request by `token` cancels what this thread computes.
class Cancellable {
 public:
  explicit Cancellable(std::stop_token token)
      : before_{std::exchange(detail::cancellation_token(), std::move(token))} {}
  Cancellable(const Cancellable&) = delete;
  ~Cancellable() { detail::cancellation_token() = std::move(before_); }

 private:
  std::stop_token before_;
};

[[noreturn]] inline void throw_cancelled() {
  throw Cancelled{tr(N_("Cancelled. The picture is unchanged."))};
}

/// Throws Cancelled if the run that this thread computes for has been cancelled. Whatever takes
/// longer than a tenth of a second calls it that often.
inline void cancellation_point() {
  if (cancellation_token().stop_requested()) throw_cancelled();
}

}  // namespace cuda_filters
