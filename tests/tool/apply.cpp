// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Applies one filter to a file of raw samples: what tests in other languages compare with.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <span>
#include <string>

#include "gpu/core/chain.hpp"
#include "gpu/core/engine.hpp"
#include "tests/support/color.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

constexpr const char* usage =
    "apply FILTER --width W --height H --format (y|ya|rgb|rgba)-(u8|u16|f16|f32)\n"
    "      [--encoding linear|srgb] [--region X,Y,W,H] [--mask FILE] [--device cpu|N] IN OUT\n"
    "      [NAME=VALUE ...]\n"
    "      Prints the width and the height of the result, and what the filter found. Without\n"
    "      --encoding, 8 bits are sRGB, 16 bits linear, and floats what the filter wants.\n"
    "apply --list [--json]\n";

const char* kind_name(Kind kind) {
  constexpr const char* names[] = {"real", "integer", "toggle", "choice", "text"};
  return names[static_cast<int>(kind)];
}

void list_json() {
  std::printf("[");
  for (const FilterEntry& filter : filters()) {
    const bool adds_alpha = make_job(filter, initial_values(filter)).plan.adds_alpha;
    std::printf("%s\n {\"name\": \"%s\", \"title\": \"%s\", ",
                &filter == &filters().front().get() ? "" : ",", filter.info.name,
                filter.info.title);
    std::printf("\"adds_alpha\": %s, ", adds_alpha ? "true" : "false");
    std::printf("\"takes_aux\": %s, ", filter.takes_aux() ? "true" : "false");
    std::printf("\"resizes\": %s, \"creates_image\": %s, \"output_values\": [",
                filter.changes_size() ? "true" : "false",
                filter.creates_image() ? "true" : "false");
    for (const OutputValue& output_value : filter.output_values)
      std::printf("%s\"%s\"", &output_value == filter.output_values.data() ? "" : ", ",
                  output_value.name);
    std::printf("], \"params\": [");
    for (const Param& param : filter.params) {
      std::printf("%s\n  {\"name\": \"%s\", \"label\": \"%s\", \"linked_to\": \"%s\", ",
                  &param == filter.params.data() ? "" : ",", param.name, param.label,
                  param.linked_to == nullptr ? "" : param.linked_to);
      std::printf("\"kind\": \"%s\", \"min\": %.17g, \"max\": %.17g, ", kind_name(param.kind),
                  param.range.min, param.range.max);
      if (param.kind == Kind::text)
        std::printf("\"initial\": \"%s\"", param.initial_text);
      else
        std::printf("\"initial\": %.17g", param.initial);
      std::printf(", \"choices\": [");
      for (const Choice& choice : param.choices)
        std::printf("%s\"%s\"", &choice == param.choices.data() ? "" : ", ", choice.nick);
      std::printf("]}");
    }
    std::printf("]}");
  }
  std::printf("\n]\n");
}

class Notes final : public Observer {
  void note(const std::string& sentence) override { std::cerr << sentence << '\n'; }
};

int apply_to_files(std::map<std::string, std::string> options,
                   const std::vector<std::string>& words) {
  const FilterEntry* filter = find_filter(words.at(0));
  if (filter == nullptr) throw ArgumentError{"no such filter: " + words[0]};
  const Job job = make_job(*filter, parse_values(*filter, std::span{words}.subspan(3)));
  const Format format = test::parse_format(options.at("--format"));
  const int width = std::stoi(options.at("--width")), height = std::stoi(options.at("--height"));
  const bool given = options.count("--encoding") > 0;
  const bool srgb = given ? options["--encoding"] == "srgb" : format.type == SampleType::u8;
  MemoryImage in = given || is_integer(format.type) ? test::empty_image(width, height, format, srgb)
                                                    : MemoryImage{width, height, format};
  std::ifstream file{words.at(1), std::ios::binary};
  if (!file.read(reinterpret_cast<char*>(in.codes().data()),
                 static_cast<std::streamsize>(in.codes().size())))
    throw Error{words[1] + " is shorter than the image"};
  if (options.count("--mask")) {
    in.selection.resize(static_cast<std::size_t>(width) * height);
    std::ifstream{options["--mask"], std::ios::binary}.read(
        reinterpret_cast<char*>(in.selection.data()),
        static_cast<std::streamsize>(in.selection.size()));
  }
  const ResolvedJob resolved_job = resolved(job, in.size());
  MemoryImage out = resolved_job.output == in.size() ? in : in.like(resolved_job.output);
  Rect region{0, 0, out.width(), out.height()};
  if (options.count("--region"))
    std::sscanf(options["--region"].c_str(), "%d,%d,%d,%d", &region.x, &region.y, &region.width,
                &region.height);
  const std::string device = options.count("--device") ? options["--device"] : "cpu";
  Notes notes;
  const Report report =
      run(resolved_job, in, out, region, {device == "cpu" ? -1 : std::stoi(device), ""}, notes);
  std::ofstream{words.at(2), std::ios::binary}.write(
      reinterpret_cast<const char*>(out.codes().data()),
      static_cast<std::streamsize>(out.codes().size()));
  std::printf("%d %d\n", out.width(), out.height());
  for (std::size_t i = 0; i < report.output_values.size(); ++i)
    std::printf("%s %.17g\n", filter->output_values[i].name, report.output_values[i]);
  return 0;
}

int main(int count, char** arguments) {
  std::map<std::string, std::string> options;
  std::vector<std::string> words;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (word == "--list" || word == "--json")
      options[word] = "yes";
    else if (word.starts_with("--") && i + 1 < count)
      options[word] = arguments[++i];
    else
      words.push_back(word);
  }
  if (options.count("--list")) {
    if (options.count("--json"))
      list_json();
    else
      for (const FilterEntry& filter : filters()) std::puts(filter.info.name);
    return 0;
  }
  if (words.size() < 3) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    return apply_to_files(options, words);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

}  // namespace
}  // namespace cuda_filters

int main(int count, char** arguments) { return cuda_filters::main(count, arguments); }
