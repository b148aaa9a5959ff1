// SPDX-License-Identifier: Apache-2.0
#include "publish/daily.h"

#include <fcntl.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "base/json.h"
#include "base/suggest.h"
#include "mechanism/verbs.h"
#include "policy/value.h"
#include "publish/ranges.h"
#include "publish/sealed_file.h"
#include "publish/workload_axes.h"

namespace discreet::publish {
namespace {

using mechanism::PrefixStream;

Error corrupt(const std::string& what) {
  return Error{Code::kCorrupt, what + "; nothing was released"};
}

/// The text that is signed, and what goes with it.
std::string signed_text(const ledger::OwnerKey& key, const std::string& what,
                        const std::string& body) {
  const Json json = {{"body", body}, {"signature", ledger::to_hex(key.sign(what + "\n" + body))}};
  return json.dump() + "\n";
}

Result<std::string> signed_body(const ledger::OwnerKey& key, const std::string& what,
                                const std::string& text) {
  const Json in = Json::parse(text).value_or(nullptr);
  std::string body, hex;
  if (!in["body"].read(body) || !in["signature"].read(hex)) {
    return corrupt("the file of " + what + " is damaged");
  }
  const auto signature = ledger::from_hex(hex);
  if (!signature || !ledger::verify_signature(key.public_key(), what + "\n" + body, *signature)) {
    return corrupt("the file of " + what + " was changed: its signature does not fit");
  }
  return body;
}

std::string text_of(const DailyState& state) {
  Json json = {
      {"name", state.name}, {"receipt", state.receipt},         {"noise", state.noise},
      {"unit", state.unit}, {"event_level", state.event_level}, {"released", state.released}};
  json.sort_keys();
  return json.dump();
}

Result<DailyState> state_of(const std::string& text) {
  const Json in = Json::parse(text).value_or(nullptr);
  DailyState out;
  const bool is_sound = in["name"].read(out.name) && in["receipt"].read(out.receipt) &&
                        in["noise"].read(out.noise) && in["unit"].read(out.unit) &&
                        in["event_level"].read(out.event_level) &&
                        in["released"].read(out.released);
  if (!is_sound) return corrupt("the file of released days is damaged");
  return out;
}

bool is_there(const std::filesystem::path& file) {
  std::error_code failed;
  return std::filesystem::exists(file, failed);
}

}  // namespace

struct DailyStream::Files {
  std::filesystem::path released;
  std::filesystem::path noise;
  std::filesystem::path lock;
  std::filesystem::path witness;
};

DailyStream::Files DailyStream::files_of(const std::string& name) const {
  std::string plain = name;
  for (char& c : plain) c = c == '/' ? '_' : c;
  return {.released = folder_ / (plain + ".released"),
          .noise = folder_ / (plain + ".noise"),
          .lock = folder_ / (plain + ".lock"),
          .witness = ledger_.key_path().parent_path() / ("daily-" + plain + ".witness")};
}

Result<ledger::OwnerKey> DailyStream::key() const {
  return ledger::OwnerKey::load(ledger_.key_path());
}

Result<plan::CheckedDaily> DailyStream::checked(const std::string& name) const {
  const auto found = policy_.daily.find(name);
  if (found == policy_.daily.end()) {
    std::vector<std::string> known;
    for (const auto& [other, daily] : policy_.daily) known.push_back(other);
    return Error{Code::kNotFound, "the policy has no daily question " + in_quotes(name) +
                                      did_you_mean(name, known) +
                                      (known.empty() ? "; declare it under daily" : "")};
  }
  return plan::Checker::check_daily(found->second, policy_, ledger_.fresh_request_id());
}

Result<OpenFile> DailyStream::locked(const Files& files) const {
  DISCREET_TRY(make_directories(folder_));
  DISCREET_ASSIGN(OpenFile lock, OpenFile::open(files.lock, O_RDWR | O_CREAT));
  DISCREET_TRY(lock.lock());
  return lock;
}

Result<bool> DailyStream::register_question(const std::string& name, const std::string& analyst) {
  DISCREET_ASSIGN(const plan::CheckedDaily checked, this->checked(name));
  const Files files = files_of(name);
  DISCREET_ASSIGN(const OpenFile lock, locked(files));
  const Charge& charge = checked.rows.charge();
  const Hash hash =
      ledger::sha256("daily\n" + std::string(charge.plan().begin(), charge.plan().end()));
  // The label is not the snapshot's: a stream lives through many of them.
  const ledger::Question question{
      .analyst = analyst, .key = std::string(hash.begin(), hash.end()), .snapshot = "daily stream"};
  if (is_there(files.released)) {
    if (!is_there(files.witness)) DISCREET_TRY(finish_registration(files, charge, question));
    DISCREET_TRY(load(files, checked));
    return false;
  }
  if (is_there(files.witness)) {
    return Error{Code::kConflict, "daily question " + in_quotes(name) +
                                      " was registered before, and its state is "
                                      "gone: restore " +
                                      in_quotes(files.released.string()) + " and " +
                                      in_quotes(files.noise.string()) +
                                      ", or declare the question under another name"};
  }
  DISCREET_ASSIGN(const ledger::OwnerKey key, this->key());
  DISCREET_ASSIGN(ledger::Outcome outcome, ledger_.charge(charge, question));
  if (std::holds_alternative<ledger::Answer>(outcome)) {
    return Error{Code::kConflict,
                 "daily question " + in_quotes(name) +
                     " was paid for before, and its state is not "
                     "in " +
                     in_quotes(folder_.string()) +
                     "; name its folder with --state, or declare the question under another name"};
  }
  ledger::Paid& paid = std::get<ledger::Paid>(outcome);
  DailyState state{.name = name,
                   .receipt = paid.receipts.front().id(),
                   .noise = checked.terms.noise().text,
                   .unit = checked.terms.mixing().unit(),
                   .event_level = checked.event_level,
                   .released = {}};
  DISCREET_ASSIGN(const PrefixStream stream,
                  PrefixStream::open(checked.terms, std::move(paid.receipts.front())));
  DISCREET_ASSIGN(const std::string sealed, stream.sealed([&](std::string_view bytes) {
    return encrypt(key, state.noise + state.receipt, bytes);
  }));
  DISCREET_TRY(replace_file(files.noise, sealed));
  DISCREET_TRY(save(files, state));
  DISCREET_TRY(ledger_.store(std::move(paid), text_of(state) + "\n"));
  return true;
}

// A registration that died between its state and its witness: the ledger has no answer of it yet,
// so nothing was ever released. Where it has one, a missing witness is for load() to refuse.
Result<void> DailyStream::finish_registration(const Files& files, const Charge& charge,
                                              const ledger::Question& question) const {
  DISCREET_ASSIGN(const ledger::Quote quote, ledger_.quote(charge, question));
  DISCREET_ASSIGN(const ledger::OwnerKey key, this->key());
  DISCREET_ASSIGN(const std::string text, read_whole_file(files.released.string()));
  DISCREET_ASSIGN(const std::string body, signed_body(key, "released days", text));
  DISCREET_ASSIGN(const DailyState state, state_of(body));
  if (quote.repeat || !state.released.empty()) return {};
  return save(files, state);
}

Result<void> DailyStream::save(const Files& files, const DailyState& state) const {
  DISCREET_ASSIGN(const ledger::OwnerKey key, this->key());
  DISCREET_TRY(replace_file(files.released, signed_text(key, "released days", text_of(state))));
  const std::string count = state.receipt + " " + std::to_string(state.released.size());
  return replace_file(files.witness, signed_text(key, "witness of days", count));
}

Result<DailyState> DailyStream::load(const Files& files, const plan::CheckedDaily& checked) const {
  DISCREET_ASSIGN(const ledger::OwnerKey key, this->key());
  if (!is_there(files.released)) {
    return Error{Code::kNotFound, "daily question " + in_quotes(checked.daily.name) +
                                      " is not registered here; pay for it once with discreet "
                                      "publish daily register " +
                                      checked.daily.name};
  }
  DISCREET_ASSIGN(const std::string text, read_whole_file(files.released.string()));
  DISCREET_ASSIGN(const std::string body, signed_body(key, "released days", text));
  DISCREET_ASSIGN(DailyState state, state_of(body));
  if (state.noise != checked.terms.noise().text) {
    return Error{Code::kRefused, "the policy changed daily question " +
                                     in_quotes(checked.daily.name) +
                                     " after it was registered; put it back, or declare another"};
  }
  if (!is_there(files.witness)) {
    return corrupt("the witness " + in_quotes(files.witness.string()) +
                   " of the released days is missing; restore it");
  }
  DISCREET_ASSIGN(const std::string kept, read_whole_file(files.witness.string()));
  DISCREET_ASSIGN(const std::string witnessed, signed_body(key, "witness of days", kept));
  const std::size_t blank = witnessed.rfind(' ');
  if (blank == std::string::npos || witnessed.substr(0, blank) != state.receipt) {
    return corrupt("the witness belongs to another stream");
  }
  if (std::stoull(witnessed.substr(blank + 1)) > state.released.size()) {
    return corrupt(
        "the released days are older than their witness: the state was rolled back; "
        "restore the newest copy");
  }
  return state;
}

Result<DailyRow> DailyStream::step(const std::string& name, const std::optional<std::string>& day,
                                   engine::Engine& engine, const engine::OwnerLog& log) {
  DISCREET_ASSIGN(const plan::CheckedDaily checked, this->checked(name));
  const Files files = files_of(name);
  DISCREET_ASSIGN(const OpenFile lock, locked(files));
  DISCREET_ASSIGN(DailyState state, load(files, checked));
  const auto t = static_cast<std::int64_t>(state.released.size());
  const std::string next = day_text(checked.daily.first + t);
  if (day) {
    DISCREET_ASSIGN(const policy::Value value, policy::parse_value(policy::Type::kDate, *day));
    const Rational number = value.number();
    if (number < Rational(checked.daily.first + t)) {
      return invalid_input("day " + in_quotes(*day) +
                           (number < Rational(checked.daily.first)
                                ? " is before the stream's first day, "
                                : " was released before; the next day is ") +
                           next);
    }
    if (number > Rational(checked.daily.first + t)) {
      return invalid_input("day " + next + " is missing before " + in_quotes(*day) +
                           "; release it first");
    }
  }
  DISCREET_ASSIGN(const ledger::OwnerKey key, this->key());
  const std::string context = state.noise + state.receipt;
  DISCREET_ASSIGN(const std::string sealed, read_whole_file(files.noise.string()));
  DISCREET_ASSIGN(const Sensitive<std::string> kept, decrypt(key, context, sealed));
  DISCREET_ASSIGN(PrefixStream stream, PrefixStream::resume(checked.terms, state.receipt, t, kept));
  DISCREET_ASSIGN(const bool fresh, stream.prepare());
  if (fresh) {
    DISCREET_ASSIGN(const std::string again, stream.sealed([&](std::string_view bytes) {
      return encrypt(key, context, bytes);
    }));
    DISCREET_TRY(replace_file(files.noise, again));
  }
  DISCREET_ASSIGN(const Sensitive<mechanism::UnitRows> rows, engine.rows(checked, log));
  DISCREET_ASSIGN(const auto released,
                  stream.release(mechanism::Verbs::day_count(rows, checked.rule(t))));
  state.released.push_back(released.value());
  DISCREET_TRY(save(files, state));
  return daily_rows(checked, state).back();
}

Result<DailyState> DailyStream::state(const std::string& name) const {
  DISCREET_ASSIGN(const plan::CheckedDaily checked, this->checked(name));
  return load(files_of(name), checked);
}

Result<std::vector<DailyRow>> DailyStream::rows(const std::string& name) const {
  DISCREET_ASSIGN(const plan::CheckedDaily checked, this->checked(name));
  DISCREET_ASSIGN(const DailyState state, load(files_of(name), checked));
  return daily_rows(checked, state);
}

std::string day_text(std::int64_t days_since_1970) {
  return policy::to_string(policy::Value{Rational(days_since_1970), policy::Type::kDate});
}

std::vector<DailyRow> daily_rows(const plan::CheckedDaily& checked, const DailyState& state) {
  std::vector<DailyRow> out;
  const double unit = static_cast<double>(state.unit);
  const double deviation =
      std::sqrt(checked.terms.sigma_squared().value().to_double(Round::kUp)) / unit;
  const std::vector<double> series = running_sum_series(checked.terms.mixing());
  const std::vector<double> variances = running_sum_variances(series);
  double total = 0;
  for (std::size_t t = 0; t < state.released.size(); ++t) {
    const double count = static_cast<double>(state.released[t]) / unit;
    total += count;
    out.push_back({.day = day_text(checked.daily.first + static_cast<std::int64_t>(t)),
                   .count = count,
                   .total = total,
                   .total_deviation = deviation * std::sqrt(variances[t])});
  }
  return out;
}

DailyComparison compare_daily(const plan::CheckedDaily& checked) {
  const auto& options = checked.terms.options();
  const double unit = static_cast<double>(checked.terms.mixing().unit());
  const double rho = options.rho.value().to_double(Round::kDown);
  const double most = static_cast<double>(options.days_per_unit * options.reach);
  const std::vector<double> variances =
      running_sum_variances(running_sum_series(checked.terms.mixing()));
  return {.ours = std::sqrt(checked.terms.sigma_squared().value().to_double(Round::kUp) *
                            variances.back()) /
                  unit,
          .tree = binary_tree_error(options.days, options.days_per_unit).worst *
                  static_cast<double>(options.reach) / std::sqrt(2 * rho),
          .anew = most * std::sqrt(static_cast<double>(options.days) / (2 * rho))};
}

}  // namespace discreet::publish
