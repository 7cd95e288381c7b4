// SPDX-FileCopyrightText: the gimp-cuda-filters authors
// SPDX-License-Identifier: LGPL-3.0-or-later
// Presets under names: what was kept comes back, and no file is lost.
#include "plugin/dialog/preset_file.hpp"

#include <glib.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "gpu/core/error.hpp"

namespace cuda_filters::plugin {
namespace {

class Presets : public ::testing::Test {
 protected:
  Presets() {
    std::filesystem::remove_all(folder().parent_path());
    std::filesystem::create_directories(folder());
  }

  static std::filesystem::path folder() {
    return std::filesystem::path{g_get_user_config_dir()} / "gimp-cuda-filters" / "presets";
  }
  static std::filesystem::path path() { return folder() / "median-blur.ini"; }
  static std::filesystem::path broken() { return folder() / "median-blur.ini.broken"; }
  static void write(const std::string& text) { std::ofstream{path()} << text; }
  static std::string text_of(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream{file}.rdbuf();
    return text.str();
  }

  const FilterEntry& filter = *find_filter("median-blur");
  const PresetFile file{filter};
};

TEST_F(Presets, ComeBackAsTheyWereKept) {
  Values values = initial_values(filter);
  values[1] = 17.0;
  file.save({"Dust; and [scratches]", values});
  file.save({"Second", initial_values(filter)});
  const auto presets = file.read();
  ASSERT_EQ(presets.size(), 2U);
  EXPECT_EQ(presets[0].name, "Dust; and [scratches]");
  EXPECT_EQ(presets[0].values, values);
  file.remove("Dust; and [scratches]");
  ASSERT_EQ(file.read().size(), 1U);
  EXPECT_EQ(file.read()[0].name, "Second");
}

TEST_F(Presets, PutABrokenFileAside) {
  write("no presets");
  EXPECT_TRUE(file.read().empty());
  file.save({"New", initial_values(filter)});
  EXPECT_EQ(file.read().size(), 1U);
  EXPECT_EQ(text_of(broken()), "no presets");
}

TEST_F(Presets, KeepABrokenFileThatCannotBePutAside) {
  write("no presets");
  std::filesystem::create_directories(broken() / "in the way");
  EXPECT_THROW(file.save({"New", initial_values(filter)}), Error);
  EXPECT_EQ(text_of(path()), "no presets");
}

TEST_F(Presets, KeepThoseOfALaterVersion) {
  const std::string later = "[file]\nversion=1000\n";
  write(later);
  EXPECT_THROW(file.save({"New", initial_values(filter)}), Error);
  EXPECT_EQ(text_of(path()), later);
}

TEST_F(Presets, KeepAFileThatCannotBeRead) {
  std::filesystem::create_symlink(path(), path());  // a link in a circle: reading it fails
  EXPECT_TRUE(file.read().empty());
  EXPECT_THROW(file.save({"New", initial_values(filter)}), Error);
  EXPECT_TRUE(std::filesystem::is_symlink(path()));
  EXPECT_FALSE(std::filesystem::exists(broken()));
}

TEST_F(Presets, SayThatTheFolderCannotBeMade) {
  std::filesystem::remove_all(folder());
  std::ofstream{folder()} << "a file";
  try {
    file.save({"New", initial_values(filter)});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string{error.what()}.find(folder().string()), std::string::npos) << error.what();
  }
}

/// The presets of whoever runs the tests stay as they are. GLib asks for the folder but once.
class OwnFolder : public ::testing::Environment {
  void SetUp() override {
    char name[] = "/tmp/presets-XXXXXX";
    folder_ = mkdtemp(name);
    g_setenv("XDG_CONFIG_HOME", folder_.c_str(), TRUE);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};
[[maybe_unused]] const auto* const own_folder = ::testing::AddGlobalTestEnvironment(new OwnFolder);

}  // namespace
}  // namespace cuda_filters::plugin
