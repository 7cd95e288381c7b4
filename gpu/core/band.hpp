// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <vector>

#include "gpu/core/border.hpp"
#include "gpu/core/format.hpp"
#include "gpu/core/pixel.hpp"

namespace cuda_filters {

/// Where the pixels of `area`, which may extend beyond the image, lie in a store of rows.
/// The border rule is worked in here, and nowhere else: rows[y - area.y] is the slot of row y, and
/// columns[x - area.x] the position of x in it; -1 is transparent black.
struct Lookup {
  Rect area;
  std::vector<int> rows, columns;
  Size image{};
};

/// The part of [0, size) that [begin, end) of the padded image needs.
IndexRange needed_indices(IndexRange padded, int size, Border border);

/// The columns of Lookup for `padded`, in a store that holds the columns `stored` of the image.
std::vector<int> column_lookup(IndexRange padded, IndexRange stored, int width, Border border);

/// The positions [begin, end) of a row of indices that just count up, from `first`.
struct StraightRun {
  int begin = 0, end = 0, first = 0;
};
/// The longest one: of a lookup's columns, all but the padding.
StraightRun longest_straight_run(const std::vector<int>& indices);

/// Which rows of an image lie in which slot of a store, so that neighboring bands share theirs.
class RowSlots {
 public:
  /// `bands`: how many calls of load() the rows of one stay in their slots, at least.
  RowSlots(int slots, int height, Border border, int bands = 2);
  /// All of `rows` are there, the first one in slot 0.
  RowSlots(IndexRange rows, int height, Border border);

  /// Rows row, row + 1, … in slots slot, slot + 1, …
  struct RowSpan {
    int row, slot, count;
  };
  /// Adds a row to runs, to the last one if it goes on there.
  static void append(std::vector<RowSpan>& runs, int row, int slot);
  /// Makes room for the rows `padded` of the padded image and returns those to be read. All rows
  /// stay while there are free slots, in the order of the image if there is one for each.
  std::vector<RowSpan> load(IndexRange padded);
  /// Lets the next load() replace the rows of those before.
  void release() { loads_ += bands_; }
  /// The rows of Lookup for `padded`, after load().
  std::vector<int> lookup(IndexRange padded) const;
  /// Whether every row of the image is here, row y in slot y.
  bool hold_image() const;

 private:
  int height_;
  Border border_;
  int bands_;
  std::vector<int> row_of_slot_;  // -1: free
  std::vector<int> slot_of_row_;  // -1: not here
  std::vector<int> wanted_;       // by row: the number of the last load() that wanted it
  int loads_;
  int used_ = 0;  // slots from here on are free
};

}  // namespace cuda_filters
