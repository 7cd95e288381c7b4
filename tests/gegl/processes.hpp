// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace cuda_filters::test {

/// A process that ends with what `body` returns, which does not throw.
template <class Body>
pid_t start(const Body& body) {
  const pid_t process = fork();
  if (process == 0) [&]() noexcept { _exit(body()); }();
  return process;
}

inline int status_of(pid_t process) {
  int status = -1;
  return waitpid(process, &status, 0) == process && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// One way for a word from a process to another.
class Signal {
 public:
  Signal() { EXPECT_EQ(pipe(ends_.data()), 0); }
  Signal(const Signal&) = delete;
  ~Signal() { close(ends_[0]), close(ends_[1]); }
  bool give() const { return write(ends_[1], "!", 1) == 1; }
  bool await() const {
    pollfd end{ends_[0], POLLIN, 0};
    char word;
    return poll(&end, 1, 300000) == 1 && read(ends_[0], &word, 1) == 1;
  }

 private:
  std::array<int, 2> ends_{};
};

}  // namespace cuda_filters::test
