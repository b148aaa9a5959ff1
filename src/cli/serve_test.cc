// SPDX-License-Identifier: Apache-2.0
// The server as a program: started, killed under load, reloaded, stopped, and started wrongly.
#include <sys/resource.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <thread>

#include "base/files.h"
#include "cli/process_for_tests.h"
#include "cli/serve_for_tests.h"
#include "engine/postgres/postgres_for_tests.h"
#include "ledger/scratch_for_tests.h"
#include "ledger/sqlite.h"

namespace discreet::cli::serve_test {
namespace {

using ledger::Scratch;

TEST(Serve, NothingIsReleasedUnchargedWhenKilled) {
  const Scratch scratch(Scratch::Place::kMemory);
  ServeKillTrial trial(program_path(), scratch.path());
  // On a slow machine the first kills may come before the first answer: later ones come later.
  for (int kill = 0; kill < 3 || (kill < 40 && trial.answered() == 0); ++kill) {
    for (const std::string& text : trial.kill_after(std::chrono::milliseconds(200 + 37 * kill))) {
      ADD_FAILURE() << text;
    }
  }
  for (const std::string& text : trial.settle()) ADD_FAILURE() << text;
  EXPECT_GT(trial.answered(), 0U);
}

// From a policy alone: the ledger, TLS and the address come with it. A ledger that is lost is not
// made again.
TEST(Serve, TheFirstStartMakesEverythingFromThePolicy) {
  const Scratch scratch(Scratch::Place::kMemory);
  const ServedSurvey survey(program_path(), scratch.path(), 1);
  for (const char* const name : {"ledger", "key", "witness"}) {
    std::filesystem::remove(scratch / name);
  }
  ASSERT_EQ(
      std::system(("cd '" + scratch.path().string() +
                   "' && openssl req -x509 -newkey ed25519 -nodes -days 2 -subj /CN=localhost "
                   "-keyout server.key -out server.pem > /dev/null 2>&1")
                      .c_str()),
      0);
  std::string policy = ledger::slurp(scratch / "policy.yaml");
  policy.erase(policy.find("ledger: "));  // which names the one that is gone
  ledger::spill(scratch / "policy.yaml",
                policy +
                    "server:\n  listen: 127.0.0.1:0\n  postgres: 127.0.0.1:0\n"
                    "  tls: {certificate: server.pem, key: server.key}\n");
  const std::vector<std::string> all = survey.command();
  const std::vector<std::string> words(all.begin(), all.begin() + 10);  // without --listen
  {
    ServerProcess server(words);
    ASSERT_NE(server.port(), 0);
    for (const char* const told : {"making one from the policy", "for life", "password  ",
                                   "PostgreSQL's clients", "serving on https://127.0.0.1:"}) {
      EXPECT_NE(server.said().find(told), std::string::npos) << told << "\n" << server.said();
    }
    EXPECT_EQ(WEXITSTATUS(server.end(SIGTERM)), 0);
  }
  std::filesystem::remove(scratch / "ledger");
  const Finished lost = discreet({words.begin() + 1, words.end()});
  EXPECT_EQ(lost.status, 2) << lost.err;
  EXPECT_NE(lost.err.find("would forget what was spent"), lost.err.npos) << lost.err;
  ledger::spill(scratch / "policy.yaml", policy + "server: {tls: {certificate: server.pem}}\n");
  const Finished wrong = discreet({words.begin() + 1, words.end()});
  EXPECT_EQ(wrong.status, 2);
}

constexpr const char* kOneDevice = "are on one device";

TEST(Serve, ItWarnsWhenLedgerAndWitnessAreOnOneDevice) {
  const Scratch scratch(Scratch::Place::kMemory);
  const ServedSurvey survey(program_path(), scratch.path(), 1);
  ServerProcess server(survey.command());
  ASSERT_NE(server.port(), 0);
  for (const char* const told : {kOneDevice, "--witness FILE", "docs/advisories.md"}) {
    EXPECT_NE(server.said().find(told), std::string::npos) << told << "\n" << server.said();
  }
}

// The two places are on two devices where the machine has them.
TEST(Serve, ItDoesNotWarnOfAWitnessOnAnotherDevice) {
  const Scratch here(Scratch::Place::kMemory);
  const Scratch there(Scratch::Place::kDisk);
  const bool is_one = device_of(here.path()).value() == device_of(there.path()).value();
  const ServedSurvey survey(program_path(), here.path(), 1);
  std::filesystem::rename(here / "witness", here / "moved");
  std::filesystem::copy_file(here / "moved", there / "witness");
  std::vector<std::string> words = survey.command();
  std::replace(words.begin(), words.end(), survey.path("witness"), (there / "witness").string());
  ServerProcess server(words);
  ASSERT_NE(server.port(), 0) << server.said();
  EXPECT_EQ(server.said().find(kOneDevice) != std::string::npos, is_one) << server.said();
}

TEST(Serve, ItTellsWhenThereAreNoPages) {
  const Scratch scratch(Scratch::Place::kMemory);
  const ServedSurvey survey(program_path(), scratch.path(), 1);
  std::filesystem::create_directory(scratch / "nothing");
  std::filesystem::create_directory(scratch / "pages");
  ledger::spill(scratch / "pages" / "index.html", "<p>hello</p>");
  for (const char* const folder : {"nothing", "pages"}) {
    std::vector<std::string> words = survey.command();
    words.insert(words.end(), {"--pages", (scratch / folder).string()});
    ServerProcess server(words);
    ASSERT_NE(server.port(), 0) << server.said();
    const bool told = server.said().find("no web pages") != std::string::npos;
    EXPECT_EQ(told, folder == std::string("nothing")) << server.said();
  }
}

/// A question for each number.
auto ask_new(ServedSurvey::Client& client, const ServedSurvey& survey, int number) {
  const Json body = {
      {"sql", "SELECT COUNT(*) FROM survey WHERE income > " + std::to_string(number)},
      {"epsilon", "0.01"}};
  return ServedSurvey::ask(client, survey.tokens[0], "POST", "/api/v1/query", body.dump());
}

// No room on the disk: constant to the analyst, clear to the operator, over when there is room.
TEST(Serve, AFullDiskIsToldAndPassesWithoutARestart) {
  const Scratch scratch(Scratch::Place::kMemory);
  ServedSurvey survey(program_path(), scratch.path(), 1);
  const auto server = survey.start();
  ASSERT_NE(server, nullptr);
  ServedSurvey::Client client(server->port());
  const auto ask = [&](int number) { return ask_new(client, survey, number); };
  EXPECT_EQ(ask(0).status, 200);
  const auto allow = [&](rlim_t bytes) {
    const rlimit limit{.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};
    ASSERT_EQ(prlimit(server->id(), RLIMIT_FSIZE, &limit, nullptr), 0);
  };
  allow(1);
  const auto first = ask(1);
  const auto second = ask(2);
  EXPECT_GE(first.status, 500) << first.body;
  EXPECT_EQ(first.body, second.body);
  EXPECT_EQ(first.body.find("ledger"), first.body.npos) << first.body;
  allow(RLIM_INFINITY);
  int status = 0;
  for (int i = 0; i < 100 && status != 200; ++i) {
    status = ask(3).status;
    if (status != 200) usleep(100'000);
  }
  EXPECT_EQ(status, 200);
  EXPECT_EQ(ServedSurvey::ask(client, "", "GET", "/healthz").status, 200);
  EXPECT_NE(ServedSurvey::ask(client, survey.owner_token, "POST", "/api/v1/verify")
                .body.find("\"sound\":true"),
            std::string::npos);
  EXPECT_EQ(WEXITSTATUS(server->end(SIGTERM)), 0);
}

// A database that is away: the same.
TEST(Serve, ADatabaseThatIsAwayIsToldAndComesBackWithoutARestart) {
  using engine::postgres::PrivatePostgres;
  PrivatePostgres& database = PrivatePostgres::instance();
  const std::string schema = database.fresh_schema();
  database.must("CREATE TABLE " + schema +
                ".survey AS SELECT i AS person, 1000 + 10 * i AS income, 'a' AS region FROM "
                "generate_series(0, 499) r(i)");
  const Scratch scratch(Scratch::Place::kMemory);
  ServedSurvey survey(program_path(), scratch.path(), 1);
  std::string policy = ledger::slurp(scratch / "policy.yaml");
  const auto replace = [&](const std::string& what, const std::string& with) {
    policy.replace(policy.find(what), what.size(), with);
  };
  replace("engine: duckdb", "engine: \"" + database.url() + "\"");
  replace("source: survey.csv", "source: " + schema + ".survey");
  ledger::spill(scratch / "policy.yaml", policy);
  const auto server = survey.start();
  ASSERT_NE(server, nullptr);
  ServedSurvey::Client client(server->port());
  const auto ask = [&](int number) { return ask_new(client, survey, number); };
  const auto first = ask(0);
  EXPECT_EQ(first.status, 200) << first.body << server->logged();
  database.must("ALTER ROLE reader NOLOGIN");
  database.must("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
  const auto second = ask(1);
  const auto third = ask(2);
  EXPECT_EQ(second.status, 502) << second.body;
  EXPECT_EQ(second.body, third.body);
  EXPECT_EQ(second.body.find("reader"), second.body.npos) << second.body;
  EXPECT_EQ(ask(0).body.substr(0, 16), "{\"repeated\":true");  // what is stored needs no database
  EXPECT_NE(server->logged().find("not permitted to log in"), std::string::npos)
      << server->logged();
  database.must("ALTER ROLE reader LOGIN");
  EXPECT_EQ(ask(3).status, 200);
  EXPECT_EQ(ask(1).status, 200);  // it was charged, and is asked for again
  EXPECT_EQ(WEXITSTATUS(server->end(SIGTERM)), 0);
}

TEST(Serve, StartsReloadsAndSaysWhatIsWrong) {
  const Scratch scratch(Scratch::Place::kMemory);
  ServedSurvey survey(program_path(), scratch.path(), 1);
  const auto server = survey.start();
  ASSERT_NE(server, nullptr);
  EXPECT_EQ(server->said().find("password  "), server->said().rfind("password  "));
  ServedSurvey::Client client(server->port());
  const auto snapshot = [&] {
    const auto got = ServedSurvey::ask(client, survey.tokens[0], "GET", "/api/v1/catalog");
    return Json::parse(got.body).value()["snapshot"].text();
  };
  EXPECT_EQ(snapshot(), "one");
  std::string policy = ledger::slurp(scratch / "policy.yaml");
  policy.replace(policy.find("snapshot: one"), 13, "snapshot: two");
  ledger::spill(scratch / "policy.yaml", policy);
  kill(server->id(), SIGHUP);
  for (int i = 0; i < 500 && snapshot() != "two"; ++i) usleep(10'000);
  EXPECT_EQ(snapshot(), "two");
  // A policy with a mistake changes nothing.
  ledger::spill(scratch / "policy.yaml", "version: 99\n");
  EXPECT_EQ(ServedSurvey::ask(client, survey.owner_token, "POST", "/api/v1/reload").status, 400);
  EXPECT_EQ(snapshot(), "two");
  ledger::spill(scratch / "policy.yaml", policy);

  const std::vector<std::string> base = survey.command();
  const auto wrong = [&](const std::vector<std::string>& more, int status) {
    std::vector<std::string> words(base.begin() + 1, base.begin() + 10);
    words.insert(words.end(), more.begin(), more.end());
    const Finished finished = discreet(words);
    EXPECT_EQ(finished.status, status) << finished.err;
    EXPECT_NE(finished.err.find("discreet: "), finished.err.npos) << finished.err;
  };
  wrong({"--listen", "127.0.0.1:" + std::to_string(server->port()), "--state", scratch / "s2"}, 2);
  wrong({"--listen", "0.0.0.0:0"}, 2);  // in the clear
  wrong({"--listen", "nowhere"}, 2);
  wrong({"--listen", "127.0.0.1:0", "--tls-key", "absent", "--tls-certificate", "absent", "--state",
         scratch / "s3"},
        2);
  wrong({"--pages", scratch / "absent", "--state", scratch / "s4"}, 2);
  wrong({"--tick-ms", "0"}, 2);
  EXPECT_EQ(WEXITSTATUS(server->end(SIGTERM)), 0);
}

/// SIGTERM, and the status of waitpid; a process that is there half a minute later is killed.
int stop(pid_t process) {
  kill(process, SIGTERM);
  int status = -1;
  for (int i = 0; i < 1500 && waitpid(process, &status, WNOHANG) == 0; ++i) usleep(20'000);
  if (status != -1) return status;
  kill(process, SIGKILL);
  waitpid(process, &status, 0);
  return status;
}

/// While somebody else holds `hold`'s lock, and a question waits for it: what only looks is
/// answered, and SIGTERM ends the server.
void try_while_held(const std::function<std::shared_ptr<void>(const ServedSurvey&)>& hold) {
  const Scratch scratch(Scratch::Place::kMemory);
  ServedSurvey survey(program_path(), scratch.path(), 1);
  survey.make_accounts();
  const auto server = survey.start();
  ASSERT_NE(server, nullptr);
  const auto ask = [&](const std::string& token, const std::string& method,
                       const std::string& target, const std::string& body = {}) {
    ServedSurvey::Client client(server->port());  // it has patience for 20 s
    return ServedSurvey::ask(client, token, method, target, body).status;
  };
  const std::string& ann = survey.tokens[0];
  EXPECT_EQ(ask(ann, "POST", "/api/v1/query",
                R"({"sql":"SELECT COUNT(*) FROM survey","epsilon":"0.01"})"),
            200);
  const std::shared_ptr<void> held = hold(survey);
  // One of these waits for the lock from some moment on; more would be too many for an account.
  for (int i = 0; i < 15; ++i) {
    const std::string n = std::to_string(i);
    if (i < 5) {
      EXPECT_EQ(ask(ann, "POST", "/api/v1/query",
                    R"({"sql":"SELECT COUNT(*) FROM survey WHERE income > )" + n +
                        R"(","epsilon":"0.01","wait":"false"})"),
                202);
    }
    ASSERT_EQ(ask("", "GET", "/healthz"), 200) << i;
    ASSERT_EQ(ask(ann, "GET", "/api/v1/budget"), 200) << i;
    ASSERT_EQ(ask(ann, "GET", "/api/v1/history"), 200) << i;
    ASSERT_EQ(ask(ann, "POST", "/api/v1/explain",
                  R"({"sql":"SELECT COUNT(*) FROM survey","epsilon":"0.02"})"),
              200)
        << i;
    ASSERT_EQ(ask("", "GET", "/api/v1/openapi.json"), 200) << i;
    ASSERT_EQ(ask("", "POST", "/api/v1/login", R"({"name":"a0","password":"wrong"})") / 100, 4)
        << i;
    usleep(20'000);
  }
  const pid_t process = server->release();
  const int status = stop(process);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

std::shared_ptr<void> hold_ledger(const ServedSurvey& survey) {
  auto held = std::make_shared<ledger::Connection>(
      ledger::Connection::open(survey.path("ledger"), SQLITE_OPEN_READWRITE, "", 10'000).value());
  EXPECT_TRUE(held->run("BEGIN EXCLUSIVE").has_value());
  return held;
}

std::shared_ptr<void> hold_witness(const ServedSurvey& survey) {
  auto held = std::make_shared<OpenFile>(OpenFile::open(survey.path("witness"), O_RDWR).value());
  EXPECT_TRUE(held->lock().has_value());
  return held;
}

/// SIGTERM while it starts, or reads its policy again, and cannot for a lock.
void try_to_start_while_held() {
  const Scratch scratch(Scratch::Place::kMemory);
  const ServedSurvey survey(program_path(), scratch.path(), 1);
  const std::shared_ptr<void> held = hold_witness(survey);
  const std::vector<std::string> words = survey.command();
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t process = fork();
  if (process == 0) {
    execv(argv[0], argv.data());
    _exit(127);
  }
  // Until it has asked to be told of signals.
  bool waits = false;
  for (int i = 0; i < 1000 && !waits; ++i) {
    const std::string facts = ledger::slurp("/proc/" + std::to_string(process) + "/status");
    const std::size_t at = facts.find("SigBlk:");
    waits = at != facts.npos &&
            (std::strtoull(facts.c_str() + at + 7, nullptr, 16) >> (SIGTERM - 1) & 1U) != 0;
    if (!waits) usleep(10'000);
  }
  EXPECT_TRUE(waits);
  const int status = stop(process);
  EXPECT_TRUE(WIFEXITED(status)) << status;
}

// All at once, since each may take the seconds that a server takes to give up waiting.
TEST(Serve, AnswersAndEndsWhileAnotherProcessHoldsItsLedgerOrItsWitness) {
  std::thread ledger([] { try_while_held(hold_ledger); });
  std::thread witness([] { try_while_held(hold_witness); });
  std::thread starting(try_to_start_while_held);
  ledger.join();
  witness.join();
  starting.join();
}

}  // namespace
}  // namespace discreet::cli::serve_test
