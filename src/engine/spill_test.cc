// SPDX-License-Identifier: Apache-2.0
#include "engine/spill.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <thread>
#include <vector>

#include "engine/bounding.h"

namespace discreet::engine::spill_test {
namespace {

/// A folder of its own, gone with this.
class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / "discreet-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// While this is there, files cannot grow beyond `bytes`: a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

std::vector<std::uint64_t> numbers(std::size_t count, std::uint64_t first) {
  std::vector<std::uint64_t> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = first + i;
  return out;
}

TEST(Spill, GivesBackWhatSeveralThreadsWrote) {
  const Folder folder;
  Spill spill(folder.path());
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&spill, t] {
      std::vector<std::pair<std::uint64_t, std::vector<std::uint64_t>>> written;
      for (const std::size_t count : {1U, 3U, 40'000U, 2U, 32'768U, 99'999U}) {
        auto words = numbers(count, t << 40);
        written.emplace_back(spill.write(words), std::move(words));
      }
      for (const auto& [place, words] : written) {
        std::vector<std::uint64_t> back(words.size());
        spill.read(place, back);
        EXPECT_EQ(back, words);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// What a thief of the disk would see: no name, and none of the words.
TEST(Spill, LeavesNothingToReadOnDisk) {
  const Folder folder;
  Spill spill(folder.path());
  const auto words = numbers(5'000, 0x7061'7469'656e'7400);
  (void)spill.write(words);
  (void)spill.write(words);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  struct stat facts{};
  ASSERT_EQ(fstat(spill.descriptor(), &facts), 0);
  EXPECT_EQ(facts.st_nlink, 0U);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  std::vector<std::uint64_t> raw(10'000);
  ASSERT_EQ(pread(spill.descriptor(), raw.data(), 80'000, 0), 80'000);
  std::vector<std::uint64_t> seen = raw;
  std::sort(seen.begin(), seen.end());
  for (const std::uint64_t word : words) {
    ASSERT_FALSE(std::binary_search(seen.begin(), seen.end(), word));
  }
  // Equal words look different, at another place and in another file.
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
  Spill other(folder.path());
  (void)other.write(words);
  std::vector<std::uint64_t> again(5'000);
  ASSERT_EQ(pread(other.descriptor(), again.data(), 40'000, 0), 40'000);
  for (std::size_t i = 0; i < again.size(); ++i) ASSERT_NE(again[i], raw[i]);
}

TEST(Spill, HasOneAnswerWhenTheDiskFails) {
  EXPECT_THROW(Spill("/nowhere/at/all"), NoRoom);
  const Folder folder;
  Spill spill(folder.path());
  const auto words = numbers(100'000, 1);
  {
    const FullDisk full(4'096);
    EXPECT_THROW((void)spill.write(words), std::bad_alloc);
  }
  std::vector<std::uint64_t> back(100'000);
  EXPECT_THROW(spill.read(1U << 30, back), NoRoom);  // beyond its end
}

// The room is kept: slabs are used again, and a thread keeps its least.
TEST(RowRoom, IsNotExceeded) {
  constexpr std::size_t kBytes = std::size_t{16} << 20;
  const Folder folder;
  RowRoom room(kBytes, folder.path());
  const RowLayout layout(false, {});
  Intake intake(layout, Secret{{1, 2}}, room);
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  constexpr std::uint64_t kRows = 10'000'000;  // 160 MB
  for (std::uint64_t i = 0; i < kRows; i += 2'000) {
    std::uint64_t* words = intake.begin(2'000);
    for (std::uint64_t j = 0; j < 2'000; ++j) words[2 * j] = i + j;
    intake.commit();
  }
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 48 * 1024);
  std::vector<bool> seen(kRows);
  std::uint64_t count = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    intake.part(part).for_each_block([&](std::span<const std::uint64_t> block) {
      for (std::size_t i = 0; i < block.size(); i += 2) {
        ASSERT_FALSE(seen.at(block[i]));
        seen[block[i]] = true;
        ++count;
      }
    });
  }
  EXPECT_EQ(count, kRows);
}

}  // namespace
}  // namespace discreet::engine::spill_test
