// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <cstdlib>
#include <optional>
#include <string>

namespace cuda_filters::test {

/// Sets a variable of the environment, or removes it if there is no value. Windows knows no empty
/// ones: there these are removed, too.
inline void set_variable(const char* name, const char* value) {
#ifdef _WIN32
  _putenv_s(name, value != nullptr ? value : "");
#else
  if (value != nullptr)
    setenv(name, value, 1);
  else
    unsetenv(name);
#endif
}

/// The variable that names the user's cache folder, and a value with which nothing can be kept.
#ifdef _WIN32
constexpr const char *cache_variable = "LOCALAPPDATA", *no_cache_folder = "";
#else
constexpr const char *cache_variable = "XDG_CACHE_HOME", *no_cache_folder = "/dev/null";
#endif

/// A variable of the environment for a while.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_{name} {
    if (const char* before = std::getenv(name); before != nullptr) before_ = before;
    set_variable(name, value);
  }
  ~Variable() { set_variable(name_, before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace cuda_filters::test
