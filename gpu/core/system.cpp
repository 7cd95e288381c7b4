// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/core/system.hpp"

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <pthread.h>
#include <windows.h>
#else
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#endif

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <new>
#include <sstream>
#include <system_error>
#include <utility>

#if defined(__MINGW32__) && !defined(__clang__)

// GCC's library for Windows frees the memory of a thread's variables, when the thread ends, before
// it destroys what is in them: both are done by keys, keys end in the order in which they were
// made, and that of the memory is made first. Here they are destroyed first: by a key that is made
// before any variable is.
namespace {

struct Ending {
  void (*destroy)(void*);
  void* object;
  Ending* before;
};

pthread_key_t endings;

void destroy_all(void* last) {
  for (auto* its = static_cast<Ending*>(last); its != nullptr;) {
    its->destroy(its->object);
    delete std::exchange(its, its->before);
  }
}

[[gnu::constructor(101)]] void make_key() { pthread_key_create(&endings, destroy_all); }

}  // namespace

extern "C" int __cxa_thread_atexit(void (*destroy)(void*), void* object, void*) {
  auto* const before = static_cast<Ending*>(pthread_getspecific(endings));
  return pthread_setspecific(endings, new Ending{destroy, object, before});
}

#endif

namespace cuda_filters {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

std::filesystem::path variable(const char* name) {
  const char* value = std::getenv(name);
  return path_of(value != nullptr ? value : "");
}

[[noreturn]] void fail(int code) { throw std::system_error{code, std::generic_category()}; }

#ifdef _WIN32

/// Fails by the error of POSIX that this one of Windows is, whose text is the same in all languages
/// of Windows, and so in UTF-8.
[[noreturn]] void fail_as_windows(DWORD code) {
  const std::error_condition its =
      std::system_category().default_error_condition(static_cast<int>(code));
  fail(its.category() == std::generic_category() ? its.value() : EIO);
}

std::shared_ptr<std::byte[]> aligned_memory(std::size_t bytes) {
  return {static_cast<std::byte*>(_aligned_malloc(bytes, huge_page)),
          [](std::byte* p) { _aligned_free(p); }};
}

/// A time as Windows counts it, in tenths of a microsecond since 1601.
std::int64_t nanoseconds(const FILETIME& time) {
  constexpr std::int64_t from_1601_to_1970 = 116444736000000000;
  const std::uint64_t count =
      std::uint64_t{time.dwHighDateTime} << 32 | std::uint64_t{time.dwLowDateTime};
  return (static_cast<std::int64_t>(count) - from_1601_to_1970) * 100;
}

#else

std::shared_ptr<std::byte[]> aligned_memory(std::size_t bytes) {
  void* const memory = std::aligned_alloc(huge_page, bytes);
#ifdef MADV_HUGEPAGE
  if (memory != nullptr) (void)madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return {static_cast<std::byte*>(memory), [](std::byte* p) { std::free(p); }};
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

#endif

bool file_exists(const std::filesystem::path& path) {
  std::error_code failure;
  return std::filesystem::exists(path, failure);
}

std::filesystem::path absolute_or_same(const std::filesystem::path& path) {
  std::error_code failure;
  const std::filesystem::path found = std::filesystem::absolute(path, failure);
  return failure ? path : found;
}

}  // namespace

std::shared_ptr<std::byte[]> huge_pages(std::size_t bytes) {
  if (bytes < huge_page) return std::shared_ptr<std::byte[]>(new std::byte[bytes]);
  auto memory = aligned_memory((bytes + huge_page - 1) / huge_page * huge_page);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}

#ifdef _WIN32

std::string processor_model() {
  char name[256] = "";
  DWORD bytes = sizeof name;
  constexpr const char* key = "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0";
  const bool known = RegGetValueA(HKEY_LOCAL_MACHINE, key, "ProcessorNameString", RRF_RT_REG_SZ,
                                  nullptr, name, &bytes) == ERROR_SUCCESS;
  return known ? name : "";
}

std::filesystem::path path_of(const std::string& name) {
  return std::filesystem::path{std::u8string{name.begin(), name.end()}};
}

std::FILE* open_file(const std::string& name) { return _wfopen(path_of(name).c_str(), L"rb"); }

std::string text_in(const std::filesystem::path& file) {
  // The C library opens files so that nobody may replace them, and cannot open one that somebody
  // has just put there and not let go of yet.
  void* const handle = CreateFileW(file.c_str(), GENERIC_READ,
                                   FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                   OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return {};
  const int descriptor =
      _open_osfhandle(reinterpret_cast<std::intptr_t>(handle), _O_RDONLY | _O_TEXT);
  if (descriptor < 0) {
    CloseHandle(handle);
    return {};
  }
  std::string text;
  char part[4096];
  for (int count; (count = _read(descriptor, part, sizeof part)) > 0;) text.append(part, count);
  _close(descriptor);
  return text;
}

bool replace_file(const std::filesystem::path& from, const std::filesystem::path& to) noexcept {
  // Nor does it work while somebody has the other file open, which is never for long.
  for (int attempts = 100; attempts > 0; --attempts) {
    if (MoveFileExW(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING) != 0) return true;
    if (const DWORD why = GetLastError();
        why != ERROR_ACCESS_DENIED && why != ERROR_SHARING_VIOLATION)
      break;
    Sleep(1);
  }
  return false;
}

FileState state_of(const std::string& name) {
  const std::filesystem::path path = path_of(name);
  // The flag lets a folder be opened, so that it can be told from a file that is not there.
  void* const handle = CreateFileW(path.c_str(), GENERIC_READ,
                                   FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                   OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (handle == INVALID_HANDLE_VALUE) fail_as_windows(GetLastError());
  const std::unique_ptr<void, decltype(&CloseHandle)> file{handle, CloseHandle};
  BY_HANDLE_FILE_INFORMATION its{};
  if (GetFileInformationByHandle(handle, &its) == 0) fail_as_windows(GetLastError());
  if ((its.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0) fail(EISDIR);
  if (GetFileType(handle) != FILE_TYPE_DISK) fail(EINVAL);
  const std::int64_t modified = nanoseconds(its.ftLastWriteTime);
  return {absolute_or_same(path),
          its.dwVolumeSerialNumber,
          std::uint64_t{its.nFileIndexHigh} << 32 | its.nFileIndexLow,
          std::uint64_t{its.nFileSizeHigh} << 32 | its.nFileSizeLow,
          modified,
          modified};
}

std::filesystem::path cache_folder() { return variable("LOCALAPPDATA"); }

std::filesystem::path data_folder() { return variable("LOCALAPPDATA"); }

std::filesystem::path own_folder() {
  HMODULE own = nullptr;
  wchar_t name[32768];
  constexpr DWORD how =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (!GetModuleHandleExW(how, reinterpret_cast<const wchar_t*>(&own_folder), &own)) return {};
  const DWORD length = GetModuleFileNameW(own, name, std::size(name));
  if (length == 0 || length == std::size(name)) return {};
  return std::filesystem::path{name}.parent_path();
}

bool seems_to_have_nvidia_driver() {
  wchar_t folder[MAX_PATH];
  const UINT length = GetSystemDirectoryW(folder, MAX_PATH);
  if (length == 0 || length >= MAX_PATH) return false;
  return file_exists(std::filesystem::path{folder} / "nvcuda.dll");
}

NvidiaDriverLibrary::NvidiaDriverLibrary() noexcept
    : handle_{LoadLibraryExA("nvcuda.dll", nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32)} {}

void* NvidiaDriverLibrary::find(const char* symbol) const noexcept {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), symbol));
}

#else

std::string processor_model() {
  std::ifstream information{"/proc/cpuinfo"};
  for (std::string line; std::getline(information, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return {};
}

std::filesystem::path path_of(const std::string& name) { return name; }

std::FILE* open_file(const std::string& name) { return std::fopen(name.c_str(), "rb"); }

std::string text_in(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return std::move(text).str();
}

bool replace_file(const std::filesystem::path& from, const std::filesystem::path& to) noexcept {
  std::error_code failure;
  std::filesystem::rename(from, to, failure);
  return !failure;
}

FileState state_of(const std::string& name) {
  struct stat its {};
  if (stat(name.c_str(), &its) != 0) fail(errno);
  if (S_ISDIR(its.st_mode)) fail(EISDIR);
  if (!S_ISREG(its.st_mode)) fail(EINVAL);
  return {absolute_or_same(name),
          its.st_dev,
          its.st_ino,
          static_cast<std::uint64_t>(its.st_size),
          nanoseconds(its.st_mtim),
          nanoseconds(its.st_ctim)};
}

namespace {

/// A folder of the XDG Base Directory Specification, which says that one that is not absolute does
/// not count.
std::filesystem::path xdg_folder(const char* name, const char* below_home) {
  if (auto folder = variable(name); folder.is_absolute()) return folder;
  const auto home = variable("HOME");
  return home.is_absolute() ? home / below_home : std::filesystem::path{};
}

}  // namespace

std::filesystem::path cache_folder() { return xdg_folder("XDG_CACHE_HOME", ".cache"); }

std::filesystem::path data_folder() { return xdg_folder("XDG_DATA_HOME", ".local/share"); }

std::filesystem::path own_folder() {
  Dl_info its{};
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &its) == 0) return {};
  // Of a program, that is the name it was called by.
  std::filesystem::path file = its.dli_fname;
  if (!file.is_absolute()) file = "/proc/self/exe";
  std::error_code failure;
  return std::filesystem::canonical(file, failure).parent_path();
}

bool seems_to_have_nvidia_driver() {
  // Or that of Windows, below Linux.
  return file_exists("/dev/nvidiactl") || file_exists("/dev/dxg");
}

NvidiaDriverLibrary::NvidiaDriverLibrary() noexcept
    : handle_{dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)} {}

void* NvidiaDriverLibrary::find(const char* symbol) const noexcept {
  return dlsym(handle_, symbol);
}

#endif

}  // namespace cuda_filters
