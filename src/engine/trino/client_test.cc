// SPDX-License-Identifier: Apache-2.0
// The protocol against a server that does what real ones do on bad days: it is busy, drops lines,
// answers nonsense, never ends. tests/trino_test.cc asks a real one.
#include "engine/trino/client.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/duckdb/files_for_tests.h"
#include "engine/trino/fake_server_for_tests.h"
#include "engine/trino/inspection.h"
#include "engine/trino/sources.h"
#include "engine/trino/types.h"

namespace discreet::engine::trino::client_test {
namespace {

using duckdb::GatheredLog;

const std::string kUp = FakeServer::json(R"({"nodeVersion":{"version":"476"},"starting":false})");

bool asks(const std::string& request, const std::string& what) { return request.starts_with(what); }

std::string page(const std::string& rest) {
  return FakeServer::json(R"({"stats":{})" + rest + "}");
}
std::string next(const std::string& path) {
  return R"(,"nextUri":"http://elsewhere.example:99)" + path + "\"";
}

std::size_t count(FakeServer& server, const std::string& what) {
  std::size_t found = 0;
  for (const std::string& request : server.requests()) found += asks(request, what) ? 1 : 0;
  return found;
}

// Busy at first, a line that breaks in the middle, pages with and without rows, chunks: all rows
// come once, and the statement was sent once.
TEST(TrinoProtocol, WaitsAndAsksForTheSamePageAgain) {
  std::atomic<int> posts{0};
  std::atomic<int> firsts{0};
  FakeServer server([&](const std::string& request) -> std::optional<std::string> {
    if (asks(request, "GET /v1/info ")) return kUp;
    if (asks(request, "POST /v1/statement ")) {
      if (++posts == 1) return FakeServer::json("", "503 Service Unavailable");
      return page(next("/v1/statement/queued/1"));
    }
    if (asks(request, "GET /v1/statement/queued/1 ")) {
      if (++firsts == 1) return std::nullopt;
      if (firsts == 2) return FakeServer::json("", "429 Too Many Requests", "Retry-After: 0\r\n");
      return page(next("/v1/statement/executing/2") + R"(,"data":[[1,"a",null,true]])");
    }
    const std::string last = R"({"stats":{},"data":[[-5,"12345678901234567890",null,false]]})";
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n" + last.substr(0, 5) +
           "\r\n32\r\n" + last.substr(5, 50) + "\r\n" +
           [&] {
             char size[16];
             std::snprintf(size, sizeof size, "%zx", last.size() - 55);
             return std::string(size);
           }() +
           "\r\n" + last.substr(55) + "\r\n0\r\n\r\n";
  });
  GatheredLog log;
  auto client = Client::open(server.url("tls=no&session.a_b=x%20y"), log.log());
  ASSERT_TRUE(client.has_value()) << log.said;
  auto rows = (*client)->ask("SELECT 1", log.log());
  ASSERT_TRUE(rows.has_value()) << log.said << rows.error().message;
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ(rows->at(0), (Row{std::int64_t{1}, std::string("a"), {}, true}));
  EXPECT_EQ(rows->at(1), (Row{std::int64_t{-5}, std::string("12345678901234567890"), {}, false}));
  EXPECT_EQ(posts, 2);  // the first was not taken
  for (const std::string& request : server.requests()) {
    EXPECT_NE(request.find("X-Trino-User: ann\r\n"), std::string::npos);
    EXPECT_NE(request.find("query_max_run_time=600s,a_b=x%20y\r\n"), std::string::npos);
    EXPECT_EQ(request.find("Authorization"), std::string::npos);
  }
}

// Whatever the cluster says, and whatever of the data is in it, one text is returned.
TEST(TrinoProtocol, FailsWithOneTextAndTakesTheStatementBack) {
  const std::vector<std::string> answers = {
      page(R"(,"error":{"errorName":"DIVISION_BY_ZERO","message":"row of ann: 17"})"),
      page(R"(,"error":{"errorName":"EXCEEDED_LOCAL_MEMORY_LIMIT","message":"m"})"),
      page(R"(,"data":[[[1,2]]])"),
      page(R"(,"data":[[1.5]])"),
      page(R"(,"data":7)"),
      page(next("//evil") + R"(,"data":[])"),
      FakeServer::json("no json"),
      FakeServer::json("{}"),
      FakeServer::json("", "404 Not Found"),
      FakeServer::json("", "410 Gone"),
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
  };
  for (const std::string& answer : answers) {
    FakeServer server([&](const std::string& request) -> std::optional<std::string> {
      if (asks(request, "GET /v1/info ")) return kUp;
      if (asks(request, "POST ")) return page(next("/v1/statement/executing/1"));
      if (asks(request, "DELETE ")) return FakeServer::json("", "204 No Content");
      return answer;
    });
    GatheredLog log;
    auto client = std::move(Client::open(server.url("tls=no&timeout=1"), log.log()).value());
    auto rows = client->ask("SELECT 1", log.log());
    ASSERT_FALSE(rows.has_value()) << answer;
    EXPECT_EQ(rows.error().message, engine_failed().message) << answer;
    EXPECT_NE(log.said.find("trino: "), std::string::npos) << answer;
    const bool ended = answer.find("errorName") != std::string::npos;
    EXPECT_EQ(count(server, "DELETE /v1/statement/executing/1 "), ended ? 0U : 1U) << answer;
  }
}

// Both depend on how long the rows took, so both end a charge (L11); memory is not time.
TEST(TrinoProtocol, SaysWhichFailuresWereLimitsOfTime) {
  for (const auto& [fault, is_time] : {std::pair{"EXCEEDED_TIME_LIMIT", true},
                                       {"EXCEEDED_CPU_LIMIT", true},
                                       {"EXCEEDED_LOCAL_MEMORY_LIMIT", false}}) {
    FakeServer server([&](const std::string& request) -> std::optional<std::string> {
      if (asks(request, "GET /v1/info ")) return kUp;
      return page(R"(,"error":{"errorName":")" + std::string(fault) + R"(","message":"m"})");
    });
    GatheredLog log;
    const OwnerLog owner = log.log();
    const TimedLog timed(owner);
    auto client = std::move(Client::open(server.url("tls=no&timeout=1"), {}).value());
    EXPECT_FALSE(client->ask("SELECT 1", timed.log()).has_value());
    EXPECT_EQ(timed.ran_out(), is_time) << fault;
  }
}

TEST(TrinoProtocol, StopsAtOnceAndAtItsTimeLimit) {
  std::atomic<Client*> running{nullptr};
  FakeServer server([&](const std::string& request) -> std::optional<std::string> {
    if (asks(request, "GET /v1/info ")) return kUp;
    if (asks(request, "DELETE ")) return FakeServer::json("", "204 No Content");
    if (Client* const client = running.exchange(nullptr)) client->interrupt();
    return page(next("/v1/statement/executing/1"));  // never ends
  });
  auto client = std::move(Client::open(server.url("tls=no&timeout=1"), {}).value());
  auto late = client->ask("SELECT 1", {});
  ASSERT_FALSE(late.has_value());
  EXPECT_EQ(late.error().message, engine_failed().message);
  EXPECT_EQ(count(server, "DELETE "), 1U);
  running = client.get();
  auto stopped = client->ask("SELECT 1", {});
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code, Code::kInterrupted);
  EXPECT_EQ(count(server, "DELETE "), 2U);
  client->resume();
}

// What is public has a limit. Groups of a question have none: which there are is secret, and an
// analyst could make one person's group decide whether there are too many bytes.
TEST(TrinoProtocol, LimitsHowMuchPublicAnswersBringAndNoOthers) {
  const std::string large = R"(,"id":"q_1","data":[[")" + std::string(300'000, 'x') + R"("]])";
  std::atomic<int> pages{0};
  FakeServer server([&](const std::string& request) -> std::optional<std::string> {
    if (asks(request, "GET /v1/info ")) return kUp;
    if (asks(request, "DELETE ")) return FakeServer::json("", "204 No Content");
    if (asks(request, "POST ")) pages = 0;
    return page((++pages < 8 ? next("/v1/statement/executing/1") : "") + large);
  });
  GatheredLog log;
  auto client = std::move(Client::open(server.url("tls=no&result_mb=1"), log.log()).value());
  const auto listed = client->ask("SELECT 1", log.log());
  ASSERT_FALSE(listed.has_value());
  EXPECT_EQ(listed.error().message, engine_failed().message);
  EXPECT_NE(log.said.find("result_mb"), std::string::npos);
  EXPECT_EQ(count(server, "DELETE "), 1U);
  std::size_t rows = 0;
  Told told;
  const auto done = client->query(
      "SELECT 1", log.log(), [&](std::span<const Row> some) { rows += some.size(); }, &told);
  ASSERT_TRUE(done.has_value()) << log.said;
  EXPECT_EQ(rows, 8U);
  EXPECT_EQ(told.id, "q_1");
}

/// What a cluster tells of a statement that reads one table.
Json told_of(const std::string& table, const std::string& input) {
  return Json::parse(R"({"referencedTables":[{"catalog":"c","schema":"s","table":"t",)" + table +
                     R"(}],"inputs":[{"catalogName":"c","schema":"s","table":"t",)" + input + "}]}")
      .value();
}

TEST(TrinoInspection, TakesPlainTablesInFormatsThatItKnowsAndNoOthers) {
  const std::vector<TableName> ours = {{"c", "s", "t"}};
  const std::string plain =
      R"("filters":[],"columns":[{"column":"x"},{"column":"y","mask":null}],"referenceChain":[])";
  const auto files = [](const std::string& connector, const std::string& format) {
    return R"("connectorName":")" + connector + R"(","connectorInfo":{"tableDefaultFileFormat":")" +
           format + R"("})";
  };
  const std::string parquet = files("hive", "PARQUET");
  const auto words = [&](const Json& told) {
    const auto found = inspect(told, ours);
    return found ? std::string("taken") : found.error().message;
  };
  const auto stored = inspect(told_of(plain, parquet), ours);
  ASSERT_TRUE(stored.has_value()) << stored.error().message;
  EXPECT_EQ(stored->at(ours[0]), (Stored{"hive", "PARQUET"}));
  EXPECT_EQ(words(told_of(plain, files("iceberg", "ORC"))), "taken");
  EXPECT_EQ(words(told_of(plain, R"("connectorName":"memory")")), "taken");
  for (const std::string& input :
       {files("hive", "JSON"), files("hive", "TEXTFILE"), files("iceberg", "AVRO"),
        files("hive", ""), std::string(R"("connectorName":"hive")"),
        std::string(R"("connectorName":"postgresql")"), files("delta_lake", "PARQUET"),
        std::string(R"("connectorName":null)"), std::string(R"("columns":[])")}) {
    EXPECT_NE(words(told_of(plain, input)).find("a later version"), std::string::npos) << input;
  }
  for (const std::string table :
       {R"("filters":["x > 1"],"columns":[])",
        R"("filters":[],"columns":[{"column":"x","mask":"y"}])",
        R"("filters":[],"columns":[],"viewText":"SELECT 1")",
        R"("filters":[],"columns":[],"referenceChain":[{"type":"view"}])", R"("columns":[])",
        R"("filters":[])", R"("filters":null,"columns":[])", R"("filters":[],"columns":["x"])"}) {
    EXPECT_NE(words(told_of(table, parquet)).find("row filter"), std::string::npos) << table;
  }
  for (const char* nonsense :
       {"{}", "7", R"({"referencedTables":[]})", R"({"inputs":[]})",
        R"({"referencedTables":[{}],"inputs":[]})", R"({"referencedTables":[],"inputs":[{}]})"}) {
    EXPECT_EQ(words(Json::parse(nonsense).value()), engine_failed().message) << nonsense;
  }
  // A table that the statement did not name: of a view, or of a filter.
  EXPECT_FALSE(inspect(told_of(plain, parquet), {{"c", "s", "u"}}).has_value());
}

// A coordinator that answers before it can run anything.
TEST(TrinoProtocol, WaitsForAServerThatIsStarting) {
  std::atomic<int> looks{0};
  FakeServer server([&](const std::string&) -> std::optional<std::string> {
    if (++looks > 2) return kUp;
    return FakeServer::json(R"({"nodeVersion":{"version":"476"},"starting":true})");
  });
  EXPECT_TRUE(Client::open(server.url("tls=no"), {}).has_value());
  EXPECT_EQ(looks, 3);
  // A word that is no truth value is none of ours.
  FakeServer other([&](const std::string&) -> std::optional<std::string> {
    return FakeServer::json(R"({"nodeVersion":{"version":"476"},"starting":"soon"})");
  });
  EXPECT_TRUE(Client::open(other.url("tls=no"), {}).has_value());
}

// What stands for a catalog may answer anything: too few values, or a number for a name.
TEST(TrinoSources, OfAServerThatAnswersNonsenseFail) {
  for (const std::string rows : {"[[]]", "[[1]]", "[[null]]", R"([["BASE TABLE","x"]])"}) {
    FakeServer server([&](const std::string& request) -> std::optional<std::string> {
      if (asks(request, "GET /v1/info ")) return kUp;
      return page(R"(,"data":)" + rows);
    });
    GatheredLog log;
    auto client = std::move(Client::open(server.url("tls=no"), log.log()).value());
    const auto table = describe(*client, "a.b.c", log.log());
    ASSERT_FALSE(table.has_value()) << rows;
    EXPECT_EQ(table.error().message, engine_failed().message);
    const auto columns = columns_of(*client, {{"a", "b", "c"}}, log.log());
    ASSERT_FALSE(columns.has_value()) << rows;
    EXPECT_EQ(columns.error().message, engine_failed().message);
  }
}

TEST(TrinoProtocol, SaysWhatIsWrongWithTheServer) {
  const auto message = [](const std::string& answer) {
    FakeServer server([&](const std::string&) { return std::optional(answer); });
    auto client = Client::open(server.url("tls=no"), {});
    return client ? std::string("opened") : client.error().message;
  };
  EXPECT_NE(message(FakeServer::json("{}")).find("is no Trino"), std::string::npos);
  EXPECT_NE(message(FakeServer::json("", "401 Unauthorized")).find("TRINO_PASSWORD"),
            std::string::npos);
}

// A password is shown to a server whose certificate is trusted, and to nobody else.
TEST(TrinoProtocol, ShowsSecretsOverTrustedTlsOnly) {
  const duckdb::ScratchFolder folder;
  FakeServer server([](const std::string&) { return std::optional(kUp); }, folder / "ca.pem");
  FakeServer plain([](const std::string&) { return std::optional(kUp); });
  setenv("TRINO_PASSWORD", "pass word", 1);
  GatheredLog log;
  auto distrusted = Client::open(server.url(""), log.log());
  ASSERT_FALSE(distrusted.has_value());
  EXPECT_NE(distrusted.error().message.find("is not trusted"), std::string::npos);
  EXPECT_EQ(server.requests().size(), 0U);
  EXPECT_FALSE(Client::open(server.url("ca=" + folder / "none.pem"), {}).has_value());
  ASSERT_TRUE(Client::open(server.url("ca=" + folder / "ca.pem"), log.log()).has_value())
      << log.said;
  EXPECT_NE(server.requests().at(0).find("Authorization: Basic YW5uOnBhc3Mgd29yZA==\r\n"),
            std::string::npos);
  ASSERT_TRUE(Client::open(plain.url("tls=no"), {}).has_value());
  EXPECT_EQ(plain.requests().at(0).find("Authorization"), std::string::npos);
  setenv("TRINO_JWT", "a.b.c", 1);
  ASSERT_TRUE(Client::open(server.url("ca=" + folder / "ca.pem"), {}).has_value());
  EXPECT_NE(server.requests().at(1).find("Authorization: Bearer a.b.c\r\n"), std::string::npos);
  unsetenv("TRINO_JWT");
  setenv("TRINO_PASSWORD", "a\r\nX-Trino-User: admin", 1);
  EXPECT_FALSE(Client::open(server.url("ca=" + folder / "ca.pem"), {}).has_value());
  // Trino reads ISO 8859-1: "ann:\xF6\xFF", and nothing that is not in it.
  setenv("TRINO_PASSWORD", "\u00F6\u00FF", 1);
  ASSERT_TRUE(Client::open(server.url("ca=" + folder / "ca.pem"), {}).has_value());
  EXPECT_NE(server.requests().at(2).find("Authorization: Basic YW5uOvb/\r\n"), std::string::npos);
  for (const char* password : {"\u0100", "\u20AC", "\xC3", "\xC3\xC3", "\xF6"}) {
    setenv("TRINO_PASSWORD", password, 1);
    auto refused = Client::open(server.url("ca=" + folder / "ca.pem"), {});
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(refused.error().message.find("ISO 8859-1"), std::string::npos);
  }
  unsetenv("TRINO_PASSWORD");
}

TEST(TrinoUrl, IsReadOrRefusedWithTheFix) {
  const auto server = parse_server_url("trino://ann%40x@h.example:8443/?ca=%2Fa%20b&timeout=9");
  ASSERT_TRUE(server.has_value());
  EXPECT_EQ(server->user, "ann@x");
  EXPECT_EQ(server->host, "h.example");
  EXPECT_EQ(server->port, "8443");
  EXPECT_EQ(server->ca_file, "/a b");
  EXPECT_EQ(server->timeout_s, 9);
  EXPECT_EQ(parse_server_url("trino://a@[::1]?tls=no")->port, "8080");
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"trino://h:1", "no user"},
      {"trino://a:secret@h:1", "TRINO_PASSWORD"},
      {"trino://a@h:1?tls=no", "over a network"},
      {"trino://a@h:1?tls=maybe", "no option"},
      {"trino://a@h:1?timeout=0", "whole seconds"},
      {"trino://a@h:1?result_mb=1.5", "whole megabytes"},
      {"trino://a@h:1?speed=9", "no option"},
      {"trino://a@h:1/catalog", "catalog.schema.table"},
      {"trino://a@h:port", "trino://user@host:port"},
      {"trino://a%0d%0ab@h:1", "trino://user@host:port"},
      {"trino://a@h:1?ca=%zz", "%XX"},
  };
  for (const auto& [url, fix] : wrong) {
    const auto read = parse_server_url(url);
    ASSERT_FALSE(read.has_value()) << url;
    EXPECT_NE(read.error().message.find(fix), std::string::npos) << url << read.error().message;
  }
}

TEST(TrinoTypes, AreReadFromTheCatalogsWords) {
  const std::vector<std::pair<std::string, Type>> cases = {
      {"bigint", {Kind::kWhole, 0, 0}},
      {"decimal(38,10)", {Kind::kDecimal, 38, 10}},
      {"decimal(5, 2)", {Kind::kDecimal, 5, 2}},
      {"varchar(25)", {Kind::kVarchar, 0, 0}},
      {"varchar", {Kind::kVarchar, 0, 0}},
      {"timestamp(6)", {Kind::kTimestamp, 6, 0}},
      {"timestamp(3) with time zone", {Kind::kTimestampTz, 3, 0}},
      {"array(bigint)", {Kind::kNested, 0, 0}},
      {"row(a bigint)", {Kind::kNested, 0, 0}},
      {"map(varchar, bigint)", {Kind::kNested, 0, 0}},
      {"time(3)", {Kind::kOther, 0, 0}},
      {"varbinary", {Kind::kOther, 0, 0}},
  };
  for (const auto& [words, type] : cases) {
    EXPECT_EQ(parse_type(words), type) << words;
    EXPECT_EQ(type_of(code_of(type)), type) << words;
  }
}

}  // namespace
}  // namespace discreet::engine::trino::client_test
