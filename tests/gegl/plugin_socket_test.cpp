// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// The two sides of plugin/plugin_socket.hpp, each in a process of its own, and what others can do
// to them.
#include "plugin/plugin_socket.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/gegl/processes.hpp"

namespace cuda_filters::plugin {
namespace {

using test::Signal;
using test::start;
using test::status_of;

/// A socket that anybody on this machine sees.
struct Name {
  std::string text;  ///< without the zero that it begins with
  int type;
};

/// What waits for operations in processes of that number.
std::vector<Name> names_of(pid_t gimp) {
  std::vector<Name> names;
  std::ifstream list{"/proc/net/unix"};
  std::string line, word;
  std::getline(list, line);  // the columns' names
  while (std::getline(list, line)) {
    std::istringstream words{line};
    Name name{};
    for (int column = 0; words >> word; ++column)
      if (column == 4) name.type = std::stoi(word, nullptr, 16);
    if (word.starts_with("@cuda-filters-") && word.ends_with('-' + std::to_string(gimp))) {
      name.text = word.substr(1);
      names.push_back(name);
    }
  }
  return names;
}

/// A socket of the same type, and what to do with it and the address.
template <class Body>
int use(const Name& name, const Body& body) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::ranges::copy(name.text, address.sun_path + 1);
  const int socket = ::socket(AF_UNIX, name.type | SOCK_NONBLOCK, 0);
  body(socket, reinterpret_cast<const sockaddr*>(&address),
       static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.text.size()));
  return socket;
}

/// The name that a plug-in of this process takes, found out by letting one take it.
Name taken_name() {
  const Signal open, seen;
  const pid_t plugin = start([&] {
    const PluginSocket plugin_socket;
    return plugin_socket.is_open() && open.give() && seen.await() ? 0 : 1;
  });
  EXPECT_TRUE(open.await());
  const std::vector<Name> names = names_of(getpid());
  EXPECT_TRUE(seen.give());
  EXPECT_EQ(status_of(plugin), 0);
  return names.at(0);
}

/// Sends lies to whatever waits for operations in that process, until nothing more goes in. What
/// was begun stays.
int intrude(pid_t gimp) {
  const std::string lie = static_cast<char>(Topic::failure) + std::string{"a lie"};
  for (const Name& name : names_of(gimp))
    for (bool more = true; more;)
      use(name, [&](int socket, const sockaddr* address, socklen_t size) {
        more = connect(socket, address, size) == 0 && send(socket, lie.data(), lie.size(), 0) > 0;
      });
  return 0;
}

bool become_nobody() { return setgid(65534) == 0 && setuid(65534) == 0; }

/// How a stranger comes to be one.
struct Kind {
  const char* name;
  bool (*become)();
};

void PrintTo(const Kind& kind, std::ostream* stream) { *stream << kind.name; }

const Kind kinds[]{{"OfAnotherUser", become_nobody}, {"OfTheSameUser", [] { return true; }}};

class Stranger : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (geteuid() != 0 && GetParam().become == become_nobody)
      GTEST_SKIP() << "only root can be another user";
  }
  /// A process that this one has not started itself.
  template <class Body>
  pid_t start_stranger(const Body& body) {
    return start(
        [&] { return status_of(start([&] { return GetParam().become() ? body() : 100; })); });
  }
};

TEST(PluginSocket, HearsTheOperationThatItClaims) {
  const Signal open, came, claimed, told;
  const pid_t plugin = start([&] {
    PluginSocket plugin_socket;
    if (!plugin_socket.is_open() || plugin_socket.take() || !open.give() || !came.await()) return 1;
    if (!plugin_socket.claim() || plugin_socket.take() || !claimed.give() || !told.await())
      return 2;
    const auto first = plugin_socket.take(), second = plugin_socket.take(),
               third = plugin_socket.take();
    if (!first || first->topic != Topic::device || first->text != "here") return 3;
    if (!second || second->topic != Topic::note || !second->text.empty()) return 4;
    return third ? 5 : 0;
  });
  ASSERT_TRUE(open.await());
  Outbox operation;
  EXPECT_FALSE(operation.is_claimed());
  EXPECT_FALSE(operation.tell(Topic::device, "too early"));
  EXPECT_TRUE(came.give());
  ASSERT_TRUE(claimed.await());
  Outbox other;
  EXPECT_TRUE(operation.is_claimed());
  EXPECT_TRUE(operation.tell(Topic::device, "here"));
  EXPECT_TRUE(operation.tell(Topic::note, ""));
  EXPECT_FALSE(other.is_claimed());
  EXPECT_FALSE(other.tell(Topic::note, "anybody?"));
  EXPECT_TRUE(told.give());
  EXPECT_EQ(status_of(plugin), 0);
}

TEST(PluginSocket, ShowsTheOperationThatThePluginHasEnded) {
  const Signal open, came, claimed, end;
  const pid_t plugin = start([&] {
    PluginSocket plugin_socket;
    if (!plugin_socket.is_open() || !open.give() || !came.await()) return 1;
    return plugin_socket.claim() && claimed.give() && end.await() ? 0 : 2;
  });
  ASSERT_TRUE(open.await());
  Outbox operation;
  EXPECT_FALSE(operation.is_abandoned());
  EXPECT_TRUE(came.give());
  ASSERT_TRUE(claimed.await());
  Outbox other;
  EXPECT_TRUE(operation.is_claimed());
  EXPECT_FALSE(operation.is_abandoned());
  EXPECT_TRUE(end.give());
  EXPECT_EQ(status_of(plugin), 0);
  EXPECT_TRUE(operation.is_abandoned());
  EXPECT_FALSE(other.is_claimed() || other.is_abandoned());  // nobody has waited for that one
}

/// How many files this process has open.
std::ptrdiff_t open_files() {
  return std::ranges::distance(std::filesystem::directory_iterator{"/proc/self/fd"});
}

TEST(PluginSocket, IsClosedByTheNextOperationOnceThePluginHasEnded) {
  const Signal open, came, end;
  const auto before = open_files();
  for (const bool claims : {true, false}) {
    const pid_t plugin = start([&] {
      PluginSocket plugin_socket;
      if (!plugin_socket.is_open() || !open.give() || !came.await()) return 1;
      return (!claims || plugin_socket.claim()) && open.give() && end.await() ? 0 : 2;
    });
    ASSERT_TRUE(open.await());
    Outbox operation;
    EXPECT_TRUE(came.give());
    ASSERT_TRUE(open.await());
    EXPECT_EQ(open_files(), before + 1);
    {
      const Outbox other;
      EXPECT_EQ(open_files(), before + (claims ? 1 : 2));  // each that comes before one is claimed
    }
    EXPECT_TRUE(end.give());
    EXPECT_EQ(status_of(plugin), 0);
    EXPECT_EQ(open_files(), before + 1);
    const Outbox next;
    EXPECT_EQ(open_files(), before);
    EXPECT_EQ(operation.is_claimed(), claims);
    EXPECT_EQ(operation.is_abandoned(), claims);
    EXPECT_FALSE(operation.tell(Topic::device, "nobody hears this"));
  }
}

TEST(PluginSocket, KnowsWhichGpusTheOperationHasLost) {
  const Signal open, came;
  const pid_t plugin = start([&] {
    PluginSocket plugin_socket;
    if (!open.give() || !came.await() || !plugin_socket.claim()) return 1;
    return plugin_socket.lost_gpus() == std::vector<std::string>{"one", "other"} &&
                   !plugin_socket.take()
               ? 0
               : 2;
  });
  ASSERT_TRUE(open.await());
  const Outbox operation{{"one", "other"}};
  EXPECT_TRUE(came.give());
  EXPECT_EQ(status_of(plugin), 0);
}

TEST(PluginSocket, ClaimsNoneOfSeveralOperations) {
  const Signal open, came, tried;
  const pid_t plugin = start([&] {
    PluginSocket plugin_socket;
    return open.give() && came.await() && !plugin_socket.claim() && tried.give() ? 0 : 1;
  });
  ASSERT_TRUE(open.await());
  Outbox one, other;
  EXPECT_TRUE(came.give());
  EXPECT_TRUE(tried.await());
  EXPECT_FALSE(one.is_claimed() || other.is_claimed());
  EXPECT_EQ(status_of(plugin), 0);
}

TEST(PluginSocket, ClaimsNoOperationOfAnotherBuild) {
  const Signal open, came;
  const pid_t plugin = start([&] {
    PluginSocket plugin_socket;
    return open.give() && came.await() && !plugin_socket.claim() ? 0 : 1;
  });
  ASSERT_TRUE(open.await());
  const std::string other = static_cast<char>(Topic::build) + std::string{"0.0.0"};
  const int socket =
      use(names_of(getpid()).at(0), [&](int socket, const sockaddr* address, auto size) {
        EXPECT_EQ(connect(socket, address, size), 0);
        EXPECT_GT(send(socket, other.data(), other.size(), 0), 0);
      });
  EXPECT_TRUE(came.give());
  EXPECT_EQ(status_of(plugin), 0);
  close(socket);
}

TEST(PluginSocket, IsOfOnePlugInAtATime) {
  EXPECT_EQ(status_of(start([] {
              const PluginSocket one, other;
              return one.is_open() && !other.is_open() ? 0 : 1;
            })),
            0);
}

TEST(PluginSocket, HasRoomForTheDeviceAfterAnyNotes) {
  const Signal open, came, claimed, told;
  const pid_t plugin = start([&] {
    PluginSocket plugin_socket;
    if (!open.give() || !came.await() || !plugin_socket.claim() || !claimed.give() || !told.await())
      return 1;
    auto message = plugin_socket.take();
    while (message && message->topic == Topic::note) message = plugin_socket.take();
    return message && message->topic == Topic::device ? 0 : 2;
  });
  ASSERT_TRUE(open.await());
  Outbox operation;
  EXPECT_TRUE(came.give());
  ASSERT_TRUE(claimed.await());
  for (int i = 0; i < 1000; ++i)
    EXPECT_TRUE(operation.tell(Topic::note, std::to_string(i) + std::string(5000, '.')));
  EXPECT_TRUE(operation.tell(Topic::device, "here"));
  EXPECT_TRUE(told.give());
  EXPECT_EQ(status_of(plugin), 0);
}

TEST(PluginSocket, CanEndAtAnyTime) {
  const Signal open, came, claimed;
  const pid_t plugin = start([&] {
    PluginSocket plugin_socket;
    return open.give() && came.await() && plugin_socket.claim() && claimed.give() ? 0 : 1;
  });
  ASSERT_TRUE(open.await());
  Outbox operation;
  EXPECT_TRUE(came.give());
  ASSERT_TRUE(claimed.await());
  EXPECT_EQ(status_of(plugin), 0);
  EXPECT_TRUE(operation.is_claimed());
  EXPECT_FALSE(operation.tell(Topic::device, "nobody hears this"));
}

TEST_P(Stranger, WhoFillsEverythingSilencesNoOperation) {
  const pid_t gimp = getpid();
  const Signal open, came, claimed, told;
  const pid_t plugin = start([&] {
    PluginSocket plugin_socket;
    if (!open.give() || !came.await() || !plugin_socket.claim() || !claimed.give() || !told.await())
      return 1;
    const auto only = plugin_socket.take();
    if (!only || only->topic != Topic::failure || only->text != "the truth") return 2;
    return plugin_socket.take() ? 3 : 0;
  });
  ASSERT_TRUE(open.await());
  Outbox operation;
  EXPECT_EQ(status_of(start_stranger([&] { return intrude(gimp); })), 0);
  EXPECT_TRUE(came.give());
  ASSERT_TRUE(claimed.await());
  EXPECT_EQ(status_of(start_stranger([&] { return intrude(gimp); })), 0);
  EXPECT_TRUE(operation.tell(Topic::failure, "the truth"));
  EXPECT_TRUE(told.give());
  EXPECT_EQ(status_of(plugin), 0);
}

TEST_P(Stranger, WhoFillsEverythingFirstMakesThePixelsMove) {
  const pid_t gimp = getpid();
  const Signal open, came, full, end;
  const pid_t plugin = start([&] {
    PluginSocket plugin_socket;
    return open.give() && came.await() && !plugin_socket.claim() ? 0 : 1;
  });
  ASSERT_TRUE(open.await());
  const pid_t stranger =
      start_stranger([&] { return intrude(gimp) == 0 && full.give() && end.await() ? 0 : 1; });
  ASSERT_TRUE(full.await());
  Outbox operation;
  EXPECT_TRUE(came.give());
  EXPECT_EQ(status_of(plugin), 0);
  EXPECT_FALSE(operation.is_claimed());
  EXPECT_TRUE(end.give());
  EXPECT_EQ(status_of(stranger), 0);
}

TEST_P(Stranger, WhoTakesTheNameHearsNothing) {
  const Name name = taken_name();
  const Signal taken, came;
  const pid_t stranger = start_stranger([&] {
    const int socket = use(name, [](int socket, const sockaddr* address, socklen_t size) {
      if (bind(socket, address, size) == 0) listen(socket, 9);
    });
    if (!taken.give() || !came.await()) return 1;
    const int caller = accept(socket, nullptr, nullptr);
    char heard[100];
    return recv(name.type == SOCK_DGRAM ? socket : caller, heard, sizeof heard, 0) > 0 ? 2 : 0;
  });
  ASSERT_TRUE(taken.await());
  Outbox operation;
  EXPECT_FALSE(operation.is_claimed());
  EXPECT_FALSE(operation.tell(Topic::failure, "a secret"));
  EXPECT_EQ(status_of(start([] { return PluginSocket{}.is_open() ? 1 : 0; })), 0);
  EXPECT_TRUE(came.give());
  EXPECT_EQ(status_of(stranger), 0);
}

INSTANTIATE_TEST_SUITE_P(All, Stranger, testing::ValuesIn(kinds),
                         [](const auto& info) { return info.param.name; });

/// Processes that count from 1, beside others that do.
class Containers : public testing::Test {
 protected:
  void SetUp() override {
    if (status_of(start([] { return unshare(CLONE_NEWPID) == 0 ? 0 : 1; })) != 0)
      GTEST_SKIP() << "this machine lets nobody start a container here";
  }
  template <class Body>
  pid_t start_container(const Body& body) {
    return start([&] { return unshare(CLONE_NEWPID) == 0 ? status_of(start(body)) : 100; });
  }
};

TEST_F(Containers, DoNotDisturbEachOther) {
  // A GIMP and its plug-in, both with the same numbers as the other ones have.
  struct Steps {
    Signal open, came, claimed, told;
  };
  const auto gimp = [](const Steps& mine) {
    if (getpid() != 1) return 10;
    const pid_t plugin = start([&] {
      PluginSocket plugin_socket;
      if (!plugin_socket.is_open()) return 1;
      if (!mine.open.give() || !mine.came.await() || !plugin_socket.claim()) return 2;
      if (!mine.claimed.give() || !mine.told.await()) return 3;
      const auto message = plugin_socket.take();
      return message && message->text == "mine" && !plugin_socket.take() ? 0 : 4;
    });
    if (!mine.open.await()) return 20 + status_of(plugin);
    Outbox operation;
    if (!mine.came.give() || !mine.claimed.await()) return 30 + status_of(plugin);
    const bool told = operation.tell(Topic::device, "mine");
    return mine.told.give() && told ? status_of(plugin) : 40;
  };
  const Steps one, other;
  const Signal waits, goes_on;
  const pid_t first = start_container([&] {  // waits for its operation while the other one works
    const pid_t plugin = start([&] {
      PluginSocket plugin_socket;
      return plugin_socket.is_open() && waits.give() && goes_on.await() && !plugin_socket.claim()
                 ? 0
                 : 1;
    });
    return status_of(plugin);
  });
  ASSERT_TRUE(waits.await());
  EXPECT_EQ(status_of(start_container([&] { return gimp(other); })), 0);
  EXPECT_TRUE(goes_on.give());
  EXPECT_EQ(status_of(first), 0);
  EXPECT_EQ(status_of(start_container([&] { return gimp(one); })), 0);
}

TEST_F(Containers, TellNothingToWhoIsOutside) {
  const std::size_t others = names_of(1).size();
  const Signal open, seen, free, taken, came;
  const pid_t container = start_container([&] {
    const pid_t plugin = start([&] {  // only shows the name
      const PluginSocket plugin_socket;
      return open.give() && seen.await() ? 0 : 1;
    });
    if (status_of(plugin) != 0 || !free.give() || !taken.await()) return 1;
    Outbox operation;
    return came.give() && !operation.is_claimed() ? 0 : 2;
  });
  ASSERT_TRUE(open.await());
  const std::vector<Name> names = names_of(1);
  ASSERT_EQ(names.size(), others + 1);
  const Name name = names.back();
  EXPECT_TRUE(seen.give());
  EXPECT_TRUE(free.await());
  const int socket = use(name, [](int socket, const sockaddr* address, socklen_t size) {
    EXPECT_EQ(bind(socket, address, size), 0);
    listen(socket, 9);
  });
  EXPECT_TRUE(taken.give());
  EXPECT_TRUE(came.await());
  const int caller = accept(socket, nullptr, nullptr);
  char heard[100];
  EXPECT_LE(recv(name.type == SOCK_DGRAM ? socket : caller, heard, sizeof heard, 0), 0);
  EXPECT_EQ(status_of(container), 0);
  close(socket), close(caller);
}

TEST_F(Containers, HaveNoGimpOutside) {
  EXPECT_EQ(status_of(start_container([] { return PluginSocket{}.is_open() ? 1 : 0; })), 0);
}

}  // namespace
}  // namespace cuda_filters::plugin
