// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <typeindex>
#include <unordered_map>

#include "gpu/core/filter.hpp"

// What an executor has of the filters.

namespace cuda_filters {

/// Gives parameters and state the types back that their row forgets.
template <Filter F>
const typename F::Params& params_of(const void* params) {
  return *static_cast<const typename F::Params*>(params);
}
template <Analyzing F>
typename F::State& state_of(void* state) {
  return *static_cast<typename F::State*>(state);
}
template <Analyzing F>
const typename F::State& state_of(const void* state) {
  return *static_cast<const typename F::State*>(state);
}

/// F::apply() once the types of its parameters and its state are forgotten.
template <Filter F, class Exec>
void apply_filter(Exec& exec, const void* params, const typename Exec::Input& in,
                  [[maybe_unused]] const typename Exec::Input* aux,
                  const typename Exec::Output& out, [[maybe_unused]] const void* state) {
  const auto& p = params_of<F>(params);
  if constexpr (PointwiseFilter<F>)
    exec.map(in, out, F::function(p));
  else if constexpr (Composite<F>)
    throw Error{tr(N_("Internal error: a chain has no pixels of its own."))};
  else if constexpr (Analyzing<F>)
    F::apply(exec, p, in, out, state_of<F>(state));
  else if constexpr (Aided<F>)
    F::apply(exec, p, in, aux, out);
  else
    F::apply(exec, p, in, out);
}

/// F::analyze() once the types of its parameters and its state are forgotten.
template <Filter F, class Exec>
void analyze_filter([[maybe_unused]] Exec& exec, [[maybe_unused]] const void* params,
                    [[maybe_unused]] const typename Exec::Input& in,
                    [[maybe_unused]] const typename Exec::Input* aux, [[maybe_unused]] Rect area,
                    [[maybe_unused]] void* state) {
  if constexpr (Analyzing<F> && Aided<F>)
    F::analyze(exec, params_of<F>(params), in, aux, area, state_of<F>(state));
  else if constexpr (Analyzing<F>)
    F::analyze(exec, params_of<F>(params), in, area, state_of<F>(state));
}

/// A filter as it was compiled for an executor: its apply() and its analyze().
template <class Exec, class Input, class Output>
struct FilterInstance {
  void (*apply)(Exec&, const void* params, const Input&, const Input* aux, const Output&,
                const void* state);
  void (*analyze)(Exec&, const void* params, const Input&, const Input* aux, Rect area,
                  void* state);
};

/// All that were compiled for an executor.
template <class Exec, class Input, class Output>
class FilterInstances {
 public:
  using Instance = FilterInstance<Exec, Input, Output>;

  template <Filter F>
  void add() {
    add(typeid(F), {apply_filter<F, Exec>, analyze_filter<F, Exec>});
  }
  void add(const std::type_info& filter, const Instance& instance) {
    instances_.insert_or_assign(filter, instance);
  }
  /// Throws Error if the filter was not compiled for the executor.
  const Instance& of(const FilterEntry& filter) const {
    const auto found = instances_.find(filter.type);
    if (found == instances_.end())
      throw Error{tr(N_("Internal error: this device does not have the filter."))};
    return found->second;
  }

 private:
  std::unordered_map<std::type_index, Instance> instances_;
};

}  // namespace cuda_filters
