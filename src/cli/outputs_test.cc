// SPDX-License-Identifier: Apache-2.0
// No output falls on a file that is needed, whatever it is called; and an answer that nobody takes
// is not lost without a word.
#include <sys/stat.h>

#include <csignal>
#include <map>
#include <random>
#include <thread>

#include "cli/killed_for_tests.h"
#include "cli/town_for_tests.h"
#include "engine/duckdb/connection.h"

namespace discreet::cli::outputs_test {
namespace {

namespace fs = std::filesystem;
using Words = Town::Words;

/// A table of a DuckDB file beside the town's own one, and a server's certificate.
void furnish(const Town& town) {
  const engine::OwnerLog log{.say = [](const std::string&) {}, .progress = {}};
  auto connection = engine::duckdb::Connection::open(1, log);
  ASSERT_TRUE(connection.has_value());
  for (const std::string& sql :
       {"ATTACH '" + town.at("clinic.duckdb") + "' AS clinic",
        std::string("CREATE TABLE clinic.visits AS SELECT 1 AS person, 20 AS age"),
        std::string("DETACH clinic")}) {
    ASSERT_TRUE((*connection)->query(sql, log).has_value()) << sql;
  }
  town.put("policy.yaml", town.get("policy.yaml") +
                              "  visits:\n    source: clinic.duckdb:visits\n    unit: person\n"
                              "    columns:\n      age: {type: integer, range: [0, 120]}\n"
                              "server:\n  tls: {certificate: server.pem, key: server.key}\n");
  town.put("server.pem", "certificate");
  town.put("server.key", "key");
}

/// All files but SQLite's, by name.
std::map<std::string, std::string> files_in(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().string();
    if (entry.is_symlink() || !entry.is_regular_file() || name.find(".ledger") != std::string::npos)
      continue;
    std::ostringstream bytes;
    bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    files[name] = bytes.str();
  }
  return files;
}

/// The file under another name, or the folder that it is in under another one.
std::string other_name(const Town& town, const std::string& file, const std::string& ending,
                       std::mt19937_64& random) {
  const std::string name = town.at("alias" + std::to_string(random() % 1'000'000'000));
  const fs::path path(file);
  switch (random() % 4) {
    case 0:
      if (fs::is_regular_file(path)) {
        fs::create_hard_link(path, name + ending);
        return name + ending;
      }
      [[fallthrough]];
    case 1:
      fs::create_symlink(path, name + ending);
      return name + ending;
    case 2:
      fs::create_symlink(path, name);
      fs::create_symlink(name, name + "x" + ending);
      return name + "x" + ending;
    default:
      if (!ending.empty()) {
        fs::create_symlink(path, name + ending);
        return name + ending;
      }
      fs::create_directory_symlink(path.parent_path(), name);
      return name + "/../" + fs::path(name).filename().string() + "/" + path.filename().string();
  }
}

// Every file that a paid command needs, under names drawn with a fixed seed.
TEST(Outputs, WhatIsNeededIsNotOverwrittenUnderAnyName) {
  const Town town(20);
  furnish(town);
  town.make_ledgers();
  const std::string bound = town.get("policy.yaml");
  const std::string id = bound.substr(Town::id_in(bound), 32);
  const std::string state = town.at("state/discreet/") + id;
  ASSERT_TRUE(fs::exists(state + "/key")) << state;
  fs::create_directories(town.at("l.ledger.server"));
  fs::create_directories(town.at("daily"));
  for (const char* const kept : {"noise", "counted", "counted.next"}) {
    town.put(std::string("daily/by_day.") + kept, kept);
  }
  const Words needed = {town.at("policy.yaml"),
                        town.at("survey.csv"),
                        town.at("clinic.duckdb"),
                        town.at("clinic.duckdb.wal"),
                        town.at("l.ledger"),
                        town.at("l.ledger-wal"),
                        town.at("l.ledger-shm"),
                        town.at("l.ledger-journal"),
                        town.at("l.ledger.tries"),
                        state + "/key",
                        state + "/witness",
                        state + "/further",
                        town.at("state/discreet/further"),
                        town.at("l.ledger.server/accounts.db"),
                        town.at("server.pem"),
                        town.at("server.key"),
                        town.at("daily/by_day.noise"),
                        town.at("daily/by_day.counted"),
                        town.at("daily/by_day.counted.next")};
  const Words count = {"query", "SELECT COUNT(*) FROM survey", "--epsilon", "0.1"};
  const Words drawn = {"query", "SELECT HISTOGRAM(age) FROM survey", "--epsilon", "0.1"};
  const Words learn = {"learn",  "network",   "--table", "survey",  "--target",
                       "smoker", "--epsilon", "1",       "--delta", "1e-6"};
  const Words made = {"learn",      "synthesize", "--table",   "survey",
                      "--features", "age",        "--epsilon", "1"};
  const std::vector<std::pair<Words, std::string>> writers = {
      {count, "--output"},     {drawn, "--plot"},  {learn, "--output"},
      {learn, "--checkpoint"}, {made, "--report"}, {made, "--certificate"}};
  const std::string before = town.spent();
  std::mt19937_64 random(20261118);
  for (const std::string& file : needed) {
    const auto& [words, option] = writers[random() % writers.size()];
    const std::string ending = option == "--plot" ? ".svg" : "";
    const bool is_plain = ending.empty() && random() % 2 == 0;
    const std::string name = is_plain ? file : other_name(town, file, ending, random);
    const auto files = files_in(town.folder());
    Words all = town.with("policy.yaml", words);
    all.insert(all.end(), {option, name});
    const Finished got = discreet(all);
    const std::string what = option + " " + name + " for " + file + ": " + got.err;
    EXPECT_EQ(got.status, 2) << what;
    EXPECT_EQ(got.out, "") << what;
    EXPECT_NE(got.err.find("; nothing was charged"), std::string::npos) << what;
    EXPECT_TRUE(files_in(town.folder()) == files) << what;
  }
  EXPECT_EQ(town.spent(), before);
}

TEST(Outputs, OfAPublicationAreAllKnownBeforeTheCharge) {
  const Town town(20);
  town.make_ledgers();
  town.put("areas.csv", "child,parent\nnorth,all\nsouth,all\n");
  const std::string before = town.spent();
  const auto refused = [&](const std::string& tables, const Words& more, const std::string& says) {
    town.put("w.yaml", "table: survey\nrho: 2\n" + tables);
    Words words = town.with("rho.yaml", {"publish", town.at("w.yaml")});
    words.insert(words.end(), more.begin(), more.end());
    const auto files = files_in(town.folder());
    const Finished got = discreet(words);
    EXPECT_EQ(got.status, 2) << tables << got.err;
    EXPECT_NE(got.err.find(says), std::string::npos) << got.err;
    EXPECT_TRUE(files_in(town.folder()) == files) << tables;
  };
  const Words here = {"--output", town.folder()};
  refused("tables: {survey: [clinic]}\n", here, "is the source of table 'survey'");
  refused("hierarchies: {areas: {column: clinic, parents: areas.csv}}\n", here,
          "is what the hierarchy 'areas' is read from");
  refused("tables: {a.b: [clinic], a_b: []}\n", here, "is written by --output, too");
  refused("tables: {certificate: []}\n", {"--output", town.folder(), "--format", "json"},
          "is written by --output, too");
  refused("tables: {total: []}\n", {"--report", town.at("x"), "--certificate", town.at("x")},
          "is written by --report, too");
  refused("tables: {total: []}\n", {"--report", town.at("w.yaml")}, "is the workload");
  refused("tables: {total: []}\n", {"--output", town.at("state/discreet/new")},
          "is in the folder of keys and witnesses");
  fs::create_directory(town.at("total.csv"));
  refused("tables: {total: []}\n", here, "is a folder");
  fs::remove(town.at("total.csv"));
  fs::create_symlink("rho.ledger-wal", town.at("report.html"));
  refused("tables: {total: []}\n", here, "is a part of the ledger");
  EXPECT_EQ(town.spent(), before);
}

TEST(Outputs, OfOneCommandAreDifferentFiles) {
  const Town town(20);
  town.make_ledgers();
  const std::string before = town.spent();
  const Words query = {"query", "SELECT clinic, HISTOGRAM(age) FROM survey GROUP BY clinic",
                       "--epsilon", "0.1"};
  const auto run = [&](const Words& more) {
    Words words = town.with("policy.yaml", query);
    words.insert(words.end(), more.begin(), more.end());
    return discreet(words);
  };
  fs::create_symlink("a.svg", town.at("link"));
  for (const char* const output : {"a.svg", "link", "a.2.svg", "a.17.svg"}) {
    const Finished got = run({"--plot", town.at("a.svg"), "--output", town.at(output)});
    EXPECT_EQ(got.status, 2) << output << got.err;
  }
  fs::create_symlink("policy.yaml", town.at("b.2.svg"));
  EXPECT_EQ(run({"--plot", town.at("b.svg")}).status, 2);
  EXPECT_EQ(town.spent(), before);
  fs::remove(town.at("link"));
  for (const std::string& output :
       {town.at("a.1.svg"), town.at("a.x.svg"), std::string("/dev/null")}) {
    const Finished got = run({"--plot", town.at("a.svg"), "--output", output});
    EXPECT_EQ(got.status, 0) << got.err;
  }
  EXPECT_TRUE(fs::exists(town.at("a.2.svg")));
}

// Another process makes the file at any moment while its place is tried out.
TEST(Outputs, TryingOutAPlaceRemovesNobodysFile) {
  const Town town(20);
  town.make_ledgers();
  const Words words = town.with("policy.yaml", {"query", "SELECT COUNT(*) FROM nowhere",
                                                "--epsilon", "0.1", "--output", town.at("x")});
  const int calls = discreet_signalled(words, [](int) { return 0; }).calls;
  ASSERT_GT(calls, 1);
  for (int nth = 1; nth <= std::min(calls, 5); ++nth) {
    fs::remove(town.at("x"));
    const Killed got = discreet_signalled(words, [&](int call) {
      if (call == nth) town.put("x", "another's");
      return 0;
    });
    EXPECT_EQ(got.end.status, 2) << got.end.err;
    EXPECT_EQ(town.get("x"), "another's") << nth;
  }
}

/// The program as it waits for the reader of a pipe.
class Waiting {
 public:
  explicit Waiting(const Words& words) {
    child_ = fork();
    if (child_ == 0) {
      dup2(err_.fd(), 2);
      std::vector<char*> argv{strdup(program_path().c_str())};
      for (const std::string& word : words) argv.push_back(strdup(word.c_str()));
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
  }
  /// Until its main thread stands in open(), as it was seen three times in a row.
  void until_it_opens() const {
    const std::string file = "/proc/" + std::to_string(child_) + "/syscall";
    const std::string open = std::to_string(SYS_openat) + " ";
    for (int seen = 0; seen < 3 && waitpid(child_, nullptr, WNOHANG) == 0;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      std::string now;
      std::getline(std::ifstream(file), now);
      seen = now.starts_with(open) ? seen + 1 : 0;
    }
  }
  Finished end(int signal) {
    kill(child_, signal);
    int status = 0;
    waitpid(child_, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), "", err_.content()};
  }

 private:
  StreamFile err_;
  pid_t child_;
};

TEST(Outputs, CtrlCBeforeAReaderComesSaysWhatThisQuestionWasCharged) {
  const Town town(20);
  town.make_ledgers();
  ASSERT_EQ(mkfifo(town.at("pipe").c_str(), 0600), 0);
  const auto query = [&](const std::string& epsilon, const Words& more) {
    Words words =
        town.with("policy.yaml", {"query", "SELECT COUNT(*) FROM survey", "--epsilon", epsilon});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  Waiting waiting(query("1/2", {"--request-id", "a", "--output", town.at("pipe")}));
  waiting.until_it_opens();
  // Not this question's, though their ids begin alike or are the same.
  EXPECT_EQ(discreet(query("1/4", {"--request-id", "ab"})).status, 0);
  EXPECT_EQ(discreet(query("1/8", {"--request-id", "a", "--analyst", "ann"})).status, 0);
  const Finished got = waiting.end(SIGINT);
  EXPECT_EQ(got.status, 130) << got.err;
  EXPECT_NE(got.err.find("charged: epsilon 0.5 to owner of people (record "), std::string::npos)
      << got.err;
  EXPECT_NE(got.err.find("run the same command again, it is free"), std::string::npos) << got.err;
  for (const char* const others : {"0.25", "0.125"}) {
    EXPECT_EQ(got.err.find(others), std::string::npos) << got.err;
  }
}

}  // namespace
}  // namespace discreet::cli::outputs_test
