// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
#include "gpu/cuda/kernels_file.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/environment.hpp"
#include "tests/support/temporary_path.hpp"

namespace cuda_filters::cuda {
namespace {

/// A folder for this user's data, with a file of kernels in it.
class KernelsFile : public testing::Test {
 protected:
  KernelsFile() { std::filesystem::create_directories(folder_.path() / "gimp-cuda-filters"); }

  void write(const std::string& content) const {
    std::ofstream{folder_.path() / "gimp-cuda-filters/cuda-filters.kernels", std::ios::binary}
        << content;
  }

  /// What stands for the sixteen bytes behind the first eight of a file.
  static std::string place() {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const std::uint64_t word : {0x3736353433323130u, 0x6665646362613938u})
      hash = (hash ^ word) * 0x100000001b3;
    std::string place = "CUDAFKRN";
    for (const std::uint64_t number : {std::uint64_t{8}, std::uint64_t{16}, hash}) {
      char bytes[8];
      std::memcpy(bytes, &number, sizeof bytes);
      place.append(bytes, sizeof bytes);
    }
    return place;
  }

 private:
  test::TemporaryPath folder_;
  test::Variable variable_{"XDG_DATA_HOME", folder_.path().c_str()};
};

TEST_F(KernelsFile, HasTheCodeThatAnObjectTellsThePlaceOf) {
  const std::string linked = place();
  write("previous0123456789abcdefnext");
  MachineCode code{linked.data()};
  const void* const found = code.get();
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(std::string(static_cast<const char*>(found), 16), "0123456789abcdef");
  EXPECT_EQ(code.get(), found) << "it is read once";
}

TEST_F(KernelsFile, OfAnotherVersionIsNoneAndOneThatCameLaterIsFound) {
  const std::string linked = place();
  MachineCode code{linked.data()};
  EXPECT_EQ(code.get(), nullptr) << "there is none";
  write("previous0123456789abcdeXnext");
  EXPECT_EQ(code.get(), nullptr) << "other code is there";
  write("previous0123456789abcde");
  EXPECT_EQ(code.get(), nullptr) << "it ends too early";
  write("");
  EXPECT_EQ(code.get(), nullptr);
  write("previous0123456789abcdef");
  EXPECT_NE(code.get(), nullptr);
}

TEST_F(KernelsFile, IsNotNeededForCodeThatIsLinked) {
  const std::string linked = std::string("\x50\xed\x55\xba") + std::string(60, '0');
  MachineCode code{linked.data()};
  EXPECT_EQ(code.get(), linked.data());
}

TEST_F(KernelsFile, OfThisBuildIsThere) { EXPECT_TRUE(has_kernels()); }

}  // namespace
}  // namespace cuda_filters::cuda
