// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/inbox.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace cuda_filters::plugin {
namespace {

constexpr std::size_t longest = 4096;

/// The address of who listens to that process, in the namespace that has no files.
struct Address {
  explicit Address(pid_t process) {
    name.sun_family = AF_UNIX;
    const std::string path = "cuda-filters-" + std::to_string(process);
    std::ranges::copy(path, name.sun_path + 1);  // after the zero that says so
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + path.size());
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
  sockaddr_un name{};
  socklen_t size;
};

int new_socket() { return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

/// The process that sent a message, as the kernel tells.
pid_t sender(const msghdr& message) {
  const cmsghdr* control = CMSG_FIRSTHDR(&message);
  if (control == nullptr || control->cmsg_level != SOL_SOCKET ||
      control->cmsg_type != SCM_CREDENTIALS)
    return 0;
  ucred credentials;
  std::memcpy(&credentials, CMSG_DATA(control), sizeof credentials);
  return credentials.pid;
}

}  // namespace

bool tell_plugin(Topic topic, const std::string& text) {
  const int from = new_socket();
  if (from < 0) return false;
  const std::string message = static_cast<char>(topic) + text.substr(0, longest - 1);
  const Address listener{getpid()};
  const bool sent = sendto(from, message.data(), message.size(), MSG_NOSIGNAL, listener.get(),
                           listener.size) >= 0;
  close(from);
  return sent;
}

Inbox::Inbox() : socket_{new_socket()} {
  const Address own{getppid()};
  const int yes = 1;  // anybody can write here: the kernel is to say who did
  if (socket_ >= 0 && (setsockopt(socket_, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) != 0 ||
                       bind(socket_, own.get(), own.size) != 0)) {
    close(socket_);
    socket_ = -1;
  }
}

Inbox::~Inbox() {
  if (socket_ >= 0) close(socket_);
}

std::optional<Message> Inbox::take() {
  if (socket_ < 0) return std::nullopt;
  std::array<char, longest> bytes;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control;
  for (int message = 0; message < 1000; ++message) {  // a stranger may never stop
    iovec text{bytes.data(), bytes.size()};
    msghdr header{};
    header.msg_iov = &text, header.msg_iovlen = 1;
    header.msg_control = control.data(), header.msg_controllen = control.size();
    const ssize_t size = recvmsg(socket_, &header, MSG_CMSG_CLOEXEC);
    if (size < 0) return std::nullopt;
    if (size > 0 && sender(header) == getppid())
      return Message{static_cast<Topic>(bytes[0]),
                     std::string{bytes.data() + 1, static_cast<std::size_t>(size) - 1}};
  }
  return std::nullopt;
}

}  // namespace cuda_filters::plugin
