// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/inbox.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>

namespace cuda_filters::plugin {
namespace {

/// A process that ends with what `body` returns.
template <class Body>
pid_t start(const Body& body) {
  const pid_t process = fork();
  if (process == 0) _exit(body());
  return process;
}

int status_of(pid_t process) {
  int status = -1;
  return waitpid(process, &status, 0) == process && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// One way for a word from a process to another.
class Signal {
 public:
  Signal() { EXPECT_EQ(pipe(ends_.data()), 0); }
  ~Signal() { close(ends_[0]), close(ends_[1]); }
  bool give() const { return write(ends_[1], "!", 1) == 1; }
  bool await() const {
    pollfd end{ends_[0], POLLIN, 0};
    char word;
    return poll(&end, 1, 10000) == 1 && read(ends_[0], &word, 1) == 1;
  }

 private:
  std::array<int, 2> ends_{};
};

/// What anybody who knows the number of a GIMP can do.
int intrude(pid_t gimp) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int length = std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1,
                                   "cuda-filters-%d", static_cast<int>(gimp));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  const int from = socket(AF_UNIX, SOCK_DGRAM, 0);
  const std::string lie = static_cast<char>(Topic::failure) + std::string{"a lie"};
  const ssize_t sent =
      sendto(from, lie.data(), lie.size(), 0, reinterpret_cast<const sockaddr*>(&address), size);
  return sent == static_cast<ssize_t>(lie.size()) ? 0 : 1;
}

TEST(Inbox, HearsTheProcessThatStartedItAndNoOther) {
  const Signal open, sent;
  const pid_t plugin = start([&] {
    Inbox inbox;
    if (!inbox.is_open() || inbox.take() || !open.give() || !sent.await()) return 1;
    const auto first = inbox.take(), second = inbox.take(), third = inbox.take();
    if (!first || first->topic != Topic::device || first->text != "here") return 2;
    if (!second || second->topic != Topic::note || !second->text.empty()) return 3;
    return third ? 4 : 0;
  });
  ASSERT_TRUE(open.await());
  const pid_t gimp = getpid();
  EXPECT_EQ(status_of(start([&] { return intrude(gimp); })), 0);
  EXPECT_TRUE(tell_plugin(Topic::device, "here"));
  EXPECT_EQ(status_of(start([&] { return intrude(gimp); })), 0);
  EXPECT_TRUE(tell_plugin(Topic::note, ""));
  EXPECT_TRUE(sent.give());
  EXPECT_EQ(status_of(plugin), 0);
  EXPECT_FALSE(tell_plugin(Topic::note, "anybody?"));
}

TEST(Inbox, IsOfOnePlugInAtATime) {
  EXPECT_EQ(status_of(start([] {
              const Inbox one, other;
              return one.is_open() && !other.is_open() ? 0 : 1;
            })),
            0);
}

}  // namespace
}  // namespace cuda_filters::plugin
