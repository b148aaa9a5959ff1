// SPDX-License-Identifier: Apache-2.0
// One data set, one ledger: however the policy is named and wherever the command is run, the same
// people pay from one budget; any other ledger is refused, and so is making a second one.
#include <random>

#include "cli/killed_for_tests.h"
#include "cli/town_for_tests.h"
#include "numeric/rational.h"

namespace discreet::cli::one_ledger_test {
namespace {

using Words = Town::Words;
namespace fs = std::filesystem;

std::vector<std::string> ledgers_in(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".ledger") found.push_back(entry.path().string());
  }
  return found;
}

Words query(const std::string& epsilon, const Words& more = {}) {
  Words words = {"query", "SELECT COUNT(*) FROM survey", "--epsilon", epsilon};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// What all analysts together have spent.
std::string spent(const std::string& policy) {
  const Finished got = discreet({"ledger", "show", "--policy", policy, "--json"});
  EXPECT_EQ(got.status, 0) << got.err;
  return got.status == 0 ? Json::parse(got.out).value()[0]["spent"].dump() : "";
}

// The attack: a budget for each folder from which the policy is used.
TEST(OneLedger, ASecondFolderIsNotASecondBudget) {
  const Town town(20);
  fs::create_directories(town.at("x"));
  fs::create_directories(town.at("y"));
  const Words init = {"ledger", "init", "--policy", "../policy.yaml"};
  EXPECT_EQ(discreet_in(town.at("x"), init).status, 0);
  const Finished second = discreet_in(town.at("y"), init);
  EXPECT_EQ(second.status, 2) << second.err;
  EXPECT_NE(second.err.find("a second budget for the same people"), std::string::npos)
      << second.err;
  for (const auto& [folder, epsilon] : {std::pair{"x", "0.5"}, {"y", "0.25"}}) {
    const Finished got =
        discreet_in(town.at(folder), query(epsilon, {"--policy", "../policy.yaml"}));
    EXPECT_EQ(got.status, 0) << got.err;
  }
  EXPECT_EQ(ledgers_in(town.folder()), Words{town.at("discreet.ledger")});
  EXPECT_EQ(spent(town.at("policy.yaml")), "0.75");
}

// Ways to name one policy, from other folders, by links and by odd names; all draw on one
// budget, and no other ledger appears.
TEST(OneLedger, EveryWayToNameThePolicyLeadsToIt) {
  const Town town(20);
  const std::string odd = "a folder, with blanks & Übermaß";
  for (const std::string& folder : {std::string("deep/er"), odd}) {
    fs::create_directories(town.at(folder));
  }
  ASSERT_EQ(discreet_in(town.folder(), {"ledger", "init"}).status, 0);
  fs::create_symlink(town.at("policy.yaml"), town.at(odd + "/ä policy.yaml"));
  fs::create_symlink("../../policy.yaml", town.at("deep/er/policy.yaml"));
  fs::create_directory_symlink(town.folder(), town.at("deep/door"));
  fs::copy_file(town.at("survey.csv"), town.at(odd + "/survey.csv"));
  fs::copy_file(town.at("survey.csv"), town.at("deep/er/survey.csv"));
  const Words folders = {town.folder(), town.at("deep"), town.at("deep/er"), town.at(odd), "/"};
  std::mt19937_64 random(20261118);
  Rational sum = 0;
  for (int i = 1; i <= 12; ++i) {
    const std::string folder = folders[random() % folders.size()];
    const Words names = {town.at("policy.yaml"),
                         town.at(odd + "/ä policy.yaml"),
                         town.at("deep/er/policy.yaml"),
                         town.at("deep/door/policy.yaml"),
                         town.at("deep/er/../../policy.yaml"),
                         fs::relative(town.at("policy.yaml"), folder).string(),
                         fs::relative(town.at("deep/door"), folder).string() + "/policy.yaml"};
    const std::string name = names[random() % names.size()];
    const Rational epsilon = Rational::ratio(i, 1000);
    const Finished got = discreet_in(folder, query(epsilon.to_string(), {"--policy", name}));
    ASSERT_EQ(got.status, 0) << folder << " " << name << ": " << got.err;
    sum = sum + epsilon;
    EXPECT_EQ(spent(name[0] == '/' ? name : town.at("policy.yaml")), sum.to_string())
        << folder << " " << name;
  }
  EXPECT_EQ(ledgers_in(town.folder()), Words{town.at("discreet.ledger")});
}

TEST(OneLedger, AnotherIsRefusedAndChargesNothing) {
  const Town town(20);
  const std::string unbound = town.get("policy.yaml");
  town.make_ledgers();
  EXPECT_TRUE(town.get("policy.yaml").starts_with(unbound + "ledger: "));
  town.put("other.yaml", unbound);
  ASSERT_EQ(discreet({"ledger", "init", "--policy", town.at("other.yaml"), "--ledger",
                      town.at("other.ledger")})
                .status,
            0);
  const std::string other = town.at("other.ledger");
  const auto shown = [&](const std::string& ledger) {
    return discreet({"ledger", "show", "--ledger", ledger, "--json"}).out;
  };
  const std::string before = shown(other);
  const Words noise = {"noise", "laplace", "--value", "1", "--epsilon", "1", "--sensitivity", "1"};
  for (Words words : {query("1"), Words{"explain", "SELECT COUNT(*) FROM survey", "--epsilon", "1"},
                      noise, Words{"learn", "distribution", "--epsilon", "1"},
                      Words{"policy", "buy", "survey.cost", "--epsilon", "1"}}) {
    words.insert(words.end(), {"--policy", town.at("policy.yaml"), "--ledger", other});
    const Finished got = discreet(words);
    EXPECT_EQ(got.status, 3) << words[0] << got.err;
    EXPECT_NE(got.err.find("give --ledger with the place of the first"), std::string::npos)
        << got.err;
  }
  EXPECT_EQ(shown(other), before);
  // Nor is it taken where the policy's own would lie, or made there.
  fs::copy_file(other, town.at("discreet.ledger"));
  EXPECT_EQ(discreet(query("1", {"--policy", town.at("policy.yaml")})).status, 3);
  fs::remove(town.at("discreet.ledger"));
  const Finished gone = discreet(query("1", {"--policy", town.at("policy.yaml")}));
  EXPECT_EQ(gone.status, 2) << gone.err;
  EXPECT_NE(gone.err.find("say where it is with --ledger"), std::string::npos) << gone.err;
  for (const Words& words : {Words{"ledger", "init"}, Words{"serve", "--listen", "127.0.0.1:0"}}) {
    Words with = words;
    with.insert(with.end(), {"--policy", town.at("policy.yaml")});
    const Finished again = discreet(with);
    EXPECT_EQ(again.status, 2) << again.err;
    EXPECT_NE(again.err.find("a second budget for the same people"), std::string::npos)
        << again.err;
  }
  EXPECT_FALSE(fs::exists(town.at("discreet.ledger")));
}

// A policy of an earlier version: its first use binds it, and nothing else in it changes.
TEST(OneLedger, TheFirstUseWritesTheIdIntoThePolicy) {
  const Town town(20);
  const std::string unbound = town.get("policy.yaml");
  ASSERT_EQ(discreet_in(town.folder(), {"ledger", "init"}).status, 0);
  for (const std::string& text : {unbound, "# first\n" + unbound + "# last", [&] {
                                    std::string out;
                                    for (const char c : unbound)
                                      out += c == '\n' ? "\r\n" : std::string(1, c);
                                    return out;
                                  }()}) {
    town.put("policy.yaml", text);
    fs::permissions(town.at("policy.yaml"), fs::perms::owner_read | fs::perms::owner_write);
    const Words explain = {"explain", "SELECT COUNT(*) FROM survey", "--epsilon", "1"};
    EXPECT_EQ(discreet_in(town.folder(), explain).status, 0);
    EXPECT_EQ(town.get("policy.yaml"), text);  // looking changes nothing
    const Finished got = discreet_in(town.folder(), query("1"));
    EXPECT_EQ(got.status, 0) << got.err;
    const std::string after = town.get("policy.yaml");
    EXPECT_TRUE(after.starts_with(text)) << after;
    EXPECT_NE(after.find("\nledger: ", text.size() - 1), std::string::npos) << after;
    EXPECT_EQ(fs::status(town.at("policy.yaml")).permissions(),
              fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(discreet_in(town.folder(), query("1")).status, 0);
    EXPECT_EQ(town.get("policy.yaml"), after);
  }
  // One that has no place for another line goes on working; the owner is told.
  town.put("policy.yaml",
           "{version: 1, snapshot: one, units: {people: {budget: {epsilon: 1000, delta: 1e-3}}},\n"
           " tables: {survey: {source: survey.csv, unit: person}}}\n");
  const std::string braces = town.get("policy.yaml");
  const Finished got = discreet_in(town.folder(), query("1"));
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(town.get("policy.yaml"), braces);
  // What the owner is told to write, and where, is right.
  const std::string told = "write this behind its first { (line 1): ";
  const std::size_t at = got.err.find(told);
  ASSERT_NE(at, std::string::npos) << got.err;
  const std::string words = got.err.substr(at + told.size(), got.err.size() - at - told.size() - 1);
  town.put("policy.yaml", "{" + words + braces.substr(1));
  const Finished after = discreet_in(town.folder(), query("1"));
  EXPECT_EQ(after.status, 0) << after.err;
  EXPECT_EQ(after.err.find("warning"), std::string::npos) << after.err;
}

TEST(OneLedger, TheLineToWriteByHandIsInItsPlace) {
  const Town town(20);
  const std::string unbound = town.get("policy.yaml");
  ASSERT_EQ(discreet_in(town.folder(), {"ledger", "init"}).status, 0);
  town.put("policy.yaml", unbound + "...\n# the end\n");
  const Finished got = discreet_in(town.folder(), query("1"));
  const std::string told = "add this line above its line ... (line 15): ";
  const std::size_t at = got.err.find(told);
  ASSERT_NE(at, std::string::npos) << got.err;
  town.put("policy.yaml", unbound + got.err.substr(at + told.size()) + "...\n# the end\n");
  const Finished after = discreet_in(town.folder(), query("1"));
  EXPECT_EQ(after.status, 0) << after.err;
  EXPECT_EQ(after.err.find("warning"), std::string::npos) << after.err;
}

// A policy that names no ledger and cannot be changed would pay from any.
TEST(OneLedger, APolicyThatCannotNameItsLedgerPaysFromTheOneBesideItOnly) {
  const Town town(20);
  town.put("policy.yaml", town.get("policy.yaml") + "...\n# the end\n");
  ASSERT_EQ(discreet_in(town.folder(), {"ledger", "init"}).status, 0);
  ASSERT_EQ(discreet_in(town.folder(), {"ledger", "init", "--ledger", "second.ledger"}).status, 0);
  Words elsewhere = query("1");
  elsewhere.insert(elsewhere.end(), {"--ledger", "second.ledger"});
  const Finished refused = discreet_in(town.folder(), elsewhere);
  EXPECT_EQ(refused.status, 3) << refused.err;
  EXPECT_NE(refused.err.find("add this line above its line ..."), std::string::npos) << refused.err;
  EXPECT_EQ(discreet_in(town.folder(), query("1")).status, 0);
}

// Two hospitals in one folder: the second is not given the answers about the first one's people.
TEST(OneLedger, APolicyBesideAnotherIsNotGivenItsAnswers) {
  const Town town(20);
  const std::string unbound = town.get("policy.yaml");
  ASSERT_EQ(discreet_in(town.folder(), {"ledger", "init"}).status, 0);
  ASSERT_EQ(discreet_in(town.folder(), query("1")).status, 0);
  town.put("second it's.yaml", unbound);
  fs::create_directories(town.at("elsewhere"));
  fs::create_symlink(town.at("second it's.yaml"), town.at("elsewhere/link.yaml"));
  fs::create_symlink(town.at("survey.csv"), town.at("elsewhere/survey.csv"));
  const std::string before = spent(town.at("policy.yaml"));
  for (const std::string& policy :
       {std::string("second it's.yaml"), town.at("elsewhere/link.yaml")}) {
    for (Words words : {query("1"), Words{"learn", "distribution", "--epsilon", "1"},
                        Words{"policy", "buy", "survey.cost", "--epsilon", "1"}}) {
      words.insert(words.end(), {"--policy", policy});
      const Finished got = discreet_in(town.folder(), words);
      EXPECT_EQ(got.status, 2) << policy << words[0] << got.err;
      EXPECT_EQ(got.out, "");
      EXPECT_NE(got.err.find("policy.yaml'. If both are about the same people, say so with "
                             "--ledger "),
                std::string::npos)
          << got.err;
    }
  }
  EXPECT_EQ(town.get("second it's.yaml"), unbound);
  EXPECT_EQ(spent(town.at("policy.yaml")), before);
  const Finished said = discreet_in(
      town.folder(), query("1", {"--policy", "second it's.yaml", "--ledger", "discreet.ledger"}));
  EXPECT_EQ(said.status, 0) << said.err;
  EXPECT_NE(said.err.find("now names its ledger, "), std::string::npos) << said.err;
  const Finished again = discreet_in(town.folder(), query("1", {"--policy", "second it's.yaml"}));
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.err.find("now names"), std::string::npos) << again.err;
}

// The owner's commands keep to the ledger that the policy names, as questions do.
TEST(OneLedger, TheOwnersCommandsKeepToThePolicysOwn) {
  const Town town(20);
  ASSERT_EQ(discreet_in(town.folder(), {"ledger", "init"}).status, 0);
  const std::string bound = town.get("policy.yaml");
  const std::string before = spent(town.at("policy.yaml"));
  const std::vector<Words> commands = {
      {"budget"},
      {"ledger", "show"},
      {"ledger", "history"},
      {"ledger", "verify"},
      {"ledger", "export"},
      {"ledger", "top-up", "--epsilon", "1", "--reason", "x"},
      {"ledger", "analyst", "--analyst", "zoe", "--epsilon", "1"},
      {"ledger", "namespace", "--namespace", "dogs", "--epsilon", "1"},
      {"ledger", "recover", "--reason", "x"},
      {"ledger", "clock", "--reason", "x"}};
  std::string foreign = bound;
  foreign.replace(Town::id_in(bound), 4, "none");
  // Also in a policy with mistakes.
  for (const std::string& text : {foreign, foreign + "mistake: 1\n"}) {
    town.put("policy.yaml", text);
    for (std::size_t i = text == foreign ? 0 : 5; i < commands.size(); ++i) {
      const Finished got = discreet_in(town.folder(), commands[i]);
      EXPECT_EQ(got.status, 3) << commands[i].back() << got.err;
      EXPECT_NE(got.err.find("belongs to ledger"), std::string::npos) << got.err;
    }
  }
  // A ledger that is named is looked at by itself.
  EXPECT_EQ(discreet_in(town.folder(), {"budget", "--ledger", "discreet.ledger"}).status, 0);
  town.put("policy.yaml", bound);
  EXPECT_EQ(spent(town.at("policy.yaml")), before);
  for (const Words& words : commands) {
    if (words.back() == "x" && words[1] != "top-up") continue;
    EXPECT_EQ(discreet_in(town.folder(), words).status, 0) << words[1];
  }
}

// Ended at moments of its making, and made again as the message says.
TEST(OneLedger, OneWhoseMakingWasCutShortIsMadeAgainAsTheMessageSays) {
  const Town town(20);
  const std::string unbound = town.get("policy.yaml");
  const Words init = {"ledger", "init", "--policy", town.at("policy.yaml")};
  const auto remove = [&] {
    for (const char* const suffix : {"", "-wal", "-shm", "-journal"}) {
      fs::remove(town.at(std::string("discreet.ledger") + suffix));
    }
    town.put("policy.yaml", unbound);
  };
  const int calls = discreet_killed_at(init, 0).calls;
  remove();
  int cut = 0;
  for (int nth = 2; nth < calls; nth += std::max(1, calls / 6)) {
    discreet_killed_at(init, nth);
    const Finished again = discreet(init);
    const std::string told = "make it again: ";
    const std::size_t at = again.err.find(told);
    if (at != std::string::npos || again.err.find("emove the file") != std::string::npos) {
      ++cut;
      const std::string command = at == std::string::npos
                                      ? "rm '" + town.at("discreet.ledger") + "'"
                                      : again.err.substr(at + told.size());
      EXPECT_EQ(run_process({"/bin/sh", "-c", command}, "").status, 0) << command;
      const Finished made = discreet(init);
      EXPECT_EQ(made.status, 0) << nth << again.err << made.err;
    } else if (again.status != 0) {  // it was made: use it as it is
      const bool is_bound = town.get("policy.yaml") != unbound;
      const char* const says = is_bound ? "belongs to ledger" : "If it is about the same people";
      EXPECT_NE(again.err.find(says), std::string::npos) << again.err;
    }
    const Finished got = discreet(query("1", {"--policy", town.at("policy.yaml")}));
    EXPECT_EQ(got.status, 0) << nth << ": " << again.err << got.err;
    remove();
  }
  EXPECT_GT(cut, 1);
}

// Before 0.10 the ledger was looked for in the current folder.
TEST(OneLedger, AnOlderOneInTheCurrentFolderIsNotPassedOver) {
  const Town town(20);
  const std::string unbound = town.get("policy.yaml");
  fs::create_directories(town.at("work"));
  ASSERT_EQ(discreet_in(town.at("work"), {"ledger", "init", "--policy", "../policy.yaml",
                                          "--ledger", "discreet.ledger"})
                .status,
            0);
  town.put("policy.yaml", unbound);
  for (const Words& words :
       {query("1", {"--policy", "../policy.yaml"}),
        Words{"ledger", "init", "--policy", "../policy.yaml"},
        Words{"serve", "--policy", "../policy.yaml", "--listen", "127.0.0.1:0"}}) {
    const Finished got = discreet_in(town.at("work"), words);
    EXPECT_EQ(got.status, 2) << words[0] << ": " << got.err;
    EXPECT_NE(got.err.find("--ledger ./discreet.ledger if"), std::string::npos) << got.err;
  }
  EXPECT_EQ(ledgers_in(town.folder()), Words{town.at("work/discreet.ledger")});
  EXPECT_EQ(discreet_in(town.at("work"),
                        query("1", {"--policy", "../policy.yaml", "--ledger", "discreet.ledger"}))
                .status,
            0);
  // From then on it is known.
  const Finished elsewhere = discreet_in(town.folder(), query("2"));
  EXPECT_EQ(elsewhere.status, 2) << elsewhere.err;
  EXPECT_NE(elsewhere.err.find("belongs to ledger"), std::string::npos) << elsewhere.err;
}

TEST(OneLedger, ACopiedFolderIsNotASecondBudget) {
  const Town town(20);
  fs::create_directories(town.at("a"));
  for (const char* const name : {"policy.yaml", "survey.csv"}) {
    fs::copy_file(town.at(name), town.at(std::string("a/") + name));
  }
  ASSERT_EQ(discreet_in(town.at("a"), {"ledger", "init"}).status, 0);
  fs::copy(town.at("a"), town.at("b"), fs::copy_options::recursive);
  EXPECT_EQ(discreet_in(town.at("b"), query("1")).status, 0);
  EXPECT_EQ(discreet_in(town.at("a"), query("1")).status, 5);  // its witness has seen more
}

TEST(OneLedger, ASecondPolicyInAFolderNamesAnotherPlace) {
  const Town town(20);
  ASSERT_EQ(discreet_in(town.folder(), {"ledger", "init"}).status, 0);
  const Words init = {"ledger", "init", "--policy", "rho.yaml"};
  const Finished taken = discreet_in(town.folder(), init);
  EXPECT_EQ(taken.status, 2) << taken.err;
  EXPECT_NE(taken.err.find("name another place with --ledger"), std::string::npos) << taken.err;
  const Words words = {"ledger", "init", "--policy", "rho.yaml", "--ledger", "rho.ledger"};
  EXPECT_EQ(discreet_in(town.folder(), words).status, 0);
}

}  // namespace
}  // namespace discreet::cli::one_ledger_test
