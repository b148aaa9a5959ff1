// SPDX-License-Identifier: Apache-2.0
// Asking as a user does: files, a policy, a ledger, and the program. Bad input of every kind gives
// a clear error, or a total rule; domains are bought; answers come in every format.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/process_for_tests.h"
#include "engine/duckdb/parquet_file.h"

namespace discreet::cli::asking_test {
namespace {

using Words = std::vector<std::string>;
using Row = std::vector<std::optional<std::string>>;

constexpr const char* kPolicy = R"(version: 1
snapshot: 2026-11
units:
  patients: {budget: {epsilon: 1000, delta: 1e-3}, analysts: {ann: {epsilon: 900}, press: {epsilon: 2}}}
tables:
  visits:
    source: visits.parquet
    unit: patient_id
    bounds: {groups_per_unit: 2, rows_per_unit_and_group: 2}
    columns:
      clinic: {type: text, values: [north, south]}
      city: {type: text}
      age: {type: integer, range: [0, 120]}
      cost: {type: decimal, range: ["?", "?"], step: 0.01}   # in euros
      score: {type: decimal, range: [-10, 10], step: 0.001}
      day: {type: date, range: ["?", "?"]}
)";

/// The same with all ranges declared.
std::string whole_policy() {
  std::string text = kPolicy;
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("range: [\"?\", \"?\"], step", "range: [0, 5000], step");
  replace("range: [\"?\", \"?\"]", "range: [2000-01-01, 2030-12-31]");
  return text;
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// 400 patients with two visits each; costs from 20 to 300, days in 2024.
std::vector<Row> visits() {
  std::vector<Row> rows;
  for (int i = 0; i < 800; ++i) {
    rows.push_back({std::to_string(1 + i % 400), i % 2 == 0 ? "north" : "south",
                    i % 3 == 0 ? "Ulm" : "Bonn", std::to_string(20 + i % 60),
                    std::to_string(20 + (i * 7) % 281) + ".50", std::to_string(i % 10),
                    "2024-0" + std::to_string(1 + i % 9) + "-15"});
  }
  return rows;
}

std::string parquet(const std::vector<Row>& rows) {
  using policy::Type;
  return engine::duckdb::parquet_bytes({{"patient_id", Type::kInteger},
                                        {"clinic", Type::kText},
                                        {"city", Type::kText},
                                        {"age", Type::kInteger},
                                        {"cost", Type::kDecimal},
                                        {"score", Type::kDecimal},
                                        {"day", Type::kDate}},
                                       rows)
      .value();
}

/// A folder with data, a policy and a ledger.
class World {
 public:
  explicit World(const std::vector<Row>& rows = visits(),
                 const std::string& policy = whole_policy())
      : folder_(::testing::TempDir() + "asking_" + std::to_string(::getpid()) + "_" +
                std::to_string(++made_)) {
    std::filesystem::create_directories(folder_);
    setenv("XDG_STATE_HOME", (folder_ + "/state").c_str(), 1);
    write(at("visits.parquet"), parquet(rows));
    write(at("policy.yaml"), policy);
    write(at("whole.yaml"), whole_policy());
    const Finished made = discreet(
        {"ledger", "init", "--policy", at("whole.yaml"), "--ledger", at("l.ledger"), "--json"});
    EXPECT_EQ(made.status, 0) << made.err;
    if (made.status == 0) id_ = Json::parse(made.out).value()["id"].text();
    write(at("policy.yaml"), policy + "\nledger: \"" + id_ + "\"\n");  // nothing is said of it
  }
  ~World() { std::filesystem::remove_all(folder_); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  const std::string& id() const { return id_; }

  Finished run(Words words, const std::string& input = "") const {
    words.insert(words.end(), {"--policy", at("policy.yaml"), "--ledger", at("l.ledger")});
    return discreet(words, input);
  }
  Finished query(const std::string& sql, const Words& more = {"--epsilon", "1"}) const {
    Words words = {"query", sql, "--analyst", "ann"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  Json json(const std::string& sql, Words more = {"--epsilon", "100"}) const {
    more.push_back("--json");
    const Finished got = query(sql, more);
    EXPECT_EQ(got.status, 0) << got.err;
    return got.status == 0 ? Json::parse(got.out).value() : Json::array();
  }
  void refused(const std::string& sql, const std::string& says,
               const Words& more = {"--epsilon", "1"}) const {
    const Finished got = query(sql, more);
    EXPECT_TRUE(got.status == 2 || got.status == 3) << sql.substr(0, 100) << got.status << got.err;
    EXPECT_EQ(got.out, "");
    EXPECT_TRUE(got.err.starts_with("discreet: ")) << got.err;
    EXPECT_NE(got.err.find(says), std::string::npos) << got.err.substr(0, 300);
  }
  int records() const {
    const Finished got = discreet({"ledger", "history", "--ledger", at("l.ledger"), "--json"});
    return static_cast<int>(Json::parse(got.out).value().size());
  }

 private:
  static inline int made_ = 0;
  std::string folder_;
  std::string id_;
};

TEST(Asking, RefusesQuestionsThatAreNoneAndChargesNothing) {
  const World world;
  const int before = world.records();
  world.refused("SELECT AVG(shoe_size) FROM visits", "shoe_size");
  world.refused("SELECT AVG(city) FROM visits", "text");
  world.refused("SELECT * FROM visits", "SELECT");
  world.refused("SELECT clinic FROM visits", "aggregate");
  world.refused("SELECT COUNT(*) FROM visits; SELECT COUNT(*) FROM visits", "one");
  world.refused("SELECT COUNT(*) FROM patients", "patients");
  world.refused("", "question");
  world.refused("SELEC COUNT(*) FROM visits", "SELEC");
  world.refused("SELECT COUNT(*) FROM visits WHERE city = '" + std::string(100'000, 'x') + "'",
                "65,536");
  world.refused("SELECT COUNT(*) FROM visits WHERE age = " + std::string(3000, '(') + "1" +
                    std::string(3000, ')'),
                "nest");
  world.refused("SELECT COUNT(*) FROM visits", "epsilon", {});
  world.refused("SELECT COUNT(*) FROM visits", "not both", {"--epsilon", "1", "--error", "5"});
  world.refused("SELECT COUNT(*) AS n FROM visits", "'m'", {"--epsilon", "1", "--weights", "m=2"});
  world.refused("SELECT COUNT(*) AS n FROM visits", "n=3,mean_cost=1",
                {"--epsilon", "1", "--weights", "n"});
  world.refused("SELECT COUNT(*) FROM visits", "--error", {"--epsilon", "1", "--pilot", "1"});
  world.refused("SELECT COUNT(*) FROM visits", "rows", {"--error", "5", "--rows", "0"});
  world.refused("SELECT city, COUNT(*) FROM visits GROUP BY city", "delta");
  EXPECT_EQ(world.records(), before);
  // A megabyte of SQL, from standard input.
  const Finished long_one =
      world.run({"query", "-", "--epsilon", "1"}, "SELECT " + std::string(1 << 20, ' ') + "1");
  EXPECT_EQ(long_one.status, 2) << long_one.err;
  // An analyst who is none, and a cap that is gone.
  EXPECT_EQ(world.query("SELECT COUNT(*) FROM visits", {"--epsilon", "1000"}).status, 4);
  const Finished nobody =
      world.run({"query", "SELECT COUNT(*) FROM visits", "--epsilon", "1", "--analyst", "eve"});
  EXPECT_EQ(nobody.status, 2) << nobody.err;
  EXPECT_EQ(world.records(), before);
}

TEST(Asking, FilesThatAreMissingOrBrokenAreNamed) {
  World world;
  std::filesystem::rename(world.at("visits.parquet"), world.at("gone"));
  const Finished gone = world.query("SELECT COUNT(*) FROM visits");
  EXPECT_EQ(gone.status, 2) << gone.err;
  EXPECT_NE(gone.err.find("visits"), std::string::npos) << gone.err;
  write(world.at("visits.parquet"), "PAR1 this is no Parquet PAR1");
  const Finished corrupt = world.query("SELECT COUNT(*) FROM visits");
  EXPECT_TRUE(corrupt.status == 2 || corrupt.status == 5) << corrupt.status << corrupt.err;
  EXPECT_EQ(corrupt.out, "");
  std::filesystem::rename(world.at("gone"), world.at("visits.parquet"));
  EXPECT_EQ(world.query("SELECT COUNT(*) FROM visits").status, 0);
  // An empty table is a table: the answer is noise about 0.
  write(world.at("visits.parquet"), parquet({}));
  const auto rows = world.json("SELECT clinic, COUNT(*) AS n FROM visits GROUP BY clinic");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(rows[0]["n"].number(), 0, 2);  // scale 0.04: by chance below 1e-20
}

TEST(Asking, PoliciesThatContradictThemselvesOrTheLedgerAreRefused) {
  World world;
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& says,
                           int status) {
    std::string text = whole_policy();
    text.replace(text.find(from), from.size(), to);
    write(world.at("policy.yaml"), text);
    const Finished got = world.query("SELECT COUNT(*) FROM visits");
    EXPECT_EQ(got.status, status) << to << got.err;
    EXPECT_NE(got.err.find(says), std::string::npos) << got.err;
  };
  refused("[0, 120]", "[120, 0]", "reversed", 2);
  refused("[-10, 10]", "[3, 3]", "single value", 2);
  refused("unit: patient_id", "unit: {path: [visits.a -> visits.b, visits.patient_id]}", "visits",
          2);
  refused("snapshot: 2026-11", "snapshot: 2026-11\nledger: another", "'another'", 3);
  refused("budget:", "neighbours: replace-one, budget:", "replace one", 3);
  refused("budget:", "notion: zcdp, budget:", "notion", 3);
  refused("  patients: {", "  people: {", "no namespace 'people'", 2);
  std::string tied = whole_policy();
  tied.replace(tied.find("units:"), 6, "ledger: " + world.id() + "\nunits:");
  write(world.at("policy.yaml"), tied);
  EXPECT_EQ(world.query("SELECT COUNT(*) FROM visits").status, 0);
}

TEST(Asking, OddRowsHaveATotalRule) {
  std::vector<Row> rows = visits();
  const Row usual = rows[0];
  const auto odd = [&](std::size_t column, const std::optional<std::string>& value) {
    Row row = usual;
    row[0] = std::to_string(1000 + rows.size());
    row[column] = value;
    rows.push_back(row);
  };
  for (int i = 0; i < 50; ++i) odd(0, std::nullopt);  // nobody's rows
  for (const char* value : {"nan", "inf", "-inf", "1e308", "5e-324"}) odd(5, value);
  odd(3, "9223372036854775807");
  odd(3, "-9223372036854775808");
  for (int i = 0; i < 30; ++i) odd(2, std::string(1 << 20, 'y') + std::to_string(i));
  const World world(rows);
  // So much epsilon that the noise is below 1 but with a chance below 1e-9. Rows whose unit is NULL
  // count for nobody.
  EXPECT_EQ(world.json("SELECT COUNT(*) AS n FROM visits")[0]["n"].number(), 837);
  EXPECT_NEAR(
      world.json("SELECT MAX(age) AS m, SUM(age) AS s FROM visits", {"--epsilon", "400"})[0]["s"]
          .number(),
      39200 + 20 * 35 + 120, 100);
  EXPECT_NEAR(world.json("SELECT SUM(score) AS s FROM visits")[0]["s"].number(), 800 * 4.5 + 10,
              5);  // inf and 1e308 are 10, -inf is -10, nan and NULL nothing
  const Finished cities = world.query("SELECT city, COUNT(*) AS n FROM visits GROUP BY city",
                                      {"--epsilon", "50", "--delta", "1e-9", "--format", "csv"});
  ASSERT_EQ(cities.status, 0) << cities.err;
  EXPECT_NE(cities.out.find("\nBonn,"), std::string::npos) << cities.out.substr(0, 500);
  EXPECT_LT(cities.out.size(), 2000U);  // texts count up to 256 characters
}

TEST(Asking, AnswersComeInEveryFormat) {
  const World world;
  const std::string sql = "SELECT clinic, COUNT(*) AS n, AVG(age) AS a FROM visits GROUP BY clinic";
  const Words weights = {"--epsilon", "50", "--weights", "n=3,a=1"};
  const Finished table = world.query(sql, weights);
  ASSERT_EQ(table.status, 0) << table.err;
  EXPECT_NE(table.out.find("interval, error"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find(" %"), std::string::npos);
  EXPECT_EQ(table.err, "");  // no progress bar where there is no terminal
  const auto with = [&](const char* format) {
    Words words = weights;
    words.insert(words.end(), {"--format", format});
    return world.query(sql, words);
  };
  EXPECT_TRUE(
      with("csv").out.starts_with("clinic,n,n_low,n_high,a,a_low,a_high,too_small,clipped\n"));
  EXPECT_TRUE(with("markdown").out.starts_with("| clinic | n |")) << with("markdown").out;
  EXPECT_EQ(Json::parse(with("json").out).value()[0]["too_small"], "");
  EXPECT_EQ(with("xml").status, 2);
  // Parquet: what was written is read back, as a public table of a policy.
  Words words = weights;
  words.insert(words.end(), {"--format", "parquet", "--output", world.at("answer.parquet")});
  const Finished file = world.query(sql, words);
  ASSERT_EQ(file.status, 0) << file.err;
  EXPECT_EQ(file.out, "");
  const Finished drafted = discreet({"policy", "init", world.at("answer.parquet")});
  for (const char* line : {"clinic: {type: text}", "\"n\": {type: integer", "a_low: {type: decimal",
                           "too_small: {type: boolean}", "clipped: {type: text}"}) {
    EXPECT_NE(drafted.out.find(line), std::string::npos) << line << drafted.out;
  }
  const Finished bytes = with("parquet");
  EXPECT_TRUE(bytes.out.starts_with("PAR1") && bytes.out.ends_with("PAR1"));
  EXPECT_EQ(world.query(sql, {"--epsilon", "50", "--weights", "n=3,a=1", "--output", "/nowhere/x"})
                .status,
            2);
}

TEST(Asking, SolvesForAnErrorInPercentAndForAverages) {
  const World world;
  const Finished percent =
      world.query("SELECT COUNT(*) AS n FROM visits", {"--error", "2%", "--pilot", "0.5"});
  ASSERT_EQ(percent.status, 0) << percent.err;
  EXPECT_NE(percent.out.find("solved from a pilot, bought for epsilon 0.5"), std::string::npos)
      << percent.out;
  const Finished before = world.run({"explain", "SELECT AVG(age) FROM visits", "--error", "1"});
  EXPECT_NE(before.out.find("this is the pilot"), std::string::npos) << before.out << before.err;
  EXPECT_EQ(world.query("SELECT AVG(age) FROM visits", {"--error", "1", "--rows", "800"}).status,
            0);
  EXPECT_EQ(world.run({"curve", "SELECT AVG(age) FROM visits"}).status, 2);
  const Finished curve =
      world.run({"curve", "SELECT AVG(age) FROM visits", "--rows", "800", "--format", "csv"});
  EXPECT_EQ(curve.status, 0) << curve.err;
  EXPECT_TRUE(curve.out.starts_with("epsilon,half_width\n0.05")) << curve.out;
}

TEST(Asking, DrawsDatesAsDates) {
  const World world;
  const Finished bins = world.query("SELECT HISTOGRAM(day, bins => 4) FROM visits",
                                    {"--epsilon", "1", "--plot", world.at("h.svg")});
  ASSERT_EQ(bins.status, 0) << bins.err;
  EXPECT_NE(bins.out.find("2000-01-01 to 20"), std::string::npos) << bins.out;
  const Finished box = world.query("SELECT BOXPLOT(day) FROM visits",
                                   {"--epsilon", "50", "--plot", world.at("b.svg")});
  ASSERT_EQ(box.status, 0) << box.err;
  const std::string ends = box.out.substr(box.out.rfind("  20"));
  EXPECT_NE(ends.find('-'), std::string::npos) << box.out;
  for (const char* name : {"h.svg", "b.svg"}) {
    std::ifstream file(world.at(name));
    const std::string svg((std::istreambuf_iterator<char>(file)), {});
    EXPECT_NE(svg.find(">20"), std::string::npos) << svg;
    EXPECT_NE(svg.find("-0"), std::string::npos) << svg;
  }
}

TEST(Asking, RowsThatNothingAsksForAreNotPassedOver) {
  const World world;
  world.refused("SELECT COUNT(*) FROM visits", "--rows belongs to --error",
                {"--epsilon", "1", "--rows", "100"});
  EXPECT_EQ(
      world.run({"explain", "SELECT COUNT(*) FROM visits", "--epsilon", "1", "--rows", "9"}).status,
      2);
}

TEST(Shell, ShowsTheAnalystsCapAndForgivesASemicolon) {
  const World world;
  const Finished got = world.run({"shell", "--analyst", "press"},
                                 "\\budget\n\\d visits;\n\\d visits ;\n\\budget;\n");
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_NE(got.out.find("of it press's"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find("epsilon 2"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find("2000-01-01"), std::string::npos) << got.out;
}

TEST(Buying, FindsARangeChargesForItAndWritesItIntoThePolicy) {
  const World world(visits(), kPolicy);
  const int before = world.records();
  // The draft's "?" is a mistake everywhere else.
  EXPECT_EQ(world.query("SELECT COUNT(*) FROM visits").status, 2);
  const Finished bought = world.run({"policy", "buy", "visits.cost", "--epsilon", "4", "--write"});
  ASSERT_EQ(bought.status, 0) << bought.err;
  EXPECT_NE(bought.out.find("epsilon 4 of patients, records "), std::string::npos) << bought.out;
  EXPECT_EQ(world.records(), before + 4);  // two rounds: a charge and an answer each
  const Finished days = world.run({"policy", "buy", "visits.day", "--epsilon", "2", "--write"});
  ASSERT_EQ(days.status, 0) << days.err;
  std::ifstream stream(world.at("policy.yaml"));
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  // 400 units over 281 costs: all of 20 .. 300 but for the thinnest bins, by chance below 1e-6.
  EXPECT_NE(text.find("cost: {type: decimal, range: [2"), std::string::npos) << text;
  EXPECT_NE(text.find("# bought privately, not read off the data; in euros"), std::string::npos);
  EXPECT_NE(text.find("day: {type: date, range: [2024-01-01, 2024-12-31], bought: \"epsilon 2 of "),
            std::string::npos)
      << text;
  EXPECT_EQ(discreet({"policy", "check", "--policy", world.at("policy.yaml")}).status, 0);
  const Finished answer = world.query("SELECT AVG(cost) AS c FROM visits");
  ASSERT_EQ(answer.status, 0) << answer.err;
  EXPECT_NE(answer.out.find("the range of cost was bought: epsilon 4"), std::string::npos)
      << answer.out;
  // Again is free, and an epsilon that sees nothing says so.
  const Finished again = world.run({"policy", "buy", "visits.cost", "--epsilon", "4"});
  EXPECT_NE(again.out.find("nothing new"), std::string::npos) << again.out << again.err;
  const Finished blind = world.run({"policy", "buy", "visits.age", "--epsilon", "0.001"});
  EXPECT_EQ(blind.status, 2);
  EXPECT_NE(blind.err.find("stands out of the noise"), std::string::npos) << blind.err;
}

TEST(Buying, FindsKeysAndRefusesWhatHasNoDomain) {
  const World world;
  const Finished keys =
      world.run({"policy", "buy", "visits.city", "--epsilon", "2", "--delta", "1e-6", "--write"});
  ASSERT_EQ(keys.status, 0) << keys.err;
  EXPECT_NE(keys.out.find("city: {type: text, values: [Bonn, Ulm], bought: "), std::string::npos)
      << keys.out;
  // Listed keys need no delta.
  EXPECT_EQ(world.query("SELECT city, COUNT(*) FROM visits GROUP BY city").status, 0);
  EXPECT_EQ(world.run({"policy", "buy", "visits.city", "--epsilon", "2"}).status, 2);
  EXPECT_EQ(world.run({"policy", "buy", "visits.shoe", "--epsilon", "2"}).status, 2);
  EXPECT_EQ(world.run({"policy", "buy", "shoes.cost", "--epsilon", "2"}).status, 2);
  EXPECT_EQ(world.run({"policy", "buy", "cost", "--epsilon", "2"}).status, 2);
  EXPECT_EQ(world.run({"policy", "buy", "visits.cost"}).status, 2);
  EXPECT_EQ(world.run({"policy", "buy", "visits.cost", "--epsilon", "5000"}).status, 4);
}

TEST(Buying, DraftsAPolicyWhoseRangesAreBought) {
  const World world;
  const Words base = {"policy", "init", world.at("visits.parquet"), "--ledger",
                      world.at("l.ledger")};
  const auto with = [&](Words more) {
    more.insert(more.begin(), base.begin(), base.end());
    return discreet(more);
  };
  EXPECT_EQ(with({"--epsilon", "4"}).status, 2);  // whose rows?
  const Finished drafted =
      with({"--epsilon", "16", "--unit", "patient_id", "--snapshot", "2026-11"});
  ASSERT_EQ(drafted.status, 0) << drafted.err;
  for (const char* part :
       {"snapshot: \"2026-11\"", "unit: {namespace: patients, column: patient_id}",
        "age: {type: integer, range: [20, 80], bought: \"epsilon 4 of patients",
        "# bought privately, not read off the data",
        "city: {type: text}   # keys found privately"}) {
    EXPECT_NE(drafted.out.find(part), std::string::npos) << part << "\n" << drafted.out;
  }
  EXPECT_NE(drafted.out.find("\nledger: "), std::string::npos) << drafted.out;
  EXPECT_NE(drafted.out.find(world.id()), std::string::npos) << drafted.out;
  EXPECT_EQ(drafted.out.find(": \"?\""), std::string::npos) << drafted.out;
  EXPECT_EQ(drafted.out.find("[\"?\""), std::string::npos) << drafted.out;
}

TEST(OwnValues, AreChargedUnderTheRelationThatTheirSensitivityIsFor) {
  const World world;
  const std::string ledger = world.at("replace.ledger");
  ASSERT_EQ(discreet({"ledger", "init", "--ledger", ledger, "--namespace", "people", "--epsilon",
                      "10", "--neighbours", "replace-one"})
                .status,
            0);
  const auto noise = [&](const Words& more) {
    Words words = {"noise", "laplace",   "--value", "1",        "--sensitivity",
                   "1",     "--epsilon", "1",       "--ledger", ledger};
    words.insert(words.end(), more.begin(), more.end());
    return discreet(words);
  };
  const Finished silent = noise({});
  EXPECT_EQ(silent.status, 3) << silent.err;
  EXPECT_NE(silent.err.find("--neighbours replace-one"), std::string::npos) << silent.err;
  EXPECT_EQ(noise({"--neighbours", "replace-one"}).status, 0);
  EXPECT_EQ(noise({"--neighbours", "friends"}).status, 2);
  EXPECT_EQ(noise({"--policy", world.at("whole.yaml")}).status, 3);  // it has another ledger
  write(world.at("unbound.yaml"), whole_policy());
  EXPECT_EQ(noise({"--policy", world.at("unbound.yaml")}).status, 2);  // no units of that name
}

TEST(Help, TeachesAskingToo) {
  for (const Words& command : std::vector<Words>{{"query"},
                                                 {"explain"},
                                                 {"curve"},
                                                 {"shell"},
                                                 {"policy"},
                                                 {"policy", "init"},
                                                 {"policy", "check"},
                                                 {"policy", "import"},
                                                 {"policy", "buy"}}) {
    Words words = command;
    words.push_back("--help");
    const Finished got = discreet(words);
    EXPECT_EQ(got.status, 0) << got.err;
    EXPECT_NE(got.out.find("Example:"), std::string::npos) << got.out;
    std::istringstream stream(got.out);
    for (std::string line; std::getline(stream, line);) EXPECT_LE(line.size(), 100U) << line;
  }
}

}  // namespace
}  // namespace discreet::cli::asking_test
