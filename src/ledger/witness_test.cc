// SPDX-License-Identifier: Apache-2.0
#include "ledger/witness.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "ledger/scratch_for_tests.h"

namespace discreet::ledger::witness_test {
namespace {

const OwnerKey& owner() {
  static const OwnerKey key = OwnerKey::generate().value();
  return key;
}

Head head_at(Sequence sequence, const std::string& branch = "main") {
  Head head{"a1b2c3", sequence, sha256(branch + std::to_string(sequence)), ""};
  head.signature = owner().sign(head.message());
  return head;
}

Sequence kept_by(Witness& witness) { return witness.read().value().value().sequence; }

TEST(Head, IsReadBackFromItsText) {
  for (const Sequence sequence : {Sequence{0}, Sequence{7}, ~Sequence{0}}) {
    const Head head = head_at(sequence);
    const std::string text = head.to_text();
    EXPECT_EQ(Head::parse(text).value(), head);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    EXPECT_TRUE(verify_signature(owner().public_key(), Head::parse(text)->message(),
                                 Head::parse(text)->signature));
  }
}

// As it is typed in from paper: broken into lines, indented.
TEST(Head, MayBeBrokenIntoLines) {
  const Head head = head_at(12);
  std::string text = "  ";
  for (const char c : head.to_text()) {
    text += c;
    if (c == ':') text += "\r\n  ";
  }
  EXPECT_EQ(Head::parse(text).value(), head);
}

TEST(Head, AnyOtherCharacterAnywhereIsRefused) {
  const std::string text = head_at(12).to_text();
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string slip = text;
    slip[i] = slip[i] == '3' ? '8' : '3';
    EXPECT_FALSE(Head::parse(slip).has_value()) << i;
    std::string lost = text;
    lost.erase(i, 1);
    EXPECT_FALSE(Head::parse(lost).has_value()) << i;
  }
  EXPECT_FALSE(Head::parse("").has_value());
  EXPECT_FALSE(Head::parse(std::string(1000000, ':')).has_value());
  EXPECT_FALSE(Head::parse(std::string(1000, '\0')).has_value());
}

TEST(Head, TheSignatureCoversEveryField) {
  const Head head = head_at(3);
  const auto is_good = [](const Head& h) {
    return verify_signature(owner().public_key(), h.message(), h.signature);
  };
  ASSERT_TRUE(is_good(head));
  Head other = head;
  other.ledger_id = "a1b2c4";
  EXPECT_FALSE(is_good(other));
  other = head;
  other.sequence = 4;
  EXPECT_FALSE(is_good(other));
  other = head;
  other.hash[31] ^= 1;
  EXPECT_FALSE(is_good(other));
}

TEST(FileWitness, NothingIsThereAtFirstAndNothingIsInventedByAdvancing) {
  const Scratch scratch;
  const auto witness = file_witness(scratch / "witness");
  EXPECT_EQ(witness->read().value(), std::nullopt);
  const auto advanced = witness->advance(head_at(1));
  ASSERT_FALSE(advanced.has_value());  // a lost witness is not quietly made again
  EXPECT_EQ(advanced.error().code, Code::kStorage);
  EXPECT_EQ(witness->read().value(), std::nullopt);
}

TEST(FileWitness, KeepsTheNewestHeadAndNeverMovesBack) {
  const Scratch scratch;
  const auto witness = file_witness(scratch / "witness");
  ASSERT_TRUE(witness->replace(head_at(0)).has_value());
  for (const Sequence sequence : {1, 2, 5, 5, 3, 6, 0}) {
    ASSERT_TRUE(witness->advance(head_at(sequence)).has_value());
  }
  EXPECT_EQ(file_witness(scratch / "witness")->read().value(), head_at(6));
}

TEST(FileWitness, TheOwnerMaySetItBack) {
  const Scratch scratch;
  const auto witness = file_witness(scratch / "witness");
  ASSERT_TRUE(witness->replace(head_at(9)).has_value());
  ASSERT_TRUE(witness->replace(head_at(4, "other")).has_value());
  EXPECT_EQ(witness->read().value(), head_at(4, "other"));
  ASSERT_TRUE(witness->advance(head_at(5, "other")).has_value());
  EXPECT_EQ(kept_by(*witness), 5U);
}

// W3: what a second copy of a ledger meets.
TEST(FileWitness, AnotherHistoryIsRefused) {
  const Scratch scratch;
  const auto witness = file_witness(scratch / "witness");
  ASSERT_TRUE(witness->replace(head_at(4)).has_value());
  const auto fork = witness->advance(head_at(4, "other"));
  ASSERT_FALSE(fork.has_value());
  EXPECT_EQ(fork.error().code, Code::kCorrupt);
  const auto unrecognised = witness->advance(head_at(5, "other"), [](const Head& kept) {
    EXPECT_EQ(kept, head_at(4));
    return Result<void>(Error{Code::kCorrupt, "not mine"});
  });
  ASSERT_FALSE(unrecognised.has_value());
  EXPECT_EQ(unrecognised.error().message, "not mine");
  Head strange = head_at(5);
  strange.ledger_id = "another";
  EXPECT_FALSE(witness->advance(strange).has_value());
  EXPECT_EQ(witness->read().value(), head_at(4));
}

// W2: every way in which the write of a slot may stop, in either slot.
TEST(FileWitness, ATornSlotLeavesTheHeadBefore) {
  const Scratch scratch;
  const auto file = scratch / "witness";
  const auto witness = file_witness(file);
  ASSERT_TRUE(witness->replace(head_at(0)).has_value());
  for (Sequence sequence = 1; sequence <= 4; ++sequence) {
    const std::string before = slurp(file);
    ASSERT_TRUE(witness->advance(head_at(sequence)).has_value());
    const std::string after = slurp(file);
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t cut = 0; cut <= after.size(); cut += 37) {
      spill(file, after.substr(0, cut) + before.substr(cut));
      const Sequence kept = kept_by(*witness);
      EXPECT_TRUE(kept == sequence || kept == sequence - 1) << cut;
      // And it goes on from there.
      ASSERT_TRUE(witness->advance(head_at(sequence + 1)).has_value());
      EXPECT_EQ(kept_by(*witness), sequence + 1) << cut;
    }
    spill(file, after);
  }
}

struct Damage {
  const char* what;
  std::string bytes;
};

TEST(FileWitness, ADamagedFileIsNeitherReadNorMovedOnlyReplaced) {
  const Scratch scratch;
  const auto file = scratch / "witness";
  const auto witness = file_witness(file);
  ASSERT_TRUE(witness->replace(head_at(1)).has_value());
  ASSERT_TRUE(witness->advance(head_at(2)).has_value());
  const std::string good = slurp(file);
  std::string both_torn = good;
  both_torn[100] ^= 1;
  both_torn[4096 + 100] ^= 1;
  const Damage cases[] = {
      {"empty", ""},
      {"both torn", both_torn},
      {"zeros", std::string(8192, '\0')},
      {"a megabyte of junk", std::string(1 << 20, 'j')},
      {"a megabyte of blanks and lines", std::string(1 << 19, ' ') + std::string(1 << 19, '\n')},
  };
  for (const Damage& damage : cases) {
    spill(file, damage.bytes);
    const auto head = witness->read();
    ASSERT_FALSE(head.has_value()) << damage.what;
    EXPECT_EQ(head.error().code, Code::kCorrupt) << damage.what;
    EXPECT_NE(head.error().message.find("witness restore"), std::string::npos);
    EXPECT_FALSE(witness->advance(head_at(3)).has_value()) << damage.what;
    EXPECT_EQ(slurp(file), damage.bytes);
    ASSERT_TRUE(witness->replace(head_at(3)).has_value()) << damage.what;
    EXPECT_EQ(kept_by(*witness), 3U);
    EXPECT_EQ(slurp(file).size(), 8192U);
  }
}

TEST(FileWitness, AnySingleChangedByteIsNoticed) {
  const Scratch scratch;
  const auto file = scratch / "witness";
  const auto witness = file_witness(file);
  ASSERT_TRUE(witness->replace(head_at(1)).has_value());  // the second slot is still empty
  const std::string good = slurp(file);
  for (std::size_t i = 0; i < 512; ++i) {
    std::string bent = good;
    bent[i] = static_cast<char>(bent[i] ^ 4);
    spill(file, bent);
    EXPECT_FALSE(witness->read().has_value()) << i;
  }
}

TEST(FileWitness, AMissingDirectoryIsNamed) {
  const Scratch scratch;
  const auto witness = file_witness(scratch / "nowhere" / "witness");
  EXPECT_EQ(witness->read().value(), std::nullopt);
  const auto replaced = witness->replace(head_at(1));
  ASSERT_FALSE(replaced.has_value());
  EXPECT_EQ(replaced.error().code, Code::kStorage);
  EXPECT_NE(replaced.error().message.find("nowhere"), std::string::npos);
}

TEST(FileWitness, AReadOnlyFileIsReadAndNotMoved) {
  const Scratch scratch;
  const auto file = scratch / "witness";
  const auto witness = file_witness(file);
  ASSERT_TRUE(witness->replace(head_at(1)).has_value());
  chmod(file.c_str(), 0444);
  chmod(scratch.path().c_str(), 0755);
  const AsOrdinaryUser user;
  EXPECT_EQ(kept_by(*witness), 1U);
  const auto advanced = witness->advance(head_at(2));
  ASSERT_FALSE(advanced.has_value());
  EXPECT_EQ(advanced.error().code, Code::kStorage);
  EXPECT_EQ(kept_by(*witness), 1U);
}

TEST(FileWitness, AFullDiskIsAnErrorAndKeepsTheHeadBefore) {
  const Scratch scratch;
  const auto witness = file_witness(scratch / "witness");
  ASSERT_TRUE(witness->replace(head_at(1)).has_value());
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096 + 200, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto advanced = witness->advance(head_at(2));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(advanced.has_value());
  EXPECT_EQ(advanced.error().code, Code::kStorage);
  EXPECT_EQ(kept_by(*witness), 1U);
}

TEST(FileWitness, ADirectoryOrADeviceIsNoWitness) {
  const Scratch scratch;
  EXPECT_FALSE(file_witness(scratch.path())->replace(head_at(1)).has_value());
  EXPECT_FALSE(file_witness("/dev/full")->replace(head_at(1)).has_value());
}

// Eight threads and four processes move one witness at once; each leaves it at or after its own
// head, and the end is the newest of all.
TEST(FileWitness, ManyMoveItAtOnceAndTheNewestStays) {
  const Scratch scratch;
  const auto file = scratch / "witness";
  ASSERT_TRUE(file_witness(file)->replace(head_at(0)).has_value());
  constexpr Sequence kEach = 25;
  const auto work = [&file](Sequence first, Sequence step) {
    const auto witness = file_witness(file);
    bool is_fine = true;
    for (Sequence i = 0; i < kEach; ++i) {
      const Sequence mine = first + i * step;
      is_fine = is_fine && witness->advance(head_at(mine)).has_value() && kept_by(*witness) >= mine;
    }
    return is_fine;
  };
  (void)owner();  // the children must share it
  std::vector<pid_t> children;
  for (Sequence child = 0; child < 4; ++child) {
    const pid_t pid = fork();
    if (pid == 0) _exit(work(1 + child, 12) ? 0 : 1);
    children.push_back(pid);
  }
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (Sequence thread = 4; thread < 12; ++thread) {
    threads.emplace_back([&, thread] { failures += work(1 + thread, 12) ? 0 : 1; });
  }
  for (std::thread& thread : threads) thread.join();
  for (const pid_t pid : children) {
    int status = 0;
    waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(kept_by(*file_witness(file)), 12 * kEach);
}

}  // namespace
}  // namespace discreet::ledger::witness_test
