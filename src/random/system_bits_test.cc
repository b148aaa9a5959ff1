// SPDX-License-Identifier: Apache-2.0
// SystemBits on the operating system that it is made for: forks, threads, and a kernel that refuses
// (by a seccomp filter in a child process, because the product has no door for a test to use).
#include "random/system_bits.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/children_for_tests.h"
#include "random/bit_source.h"

namespace discreet::random::system_bits_test {
namespace {

static_assert(BitSource<SystemBits>);
static_assert(!std::is_default_constructible_v<SystemBits>);
static_assert(!std::is_copy_constructible_v<SystemBits>);
static_assert(!std::is_move_constructible_v<SystemBits>);

SystemBits& bits() {
  Result<SystemBits*> source = SystemBits::this_thread();
  EXPECT_TRUE(source.has_value());
  return **source;
}

using Words = std::vector<std::uint64_t>;

Words take_many(std::size_t count) {
  Words words;
  while (words.size() < count) words.push_back(bits().take(64));
  return words;
}

bool all_distinct(Words words) {
  std::sort(words.begin(), words.end());
  return std::adjacent_find(words.begin(), words.end()) == words.end();
}

// What `in_child` returns in a child process, or its exit status when it did not get that far.
struct FromChild {
  Words words;
  int status = -1;
};
FromChild run_in_child(pid_t (*make_child)(), const std::function<Words()>& in_child) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = make_child();
  if (child == 0) {
    const Words words = in_child();
    const std::size_t size = words.size() * sizeof(std::uint64_t);
    const bool written = write(ends[1], words.data(), size) == static_cast<ssize_t>(size);
    _exit(written ? 0 : 1);
  }
  EXPECT_GT(child, 0);
  close(ends[1]);
  FromChild result;
  std::uint64_t word = 0;
  while (read(ends[0], &word, sizeof word) == sizeof word) result.words.push_back(word);
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

// 1 when this thread's source refuses with kNoEntropy and a text that contains `fix`.
std::uint64_t refuses(const char* fix) {
  const Result<SystemBits*> source = SystemBits::this_thread();
  return !source.has_value() && source.error().code == Code::kNoEntropy &&
         source.error().message.find(fix) != std::string::npos;
}

// False alarm for all tests on distinct words: fewer than 2^16 words each, so below 2^-33.
TEST(SystemBits, ForksShareNoBits) {
  for (pid_t (*make_child)() : {library_fork, raw_fork}) {
    Words words = take_many(100);
    const FromChild child = run_in_child(make_child, [&] {
      Words own = take_many(3000);
      const FromChild grandchild = run_in_child(make_child, [] { return take_many(2000); });
      own.insert(own.end(), grandchild.words.begin(), grandchild.words.end());
      return own;
    });
    const FromChild second = run_in_child(make_child, [] { return take_many(3000); });
    EXPECT_EQ(child.words.size(), 5000u);
    EXPECT_EQ(second.words.size(), 3000u);
    for (const Words& others : {child.words, second.words, take_many(5000)}) {
      words.insert(words.end(), others.begin(), others.end());
    }
    EXPECT_TRUE(all_distinct(words));
  }
}

// 63 bits of a word are left in the reservoir when the child is made. False alarm 2^-62.
TEST(SystemBits, ForksShareNoReservoir) {
  for (pid_t (*make_child)() : {library_fork, raw_fork}) {
    while (bits().bits_taken() % 64 != 1) bits().take(1);
    const FromChild child = run_in_child(make_child, [] { return Words{bits().take(63)}; });
    ASSERT_EQ(child.words.size(), 1u);
    EXPECT_NE(child.words[0], 0u);
    EXPECT_NE(child.words[0], bits().take(63));
  }
}

TEST(SystemBits, ThreadsHaveStreamsOfTheirOwn) {
  std::vector<Words> of_thread(8);
  std::vector<std::thread> threads;
  for (Words& words : of_thread) threads.emplace_back([&words] { words = take_many(5000); });
  for (std::thread& thread : threads) thread.join();
  Words all;
  for (const Words& words : of_thread) all.insert(all.end(), words.begin(), words.end());
  EXPECT_EQ(all.size(), 40000u);
  EXPECT_TRUE(all_distinct(all));
}

// The size of the mappings that are wiped on fork (wf) and left out of core files (dd). Neighbours
// merge, so their number says nothing.
std::int64_t protected_kib() {
  std::ifstream maps("/proc/self/smaps");
  std::int64_t total = 0;
  std::int64_t size = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.starts_with("Size:")) size = std::stoll(line.substr(5));
    if (!line.starts_with("VmFlags:")) continue;
    line += ' ';
    if (line.find(" wf ") != line.npos && line.find(" dd ") != line.npos) total += size;
  }
  return total;
}

TEST(SystemBits, LivesInProtectedPagesAndGivesThemBackWhenTheThreadEnds) {
  bits().take(1);
  const std::int64_t before = protected_kib();
  EXPECT_GE(before, static_cast<std::int64_t>(sizeof(Stream) / 1024));
  std::int64_t during = 0;
  std::thread([&] {
    bits().take(1);
    during = protected_kib();
  }).join();
  EXPECT_GT(during, before);
  EXPECT_EQ(protected_kib(), before);
}

TEST(SystemBits, CountsTheBitsItHandsOut) {
  const std::uint64_t before = bits().bits_taken();
  bits().take(64);
  bits().take(3);
  EXPECT_EQ(bits().bits_taken() - before, 67u);
  std::size_t words = 0;
  while (words < 5000) words += bits().take_words(5000 - words).size();
  EXPECT_EQ(bits().bits_taken() - before, 67u + 64u * 5000u);
}

// By Hoeffding a fair bit strays from n/2 by more than t n with at most 2 exp(-2 n t^2); for 64
// bits, n = 2^18 and t = 1/128 that is below 2^-38. The or of two words is what a broken take could
// give.
TEST(SystemBits, EveryBitOfAWordIsFairAndABiasedOneIsSeen) {
  constexpr int kWords = 1 << 18;
  std::array<int, 64> fair{};
  std::array<int, 64> biased{};
  for (int i = 0; i < kWords; ++i) {
    const std::uint64_t word = bits().take(64);
    const std::uint64_t wrong = word | (word >> 1 & word >> 2 & word >> 3 & word >> 4);
    for (std::size_t b = 0; b < 64; ++b) {
      fair[b] += static_cast<int>(word >> b & 1);
      biased[b] += static_cast<int>(wrong >> b & 1);
    }
  }
  const auto strays = [](int ones) { return std::abs(ones - kWords / 2) > kWords / 128; };
  EXPECT_EQ(std::count_if(fair.begin(), fair.end(), strays), 0);
  EXPECT_GE(std::count_if(biased.begin(), biased.end(), strays), 50);
}

// R1, with the first use in a thread that the kernel gives nothing.
TEST(SystemBits, AThreadWithoutEntropyGetsAnErrorForGood) {
  const FromChild child = run_in_child(library_fork, [] {
    forbid(SYS_getrandom, ENOSYS);
    Words seen;
    std::thread([&] {
      for (int i = 0; i < 3; ++i) seen.push_back(refuses("allows the getrandom system call"));
    }).join();
    return seen;
  });
  EXPECT_EQ(child.words, (Words{1, 1, 1}));
}

TEST(SystemBits, AKernelThatCannotWipePagesGetsAnErrorAndNoBits) {
  const FromChild child = run_in_child(library_fork, [] {
    forbid(SYS_madvise, EINVAL, MADV_WIPEONFORK);
    Words seen;
    std::thread([&] { seen.push_back(refuses("Linux 4.14")); }).join();
    return seen;
  });
  EXPECT_EQ(child.words, Words{1});
}

// R2.
TEST(SystemBits, WhenLaterReadsFailBitsKeepComingAndHealthIsGoneForGood) {
  const FromChild child = run_in_child(library_fork, [] {
    SystemBits& source = bits();
    Words words = {source.take(64)};
    const bool healthy_before = source.healthy();
    forbid(SYS_getrandom, EPERM);
    while (source.bits_taken() < std::uint64_t{8} << 20) words.push_back(source.take(64));
    const bool distinct = all_distinct(words);
    const bool healthy_after = source.healthy();
    while (source.bits_taken() < std::uint64_t{24} << 20) source.take(64);
    return Words{healthy_before, healthy_after, distinct, source.healthy(), refuses("getrandom")};
  });
  EXPECT_EQ(child.words, (Words{1, 0, 1, 0, 1}));
}

// R3, the case in which there is no key to go on with.
TEST(SystemBits, AChildWithoutEntropyGetsAnErrorOrEndsInsteadOfDrawing) {
  SystemBits& source = bits();
  source.take(64);
  const FromChild asks = run_in_child(library_fork, [] {
    forbid(SYS_getrandom, EPERM);
    return Words{refuses("getrandom"), refuses("getrandom")};
  });
  EXPECT_EQ(asks.words, (Words{1, 1}));
  const FromChild draws = run_in_child(library_fork, [&] {
    forbid(SYS_getrandom, EPERM);
    close(STDERR_FILENO);  // it will say why it ends
    return Words{source.take(64)};
  });
  EXPECT_TRUE(draws.words.empty());
  EXPECT_EQ(draws.status, describe(Code::kNoEntropy).exit_status);
}

}  // namespace
}  // namespace discreet::random::system_bits_test
