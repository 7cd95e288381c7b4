// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "tests/fuzz/case.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>
#include <sstream>
#include <utility>

#include "gpu/core/chain.hpp"
#include "tests/support/color.hpp"
#include "tests/support/pictures.hpp"

namespace cuda_filters::fuzz {
namespace {

constexpr std::array pixels_names{"plain", "flat", "zero", "special", "bits"};
constexpr std::array device_names{"cpu", "cramped", "remote"};
constexpr int longest = 300'000;
constexpr double max_pixels = 2e6;

/// The words of a step: blanks split them, but not between double quotes.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false, in_quotes = false;
  for (const char c : text) {
    if (c == '"') {
      in_quotes = !in_quotes;
    } else if (!in_quotes && (c == ' ' || c == '\n')) {
      in_word = false;
      continue;
    }
    if (!std::exchange(in_word, true)) words.emplace_back();
    if (c != '"') words.back() += c;
  }
  return words;
}

bool is_chain(const Case& from) { return from.steps.find('|') != std::string::npos; }

std::string size_text(const PictureCase& picture) {
  return std::to_string(picture.size.width) + "x" + std::to_string(picture.size.height);
}

/// Reads "31x17,rgba-u8": whether it is that.
bool read_picture(const std::string& text, PictureCase& picture) {
  char format[16] = "";
  if (std::sscanf(text.c_str(), "%6dx%6d,%10s", &picture.size.width, &picture.size.height,
                  format) != 3)
    return false;
  std::string name = format;
  picture.srgb = name.ends_with("-srgb");
  if (picture.srgb) name.resize(name.size() - 5);
  for (const Format& each : test::all_formats())
    if (test::name_of(each) == name) {
      picture.format = each;
      return picture.size.width > 0 && picture.size.height > 0 && picture.size.width <= longest &&
             picture.size.height <= longest && picture.size.pixels() <= max_pixels;
    }
  return false;
}

std::string picture_text(const PictureCase& picture) {
  return size_text(picture) + "," + test::name_of(picture.format) + (picture.srgb ? "-srgb" : "");
}

int index_in(std::span<const char* const> names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

}  // namespace

std::optional<Case> parse_case(std::string_view text) {
  Case read;
  const auto colon = text.find(" : ");
  if (colon == std::string_view::npos) return std::nullopt;
  read.steps = text.substr(colon + 3);
  while (!read.steps.empty() && read.steps.back() == '\n') read.steps.pop_back();
  bool has_picture = false;
  for (const std::string& word : words_of(text.substr(0, colon))) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const char* const value = equals == std::string::npos ? "" : word.c_str() + equals + 1;
    if (name == "in") {
      has_picture = read_picture(value, read.in);
      if (!has_picture) return std::nullopt;
      read.region = {0, 0, read.in.size.width, read.in.size.height};
    } else if (name == "region") {
      Rect& r = read.region;
      if (std::sscanf(value, "%6d,%6d,%6d,%6d", &r.x, &r.y, &r.width, &r.height) != 4)
        return std::nullopt;
    } else if (name == "aux") {
      PictureCase picture;
      const std::string words = value;
      const auto at = words.find('@');
      if (!read_picture(words.substr(0, at), picture) || at == std::string::npos ||
          std::sscanf(words.c_str() + at, "@%7d,%7d", &read.aux_x, &read.aux_y) != 2)
        return std::nullopt;
      read.aux = picture;
    } else if (name == "seed") {
      read.seed = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    } else if (name == "mask") {
      read.mask = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
    } else if (name == "threads") {
      read.threads = std::clamp(std::atoi(value), 1, 16);
    } else if (name == "cancel") {
      read.cancel = std::max(0, std::atoi(value));
    } else if (name == "in-view") {
      read.in_view = true;
    } else if (name == "out-view") {
      read.out_view = true;
    } else if (const int pixels = index_in(pixels_names, word); pixels >= 0) {
      read.pixels = static_cast<Pixels>(pixels);
    } else if (const int device = index_in(device_names, word); device >= 0) {
      read.device = static_cast<Device>(device);
    } else {
      return std::nullopt;
    }
  }
  if (!has_picture) return std::nullopt;
  return read;
}

std::string text_of(const Case& from) {
  std::ostringstream text;
  const Rect& r = from.region;
  text << "in=" << picture_text(from.in) << " region=" << r.x << ',' << r.y << ',' << r.width << ','
       << r.height << " seed=" << from.seed << ' ' << pixels_names[static_cast<int>(from.pixels)]
       << ' ' << device_names[static_cast<int>(from.device)] << " threads=" << from.threads;
  if (from.mask != 0) text << " mask=" << from.mask;
  if (from.cancel != 0) text << " cancel=" << from.cancel;
  if (from.in_view) text << " in-view";
  if (from.out_view) text << " out-view";
  if (from.aux)
    text << " aux=" << picture_text(*from.aux) << '@' << from.aux_x << ',' << from.aux_y;
  text << " : " << from.steps << '\n';
  return text.str();
}

MemoryImage make_picture(const PictureCase& from, Pixels pixels, unsigned seed) {
  const auto [width, height] = from.size;
  if (pixels == Pixels::plain)
    return test::random_image(width, height, from.format, from.srgb, seed);
  MemoryImage image = test::empty_image(width, height, from.format, from.srgb);
  const std::size_t samples = image.codes().size() / bytes_of(from.format.type);
  std::mt19937 random{seed};
  switch (pixels) {
    case Pixels::plain:
    case Pixels::zero:
      break;
    case Pixels::flat:
      for (std::size_t i = 0; i < samples; ++i)
        test::store_sample(image, i, i % from.format.channels() == 3 ? 1.0 : 0.4);
      break;
    case Pixels::special: {
      constexpr double infinity = std::numeric_limits<double>::infinity();
      constexpr std::array values{std::numeric_limits<double>::quiet_NaN(),
                                  infinity,
                                  -infinity,
                                  3.4e38,
                                  -3.4e38,
                                  65504.0,
                                  1e-45,
                                  -1e-40,
                                  -0.0,
                                  -7.0,
                                  1.0,
                                  0.0};
      for (std::size_t i = 0; i < samples; ++i)
        test::store_sample(
            image, i,
            random() % 4 == 0 ? values[random() % values.size()] : (random() % 1000) / 999.0);
      break;
    }
    case Pixels::bits:
      for (std::byte& byte : image.codes()) byte = static_cast<std::byte>(random());
      break;
  }
  return image;
}

std::vector<std::uint8_t> make_mask(const Case& from) {
  std::vector<std::uint8_t> mask;
  if (from.mask == 0) return mask;
  mask.resize(static_cast<std::size_t>(from.in.size.width) * from.in.size.height);
  std::mt19937 random{from.mask};
  // One in eight selects nothing, and one all; else what is selected are pieces of rows.
  const unsigned kind = from.mask % 8;
  if (kind == 1) std::ranges::fill(mask, std::uint8_t{255});
  if (kind > 1)
    for (std::size_t i = 0; i < mask.size();) {
      const std::size_t length = 1 + random() % 40;
      const auto value = static_cast<std::uint8_t>(random() % 3 == 0 ? random() : 0);
      for (std::size_t j = 0; j < length && i < mask.size(); ++j) mask[i++] = value;
    }
  return mask;
}

ResolvedJob make_case_job(const Case& from) {
  const auto second_picture = [&] {
    return std::make_shared<MemoryImage>(make_picture(*from.aux, from.pixels, from.seed + 1));
  };
  if (is_chain(from)) {
    Job chain = make_job(*find_filter("chain"), Values{from.steps});
    for (Job& step : chain.steps) {
      if (!step.aux) continue;
      if (!from.aux) throw ArgumentError{"The case has no second picture."};
      step.aux = Aux{step.aux->layer, second_picture(), from.aux_x, from.aux_y};
    }
    return resolved(std::move(chain), from.in.size);
  }
  const std::vector<std::string> words = words_of(from.steps);
  const FilterEntry* const filter = words.empty() ? nullptr : find_filter(words.front());
  if (filter == nullptr) throw ArgumentError{"The case names no filter."};
  std::optional<Aux> aux;
  if (from.aux) aux = Aux{"", second_picture(), from.aux_x, from.aux_y};
  return resolved(make_job(*filter, parse_values(*filter, std::span{words}.subspan(1)), aux),
                  from.in.size);
}

double seconds_of(const Case& from, const ResolvedJob& job) {
  double pixels = std::max(from.in.size.pixels(), job.output.pixels());
  // Temporary pictures are computed around the image, too.
  for (const auto* temporaries : {&job.plan.temporaries, &job.plan.analysis_temporaries})
    for (const TemporaryPlan& each : *temporaries)
      if (each.level == 0 && !each.in_image)
        pixels = std::max(pixels, (from.in.size.width + 2.0 * each.halo.x) *
                                      (from.in.size.height + 2.0 * each.halo.y));
  if (job.steps.empty()) return 1e-9 * pixels * (10.0 + job.plan.cost) * job.plan.passes;
  double seconds = 0.0;
  for (const Job& step : job.steps) seconds += seconds_of(from, resolved(step, from.in.size));
  return seconds;
}

namespace {

class Draw {
 public:
  explicit Draw(std::mt19937& random) : random_{random} {}

  int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool one_in(int count) { return below(count) == 0; }
  double unit() { return static_cast<double>(random_()) / 4294967296.0; }
  template <class T, std::size_t n>
  T one_of(const T (&of)[n]) {
    return of[below(n)];
  }
  unsigned seed() { return random_() % 100000; }

  PictureCase picture() {
    PictureCase drawn;
    const std::vector<Format> formats = test::all_formats();
    drawn.format = formats[below(static_cast<int>(formats.size()))];
    drawn.srgb = one_in(2);
    switch (below(14)) {
      case 0:
        drawn.size = {1, 1};
        break;
      case 1:
        drawn.size = {1 + below(longest), 1};
        break;
      case 2:
        drawn.size = {1, 1 + below(longest)};
        break;
      case 3:
        drawn.size = {127 + below(3), 127 + below(3)};
        break;
      case 4:
        drawn.size = {1 + below(600), 1 + below(600)};
        break;
      case 5:
        drawn.size = {1 + below(4), 1 + below(4)};
        break;
      case 6:  // of several bands
        drawn.size = {1 + below(7), 900 + below(2000)};
        break;
      case 7:
        drawn.size = one_in(2) ? Size{longest, 1} : Size{1, longest};
        break;
      default:
        drawn.size = {1 + below(70), 1 + below(70)};
    }
    return drawn;
  }

  Rect region(Size size) {
    if (one_in(2)) return {0, 0, size.width, size.height};
    const int x = below(size.width), y = below(size.height);
    return {x, y, 1 + below(size.width - x), 1 + below(size.height - y)};
  }

  std::string number(const Param& param) {
    const auto [low, high] = param.range;
    double value = param.initial;
    switch (below(16)) {
      case 0:
      case 1:
        value = low;
        break;
      case 2:
        value = high;
        break;
      case 3:
        value = low + (high - low) * unit();
        break;
      case 4:
        value = std::nextafter(one_in(2) ? low : high, param.initial);
        break;
      case 5:
        value = one_of({1e-30, 1e-6, 0.5, 1.0, 2.0, 3.0});
        break;
      case 6:
        if (one_in(4))
          return std::string{one_of({"nan", "inf", "-inf", "1e400", "-1", "1e300", "-0", "", "x"})};
        value = one_in(2) ? std::nextafter(low, -1e9) : std::nextafter(high, 1e9);
        break;
      case 7:
      case 8:
      case 9:
      case 10:
        value = param.slider.min + (param.slider.max - param.slider.min) * std::pow(unit(), 3.0);
        break;
      default:
        break;
    }
    if (param.kind == Kind::integer && !one_in(30)) value = std::round(value);
    return number_text(value);
  }

  std::string text(const Param& param) {
    switch (param.text_format) {
      case TextFormat::matrix:
        return one_of<const char*>({"1", "0", "-1", "1,2,1;2,4,2;1,2,1", "0,0,0,0,1,0,0,0,0",
                                    "1;2;3;-4;5", "1e300,-1e300,1e-300", "1,2,3;4,5,6;7,8,10",
                                    "1e38", "0,0,0;0,0,0;0,0,0", "1,2",
                                    "1,2,3,4,5;5,4,3,2,1;1,3,5,2,4;0,0,0,0,0;9,8,7,6,5"});
      case TextFormat::formula:
        return one_of<const char*>(
            {"c = 1 - c", "r = b; b = r", "c = in(64, -64).c + in(-64, 64).y", "a = 0", "c = 1 / 0",
             "c = aux(3, -2).c * aux.a", "y = random(7)", "k = x * y; c = k % w ^ h; a = u",
             "c = c ^ 0.45", "c = in(x, 0).c", "c = log(c) + exp(c * 1000)", "c = (", "",
             "c = c < 0.5 ? sqrt(c) : atan2(v, u)"});
      case TextFormat::file:
        return one_of<const char*>({TABLES "look.cube", TABLES "curves.cube", TABLES "shaper.cube",
                                    TABLES "random.cube", TABLES "hald.png", "", TABLES,
                                    TABLES "absent.cube"});
      case TextFormat::steps:
      case TextFormat::plain:
        break;
    }
    return one_of<const char*>({"", "x", "|"});
  }

  /// A step: the name of a filter and some values.
  std::string step(const FilterEntry& filter) {
    std::string words = filter.info.name;
    for (const Param& param : filter.params) {
      if (one_in(3)) continue;
      std::string value;
      switch (param.kind) {
        case Kind::real:
        case Kind::integer:
          value = number(param);
          break;
        case Kind::toggle:
          value = one_in(2) ? "yes" : "no";
          break;
        case Kind::choice:
          value = param.choices[below(static_cast<int>(param.choices.size()))].nick;
          break;
        case Kind::text:
          value = text(param);
          break;
      }
      if (value.find_first_of(" ;|") != std::string::npos) value = '"' + value + '"';
      words += std::string{" "} + param.name + "=" + value;
    }
    return words;
  }

  const FilterEntry& filter() {
    const auto all = filters();
    return all[below(static_cast<int>(all.size()))];
  }

  std::string steps(bool with_aux) {
    const FilterEntry& first = filter();
    if (!first.is_composite()) return step(first);
    std::string text;
    for (int left = 2 + below(3); left > 0; --left) {
      const FilterEntry* each = &filter();
      while (!can_be_step(*each)) each = &filter();
      if (!text.empty()) text += " | ";
      if (one_in(10)) text += '#';
      text += step(*each);
      if (with_aux && each->takes_aux()) text += " aux=layer";
    }
    return text;
  }

 private:
  std::mt19937& random_;
};

/// Makes the picture smaller until the run takes no longer than that, as far as anybody knows.
void make_affordable(Case& drawn, double seconds) {
  for (;;) try {
      if (seconds_of(drawn, make_case_job(drawn)) <= seconds) return;
      int& longer =
          drawn.in.size.width > drawn.in.size.height ? drawn.in.size.width : drawn.in.size.height;
      if (longer == 1) return;
      longer = (longer + 1) / 2;
    } catch (const Error&) {
      return;  // it will be refused
    }
}

}  // namespace

Case random_case(std::mt19937& random) {
  Draw draw{random};
  Case drawn;
  drawn.in = draw.picture();
  drawn.seed = draw.seed();
  if (draw.one_in(3)) drawn.mask = draw.seed();
  drawn.pixels = static_cast<Pixels>(draw.one_in(2) ? 0 : draw.below(pixels_names.size()));
  drawn.device = static_cast<Device>(draw.below(device_names.size()));
  drawn.threads = 1 + draw.below(8);
  if (draw.one_in(20)) drawn.cancel = 1 + draw.below(5);
  if (draw.one_in(4)) (draw.one_in(2) ? drawn.in_view : drawn.out_view) = true;
  if (draw.one_in(3)) {
    drawn.aux = draw.picture();
    while (drawn.aux->size.pixels() > 20000)
      drawn.aux->size = {(drawn.aux->size.width + 1) / 2, (drawn.aux->size.height + 1) / 2};
    drawn.aux_x = draw.below(200) - 100, drawn.aux_y = draw.below(200) - 100;
  }
  drawn.steps = draw.steps(drawn.aux.has_value());
  if (!is_chain(drawn)) {
    const FilterEntry& filter = *find_filter(words_of(drawn.steps).front());
    if (filter.needs_selection() && !draw.one_in(20)) drawn.mask = 8 * draw.below(1000) + 3;
    if (!filter.takes_aux() && !draw.one_in(20)) drawn.aux.reset();
  }
  make_affordable(drawn, draw.one_in(50) ? 0.03 : 0.004);
  drawn.region = draw.region(drawn.in.size);
  return drawn;
}

}  // namespace cuda_filters::fuzz
