// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/band.hpp"

#include <algorithm>

#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters {

IndexRange needed_indices(IndexRange padded, int size, Border border) {
  IndexRange needed{size, 0};
  for (int i = padded.begin; i < padded.end; ++i) {
    const int index = border_index(i, size, border);
    if (index < 0) continue;
    needed = {std::min(needed.begin, index), std::max(needed.end, index + 1)};
  }
  return needed;
}

std::vector<int> column_lookup(IndexRange padded, IndexRange stored, int width, Border border) {
  std::vector<int> columns(padded.size());
  for (int i = 0; i < padded.size(); ++i) {
    const int column = border_index(padded.begin + i, width, border);
    columns[i] = column < 0 ? -1 : column - stored.begin;
  }
  return columns;
}

StraightRun longest_straight_run(const std::vector<int>& indices) {
  StraightRun longest;
  const int size = static_cast<int>(indices.size());
  for (int begin = 0; begin < size;) {
    int end = begin + 1;
    while (end < size && indices[begin] >= 0 && indices[end] == indices[begin] + end - begin) ++end;
    if (indices[begin] >= 0 && end - begin > longest.end - longest.begin)
      longest = {begin, end, indices[begin]};
    begin = end;
  }
  return longest;
}

RowSlots::RowSlots(int slots, int height, Border border, int bands)
    : height_{height},
      border_{border},
      bands_{bands},
      row_of_slot_(slots, -1),
      slot_of_row_(height, -1),
      wanted_(height, 0),
      loads_{bands} {}

RowSlots::RowSlots(IndexRange rows, int height, Border border)
    : RowSlots{rows.size(), height, border} {
  for (int row = rows.begin; row < rows.end; ++row) {
    row_of_slot_[row - rows.begin] = row;
    slot_of_row_[row] = row - rows.begin;
  }
}

void RowSlots::append(std::vector<RowSpan>& runs, int row, int slot) {
  if (!runs.empty() && runs.back().row + runs.back().count == row &&
      runs.back().slot + runs.back().count == slot)
    ++runs.back().count;
  else
    runs.push_back({row, slot, 1});
}

std::vector<RowSlots::RowSpan> RowSlots::load(IndexRange padded) {
  ++loads_;
  std::vector<int> missing;
  for (int i = padded.begin; i < padded.end; ++i) {
    const int row = border_index(i, height_, border_);
    if (row < 0 || wanted_[row] == loads_) continue;
    wanted_[row] = loads_;
    if (slot_of_row_[row] < 0) missing.push_back(row);
  }
  std::ranges::sort(missing);

  std::vector<RowSpan> runs;
  // Slots that were never used first, as long as there are enough: what fits is read once.
  const int count = static_cast<int>(row_of_slot_.size());
  int slot = static_cast<int>(missing.size()) <= count - used_ ? used_ : 0;
  const bool in_order = count >= height_;
  for (const int row : missing) {
    if (in_order) slot = row;
    const auto in_use = [&](int s) {
      return row_of_slot_[s] >= 0 && wanted_[row_of_slot_[s]] > loads_ - bands_;
    };
    while (slot < count && in_use(slot)) ++slot;
    if (slot == count) throw Error{tr(N_("Internal error: a band has more rows than its store."))};
    if (row_of_slot_[slot] >= 0) slot_of_row_[row_of_slot_[slot]] = -1;
    row_of_slot_[slot] = row;
    used_ = std::max(used_, slot + 1);
    slot_of_row_[row] = slot;
    append(runs, row, slot);
  }
  return runs;
}

std::vector<int> RowSlots::lookup(IndexRange padded) const {
  std::vector<int> slots(padded.size());
  for (int i = 0; i < padded.size(); ++i) {
    const int row = border_index(padded.begin + i, height_, border_);
    slots[i] = row < 0 ? -1 : slot_of_row_[row];
  }
  return slots;
}

bool RowSlots::hold_image() const {
  for (int row = 0; row < height_; ++row)
    if (slot_of_row_[row] != row) return false;
  return true;
}

}  // namespace cuda_filters
