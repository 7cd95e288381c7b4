// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/algorithms/lut/read_lut.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "gpu/algorithms/lut/cube_file.hpp"
#include "gpu/algorithms/lut/hald_image.hpp"
#include "gpu/core/error.hpp"
#include "gpu/core/i18n.hpp"

namespace cuda_filters::lut {
namespace {

[[noreturn]] void refuse(const std::string& file, const char* reason) {
  throw ArgumentError{
      format_text(tr(N_("The file \"%s\" cannot be read: %s.")), file.c_str(), reason)};
}

/// What tells one state of a file from another.
struct FileState {
  std::string path;
  dev_t device;
  ino_t inode;
  off_t size;
  std::int64_t modified, changed;  ///< in nanoseconds
  friend bool operator==(const FileState&, const FileState&) = default;
};

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

FileState state_of(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) refuse(file, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) refuse(file, std::strerror(EISDIR));
  if (!S_ISREG(status.st_mode)) refuse(file, std::strerror(EINVAL));
  std::error_code failure;
  const auto path = std::filesystem::absolute(file, failure);
  return {failure ? file : path.string(),
          status.st_dev,
          status.st_ino,
          status.st_size,
          nanoseconds(status.st_mtim),
          nanoseconds(status.st_ctim)};
}

/// Whether a file may change once more without its times telling: they go on in steps.
bool is_fresh(const FileState& state) {
  constexpr std::int64_t step = 2000000000;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now) - std::max(state.modified, state.changed) < step;
}

Lut read(const std::string& file, const FileState& state) {
  std::ifstream stream{file, std::ios::binary};
  if (!stream) refuse(file, std::strerror(errno));
  char begin[png_signature.size()]{};
  stream.read(begin, sizeof begin);
  const bool is_png = stream && std::string_view{begin, sizeof begin} == png_signature;
  stream.clear();
  stream.seekg(0);
  if (is_png) return read_hald(file);
  Lut lut = parse_cube(stream, static_cast<std::uint64_t>(state.size), file);
  if (stream.bad()) refuse(file, std::strerror(EIO));
  return lut;
}

}  // namespace

std::shared_ptr<const Lut> read_lut(const std::string& file) {
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
}

}  // namespace cuda_filters::lut
