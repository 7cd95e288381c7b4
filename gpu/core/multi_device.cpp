// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "gpu/core/backend.hpp"

namespace cuda_filters {
namespace {

/// Several devices that take turns. Each has a copy of the store, into which it gets the rows that
/// its own bands need.
class MultiBackend final : public Backend {
 public:
  explicit MultiBackend(std::vector<std::unique_ptr<Backend>> devices) {
    for (auto& device : devices) members_.push_back({std::move(device)});
  }

  std::string device() const override {
    std::string names;
    for (const Member& member : members_) {
      const std::string name = member.device->device();
      if (!name.empty()) names += (names.empty() ? "" : ", ") + name;
    }
    return names;
  }
  bool is_gpu() const override {
    return std::ranges::all_of(members_, [](const Member& m) { return m.device->is_gpu(); });
  }
  void wait_until_ready() const override {
    for (const Member& member : members_) member.device->wait_until_ready();
  }
  bool uses_host_memory() const override { return first().uses_host_memory(); }
  int depth() const override {
    if (!shares_) return first().depth();
    int depth = 0;
    for (const Member& member : members_) depth += member.device->depth();
    return depth;
  }
  std::size_t budget() const override {
    std::size_t least = first().budget();
    for (const Member& member : members_) least = std::min(least, member.device->budget());
    return least;
  }
  std::shared_ptr<std::byte[]> host_memory(std::size_t bytes) override {
    return first().host_memory(bytes);
  }
  std::shared_ptr<std::byte[]> memory(std::size_t bytes) override { return first().memory(bytes); }

  void begin(const ResolvedJob& job, const RunPictures& pictures) override {
    shares_ = pictures.in.store.bands_are_apart;
    uploaded_ = processed_ = finished_ = 0;
    in_.begin(pictures.in.store.slots, members_.size());
    aux_.begin(pictures.aux ? pictures.aux->store.slots : 0, members_.size());
    for (Member& member : members_) {
      member.device->begin(job, pictures);
      if (!shares_) break;
    }
  }

  void upload(const Band& band) override {
    in_.load(band.in.fresh);
    aux_.load(band.aux.fresh);
    Band sent = band;
    const std::size_t member = turn(uploaded_);
    sent.in.fresh = in_.missing(member, band.in.lookup.rows);
    sent.aux.fresh = aux_.missing(member, band.aux.lookup.rows);
    members_[member].device->upload(sent);
  }
  void process(const Band& band) override { next(processed_).device->process(band); }
  bool finish(std::chrono::milliseconds patience) override {
    int finished = finished_;
    if (!next(finished).device->finish(patience)) return false;
    finished_ = finished;
    return true;
  }
  void abandon() noexcept override {
    for (const Member& member : members_) member.device->abandon();
  }
  Times times() const override {
    Times all = first().times();
    for (const Member& member : std::span{members_}.subspan(1)) {
      const Times more = member.device->times();
      all.context = std::max(all.context, more.context);
      all.upload += more.upload, all.compute += more.compute, all.download += more.download;
      all.device = std::max(all.device, more.device);
    }
    return all;
  }

 private:
  struct Member {
    std::unique_ptr<Backend> device;
  };

  /// Which rows of a store each member has.
  class Ledger {
   public:
    void begin(int slots, std::size_t members) {
      rows_.assign(slots, {});
      loads_of_members_.assign(members, std::vector<std::int64_t>(slots));
    }
    /// Notes that these slots were filled anew.
    void load(const std::vector<RowSlots::RowSpan>& runs) {
      for (const auto& run : runs)
        for (int i = 0; i < run.count; ++i) rows_[run.slot + i] = {run.row + i, ++loads_};
    }
    /// Those rows in `slots` that the member has not got, and gets now.
    std::vector<RowSlots::RowSpan> missing(std::size_t member, std::vector<int> slots) {
      std::vector<std::int64_t>& loads = loads_of_members_[member];
      std::ranges::sort(slots);
      std::vector<RowSlots::RowSpan> runs;
      for (const int slot : slots) {
        if (slot < 0 || std::exchange(loads[slot], rows_[slot].load) == rows_[slot].load) continue;
        RowSlots::append(runs, rows_[slot].row, slot);
      }
      return runs;
    }

   private:
    struct Row {
      int row = -1;
      std::int64_t load = 0;  ///< the number of the time that it was read
    };
    std::vector<Row> rows_;                                    ///< by slot
    std::vector<std::vector<std::int64_t>> loads_of_members_;  ///< by slot: the one that it has
    std::int64_t loads_ = 0;
  };

  const Backend& first() const { return *members_.front().device; }
  Backend& first() { return *members_.front().device; }

  /// Whose turn it is with the band after `count` others.
  std::size_t turn(int& count) const { return shares_ ? count++ % members_.size() : 0; }
  Member& next(int& count) { return members_[turn(count)]; }

  std::vector<Member> members_;
  bool shares_ = true;
  int uploaded_ = 0, processed_ = 0, finished_ = 0;  ///< bands of this run
  Ledger in_, aux_;
};

}  // namespace

std::unique_ptr<Backend> make_multi_backend(std::vector<std::unique_ptr<Backend>> devices) {
  if (devices.size() == 1) return std::move(devices.front());
  return std::make_unique<MultiBackend>(std::move(devices));
}

}  // namespace cuda_filters
