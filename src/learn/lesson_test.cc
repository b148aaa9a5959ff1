// SPDX-License-Identifier: Apache-2.0
// From a policy's files to a stored model: what is read, what is charged, what is free.
#include "learn/lesson.h"

#include <gtest/gtest.h>

#include <cmath>

#include "learn/parts.h"
#include "session/clinic_for_tests.h"

namespace discreet::learn::lesson_test {
namespace {

/// The clinic, and an engine of our own over its files.
struct Clinic : session::Clinic {
  using session::Clinic::Clinic;
  engine::Engine& engine() {
    if (own_ == nullptr) own_ = engine::duckdb::DuckDbEngine::open(policy(), {}).value();
    return *own_;
  }

 private:
  std::unique_ptr<engine::duckdb::DuckDbEngine> own_;
};

Lesson lesson_of(std::vector<std::string> columns, const char* epsilon,
                 const std::string& table = "visits") {
  Lesson out{.table = table, .columns = std::move(columns), .text = "test", .training = {}};
  out.training.epsilon = Epsilon::parse(epsilon).value();
  out.training.shares = {1};
  out.analyst = "ann";
  return out;
}

/// The sums of the columns' cells, and the number of rows, with hardly any noise.
Result<Taught> sums_of(Clinic& clinic, const Lesson& lesson, std::vector<double>& out) {
  const std::size_t d = lesson.columns.size();
  return teach(clinic.policy(), clinic.ledger(), clinic.engine(), lesson, {},
               [&](Sums& sums, const Certificate& c) -> Result<std::string> {
                 EXPECT_EQ(c.epsilon, lesson.training.epsilon.to_string());
                 DISCREET_ASSIGN(
                     out, sums.dense(d + 1, 8192,
                                     [&](std::span<const std::int64_t> row, std::span<double> v) {
                                       for (std::size_t i = 0; i < d; ++i) {
                                         if (row[i] == kMissing) return;
                                         v[i] = static_cast<double>(row[i]);
                                       }
                                       v[d] = 1;
                                     }));
                 return std::string("model");
               });
}

// 300 patients with three visits each, of which bounding keeps three: the rows that SQL sums over.
TEST(Lesson, ReadsTheRowsThatSqlWouldSum) {
  Clinic clinic;
  std::vector<double> sums;
  ASSERT_TRUE(sums_of(clinic, lesson_of({"age", "clinic"}, "1e9"), sums).has_value());
  EXPECT_NEAR(sums[0], clinic.measured("SELECT SUM(age) FROM visits"), 100);
  EXPECT_NEAR(sums[1], 300 + 2 * 300, 10);  // north 0, south 1, east 2
  EXPECT_NEAR(sums[2], 900, 5);
  // A missing value and one that is not listed.
  Clinic changed({"UPDATE visits SET age = NULL WHERE id < 10",
                  "UPDATE visits SET clinic = 'west' WHERE id BETWEEN 10 AND 19"});
  ASSERT_TRUE(sums_of(changed, lesson_of({"age", "clinic"}, "1e9"), sums).has_value());
  EXPECT_NEAR(sums[2], 890, 5);
}

// A date is its days from the first that the policy declares.
TEST(Lesson, ReadsDatesAsDays) {
  Clinic clinic;
  const auto columns = columns_of(clinic.policy(), "visits", {"day"});
  ASSERT_TRUE(columns.has_value()) << columns.error().message;
  EXPECT_TRUE(columns->front().is_date);
  std::vector<double> sums;
  ASSERT_TRUE(sums_of(clinic, lesson_of({"day"}, "1e9"), sums).has_value());
  const double days = clinic.measured(
      "SELECT SUM(day - DATE '" + columns->front().text(columns->front().low) + "') FROM visits");
  EXPECT_NEAR(sums[0], days, 100);
}

TEST(Lesson, IsChargedOnceAndStored) {
  Clinic clinic;
  std::vector<double> sums;
  const std::string before = clinic.spent();
  const auto first = sums_of(clinic, lesson_of({"age"}, "0.5"), sums);
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(first->repeated);
  const std::string after = clinic.spent();
  EXPECT_NE(before, after);
  EXPECT_EQ(after, "0.5 0.5");
  sums.clear();
  const auto second = sums_of(clinic, lesson_of({"age"}, "0.5"), sums);
  ASSERT_TRUE(second.has_value());
  EXPECT_TRUE(second->repeated);
  EXPECT_EQ(second->bytes, "model");
  EXPECT_TRUE(sums.empty());  // no look at the data
  EXPECT_EQ(clinic.spent(), after);
}

// A run that dies after its charge: the charge stays, and the next run pays again.
TEST(Lesson, AKilledRunStaysCharged) {
  Clinic clinic;
  const auto died =
      teach(clinic.policy(), clinic.ledger(), clinic.engine(), lesson_of({"age"}, "1"), {},
            [](Sums&, const Certificate&) -> Result<std::string> {
              return Error{Code::kInterrupted, "killed"};
            });
  EXPECT_FALSE(died.has_value());
  EXPECT_EQ(clinic.spent(), "1 1");
  std::vector<double> sums;
  ASSERT_TRUE(sums_of(clinic, lesson_of({"age"}, "1"), sums).has_value());
  EXPECT_EQ(clinic.spent(), "2 2");
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

/// A lesson in five parts of one round each; its state is the rounds that were done, "0 3 4 ".
struct InParts {
  Lesson lesson = lesson_of({"age"}, "1");
  std::filesystem::path file;
  int die_in = -1;  ///< the round in which the process dies
  bool resumed = false;

  explicit InParts(const Clinic& clinic) : file(clinic.folder() + "/run.checkpoint") {
    lesson.training.shares = {};
    lesson.training.delta = Delta::parse("1e-6").value();
    lesson.training.sampling = plan::Sampling{std::uint64_t{1} << 63, 5, 5};
  }

  Result<Taught> teach(Clinic& clinic) {
    return teach_in_parts(
        clinic.policy(), clinic.ledger(), clinic.engine(), lesson, {},
        {.file = file, .resumed = [&] { resumed = true; }},
        [&](Parts& parts, const Certificate&) -> Result<std::string> {
          std::string state = parts.state();
          while (true) {
            DISCREET_ASSIGN(const bool more, parts.next(state));
            if (!more) return state;
            const auto round = static_cast<int>(parts.sums().rounds_done());
            if (round == die_in) return Error{Code::kInterrupted, "killed"};
            DISCREET_TRY(parts.sums().dense(1, 1, [](auto, std::span<double> v) { v[0] = 1; }));
            state += std::to_string(round) + " ";
          }
        });
  }
};

TEST(LessonInParts, GoesOnAfterAKillWithoutARoundDrawnTwice) {
  Clinic clinic;
  InParts run(clinic);
  run.die_in = 2;
  EXPECT_FALSE(run.teach(clinic));
  EXPECT_EQ(clinic.spent(), "1 1");
  const std::string early = bytes_of(run.file);
  run.die_in = 4;
  EXPECT_FALSE(run.teach(clinic));  // goes on with round 3: round 2 was taken by the dead
  EXPECT_TRUE(run.resumed);
  // An old copy of the file brings no round back.
  put(run.file, early);
  run.die_in = -1;
  const auto done = run.teach(clinic);
  ASSERT_TRUE(done.has_value()) << done.error().message;
  EXPECT_EQ(done->bytes, "0 1 ");  // of the copy; 2, 3 and 4 are gone
  EXPECT_FALSE(done->repeated);
  EXPECT_FALSE(std::filesystem::exists(run.file));
  EXPECT_EQ(clinic.spent(), "1 1");
  const auto again = run.teach(clinic);
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(again->bytes, "0 1 ");
}

TEST(LessonInParts, RefusesAFileOfAnotherRunBeforeItCharges) {
  Clinic clinic;
  InParts run(clinic);
  run.die_in = 2;
  EXPECT_FALSE(run.teach(clinic));
  run.die_in = -1;
  const std::string sealed = bytes_of(run.file);
  const auto refused = [&](InParts& lesson, const std::string& bytes) {
    put(lesson.file, bytes);
    const auto taught = lesson.teach(clinic);
    EXPECT_FALSE(taught);
    EXPECT_EQ(clinic.spent(), "1 1");
    return taught ? "" : taught.error().message;
  };
  InParts other = run;
  other.lesson.columns = {"cost"};
  EXPECT_NE(refused(other, sealed).find("another run"), std::string::npos);
  other = run;
  other.lesson.analyst = "press";
  refused(other, sealed);
  other = run;
  other.lesson.training.epsilon = Epsilon::parse("0.5").value();
  refused(other, sealed);
  std::string changed = sealed;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  EXPECT_NE(refused(run, changed).find("was changed"), std::string::npos);
  EXPECT_NE(refused(run, "").find("no checkpoint"), std::string::npos);
  refused(run, "discreet checkpoint 1\n99999999999999999999999\nx");
  refused(run, sealed.substr(0, sealed.size() / 2));
  // A place that cannot be written to.
  other = run;
  other.lesson.text = "another";
  other.file = clinic.folder() + "/none/run.checkpoint";
  EXPECT_FALSE(other.teach(clinic));
  EXPECT_EQ(clinic.spent(), "1 1");
  // The run itself is unharmed.
  put(run.file, sealed);
  EXPECT_EQ(run.teach(clinic)->bytes, "0 1 3 4 ");
}

TEST(Lesson, RefusesWhatThePolicyDoesNotAllow) {
  Clinic clinic;
  std::vector<double> sums;
  const auto code = [&](const std::string& column) {
    const auto columns = columns_of(clinic.policy(), "visits", {column});
    return columns ? Code::kBug : columns.error().code;
  };
  EXPECT_EQ(code("undeclared"), Code::kNotFound);
  EXPECT_EQ(code("city"), Code::kRefused);  // neither a range nor a list
  EXPECT_FALSE(table_of(clinic.policy(), ""));
  EXPECT_FALSE(table_of(clinic.policy(), "zips"));
  // More than the analyst has.
  Lesson dear = lesson_of({"age"}, "3");
  dear.analyst = "press";
  const auto refused = sums_of(clinic, dear, sums);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kBudget);
  EXPECT_TRUE(sums.empty());
}

}  // namespace
}  // namespace discreet::learn::lesson_test
