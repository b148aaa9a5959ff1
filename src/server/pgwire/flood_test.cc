// SPDX-License-Identifier: Apache-2.0
// W1 under floods: what a conversation's memory grows by when a client sends any kind of message,
// again and again, with names and texts that are always new, and never reads on.
#include <gtest/gtest.h>
#include <malloc.h>

#include <functional>
#include <random>

#include "server/pgwire/script_for_tests.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <sanitizer/allocator_interface.h>
#endif

namespace discreet::server::pgwire::flood_test {
namespace {

std::size_t allocated() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
#endif
}

using Flow = std::function<std::string(int)>;

/// Sends `first`, then what `flow` makes of 0, 1, 2 ... Looks at the memory before each message.
class Flood final : public Stream {
 public:
  Flood(std::string first, Flow flow, int count)
      : login_("ann", std::move(first)), flow_(std::move(flow)), count_(count) {}

  bool read(char* to, std::size_t size, int allowed_ms) override {
    if (at_ == 0 && login_.read(to, size, allowed_ms)) return true;
    while (bytes_.size() - at_ < size) {
      if (sent_ == count_) return false;
      bytes_.erase(0, at_);
      at_ = 0;
      bytes_ += flow_(sent_++);
      look();
    }
    bytes_.copy(to, size, at_);
    at_ += size;
    return true;
  }
  bool write(std::string_view bytes) override {
    look();
    longest_write = std::max(longest_write, bytes.size());
    written += bytes.size();
    if (bytes.find("C54000") != bytes.npos) is_refused = true;
    return sent_ > 0 || login_.write(bytes);
  }
  bool start_tls(int) override { return false; }
  bool can_do_tls() const override { return false; }
  bool is_secure() const override { return false; }
  std::string channel_binding() const override { return ""; }
  bool is_gone() override { return false; }

  std::size_t most = 0;     ///< bytes of memory, beyond what there was at the first message
  std::size_t kept = 0;     ///< before the last message
  std::size_t written = 0;  ///< bytes
  std::size_t longest_write = 0;
  bool is_refused = false;  ///< something, as too large or too much to keep

 private:
  void look() {
    if (sent_ <= 1) before_ = allocated();
    const std::size_t now = allocated();
    kept = now > before_ ? now - before_ : 0;
    most = std::max(most, kept);
  }

  Script login_;
  Flow flow_;
  const int count_;
  int sent_ = 0;
  std::string bytes_;
  std::size_t at_ = 0;
  std::size_t before_ = 0;
};

std::string name(int i) { return "n" + std::to_string(i); }
/// New each time, and long.
std::string long_name(int i, std::size_t size = 20'000) { return name(i) + std::string(size, 'x'); }

std::string query(const std::string& sql) { return message('Q', zero_ended(sql)); }
std::string parse(const std::string& statement, const std::string& sql) {
  return message('P', Writer().text(statement).text(sql).int16(0).take());
}
std::string bound_to(const std::string& portal, const std::string& statement,
                     const std::string& value = {}) {
  Writer body;
  body.text(portal).text(statement).int16(0).int16(value.empty() ? 0 : 1);
  if (!value.empty()) body.int32(static_cast<std::int64_t>(value.size())).bytes(value);
  return message('B', body.int16(0).take());
}
std::string describe(char what, const std::string& of) {
  return message('D', what + zero_ended(of));
}
std::string execute(const std::string& portal, int rows) {
  return message('E', Writer().text(portal).int32(rows).take());
}
std::string close(char what, const std::string& of) { return message('C', what + zero_ended(of)); }
const std::string& sync() {
  static const std::string kSync = message('S', "");
  return kSync;
}

/// A text with as large a tree as its tokens allow.
std::string bushy(int i) {
  std::string sql = "SELECT " + std::to_string(i);
  for (int item = 0; item < 1500; ++item) sql += ",1";
  return sql;
}
std::string wide(int rows, int bytes) {
  std::string from = "(SELECT '" + std::string(500, 'x') + "'::text AS c) AS one";
  for (int half = 500; half < bytes; half *= 2)
    from = "(SELECT c||c AS c FROM " + from + ") AS one";
  return "SELECT c FROM " + from + ", pg_type a, pg_type b LIMIT " + std::to_string(rows);
}

struct Kind {
  const char* what;
  std::string first;
  Flow flow;
  int count = 300;
};

/// All messages that the protocol has, alone or with those that they need.
std::vector<Kind> kinds() {
  const std::string open = query("BEGIN") + parse("one", "SELECT 1") +
                           parse("text", "SELECT $1::text") +
                           parse("number", "SELECT $1::numeric") + parse("wide", wide(50, 1000)) +
                           bound_to("here", "one");
  const std::string binary_number = std::string("\0\1\3\350\0\0\0\0\0\1", 10);  // 4,000 digits
  return {
      {"statements", open, [](int i) { return parse(name(i), "SELECT 1"); }},
      {"statements, synced", open, [](int i) { return parse(name(i), "SELECT 1") + sync(); }},
      {"statements with long names", open, [](int i) { return parse(long_name(i), "") + sync(); }},
      {"statements with large trees", open, [](int i) { return parse(name(i), bushy(i)) + sync(); },
       20},
      {"one name, large trees", open, [](int i) { return parse("", bushy(i)); }, 30},
      {"statements that only a portal keeps", open,
       [](int i) {
         return parse("s", bushy(i)) + bound_to(name(i), "s") + close('S', "s") + sync();
       },
       20},
      {"portals", open, [](int i) { return bound_to(name(i), "one"); }},
      {"portals, synced", open, [](int i) { return bound_to(name(i), "one") + sync(); }},
      {"portals with long names", open,
       [](int i) { return bound_to(long_name(i), "one") + sync(); }},
      {"portals with long values", open,
       [](int i) { return bound_to(name(i), "text", std::string(100'000, 'x')) + sync(); }, 100},
      {"portals with values that grow", open,
       [=](int i) {
         Writer body;
         body.text(name(i)).text("number").int16(1).int16(1).int16(1);
         body.int32(10).bytes(binary_number).int16(0);
         return message('B', body.take()) + sync();
       }},
      {"one portal, long values", open,
       [](int) { return bound_to("", "text", std::string(500'000, 'x')); }, 100},
      {"outcomes that stay", open,
       [](int i) { return bound_to(name(i), "wide") + execute(name(i), 1) + sync(); }, 100},
      {"large outcomes that stay", open + parse("large", wide(1500, 1000)),
       [](int i) { return bound_to(name(i), "large") + execute(name(i), 1) + sync(); }, 12},
      {"outcomes that are fetched row by row", open,
       [](int i) { return bound_to("", "wide") + execute("", i % 3) + execute("", 0); }, 60},
      {"executed again and again", open, [](int) { return execute("here", 0); }, 100},
      {"described statements", open, [](int) { return describe('S', "one"); }, 100},
      {"described portals", open, [](int) { return describe('P', "here"); }, 100},
      {"described, and wide", open + parse("columns", bushy(1)),
       [](int i) {
         return bound_to(name(i), "columns") + describe('P', name(i)) + describe('S', "columns") +
                sync();
       },
       12},
      {"described in vain", open, [](int i) { return describe('P', long_name(i)) + sync(); }},
      {"closed in vain", open, [](int i) { return close('P', long_name(i)); }},
      {"flushes", open, [](int) { return message('H', ""); }},
      {"syncs", open, [](int) { return sync(); }},
      {"questions, asked and prepared", query("SET discreet.epsilon = 1") + query("BEGIN"),
       [](int i) {
         return parse("", "SELECT COUNT(*) FROM visits") + bound_to(name(i), "") +
                execute(name(i), 1) + sync();
       },
       300},
      {"savepoints", open, [](int i) { return query("SAVEPOINT " + name(i)); }},
      {"savepoints with large settings", open,
       [](int i) {
         return query("SET work_mem = '" + std::string(900, 'x') + "'; SAVEPOINT " + name(i));
       }},
      {"local settings", open,
       [](int i) { return query("SET LOCAL application_name = '" + long_name(i, 800) + "'"); }},
      {"local settings in all spellings", open,
       [](int i) {
         std::string spelt = "application_name";
         for (std::size_t bit = 0; bit < 10; ++bit) {
           if ((i >> bit & 1) != 0) spelt[bit] = static_cast<char>(spelt[bit] - 32);
         }
         return query("SET LOCAL \"" + spelt + "\" = '" + std::string(800, 'x') + "'");
       }},
      {"many statements in one message", open,
       [](int) {
         std::string all;
         for (int i = 0; i < 3'000; ++i) all += "SHOW all;";
         return query(all);
       },
       3},
      {"wide rows", open, [](int) { return query(wide(3000, 4000)); }, 6},
      {"rows too long to show", open, [](int) { return query(wide(100, 1'000'000)); }, 6},
      {"function calls", open, [](int i) { return message('F', long_name(i)); }},
      {"of a copy", open, [](int i) { return message('d', long_name(i)); }},
      {"too large", open, [](int i) { return message('Q', long_name(i, 2 << 20)); }, 30},
      {"after an error", open + message('P', "?"), [](int i) { return parse(name(i), bushy(i)); },
       50},
  };
}

std::shared_ptr<pgcatalog::Catalog> catalog() {
  // Never destroyed: DuckDB's own statics may be gone by then.
  static const auto& kCatalog =
      *new std::shared_ptr<pgcatalog::Catalog>(pgcatalog::Catalog::open(sql::clinic(), {}).value());
  return kCatalog;
}

constexpr std::size_t kLeftOver = 4U << 20U;  ///< caches of libraries, and what the test itself has

void expect_bounded(const Kind& kind) {
  MadeUpDesk desk(catalog());
  Flood client(kind.first, kind.flow, kind.count);
  ConversationFacts facts;
  facts.limits.prepared_max = 200;
  facts.limits.kept_bytes = 4U << 20U;
  Conversation(client, desk, Waiting(), facts).run();
  EXPECT_LE(client.kept, facts.limits.kept_bytes + kLeftOver) << kind.what;
  EXPECT_LE(client.most, facts.limits.kept_bytes + kMessageNeeds) << kind.what;
  // A message's own answer comes on top of what had gathered.
  EXPECT_LE(client.longest_write, 4 * kFlushBytes) << kind.what;
}

TEST(Flood, OfAnyKindOfMessageTakesNoMoreMemoryThanIsSaid) {
  auto ballast = std::make_unique<std::string>(8U << 20U, 'x');  // what is measured is measured
  const std::size_t with = allocated();
  ballast.reset();
  ASSERT_GE(with - allocated(), 8U << 20U);
  for (const Kind& kind : kinds()) expect_bounded(kind);
}

TEST(Flood, OfAllKindsInAnyOrder) {
  const std::vector<Kind> all = kinds();
  for (const unsigned seed : {1U, 2U}) {
    std::mt19937 random(seed);
    Kind mixture{"a mixture", all[0].first,
                 [&](int i) {
                   const std::string again =
                       random() % 20 == 0 ? sync() + query("ROLLBACK") + query("BEGIN") : "";
                   return again + all[random() % all.size()].flow(i);
                 },
                 150};
    expect_bounded(mixture);
  }
}

}  // namespace
}  // namespace discreet::server::pgwire::flood_test
