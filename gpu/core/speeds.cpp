// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/speeds.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>
#include <system_error>

#include "gpu/core/i18n.hpp"
#include "gpu/core/system.hpp"

namespace cuda_filters {
namespace {

constexpr std::string_view version_line = "gimp-cuda-filters speeds 2";

/// The 64-bit FNV-1a hash of a text.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

void write_numbers(std::ostream& out, const char* key, const LearnedNumber& number) {
  out << key;
  for (const double seen : number.seen()) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, seen).ptr;
    out << ' ' << std::string_view{text, end};
  }
  out << '\n';
}

/// The rest of a line that begins with `key` and a blank, or nothing.
std::optional<std::string_view> after(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  line.remove_prefix(key.size());
  if (line.empty()) return line;
  return line.front() == ' ' ? std::optional{line.substr(1)} : std::nullopt;
}

/// Reads what write_numbers() wrote. False if it is something else.
bool read_numbers(std::string_view line, const char* key, LearnedNumber& number) {
  auto text = after(line, key);
  if (!text) return false;
  for (std::size_t count = 0; !text->empty(); ++count) {
    double seen = 0.0;
    const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), seen);
    if (problem != std::errc{} || !std::isfinite(seen) || seen <= 0.0) return false;
    if (count == LearnedNumber::max_seen) return false;
    number.learn(seen);
    text->remove_prefix(end - text->data());
    if (text->empty()) break;
    if (text->front() != ' ') return false;
    text->remove_prefix(1);
  }
  return true;
}

/// The speeds that a file holds, or nothing if it is not one of them, or of another processor.
std::optional<Speeds> parse(std::istream& in, const std::string& cpu) {
  std::string line;
  const auto next = [&] { return static_cast<bool>(std::getline(in, line)); };
  Speeds speeds{.cpu = cpu};
  if (!next() || line != version_line) return std::nullopt;
  if (!next() || line != "cpu " + cpu) return std::nullopt;
  if (!next() || !read_numbers(line, "factor", speeds.cpu_factor)) return std::nullopt;
  while (next() && line != "end") {
    if (const auto filter = after(line, "filter")) {
      const std::string name{filter->substr(0, filter->find(' '))};
      LearnedNumber& factor = speeds.filter_factors.try_emplace(name, 1.0).first->second;
      if (!read_numbers(*filter, name.c_str(), factor)) return std::nullopt;
      continue;
    }
    const auto gpu = after(line, "gpu");
    int index = -1;
    if (!gpu) return std::nullopt;
    const char* const last = gpu->data() + gpu->size();
    const auto [end, problem] = std::from_chars(gpu->data(), last, index);
    if (problem != std::errc{} || index < 0 || end == last || *end != ' ') return std::nullopt;
    GpuSpeed speed{.name = std::string{end + 1, last}};
    if (!next() || !read_numbers(line, "start", speed.start)) return std::nullopt;
    if (!next() || !read_numbers(line, "pixel", speed.pixel)) return std::nullopt;
    if (!next() || !read_numbers(line, "gain", speed.gain)) return std::nullopt;
    speeds.gpus.insert_or_assign(index, std::move(speed));
  }
  if (line != "end") return std::nullopt;  // the file was cut off
  return speeds;
}

void write(std::ostream& out, const Speeds& speeds) {
  out << version_line << "\ncpu " << speeds.cpu << '\n';
  write_numbers(out, "factor", speeds.cpu_factor);
  for (const auto& [filter, factor] : speeds.filter_factors)
    write_numbers(out, ("filter " + filter).c_str(), factor);
  for (const auto& [index, gpu] : speeds.gpus) {
    out << "gpu " << index << ' ' << gpu.name << '\n';
    write_numbers(out, "start", gpu.start);
    write_numbers(out, "pixel", gpu.pixel);
    write_numbers(out, "gain", gpu.gain);
  }
  out << "end\n";
}

}  // namespace

double LearnedNumber::value() const {
  std::vector<double> all = seen_;
  all.push_back(assumed_);
  std::ranges::sort(all);
  const std::size_t middle = all.size() / 2;
  const double median =
      all.size() % 2 == 1 ? all[middle] : std::sqrt(all[middle - 1] * all[middle]);
  return std::clamp(median, assumed_ / max_factor, assumed_ * max_factor);
}

bool LearnedNumber::would_learn(double number) const {
  if (!std::isfinite(number) || number <= 0.0) return false;
  constexpr double agrees = 1.25;
  return seen_.size() < max_seen || number > value() * agrees || number < value() / agrees;
}

bool LearnedNumber::learn(double number) {
  if (!would_learn(number)) return false;
  if (seen_.size() == max_seen) seen_.erase(seen_.begin());
  seen_.push_back(number);
  return true;
}

double Speeds::cpu_factor_of(std::string_view filter) const {
  constexpr std::size_t few = 2;
  const auto known = filter_factors.find(filter);
  const bool is_known = known != filter_factors.end() && known->second.seen().size() >= few;
  return (is_known ? known->second : cpu_factor).value();
}

std::filesystem::path speeds_file(const std::string& cpu) {
  const std::filesystem::path folder = cache_folder();
  if (folder.empty()) return {};
  return folder / "gimp-cuda-filters" /
         format_text("speeds-%016llx", static_cast<unsigned long long>(hash_of(cpu)));
}

Speeds load_speeds(const std::filesystem::path& file, const std::string& cpu) {
  std::istringstream in{text_in(file)};
  return parse(in, cpu).value_or(Speeds{.cpu = cpu});
}

bool save_speeds(const std::filesystem::path& file, const Speeds& speeds) {
  if (file.empty()) return false;
  std::error_code problem;
  std::filesystem::create_directories(file.parent_path(), problem);
  // Two processes must not write into one file, and none may be seen that is not complete.
  std::filesystem::path beside = file;
  beside += format_text(".%08x", std::random_device{}());
  std::ofstream out{beside};
  write(out, speeds);
  out.close();
  if (out && replace_file(beside, file)) return true;
  std::filesystem::remove(beside, problem);
  return false;
}

}  // namespace cuda_filters
