// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Times every row of the registry on every device that is here.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <span>

#include "gpu/core/chain.hpp"
#include "gpu/core/devices.hpp"
#include "gpu/core/engine.hpp"
#include "gpu/core/run_chain.hpp"
#include "gpu/cpu/parallel.hpp"
#include "tests/bench/measure.hpp"
#include "tests/reference/reference.hpp"
#include "tests/support/memory.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters {
namespace {

struct Row {
  std::string filter, values, format, device;
  double kernel_ms = 0.0, share_of_copy = 0.0;  ///< 0 of a chain of several passes
  double device_ms = 0.0, both_ways_ms = 0.0, call_ms = 0.0;
  double host_mib = 0.0, device_mib = 0.0;  ///< what a call takes beside its pictures
};

struct Options {
  std::string filter, format = "rgba-f32", picture = "photo", device, json;
  int width = 6000, height = 4000;
  bool ramp = false;                ///< whether filters get a second picture
  int hole = 1000;                  ///< side of the square that is selected where a filter needs it
  bool memory = false;              ///< whole calls only, and their memory
  double cancel = 0.0;              ///< runs that are cancelled after so many seconds only
  std::vector<std::string> values;  ///< NAME=VALUE
};

std::string text_of(const Values& values) {
  std::string text;
  for (const Value& value : values) {
    const std::string* word = std::get_if<std::string>(&value);
    if (!text.empty()) text += ' ';
    if (word == nullptr)
      text += format_text("%g", std::get<double>(value));
    else if (word->size() <= 24)
      text += *word;
    else
      text += format_text("(%zu rows)", 1 + std::ranges::count(*word, ';'));
  }
  return text;
}

/// Integers are sRGB-encoded, floats what every filter wants.
MemoryImage empty_image(int width, int height, Format format) {
  return is_integer(format.type) ? test::srgb_image(width, height, format)
                                 : MemoryImage{width, height, format};
}

/// Smooth parts, edges and grain, none of them black.
MemoryImage photo(int width, int height, Format format) {
  MemoryImage image = empty_image(width, height, format);
  const MemoryImage grain = test::random_image(509, 251, format, true, 3);
  const std::size_t pixel = format.bytes_per_pixel();
  cpu::parallel_for(height, [&](int y) {
    for (int x = 0; x < width; ++x)
      std::memcpy(&image.codes()[y * image.row_bytes() + x * pixel],
                  &grain.codes()[(y / 3 + x / 911) % 251 * grain.row_bytes() +
                                 (x / 2 + y / 7) % 509 * pixel],
                  pixel);
  });
  return image;
}

/// A second picture: gray of 8 bits, from black at the left to white at the right.
Aux ramp(int width, int height) {
  auto image = std::make_shared<MemoryImage>(width, height, test::parse_format("y-u8"));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image->codes()[y * image->row_bytes() + x] =
          static_cast<std::byte>(255.0 * x / std::max(1, width - 1));
  return {.source = image};
}

/// The square in the middle of a picture that is selected.
Rect hole_of(const MemoryImage& image, int side) {
  const int width = std::min(side, image.width()), height = std::min(side, image.height());
  return {(image.width() - width) / 2, (image.height() - height) / 2, width, height};
}
/// What a filter changes of the picture: all, or what it needs a selection for, which is then made.
Rect changed_part(const FilterEntry& filter, const ResolvedJob& job, int hole, MemoryImage& image) {
  image.selection.clear();
  if (!filter.needs_selection()) return {0, 0, job.output.width, job.output.height};
  const Rect selected = hole_of(image, hole);
  image.selection.resize(static_cast<std::size_t>(image.width()) * image.height());
  for (int y = selected.y; y < selected.bottom(); ++y)
    std::fill_n(&image.selection[static_cast<std::size_t>(y) * image.width() + selected.x],
                selected.width, 255);
  return selected;
}

/// The picture whose samples a file holds, row by row.
MemoryImage picture_in(const std::string& path, int width, int height, Format format) {
  MemoryImage image = empty_image(width, height, format);
  std::ifstream file{path, std::ios::binary};
  if (!file.read(reinterpret_cast<char*>(image.codes().data()),
                 static_cast<std::streamsize>(image.codes().size())))
    throw Error{path + " does not hold the whole picture"};
  return image;
}

constexpr double mib = 1024.0 * 1024.0;

/// Kernels are timed on the whole picture, of which the GPU has to hold three.
constexpr std::size_t max_in_one_piece = std::size_t{4} << 30;

/// Times one whole call and notes its memory.
void measure_memory(const ResolvedJob& job, MemoryImage& image, Rect region,
                    const DeviceChoice& device, Row& row) {
  MemoryImage out = image.like(job.output);
  Observer observer;
  test::peak_host_memory();
  if (device.gpu >= 0) bench::peak_device_memory(device.gpu);
  const auto start = std::chrono::steady_clock::now();
  run(job, image, out, region, device, observer);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  row.call_ms = time.count();
  row.host_mib = (test::peak_host_memory() - (image.codes().size() + out.codes().size())) / mib;
  if (device.gpu >= 0)
    row.device_mib = static_cast<double>(bench::peak_device_memory(device.gpu)) / mib;
}

/// Cancels a run some seconds after its start.
class Canceller final : public Observer {
 public:
  explicit Canceller(double seconds) : seconds_{seconds} {}
  bool progress(double) override {
    const Clock::time_point now = Clock::now();
    if (now - last_ > longest_wait) longest_wait = now - last_;
    last_ = now;
    return now - start_ < seconds_;
  }
  /// Since the run was cancelled.
  std::chrono::duration<double, std::milli> elapsed() const { return Clock::now() - last_; }
  /// Between two questions whether to go on.
  std::chrono::duration<double, std::milli> longest_wait{};

 private:
  using Clock = std::chrono::steady_clock;
  std::chrono::duration<double> seconds_;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

/// Cancels one call and prints how soon that had an effect.
void measure_cancellation(const ResolvedJob& job, MemoryImage& image, Rect region,
                          const DeviceChoice& device, double seconds, const Row& row) {
  MemoryImage out = image.like(job.output);
  Canceller canceller{seconds};
  try {
    run(job, image, out, region, device, canceller);
  } catch (const Cancelled&) {
    const double elapsed = canceller.elapsed().count();
    std::printf("%-20s %-34.34s %-9s %-5s %9.0f %9.0f\n", row.filter.c_str(), row.values.c_str(),
                row.format.c_str(), row.device.c_str(), canceller.longest_wait.count(), elapsed);
    std::fflush(stdout);
  }
}

/// The job itself, or what a chain does in its one pass; of a chain of several, only whole calls
/// are timed.
std::optional<ResolvedJob> only_pass(const ResolvedJob& job, MemoryImage& image) {
  if (job.steps.empty()) return job;
  const auto passes = plan_passes(job, image, {0, 0, image.width(), image.height()});
  if (passes.size() != 1) return std::nullopt;
  return passes.front().job;
}

/// Of five calls after one to warm up; of fewer if they take long.
double median_call_ms(const ResolvedJob& job, MemoryImage& in, Rect region,
                      const DeviceChoice& device) {
  constexpr double long_ms = 3000.0;
  MemoryImage out = in.like(job.output);
  Observer observer;
  std::vector<double> times;
  double all_ms = 0.0;
  for (int i = 0; i < 6 && (times.empty() || all_ms < long_ms); ++i) {
    const auto start = std::chrono::steady_clock::now();
    run(job, in, out, region, device, observer);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    all_ms += time.count();
    if (i > 0) times.push_back(time.count());
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

/// A matrix of numbers that look random; `rank_one`: its rows are multiples of each other.
std::string matrix_text(int size, bool rank_one) {
  std::string text;
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) {
      const int weight = rank_one ? (x * 7 % 11 + 1) * (y * 5 % 13 + 1)
                                  : (x * x * 31 + x * y * 17 + y * 7) % 23 - 9;
      text += format_text("%s%d", x > 0 ? "," : y > 0 ? ";" : "", weight);
    }
  return text;
}

/// The parameters that a filter is timed with: sizes in pixels from small to large; for a matrix
/// the kinds that are computed in ways of their own; for other sizes some factors; else, and for
/// new images, what the filter's reference finds telling.
std::vector<Values> parameter_sets(const FilterEntry& filter) {
  std::vector<Values> sets;
  const auto has = [&](Kind kind, Unit unit) {
    return std::ranges::any_of(filter.params,
                               [=](const Param& p) { return p.kind == kind && p.unit == unit; });
  };
  const bool real = has(Kind::real, Unit::pixels);
  if (filter.creates_image()) {
    sets = reference::find(filter.info.name)->examples;
    sets.push_back(initial_values(filter));
  } else if (filter.changes_size()) {
    for (const char* scale : {"scale=0.5", "scale=0.37", "scale=0.1", "scale=2"})
      sets.push_back(parse_values(filter, std::array<std::string, 1>{scale}));
  } else if (real || has(Kind::integer, Unit::pixels)) {
    const std::vector<double> sizes =
        real ? std::vector{1.0, 2.0, 3.0, 5.0, 10.0, 100.0, 1000.0}
             : std::vector{1.0, 2.0, 3.0, 4.0, 10.0, 25.0, 100.0, 200.0};
    for (const double size : sizes) {
      sets.push_back(initial_values(filter));
      for (std::size_t i = 0; i < filter.params.size(); ++i)
        if (filter.params[i].unit == Unit::pixels)
          sets.back()[i] = std::min(size, filter.params[i].range.max);
        else if (std::string_view{filter.params[i].name} == "neighborhood")
          sets.back()[i] = 0.0;  // squares, as peers have them
      if (sets.size() > 1 && sets.back() == sets[sets.size() - 2]) sets.pop_back();
    }
  } else if (std::string_view{filter.info.name} == "convolution-matrix") {
    for (const auto& [size, rank_one] : {std::pair{3, false},
                                         {5, false},
                                         {7, false},
                                         {15, false},
                                         {31, false},
                                         {9, true},
                                         {31, true},
                                         {127, true}})
      sets.push_back(parse_values(
          filter,
          std::array<std::string, 2>{"matrix=" + matrix_text(size, rank_one), "divisor=100"}));
  } else {
    sets = reference::find(filter.info.name)->examples;
  }
  return sets;
}

void print_memory(const Row& row) {
  std::printf("%-20s %-34.34s %-9s %-5s %9.1f %9.0f %9.0f\n", row.filter.c_str(),
              row.values.c_str(), row.format.c_str(), row.device.c_str(), row.call_ms, row.host_mib,
              row.device_mib);
  std::fflush(stdout);
}

void print(const Row& row) {
  std::printf("%-20s %-34.34s %-9s %-5s %9.3f %6.0f%% %9.2f %9.2f %9.1f\n", row.filter.c_str(),
              row.values.c_str(), row.format.c_str(), row.device.c_str(), row.kernel_ms,
              100.0 * row.share_of_copy, row.device_ms,
              row.both_ways_ms > 0.0 ? row.device_ms / row.both_ways_ms : 0.0, row.call_ms);
  std::fflush(stdout);
}

void write_json(const std::string& path, const std::vector<Row>& rows) {
  std::ofstream file{path};
  file << "[";
  for (const Row& row : rows)
    file << (&row == rows.data() ? "\n" : ",\n")
         << format_text(R"( {"filter": "%s", "values": "%s", "format": "%s", "device": "%s", )"
                        R"("kernel_ms": %.4f, "device_ms": %.3f, "both_ways_ms": %.3f, )"
                        R"("call_ms": %.2f})",
                        row.filter.c_str(), row.values.c_str(), row.format.c_str(),
                        row.device.c_str(), row.kernel_ms, row.device_ms, row.both_ways_ms,
                        row.call_ms);
  file << "\n]\n";
}

int bench(const Options& options) {
  const DeviceChoice gpu = options.device == "cpu" ? DeviceChoice{} : choose_device();
  const Format format = test::parse_format(options.format);
  MemoryImage image = options.picture == "photo" ? photo(options.width, options.height, format)
                      : options.picture == "spiral"
                          ? test::spiral_image(options.width, options.height, format, true)
                          : picture_in(options.picture, options.width, options.height, format);
  const double rate = gpu.gpu >= 0 ? bench::copy_rate(gpu.gpu) : 0.0;
  std::printf("%d x %d, %s", options.width, options.height, describe_cpu().c_str());
  if (gpu.gpu >= 0)
    std::printf("; %s, copies %.2f TB/s", describe_devices().gpus.at(gpu.gpu).name.c_str(),
                rate * 1e-12);
  std::printf("\n%-20s %-34s %-9s %-5s ", "filter", "parameters", "format", "on");
  std::puts(options.cancel > 0.0 ? "asked each ms  ended after ms"
            : options.memory     ? "  call ms  host MiB   GPU MiB"
                                 : "kernel ms of copy device ms of copies call ms");
  std::vector<Row> rows;
  for (const FilterEntry& filter : filters()) {
    if (!options.filter.empty() && options.filter != filter.info.name) continue;
    for (const Values& values : options.values.empty()
                                    ? parameter_sets(filter)
                                    : std::vector<Values>{parse_values(filter, options.values)}) {
      std::optional<Aux> aux;
      if (options.ramp && filter.takes_aux()) aux = ramp(options.width, options.height);
      const ResolvedJob job = resolved(make_job(filter, values, aux), image.size());
      if (job.plan.identity) continue;
      const Rect region = changed_part(filter, job, options.hole, image);
      for (const bool on_gpu : {false, true}) {
        if (on_gpu ? gpu.gpu < 0 : options.device != "" && options.device != "cpu") continue;
        Row row{filter.info.name, text_of(values), options.format, on_gpu ? "gpu" : "cpu"};
        if (options.cancel > 0.0) {
          measure_cancellation(job, image, region, on_gpu ? gpu : DeviceChoice{}, options.cancel,
                               row);
          continue;
        }
        if (options.memory) {
          measure_memory(job, image, region, on_gpu ? gpu : DeviceChoice{}, row);
          print_memory(row);
          continue;
        }
        if (on_gpu && !filter.needs_selection()) {
          const auto pass = only_pass(job, image);
          if (pass && !aux && image.codes().size() < max_in_one_piece) {
            const bench::KernelTiming timing = bench::measure_kernels(gpu.gpu, *pass, image, 20);
            row.kernel_ms = timing.median;
            row.share_of_copy = timing.moved_bytes / rate / (row.kernel_ms * 1e-3);
          }
          const bench::DeviceTiming timing = bench::measure_device(gpu, job, image, 7);
          row.device_ms = timing.median;
          row.both_ways_ms = timing.both_ways;
        }
        row.call_ms = median_call_ms(job, image, region, on_gpu ? gpu : DeviceChoice{});
        print(row);
        rows.push_back(row);
      }
    }
  }
  if (!options.json.empty()) write_json(options.json, rows);
  return rows.empty() && !options.memory && options.cancel == 0.0 ? 1 : 0;
}

/// False if the words make no sense.
bool parse_options(std::span<char*> words, Options& options) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i];
    if (name == "--memory" || name == "--ramp") {
      (name == "--memory" ? options.memory : options.ramp) = true;
      continue;
    }
    if (!name.starts_with("--")) {
      options.values.push_back(name);
      continue;
    }
    if (++i == words.size()) return false;
    const char* value = words[i];
    if (name == "--filter")
      options.filter = value;
    else if (name == "--format")
      options.format = value;
    else if (name == "--picture")
      options.picture = value;
    else if (name == "--device")
      options.device = value;
    else if (name == "--json")
      options.json = value;
    else if (name == "--hole")
      options.hole = std::atoi(value);
    else if (name == "--cancel")
      options.cancel = std::atof(value);
    else if (name != "--size" || std::sscanf(value, "%dx%d", &options.width, &options.height) != 2)
      return false;
  }
  return options.values.empty() || !options.filter.empty();
}

int main(int count, char** arguments) {
  Options options;
  if (!parse_options({arguments + 1, arguments + count}, options)) {
    std::fputs(
        "bench [--filter NAME [PARAMETER=VALUE ...]] [--size 6000x4000] [--format rgba-f32]\n"
        "      [--picture photo|spiral|FILE_OF_SAMPLES] [--device cpu|gpu] [--json FILE]\n"
        "      [--ramp]: a second picture from black to white, of a filter that looks at one, "
        "whose\n"
        "      kernels are not timed by themselves\n"
        "      [--hole SIDE]: the square that is selected for a filter that needs a selection, of "
        "which\n"
        "      whole calls are timed alone\n"
        "      [--memory]: whole calls and what they take beside the picture\n"
        "      [--cancel SECONDS]: calls that take longer, cancelled then; how often each asked\n"
        "      whether to go on, at worst, and how soon it ended\n",
        stderr);
    return 2;
  }
  try {
    return bench(options);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

}  // namespace
}  // namespace cuda_filters

int main(int count, char** arguments) { return cuda_filters::main(count, arguments); }
