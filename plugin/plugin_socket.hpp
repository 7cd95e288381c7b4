// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <sys/types.h>

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cuda_filters::plugin {

/// What a plug-in and an operation of GEGL, which it lets work inside of GIMP, tell each other. The
/// operation: that it is there, and of which build; sentences for the user; on which device it
/// computed all of the result, or why it left the pixels as they were; why its process can use a
/// GPU no more. The plug-in: that it waits for this operation.
enum class Topic : char { build, claim, note, device, failure, lost_gpu };

struct Message {
  Topic topic;
  std::string text;
};

/// What both sides must be of, so that the operation gives the plug-in's bits: a digest of all that
/// was compiled.
extern const char* const this_build;

/// One end of a connection of two processes, which no third one can read, write or fill. Neither
/// end ever waits.
class Connection {
 public:
  explicit Connection(int socket = -1) : socket_{socket} {}
  Connection(Connection&& other) noexcept : socket_{std::exchange(other.socket_, -1)} {}
  Connection& operator=(Connection&& other) noexcept {
    std::swap(socket_, other.socket_);
    return *this;
  }
  ~Connection();

  bool is_open() const { return socket_ >= 0; }
  int socket() const { return socket_; }
  /// Whether the other end will find this message; the end of a long text is left out.
  bool tell(Topic topic, const std::string& text);
  /// The next message that has come, if any. Closes this end once the other one is closed.
  std::optional<Message> take();
  /// Whether the other end is closed, and all of its messages are taken.
  bool is_over() const;

 private:
  int socket_;
};

/// The plug-in's side: where it hears what an operation tells in the process that started it. PDB
/// calls carry no such news; this is a socket without a file, which ends with the plug-in, however
/// that ends.
class PluginSocket {
 public:
  /// Lets operations come from now on.
  PluginSocket();
  /// False while another plug-in of the same GIMP waits for its operation, or a stranger has taken
  /// the name.
  bool is_open() const { return listener_.is_open(); }
  /// Tells the one operation that has come that this plug-in waits for it, and lets no other one
  /// come. False if none has come, one of another build, or several, of which it may be any.
  bool claim();
  /// Why that one's process can use GPUs no more, a sentence for each that it has lost.
  const std::vector<std::string>& lost_gpus() const { return lost_gpus_; }
  /// The next message of that operation, if any.
  std::optional<Message> take() { return operation_.take(); }

 private:
  const pid_t gimp_;
  Connection listener_, operation_;
  std::vector<std::string> lost_gpus_;
};

/// The operation's side, for any thread. It tells nothing to anybody but a plug-in that this
/// process started.
class Outbox {
 public:
  /// Says that an operation of this build is there, if a plug-in looks for one, and in a sentence
  /// each which GPUs are lost. Closes the connections to plug-ins that have ended: GIMP keeps the
  /// operation of one that was killed before it had that merged.
  explicit Outbox(const std::vector<std::string>& lost_gpus = {});
  Outbox(const Outbox&) = delete;
  ~Outbox();
  /// Whether a plug-in waits for this operation.
  bool is_claimed();
  /// Whether a plug-in waited for this operation and has ended: it was cancelled.
  bool is_abandoned() const;
  /// Whether that plug-in will hear this. There is always room for what follows some notes; those
  /// that are too many are left out.
  bool tell(Topic topic, const std::string& text);

 private:
  bool claimed();
  void close_if_over();

  mutable std::mutex mutex_;
  Connection plugin_;
  bool claimed_ = false;
  int notes_ = 0;
};

}  // namespace cuda_filters::plugin
