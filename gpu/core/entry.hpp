// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <algorithm>
#include <concepts>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "gpu/core/fused_pointwise.hpp"
#include "gpu/core/instances.hpp"
#include "gpu/core/trace.hpp"

// From the type of a filter to its row of the registry.

namespace cuda_filters {

/// A filter's plan() with what its primitives need, with a second picture or without.
template <Filter F>
Plan traced_plan(const typename F::Params& params, [[maybe_unused]] bool with_aux) {
  Plan plan = [&] {
    if constexpr (requires { F::plan(params, with_aux); })
      return F::plan(params, with_aux);
    else
      return F::plan(params);
  }();
  if constexpr (!Composite<F>) {
    trace::Exec computing, analyzing;
    if constexpr (Analyzing<F>) {
      typename F::State state;
      const trace::Input aux = analyzing.aux();
      analyze_filter<F>(analyzing, &params, analyzing.input(), with_aux ? &aux : nullptr, Rect{},
                        &state);
      plan.analyzes_aux = Aided<F> && with_aux;
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

/// The row of a filter.
template <Filter F>
class FilterOf final : public FilterEntry {
  static_assert(conditions_are_valid(F::params),
                "a parameter applies by another one that is not there or cannot have that value");

 public:
  /// `pointwise_kind`: the number of a filter of single pixels in PointwiseKinds, if it is there.
  explicit FilterOf(int pointwise_kind = PointwiseStep::none)
      : FilterEntry{typeid(F), F::info, F::params, aux(), output_values_of()},
        pointwise_kind_{pointwise_kind} {}

  std::shared_ptr<void> make_params() const override {
    return std::make_shared<typename F::Params>();
  }
  void prepare([[maybe_unused]] void* params) const override {
    if constexpr (requires(typename F::Params & p) { F::prepare(p); })
      F::prepare(*static_cast<typename F::Params*>(params));
  }
  void check([[maybe_unused]] const void* params) const override {
    if constexpr (requires { F::check(params_of<F>(params)); }) F::check(params_of<F>(params));
  }
  Plan plan(const void* params, bool with_aux) const override {
    return traced_plan<F>(params_of<F>(params), with_aux);
  }

  std::span<const Preset> presets() const override {
    if constexpr (requires { F::presets; })
      return F::presets;
    else
      return {};
  }
  std::string summary([[maybe_unused]] const void* params) const override {
    if constexpr (requires { F::summary(params_of<F>(params)); })
      return F::summary(params_of<F>(params));
    else
      return {};
  }
  std::string summary_of([[maybe_unused]] std::span<const double> output) const override {
    if constexpr (requires { F::summary_of(output); })
      return F::summary_of(output);
    else
      return {};
  }
  const FilterEntry* limit_histogram() const override {
    if constexpr (requires { F::limit_histogram(); })
      return &F::limit_histogram();
    else
      return nullptr;
  }

  bool changes_size() const override { return Resizing<F>; }
  Size resolve_size([[maybe_unused]] const void* params, Size in,
                    [[maybe_unused]] Plan& plan) const override {
    if constexpr (requires { F::reach(params_of<F>(params), in); }) {
      const Halo halo = F::reach(params_of<F>(params), in);
      plan.halo_x = std::min(plan.halo_x, halo.x), plan.halo_y = std::min(plan.halo_y, halo.y);
      if constexpr (requires { F::pictures(params_of<F>(params), in); })
        std::ranges::copy(F::pictures(params_of<F>(params), in),
                          std::back_inserter(plan.temporaries));
      else
        plan.temporaries.push_back({halo});
    }
    if constexpr (requires { F::check_input(params_of<F>(params), in); })
      F::check_input(params_of<F>(params), in);
    if constexpr (Resizing<F>)
      return F::resolve_size(params_of<F>(params), in, plan);
    else
      return CreatesImage<F> ? Size{} : in;
  }
  IndexRange input_rows([[maybe_unused]] const void* params, [[maybe_unused]] Size in,
                        [[maybe_unused]] Size out, IndexRange rows) const override {
    if constexpr (Resizing<F>)
      return F::input_rows(params_of<F>(params), in, out, rows);
    else
      return rows;
  }

  std::shared_ptr<void> make_state() const override {
    if constexpr (Analyzing<F>)
      return std::make_shared<typename F::State>();
    else
      return nullptr;
  }
  bool finish([[maybe_unused]] const void* params, [[maybe_unused]] void* state) const override {
    if constexpr (Analyzing<F>) {
      const auto& p = params_of<F>(params);
      auto& s = state_of<F>(state);
      if constexpr (std::same_as<decltype(F::finish(p, s)), bool>)
        return F::finish(p, s);
      else
        F::finish(p, s);
    }
    return false;
  }

  bool creates_image() const override { return CreatesImage<F>; }
  Size new_image_size([[maybe_unused]] const void* state) const override {
    if constexpr (CreatesImage<F>)
      return F::new_image_size(state_of<F>(state));
    else
      return {};
  }
  const char* next([[maybe_unused]] const void* params) const override {
    if constexpr (requires { F::next(params_of<F>(params)); })
      return F::next(params_of<F>(params));
    else
      return nullptr;
  }

  bool needs_selection() const override {
    return requires { F::needs_selection; };
  }

  bool is_pointwise() const override {
    return PointwiseFilter<F> && pointwise_kind_ != PointwiseStep::none;
  }
  PointwiseStep pointwise_step([[maybe_unused]] const void* params) const override {
    PointwiseStep step;
    if constexpr (PointwiseFilter<F>) {
      const auto function = F::function(params_of<F>(params));
      step.set(pointwise_kind_, function);
      step.of_colors = ColorFunction<std::remove_cvref_t<decltype(function)>>;
    }
    return step;
  }

  bool is_composite() const override { return Composite<F>; }
  std::vector<Job> steps([[maybe_unused]] const void* params) const override {
    if constexpr (Composite<F>)
      return F::steps(params_of<F>(params));
    else
      return {};
  }

 private:
  static constexpr const AuxParam* aux() {
    if constexpr (Aided<F>)
      return &F::aux;
    else
      return nullptr;
  }
  static constexpr std::span<const OutputValue> output_values_of() {
    if constexpr (requires { F::output_values; })
      return F::output_values;
    else
      return {};
  }

  int pointwise_kind_;
};

}  // namespace cuda_filters
