// SPDX-License-Identifier: Apache-2.0
#include "server/identity/accounts.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/files.h"
#include "base/suggest.h"
#include "ledger/seal.h"
#include "ledger/sqlite.h"

namespace discreet::server::identity {
namespace {

struct RoleName {
  Role role;
  std::string_view name;
};
constexpr std::array<RoleName, 3> kRoles = {
    {{Role::kOwner, "owner"}, {Role::kAnalyst, "analyst"}, {Role::kAuditor, "auditor"}}};

constexpr const char* kSchema =
    "CREATE TABLE IF NOT EXISTS accounts (name TEXT PRIMARY KEY, role INTEGER NOT NULL, "
    "password TEXT NOT NULL) STRICT;"
    "CREATE TABLE IF NOT EXISTS tokens (hash BLOB PRIMARY KEY, name TEXT NOT NULL "
    "REFERENCES accounts (name) ON DELETE CASCADE, expires_ms INTEGER NOT NULL) STRICT;";

bool is_name(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), fits);
}

std::string token_hash(const std::string& token) {
  const Hash hash = ledger::sha256(token);
  return {hash.begin(), hash.end()};
}

}  // namespace

std::string_view to_string(Role role) {
  for (const RoleName& known : kRoles) {
    if (known.role == role) return known.name;
  }
  return "";
}

Result<Role> role_named(std::string_view name) {
  for (const RoleName& known : kRoles) {
    if (known.name == name) return known.role;
  }
  return invalid_input("a role is owner, analyst or auditor; got " + in_quotes(name));
}

struct Accounts::Database {
  explicit Database(ledger::Connection opened) : connection(std::move(opened)) {}

  /// Prepared when it is used: logging in is rare, and looking up a token is quick either way.
  template <class Bind, class Read>
  Result<void> each(std::string_view sql, const Bind& bind, const Read& read) {
    DISCREET_ASSIGN(const ledger::Statement statement, connection.prepare(sql));
    ledger::Rows rows = connection.rows(statement);
    bind(rows);
    while (true) {
      DISCREET_ASSIGN(const bool has_row, rows.step());
      if (!has_row) return {};
      read(rows);
    }
  }
  template <class Bind>
  Result<void> run(std::string_view sql, const Bind& bind) {
    return each(sql, bind, [](const ledger::Rows&) {});
  }

  ledger::Connection connection;
};

Accounts::Accounts(const AccountsOptions& options) : options_(options), lock_out_(options.clock) {}
Accounts::~Accounts() = default;

Result<std::unique_ptr<Accounts>> Accounts::open(const AccountsOptions& options) {
  DISCREET_TRY(make_directories(options.file.parent_path()));
  std::unique_ptr<Accounts> accounts(new Accounts(options));
  DISCREET_ASSIGN(ledger::Connection connection,
                  ledger::Connection::open(options.file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                           "", 10'000));
  DISCREET_TRY(connection.text("PRAGMA journal_mode = WAL"));
  DISCREET_TRY(connection.run("PRAGMA synchronous = FULL"));
  DISCREET_TRY(connection.run("PRAGMA foreign_keys = ON"));
  DISCREET_TRY(connection.run(kSchema));
  accounts->database_ = std::make_unique<Database>(std::move(connection));
  std::error_code ignored;
  std::filesystem::permissions(options.file, std::filesystem::perms(0600), ignored);
  DISCREET_ASSIGN(const std::string unknown, fresh_secret());
  DISCREET_ASSIGN(accounts->nobody_, hash_password(unknown, options.cost));
  return accounts;
}

Result<bool> Accounts::is_empty() {
  const std::lock_guard lock(mutex_);
  DISCREET_ASSIGN(const std::int64_t count,
                  database_->connection.number("SELECT count(*) FROM accounts"));
  return count == 0;
}

Result<std::string> Accounts::add(const std::string& name, Role role) {
  if (!is_name(name)) {
    return invalid_input("a name has 1 to 64 letters, digits, '.', '-' or '_'; got " +
                         in_quotes(name));
  }
  DISCREET_ASSIGN(std::string password, fresh_secret());
  DISCREET_ASSIGN(const std::string hash, hash_password(password, options_.cost));
  const std::lock_guard lock(mutex_);
  bool exists = false;
  DISCREET_TRY(database_->each(
      "SELECT 1 FROM accounts WHERE name = ?", [&](ledger::Rows& rows) { rows.bind_text(name); },
      [&](const ledger::Rows&) { exists = true; }));
  if (exists) return Error{Code::kConflict, "there is an account " + in_quotes(name) + " already"};
  DISCREET_TRY(database_->run("INSERT INTO accounts (name, role, password) VALUES (?, ?, ?)",
                              [&](ledger::Rows& rows) {
                                rows.bind_text(name);
                                rows.bind(static_cast<std::int64_t>(role));
                                rows.bind_text(hash);
                              }));
  return password;
}

Result<std::vector<Account>> Accounts::list() {
  const std::lock_guard lock(mutex_);
  std::vector<Account> accounts;
  DISCREET_TRY(database_->each(
      "SELECT name, role FROM accounts ORDER BY name", [](ledger::Rows&) {},
      [&](const ledger::Rows& rows) {
        accounts.push_back({std::string(rows.bytes(0)), static_cast<Role>(rows.number(1))});
      }));
  return accounts;
}

Result<void> Accounts::remove(const std::string& name) {
  DISCREET_ASSIGN(const std::vector<Account> accounts, list());
  const auto found = std::find_if(accounts.begin(), accounts.end(),
                                  [&](const Account& account) { return account.name == name; });
  if (found == accounts.end()) {
    return Error{Code::kNotFound, "there is no account " + in_quotes(name)};
  }
  const auto owners = std::count_if(accounts.begin(), accounts.end(), [](const Account& account) {
    return account.role == Role::kOwner;
  });
  if (found->role == Role::kOwner && owners == 1) {
    return Error{Code::kRefused, "the last owner stays: nobody else could make accounts"};
  }
  const std::lock_guard lock(mutex_);
  return database_->run("DELETE FROM accounts WHERE name = ?",
                        [&](ledger::Rows& rows) { rows.bind_text(name); });
}

Result<std::string> Accounts::hash_of(const std::string& name, Account* account) {
  const std::lock_guard lock(mutex_);
  std::string hash;
  DISCREET_TRY(database_->each(
      "SELECT name, role, password FROM accounts WHERE name = ?",
      [&](ledger::Rows& rows) { rows.bind_text(name); },
      [&](const ledger::Rows& rows) {
        *account = {std::string(rows.bytes(0)), static_cast<Role>(rows.number(1))};
        hash = rows.bytes(2);
      }));
  return hash;
}

bool Accounts::is_right(const std::string& hash, const std::string& password) {
  const std::lock_guard lock(hashing_);
  const bool matches = verify_password(hash.empty() ? nobody_ : hash, password);
  return matches && !hash.empty();
}

Result<std::optional<Login>> Accounts::log_in(const std::string& name,
                                              const std::string& password) {
  if (!is_name(name)) {  // takes as long, and is not remembered
    is_right("", password);
    return std::optional<Login>{};
  }
  if (lock_out_.is_locked(name)) return std::optional<Login>{};
  Login login;
  DISCREET_ASSIGN(const std::string hash, hash_of(name, &login.account));
  const bool right = is_right(hash, password);
  lock_out_.note(name, right);
  if (!right) return std::optional<Login>{};
  DISCREET_ASSIGN(login.token, fresh_secret());
  const std::int64_t now = options_.clock();
  login.expires_ms = now + options_.token_ms;
  const std::string token = token_hash(login.token);
  const std::lock_guard lock(mutex_);
  DISCREET_TRY(database_->run("DELETE FROM tokens WHERE expires_ms <= ?",
                              [&](ledger::Rows& rows) { rows.bind(now); }));
  DISCREET_TRY(database_->run("INSERT INTO tokens (hash, name, expires_ms) VALUES (?, ?, ?)",
                              [&](ledger::Rows& rows) {
                                rows.bind_blob(token);
                                rows.bind_text(name);
                                rows.bind(login.expires_ms);
                              }));
  return std::optional<Login>(std::move(login));
}

Result<void> Accounts::log_out(const std::string& token) {
  const std::string hash = token_hash(token);
  const std::lock_guard lock(mutex_);
  return database_->run("DELETE FROM tokens WHERE hash = ?",
                        [&](ledger::Rows& rows) { rows.bind_blob(hash); });
}

Result<std::optional<Account>> Accounts::find(const std::string& token) {
  // Looked up by its hash: how far a guess agrees with a token shows in no time.
  const std::string hash = token_hash(token);
  const std::int64_t now = options_.clock();
  const std::lock_guard lock(mutex_);
  std::optional<Account> account;
  DISCREET_TRY(database_->each(
      "SELECT accounts.name, role FROM tokens JOIN accounts ON accounts.name = tokens.name "
      "WHERE hash = ? AND expires_ms > ?",
      [&](ledger::Rows& rows) {
        rows.bind_blob(hash);
        rows.bind(now);
      },
      [&](const ledger::Rows& rows) {
        account = Account{std::string(rows.bytes(0)), static_cast<Role>(rows.number(1))};
      }));
  return account;
}

Result<void> Accounts::change_password(const std::string& name, const std::string& old_password,
                                       const std::string& new_password) {
  Account account;
  DISCREET_ASSIGN(const std::string hash, hash_of(name, &account));
  const bool right = !lock_out_.is_locked(name) && is_right(hash, old_password);
  lock_out_.note(name, right);
  if (!right) return Error{Code::kRefused, "that is not the present password"};
  DISCREET_ASSIGN(const std::string changed, hash_password(new_password, options_.cost));
  const std::lock_guard lock(mutex_);
  DISCREET_TRY(
      database_->run("UPDATE accounts SET password = ? WHERE name = ?", [&](ledger::Rows& rows) {
        rows.bind_text(changed);
        rows.bind_text(name);
      }));
  return database_->run("DELETE FROM tokens WHERE name = ?",
                        [&](ledger::Rows& rows) { rows.bind_text(name); });
}

}  // namespace discreet::server::identity
