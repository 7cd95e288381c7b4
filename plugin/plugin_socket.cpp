// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "plugin/plugin_socket.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "plugin/build.hpp"

namespace cuda_filters::plugin {

const char* const this_build = BUILD_DIGEST;

namespace {

constexpr std::size_t longest = 4096;
// A connection has room for over twice as many of the longest messages.
constexpr int max_notes = 10;

/// The address of who waits for operations in that process, in the namespace that has no files.
/// Containers may share that while each of them counts its processes from 1.
struct Address {
  explicit Address(pid_t process) {
    struct stat processes {};
    stat("/proc/self/ns/pid", &processes);
    name.sun_family = AF_UNIX;
    const std::string path =
        "cuda-filters-" + std::to_string(processes.st_ino) + '-' + std::to_string(process);
    std::ranges::copy(path, name.sun_path + 1);  // after the zero that says so
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + path.size());
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
  sockaddr_un name{};
  socklen_t size;
};

Connection new_socket() {
  return Connection{socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
}

/// The process of this user at the other end, as the kernel tells; 0 for one of another user or one
/// that cannot be seen from here. Of who listens, it is the process that began to.
pid_t peer(const Connection& connection) {
  ucred other{};
  socklen_t size = sizeof other;
  const bool known = getsockopt(connection.socket(), SOL_SOCKET, SO_PEERCRED, &other, &size) == 0;
  return known && other.uid == geteuid() ? other.pid : 0;
}

/// Whether this process started that one. It remains for others to wait for.
bool is_child(pid_t process) {
  siginfo_t unused;
  return process > 0 &&
         waitid(P_PID, static_cast<id_t>(process), &unused, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/// The outboxes of this process that have found a plug-in.
struct Outboxes {
  std::mutex mutex;
  std::vector<Outbox*> all;
};

Outboxes& outboxes() {
  static auto& living = *new Outboxes;  // as long as any operation
  return living;
}

}  // namespace

Connection::~Connection() {
  if (socket_ >= 0) close(socket_);
}

bool Connection::tell(Topic topic, const std::string& text) {
  const std::string message = static_cast<char>(topic) + text.substr(0, longest - 1);
  return send(socket_, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(message.size());
}

std::optional<Message> Connection::take() {
  std::array<char, longest> bytes;
  const ssize_t size = recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size > 0)
    return Message{static_cast<Topic>(bytes[0]),
                   std::string{bytes.data() + 1, static_cast<std::size_t>(size) - 1}};
  if (size == 0) *this = Connection{};
  return std::nullopt;
}

bool Connection::is_over() const {
  char byte;
  return !is_open() || recv(socket_, &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT) == 0;
}

PluginSocket::PluginSocket() : gimp_{getppid()}, listener_{new_socket()} {
  const Address own{gimp_};
  // A process outside of this namespace counts as 0: any such one could be meant by that.
  if (gimp_ <= 0 || bind(listener_.socket(), own.get(), own.size) != 0 ||
      listen(listener_.socket(), 64) != 0)
    listener_ = Connection{};
}

bool PluginSocket::claim() {
  int came = 0;
  for (int anybody = 0; anybody < 1000; ++anybody) {  // strangers may never stop
    Connection next{accept4(listener_.socket(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!next.is_open()) break;
    if (peer(next) == gimp_ && ++came == 1) operation_ = std::move(next);
  }
  listener_ = Connection{};
  const auto greeting = operation_.take();
  while (const auto message = operation_.take())
    if (message->topic == Topic::lost_gpu) lost_gpus_.push_back(message->text);
  if (came == 1 && greeting && greeting->topic == Topic::build && greeting->text == this_build &&
      operation_.tell(Topic::claim, ""))
    return true;
  operation_ = Connection{};
  return false;
}

Outbox::Outbox(const std::vector<std::string>& lost_gpus) {
  Outboxes& others = outboxes();
  const std::lock_guard lock{others.mutex};
  for (Outbox* other : others.all) other->close_if_over();
  Connection plugin = new_socket();
  const Address listener{getpid()};
  if (connect(plugin.socket(), listener.get(), listener.size) != 0 || !is_child(peer(plugin)) ||
      !plugin.tell(Topic::build, this_build))
    return;
  for (const std::string& problem : lost_gpus) plugin.tell(Topic::lost_gpu, problem);
  plugin_ = std::move(plugin);
  others.all.push_back(this);
}

Outbox::~Outbox() {
  const std::lock_guard lock{outboxes().mutex};
  std::erase(outboxes().all, this);
}

bool Outbox::is_claimed() {
  const std::lock_guard lock{mutex_};
  return claimed();
}

bool Outbox::claimed() {
  if (!claimed_ && plugin_.is_open())
    if (const auto answer = plugin_.take()) claimed_ = answer->topic == Topic::claim;
  return claimed_;
}

bool Outbox::is_abandoned() const {
  const std::lock_guard lock{mutex_};
  return claimed_ && plugin_.is_over();
}

void Outbox::close_if_over() {
  const std::lock_guard lock{mutex_};
  claimed();  // which may be said by one that has ended since
  if (plugin_.is_over()) plugin_ = Connection{};
}

bool Outbox::tell(Topic topic, const std::string& text) {
  const std::lock_guard lock{mutex_};
  if (!claimed()) return false;
  return (topic == Topic::note && ++notes_ > max_notes) || plugin_.tell(topic, text);
}

}  // namespace cuda_filters::plugin
