// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// What the procedures find that change nothing: plug-in-cuda-statistics and plug-in-cuda-info.
#include "gpu/core/devices.hpp"
#include "gpu/core/i18n.hpp"
#include "plugin/progress.hpp"
#include "plugin/run.hpp"

namespace cuda_filters::plugin {
namespace {

std::string gibibytes(std::size_t bytes) {
  return format_text("%.1f GiB", static_cast<double>(bytes) / (1 << 30));
}

std::string version_text(int version) {
  if (version == 0) return tr(N_("none"));
  return format_text("%d.%d", version / 1000, version % 1000 / 10);
}

}  // namespace

Measured statistics(std::span<const std::unique_ptr<Drawable>> drawables, Host& host) {
  if (drawables.size() != 1)
    throw ArgumentError{
        tr(N_("One layer, mask or channel can be measured at a time. Choose one."))};
  Drawable& drawable = *drawables.front();
  if (drawable.obstacle() != Drawable::Obstacle::locked)
    if (const std::string sentence = obstacle_sentence(drawable); !sentence.empty())
      throw ArgumentError{sentence};
  const Selection selection = drawable.selection();
  if (selection.area.empty())
    throw ArgumentError{format_text(tr(N_("Nothing of '%s' is selected. Select a part of it, or "
                                          "nothing at all, which means all of it.")),
                                    drawable.name().c_str())};
  host.begin_progress(tr(statistics_texts.title));
  const PixelFormat format{drawable.format(), Trc::native};
  const Buffer buffer = drawable.buffer();
  BufferSource source{buffer.get(), format, selection};
  Progress progress{host, 1, tr(statistics_texts.title)};
  const Job job = make_job(measure_entry(), {});
  return measure(source, selection.area, choose_device(job, selection.area.size().pixels()),
                 progress);
}

StatisticsTable statistics_table(const Measured& measured) {
  const std::size_t channels = measured.channels.size();
  constexpr const char *color[] = {N_("Red"), N_("Green"), N_("Blue")}, *gray[] = {N_("Gray")};
  const auto names = channels < 3 ? std::span<const char* const>{gray} : color;
  StatisticsTable table(1);
  table[0].emplace_back();
  for (std::size_t c = 0; c < channels; ++c)
    table[0].emplace_back(tr(c < names.size() ? names[c] : N_("Alpha")));
  for (const auto& [name, label, value] : statistics_results) {
    auto& row = table.emplace_back();
    row.emplace_back(tr(label));
    for (const ChannelMeasures& channel : measured.channels) {
      gchar number[G_ASCII_DTOSTR_BUF_SIZE];
      row.emplace_back(g_ascii_formatd(number, sizeof number, "%.6f", channel.*value));
    }
  }
  table.push_back({tr(count_label), std::to_string(measured.count)});
  return table;
}

std::vector<DescriptionLine> info(const std::vector<std::string>& lost_in_gimp) {
  const DeviceReport devices = describe_devices();
  std::vector<DescriptionLine> lines;
  const auto key_of = [](int gpu) { return format_text("gpu %d", gpu); };
  const auto label_of = [](int gpu) { return format_text("GPU %d", gpu); };
  const auto of_gpu = [&](int gpu, const char* key, const char* label, const std::string& value) {
    lines.push_back({key_of(gpu) + ' ' + key, label_of(gpu) + ", " + label, value});
  };
  for (const GpuDescription& gpu : devices.gpus) {
    lines.push_back({key_of(gpu.index), label_of(gpu.index), gpu.name});
    of_gpu(gpu.index, "compute capability", tr(N_("compute capability")),
           format_text("%d.%d", gpu.compute_major, gpu.compute_minor));
    of_gpu(gpu.index, "memory total", tr(N_("memory")), gibibytes(gpu.memory_total));
    const std::size_t free = free_memory(gpu.index);
    of_gpu(gpu.index, "memory free", tr(N_("free memory")),
           free > 0 ? gibibytes(free) : tr(N_("unknown")));
  }
  for (const GpuDescription& gpu : devices.lost) {
    lines.push_back({key_of(gpu.index), label_of(gpu.index), gpu.name});
    of_gpu(gpu.index, "problem", tr(N_("problem")), gpu.problem);
  }
  if (devices.gpus.empty() && devices.lost.empty()) lines.push_back({"gpu", "GPU", tr(N_("none"))});
  for (const std::string& problem : lost_in_gimp)
    lines.push_back({"inside gimp", tr(N_("Inside GIMP")), problem});
  lines.push_back(
      {"cuda driver", tr(N_("CUDA of the driver")), version_text(devices.driver_version)});
  lines.push_back(
      {"cuda runtime", tr(N_("CUDA of this build")), version_text(devices.runtime_version)});
  lines.push_back({"cpu", tr(N_("Processor")), describe_cpu()});
  for (DescriptionLine& line : describe_estimate()) lines.push_back(std::move(line));
  DescriptionLine used{"device", tr(N_("Device in use")), tr(N_("none"))};
  std::string why;
  try {
    const DeviceChoice choice = choose_device();
    used.value = choice.gpu >= 0 ? key_of(choice.gpu) : "cpu";
    used.shown = choice.gpu >= 0 ? label_of(choice.gpu) : tr(N_("Processor"));
    for (const int other : choice.others) {
      used.value += ", " + key_of(other);
      used.shown += ", " + label_of(other);
    }
    why = choice.reason;
  } catch (const Error& error) {
    why = error.what();
  }
  lines.push_back(std::move(used));
  lines.push_back({"why", tr(N_("Why")), why});
  return lines;
}

std::string info_text(const std::vector<DescriptionLine>& lines) {
  std::string text;
  for (const DescriptionLine& line : lines) {
    if (!text.empty()) text += '\n';
    text += line.key + ": " + line.value;
  }
  return text;
}

}  // namespace cuda_filters::plugin
