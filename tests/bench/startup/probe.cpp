// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Preloaded into GIMP and so into its plug-ins, this library writes a line for each step of the
// start of ours into the file that STARTUP_LOG names: the time of day in microseconds and the
// step's name. It stands before the functions of the same names and calls them.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

/// Whether a path is that of our plug-in.
bool is_ours(std::string_view path) { return path.ends_with("/cuda-filters"); }

/// Whether this process is our plug-in.
bool ours() {
  static const bool answer = [] {
    char path[4096];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
    return size > 0 && is_ours({path, static_cast<std::size_t>(size)});
  }();
  return answer;
}

void note(const char* step) {
  const char* file = std::getenv("STARTUP_LOG");
  timeval now;
  gettimeofday(&now, nullptr);
  char line[100];
  const int size =
      std::snprintf(line, sizeof line, "%lld %s\n", 1000000LL * now.tv_sec + now.tv_usec, step);
  const int out = file == nullptr ? -1 : open(file, O_WRONLY | O_APPEND | O_CREAT, 0666);
  if (out < 0 || write(out, line, static_cast<std::size_t>(size)) != size)
    std::fprintf(stderr, "startup probe: %s is lost\n", step);
  if (out >= 0) close(out);
}

/// The function that this library stands before.
template <class Function>
Function* behind(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// Notes that a step begins, and that it ends; the first time only.
class Step {
 public:
  Step(bool& known, const char* begins, const char* ends)
      : ends_{!known && ours() ? ends : nullptr} {
    if (ends_ == nullptr) return;
    known = true;
    note(begins);
  }
  Step(const Step&) = delete;
  ~Step() {
    if (ends_ != nullptr) note(ends_);
  }

 private:
  const char* ends_;
};

using Main = int(int, char**, char**);
using Hook = void();

}  // namespace

extern "C" {

int execve(const char* path, char* const* words, char* const* variables) {
  if (is_ours(path)) note("process");
  return behind<decltype(execve)>("execve")(path, words, variables);
}

int __libc_start_main(Main* main, int count, char** words, Hook* begin, Hook* end, Hook* linker_end,
                      void* stack_end) {
  if (ours()) note("main");
  return behind<decltype(__libc_start_main)>("__libc_start_main")(main, count, words, begin, end,
                                                                  linker_end, stack_end);
}

void babl_init() {
  static bool known = false;
  const Step step{known, "babl", "babl-ready"};
  behind<decltype(babl_init)>("babl_init")();
}

void gegl_init(int* count, char*** words) {
  static bool known = false;
  const Step step{known, "gegl", "gegl-ready"};
  behind<decltype(gegl_init)>("gegl_init")(count, words);
}

void gegl_buffer_get(void* buffer, const void* area, double scale, const void* format, void* to,
                     int stride, int border) {
  static bool known = false;
  const Step step{known, "tile", "tile-there"};
  behind<decltype(gegl_buffer_get)>("gegl_buffer_get")(buffer, area, scale, format, to, stride,
                                                       border);
}

int gp_proc_return_write(void* channel, void* values, void* user_data) {
  static bool known = false;
  const Step step{known, "answer", "answered"};
  return behind<decltype(gp_proc_return_write)>("gp_proc_return_write")(channel, values, user_data);
}

}  // extern "C"
