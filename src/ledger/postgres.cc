// SPDX-License-Identifier: Apache-2.0
#include "ledger/postgres.h"

#include <poll.h>

#include "ledger/postgres_line.h"

namespace discreet::ledger {
namespace {

constexpr int kBinary = 1;

/// One line, without what libpq puts before and after it.
std::string words_of(const char* message) {
  std::string words = message == nullptr ? "" : message;
  while (!words.empty() && words.back() == '\n') words.pop_back();
  for (char& c : words) {
    if (c == '\n') c = ' ';
  }
  return words.empty() ? "it gave no reason" : words;
}

}  // namespace

PgValues& PgValues::add(std::int64_t value) {
  const std::uint64_t big_endian = __builtin_bswap64(static_cast<std::uint64_t>(value));
  bytes_.append(reinterpret_cast<const char*>(&big_endian), sizeof(big_endian));
  return end();
}

PgValues& PgValues::add(std::string_view bytes) {
  bytes_ += bytes;
  return end();
}

PgValues& PgValues::end() {
  lengths_.push_back(static_cast<int>(bytes_.size() - ended_));
  ended_ = bytes_.size();
  return *this;
}

std::vector<const char*> PgValues::pointers() const {
  std::vector<const char*> all;
  all.reserve(lengths_.size());
  const char* next = bytes_.data();
  for (const int length : lengths_) {
    all.push_back(next);
    next += length;
  }
  return all;
}

std::int64_t PgRows::number(int column) const {
  std::uint64_t bits = 0;
  for (const char c : bytes(column)) bits = bits << 8U | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(bits);
}

std::string_view PgRows::bytes(int column) const {
  return {PQgetvalue(result_.get(), row_, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), row_, column))};
}

Result<PgSession> PgSession::open(const std::string& url) {
  // A peer that is gone is found in half a minute.
  const PgLine line(url);
  PgSession session(line.connect({{"connect_timeout", "10"},
                                  {"keepalives_idle", "10"},
                                  {"keepalives_interval", "5"},
                                  {"keepalives_count", "4"},
                                  {"tcp_user_timeout", "30000"},
                                  {"application_name", "discreet ledger"}},
                                 {{"client_encoding", "UTF8"}}));
  if (!session.is_open()) {
    return Error{Code::kStorage, "the ledger's database cannot be reached: " +
                                     words_of(PQerrorMessage(session.session_.get())) +
                                     line.advice()};
  }
  PQsetNoticeProcessor(session.session_.get(), [](void*, const char*) {}, nullptr);
  return session;
}

Error PgSession::failure(const PGresult* result) const {
  const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string_view code = state == nullptr ? "" : state;
  if (code == "55P03") {  // lock_not_available
    return {Code::kStorage,
            "the ledger is being written by another process for too long; try again when that has "
            "ended"};
  }
  if (code == "23505") {  // unique_violation
    return {Code::kConflict, "the ledger was written by somebody who did not wait; open it again"};
  }
  if (code == "3F000" || code == "42P01") {  // no schema, no table
    return {Code::kNotFound, "the database holds no ledger"};
  }
  const char* const message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  return {Code::kStorage,
          "the ledger's database failed: " +
              words_of(message != nullptr ? message : PQerrorMessage(session_.get()))};
}

Result<PgRows> PgSession::checked(PGresult* result) const {
  PgRows rows(result);
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) return failure(result);
  return rows;
}

Result<PgRows> PgSession::run(const std::string& sql) {
  return checked(PQexec(session_.get(), sql.c_str()));
}

Result<void> PgSession::prepare(const char* name, const std::string& sql) {
  DISCREET_TRY(checked(PQprepare(session_.get(), name, sql.c_str(), 0, nullptr)));
  return {};
}

Result<PgRows> PgSession::run(const char* prepared, const PgValues& values) {
  const std::vector<int> formats(static_cast<std::size_t>(values.size()), kBinary);
  return checked(PQexecPrepared(session_.get(), prepared, values.size(), values.pointers().data(),
                                values.lengths().data(), formats.data(), kBinary));
}

bool PgSession::is_silent() const {
  pollfd socket{PQsocket(session_.get()), POLLIN, 0};
  return poll(&socket, 1, 0) == 0;
}

bool PgSession::send(const char* prepared, const PgValues& values) {
  const std::vector<int> formats(static_cast<std::size_t>(values.size()), kBinary);
  return PQsendQueryPrepared(session_.get(), prepared, values.size(), values.pointers().data(),
                             values.lengths().data(), formats.data(), kBinary) == 1;
}

/// The first failure counts; what was sent behind it says only that it was skipped.
void PgSession::receive(Together& out) {
  while (PGresult* const one = PQgetResult(session_.get())) {
    auto rows = checked(one);
    if (!rows && !out.failed) out.failed = rows.error();
    if (rows) out.rows.push_back(std::move(*rows));
    if (!is_open()) return;
  }
}

PgSession::Together PgSession::send_together(const Batch& batch,
                                             const std::function<void()>& meanwhile) {
  PGconn* const session = session_.get();
  Together out;
  const bool is_one = batch.size() == 1;  // then there is nothing to be put together
  bool sent = is_one || PQenterPipelineMode(session) == 1;
  for (const auto& [name, values] : batch) sent = sent && send(name, values);
  sent = sent && (is_one || PQpipelineSync(session) == 1);
  if (!sent) {
    out.failed = Error{Code::kStorage, "the ledger's database cannot be reached: " +
                                           words_of(PQerrorMessage(session))};
    return out;
  }
  if (meanwhile) meanwhile();
  for (std::size_t i = 0; i < batch.size() && is_open(); ++i) receive(out);
  // A commit that fails says so, in place of this or before it.
  if (is_one) {
    out.is_synced = is_open();
    return out;
  }
  if (is_open()) out.is_synced = PgRows(PQgetResult(session)).is_sync();
  out.is_synced = PQexitPipelineMode(session) == 1 && is_open() && out.is_synced;
  return out;
}

Result<std::vector<PgRows>> PgSession::run_together(const Batch& batch) {
  Together all = send_together(batch);
  if (all.failed) return *all.failed;
  if (all.is_synced && all.rows.size() == batch.size()) return std::move(all.rows);
  return gone();
}

Result<std::optional<std::vector<PgRows>>> PgSession::commit_together(
    const Batch& batch, const std::function<void()>& meanwhile) {
  Together all = send_together(batch, meanwhile);
  if (!all.is_synced) return all.failed ? *all.failed : gone();
  if (all.failed) return std::optional<std::vector<PgRows>>();
  if (all.rows.size() != batch.size()) return gone();
  return std::optional<std::vector<PgRows>>(std::move(all.rows));
}

Error PgSession::gone() const {
  return {Code::kStorage,
          "the ledger's database went away: " + words_of(PQerrorMessage(session_.get()))};
}

}  // namespace discreet::ledger
