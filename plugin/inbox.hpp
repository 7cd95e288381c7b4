// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#pragma once
#include <optional>
#include <string>

namespace cuda_filters::plugin {

/// What an operation of GEGL has to tell a plug-in that lets it work inside of GIMP: that it is
/// there, and of which build; on which device it computed; sentences for the user; and why it left
/// pixels as they were.
enum class Topic : char { build, device, note, failure };

struct Message {
  Topic topic;
  std::string text;
};

/// What both sides must be of, so that the operation gives the plug-in's bits.
inline constexpr const char* this_build = PROJECT_VERSION;

/// Tells it the plug-in that this process started and that waits; false if there is none. Never
/// waits.
bool tell_plugin(Topic topic, const std::string& text);

/// Where a plug-in hears what the operations tell in the process that started it. PDB calls carry
/// no such news; this is a socket without a file, which ends with the plug-in, however that ends.
class Inbox {
 public:
  Inbox();
  Inbox(const Inbox&) = delete;
  ~Inbox();
  /// False while another plug-in of the same GIMP has it.
  bool is_open() const { return socket_ >= 0; }
  /// The next message that has come, if any: what other processes write is thrown away.
  std::optional<Message> take();

 private:
  int socket_;
};

}  // namespace cuda_filters::plugin
