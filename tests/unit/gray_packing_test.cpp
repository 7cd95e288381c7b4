// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cpu/gray_packing.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "gpu/core/filter.hpp"
#include "tests/reference/reference.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

MemoryImage run_on_cpu(const Job& job, MemoryImage image, Rect region, bool cramped) {
  auto backend = make_cpu_backend();
  if (cramped) backend = std::make_unique<test::Cramped>(std::move(backend));
  MemoryImage out = image;
  Observer observer;
  run_on(std::move(backend), nullptr, job, image, out, region, observer);
  return out;
}

/// The picture in three channels.
MemoryImage in_colors(const MemoryImage& gray, Format format, bool srgb) {
  format.color = true;
  MemoryImage image = test::empty_image(gray.width(), gray.height(), format, srgb);
  const std::size_t count = std::size_t(gray.width()) * gray.height();
  for (std::size_t i = 0; i < 3 * count; ++i)
    test::store_sample(image, i, test::load_sample(gray, i / 3));
  return image;
}

/// A band that is all of an image.
Band whole(const Plan& plan, Size size) {
  const Rect all{0, 0, size.width, size.height}, padded = all.grown(plan.halo_x, plan.halo_y);
  Band band{};
  band.out = all;
  band.in.lookup = {
      padded,
      column_lookup({padded.y, padded.bottom()}, {0, size.height}, size.height, plan.border),
      column_lookup({padded.x, padded.right()}, {0, size.width}, size.width, plan.border), size};
  return band;
}

bool packs(const Job& job, Size size, Format format) {
  const Plan plan = resolved(job, size).plan;
  return cpu::GrayPacking::pays(plan, {format, {}}, {format, {}}, whole(plan, size));
}

/// A gray picture and one that has it three times are filtered to the same bits, though columns of
/// the first were the channels of another picture meanwhile.
void expect_same_bits(const Job& job, const MemoryImage& gray, Format format, bool srgb) {
  const MemoryImage colors = in_colors(gray, format, srgb);
  const auto [width, height] = gray.size();
  for (const Rect region :
       {Rect{0, 0, width, height}, Rect{37, height / 4, width - 50, height - height / 2}})
    for (const bool cramped : {false, true}) {
      const MemoryImage got = run_on_cpu(job, gray, region, cramped);
      const MemoryImage wanted = run_on_cpu(job, colors, region, cramped);
      EXPECT_EQ(in_colors(got, format, srgb).codes(), wanted.codes())
          << job.filter->info.name << " " << test::name_of(format);
    }
}

TEST(GrayPacking, ChangesNoBit) {
  unsigned seed = 0;
  int packed = 0;
  for (const FilterEntry& filter : filters()) {
    const reference::Reference* const reference = reference::find(filter.info.name);
    for (const Values& values : reference->examples) {
      const Job job = make_job(filter, values);
      if (!job.plan.by_channel || job.plan.identity) continue;
      for (const SampleType type :
           {SampleType::u8, SampleType::u16, SampleType::f16, SampleType::f32}) {
        const Format format{type, false, false};
        const bool srgb = seed % 2 == 0;
        const int width = 3201 + static_cast<int>(seed % 7);
        MemoryImage wide = test::random_image(width, 19, format, srgb, ++seed);
        if (!is_integer(type)) {
          test::store_sample(wide, 5000, std::numeric_limits<double>::quiet_NaN());
          test::store_sample(wide, 9000, std::numeric_limits<double>::infinity());
        }
        packed += packs(job, wide.size(), format);
        expect_same_bits(job, wide, format, srgb);
        if (type == SampleType::u16 && packs(job, {640, 401}, format))  // in several bands
          expect_same_bits(job, test::random_image(640, 401, format, srgb, ++seed), format, srgb);
      }
    }
  }
  EXPECT_GT(packed, 50);
}

TEST(GrayPacking, KeepsTheCoarseGridsOfAWideBlur) {
  const Values values{600.0, 0.0, 0.0};
  const Job job = make_job(*find_filter("gaussian-blur"), values);
  const Format gray{SampleType::f32, false, false};
  EXPECT_TRUE(packs(job, {90001, 3}, gray));
  expect_same_bits(job, test::random_image(90001, 3, gray, false, 1), gray, false);
}

TEST(GrayPacking, IsForWideGrayPicturesOfFiltersThatTakeChannelsAlike) {
  int found = 0;
  for (const FilterEntry& filter : filters()) {
    const Job job = make_job(filter, initial_values(filter));
    if (!filter.keeps_size()) continue;
    const auto pays = [&](Size size, Format format, Border border) {
      Job bordered = job;
      bordered.plan.border = border;
      return packs(bordered, size, format);
    };
    const Format gray{SampleType::u8, false, false}, color{SampleType::u8, true, false},
        alpha{SampleType::u8, false, true};
    EXPECT_EQ(pays({1200, 20}, gray, Border::clamp), job.plan.by_channel) << filter.info.name;
    EXPECT_FALSE(pays({1200, 20}, color, Border::clamp));
    EXPECT_FALSE(pays({1200, 20}, alpha, Border::clamp));
    EXPECT_FALSE(pays({64, 400}, gray, Border::clamp));
    EXPECT_FALSE(pays({65536, 8192}, gray, Border::clamp)) << "so much memory";
    EXPECT_FALSE(pays({1200, 20}, gray, Border::transparent) && job.plan.halo_x > 0);
    found += job.plan.by_channel;
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace cuda_filters
