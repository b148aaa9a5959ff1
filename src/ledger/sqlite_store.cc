// SPDX-License-Identifier: Apache-2.0
#include "ledger/sqlite_store.h"

#include <algorithm>
#include <utility>

#include "ledger/columns.h"
#include "ledger/sqlite.h"
#include "ledger/sqlite_copy.h"
#include "ledger/sqlite_schema.h"

namespace discreet::ledger {
namespace {

class SqliteStore : public Store {
 public:
  SqliteStore(const SqliteOptions& options, Connection connection)
      : options_(options), connection_(std::move(connection)) {}

  Result<void> prepare(StoreMode mode) {
    struct {
      Statement& statement;
      std::string_view sql;
    } const all[] = {
        {begin_write_, "BEGIN IMMEDIATE"},
        {begin_read_, "BEGIN"},
        {commit_, "COMMIT"},
        {rollback_, "ROLLBACK"},
        {records_from_,
         "SELECT " DISCREET_COLUMNS " FROM records WHERE sequence >= ? ORDER BY sequence"},
        {record_, "SELECT " DISCREET_COLUMNS " FROM records WHERE sequence = ?"},
        {answer_bytes_, "SELECT bytes FROM answers WHERE charge = ?"},
        {append_,
         "INSERT INTO records (" DISCREET_COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
        {put_answer_, "INSERT INTO answers (charge, bytes) VALUES (?, ?)"},
    };
    for (const auto& [statement, sql] : all) {
      if (mode == StoreMode::kRead && &statement == &append_) break;
      DISCREET_ASSIGN(statement, connection_.prepare(sql));
    }
    return {};
  }

  Result<void> begin_write() override {
    connection_.wait_at_most(options_.busy_ms);
    return begin(begin_write_);
  }
  Result<void> begin_read() override {
    connection_.wait_at_most(std::min(options_.busy_ms, kReadBusyMs));
    return begin(begin_read_);
  }

  Result<void> commit() override {
    Result<void> done = connection_.rows(commit_).run();
    // Whether it is on disk is now unknown, and asking again would prove nothing (S4).
    if (!done) failed_ = true;
    return done;
  }

  void rollback() override {
    if (!connection_.is_idle()) (void)connection_.rows(rollback_).run().has_value();
    if (!connection_.is_idle()) failed_ = true;
  }

  Result<void> append(Record record) override {
    const std::string amount = discreet::to_string(record.price.amount.units());
    const std::string delta = discreet::to_string(record.price.delta.units());
    Rows rows = connection_.rows(append_);
    rows.bind(static_cast<std::int64_t>(record.sequence))
        .bind(record.time_ms)
        .bind(static_cast<std::int64_t>(record.kind))
        .bind(static_cast<std::int64_t>(record.writer))
        .bind_text(record.units)
        .bind_text(record.analyst)
        .bind_text(record.blocks)
        .bind_text(amount)
        .bind_text(delta)
        .bind_blob(record.request_id)
        .bind_blob(record.question)
        .bind_blob(record.snapshot)
        .bind_blob(short_bytes(record.plan))
        .bind(static_cast<std::int64_t>(record.about))
        .bind_blob(short_bytes(record.content))
        .bind_text(record.detail)
        .bind_blob(record.signature)
        .bind_blob(bytes_of(record.hash));
    return rows.run();
  }

  Result<void> put_answer(const Record& answer, const std::string& bytes) override {
    Rows rows = connection_.rows(put_answer_);
    rows.bind(static_cast<std::int64_t>(answer.about)).bind_blob(bytes);
    return rows.run();
  }

  Result<void> records_from(Sequence first, const Visit& visit) override {
    Rows rows = connection_.rows(records_from_);
    rows.bind(static_cast<std::int64_t>(first));
    Record record;
    for (;;) {
      DISCREET_ASSIGN(const bool has_row, rows.step());
      if (!has_row) return {};
      DISCREET_TRY(read_record(rows, record));
      DISCREET_TRY(visit(record));
    }
  }

  Result<std::optional<Record>> record(Sequence sequence) override {
    Rows rows = connection_.rows(record_);
    rows.bind(static_cast<std::int64_t>(sequence));
    DISCREET_ASSIGN(const bool found, rows.step());
    if (!found) return std::optional<Record>();
    Record record;
    DISCREET_TRY(read_record(rows, record));
    return std::optional<Record>(std::move(record));
  }

  Result<std::optional<std::string>> answer_bytes(Sequence charge) override {
    Rows rows = connection_.rows(answer_bytes_);
    rows.bind(static_cast<std::int64_t>(charge));
    DISCREET_ASSIGN(const bool found, rows.step());
    if (!found) return std::optional<std::string>();
    return std::optional<std::string>(rows.bytes(0));
  }

  Result<int> format() override { return format_of(connection_); }

  Result<void> check_sound() override { return check_file(connection_, options_); }

  Result<std::string> place_of_copy(const std::string& ledger_id) override {
    DISCREET_TRY(check_can_write(connection_, options_));
    DISCREET_ASSIGN(const CopyPlace place, copy_beside(ledger_id));
    return place.copy.string();
  }

  Result<std::string> keep_copy(const std::string& ledger_id) override {
    DISCREET_ASSIGN(const CopyPlace place, copy_beside(ledger_id));
    DISCREET_TRY(copy_file(options_, place));
    return place.copy.string();
  }

  Result<void> convert() override { return convert_schema(connection_); }

 private:
  /// patients.ledger.format-4, if that is free or a copy of this very ledger, which may be
  /// replaced.
  Result<CopyPlace> copy_beside(const std::string& ledger_id) {
    DISCREET_ASSIGN(const int number, format());
    CopyPlace place = CopyPlace::beside(behind_links(options_.path), number, ledger_id);
    DISCREET_TRY(check_names(place));
    std::error_code ignored;
    const auto status = std::filesystem::symlink_status(place.copy, ignored);
    place.is_free = status.type() == std::filesystem::file_type::not_found;
    if (place.is_free) return place;
    if (status.type() == std::filesystem::file_type::regular && is_copy_of_this(place.copy)) {
      return place;
    }
    return name_is_taken(place);
  }

  /// Whether its last record is one of ours: then the chain says that all of it is ours.
  bool is_copy_of_this(const std::filesystem::path& copy) {
    auto other = open_alone({.path = copy, .vfs = options_.vfs, .busy_ms = options_.busy_ms});
    if (!other) return false;
    const auto last =
        other->prepare("SELECT sequence, hash FROM records ORDER BY sequence DESC LIMIT 1");
    if (!last) return false;
    Rows rows = other->rows(*last);
    const Result<bool> found = rows.step();
    if (!found || !*found) return false;
    const auto ours = record(static_cast<Sequence>(rows.number(0)));
    return ours && *ours && bytes_of((*ours)->hash) == rows.bytes(1);
  }

  Result<void> begin(const Statement& statement) {
    if (failed_) {
      return Error{Code::kStorage, "the ledger's disk failed; open the ledger again"};
    }
    return connection_.rows(statement).run();
  }

  const SqliteOptions options_;
  Connection connection_;  // outlives the statements
  Statement begin_write_;
  Statement begin_read_;
  Statement commit_;
  Statement rollback_;
  Statement records_from_;
  Statement record_;
  Statement answer_bytes_;
  Statement append_;
  Statement put_answer_;
  bool failed_ = false;
};

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(const SqliteOptions& options) {
  DISCREET_ASSIGN(Connection connection, open_with_schema(options));
  auto store = std::make_unique<SqliteStore>(options, std::move(connection));
  DISCREET_TRY(store->prepare(options.mode));
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace discreet::ledger
