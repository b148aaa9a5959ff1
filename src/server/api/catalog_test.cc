// SPDX-License-Identifier: Apache-2.0
// What somebody sees who comes for the first time: declared domains as they are written, examples
// that work, prices that are none.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>

#include "base/json.h"
#include "policy/value.h"
#include "publish/design.h"
#include "publish/example.h"
#include "server/api/documents.h"
#include "server/api/house_for_tests.h"
#include "server/pgcatalog/tables.h"
#include "sql/examples.h"

namespace discreet::server::api::catalog_test {
namespace {

using policy::Type;

/// A declaration of a column of `type`, at random.
class Declarations {
 public:
  explicit Declarations(std::uint64_t seed) : random_(seed) {}

  std::string column(const std::string& name, Type type) {
    std::string out = "      " + name + ": {type: " + policy::to_string(type);
    const bool lists = type != Type::kBoolean && below(3) == 0;
    if (lists) out += ", values: [" + value(type) + ", " + last(type) + "]";
    if (!lists && policy::has_range(type)) {
      out += ", range: [" + value(type) + ", " + last(type) + "]";
      const std::string step = step_of(type);
      if (!step.empty()) out += ", step: " + step;
    }
    switch (below(4)) {
      case 0:
        return out + ", may: [filter]}\n";
      case 1:
        return out + ", may: [group, filter]}\n";
      default:
        return out + "}\n";
    }
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

 private:
  std::string day() { return "0" + std::to_string(1 + below(9)); }
  std::string value(Type type) {
    switch (type) {
      case Type::kBoolean:
        return "false";
      case Type::kInteger:
        return "-" + std::to_string(below(1000));
      case Type::kDecimal:
        return "-" + std::to_string(below(100)) + ".5";
      case Type::kText:
        return "north";
      case Type::kDate:
        return "20" + std::to_string(10 + below(10)) + "-03-" + day();
      case Type::kTimestamp:
        return "20" + std::to_string(10 + below(10)) + "-03-" + day() + " 0" +
               std::to_string(below(10)) + ":30:00";
    }
    return "";
  }
  std::string last(Type type) {
    switch (type) {
      case Type::kInteger:
        return std::to_string(1 + below(100'000));
      case Type::kDecimal:
        return std::to_string(1 + below(100)) + ".5";
      case Type::kText:
        return "south";
      case Type::kDate:
        return "20" + std::to_string(20 + below(10)) + "-11-" + day();
      case Type::kTimestamp:
        return "20" + std::to_string(20 + below(10)) + "-11-" + day() + " 10:30:00";
      default:
        return "true";
    }
  }
  std::string step_of(Type type) {
    if (type == Type::kDecimal) return below(2) == 0 ? "0.5" : "0.01";
    if (type == Type::kTimestamp) return below(2) == 0 ? "" : below(2) == 0 ? "15 min" : "30 s";
    return "";
  }

  std::mt19937_64 random_;
};

constexpr std::array kTypes = {Type::kBoolean, Type::kInteger, Type::kDecimal,
                               Type::kText,    Type::kDate,    Type::kTimestamp};

policy::Policy read(const std::string& text, const std::string& folder) {
  policy::Reading reading = policy::read_policy(text, folder);
  EXPECT_TRUE(reading.policy) << text
                              << (reading.mistakes.empty() ? "" : reading.mistakes[0].message);
  return std::move(reading.policy).value();
}

/// `names` of columns by type, in the order of kTypes.
std::string policy_of(Declarations& random, const std::array<const char*, 6>& names,
                      const std::string& units) {
  std::string text = "version: 1\nsnapshot: s1\nunits: {people: " + units +
                     "}\ntables:\n  rows_of_all:\n    source: all.csv\n"
                     "    unit: {namespace: people, column: id}\n    columns:\n";
  for (std::size_t i = 0; i < kTypes.size(); ++i) text += random.column(names[i], kTypes[i]);
  return text;
}

constexpr const char* kBudget = "{budget: {epsilon: 100, delta: 1e-6}}";
constexpr std::array kPlain = {"flag", "visits", "cost", "place", "day_of", "at_time"};

std::string read_back(Type type, const Json& text) {
  const auto value = policy::parse_value(type, text.text());
  return value ? policy::to_string(*value) : "not read back: " + text.text();
}

TEST(FirstSight, ShowsEveryDomainAsItIsWritten) {
  Declarations random(5);
  for (int round = 0; round < 30; ++round) {
    const policy::Policy policy = read(policy_of(random, kPlain, kBudget), "/nowhere");
    const Json shown = Json::parse(catalog_document(policy)).value()["tables"][0]["columns"];
    std::string catalog;
    for (const std::string& statement : pgcatalog::setup(policy)) catalog += statement + "\n";
    const policy::Table& table = *policy.find("rows_of_all");
    ASSERT_EQ(shown.size(), table.columns.size());
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const policy::Column& column = table.columns[i];
      const Json& json = shown[i];
      if (column.grid) {
        for (const auto& [name, number] :
             {std::pair("low", column.grid->low), std::pair("high", column.grid->high)}) {
          EXPECT_EQ(policy::parse_value(column.type, json[name].text()).value().number(), number);
        }
        EXPECT_EQ(policy::parse_step(column.type, json["step"].text()).value(), column.grid->step);
        const bool is_calendar = column.type == Type::kDate || column.type == Type::kTimestamp;
        EXPECT_EQ(json["low"].text().find("-0") != std::string::npos, is_calendar) << json;
        // psql's \d+.
        const std::string words = "from " + json["low"].text() + " to " + json["high"].text() +
                                  " in steps of " + json["step"].text();
        EXPECT_NE(catalog.find("'" + words), catalog.npos) << words;
      }
      for (std::size_t v = 0; v < column.values.size(); ++v) {
        EXPECT_EQ(read_back(column.type, json["values"][v]), policy::to_string(column.values[v]));
        EXPECT_NE(catalog.find(json["values"][v].text()), catalog.npos);
      }
    }
  }
}

/// A table with a column of each type in a file, a ledger, and whoever asks.
class Place {
 public:
  Place(const std::string& text, const ledger::Scratch& scratch, int number)
      : policy_(read(text, scratch.path().string())) {
    const std::string name = "l" + std::to_string(number);
    ledger_ = ledger::Ledger::create({.path = scratch / (name + ".ledger"),
                                      .key = scratch / (name + ".key"),
                                      .witness = scratch / (name + ".witness")})
                  .value();
    const bool is_zcdp = policy_.units.at("people").notion == policy::Notion::kZcdp;
    const auto cap = ledger::fixture::price("100", "1e-6");
    EXPECT_TRUE(
        ledger_
            ->add_namespace({.name = "people",
                             .notion = is_zcdp ? ledger::Notion::kZcdp : ledger::Notion::kEpsilon,
                             .cap = cap,
                             .conversion_delta = is_zcdp ? cap.delta : ledger::Amount(),
                             .analysts = {{"owner", cap}}})
            .has_value());
    engine_ = engine::open_engine(policy_, {}).value();
    session_ = std::make_unique<session::Session>(policy_, *ledger_, *engine_);
  }
  const policy::Policy& policy() const { return policy_; }
  session::Session& session() { return *session_; }

 private:
  policy::Policy policy_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<session::Session> session_;
};

TEST(FirstSight, EveryExampleIsTakenAndEveryColumnHasOne) {
  const ledger::Scratch scratch;
  Declarations random(7);
  const std::vector<std::array<const char*, 6>> all_names = {
      kPlain, {"select", "Age", "order", "user", "end", "Time"},  // read by SQL as something else
  };
  int number = 0;
  for (const auto& names : all_names) {
    std::string header = "id";
    for (const char* const name : names) header += std::string(",") + name;
    ledger::spill(scratch / "all.csv",
                  header + "\n1,true,5,0.5,north,2022-03-01,2022-03-01 10:00:00\n");
    for (const char* const units :
         {kBudget, "{budget: {epsilon: 1}}", "{notion: zcdp, budget: {rho: 10, delta: 1e-6}}"}) {
      {
        const std::string text = policy_of(random, names, units);
        Place place(text, scratch, ++number);
        const std::vector<std::string> found = sql::examples(place.policy(), 100);
        std::string together;
        for (const std::string& sql : found) {
          together += sql + "\n";
          session::Request request{.sql = sql};
          request.options.epsilon = Epsilon::parse("0.1").value();
          const auto explained = place.session().explain(request);
          EXPECT_TRUE(explained) << sql << "\n" << explained.error().message << "\n" << text;
        }
        for (const char* const name : names) {
          EXPECT_NE(together.find(name), together.npos) << name << "\n" << together << text;
        }
        EXPECT_EQ(found[0], "SELECT COUNT(*) FROM rows_of_all");
        // The workload that the page begins with is designed where it can be published at all.
        const std::string yaml = publish::example_workload(place.policy());
        if (yaml.empty()) continue;
        const auto workload = publish::read_workload(yaml, "", place.policy());
        ASSERT_TRUE(workload) << yaml << workload.error().message;
        const auto terms = publish::terms_of(*workload, place.policy());
        EXPECT_EQ(terms.has_value(), std::string(units).find("zcdp") != std::string::npos);
        if (terms) {
          EXPECT_TRUE(publish::design(*workload, *terms)) << yaml;
        }
      }
    }
  }
}

TEST(FirstSight, APriceThatIsNoneIsRefusedInWordsOfItsOwn) {
  House house;
  for (const char* const none : {"-1", "0", "NaN", "1e999", "", "cheap", "-0", "1,5", "1/0", "0x10",
                                 "inf", " 1", "1e-999999"}) {
    for (const char* const path : {"query", "explain", "curve"}) {
      const Got got =
          house.ask("ann", "POST", "/api/v1/" + std::string(path),
                    Json{{"sql", "SELECT COUNT(*) FROM visits"}, {"epsilon", none}}.dump());
      EXPECT_EQ(got.status, 400) << path << " " << none << got.body;
      EXPECT_NE(got.body.find("epsilon must be a number above 0"), got.body.npos) << got.body;
    }
  }
  for (const char* const body : {R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":-1})",
                                 R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":0})",
                                 R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":1e999})",
                                 R"({"sql":"SELECT COUNT(*) FROM visits","epsilon":NaN})"}) {
    EXPECT_EQ(house.ask("ann", "POST", "/api/v1/query", body).status, 400) << body;
  }
  EXPECT_EQ(house.clinic.spent("ann", "patients"), "0 0");
}

}  // namespace
}  // namespace discreet::server::api::catalog_test
