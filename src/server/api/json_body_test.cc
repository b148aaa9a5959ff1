// SPDX-License-Identifier: Apache-2.0
#include "server/api/json_body.h"

#include <gtest/gtest.h>

#include "server/api/house_for_tests.h"

namespace discreet::server::api::json_body_test {
namespace {

constexpr Deprecated kOld[] = {
    {NameKind::kField, "question", "sql", {0, 9}, {0, 11}},
    {NameKind::kRoute, "POST /api/v1/price", "POST /api/v1/explain", {0, 9}, {0, 11}},
    {NameKind::kRoute, "GET /api/v1/tasks/{id}", "GET /api/v1/jobs/{id}", {0, 9}, {0, 11}}};

TEST(Fields, AnOldFieldIsTheNewOneAndWarns) {
  const auto fields = Fields::parse(R"({"question": "SELECT 1"})", {"sql", "epsilon"}, kOld);
  ASSERT_TRUE(fields) << fields.error().message;
  EXPECT_EQ(fields->text("sql"), "SELECT 1");
  EXPECT_EQ(fields->warnings(),
            std::vector<std::string>{
                "'question' is deprecated since version 0.9 and goes in 0.11; use 'sql'"});
  EXPECT_TRUE(Fields::parse(R"({"sql": "SELECT 1"})", {"sql"}, kOld)->warnings().empty());
  EXPECT_FALSE(Fields::parse(R"({"question": "SELECT 1"})", {"sql"}));
  EXPECT_FALSE(Fields::parse(R"({"question": "SELECT 1"})", {"epsilon"}, kOld));
  const auto both = Fields::parse(R"({"question": "a", "sql": "b"})", {"sql"}, kOld);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().message,
            "'question' is the old name of 'sql', which is there too; give one");
}

// Each caller hears of their own old names, in their own response, each time: what one is told does
// not depend on what others have used.
TEST(Service, TellsTheCallerOfOldNamesAndNobodyElse) {
  House house({.old_names = kOld});
  const auto told = [](const http::Got& got) {
    const auto found = got.headers.find("x-discreet-deprecated");
    return found == got.headers.end() ? "" : found->second;
  };
  const std::string sql = "\"SELECT COUNT(*) FROM visits\", \"epsilon\": \"0.1\"}";
  const auto today = house.ask("ann", "POST", "/api/v1/explain", "{\"sql\": " + sql);
  EXPECT_EQ(today.status, 200) << today.body;
  EXPECT_EQ(told(today), "");
  for (const char* const who : {"ann", "press", "ann"}) {
    const auto old = house.ask(who, "POST", "/api/v1/price", "{\"question\": " + sql);
    EXPECT_EQ(old.status, 200) << old.body;
    EXPECT_EQ(
        told(old),
        "route 'POST /api/v1/price' is deprecated since version 0.9 and goes in 0.11; use "
        "'POST /api/v1/explain', field 'question' is deprecated since version 0.9 and goes in "
        "0.11; use 'sql'");
    EXPECT_TRUE(std::string(who) != "ann" || old.body == today.body) << old.body;
  }
  EXPECT_EQ(told(house.ask("ann", "POST", "/api/v1/explain", "{\"sql\": " + sql)), "");
  // A refusal says it too, and a parameter keeps its place.
  const auto none = house.ask("ann", "GET", "/api/v1/tasks/17");
  EXPECT_EQ(none.status, house.ask("ann", "GET", "/api/v1/jobs/17").status);
  EXPECT_EQ(none.body, house.ask("ann", "GET", "/api/v1/jobs/17").body);
  EXPECT_NE(told(none), "");
  EXPECT_EQ(house.ask("ann", "GET", "/api/v1/price").status, 404);
}

}  // namespace
}  // namespace discreet::server::api::json_body_test
