// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/pixel_format.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace cuda_filters::plugin {
namespace {

/// A babl encoding such as "R'G'B'A u8", taken apart.
struct FormatParts {
  std::string model, type;
  bool color, alpha;
  Trc trc;  // native: perceptual by the sRGB curve, whatever the space
};

FormatParts parts_of(const Babl* format) {
  const std::string encoding = babl_format_get_encoding(format);
  const auto blank = encoding.rfind(' ');
  FormatParts parts;
  parts.model = encoding.substr(0, blank);
  parts.type = encoding.substr(blank + 1);
  parts.color = parts.model.front() != 'Y';
  parts.alpha = parts.model.back() == 'A';
  parts.trc = parts.model.find('~') != std::string::npos    ? Trc::native
              : parts.model.find('\'') != std::string::npos ? Trc::perceptual
                                                            : Trc::linear;
  return parts;
}

std::string model_for(const FormatParts& parts, Trc trc) {
  if (trc == Trc::native) return parts.model;
  const bool linear = trc == Trc::linear;
  if (parts.color) return std::string{linear ? "RGB" : "R'G'B'"} + (parts.alpha ? "A" : "");
  return std::string{linear ? "Y" : "Y'"} + (parts.alpha ? "A" : "");
}

const Babl* float_format(const Babl* format, const std::string& model) {
  return babl_format_with_space((model + " float").c_str(), format);
}

/// The working values of encoded values, one row of floats a color.
std::vector<std::vector<float>> converted(const Babl* from, const Babl* to,
                                          const FormatParts& parts,
                                          const std::vector<float>& encoded) {
  const int colors = parts.color ? 3 : 1, channels = colors + (parts.alpha ? 1 : 0);
  const std::size_t count = encoded.size();
  std::vector<float> pixels(count * channels, 1.0f), results(count * channels);
  for (std::size_t i = 0; i < count; ++i)
    for (int c = 0; c < colors; ++c) pixels[i * channels + c] = encoded[i];
  babl_process(babl_fish(from, to), pixels.data(), results.data(), static_cast<long>(count));
  std::vector<std::vector<float>> values(colors, std::vector<float>(count));
  for (std::size_t i = 0; i < count; ++i)
    for (int c = 0; c < colors; ++c) values[c][i] = results[i * channels + c];
  return values;
}

/// Fills in the curves of an integer format. Where a formula describes the conversion, its values
/// are taken: which of several conversions babl uses, each with errors of its own, depends on how
/// long they took when a process tried them, and two processes would not give the same bits.
void add_curves(Encoding& encoding, const Babl* format, const FormatParts& parts, Trc trc,
                const std::optional<Transfer>& formula) {
  const SampleType type = encoding.format.type;
  if (formula) {
    const auto curve = std::make_shared<Curve>(
        type, [&](double code) { return static_cast<float>(value_of(*formula, code)); });
    curve->follow(*formula);
    std::fill_n(encoding.curves, 3, curve);
    return;
  }
  const int codes = code_count(type);
  const float top = static_cast<float>(codes - 1);
  std::vector<float> at_codes(codes), between(codes - 1);
  for (int i = 0; i < codes; ++i) at_codes[i] = static_cast<float>(i) / top;
  for (int i = 0; i < codes - 1; ++i) between[i] = (static_cast<float>(i) + 0.5f) / top;
  const Babl* from = float_format(format, parts.model);
  const Babl* to = float_format(format, model_for(parts, trc));
  const auto values = converted(from, to, parts, at_codes);
  const auto thresholds = converted(from, to, parts, between);
  for (std::size_t c = 0; c < 3; ++c) {
    const bool alike = c > 0 && (c >= values.size() || values[c] == values[0]);
    encoding.curves[c] =
        alike ? encoding.curves[0] : std::make_shared<Curve>(values[c], thresholds[c]);
  }
}

/// The formula that babl's conversion of floats from `from` to `to` follows, if there is one.
std::optional<Transfer> transfer_between(const Babl* from, const Babl* to,
                                         const FormatParts& parts) {
  const std::vector<float> samples{-0.5f, -0.01f, 0.0f,  0.001f, 0.003f, 0.01f, 0.03f,
                                   0.05f, 0.1f,   0.25f, 0.5f,   0.75f,  1.0f,  2.0f};
  const auto values = converted(from, to, parts, samples);
  using Kind = Transfer::Kind;
  std::vector<Transfer> candidates{{Kind::none}, {Kind::srgb_to_linear}, {Kind::linear_to_srgb}};
  // Profiles give gammas as decimals or in 256ths; babl's conversions only come near them.
  const double exponent = std::log(values[0][10]) / std::log(samples[10]);
  for (const double steps : {1000.0, 256.0}) {
    const double encoding = steps / std::round(steps / exponent);
    candidates.push_back({Kind::power, static_cast<float>(std::round(exponent * steps) / steps)});
    candidates.push_back({Kind::power, static_cast<float>(encoding)});
  }
  double least = 1e-4;
  std::optional<Transfer> best;
  for (const Transfer& transfer : candidates) {
    double worst = 0.0;
    for (const auto& colors : values)
      for (std::size_t i = 0; i < samples.size(); ++i) {
        const double wanted = value_of(transfer, samples[i]);
        worst = std::max(worst, std::abs(colors[i] - wanted) / std::max(1.0, wanted));
      }
    if (worst < least) least = worst, best = transfer;
  }
  return best;
}

}  // namespace

std::optional<Transfer> PixelFormat::transfer(Trc trc) const {
  const FormatParts parts = parts_of(drawable);
  if (trc == Trc::native || trc == parts.trc) return Transfer{};
  return transfer_between(float_format(drawable, parts.model),
                          float_format(drawable, model_for(parts, trc)), parts);
}

void PixelFormat::convert(float* pixels, std::size_t count, Trc trc, bool back) const {
  const FormatParts parts = parts_of(drawable);
  const Babl* own = float_format(drawable, parts.model);
  const Babl* working = float_format(drawable, model_for(parts, trc));
  const std::size_t channels = (parts.color ? 3 : 1) + (parts.alpha ? 1 : 0);
  const std::vector<float> given(pixels, pixels + count * channels);
  babl_process(back ? babl_fish(working, own) : babl_fish(own, working), given.data(), pixels,
               static_cast<long>(count));
}

PixelFormat::PixelFormat(const Babl* drawable_format, Trc trc)
    : drawable{drawable_format}, babl{drawable_format} {
  const FormatParts parts = parts_of(drawable_format);
  encoding.format = {SampleType::f32, parts.color, parts.alpha};
  const bool same_trc = trc == Trc::native || trc == parts.trc;
  if (parts.type == "u8" || parts.type == "u16") {
    encoding.format.type = parts.type == "u8" ? SampleType::u8 : SampleType::u16;
    if (!same_trc) add_curves(encoding, drawable_format, parts, trc, transfer(trc));
    return;
  }
  const auto known = transfer(trc);
  if (!known) {
    babl = float_format(drawable_format, model_for(parts, trc));
    return;
  }
  encoding.transfer = *known;
  if (parts.type == "half")
    encoding.format.type = SampleType::f16;
  else if (parts.type != "float")
    babl = float_format(drawable_format, parts.model);
}

const Babl* with_alpha(const Babl* drawable_format) {
  const FormatParts parts = parts_of(drawable_format);
  if (parts.alpha) return drawable_format;
  return babl_format_with_space((parts.model + "A " + parts.type).c_str(), drawable_format);
}

const Babl* without_alpha(const Babl* format) {
  const FormatParts parts = parts_of(format);
  if (!parts.alpha) return format;
  const std::string model = parts.model.substr(0, parts.model.size() - 1);
  return babl_format_with_space((model + " " + parts.type).c_str(), format);
}

const Babl* rgb_format(const Babl* format) {
  const Babl* opaque = without_alpha(format);
  const FormatParts parts = parts_of(opaque);
  if (!parts.model.starts_with('Y')) return opaque;
  const std::string trc = parts.model.substr(1);
  return babl_format(("R" + trc + "G" + trc + "B" + trc + " " + parts.type).c_str());
}

const Babl* number_format(const Babl* drawable_format) {
  return float_format(drawable_format, parts_of(drawable_format).model);
}

const Babl* preview_format(const Babl* drawable_format) {
  const FormatParts parts = parts_of(drawable_format);
  return babl_format_with_space((model_for(parts, Trc::perceptual) + " u8").c_str(),
                                drawable_format);
}

}  // namespace cuda_filters::plugin
