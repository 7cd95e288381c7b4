// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdint>
#include <random>
#include <string>

#include "gpu/core/image.hpp"
#include "tests/reference/reference.hpp"
#include "tests/support/color.hpp"

namespace cuda_filters::test {

std::string name_of(const Format& format);
/// The format of that name. Throws ArgumentError.
Format parse_format(const std::string& name);
/// Every sample type with every set of channels.
std::vector<Format> all_formats();

/// One stored sample as a number: 0 … 1 for integers.
double load_sample(const MemoryImage& image, std::size_t index);
void store_sample(MemoryImage& image, std::size_t index, double value);

/// An empty image whose integer codes are sRGB-encoded or linear.
MemoryImage empty_image(int width, int height, Format format, bool srgb);
/// A picture with flat parts, ramps and noise, and with alpha from nothing to all; floats go below
/// 0 and above 1.
MemoryImage random_image(int width, int height, Format format, bool srgb, unsigned seed);

/// A dark line of one pixel on black that winds from the first corner to the middle and meets
/// itself nowhere; `bright_end`: its first pixels are brighter.
MemoryImage spiral_image(int width, int height, Format format, bool bright_end);

/// The largest difference between two images of the same format: in codes of integers, else
/// relative to values above 1. `divided`: alpha has divided the colors, whose rounding errors are
/// as many times larger as it is smaller; below a hundredth they do not count.
double worst_difference(const MemoryImage& got, const MemoryImage& wanted, bool divided);
/// How much a GPU's result may differ from the CPU's.
double allowed_difference(SampleType type);

reference::Picture picture_of(const MemoryImage& image, bool srgb);

}  // namespace cuda_filters::test
