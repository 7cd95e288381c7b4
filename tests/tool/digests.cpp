// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Prints a digest of the result of every filter, or of those named, for the parameters of its
// reference, every border, every format and two sizes: two builds whose lists are the same give the
// same bits.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <set>
#include <string>

#include "gpu/core/engine.hpp"
#include "tests/support/example.hpp"

namespace cuda_filters {
namespace {

/// FNV-1a, of 64 bits.
std::uint64_t digest_of(const std::vector<std::byte>& bytes) {
  std::uint64_t digest = 0xcbf29ce484222325;
  for (const std::byte byte : bytes) digest = (digest ^ std::uint64_t(byte)) * 0x100000001b3;
  return digest;
}

/// The examples and the initial values, each with every border if the filter has any.
std::vector<Values> parameter_sets(const FilterEntry& filter) {
  std::vector<Values> sets = reference::find(filter.info.name)->examples;
  sets.push_back(initial_values(filter));
  for (std::size_t k = 0; k < filter.params.size(); ++k) {
    if (std::string_view{filter.params[k].name} != "border") continue;
    const std::vector<Values> given = std::move(sets);
    sets.clear();
    for (Values values : given)
      for (double border = 0; border <= filter.params[k].range.max; ++border) {
        values[k] = border;
        sets.push_back(values);
      }
  }
  return sets;
}

void print_digests(const FilterEntry& filter, const Values& values, int set, Size size, int gpu) {
  for (const Format& format : test::all_formats()) {
    const bool srgb = format.type == SampleType::u8;
    MemoryImage in = test::example_image(filter, size.width, size.height, format, srgb, 17);
    std::string result;
    try {
      const ResolvedJob job = resolved(make_job(filter, values), in.size());
      MemoryImage out = job.output == in.size() ? in : in.like(job.output);
      Observer observer;
      const Report report =
          run(job, in, out, {0, 0, out.width(), out.height()}, {gpu, ""}, observer);
      if (report.on_gpu != (gpu >= 0)) throw Error{"not on that device: " + report.fallback};
      char text[20];
      std::snprintf(text, sizeof text, "%016llx",
                    static_cast<unsigned long long>(digest_of(out.codes())));
      result = text;
    } catch (const Error& error) {
      result = error.what();
    }
    std::printf("%s %d %s %dx%d %s\n", filter.info.name, set, test::name_of(format).c_str(),
                size.width, size.height, result.c_str());
  }
}

}  // namespace
}  // namespace cuda_filters

int main(int count, char** arguments) {
  using namespace cuda_filters;
  if (count < 2) {
    std::cerr << "digests cpu|GPU [FILTER...]\n";
    return 2;
  }
  const std::set<std::string> names(arguments + 2, arguments + count);
  const std::string device = arguments[1];
  const int gpu = device == "cpu" ? -1 : std::stoi(device);
  for (const FilterEntry& filter : filters()) {
    if (!names.empty() && !names.contains(filter.info.name)) continue;
    int set = 0;
    for (const Values& values : parameter_sets(filter)) {
      for (const Size size : {Size{67, 53}, Size{211, 331}})
        print_digests(filter, values, set, size, gpu);
      ++set;
    }
  }
}
