// SPDX-License-Identifier: Apache-2.0
#include "ledger/record.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <set>

#include "base/version.h"

namespace discreet::ledger::record_test {
namespace {

Record sample() {
  Record record;
  record.sequence = 7;
  record.time_ms = 1000;
  record.kind = Kind::kCharge;
  record.units = "ab";
  record.analyst = "c";
  record.price = {*Amount::from_units(5), *Amount::from_units(6)};
  record.question = "q";
  return record;
}

TEST(Chain, EveryFieldButTheSignatureEntersTheHash) {
  const std::vector<std::function<void(Record&)>> changes = {
      [](Record& r) { ++r.sequence; },
      [](Record& r) { ++r.time_ms; },
      [](Record& r) { r.kind = Kind::kShare; },
      [](Record& r) { ++r.writer; },
      [](Record& r) { r.units += "x"; },
      [](Record& r) { r.analyst += "x"; },
      [](Record& r) { r.blocks += "x"; },
      [](Record& r) { r.price.amount = *Amount::from_units(6); },
      [](Record& r) { r.price.delta = *Amount::from_units(5); },
      [](Record& r) { r.request_id += "x"; },
      [](Record& r) { r.question += "x"; },
      [](Record& r) { r.snapshot += "x"; },
      [](Record& r) { r.plan[31] = 1; },
      [](Record& r) { ++r.about; },
      [](Record& r) { r.content[0] = 1; },
      [](Record& r) { r.detail += "x"; },
  };
  std::set<Hash> seen = {chain({}, sample()), chain({1}, sample())};
  EXPECT_EQ(seen.size(), 2u);
  for (const auto& change : changes) {
    Record changed = sample();
    change(changed);
    EXPECT_TRUE(seen.insert(chain({}, changed)).second);
  }
  Record record = sample();
  record.signature = "anything";
  record.hash = {9};
  EXPECT_EQ(chain({}, record), chain({}, sample()));
}

TEST(Chain, LettersCannotMoveFromOneFieldToTheNext) {
  Record moved = sample();
  moved.units = "a";
  moved.analyst = "bc";
  EXPECT_NE(chain({}, moved), chain({}, sample()));
}

// A format that is kept for life: this hash must never change.
TEST(Chain, TheFormatIsFrozen) {
  const Hash hash = chain({}, sample());
  EXPECT_EQ(std::to_string(hash[0]) + "." + std::to_string(hash[1]) + "." +
                std::to_string(hash[30]) + "." + std::to_string(hash[31]),
            "192.174.72.26");
}

Record full() {
  Record record = sample();
  record.time_ms = -1;
  record.kind = Kind::kAlsoShare;
  record.writer = ~std::uint64_t{0};
  record.blocks = "1:a";
  record.request_id = std::string("\0id", 3);
  record.snapshot = "s";
  record.plan[0] = 255;
  record.about = 3;
  record.content[31] = 128;
  record.detail = std::string(300, 'x');
  record.signature = "signature";
  record.hash[5] = 7;
  return record;
}

std::string bytes_of(const Record& record) {
  std::string bytes;
  write_record(bytes, record);
  return bytes;
}

TEST(Bytes, AreReadAsTheyWereWritten) {
  std::string all;
  for (const Record& record : {sample(), full(), Record()}) write_record(all, record);
  std::string_view rest = all;
  Record read = full();  // what was there before does not shine through
  for (const Record& record : {sample(), full(), Record()}) {
    ASSERT_TRUE(take_record(rest, read));
    EXPECT_EQ(read, record);
  }
  EXPECT_TRUE(rest.empty());
}

// Whatever can be read is what write_record() makes of it, so the chain vouches for every byte
// but the signature's, which is checked by itself.
TEST(Bytes, ThatNobodyWroteAreRefusedOrAnotherRecord) {
  const std::string bytes = bytes_of(full());
  Record read;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::string_view rest = std::string_view(bytes).substr(0, size);
    EXPECT_FALSE(take_record(rest, read)) << size;
    EXPECT_EQ(rest.size(), size);
  }
  int read_again = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      std::string_view rest = changed;
      if (!take_record(rest, read)) continue;
      EXPECT_EQ(bytes_of(read) + std::string(rest), changed) << at;
      ++read_again;
    }
  }
  EXPECT_GT(read_again, 0);
}

TEST(Names, ASetHasOneText) {
  EXPECT_EQ(join_names({"2023", "2022", "2023"}), "4:20224:2023");
  EXPECT_EQ(join_names({}), "");
  EXPECT_EQ(*split_names("4:20224:2023"), (std::vector<std::string>{"2022", "2023"}));
  EXPECT_EQ(*split_names(join_names({"1:a", "", ":"})), (std::vector<std::string>{"", "1:a", ":"}));
  for (const char* wrong :
       {"x", "4:202", "4:20234:2022", "04:2022", "4", "-1:a", "99999999999999999999:a"}) {
    EXPECT_FALSE(split_names(wrong).has_value()) << wrong;
  }
}

TEST(Kind, OwnersRecordsAreSigned) {
  for (const KindFacts& facts : kKindTable) {
    const Kind kind = facts.kind;
    const bool is_payment = kind == Kind::kCharge || kind == Kind::kShare ||
                            kind == Kind::kAnswer || kind == Kind::kAlsoCharge ||
                            kind == Kind::kAlsoShare;
    EXPECT_EQ(is_signed(kind), !is_payment) << to_string(kind);
  }
}

// The documentation of the kinds is a table, too: the same one.
TEST(Kind, TheTableInTheDocumentationIsTheTableInTheCode) {
  std::string expected;
  for (const KindFacts& facts : kKindTable) {
    expected += "| " + std::to_string(static_cast<int>(facts.kind)) + " | " +
                std::string(facts.name) + " | " + (facts.is_signed ? "yes" : "no") + " | " +
                std::to_string(facts.since) + " |\n";
  }
  std::ifstream file(DISCREET_SOURCE_DIR "/src/ledger/chain.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find("|---|---|---|---|\n" + expected + "\n"), std::string::npos) << expected;
}

TEST(Kind, BytesOfAnUnknownKindNameItAndTheFormatThatIsKnown) {
  Record record = sample();
  std::string bytes;
  write_record(bytes, record);
  bytes[8 + 8 + 7] = static_cast<char>(kKindTable.size());
  std::string_view rest = bytes;
  const auto taken = take_record(rest, record);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Code::kUnsupported);
  EXPECT_EQ(taken.error().message,
            "record 7 is of kind 14: a newer version of discreet wrote it. discreet " +
                std::string(kVersion) + " knows ledgers up to format 6; use a newer program");
}

}  // namespace
}  // namespace discreet::ledger::record_test
