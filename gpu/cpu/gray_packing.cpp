// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cpu/gray_packing.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "gpu/core/system.hpp"
#include "gpu/cpu/exec.hpp"

namespace cuda_filters::cpu {
namespace {

constexpr int columns = 3;

/// How wide a column is. Filters that sum up blocks, or cells of a coarser grid, find the same ones
/// in each: their widths are powers of four, up to 16, and more only of a Gaussian blur's cells,
/// which are less than an eighteenth of its halo.
int column_width(const Plan& plan, int width) {
  int step = 64;
  while (16 * step < plan.halo_x) step *= 4;
  return ((width + columns - 1) / columns + step - 1) / step * step;
}

/// How much memory a packed band may take, beside the band's own.
constexpr std::size_t max_bytes = std::size_t{256} << 20;

bool is_gray(const Format& format) { return !format.color && !format.alpha; }

}  // namespace

std::byte* Scratch::hold(std::size_t bytes) {
  if (bytes_ < bytes) {
    memory_ = nullptr, bytes_ = 0;
    memory_ = huge_pages(bytes);
    bytes_ = bytes;
  }
  return memory_.get();
}

bool GrayPacking::pays(const Plan& plan, const Encoding& in, const Encoding& out,
                       const Band& band) {
  if (!plan.by_channel || plan.analysis != AnalysisScope::none || !is_gray(in.format) ||
      !is_gray(out.format))
    return false;
  const Lookup& lookup = band.in.lookup;
  // Surroundings without alpha are not those of the other columns.
  const auto absent = [](int index) { return index < 0; };
  if (std::ranges::any_of(lookup.rows, absent) || std::ranges::any_of(lookup.columns, absent))
    return false;
  const int width = column_width(plan, band.out.width), padded = width + 2 * plan.halo_x;
  const auto pixels = [](int wide, int high) { return std::size_t{columns} * wide * high; };
  return padded <= band.out.width / 2 &&
         pixels(padded, lookup.area.height) * bytes_of(in.format.type) +
                 pixels(width, band.out.height) * bytes_of(out.format.type) <=
             max_bytes;
}

GrayPacking::GrayPacking(const Plan& plan, const Encoding& in, const Encoding& out,
                         const RowStore& store, const Band& band, Scratch& scratch)
    : band_{band}, result_bytes_{static_cast<std::size_t>(bytes_of(out.format.type))} {
  const Lookup& lookup = band.in.lookup;
  const int width = column_width(plan, band.out.width);
  const int padded = width + lookup.area.width - band.out.width;

  // One packed row for each slot that the band looks at.
  std::vector<int> row_of_slot(store.slots, -1), image_rows;
  Lookup& packed = packed_.in.lookup;
  for (int i = 0; i < lookup.area.height; ++i) {
    int& row = row_of_slot[lookup.rows[i]];
    if (row < 0) {
      row = static_cast<int>(image_rows.size());
      image_rows.push_back(lookup.area.y + i);
    }
    packed.rows.push_back(row);
  }
  packed.area = {lookup.area.x, lookup.area.y, padded, lookup.area.height};
  packed.columns.resize(padded);
  std::iota(packed.columns.begin(), packed.columns.end(), 0);
  packed.image = {width, lookup.image.height};
  packed_.out = {band.out.x, band.out.y, width, band.out.height};

  const std::size_t sample_bytes = bytes_of(in.format.type);
  store_.slots = static_cast<int>(image_rows.size());
  store_.slot_bytes = columns * padded * sample_bytes;
  const std::size_t stored_bytes = store_.slots * store_.slot_bytes;
  const std::size_t bytes =
      stored_bytes + columns * width * result_bytes_ * static_cast<std::size_t>(band.out.height);
  std::byte* const memory = scratch.hold(bytes);
  store_.rows = memory;
  packed_.result = memory + stored_bytes;

  const Input input{store, lookup, make_codec(in, plan.alpha)};
  parallel_for(store_.slots, [&](int slot) {
    thread_local std::vector<std::byte> row;
    row.resize(((columns - 1) * width + padded) * sample_bytes);
    input.load_codes(lookup.area.x, image_rows[slot], lookup.area.width, row.data());
    const std::size_t column_bytes = width * sample_bytes;
    const std::byte* const from[columns] = {row.data(), row.data() + column_bytes,
                                            row.data() + 2 * column_bytes};
    kernels().interleave(from, sample_bytes, padded, memory + slot * store_.slot_bytes);
  });
}

void GrayPacking::unpack() const {
  const int width = packed_.out.width;
  parallel_for(band_.out.height, [&](int y) {
    thread_local std::vector<std::byte> row;
    const std::size_t column_bytes = width * result_bytes_;
    row.resize(columns * column_bytes);
    std::byte* const to[columns] = {row.data(), row.data() + column_bytes,
                                    row.data() + 2 * column_bytes};
    kernels().deinterleave(packed_.result + y * columns * column_bytes, result_bytes_, width, to);
    const std::size_t row_bytes = band_.out.width * result_bytes_;
    std::memcpy(band_.result + y * row_bytes, row.data(), row_bytes);
  });
}

}  // namespace cuda_filters::cpu
