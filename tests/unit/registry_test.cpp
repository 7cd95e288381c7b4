// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// What every row of the registry must keep to, whatever its filter does.
#include <gtest/gtest.h>

#include <cctype>
#include <regex>
#include <set>

#include "gpu/core/chain.hpp"
#include "gpu/core/filter.hpp"

namespace cuda_filters {
namespace {

char mnemonic_of(const char* label) {
  const std::string text = label;
  const auto mark = text.find('_');
  if (mark == std::string::npos || mark + 1 == text.size()) return 0;
  return static_cast<char>(std::toupper(static_cast<unsigned char>(text[mark + 1])));
}

TEST(Registry, HasFiltersUnderTheirNames) {
  ASSERT_FALSE(filters().empty());
  std::string last;
  for (const FilterEntry& filter : filters()) {
    EXPECT_LT(last, filter.info.name);
    last = filter.info.name;
    EXPECT_TRUE(std::regex_match(last, std::regex{"[a-z]+(-[a-z0-9]+)*"})) << last;
    EXPECT_EQ(find_filter(last), &filter);
  }
  EXPECT_EQ(find_filter("no-such-filter"), nullptr);
}

TEST(Registry, TextsAreMadeForTheirPlaces) {
  for (const FilterEntry& filter : filters()) {
    const bool looks_around =
        make_job(filter, initial_values(filter)).plan.analysis == AnalysisScope::surroundings;
    EXPECT_EQ(filter.needs_selection(), looks_around) << filter.info.name;
    const std::string blurb = filter.info.blurb, help = filter.info.help;
    EXPECT_NE(mnemonic_of(filter.info.label), 0) << filter.info.name;
    EXPECT_TRUE(
        std::string{filter.info.label}.ends_with(filter.params.empty() ? " (CUDA)" : " (CUDA)…"));
    EXPECT_FALSE(blurb.empty() || blurb.back() == '.') << filter.info.name;
    EXPECT_EQ(help.back(), '.') << filter.info.name;
    for (const Param& param : filter.params) {
      const std::string tip = param.blurb;
      EXPECT_FALSE(tip.empty() || tip.back() == '.') << filter.info.name << " " << param.name;
    }
  }
}

TEST(Registry, MnemonicsDoNotClash) {
  // OK, Cancel, Reset, Load and Save stand in every dialog of GIMP 3; P opens the preview.
  for (const FilterEntry& filter : filters()) {
    std::set<char> taken{'O', 'C', 'R', 'L', 'S', 'P'};
    for (const Param& param : filter.params)
      EXPECT_TRUE(taken.insert(mnemonic_of(param.label)).second)
          << filter.info.name << ": " << param.label;
  }
}

TEST(Registry, PresetsAreValuesThatDiffer) {
  bool any = false;
  for (const FilterEntry& filter : filters()) {
    std::set<std::string> names;
    std::set<Values> known;
    for (const Preset& preset : filter.presets()) {
      any = true;
      const Values values = preset_values(filter, preset);
      EXPECT_NO_THROW(make_job(filter, values)) << filter.info.name << ": " << preset.name;
      EXPECT_TRUE(names.insert(preset.name).second) << filter.info.name << ": " << preset.name;
      EXPECT_TRUE(known.insert(values).second) << filter.info.name << ": " << preset.name;
    }
  }
  EXPECT_TRUE(any);
}

TEST(Registry, ParametersAreSane) {
  for (const FilterEntry& filter : filters()) {
    std::set<std::string> names{"run-mode", "image", "drawable", "drawables"};
    for (const Param& param : filter.params) {
      EXPECT_TRUE(std::regex_match(param.name, std::regex{"[a-z]+(-[a-z0-9]+)*"})) << param.name;
      EXPECT_TRUE(names.insert(param.name).second) << param.name;
      EXPECT_LE(param.range.min, param.slider.min) << param.name;
      EXPECT_GE(param.range.max, param.slider.max) << param.name;
      EXPECT_EQ(param.kind == Kind::choice, !param.choices.empty()) << param.name;
      EXPECT_TRUE(param.linked_to == nullptr || names.contains(param.linked_to)) << param.name;
    }
    EXPECT_NO_THROW(make_job(filter, initial_values(filter))) << filter.info.name;
  }
}

TEST(Registry, EveryValueOutsideItsRangeIsRefused) {
  for (const FilterEntry& filter : filters())
    for (std::size_t i = 0; i < filter.params.size(); ++i) {
      if (filter.params[i].kind == Kind::text) continue;
      for (const double value :
           {filter.params[i].range.min - 1.0, filter.params[i].range.max + 1.0}) {
        Values values = initial_values(filter);
        values[i] = value;
        EXPECT_THROW(make_job(filter, values), ArgumentError)
            << filter.info.name << " " << filter.params[i].name << " = " << value;
      }
    }
}

}  // namespace
}  // namespace cuda_filters
