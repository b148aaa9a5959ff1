// SPDX-License-Identifier: Apache-2.0
// discreet policy: what it prints, and its exit status.
#include "cli/policy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/json.h"
#include "cli/process_for_tests.h"

namespace discreet::cli::policy_test {
namespace {

const char* const kGood = R"(version: 1
snapshot: 2026-11
units:
  patients: {budget: {epsilon: 10, delta: 1e-6}, analysts: {ann: {epsilon: 2}, press: {epsilon: 0.5}}}
tables:
  visits:
    source: visits.parquet
    unit: {namespace: patients, column: patient_id}
    bounds: {groups_per_unit: 3, rows_per_unit_and_group: 4}
    columns:
      clinic: {type: text, values: [north, south]}
      city: text
      cost: {type: decimal, range: [0, 5000], step: 0.01, "null": {default: 0}}
  labs:
    source: labs.parquet
    unit: {path: [labs.visit_id -> visits.id, visits.patient_id]}
public:
  zips: zips.csv
)";

/// A file that lasts as long as the test.
class PolicyFile {
 public:
  explicit PolicyFile(const std::string& text)
      : path_(::testing::TempDir() + "policy_test_" + std::to_string(::getpid()) + ".yaml") {
    std::ofstream(path_) << text;
  }
  ~PolicyFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(PolicyCheck, ShowsNoPassword) {
  const PolicyFile file(
      replaced(kGood, "version: 1\n",
               "version: 1\nengine: "
               "\"postgresql://u:hunter2@h:5432/db?password=hunter2&sslmode=require\"\n"));
  for (const char* format : {"table", "json"}) {
    const Finished got = discreet({"policy", "check", "--policy", file.path(), "--format", format});
    EXPECT_EQ(got.status, 0) << got.out << got.err;
    EXPECT_EQ((got.out + got.err).find("hunter2"), std::string::npos) << got.out;
    EXPECT_NE(got.out.find("h:5432"), std::string::npos) << got.out;
  }
}

TEST(PolicyCheck, KnowsTheWordsOfTheEngine) {
  for (const auto& [words, status] : std::vector<std::pair<std::string, int>>{
           {"memory=4GB", 0}, {"memory=4 GB", 2}, {"memory=abc", 2}, {"memry=4GB", 2}}) {
    const PolicyFile file("version: 1\nsnapshot: s\nengine: \"duckdb?" + words +
                          "\"\nunits: {p: {budget: {epsilon: 1}}}\n"
                          "tables: {t: {source: t.csv, unit: {namespace: p, column: id}}}\n");
    const Finished got = discreet({"policy", "check", "--policy", file.path()});
    EXPECT_EQ(got.status, status) << words << got.out << got.err;
    EXPECT_EQ(got.err.find("memory") != std::string::npos, status == 2) << got.err;
  }
}

TEST(PolicyCheck, TellsAGoodPolicyBack) {
  const PolicyFile file(kGood);
  const Finished got = discreet({"policy", "check", "--policy", file.path()});
  EXPECT_EQ(got.status, 0);
  EXPECT_EQ(got.err, "");
  for (const char* part :
       {"without mistakes", "epsilon 10, delta 0.000001, for life, over all analysts together",
        "ann (epsilon 2, delta 0.000001), press (epsilon 0.5, delta 0.000001)",
        "zips from zips.csv", "4 in each of 3 groups\n", "1 in each of 1 group (the defaults)\n",
        "patients by visit_id -> visits.id, patient_id", "0 to 5000 in steps of 0.01", "20000",
        "2 listed keys", "keys are found privately", "whose unit is NULL are left out",
        "labs declares no columns", "above 1"}) {
    EXPECT_NE(got.out.find(part), std::string::npos) << part << "\n" << got.out;
  }
}

// A delta that promises little is noted with the reason, and no other is.
TEST(PolicyCheck, NotesADeltaThatIsTooLarge) {
  struct Row {
    const char* delta;
    const char* rows_max;
    const char* note;  // a part of it; nothing: there is none
  };
  for (const Row& row : std::vector<Row>{{"0.1", "", "allows that with that chance"},
                                         {"0.99", "", "allows that with that chance"},
                                         {"1.01e-4", "", "allows that with that chance"},
                                         {"1e-4", "", ""},
                                         {"1e-6", "", ""},
                                         {"0", "", ""},
                                         {"1e-6", "1e7", "above one over the 10000000 rows"},
                                         {"1.01e-7", "1e7", "above one over the 10000000 rows"},
                                         {"1e-7", "1e7", ""},
                                         {"1e-5", "1000", ""},
                                         {"0.01", "1000", "allows that with that chance"}}) {
    std::string text = replaced(kGood, "delta: 1e-6", "delta: " + std::string(row.delta));
    if (*row.rows_max != 0) {
      text =
          replaced(text, "    source: visits.parquet\n",
                   "    source: visits.parquet\n    rows_max: " + std::string(row.rows_max) + "\n");
    }
    const PolicyFile file(text);
    for (const char* format : {"table", "json"}) {
      const Finished got =
          discreet({"policy", "check", "--policy", file.path(), "--format", format});
      EXPECT_EQ(got.status, 0) << got.err;
      const bool is_noted = got.out.find("the delta of patients is") != std::string::npos;
      EXPECT_EQ(is_noted, *row.note != 0) << text << got.out;
      if (*row.note != 0) {
        EXPECT_NE(got.out.find(row.note), std::string::npos) << got.out;
      }
    }
  }
}

// What analysts of a server see of each other depends on it.
TEST(PolicyCheck, SaysWhetherCapsAreReservedOrShared) {
  const auto check = [](const std::string& units, const char* format) {
    const PolicyFile file("version: 1\nsnapshot: s\nunits: {p: {" + units +
                          "}}\ntables: {t: {source: t.parquet, unit: p}}\n");
    const Finished got = discreet({"policy", "check", "--policy", file.path(), "--format", format});
    EXPECT_EQ(got.status, 0) << got.err;
    return got.out;
  };
  const std::string budget = "budget: {epsilon: 1, delta: 1e-6}, ";
  const std::string reserved = budget +
                               "analysts: {ann: {epsilon: 0.6, delta: 5e-7}, owner: {epsilon: "
                               "0.4, delta: 5e-7}}";
  // The owner may spend all unless there is a cap; an analyst without a delta has the budget's.
  const std::string shared[] = {
      budget + "analysts: {ann: {epsilon: 0.6, delta: 5e-7}}",
      budget + "analysts: {ann: {epsilon: 0.6}, owner: {epsilon: 0.4}}",
      budget + "analysts: {ann: {epsilon: 0.7, delta: 0}, owner: {epsilon: 0.4, delta: 0}}"};
  const auto caps_of = [&](const std::string& units) {
    return Json::parse(check(units, "json")).value()["units"]["p"]["caps"].text();
  };
  EXPECT_EQ(caps_of(reserved), "reserved");
  EXPECT_EQ(check(reserved, "table").find("together above the budget"), std::string::npos);
  for (const std::string& each : shared) {
    EXPECT_EQ(caps_of(each), "shared") << each;
    EXPECT_NE(check(each, "table").find("together above the budget"), std::string::npos) << each;
  }
}

TEST(PolicyCheck, TellsItToProgramsToo) {
  const PolicyFile file(kGood);
  const Finished got = discreet({"policy", "check", "--policy", file.path(), "--json"});
  EXPECT_EQ(got.status, 0);
  const auto json = Json::parse(got.out).value();
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["units"]["patients"]["analysts"]["press"]["epsilon"], "0.5");
  EXPECT_EQ(json["tables"]["labs"]["bounds"]["default"], true);
  EXPECT_EQ(json["tables"]["visits"]["columns"]["cost"]["sum_moves"], "20000");
  EXPECT_EQ(json["tables"]["zips"]["public"], true);
}

TEST(PolicyCheck, ListsEveryMistakeWithItsLineAndItsFix) {
  const PolicyFile file(
      replaced(replaced(kGood, "snapshot: 2026-11\n", ""), "[0, 5000]", "[9, 0]"));
  const Finished got = discreet({"policy", "check", "--policy", file.path()});
  EXPECT_EQ(got.status, 2);
  EXPECT_EQ(got.err, "");
  EXPECT_NE(got.out.find(file.path() + ":1: the policy has no snapshot\n  add a label"),
            std::string::npos)
      << got.out;
  EXPECT_NE(got.out.find(file.path() + ":12: tables.visits.columns.cost.range is reversed\n"
                                       "  write [0, 9]\n"),
            std::string::npos)
      << got.out;
  const Finished json = discreet({"policy", "check", "--policy", file.path(), "--json"});
  EXPECT_EQ(json.status, 2);
  const auto parsed = Json::parse(json.out).value();
  EXPECT_EQ(parsed["ok"], false);
  ASSERT_EQ(parsed["mistakes"].size(), 2u);
  EXPECT_EQ(parsed["mistakes"][1]["line"], 12);
  const Finished csv = discreet({"policy", "check", "--policy", file.path(), "--format", "csv"});
  EXPECT_EQ(csv.status, 2);
  EXPECT_TRUE(csv.out.starts_with("line,message,fix\n1,")) << csv.out;
}

TEST(PolicyCheck, NamesTheFixWhenThereIsNoFile) {
  const Finished got = discreet({"policy", "check", "--policy", "/nowhere/policy.yaml"});
  EXPECT_EQ(got.status, 2);
  EXPECT_EQ(got.out, "");
  EXPECT_NE(got.err.find("discreet policy init"), std::string::npos) << got.err;
}

TEST(PolicyImport, DraftsFromSmartNoise) {
  const PolicyFile file(
      "'': {S: {T: {id: {type: int, private_id: True}, age: {type: int, lower: 0, "
      "upper: 120}}}}\n");
  const Finished got = discreet({"policy", "import", file.path()});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_NE(got.out.find("age: {type: integer, range: [0, 120]}"), std::string::npos) << got.out;
  const Finished none = discreet({"policy", "import"});
  EXPECT_EQ(none.status, 2);
  EXPECT_NE(none.err.find("for example"), std::string::npos);
}

/// An engine that knows two files.
Result<std::vector<policy::SchemaColumn>> describe_for_tests(const std::string& source,
                                                             const Streams&) {
  if (source == "gone.csv") return Error{Code::kNotFound, "there is no file 'gone.csv'"};
  return std::vector<policy::SchemaColumn>{{"user_id", "BIGINT"}, {"age", "INTEGER"}};
}

TEST(PolicyInit, AsksTheEngineForNamesAndTypes) {
  const std::string file = ::testing::TempDir() + "visits_" + std::to_string(::getpid()) + ".csv";
  std::ofstream(file) << "patient_id,city\n7,oslo\n";
  const Finished got = discreet({"policy", "init", file});
  std::filesystem::remove(file);
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_NE(got.out.find("by its name perhaps patient_id"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find("      city: {type: text}"), std::string::npos) << got.out;
  EXPECT_EQ(got.out.find("oslo"), std::string::npos);
  const Finished none = discreet({"policy", "init", file});
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.out, "");
}

/// Runs `discreet policy init words...` with that engine, in this process.
Finished init(std::vector<std::string> words) {
  Program program;
  add_policy_init(program, program.group("policy", {"p", "p", "p"}), describe_for_tests);
  words.insert(words.begin(), {"policy", "init"});
  StreamFile out;
  Finished finished;
  const auto action = program.parse(words);
  if (!action) return {describe(action.error().code).exit_status, "", action.error().message};
  const auto status = (*action)(Streams{0, out.fd(), 2});
  if (!status) return {describe(status.error().code).exit_status, "", status.error().message};
  return {*status, out.content(), ""};
}

TEST(PolicyInit, DraftsATableForEveryFile) {
  const Finished got = init({"data/visits.parquet", "users.csv"});
  EXPECT_EQ(got.status, 0) << got.err;
  for (const char* part :
       {"  visits:\n    source: data/visits.parquet\n", "  users:\n    source: users.csv\n",
        "by its name perhaps user_id", "age: {type: integer, range: [\"?\", \"?\"]}"}) {
    EXPECT_NE(got.out.find(part), std::string::npos) << part << "\n" << got.out;
  }
}

TEST(PolicyInit, RefusesWhatItCannotDraft) {
  EXPECT_EQ(init({}).status, 2);
  EXPECT_NE(init({"a/x.csv", "b/x.parquet"}).err.find("both be the table 'x'"), std::string::npos);
  EXPECT_EQ(init({"gone.csv"}).err, "there is no file 'gone.csv'");
}

}  // namespace
}  // namespace discreet::cli::policy_test
