// SPDX-License-Identifier: Apache-2.0
#include "server/identity/accounts.h"

#include <fcntl.h>

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
    "REFERENCES accounts (name) ON DELETE CASCADE, expires_ms INTEGER NOT NULL) STRICT;"
    "CREATE TABLE IF NOT EXISTS scram_verifiers (name TEXT PRIMARY KEY "
    "REFERENCES accounts (name) ON DELETE CASCADE, verifier TEXT NOT NULL) STRICT;"
    "CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;";

/// What is locked: a name, as tried from one place. No name holds a line break.
std::string trial_of(const std::string& name, const std::string& peer) {
  return name + "\n" + peer;
}

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
  // SQLite gives its other files the mode of this one, so it must be right before they are made.
  DISCREET_ASSIGN(const OpenFile made, OpenFile::open(options.file, O_RDWR | O_CREAT));
  std::error_code ignored;
  std::filesystem::permissions(options.file, std::filesystem::perms(0600), ignored);
  DISCREET_ASSIGN(ledger::Connection connection,
                  ledger::Connection::open(options.file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                           "", 10'000));
  DISCREET_TRY(connection.text("PRAGMA journal_mode = WAL"));
  DISCREET_TRY(connection.run("PRAGMA synchronous = FULL"));
  DISCREET_TRY(connection.run("PRAGMA foreign_keys = ON"));
  DISCREET_TRY(connection.run(kSchema));
  accounts->database_ = std::make_unique<Database>(std::move(connection));
  // It outlives the server: else a restart would tell salts that are made up from real ones.
  DISCREET_ASSIGN(const std::string mock, fresh_secret());
  DISCREET_TRY(
      accounts->database_->run("INSERT OR IGNORE INTO secrets (name, value) VALUES ('scram', ?)",
                               [&](ledger::Rows& rows) { rows.bind_text(mock); }));
  DISCREET_ASSIGN(accounts->mock_, accounts->database_->connection.text(
                                       "SELECT value FROM secrets WHERE name = 'scram'"));
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
  DISCREET_ASSIGN(const auto verifier, verifier_for(password));
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
  if (verifier) DISCREET_TRY(store_verifier(name, *verifier));
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

template <class Work>
Result<void> Accounts::at_once(const Work& work) {
  DISCREET_TRY(database_->connection.run("BEGIN IMMEDIATE"));
  Result<void> done = work();
  if (done) done = database_->connection.run("COMMIT");
  if (!done) (void)database_->connection.run("ROLLBACK").has_value();
  return done;
}

Result<void> Accounts::remove(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return at_once([&]() -> Result<void> {
    std::optional<Role> role;
    DISCREET_TRY(database_->each(
        "SELECT role FROM accounts WHERE name = ?",
        [&](ledger::Rows& rows) { rows.bind_text(name); },
        [&](const ledger::Rows& rows) { role = static_cast<Role>(rows.number(0)); }));
    if (!role) return Error{Code::kNotFound, "there is no account " + in_quotes(name)};
    DISCREET_ASSIGN(const std::int64_t owners,
                    database_->connection.number("SELECT count(*) FROM accounts WHERE role = 1"));
    if (*role == Role::kOwner && owners == 1) {
      return Error{Code::kRefused, "the last owner stays: nobody else could make accounts"};
    }
    return database_->run("DELETE FROM accounts WHERE name = ?",
                          [&](ledger::Rows& rows) { rows.bind_text(name); });
  });
}

void Accounts::unlock(const std::string& name) { lock_out_.forget(trial_of(name, "")); }

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

bool Accounts::is_password(const std::string& hash, const std::string& password) const {
  const bool matches = verify_password(hash.empty() ? nobody_ : hash, password);
  return matches && !hash.empty();
}

template <class IsRight>
bool Accounts::try_once(const std::string& name, const std::string& peer, const IsRight& is_right) {
  const std::lock_guard lock(trying_);
  if (!is_name(name)) {  // nobody's: it takes as long, and is not remembered, however long it is
    (void)is_right();
    return false;
  }
  const std::string trial = trial_of(name, peer);
  if (lock_out_.is_locked(trial)) return false;
  const bool was_right = is_right();
  lock_out_.note(trial, was_right);
  return was_right;
}

Result<std::optional<Login>> Accounts::log_in(const std::string& name, const std::string& password,
                                              const std::string& peer) {
  Login login;
  DISCREET_ASSIGN(const std::string hash, hash_of(name, &login.account));
  if (!try_once(name, peer, [&] { return is_password(hash, password); })) {
    return std::optional<Login>{};
  }
  DISCREET_ASSIGN(login.token, fresh_secret());
  const std::int64_t now = options_.clock();
  login.expires_ms = now + options_.token_ms;
  const std::string token = token_hash(login.token);
  // Accounts from before verifiers were kept get theirs when the password is seen.
  std::optional<ScramVerifier> verifier;
  Account ignored;
  DISCREET_ASSIGN(const auto kept, stored_verifier(name, &ignored));
  if (!kept) {
    DISCREET_ASSIGN(verifier, verifier_for(password));
  }
  const std::lock_guard lock(mutex_);
  if (verifier) DISCREET_TRY(store_verifier(name, *verifier));
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
                                       const std::string& new_password, const std::string& peer) {
  Account account;
  DISCREET_ASSIGN(const std::string hash, hash_of(name, &account));
  const Error wrong{Code::kRefused, "that is not the present password"};
  if (!try_once(name, peer, [&] { return is_password(hash, old_password); })) return wrong;
  DISCREET_ASSIGN(const std::string changed, hash_password(new_password, options_.cost));
  DISCREET_ASSIGN(const auto verifier, verifier_for(new_password));
  const std::lock_guard lock(mutex_);
  return at_once([&]() -> Result<void> {
    // Somebody else may have changed it while this one was being hashed.
    std::string now;
    DISCREET_TRY(database_->each(
        "SELECT password FROM accounts WHERE name = ?",
        [&](ledger::Rows& rows) { rows.bind_text(name); },
        [&](const ledger::Rows& rows) { now = rows.bytes(0); }));
    if (now != hash) return wrong;
    DISCREET_TRY(database_->run("DELETE FROM scram_verifiers WHERE name = ?",
                                [&](ledger::Rows& rows) { rows.bind_text(name); }));
    DISCREET_TRY(
        database_->run("UPDATE accounts SET password = ? WHERE name = ?", [&](ledger::Rows& rows) {
          rows.bind_text(changed);
          rows.bind_text(name);
        }));
    if (verifier) DISCREET_TRY(store_verifier(name, *verifier));
    return database_->run("DELETE FROM tokens WHERE name = ?",
                          [&](ledger::Rows& rows) { rows.bind_text(name); });
  });
}

Result<std::optional<ScramVerifier>> Accounts::verifier_for(const std::string& password) const {
  if (options_.scram_rounds == 0) return std::optional<ScramVerifier>{};
  return make_verifier(password, options_.scram_rounds);
}

Result<void> Accounts::store_verifier(const std::string& name, const ScramVerifier& verifier) {
  const std::string text = to_text(verifier);
  return database_->run("INSERT OR REPLACE INTO scram_verifiers (name, verifier) VALUES (?, ?)",
                        [&](ledger::Rows& rows) {
                          rows.bind_text(name);
                          rows.bind_text(text);
                        });
}

Result<std::optional<ScramVerifier>> Accounts::stored_verifier(const std::string& name,
                                                               Account* account) {
  const std::lock_guard lock(mutex_);
  std::optional<ScramVerifier> verifier;
  DISCREET_TRY(database_->each(
      "SELECT accounts.name, role, verifier FROM accounts JOIN scram_verifiers "
      "ON scram_verifiers.name = accounts.name WHERE accounts.name = ?",
      [&](ledger::Rows& rows) { rows.bind_text(name); },
      [&](const ledger::Rows& rows) {
        *account = {std::string(rows.bytes(0)), static_cast<Role>(rows.number(1))};
        verifier = parse_verifier(rows.bytes(2));
      }));
  return verifier;
}

Result<ScramVerifier> Accounts::scram_verifier(const std::string& name) {
  Account ignored;
  DISCREET_ASSIGN(const auto stored, stored_verifier(name, &ignored));
  if (!stored || options_.scram_rounds == 0) {
    return mock_verifier(mock_, name, options_.scram_rounds);
  }
  return *stored;
}

Result<std::optional<Account>> Accounts::prove_scram(const ScramTry& given) {
  const auto is_right = [&] { return is_proof(given.verifier, given.messages, given.proof); };
  if (!try_once(given.name, given.peer, is_right)) return std::optional<Account>{};
  return find_scram(given.name, given.verifier);
}

Result<std::optional<Account>> Accounts::find_scram(const std::string& name,
                                                    const ScramVerifier& verifier) {
  Account account;
  DISCREET_ASSIGN(const auto stored, stored_verifier(name, &account));
  if (!stored || !(*stored == verifier)) return std::optional<Account>{};
  return std::optional<Account>(std::move(account));
}

}  // namespace discreet::server::identity
