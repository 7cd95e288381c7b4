// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/band.hpp"

#include <gtest/gtest.h>

#include <random>

namespace cuda_filters {
namespace {

TEST(NeededIndices, AreThoseThatTheBorderNames) {
  EXPECT_EQ(needed_indices({3, 6}, 10, Border::clamp), (IndexRange{3, 6}));
  EXPECT_EQ(needed_indices({-4, 2}, 10, Border::clamp), (IndexRange{0, 2}));
  EXPECT_EQ(needed_indices({-4, 2}, 10, Border::mirror), (IndexRange{0, 4}));
  EXPECT_EQ(needed_indices({-1, 2}, 10, Border::wrap), (IndexRange{0, 10}));
}

TEST(ColumnLookup, PointsIntoTheStoredPart) {
  EXPECT_EQ(column_lookup({-2, 3}, {0, 5}, 5, Border::clamp), (std::vector{0, 0, 0, 1, 2}));
  EXPECT_EQ(column_lookup({2, 7}, {2, 5}, 5, Border::clamp), (std::vector{0, 1, 2, 2, 2}));
  EXPECT_EQ(column_lookup({-1, 2}, {0, 2}, 2, Border::transparent), (std::vector{-1, 0, 1}));
}

/// Loads bands into slots as the engine does, and fills a store that knows which row is where.
class Loader {
 public:
  Loader(int slots, int height, Border border)
      : slots_{slots, height, border}, store_(slots, -1), height_{height}, border_{border} {}

  int load(IndexRange padded) {
    int read = 0;
    for (const auto& run : slots_.load(padded))
      for (int i = 0; i < run.count; ++i, ++read) store_[run.slot + i] = run.row + i;
    expect(padded);
    expect(last_);  // the band before must not have been overwritten
    last_ = padded;
    return read;
  }

 private:
  void expect(IndexRange padded) {
    const auto lookup = slots_.lookup(padded);
    for (int i = 0; i < padded.size(); ++i) {
      const int row = border_index(padded.begin + i, height_, border_);
      EXPECT_EQ(lookup[i] < 0 ? -1 : store_[lookup[i]], row);
    }
  }
  RowSlots slots_;
  std::vector<int> store_;
  int height_;
  Border border_;
  IndexRange last_{0, 0};
};

TEST(RowSlots, ReadsEveryRowOnceUnderClamp) {
  Loader loader{24, 100, Border::clamp};
  int read = 0;
  for (int y = 0; y < 100; y += 8) read += loader.load({y - 4, std::min(y + 8, 100) + 4});
  EXPECT_EQ(read, 100);
}

TEST(RowSlots, FindsRowsUnderEveryBorderAndHalo) {
  for (const int height : {1, 7, 64, 101})
    for (const int halo : {0, 3, 150})
      for (const Border border :
           {Border::clamp, Border::mirror, Border::reflect, Border::wrap, Border::transparent}) {
        Loader loader{std::min(height, 2 * (16 + halo)), height, border};
        for (int y = 0; y < height; y += 16)
          loader.load({y - halo, std::min(y + 16, height) + halo});
      }
}

TEST(RowSlots, HoldTheImageInItsOrderWhereThereIsASlotForEveryRow) {
  for (const Border border : {Border::clamp, Border::wrap}) {
    RowSlots slots{50, 50, border};
    for (int y = 10; y < 50; y += 10) slots.load({y - 3, y + 13});
    EXPECT_FALSE(slots.hold_image());
    slots.load({0, 10});
    EXPECT_TRUE(slots.hold_image());
  }
  RowSlots fewer{49, 50, Border::clamp};
  for (int y = 0; y < 50; y += 10) fewer.load({y, y + 10});
  EXPECT_FALSE(fewer.hold_image());
}

}  // namespace
}  // namespace cuda_filters
