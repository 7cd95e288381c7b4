// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <concepts>
#include <memory>
#include <span>

#include "gpu/core/instances.hpp"
#include "gpu/core/trace.hpp"

// From the type of a filter to its row of the registry.

namespace cuda_filters {

/// A filter's plan() with what its primitives need, with a second picture or without.
template <Filter F>
Plan traced_plan(const typename F::Params& params, [[maybe_unused]] bool with_aux) {
  Plan plan = F::plan(params);
  if constexpr (!Composite<F>) {
    trace::Exec computing, analyzing;
    if constexpr (Analyzing<F>) {
      typename F::State state;
      F::analyze(analyzing, params, analyzing.input(), Rect{}, state);
    }
    const auto state = [] {
      if constexpr (Analyzing<F>)
        return typename F::State{};
      else
        return 0;
    }();
    const trace::Input aux = computing.aux();
    apply_filter<F>(computing, &params, computing.input(), with_aux ? &aux : nullptr,
                    computing.output(), &state);
    const auto halos = computing.halos(), before = analyzing.halos();
    plan.halo_x = std::max(halos.input.x, before.input.x);
    plan.halo_y = std::max(halos.input.y, before.input.y);
    plan.aux_halo = halos.aux;
    plan.temporaries = halos.temporaries, plan.analysis_temporaries = before.temporaries;
    plan.cost = computing.cost() + analyzing.cost();
    plan.by_channel = computing.by_channel();
  }
  return plan;
}

/// F::finish() once the types are forgotten: whether it asks for another pass.
template <Analyzing F>
bool finish_filter(const void* params, void* state) {
  const auto& p = *static_cast<const typename F::Params*>(params);
  auto& s = *static_cast<typename F::State*>(state);
  if constexpr (std::same_as<decltype(F::finish(p, s)), bool>) {
    return F::finish(p, s);
  } else {
    F::finish(p, s);
    return false;
  }
}

template <Filter F>
FilterEntry make_entry(decltype(FilterEntry::pointwise) pointwise = nullptr) {
  using Params = typename F::Params;
  const AuxParam* aux = nullptr;
  if constexpr (Aided<F>) aux = &F::aux;
  decltype(FilterEntry::steps) steps = nullptr;
  if constexpr (Composite<F>)
    steps = [](const void* params) { return F::steps(*static_cast<const Params*>(params)); };
  decltype(FilterEntry::input_rows) input_rows = nullptr;
  if constexpr (Resizing<F>)
    input_rows = [](const void* params, Size in, Size out, IndexRange rows) {
      return F::input_rows(*static_cast<const Params*>(params), in, out, rows);
    };
  decltype(FilterEntry::new_image_size) new_image_size = nullptr;
  if constexpr (CreatesImage<F>)
    new_image_size = [](const void* state) {
      return F::new_image_size(*static_cast<const typename F::State*>(state));
    };
  decltype(FilterEntry::next) next = nullptr;
  if constexpr (requires(const Params& p) { F::next(p); })
    next = [](const void* params) { return F::next(*static_cast<const Params*>(params)); };
  std::span<const OutputValue> output_values;
  if constexpr (requires { F::output_values; }) output_values = F::output_values;
  return {&typeid(F),
          F::info,
          F::params,
          []() -> std::shared_ptr<void> { return std::make_shared<Params>(); },
          []([[maybe_unused]] const void* params) {
            if constexpr (requires(const Params& p) { F::check(p); })
              F::check(*static_cast<const Params*>(params));
          },
          aux,
          [](const void* params, bool with_aux) {
            return traced_plan<F>(*static_cast<const Params*>(params), with_aux);
          },
          []([[maybe_unused]] const void* params, Size in, Plan& plan) {
            plan.output = CreatesImage<F> ? Size{} : in;
            if constexpr (requires(const Params& p) { F::resolve_size(p, in, plan); })
              F::resolve_size(*static_cast<const Params*>(params), in, plan);
          },
          input_rows,
          []() -> std::shared_ptr<void> {
            if constexpr (Analyzing<F>)
              return std::make_shared<typename F::State>();
            else
              return nullptr;
          },
          new_image_size,
          next,
          output_values,
          []([[maybe_unused]] const void* params, [[maybe_unused]] void* state) {
            if constexpr (Analyzing<F>) return finish_filter<F>(params, state);
            return false;
          },
          pointwise,
          steps};
}

}  // namespace cuda_filters
