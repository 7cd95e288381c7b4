// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

// What the engine has of the operating system beside the standard library. Nothing else in it calls
// one.

namespace cuda_filters {

/// Memory whose pages are huge where the system has such, so that it is quick to touch at first.
/// Throws std::bad_alloc.
std::shared_ptr<std::byte[]> huge_pages(std::size_t bytes);

/// What the maker calls this machine's processor, or nothing where that is not known.
std::string processor_model();

/// The file of that name, as the system spells it; names are UTF-8 on Windows.
std::filesystem::path path_of(const std::string& name);

/// Opens that file to read its bytes, or returns null and sets errno.
std::FILE* open_file(const std::string& name);

/// What is in that file of text, or nothing if it cannot be read. Keeps nobody from replacing it
/// meanwhile.
std::string text_in(const std::filesystem::path& file);

/// Moves a file to where another one may be, which whoever opens it sees until the new one is
/// there. False if that failed.
bool replace_file(const std::filesystem::path& from, const std::filesystem::path& to) noexcept;

/// What tells one state of a file from another.
struct FileState {
  std::filesystem::path path;  ///< absolute, if that is known
  std::uint64_t device, file;  ///< numbers that the system has for them
  std::uint64_t size;          ///< in bytes
  std::int64_t modified;       ///< its contents, in nanoseconds since 1970
  std::int64_t changed;        ///< these or what is known of the file
  friend bool operator==(const FileState&, const FileState&) = default;
};
/// Throws std::system_error if there is no such file, or if it is a folder or no regular file.
FileState state_of(const std::string& name);

/// Where this user's programs keep what they can find again, or nothing where that is not known.
std::filesystem::path cache_folder();

/// Where this user's programs have their data, or nothing where that is not known.
std::filesystem::path data_folder();

/// Where the program or the library lies that this is linked into, links followed, or nothing where
/// that is not known.
std::filesystem::path own_folder();

/// Whether this machine seems to have NVIDIA's driver, which is asked for without loading it.
bool seems_to_have_nvidia_driver();

/// The library of NVIDIA's driver, which stays loaded: what it has begun cannot be undone.
class NvidiaDriverLibrary {
 public:
  /// Loads it.
  NvidiaDriverLibrary() noexcept;
  bool is_loaded() const { return handle_ != nullptr; }
  /// A function of the library, or null if that has none of this name.
  void* find(const char* symbol) const noexcept;

 private:
  void* handle_;
};

}  // namespace cuda_filters
