// SPDX-License-Identifier: Apache-2.0
#include "policy/draft.h"

#include <gtest/gtest.h>

#include "policy/policy.h"

namespace discreet::policy::draft_test {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

std::string all(const std::vector<Mistake>& mistakes) {
  std::string out;
  for (const Mistake& each : mistakes) {
    out += std::to_string(each.line) + ": " + each.message + " | " + each.fix + "\n";
  }
  return out;
}

const std::vector<SchemaTable> kSchema{{"visits",
                                        "data/visits.parquet",
                                        {{"id", "BIGINT"},
                                         {"patient_id", "BIGINT"},
                                         {"age", "INTEGER"},
                                         {"cost", "DECIMAL(10,2)"},
                                         {"weight", "DOUBLE"},
                                         {"city", "VARCHAR"},
                                         {"mood", "ENUM('a', 'b')"},
                                         {"day", "DATE"},
                                         {"at", "TIMESTAMP WITH TIME ZONE"},
                                         {"smoker", "BOOLEAN"},
                                         {"tags", "VARCHAR[]"},
                                         {"blob", "BLOB"},
                                         {"odd: \"name\"\n#", "INTEGER"},
                                         {"Full Name", "VARCHAR"}}}};

TEST(DraftPolicy, LeavesToTheOwnerWhatOnlyTheOwnerKnows) {
  const std::string draft = draft_policy(kSchema);
  for (const char* line :
       {"by its name perhaps patient_id", "unit: {namespace: people, column: \"?\"}",
        "      age: {type: integer, range: [\"?\", \"?\"]}\n",
        "      cost: {type: decimal, range: [\"?\", \"?\"], step: 0.01}\n",
        "      weight: {type: decimal, range: [\"?\", \"?\"], step: \"?\"}\n",
        "      city: {type: text}", "      mood: {type: text}", "      at: {type: timestamp, range",
        "      smoker: {type: boolean}\n", "      # tags: left out", "      # blob: left out",
        "      # patient_id: ", "      # id: "}) {
    EXPECT_NE(draft.find(line), std::string::npos) << line << "\n" << draft;
  }
  EXPECT_EQ(draft.find("values: [a, b]}"),
            std::string::npos);  // an ENUM's values may be the data's
}

TEST(DraftPolicy, CheckListsEveryOpenPlaceWithItsLine) {
  const std::string draft = draft_policy(kSchema);
  const Reading reading = read_policy(draft, ".");
  EXPECT_FALSE(reading.policy.has_value());
  std::size_t open = 0;
  for (const Mistake& each : reading.mistakes) {
    EXPECT_NE(each.message.find("is still ?"), std::string::npos) << all(reading.mistakes);
    EXPECT_GT(each.line, 0);
    ++open;
  }
  // The head's comment has one "?" that is no place.
  EXPECT_EQ(open, count(draft, "\"?\"") - 1);
}

TEST(DraftPolicy, IsAPolicyOnceFilledIn) {
  std::string draft = draft_policy(kSchema);
  draft = replaced(draft, "column: \"?\"", "column: patient_id");
  draft = replaced(draft, "epsilon: \"?\", delta: \"?\"", "epsilon: 1, delta: 1e-6");
  draft = replaced(draft, "day: {type: date, range: [\"?\", \"?\"]", "day: {type: date");
  draft = replaced(draft, "at: {type: timestamp, range: [\"?\", \"?\"]", "at: {type: timestamp");
  draft = replaced(draft, "[\"?\", \"?\"]", "[0, 120]");
  draft = replaced(draft, "\"?\"", "1");
  const Reading reading = read_policy(draft, ".");
  ASSERT_TRUE(reading.policy.has_value()) << all(reading.mistakes) << draft;
  const Table& visits = *reading.policy->find("visits");
  EXPECT_EQ(visits.columns.size(), 8u);
  EXPECT_EQ(visits.find("patient_id"), nullptr);
}

TEST(DraftPolicy, AListHasNoDomainWhateverItsElements) {
  for (const std::string type : {"BOOLEAN", "INTEGER", "DECIMAL(18,2)", "DECIMAL(4,1)", "DOUBLE",
                                 "VARCHAR", "ENUM('a')", "DATE", "TIMESTAMP", "UUID"}) {
    EXPECT_TRUE(drafted({"z", type}).has_value()) << type;
    for (const std::string list : {"[]", "[3]", "[][3]"}) {
      EXPECT_FALSE(drafted({"z", type + list}).has_value()) << type << list;
    }
  }
}

TEST(DraftPolicy, SaysWhenAFileDeclaresNoTypes) {
  const std::string note = "declares no types";
  EXPECT_EQ(draft_policy(kSchema).find(note), std::string::npos);
  EXPECT_NE(draft_policy({{"t", "t.csv", {{"age", "VARCHAR"}}}}).find(note), std::string::npos);
}

TEST(DraftPolicy, NamesTablesAfterTheirFiles) {
  EXPECT_EQ(table_name_of("data/Visits 2024.parquet"), "visits_2024");
  EXPECT_EQ(table_name_of("2024.csv"), "t_2024");
  EXPECT_EQ(table_name_of("data/clinic.duckdb:main.visits"), "visits");
  EXPECT_EQ(table_name_of("/a/b/.csv"), "t_");
  EXPECT_EQ(table_name_of("zip-codes.csv.gz"), "zip_codes");
  EXPECT_EQ(table_name_of(std::string(500, 'x')).size(), 60u);
}

const std::string kSmartNoise = R"('':
  PUMS:
    PUMS:
      row_privacy: False
      rows: 1000
      max_ids: 4
      sample_max_ids: True
      censor_dims: True
      PersonID: {type: int, private_id: True}
      age: {type: int, lower: 0, upper: 100, nullable: True, missing_value: 30}
      income: {type: float, lower: 0.0, upper: 500000.5}
      sex: {type: string, cardinality: 2}
      married: {type: boolean}
      born: {type: datetime}
      half: {type: int, lower: 0}
      odd: {type: unknown}
    PUMS_row:
      row_privacy: True
      columns:
        educ: {type: int, lower: 1, upper: 16}
)";

TEST(ImportSmartNoise, KeepsWhatCarriesOverAndSaysWhatDoesNot) {
  const auto imported = import_smartnoise(kSmartNoise);
  ASSERT_TRUE(imported.has_value()) << imported.error().message;
  for (const char* line : {"  pums:\n", "  pums_row:\n", "column: PersonID}   # private_id\n",
                           "row: true}   # row_privacy\n",
                           "bounds: {groups_per_unit: 4, rows_per_unit_and_group: 1}\n",
                           "      age: {type: integer, range: [0, 100], \"null\": {default: 30}}\n",
                           "      income: {type: decimal, range: [0, 500000.5], step: \"?\"}\n",
                           "      sex: {type: text}\n", "      # not kept: sex.cardinality: '2'",
                           "      married: {type: boolean}\n", "      born: {type: timestamp}\n",
                           "      half: {type: integer, range: [0, \"?\"]}\n",
                           "      # not kept: odd", "      educ: {type: integer, range: [1, 16]}\n",
                           "# not kept: rows: '1000'", "# not kept: censor_dims: 'True'"}) {
    EXPECT_NE(imported->find(line), std::string::npos) << line << "\n" << *imported;
  }
  EXPECT_EQ(imported->find("      PersonID:"), std::string::npos);
}

TEST(ImportSmartNoise, IsAPolicyOnceFilledIn) {
  std::string text = *import_smartnoise(kSmartNoise);
  text = replaced(text, "epsilon: \"?\", delta: \"?\"", "epsilon: 1, delta: 1e-6");
  text = replaced(text, "step: \"?\"", "step: 0.5");
  text = replaced(text, "\"?\"", "7");
  const Reading reading = read_policy(text, ".");
  ASSERT_TRUE(reading.policy.has_value()) << all(reading.mistakes) << text;
  EXPECT_TRUE(reading.policy->find("pums_row")->unit->row_is_unit);
  EXPECT_EQ(reading.policy->find("pums")->find("income")->grid->high, Rational::ratio(1000001, 2));
}

TEST(ImportSmartNoise, RefusesWhatIsNoMetadata) {
  for (const char* text : {"", "a: 1", "[1]", "a: {b: {c: {d: 1}}}", "a: [", "a: &x 1\nb: *x"}) {
    const auto imported = import_smartnoise(text);
    ASSERT_FALSE(imported.has_value()) << text;
    EXPECT_EQ(imported.error().code, Code::kInvalidInput);
    EXPECT_NE(imported.error().message.find("SmartNoise's metadata is"), std::string::npos);
  }
}

}  // namespace
}  // namespace discreet::policy::draft_test
