// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/lut/read_lut.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "gpu/algorithms/lut/cube_file.hpp"
#include "gpu/algorithms/lut/hald_image.hpp"
#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"
#include "gpu/core/system.hpp"

namespace cuda_filters::lut {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::error_code& reason) {
  throw ArgumentError{format_text(tr(N_("The file \"%s\" cannot be read: %s.")), file.c_str(),
                                  reason.message().c_str())};
}
[[noreturn]] void refuse(const std::string& file, int code) {
  refuse(file, std::error_code{code, std::generic_category()});
}

/// Whether a file may change once more without its times telling: they go on in steps.
bool is_fresh(const FileState& state) {
  using std::chrono::nanoseconds, std::chrono::seconds;
  const nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
  return now - nanoseconds{std::max(state.modified, state.changed)} < seconds{2};
}

Lut read(const std::string& file, const FileState& state) {
  std::ifstream stream{path_of(file), std::ios::binary};
  if (!stream) refuse(file, errno);
  char begin[png_signature.size()]{};
  stream.read(begin, sizeof begin);
  const bool is_png = stream && std::string_view{begin, sizeof begin} == png_signature;
  stream.clear();
  stream.seekg(0);
  if (is_png) return read_hald(file);
  Lut lut = parse_cube(stream, state.size, file);
  if (stream.bad()) refuse(file, EIO);
  return lut;
}

}  // namespace

std::shared_ptr<const Lut> read_lut(const std::string& file) try {
  static std::mutex mutex;
  static std::optional<FileState> known;
  static std::shared_ptr<const Lut> table;
  const std::lock_guard lock{mutex};
  const FileState state = state_of(file);
  if (known == state) return table;
  known.reset();
  table.reset();
  auto now = std::make_shared<const Lut>(read(file, state));
  if (!is_fresh(state)) known = state, table = now;
  return now;
} catch (const std::system_error& error) {
  refuse(file, error.code());
}

}  // namespace cuda_filters::lut
