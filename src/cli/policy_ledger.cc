// SPDX-License-Identifier: Apache-2.0
#include "cli/policy_ledger.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "base/files.h"
#include "cli/output_file.h"
#include "ledger/store_place.h"
#include "policy/document.h"
#include "policy/edit.h"
#include "session/ledger_terms.h"

namespace discreet::cli {
namespace {

constexpr const char* kLedgerName = "discreet.ledger";

bool is_a_file(const std::filesystem::path& path) {
  std::error_code failed;
  return std::filesystem::exists(path, failed);
}

/// The line that is missing in the file, appended under a lock: the file keeps its owner, its
/// permissions and its other names. False: it was there.
Result<bool> append_ledger(const std::string& file, const std::string& id) {
  DISCREET_ASSIGN(const OpenFile open, OpenFile::open(file, O_RDWR | O_NONBLOCK));
  DISCREET_TRY(open.permissions());
  DISCREET_TRY(open.lock());
  DISCREET_ASSIGN(const std::uint64_t size, open.size());
  DISCREET_ASSIGN(const std::string text, open.read_at(0, static_cast<std::size_t>(size)));
  const policy::Reading reading = policy::read_policy(text, ".", policy::Open::kUndeclared);
  if (reading.policy && !reading.policy->ledger.empty()) {
    DISCREET_TRY(check_is_its_ledger(reading.policy->ledger, id));
    return false;
  }
  DISCREET_ASSIGN(const std::string changed, policy::with_ledger(text, id));
  DISCREET_TRY(open.write_at(text.size(), std::string_view(changed).substr(text.size())));
  DISCREET_TRY(open.sync());
  return true;
}

/// The folder that a policy's ledger is in, unless it is said: that of the file itself, where the
/// policy is a link to it.
std::filesystem::path home_of(const std::string& policy_file) {
  std::error_code failed;
  std::filesystem::path real = policy_file;
  if (std::filesystem::is_symlink(real, failed)) {
    const std::filesystem::path target = std::filesystem::canonical(real, failed);
    if (!failed) real = target;
  }
  return policy::directory_of(real.string());
}

/// Another policy beside this one that names the ledger; empty: none.
std::filesystem::path other_policy_of(const std::string& id, const std::string& policy_file) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(home_of(policy_file), failed)) {
    const std::filesystem::path& file = entry.path();
    const bool is_yaml = file.extension() == ".yaml" || file.extension() == ".yml";
    if (!is_yaml || is_same_file(file, policy_file)) continue;
    if (named_ledger(file.string()) == id) return file;
  }
  return {};
}

/// What to write where, for a policy that could not be changed.
std::string by_hand(const std::string& policy_file, const std::string& id) {
  const Result<std::string> text = policy::read_policy_file(policy_file);
  return text ? policy::ledger_by_hand(*text, id) : "add this line to it: ledger: " + id;
}

}  // namespace

std::string ledger_beside(const std::string& policy_file) {
  const std::filesystem::path folder = home_of(policy_file);
  return is_same_file(folder, ".") ? kLedgerName : (folder / kLedgerName).string();
}

Result<void> check_is_not_elsewhere(const LedgerArguments& where, const policy::Policy& policy) {
  if (where.ledger || !policy.ledger.empty() || !is_a_file(kLedgerName)) return {};
  const std::string own = where.path();
  if (own == kLedgerName || is_same_file(own, kLedgerName)) return {};
  return Error{Code::kConflict,
               "the policy " + path_in_quotes(where.policy_path()) +
                   " names no ledger yet, and there is one in the current folder, which versions "
                   "before 0.10 would have used; give --ledger ./" +
                   kLedgerName + " if it is this policy's ledger, or else --ledger " +
                   session::shell_word(own) +
                   " (once: the policy then names it, and pays from no other)"};
}

std::string named_ledger(const std::string& policy_file) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(policy_file, failed)) return "";
  const Result<std::string> text = policy::read_policy_file(policy_file);
  if (!text) return "";
  const policy::Document document = policy::read_document(*text);
  const policy::Node* const named = document.root ? document.root->find("ledger") : nullptr;
  return named != nullptr && named->is(policy::Node::Kind::kScalar) ? named->text : "";
}

Result<void> check_is_alone(const LedgerArguments& where, const std::string& id) {
  if (where.ledger) return {};
  const std::filesystem::path other = other_policy_of(id, where.policy_path());
  if (other.empty()) return {};
  return Error{Code::kConflict,
               "the policy " + path_in_quotes(where.policy_path()) +
                   " names no ledger yet, and the one beside it, " + path_in_quotes(where.path()) +
                   ", belongs to the policy " + path_in_quotes(other) +
                   ". If both are about the same people, say so with --ledger " +
                   session::shell_word(where.path()) +
                   " (once: the policy then names it). If not, move this policy into a folder of "
                   "its own and make its ledger there with discreet ledger init"};
}

Result<void> check_is_its_ledger(const std::string& named, const std::string& id) {
  if (named.empty() || named == id) return {};
  return Error{Code::kRefused,
               "the policy belongs to ledger " + in_quotes(named) + ", and this is ledger " +
                   in_quotes(id) +
                   "; a second ledger would be a second budget for the same people: give --ledger "
                   "with the place of the first. If the policy is about other people now, change "
                   "its line ledger: to " +
                   id};
}

Result<void> check_has_no_ledger(const policy::Policy& policy) {
  if (policy.ledger.empty()) return {};
  return Error{Code::kConflict,
               "the policy belongs to ledger " + in_quotes(policy.ledger) +
                   " already; a second one would be a second budget for the same people. Name the "
                   "place of the first with --ledger, or restore its newest copy. If the policy is "
                   "about other people now, remove its line ledger: first"};
}

Result<void> check_terms(const policy::Policy& policy, ledger::Ledger& ledger) {
  DISCREET_TRY(check_is_its_ledger(policy.ledger, ledger.id()));
  DISCREET_ASSIGN(const ledger::State state, ledger.state());
  for (const auto& [name, units] : policy.units) {
    const auto found = state.namespaces().find(name);
    if (found == state.namespaces().end()) {
      return Error{Code::kNotFound, "the ledger has no namespace " + in_quotes(name) +
                                        "; add it with discreet ledger namespace --namespace " +
                                        session::shell_word(name) +
                                        " (discreet policy check shows the whole command)"};
    }
    const ledger::NamespaceTerms& terms = found->second.terms;
    if (terms.neighbours != units.neighbours) {
      return Error{Code::kRefused, "the policy protects " + in_quotes(name) + " by " +
                                       to_string(units.neighbours) + ", the ledger by " +
                                       to_string(terms.neighbours) +
                                       "; a ledger's relation is for ever, so change the policy"};
    }
    if (std::string(to_string(terms.notion)) != policy::to_string(units.notion)) {
      return Error{Code::kRefused, "the policy counts " + in_quotes(name) + " in " +
                                       policy::to_string(units.notion) + ", the ledger in " +
                                       std::string(to_string(terms.notion)) +
                                       "; a ledger's notion is for ever, so change the policy"};
    }
    if (terms.gamma != policy.santha_vazirani.value_or(0)) {
      const auto coins = [](const Rational& gamma) {
        return gamma == 0 ? std::string("fair coins") : "santha-vazirani " + gamma.to_string();
      };
      return Error{Code::kRefused,
                   "the policy's randomness for " + in_quotes(name) + " is " +
                       coins(policy.santha_vazirani.value_or(0)) + ", the ledger's " +
                       coins(terms.gamma) +
                       "; a ledger's randomness is for ever, so change the policy or make a new "
                       "ledger from it: discreet ledger init --policy FILE"};
    }
  }
  return {};
}

Result<bool> bind_ledger(const std::string& policy_file, const std::string& id, bool must) {
  const Result<bool> bound = append_ledger(policy_file, id);
  if (!bound && bound.error().code == Code::kRefused) return bound.error();
  const std::string policy = "the policy " + path_in_quotes(policy_file);
  if (!bound && must) {
    return Error{Code::kRefused, policy +
                                     " names no ledger, and could not be changed so that it names "
                                     "this one (" +
                                     bound.error().message +
                                     "). Before one is used that is named "
                                     "with --ledger, " +
                                     by_hand(policy_file, id)};
  }
  if (!bound) {
    say(STDERR_FILENO, "discreet: warning: " + policy + " could not be changed (" +
                           bound.error().message + "). So that no other ledger pays for it, " +
                           by_hand(policy_file, id) + "\n");
  } else if (*bound) {
    say(STDERR_FILENO, "note: " + policy + " now names its ledger, " + id +
                           ", in its last line; no other one pays for it\n");
  }
  return bound.has_value();
}

std::string server_folder(const LedgerArguments& where) {
  const std::string ledger = where.path();
  return (ledger::is_postgres(ledger) ? "discreet" : ledger) + std::string(".server");
}

std::string places_of(const LedgerArguments& where) {
  std::string out;
  if (where.policy) out += " --policy " + session::shell_word(*where.policy);
  if (where.ledger) out += " --ledger " + session::shell_word(ledger::shown(*where.ledger));
  if (where.key) out += " --key " + session::shell_word(*where.key);
  if (where.witness) out += " --witness " + session::shell_word(*where.witness);
  return out;
}

}  // namespace discreet::cli
