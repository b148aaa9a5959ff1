// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>

namespace discreet::files_test {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "discreet-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path directory_;
};

TEST_F(Files, TheDeviceIsThatOfTheFileALinkLeadsTo) {
  const auto file = OpenFile::open(directory_ / "f", O_RDWR | O_CREAT).value();
  std::filesystem::create_symlink("/proc/self/stat", directory_ / "link");
  EXPECT_EQ(device_of(directory_ / "f").value(), device_of(directory_).value());
  EXPECT_EQ(device_of(directory_ / "link").value(), device_of("/proc/self/stat").value());
  EXPECT_NE(device_of(directory_ / "link").value(), device_of(directory_ / "f").value());
  EXPECT_EQ(device_of(directory_ / "missing").error().code, Code::kNotFound);
}

TEST_F(Files, AMessageNamesTheWholePath) {
  EXPECT_EQ(path_in_quotes("a\nb\x7f\xc3\xa4"), "'a?b?\xc3\xa4'");
  const std::filesystem::path deep = directory_ / std::string(100, 'd') / "file";
  const auto open = OpenFile::open(deep, O_RDONLY);
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().message.find("'" + deep.string() + "'"), std::string::npos);
}

TEST_F(Files, WhatIsWrittenIsReadBackAndShortOnlyAtTheEnd) {
  const auto file = OpenFile::open(directory_ / "f", O_RDWR | O_CREAT).value();
  ASSERT_TRUE(file.write_at(3, "abc").has_value());
  ASSERT_TRUE(file.sync().has_value());
  EXPECT_EQ(file.read_at(0, 100).value(), std::string("\0\0\0abc", 6));
  EXPECT_EQ(file.read_at(4, 1).value(), "b");
  EXPECT_EQ(file.read_at(6, 1).value(), "");
  ASSERT_TRUE(file.resize(4).has_value());
  EXPECT_EQ(file.size().value(), 4U);
  EXPECT_EQ(file.permissions().value() & 077U, 0U);
}

TEST_F(Files, ErrorsTellMissingFromTakenFromFailed) {
  const auto code_of = [](const Result<OpenFile>& result) { return result.error().code; };
  EXPECT_EQ(code_of(OpenFile::open(directory_ / "none", O_RDONLY)), Code::kNotFound);
  EXPECT_EQ(code_of(OpenFile::open(directory_ / "no" / "f", O_RDWR | O_CREAT)), Code::kNotFound);
  EXPECT_EQ(code_of(OpenFile::open(directory_, O_RDWR)), Code::kStorage);
  ASSERT_TRUE(OpenFile::open(directory_ / "f", O_RDWR | O_CREAT).has_value());
  EXPECT_EQ(code_of(OpenFile::open(directory_ / "f", O_RDWR | O_CREAT | O_EXCL)), Code::kConflict);
  const auto full = OpenFile::open("/dev/full", O_WRONLY).value().write_at(0, "x");
  ASSERT_FALSE(full.has_value());
  EXPECT_EQ(full.error().code, Code::kStorage);
  EXPECT_NE(full.error().message.find("/dev/full"), std::string::npos);
}

TEST_F(Files, DirectoriesAreMadeAllTheWayAndAgain) {
  const auto deep = directory_ / "a" / "b" / "c";
  ASSERT_TRUE(make_directories(deep).has_value());
  ASSERT_TRUE(make_directories(deep).has_value());
  ASSERT_TRUE(make_directories(deep.string() + "/").has_value());
  EXPECT_TRUE(std::filesystem::is_directory(deep));
  EXPECT_EQ(std::filesystem::status(deep).permissions(), std::filesystem::perms::owner_all);
  ASSERT_TRUE(sync_directory_of(deep / "file").has_value());
}

TEST_F(Files, ALockKeepsOthersOutUntilItIsClosed) {
  const auto path = directory_ / "f";
  auto first = std::make_unique<OpenFile>(OpenFile::open(path, O_RDWR | O_CREAT).value());
  ASSERT_TRUE(first->lock().has_value());
  const int second = ::open(path.c_str(), O_RDWR);
  EXPECT_NE(flock(second, LOCK_EX | LOCK_NB), 0);
  first.reset();
  EXPECT_EQ(flock(second, LOCK_EX | LOCK_NB), 0);
  ::close(second);
}

}  // namespace
}  // namespace discreet::files_test
