// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Applies one filter to a file of raw samples, and tells what filters there are: what the manual is
// made with, and what tests in other languages compare with.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <span>
#include <string>

#include "gpu/core/chain.hpp"
#include "gpu/core/engine.hpp"
#include "plugin/property_name.hpp"
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

/// A string of JSON.
std::string quoted(const char* text) {
  std::string result = "\"";
  for (; *text != '\0'; ++text) {
    if (*text == '"' || *text == '\\') result += '\\';
    if (*text == '\n')
      result += "\\n";
    else
      result += *text;
  }
  return result + '"';
}

const char* word(bool value) { return value ? "true" : "false"; }

const char* category_name(Category category) {
  constexpr const char* names[] = {"blur",   "enhance",  "edges",   "colors", "artistic",
                                   "mattes", "geometry", "combine", "generic"};
  return names[static_cast<int>(category)];
}

const char* unit_name(Unit unit) {
  constexpr const char* names[] = {"", "px", "/255", "°", "", ""};
  return names[static_cast<int>(unit)];
}

/// `write(element)` for each of them, with commas between.
void list(const auto& elements, auto write) {
  std::printf("[");
  const char* separator = "";
  for (const auto& element : elements) {
    std::printf("%s", separator);
    write(element);
    separator = ", ";
  }
  std::printf("]");
}

void list_param(const Param& param) {
  std::printf("\n  {\"name\": \"%s\", \"property\": \"%s\", ", param.name,
              plugin::property_name(param).c_str());
  std::printf("\"label\": %s, \"blurb\": %s, \"linked_to\": \"%s\", ", quoted(param.label).c_str(),
              quoted(param.blurb).c_str(), param.linked_to == nullptr ? "" : param.linked_to);
  std::printf("\"kind\": \"%s\", \"unit\": \"%s\", \"min\": %.17g, \"max\": %.17g, ",
              kind_name(param.kind), unit_name(param.unit), param.range.min, param.range.max);
  if (param.kind == Kind::text)
    std::printf("\"initial\": %s", quoted(param.initial_text).c_str());
  else
    std::printf("\"initial\": %.17g", param.initial);
  std::printf(", \"choices\": ");
  list(param.choices, [](const Choice& choice) { std::printf("\"%s\"", choice.nick); });
  std::printf(", \"choice_labels\": ");
  list(param.choices,
       [](const Choice& choice) { std::printf("%s", quoted(choice.label).c_str()); });
  std::printf("}");
}

void list_filter(const FilterEntry& filter) {
  const FilterInfo& info = filter.info;
  std::printf("\n {\"name\": \"%s\", \"label\": %s, \"title\": %s, \"blurb\": %s, \"help\": %s, ",
              info.name, quoted(info.label).c_str(), quoted(info.title).c_str(),
              quoted(info.blurb).c_str(), quoted(info.help).c_str());
  std::printf(
      "\"category\": \"%s\", \"adds_alpha\": %s, \"takes_aux\": %s, ", category_name(info.category),
      word(make_job(filter, initial_values(filter)).plan.adds_alpha), word(filter.takes_aux()));
  if (filter.takes_aux())
    std::printf("\"aux_label\": %s, \"aux_blurb\": %s, ", quoted(filter.aux_param().label).c_str(),
                quoted(filter.aux_param().blurb).c_str());
  std::printf(
      "\"resizes\": %s, \"creates_image\": %s, \"needs_selection\": %s, \"output_values\": ",
      word(filter.changes_size()), word(filter.creates_image()), word(filter.needs_selection()));
  list(filter.output_values,
       [](const OutputValue& output_value) { std::printf("\"%s\"", output_value.name); });
  std::printf(", \"output_blurbs\": ");
  list(filter.output_values, [](const OutputValue& output_value) {
    std::printf("%s", quoted(output_value.blurb).c_str());
  });
  std::printf(", \"params\": ");
  list(filter.params, list_param);
  std::printf("}");
}

void list_json() {
  list(filters(), list_filter);
  std::printf("\n");
}

/// What surrounds the selection; all of a picture if all is selected.
Rect selected_part(const MemoryImage& image) {
  Rect part;
  for (std::size_t i = 0; i < image.selection.size(); ++i) {
    const int x = static_cast<int>(i % image.width()), y = static_cast<int>(i / image.width());
    if (image.selection[i] > 0) part = part.empty() ? Rect{x, y, 1, 1} : united(part, {x, y, 1, 1});
  }
  return part.empty() ? Rect{0, 0, image.width(), image.height()} : part;
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
  if (filter->needs_selection()) region = selected_part(in);
  if (options.count("--region"))
    std::sscanf(options["--region"].c_str(), "%d,%d,%d,%d", &region.x, &region.y, &region.width,
                &region.height);
  const std::string device = options.count("--device") ? options["--device"] : "cpu";
  Notes notes;
  const Report report =
      run(resolved_job, in, out, region, {device == "cpu" ? -1 : std::stoi(device), ""}, notes);
  if (device != "cpu" && !report.on_gpu) throw Error{"no GPU was used: " + report.fallback};
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
