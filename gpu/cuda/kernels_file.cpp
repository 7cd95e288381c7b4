// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cuda/kernels_file.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>

#include "gpu/core/system.hpp"

namespace cuda_filters::cuda {
namespace {

constexpr const char* file_name = "cuda-filters.kernels";

/// What stands in an object instead of machine code; little-endian.
struct Place {
  char mark[8];
  std::uint64_t offset, bytes;  ///< in the file
  std::uint64_t hash;           ///< of the code
};
constexpr char mark[] = "CUDAFKRN";

/// FNV-1a, of words of eight bytes; the code's length is a multiple of that.
std::uint64_t hash_of(std::span<const std::byte> code) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t at = 0; at + 8 <= code.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, &code[at], sizeof word);
    hash = (hash ^ word) * 0x100000001b3;
  }
  return hash;
}

bool read(const std::filesystem::path& path, const Place& place, std::vector<std::byte>& code) {
  std::ifstream file{path, std::ios::binary | std::ios::ate};
  if (!file || static_cast<std::uint64_t>(file.tellg()) < place.offset + place.bytes) return false;
  code.resize(place.bytes);
  file.seekg(static_cast<std::streamoff>(place.offset));
  file.read(reinterpret_cast<char*>(code.data()), static_cast<std::streamsize>(code.size()));
  return file && hash_of(code) == place.hash;
}

}  // namespace

std::vector<std::filesystem::path> possible_kernels_files() {
  std::vector<std::filesystem::path> files;
  if (const auto folder = own_folder(); !folder.empty()) files.push_back(folder / file_name);
  if (const auto folder = data_folder(); !folder.empty())
    files.push_back(folder / "gimp-cuda-filters" / file_name);
  files.push_back(path_of(KERNELS_FOLDER) / file_name);
  return files;
}

const void* MachineCode::get() {
  if (!read_.empty()) return read_.data();
  Place place{};
  std::memcpy(&place, linked_, sizeof place);
  if (std::memcmp(place.mark, mark, sizeof place.mark) != 0) return linked_;
  for (const auto& file : possible_kernels_files())
    if (read(file, place, read_)) return read_.data();
  read_.clear();
  return nullptr;
}

}  // namespace cuda_filters::cuda
