// SPDX-License-Identifier: Apache-2.0
// Who may log in, as what, and the tokens that are out. An analyst's name is the one under which
// the ledger keeps their cap; budgets are the ledger's alone, and nothing here can change one.
//
// A1  There is no default password: the first owner's is random, and told once.
// A2  A wrong password, a name that nobody has and a name that is locked get the same answer, after
//     the same work (but for locked ones, whoever they are).
// A3  A token is accepted until it expires, its account is removed or its password changes.
// A4  Wrong passwords lock a name for the peer that they came from, and for no other, whichever
//     door they came through (HTTP, PostgreSQL's protocol). While it is locked nothing is looked at
//     or counted; the owner's unlock() ends it. Tries are judged one at a time, so that many at
//     once get no more guesses than one after the other. At most 10,000 pairs are remembered.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "server/identity/limits.h"
#include "server/identity/password.h"
#include "server/identity/scram.h"

namespace discreet::server::identity {

/// The numbers are stored: never change one.
enum class Role {
  kOwner = 1,    ///< runs the server, sees all spending, makes accounts
  kAnalyst = 2,  ///< asks
  kAuditor = 3,  ///< verifies the ledger and reads the audit log; asks nothing
};

std::string_view to_string(Role role);
/// Fails with: kInvalidInput, naming the roles.
Result<Role> role_named(std::string_view name);

struct Account {
  std::string name;
  Role role = Role::kAnalyst;
  friend bool operator==(const Account&, const Account&) = default;
};

struct Login {
  Account account;
  std::string token;
  std::int64_t expires_ms = 0;
};

struct AccountsOptions {
  std::filesystem::path file = {};
  std::int64_t token_ms = std::int64_t{8} * 3600 * 1000;
  PasswordCost cost = {};
  Clock clock = system_time_ms;
  unsigned scram_rounds = 0;  ///< 0: no verifiers are kept for SCRAM
};

/// What a client of SCRAM says of its password.
struct ScramTry {
  std::string name;
  std::string peer;        ///< as peer_of() names it
  ScramVerifier verifier;  ///< that the client was given the salt of
  std::string messages;    ///< RFC 5802's AuthMessage
  std::string proof;
};

class Accounts {
 public:
  /// Fails with: kStorage, kCorrupt.
  static Result<std::unique_ptr<Accounts>> open(const AccountsOptions& options);
  ~Accounts();

  /// Whether nobody can log in yet.
  Result<bool> is_empty();
  /// A new account and its password, which is not kept.
  /// Fails with: kInvalidInput (a name has 1 to 64 letters, digits, '.', '-', '_'), kConflict.
  Result<std::string> add(const std::string& name, Role role);
  /// Fails with: kNotFound; kRefused for the last owner.
  Result<void> remove(const std::string& name);
  Result<std::vector<Account>> list();

  /// None: not these words, or locked (A4), or nobody. Takes the time of one hash.
  Result<std::optional<Login>> log_in(const std::string& name, const std::string& password,
                                      const std::string& peer = {});
  /// Ends the locks of that name, from all peers.
  void unlock(const std::string& name);
  Result<void> log_out(const std::string& token);
  /// None: forged, expired, revoked.
  Result<std::optional<Account>> find(const std::string& token);
  /// All other tokens of that account end. Fails with: kInvalidInput; kRefused when `old_password`
  /// is wrong.
  Result<void> change_password(const std::string& name, const std::string& old_password,
                               const std::string& new_password, const std::string& peer = {});

  /// What a password of that name is proved against. For a name that nobody has, or whose password
  /// was set and not used since verifiers are kept: one that no password fits, always the same (A2).
  Result<ScramVerifier> scram_verifier(const std::string& name);
  /// As log_in(), without a token.
  Result<std::optional<Account>> prove_scram(const ScramTry& given);
  /// Whose verifier that is; none once the account was removed or its password changed (A3).
  Result<std::optional<Account>> find_scram(const std::string& name, const ScramVerifier& verifier);

 private:
  struct Database;
  explicit Accounts(const AccountsOptions& options);
  /// The stored hash; "" for nobody.
  Result<std::string> hash_of(const std::string& name, Account* account);
  /// Whether one try at a password was looked at and right (A4).
  template <class IsRight>
  bool try_once(const std::string& name, const std::string& peer, const IsRight& is_right);
  bool is_password(const std::string& hash, const std::string& password) const;
  /// Runs `work` as one transaction. Requires: mutex_ is held.
  template <class Work>
  Result<void> at_once(const Work& work);
  /// None: no account of that name has one.
  Result<std::optional<ScramVerifier>> stored_verifier(const std::string& name, Account* account);
  /// To be written beside that password, if verifiers are kept; else none.
  Result<std::optional<ScramVerifier>> verifier_for(const std::string& password) const;
  /// Requires: mutex_ is held.
  Result<void> store_verifier(const std::string& name, const ScramVerifier& verifier);

  const AccountsOptions options_;
  std::string nobody_;  // a hash that no password has
  std::string mock_;    // the secret of mock_verifier()
  LockOut lock_out_;
  std::mutex trying_;  // A4; and argon2id takes memory
  std::mutex mutex_;   // guards the database
  std::unique_ptr<Database> database_;
};

}  // namespace discreet::server::identity
