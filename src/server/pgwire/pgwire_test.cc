// SPDX-License-Identifier: Apache-2.0
// The protocol without a network: what is read, what is said back, what is kept. Real clients are
// in tests/clients.
#include <gtest/gtest.h>

#include "ledger/scratch_for_tests.h"
#include "server/pgwire/answer_rows.h"
#include "server/pgwire/binary.h"
#include "server/pgwire/script_for_tests.h"

namespace discreet::server::pgwire::pgwire_test {
namespace {

std::shared_ptr<pgcatalog::Catalog> catalog() {
  // Never destroyed: DuckDB's own statics may be gone by then.
  static const auto& kCatalog = *new std::shared_ptr<pgcatalog::Catalog>(
      pgcatalog::Catalog::open(sql::clinic(), {.statement_ms = 300, .rows_max = 500}).value());
  return kCatalog;
}

struct Talk {
  std::string outline;
  std::string bytes;
  std::vector<std::string> asked;
};

/// What comes back after the login.
Talk talk(const std::string& bytes, ConversationLimits limits = {}) {
  MadeUpDesk desk(catalog());
  Script client("ann", bytes);
  ConversationFacts facts;
  facts.limits = limits;
  Conversation(client, desk, Waiting(), std::move(facts)).run();
  const std::string all = outline(client.written);
  const std::size_t ready = all.find("ZI");
  EXPECT_NE(ready, all.npos) << all;
  return {all.substr(std::min(ready + 3, all.size())), client.written, desk.asked};
}

std::string query(const std::string& sql) { return message('Q', zero_ended(sql)); }
std::string parse(const std::string& sql, const std::string& name = "",
                  const std::vector<int>& types = {}) {
  Writer body;
  body.text(name).text(sql).int16(static_cast<std::int64_t>(types.size()));
  for (const int type : types) body.int32(type);
  return message('P', body.gathered());
}
std::string bind(const std::vector<std::string>& values = {}, const std::string& name = "",
                 bool is_binary = false) {
  Writer body;
  body.text("").text(name).int16(0).int16(static_cast<std::int64_t>(values.size()));
  for (const std::string& value : values) {
    body.int32(static_cast<std::int64_t>(value.size())).bytes(value);
  }
  body.int16(1).int16(is_binary ? 1 : 0);
  return message('B', body.gathered());
}
std::string execute(int rows = 0) {
  Writer body;
  body.text("").int32(rows);
  return message('E', body.gathered());
}
std::string describe(char what, const std::string& name = "") {
  return message('D', what + zero_ended(name));
}
std::string sync() { return message('S', ""); }
std::string spending() { return query("SET discreet.epsilon = 1"); }

constexpr const char* kGrouped = "SELECT clinic, COUNT(*) AS n FROM visits GROUP BY clinic";

TEST(Settings, AnOldNameWorksAndIsNoticedOnceForEachConnection) {
  static constexpr Deprecated kOld[] = {
      {NameKind::kSetting, "discreet.eps", "discreet.epsilon", {0, 9}, {0, 11}}};
  const std::string sentence = "'discreet.eps' is deprecated since version 0.9 and goes in 0.11";
  const auto notices = [&](const std::string& bytes, std::vector<std::string>* asked) {
    MadeUpDesk desk(catalog());
    Script client("ann", bytes);
    ConversationFacts facts;
    facts.old_names = kOld;
    Conversation(client, desk, Waiting(), std::move(facts)).run();
    if (asked != nullptr) *asked = desk.asked;
    std::size_t count = 0;
    for (std::size_t at = client.written.find(sentence); at != std::string::npos;
         at = client.written.find(sentence, at + 1)) {
      ++count;
    }
    return count;
  };
  const std::string old = query("SET Discreet.EPS = 1");
  std::vector<std::string> with_old, with_new;
  EXPECT_EQ(notices(old + query(kGrouped), &with_old), 1U);
  EXPECT_EQ(notices(spending() + query(kGrouped), &with_new), 0U);
  EXPECT_EQ(with_old, with_new);
  EXPECT_FALSE(with_old.empty());
  EXPECT_EQ(notices(old + old, nullptr), 1U);
  EXPECT_EQ(notices(query("BEGIN") + old + query("ROLLBACK") + old, nullptr), 1U);
  EXPECT_EQ(notices(query("SET client_min_messages = warning") + old, nullptr), 0U);

  Settings settings(kOld);
  ASSERT_TRUE(settings.set("discreet.eps", "0.5"));
  EXPECT_EQ(settings.get("discreet.epsilon"), "0.5");
  EXPECT_EQ(settings.get("discreet.eps"), "0.5");
  ASSERT_TRUE(settings.reset("discreet.eps"));
  EXPECT_EQ(settings.get("discreet.epsilon"), "");
  EXPECT_EQ(Settings().get("discreet.eps"), std::nullopt);
}

TEST(Scram, AgreesWithTheRfcAndTellsNobodyWhoExists) {
  // RFC 7677, section 3.
  const auto verifier =
      identity::verifier_with("pencil", *identity::from_base64("W22ZaJ0SNY7soEsUEjb6gQ=="), 4096);
  const std::string messages =
      "n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
      "s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,"
      "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
  const auto proof = identity::from_base64("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
  EXPECT_TRUE(identity::is_proof(verifier, messages, *proof));
  EXPECT_FALSE(identity::is_proof(verifier, messages + "x", *proof));
  EXPECT_FALSE(identity::is_proof(verifier, messages, "short"));
  EXPECT_EQ(identity::to_base64(identity::server_signature(verifier, messages)),
            "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
  EXPECT_EQ(identity::parse_verifier(identity::to_text(verifier)), verifier);
  for (const char* bad : {"", "a", "ab=c", "====", "YQ=", "Y Q=", "YQ==\n"}) {
    EXPECT_FALSE(identity::from_base64(bad)) << bad;
  }
  EXPECT_FALSE(identity::parse_verifier("1:2"));
  EXPECT_FALSE(identity::make_verifier("p\xc3\xa4ssword", 1).value().has_value());
  EXPECT_EQ(identity::mock_verifier("s", "bob", 9), identity::mock_verifier("s", "bob", 9));
  EXPECT_NE(identity::mock_verifier("s", "bob", 9), identity::mock_verifier("s", "eve", 9));

  const auto login = [](const std::string& user, bool is_right) {
    MadeUpDesk desk(catalog());
    Script client(user, "", is_right);
    Conversation(client, desk, Waiting(), {}).run();
    EXPECT_EQ(desk.logins, std::vector<bool>{user == "ann" && is_right});
    return outline(client.written);
  };
  EXPECT_EQ(login("nobody", true), "R R E(28P01)");
  EXPECT_EQ(login("ann", false), "R R E(28P01)");
  EXPECT_TRUE(login("ann", true).starts_with("R R R R S S"));
}

TEST(Accounts, KeepVerifiersBesidePasswords) {
  const ledger::Scratch scratch(ledger::Scratch::Place::kMemory);
  const auto open = [&](unsigned rounds) {
    return identity::Accounts::open({.file = scratch / "accounts.db",
                                     .cost = {.passes = 1, .kib = 64},
                                     .scram_rounds = rounds})
        .value();
  };
  const auto fits = [](identity::Accounts& accounts, const std::string& password) {
    const auto verifier = accounts.scram_verifier("ann").value();
    const bool is_right = identity::verifier_with(password, verifier.salt, 2) == verifier;
    EXPECT_EQ(accounts.find_scram("ann", verifier).value().has_value(), is_right);
    return is_right;
  };
  std::string password;
  identity::ScramVerifier nobody;
  {
    const auto accounts = open(0);  // a server without this protocol keeps none
    password = accounts->add("ann", identity::Role::kAnalyst).value();
    ASSERT_TRUE(accounts->log_in("ann", password).value().has_value());
    EXPECT_FALSE(fits(*accounts, password));
  }
  {
    const auto accounts = open(2);
    EXPECT_FALSE(fits(*accounts, password));
    ASSERT_TRUE(accounts->log_in("ann", password).value().has_value());
    EXPECT_TRUE(fits(*accounts, password));
    nobody = accounts->scram_verifier("nobody").value();
  }
  {
    const auto accounts = open(2);  // what a name that nobody has is told outlives the server
    EXPECT_EQ(accounts->scram_verifier("nobody").value(), nobody);
    const auto old = accounts->scram_verifier("ann").value();
    ASSERT_TRUE(accounts->change_password("ann", password, "correct horse battery").has_value());
    EXPECT_FALSE(accounts->find_scram("ann", old).value().has_value());
    EXPECT_TRUE(fits(*accounts, "correct horse battery"));
    EXPECT_TRUE(accounts->add("own", identity::Role::kOwner).has_value());
    ASSERT_TRUE(accounts->remove("ann").has_value());
    EXPECT_FALSE(fits(*accounts, "correct horse battery"));
  }
  const auto accounts = open(0);
  const auto made = accounts->add("ann", identity::Role::kAnalyst).value();
  EXPECT_FALSE(fits(*accounts, made));
}

TEST(Startup, RefusesWhatItCannotDo) {
  const auto say = [](const std::string& bytes, bool needs_tls = false) {
    MadeUpDesk desk(catalog());
    Script client = Script::raw(bytes);
    std::string cancelled;
    ConversationFacts facts;
    facts.needs_tls = needs_tls;
    facts.cancel = [&](std::int32_t process, std::int32_t secret) {
      cancelled = "cancel " + std::to_string(process) + " " + std::to_string(secret);
    };
    Conversation(client, desk, Waiting(), std::move(facts)).run();
    return cancelled.empty() ? outline(client.written) : cancelled;
  };
  const std::string tls("\0\0\0\x8\x4\xd2\x16\x2f", 8);
  EXPECT_EQ(say(message(0, std::string("\x4\xd2\x16\x2e\0\0\0\x5\0\0\0\x6", 12))), "cancel 5 6");
  EXPECT_EQ(say(message(0, std::string("\0\2\0\0", 4))), "E(08P01)");
  EXPECT_EQ(say(std::string("\x7f\xff\xff\xff", 4)), "E(08P01)");
  EXPECT_EQ(say(startup("")), "E(08P01)");
  EXPECT_EQ(say(startup("\xff")), "E(22021)");
  EXPECT_EQ(say(startup("ann"), true), "E(28000)");
  EXPECT_EQ(say(startup("ann", zero_ended("lives") + zero_ended("9"))), "E(42704)");
  EXPECT_EQ(say(startup("ann", zero_ended("options") + zero_ended("-c discreet.epsilon=x"))),
            "E(22023)");
  EXPECT_EQ(say(startup("ann", zero_ended("options") + zero_ended("-c discreet.epsilon=0.5 "
                                                                  "--TimeZone=Europe/Berlin"))),
            "R");
  EXPECT_EQ(say(startup("ann") + message('p', zero_ended("MD5"))), "R E(08P01)");
  EXPECT_EQ(say(startup("ann") + message('Q', "")), "R E(08P01)");
}

TEST(SimpleQuery, AnswersAndRefuses) {
  EXPECT_EQ(talk(query("")).outline, "I ZI");
  EXPECT_EQ(talk(query("SELECT 1; SELECT 2")).outline, "T D C(SELECT 1) T D C(SELECT 1) ZI");
  EXPECT_EQ(talk(spending() + query(kGrouped)).outline, "C(SET) ZI N T D D D C(SELECT 3) ZI");
  EXPECT_EQ(talk(spending() + query("SET client_min_messages = warning") + query(kGrouped)).outline,
            "C(SET) ZI C(SET) ZI T D D D C(SELECT 3) ZI");
  EXPECT_EQ(talk(query(kGrouped)).outline, "E(22023) ZI");  // no epsilon
  EXPECT_EQ(talk(query("SELECT 1; nonsense; SELECT 2")).outline, "T D C(SELECT 1) E(22023) ZI");
  EXPECT_EQ(talk(query("DROP TABLE visits")).outline, "E(0A000) ZI");
  EXPECT_EQ(talk(message('Q', std::string("SELECT 1\0x\0", 11))).outline, "E(08P01) ZI");
  EXPECT_EQ(talk(query("SELECT '\xff'")).outline, "E(22021) ZI");
  EXPECT_EQ(talk(query(std::string(100'000, 'x'))).outline, "E(22023) ZI");
  EXPECT_EQ(talk(message('F', "") + query("SELECT 1")).outline, "E(0A000) ZI T D C(SELECT 1) ZI");
  EXPECT_EQ(talk(message('?', "")).outline, "E(08P01)");
  EXPECT_EQ(talk(std::string("Q\0\0\0\1", 5)).outline, "E(08P01)");
  EXPECT_EQ(talk(message('X', "") + query("SELECT 1")).outline, "");
}

TEST(SimpleQuery, ReadsPastWhatIsTooLarge) {
  const ConversationLimits small{.message_bytes = 100, .past_bytes = 10'000};
  EXPECT_EQ(talk(query(std::string(5'000, 'x')) + query("SELECT 1"), small).outline,
            "E(54000) ZI T D C(SELECT 1) ZI");
  EXPECT_EQ(
      talk(parse(std::string(5'000, 'x')) + bind() + sync() + query("SELECT 1"), small).outline,
      "E(54000) ZI T D C(SELECT 1) ZI");
  EXPECT_EQ(talk(query(std::string(50'000, 'x')), small).outline, "E(54000)");
}

// K1: a repeat is told from what was told before, whatever the layout; the desk is not asked again.
TEST(ExtendedQuery, TellsARepeatAgainWithoutAsking) {
  const std::string intervals = query("SET discreet.intervals = on");
  const auto once = [](bool is_binary) {
    return bind({}, "", is_binary) + describe('P') + execute();
  };
  MadeUpDesk desk(catalog());
  const auto say = [&](const std::string& bytes) {
    Script client("ann", bytes);
    Conversation(client, desk, Waiting(), {}).run();
    const std::size_t ready = client.written.find(std::string("Z\0\0\0\5I", 6));
    return client.written.substr(ready + 6);
  };
  const std::string ask = spending() + parse(kGrouped) + once(false) + sync();
  const std::string first = say(ask);   // asked
  const std::string second = say(ask);  // a repeat, which is kept
  EXPECT_EQ(desk.asked.size(), 2U);
  EXPECT_EQ(desk.repeats, 0);
  EXPECT_EQ(say(ask), second);
  EXPECT_EQ(desk.asked.size(), 2U);
  EXPECT_EQ(desk.repeats, 1);
  EXPECT_NE(second.find("answered before (for epsilon 1 of patients), so free; left: epsilon 9"),
            second.npos);
  EXPECT_EQ(outline(first), outline(second));
  // Rows by rows, and by simple query.
  EXPECT_EQ(outline(say(spending() + parse(kGrouped) + bind() + execute(2) + execute(2) + sync())),
            "C(SET) ZI 1 2 N D D s D C(SELECT 1) ZI");
  EXPECT_EQ(outline(say(spending() + query(kGrouped))), "C(SET) ZI N T D D D C(SELECT 3) ZI");
  // Other formats, other columns and another price are kept apart.
  const std::string binary = spending() + parse(kGrouped) + once(true) + sync();
  EXPECT_NE(say(binary), second);
  EXPECT_EQ(say(binary), say(binary));
  EXPECT_NE(say(intervals + ask), second);
  const std::string low = spending() +
                          parse("SELECT clinic, COUNT(*) AS n, n_low FROM visits GROUP BY clinic") +
                          once(false) + sync();
  const std::string high =
      spending() + parse("SELECT clinic, COUNT(*) AS n, n_high FROM visits GROUP BY clinic") +
      once(false) + sync();
  say(low);
  say(high);
  EXPECT_NE(say(low), say(high));
  const std::size_t before = desk.asked.size();
  say(query("SET discreet.epsilon = 2") + parse(kGrouped) + once(false) + sync());
  say(spending() + query("SET discreet.request_id = 'r'") + query(kGrouped));
  EXPECT_EQ(desk.asked.size(), before + 2);
}

TEST(ExtendedQuery, DescribesBeforeItAsks) {
  const Talk described = talk(spending() + parse(kGrouped) + describe('S') + sync());
  EXPECT_EQ(described.outline, "C(SET) ZI 1 t T ZI");
  EXPECT_TRUE(described.asked.empty());
  EXPECT_EQ(
      talk(spending() + parse(kGrouped) + bind() + describe('P') + execute() + sync()).outline,
      "C(SET) ZI 1 2 T N D D D C(SELECT 3) ZI");
  EXPECT_EQ(
      talk(spending() + parse(kGrouped) + bind({}, "", true) + execute(2) + execute(2) + sync())
          .outline,
      "C(SET) ZI 1 2 N D D s D C(SELECT 1) ZI");
  EXPECT_EQ(talk(parse("") + bind() + describe('P') + execute() + sync()).outline, "1 2 n I ZI");
  EXPECT_EQ(talk(parse("SET jit = off") + bind() + describe('P') + execute() + sync()).outline,
            "1 2 n C(SET) ZI");
  const Talk one = talk(spending() +
                        parse("SELECT COUNT(*) FROM visits WHERE clinic = $1 AND "
                              "age < $2 AND day > $3 AND cost > -$4::numeric") +
                        bind({"it's", "-5", "2024-01-02", "0.5"}) + execute() + sync());
  EXPECT_EQ(one.outline, "C(SET) ZI 1 2 N D D D C(SELECT 3) ZI");
  ASSERT_EQ(one.asked.size(), 1U);
  EXPECT_EQ(one.asked[0],
            "SELECT COUNT(*) FROM visits WHERE clinic = 'it''s' AND age < (-5) AND "
            "day > DATE '2024-01-02' AND cost > -0.5::numeric");
}

TEST(ExtendedQuery, SkipsToSyncAfterAnError) {
  EXPECT_EQ(talk(parse("nonsense") + bind() + execute() + sync() + query("SELECT 1")).outline,
            "E(22023) ZI T D C(SELECT 1) ZI");
  EXPECT_EQ(talk(bind() + sync()).outline, "E(26000) ZI");
  EXPECT_EQ(talk(execute() + sync()).outline, "E(34000) ZI");
  EXPECT_EQ(talk(describe('P', "x") + sync()).outline, "E(34000) ZI");
  EXPECT_EQ(talk(describe('?') + sync()).outline, "E(08P01) ZI");
  EXPECT_EQ(talk(parse("SELECT 1; SELECT 2") + sync()).outline, "E(22023) ZI");
  EXPECT_EQ(talk(parse("SELECT 1", "a") + parse("SELECT 1", "a") + sync()).outline,
            "1 E(42P05) ZI");
  EXPECT_EQ(
      talk(parse("SELECT 1", "a") + message('C', "S" + zero_ended("a")) + bind({}, "a") + sync())
          .outline,
      "1 3 E(26000) ZI");
  EXPECT_EQ(talk(parse("SELECT $1", "", {600}) + sync()).outline, "E(0A000) ZI");
  EXPECT_EQ(talk(parse("SELECT COUNT(*) FROM visits WHERE $1") + sync()).outline, "E(42P18) ZI");
  EXPECT_EQ(talk(parse("SELECT $1::text") + bind() + sync()).outline, "1 E(08P01) ZI");
  EXPECT_EQ(talk(parse("SELECT $1::text") + bind({"\xff"}) + sync()).outline, "1 E(22021) ZI");
  const ConversationLimits few{.prepared_max = 2};
  EXPECT_EQ(
      talk(parse("SELECT 1", "a") + parse("SELECT 1", "b") + parse("SELECT 1", "c") + sync(), few)
          .outline,
      "1 1 E(54000) ZI");
}

TEST(Transactions, HaveTheRightStatus) {
  EXPECT_EQ(talk(query("BEGIN") + query("SELECT 1") + query("COMMIT")).outline,
            "C(BEGIN) ZT T D C(SELECT 1) ZT C(COMMIT) ZI");
  EXPECT_EQ(talk(query("BEGIN") + query("oops") + query("SELECT 1") + query("COMMIT")).outline,
            "C(BEGIN) ZT E(22023) ZE E(25P02) ZE C(ROLLBACK) ZI");
  EXPECT_EQ(talk(query("BEGIN; SAVEPOINT a") + query("oops") + query("ROLLBACK TO a") +
                 query("RELEASE a") + query("RELEASE a"))
                .outline,
            "C(BEGIN) C(SAVEPOINT) ZT E(22023) ZE C(ROLLBACK) ZT C(RELEASE) ZT E(42704) ZE");
  EXPECT_EQ(talk(query("SAVEPOINT a")).outline, "E(25P01) ZI");
  EXPECT_EQ(talk(query("ROLLBACK")).outline, "C(ROLLBACK) ZI");
  // A setting goes back with its transaction; SET LOCAL always.
  EXPECT_EQ(talk(spending() + query("BEGIN; SET discreet.epsilon = 'x'")).outline,
            "C(SET) ZI C(BEGIN) E(22023) ZE");
  EXPECT_EQ(talk(query("BEGIN; SET discreet.epsilon = 1; ROLLBACK") + query(kGrouped)).outline,
            "C(BEGIN) C(SET) C(ROLLBACK) ZI E(22023) ZI");
  EXPECT_EQ(talk(query("BEGIN; SET LOCAL discreet.epsilon = 1; COMMIT") + query(kGrouped)).outline,
            "C(BEGIN) C(SET) C(COMMIT) ZI E(22023) ZI");
}

TEST(Accounts, ThatAreRemovedAskNothingMore) {
  MadeUpDesk desk(catalog());
  desk.is_removed = true;
  Script client("ann", query("SELECT 1"));
  Conversation(client, desk, Waiting(), {}).run();
  EXPECT_EQ(outline(client.written), "R R E(28P01)");
}

TEST(Values, InBinaryAreWhatPostgresSends) {
  const auto binary = [](TypeId type, const std::string& text) {
    Writer out;
    const auto written = write_binary(out, type, text);
    EXPECT_TRUE(written.has_value()) << text;
    return ledger::to_hex(out.gathered());
  };
  EXPECT_EQ(binary(kNumeric, "12345.678"), "0003000100000003000109291a7c");
  EXPECT_EQ(binary(kNumeric, "-0.0001"), "0001ffff400000040001");
  EXPECT_EQ(binary(kNumeric, "0.00"), "0000000000000002");
  EXPECT_EQ(binary(kInt8, "-2"), "fffffffffffffffe");
  EXPECT_EQ(binary(kFloat8, "1.5"), "3ff8000000000000");
  EXPECT_EQ(binary(kBool, "t"), "01");
  EXPECT_EQ(binary(kDate, "2000-01-02"), "00000001");
  EXPECT_EQ(binary(kTimestamp, "2000-01-01 00:00:01"), "00000000000f4240");
  EXPECT_EQ(binary(kInt4Array, "{1,2}"),
            "0000000100000000000000170000000200000001000000040000000100000004"
            "00000002");
  const std::pair<TypeId, const char*> kBoth[] = {{kInt2, "-7"},
                                                  {kInt4, "70000"},
                                                  {kInt8, "9007199254740993"},
                                                  {kOid, "4000000000"},
                                                  {kFloat8, "-0.1"},
                                                  {kNumeric, "10000"},
                                                  {kNumeric, "0.000012"},
                                                  {kNumeric, "-12.3400"},
                                                  {kDate, "1999-12-31"},
                                                  {kText, "it's"},
                                                  {kTimestamp, "1969-12-31 23:59:59"}};
  for (const auto& [type, text] : kBoth) {
    Writer out;
    ASSERT_TRUE(write_binary(out, type, text).has_value());
    EXPECT_EQ(read_binary(type, out.gathered()).value(), text);
  }
  EXPECT_FALSE(read_binary(kInt8, "1234").has_value());
  EXPECT_FALSE(read_binary(kNumeric, std::string("\0\1\0\0\xC0\0\0\0\0\1", 10)).has_value());
  EXPECT_FALSE(read_binary(kFloat8, std::string("\x7f\xf0\0\0\0\0\0\0", 8)).has_value());
  Writer out;
  EXPECT_FALSE(write_binary(out, kInt8, "99999999999999999999").has_value());
  EXPECT_FALSE(sql_constant(kInt8, "1; DROP").has_value());
  EXPECT_EQ(sql_constant(kText, "a'; --").value(), "'a''; --'");
  EXPECT_EQ(sql_constant(kBool, "t").value(), "true");
  EXPECT_EQ(sql_constant(kInt8, std::nullopt).value(), "NULL");
}

TEST(Statements, AreReadByTheirTree) {
  const auto read = [](const std::string& sql) {
    return read_statement(sql, sql::clinic()).value();
  };
  EXPECT_EQ(read("SELECT 1").kind, Kind::kCatalog);
  EXPECT_EQ(read("WITH c AS (SELECT 1 AS a) SELECT a FROM c").kind, Kind::kCatalog);
  EXPECT_EQ(read("SELECT relname FROM pg_class").kind, Kind::kCatalog);
  EXPECT_EQ(read("SELECT COUNT(*) FROM visits").kind, Kind::kQuestion);
  EXPECT_EQ(read("SELECT COUNT(*) FROM absent").kind, Kind::kQuestion);  // the binder's to refuse
  EXPECT_FALSE(read_statement("SELECT 1 FROM pg_class, visits", sql::clinic()).has_value());
  EXPECT_EQ(read("SELECT COUNT(*) FROM public.visits WHERE \"public\".\"visits\".age > 1").text,
            "SELECT COUNT(*) FROM        visits WHERE          \"visits\".age > 1");
  EXPECT_EQ(read("EXPLAIN (FORMAT TEXT) SELECT COUNT(*) FROM visits").text,
            "                      SELECT COUNT(*) FROM visits");
  EXPECT_FALSE(read_statement("EXPLAIN ANALYZE SELECT COUNT(*) FROM visits", sql::clinic()));
  const Statement ends = read("SELECT n_low, n_high AS top, COUNT(*) AS n FROM visits");
  EXPECT_EQ(ends.text, "SELECT " + std::string(22, ' ') + "COUNT(*) AS n FROM visits");
  ASSERT_EQ(ends.intervals.size(), 2U);
  EXPECT_EQ(ends.intervals[1].name, "top");
  EXPECT_EQ(read("SELECT COUNT(*) AS n, n_high, x_low FROM visits").text,
            "SELECT COUNT(*) AS n        , x_low FROM visits");  // x is no column
  const std::vector<TypeId> types = {kText, kInt8, kDate, kNumeric, kBool, kInt8};
  EXPECT_EQ(read("SELECT COUNT(*) FROM visits WHERE clinic IN ($1, 'a') AND $2 < age AND day "
                 "BETWEEN $3 AND '2024-01-01' AND cost * 2 > $4 AND smoker = $5 LIMIT $6")
                .parameters,
            types);
  EXPECT_EQ(split("SELECT ';' ; ; SELECT 2").value().size(), 2U);
  const std::vector<session::AnswerColumn> columns = {{"clinic", true, false, policy::Type::kText},
                                                      {"n", false, true, policy::Type::kInteger}};
  EXPECT_EQ(shown_columns(columns, {}, true).value().size(), 4U);
  EXPECT_FALSE(shown_columns(columns, {{0, "clinic", Part::kLow, "clinic_low"}}, false));
}

TEST(Catalog, IsBoundedAndReachesNothing) {
  const auto run = [](const std::string& sql) -> Result<std::vector<pgcatalog::CatalogRow>> {
    DISCREET_ASSIGN(const Statement statement, read_statement(sql, sql::clinic()));
    if (statement.kind != Kind::kCatalog) return Error{Code::kBug, "not for the catalog"};
    pgcatalog::Asker asker{.user = "ann", .process = 1};
    DISCREET_ASSIGN(const pgcatalog::Printed printed,
                    pgcatalog::print(statement.tree->root(), asker));
    return catalog()->run(printed.sql);
  };
  EXPECT_EQ(
      run("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1").value()[0][0],
      "labs");
  EXPECT_EQ(run("SELECT count(*) FROM information_schema.columns WHERE table_name = 'visits'")
                .value()[0][0],
            "10");
  EXPECT_EQ(run("SELECT rolname FROM pg_roles ORDER BY 1").value().size(), 2U);
  EXPECT_EQ(run("SELECT 'it''s; DROP TABLE x' AS \"a\"\"b\"").value()[0][0], "it's; DROP TABLE x");
  // Each refused before DuckDB sees it.
  for (const char* sql :
       {"SELECT * FROM pg_catalog.duckdb_settings()", "SELECT read_text('/etc/passwd')",
        "SELECT * FROM read_csv('/etc/passwd')", "SELECT getenv('HOME')",
        "SELECT repeat('x', 1000000000)", "SELECT lpad('x', 1000000000)",
        "SELECT * FROM generate_series(1, 1000000000)", "SELECT * FROM pg_catalog.absent",
        "SELECT * FROM information_schema.absent", "SELECT * FROM pgc.pg_class",
        "WITH RECURSIVE t AS (SELECT 1) SELECT * FROM t", "SELECT current_setting('absent')",
        "SELECT 'a'::xml", "SELECT 1 OPERATOR(pg_catalog.@@) 2", "SELECT * FROM range(10)"}) {
    EXPECT_FALSE(run(sql).has_value()) << sql;
  }
  const auto large = run(
      "SELECT count(*) FROM pg_class a, pg_class b, pg_class c, pg_class d, pg_class e, pg_class f "
      "WHERE a.relname || b.relname < c.relname || d.relname || e.relname || f.relname");
  ASSERT_FALSE(large.has_value());
  EXPECT_EQ(large.error().code, Code::kInterrupted);
  EXPECT_FALSE(run("SELECT 1 FROM pg_class a, pg_class b").has_value());  // too many rows
  EXPECT_EQ(run("SELECT 1").value().size(), 1U);
}

}  // namespace
}  // namespace discreet::server::pgwire::pgwire_test
