// SPDX-License-Identifier: Apache-2.0
// The person's own budget: through the C interface, across restarts, and against damaged files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/children_for_tests.h"
#include "local/client/answering.h"
#include "local/client/discreet_client.h"
#include "local/client/memory.h"
#include "local/client/seeded_bits_for_tests.h"
#include "local/design.h"

namespace discreet::local::client_test {
namespace {

class Client : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "discreet-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    path = folder / "memory";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Survey survey(const std::string& name, const char* e = "1") const {
    return design_choices(
               {.name = name, .epsilon = Epsilon::parse(e).value(), .labels = {"no", "yes"}})
        .value();
  }

  struct Made {
    int status;
    std::string bytes;
    std::string error;
  };
  // A client that opens its memory, answers once and is gone.
  Made report(const Survey& s, const char* answer, const char* budget = nullptr) const {
    const std::string bytes = encode(s);
    discreet_client* client = nullptr;
    Made made{discreet_client_open(path.c_str(), budget, &client), "", ""};
    if (made.status == 0) {
      made.bytes.resize(1000);
      std::size_t size = made.bytes.size();
      made.status = discreet_client_report(client, reinterpret_cast<const uint8_t*>(bytes.data()),
                                           bytes.size(), answer,
                                           reinterpret_cast<uint8_t*>(made.bytes.data()), &size);
      made.bytes.resize(made.status == 0 ? size : 0);
    }
    made.error = discreet_client_error(client);
    discreet_client_close(client);
    return made;
  }
  std::string contents() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void overwrite(const std::string& bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }

  std::filesystem::path folder;
  std::filesystem::path path;
};

TEST_F(Client, SpendsItsBudgetOnceAndForLife) {
  EXPECT_EQ(report(survey("a"), "yes").status, DISCREET_BAD_INPUT);  // no budget yet
  const Made first = report(survey("a"), "yes", "2.5");
  EXPECT_EQ(first.status, 0) << first.error;
  // Asked again, also with another answer: the same bytes, the same id, nothing spent.
  EXPECT_EQ(report(survey("a"), "yes").bytes, first.bytes);
  EXPECT_EQ(report(survey("a"), "no").bytes, first.bytes);
  EXPECT_EQ(report(survey("b"), "no").status, 0);
  const Made third = report(survey("c"), "no");
  EXPECT_EQ(third.status, DISCREET_BUDGET);
  EXPECT_NE(third.error.find("0.5"), std::string::npos) << third.error;
  EXPECT_EQ(report(survey("d", "0.5"), "no").status, 0);
  EXPECT_EQ(report(survey("e", "0.001"), "no").status, DISCREET_BUDGET);
  // The budget is not a switch.
  EXPECT_EQ(report(survey("c"), "no", "100").status, DISCREET_BAD_INPUT);
  EXPECT_EQ(report(survey("a"), "no").bytes, first.bytes);
}

TEST_F(Client, RefusesBadAnswersAndGreedySurveysForNothing) {
  EXPECT_EQ(report(survey("a"), "maybe", "1").status, DISCREET_BAD_INPUT);
  Survey greedy = survey("a");
  greedy.parameters.odds *= 2;
  EXPECT_EQ(report(greedy, "yes").status, DISCREET_REFUSED);
  EXPECT_EQ(report(survey("a"), "yes").status, 0);  // the whole budget was still there
}

TEST_F(Client, RefusesEveryDamagedMemory) {
  ASSERT_EQ(report(survey("a"), "yes", "2").status, 0);
  const std::string good = contents();
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bent = good;
    bent[i] = static_cast<char>(bent[i] ^ 0x10);
    overwrite(bent);
    // (The fourth byte is the version.)
    EXPECT_EQ(report(survey("b"), "yes").status, i == 3 ? DISCREET_BAD_INPUT : DISCREET_WORLD) << i;
    overwrite(good.substr(0, i));
    EXPECT_EQ(report(survey("b"), "yes").status, DISCREET_WORLD) << i;
    EXPECT_EQ(contents().size(), i);  // and was not "mended"
  }
  overwrite(good);
  EXPECT_EQ(report(survey("b"), "yes").status, 0);
}

// Many processes at once, a budget for three surveys of eight.
TEST_F(Client, CountsOneBudgetForAllProcesses) {
  ASSERT_EQ(report(survey("0"), "yes", "4").status, 0);
  std::vector<pid_t> children;
  for (int i = 1; i <= 8; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(report(survey(std::to_string(i)), "yes").status);
    children.push_back(child);
  }
  int answered = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    answered += WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  EXPECT_EQ(answered, 3);
}

// A forked child has the parent's lock and what the parent knew: together they would spend twice.
TEST_F(Client, AForkIsNoSecondBudget) {
  Memory memory = Memory::open(path, kNano).value();
  const auto in_child = [](const auto& run) { return status_in_child(raw_fork, run); };
  const auto refused = [](const Error& error) {
    return error.code == Code::kRefused && error.message.find("fork") != std::string::npos ? 7 : 8;
  };
  SeededBits bits{1};
  const auto answers = [&] {
    const auto made = answer(survey("a"), "yes", memory, bits);
    return made ? 0 : refused(made.error());
  };
  EXPECT_EQ(in_child(answers), 7);
  EXPECT_EQ(in_child([&] {
              const auto done = memory.replace(memory.ledger());
              return done ? 0 : refused(done.error());
            }),
            7);
  EXPECT_EQ(answers(), 0);
  EXPECT_EQ(in_child(answers), 7);  // nor does it read what the parent remembers
}

TEST_F(Client, EveryNameOfAMemoryIsOneMemory) {
  const std::filesystem::path other = folder / "elsewhere";
  const std::filesystem::path real = path;
  std::filesystem::create_directory(other);
  // A link that leads nowhere yet would become a memory of its own.
  std::filesystem::create_symlink(real, other / "link");
  path = other / "link";
  EXPECT_EQ(report(survey("a"), "yes", "1").status, DISCREET_BAD_INPUT);
  path = real;
  const Made first = report(survey("a"), "yes", "1");
  ASSERT_EQ(first.status, 0) << first.error;
  path = other / "link";
  EXPECT_EQ(report(survey("a"), "no").bytes, first.bytes);
  EXPECT_EQ(report(survey("b"), "no").status, DISCREET_BUDGET);
  EXPECT_TRUE(std::filesystem::is_symlink(path));
  EXPECT_FALSE(std::filesystem::exists(path.string() + ".lock"));
  // A relative path stays where it was when the process goes elsewhere.
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  {
    Memory memory = Memory::open("relative", 2 * kNano).value();
    std::filesystem::current_path(other);
    SeededBits bits{1};
    EXPECT_TRUE(answer(survey("a"), "yes", memory, bits));
  }
  std::filesystem::current_path(before);
  EXPECT_FALSE(std::filesystem::exists(other / "relative"));
  EXPECT_EQ(Memory::open(folder / "relative", {}).value().left(), kNano);
  // A second hard link would keep what was spent before.
  path = real;
  std::filesystem::create_hard_link(real, other / "hard");
  EXPECT_EQ(report(survey("a"), "yes").status, DISCREET_REFUSED);
  std::filesystem::remove(other / "hard");
  EXPECT_EQ(report(survey("a"), "yes").bytes, first.bytes);
}

// What was drawn once does not depend on later answers, not even on whether they are any.
TEST_F(Client, LaterAnswersAreNotRead) {
  const Made first = report(survey("a"), "yes", "2");
  EXPECT_EQ(report(survey("a"), "maybe").bytes, first.bytes);
  EXPECT_EQ(report(survey("b", "1.5"), "maybe").status, DISCREET_BUDGET);  // before the answer
  EXPECT_EQ(report(survey("b"), "maybe").status, DISCREET_BAD_INPUT);
  BloomDesign design{.name = "home", .epsilon = Epsilon::parse("1").value(), .bits = 64};
  const std::string too_long(1001, 'x');
  EXPECT_EQ(report(design_bloom(design).value(), too_long.c_str()).status, DISCREET_BAD_INPUT);
  EXPECT_EQ(report(design_bloom(design).value(), "x").status, 0);
  design.round = 1;
  EXPECT_EQ(report(design_bloom(design).value(), too_long.c_str()).status, 0);
}

TEST_F(Client, WhatWasPaidForIsOnDiskBeforeItIsHandedOut) {
  ASSERT_EQ(report(survey("a"), "yes", "2").status, 0);
  // A folder that cannot be written to: no report, and the old memory counts.
  const std::string before = contents();
  std::filesystem::create_directory(path.string() + ".new");
  const Made made = report(survey("b"), "yes");
  EXPECT_EQ(made.status, DISCREET_WORLD);
  EXPECT_TRUE(made.bytes.empty());
  EXPECT_EQ(contents(), before);
  std::filesystem::remove(path.string() + ".new");
  EXPECT_EQ(report(survey("b"), "yes").status, 0);
}

TEST_F(Client, SaysHowMuchRoomAReportNeeds) {
  const std::string bytes = encode(survey("a"));
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  discreet_client* client = nullptr;
  ASSERT_EQ(discreet_client_open(path.c_str(), "1", &client), 0);
  std::size_t size = 3;
  uint8_t room[200];
  EXPECT_EQ(discreet_client_report(client, data, bytes.size(), "yes", room, &size), DISCREET_ROOM);
  ASSERT_LE(size, sizeof room);
  EXPECT_EQ(discreet_client_report(client, data, bytes.size(), "yes", room, &size), 0);
  uint64_t price = 1;
  uint64_t left = 1;
  EXPECT_EQ(discreet_client_price(client, data, bytes.size(), &price, &left), 0);
  EXPECT_EQ(price, 0u);
  EXPECT_EQ(left, 0u);
  discreet_client_close(client);
}

TEST_F(Client, RapporAnswersManyRoundsFromOnePayment) {
  BloomDesign design{
      .name = "home", .epsilon = Epsilon::parse("2").value(), .bits = 64, .cohorts = 8};
  design.quiet = 0;  // no second step: the permanent bits themselves
  design.loud = 1 << 16;
  std::string first;
  for (std::uint64_t round = 0; round < 4; ++round) {
    design.round = round;
    const Survey s = design_bloom(design).value();
    const Made made =
        report(s, round < 2 ? "example.org" : "elsewhere.net", round == 0 ? "2" : nullptr);
    ASSERT_EQ(made.status, 0) << made.error;
    std::string_view bytes = made.bytes;
    const Batch batch = take_batch(s, bytes).value();
    const std::string payload(batch.record(0).begin() + kIdBytes, batch.record(0).end());
    if (round == 0) first = payload;
    // A later answer does not change them: that it changed would show.
    EXPECT_EQ(payload, first) << round;
  }
  // The next round is free, and says so.
  design.round = 4;
  const std::string next = encode(design_bloom(design).value());
  discreet_client* client = nullptr;
  ASSERT_EQ(discreet_client_open(path.c_str(), nullptr, &client), 0);
  uint64_t price = 1;
  uint64_t left = 1;
  EXPECT_EQ(discreet_client_price(client, reinterpret_cast<const uint8_t*>(next.data()),
                                  next.size(), &price, &left),
            0);
  EXPECT_EQ(price, 0u);
  discreet_client_close(client);
}

// As if two surveys had one fingerprint: what is kept does not fit, and nothing is read past its
// end.
TEST_F(Client, AKeptAnswerOfAnotherSizeIsNotUsed) {
  const Survey bloom =
      design_bloom({.name = "b", .epsilon = Epsilon::parse("1").value(), .round = 1}).value();
  const Survey plain = survey("a");
  Ledger ledger{.budget = 9 * kNano, .spent = 0, .surveys = {}};
  ledger.surveys[series(bloom)].permanent = "short";
  ledger.surveys[series(plain)].records[0] = "short";
  overwrite(encode(ledger));
  EXPECT_EQ(report(bloom, "x").status, DISCREET_BAD_INPUT);
  EXPECT_EQ(report(plain, "yes").status, DISCREET_BAD_INPUT);
}

TEST(ReadAnswer, ClampsNumbersAndReadsThemExactly) {
  EXPECT_EQ(parse_millionths("12.5").value(), 12'500'000);
  EXPECT_EQ(parse_millionths("-0.0000019").value(), -1);
  for (const char* bad : {"", ".", "-", "1e5", "0x1", "1.2.3", "9999999999999999", "nan", " 1"}) {
    EXPECT_FALSE(parse_millionths(bad).has_value()) << bad;
  }
  const Survey survey = design_number({.name = "n",
                                       .epsilon = Epsilon::parse("1").value(),
                                       .low = 0,
                                       .high = 1'000'000,
                                       .mechanism = Mechanism::kLaplace})
                            .value();
  EXPECT_EQ(read_answer(survey, "17").value().index, survey.parameters.domain);
  EXPECT_EQ(read_answer(survey, "-3").value().index, 0u);
  EXPECT_EQ(read_answer(survey, "0.5").value().index, survey.parameters.domain / 2);
}

}  // namespace
}  // namespace discreet::local::client_test
