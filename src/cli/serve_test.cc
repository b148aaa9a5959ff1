// SPDX-License-Identifier: Apache-2.0
// The server as a program: started, killed under load, reloaded, stopped, and started wrongly.
#include "cli/process_for_tests.h"
#include "cli/serve_for_tests.h"
#include "ledger/scratch_for_tests.h"

namespace discreet::cli {
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

TEST(Serve, StartsReloadsAndSaysWhatIsWrong) {
  const Scratch scratch(Scratch::Place::kMemory);
  ServedSurvey survey(program_path(), scratch.path(), 1);
  const auto server = survey.start();
  ASSERT_NE(server, nullptr);
  EXPECT_EQ(server->said().find("password  "), server->said().rfind("password  "));
  ServedSurvey::Client client(server->port());
  const auto snapshot = [&] {
    const auto got = ServedSurvey::ask(client, survey.tokens[0], "GET", "/api/v1/catalog");
    return ServedSurvey::Json::parse(got.body).at("snapshot").get<std::string>();
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

}  // namespace
}  // namespace discreet::cli
