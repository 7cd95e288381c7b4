// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/algorithms/heal/completion.hpp"
#include "gpu/algorithms/heal/heal_selection.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

using heal::Code;

/// Takes steps on all cores.
class StepRunner {
 public:
  template <class T>
  class Array {
   public:
    Array() = default;
    explicit Array(std::size_t count) : values_{std::make_unique_for_overwrite<T[]>(count)} {}
    T* data() const { return values_.get(); }

   private:
    std::unique_ptr<T[]> values_;
  };

  template <class T>
  Array<T> array(std::size_t count) {
    return Array<T>{count};
  }
  template <class T>
  Array<T> upload(const std::vector<T>& values) {
    Array<T> copy{values.size()};
    std::ranges::copy(values, copy.data());
    return copy;
  }
  template <class F>
  void for_each(int count, const F& f) {
    for_parts(count, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) f(i);
    });
  }
  template <class F>
  void best_of(int count, int tries, const F& f) {
    for_each(count, [&](int i) {
      auto best = f.begin(i);
      for (int k = 0; k < tries; ++k) f.attempt(best, i, k);
      f.end(best);
    });
  }
  template <class F>
  std::uint32_t count_if(int count, const F& f) {
    std::atomic<std::uint32_t> all{0};
    for_parts(count, [&](int begin, int end) {
      std::uint32_t sum = 0;
      for (int i = begin; i < end; ++i) sum += f(i) ? 1 : 0;
      all += sum;
    });
    return all;
  }

 private:
  template <class F>
  static void for_parts(int count, F f) {
    constexpr int part = 256;
    if (count <= part) return f(0, count);
    parallel_for((count - 1) / part + 1,
                 [&](int i) { f(i * part, std::min(count - i * part, part) + i * part); });
  }
};

/// What heal::Surroundings has of this executor.
struct CollectedArea {
  explicit CollectedArea(Rect its_area)
      : area{its_area},
        pixels(std::make_unique_for_overwrite<Pixel[]>(count())),
        codes{count() + heal::codes_beyond},
        roles(count()) {}

  std::size_t count() const { return static_cast<std::size_t>(area.width) * area.height; }
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y - area.y) * area.width + (x - area.x);
  }

  Rect area;
  std::unique_ptr<Pixel[]> pixels;
  StepRunner::Array<Code> codes;
  std::vector<std::uint8_t> roles;
  StepRunner runner{};
  std::unique_ptr<heal::Completion<StepRunner>> completion{};
};

void collect_row(const Input& in, const Input* aux, Rect area, int y, CollectedArea& to) {
  thread_local RowBuffer buffer, aux_buffer;
  const Pixel* const pixels = in.row(area.x, y, area.width, buffer);
  const Pixel* const from = aux != nullptr ? aux->row(area.x, y, area.width, aux_buffer) : nullptr;
  const std::uint8_t* const selected = in.selected(area.x, y);
  const std::size_t first = to.index(area.x, y);
  for (int x = 0; x < area.width; ++x) {
    const bool allowed = from == nullptr || heal::may_be_taken(from[x]);
    const heal::Collected pixel =
        heal::collected(pixels[x], selected != nullptr ? selected[x] : 255, allowed);
    to.pixels[first + x] = pixels[x];
    to.roles[first + x] = pixel.role;
    to.codes.data()[first + x] = pixel.code;
  }
}

}  // namespace

void collect_surroundings(Exec& exec, const Input& in, const Input* aux, Rect area,
                          const heal::HealSettings& settings, heal::Surroundings& surroundings) {
  const Rect all = exec.analysis_area();
  if (surroundings.of_executor == nullptr) {
    heal::check_size(all.size());
    surroundings.of_executor = std::make_shared<CollectedArea>(all);
  }
  auto& to = *static_cast<CollectedArea*>(surroundings.of_executor.get());
  parallel_for(area.height, [&](int row) { collect_row(in, aux, area, area.y + row, to); });
  if (area.bottom() < all.bottom()) return;
  const std::vector<heal::Level> levels = heal::levels_of(all.size(), to.roles, settings);
  to.completion = std::make_unique<heal::Completion<StepRunner>>(to.runner, settings);
  to.completion->run(to.runner, levels, std::move(to.codes));
}

void heal_selection(Exec&, const Input& in, const Output& out, const heal::HealSettings&,
                    const heal::Surroundings& surroundings) {
  const auto& from = *static_cast<const CollectedArea*>(surroundings.of_executor.get());
  const heal::LastVote vote = from.completion->last_vote(from.pixels.get());
  const Rect area = out.area();
  parallel_for(area.height, [&](int row) {
    thread_local RowBuffer buffer;
    const int y = area.y + row;
    buffer.resize(area.width);
    in.load(area.x, y, area.width, buffer.floats());
    const std::size_t first = from.index(area.x, y);
    for (int x = 0; x < area.width; ++x)
      if (from.roles[first + x] == heal::hole)
        buffer.pixels()[x] = vote(area.x + x - from.area.x, y - from.area.y);
    out.store(area.x, y, area.width, buffer.floats());
  });
}

}  // namespace cuda_filters::cpu
