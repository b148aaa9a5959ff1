// SPDX-License-Identifier: Apache-2.0
// Audits and attacks: what the compiled code does, on made-up data, for those who oversee; and on
// the owner's data, for the owner alone. Nothing here is charged, and nothing of it is for
// analysts but the attacks, whose data is made on the spot.
#include <utility>

#include "audit/attack/attack.h"
#include "audit/exhibits.h"
#include "audit/source/randomness.h"
#include "audit/statistical.h"
#include "server/api/work.h"

namespace discreet::server::api {
namespace {

const std::vector<std::string>& audit_names() {
  static const std::vector<std::string> kNames = {"exact", "mutants", "statistical", "randomness",
                                                  "conformance"};
  return kNames;
}

/// What tells a job that nobody wants it any more.
using Stop = std::shared_ptr<std::atomic<bool>>;
Stop new_stop() { return std::make_shared<std::atomic<bool>>(false); }

audit::Watch watch(Service& service, const Stop& stop, const std::function<void(int)>& progress) {
  return {.progress = [progress](int permille) { progress(permille / 10); },
          .stopped = [&service, stop] { return *stop || service.is_stopping(); }};
}

jobs::Done result_of(Service& service, const Call& known, const Result<audit::Finding>& found) {
  if (!found) return failed(service, known, found.error());
  return shown(found->exhibit, found->ok);
}

/// One of these, by name. Fails with: kNotFound.
Result<std::string> one_named(const Fields& fields, const std::string& field,
                              const std::vector<std::string>& all) {
  DISCREET_ASSIGN(std::string name, fields.need(field));
  if (name.empty()) return invalid_input(field + " is empty");
  DISCREET_TRY(audit::chosen(all, name));
  return name;
}

/// What one audit has parts of.
std::vector<std::string> parts_of(const std::string& name) {
  if (name == "exact") return audit::case_names();
  if (name == "mutants") return audit::mutant_names();
  if (name == "statistical") return audit::statistical_names();
  if (name == "conformance") return {"all"};
  std::vector<std::string> out;
  for (const audit::RandomnessPart& part : audit::randomness_parts()) out.push_back(part.name);
  return out;
}

Result<void> try_audit(Service& service, const Call& call) {
  DISCREET_ASSIGN(const Fields fields, fields_of(call));
  DISCREET_ASSIGN(const std::string name, one_named(fields, "audit", audit_names()));
  DISCREET_TRY(audit::chosen(parts_of(name), fields.text("case").value_or("")));
  const std::shared_ptr<World> world = service.world();
  const Stop stop = new_stop();
  const auto run = [&service, world, name, stop, only = fields.text("case").value_or(""),
                    known =
                        known_of(call)](const std::function<void(int)>& progress) -> jobs::Done {
    const audit::Watch watched = watch(service, stop, progress);
    return result_of(service, known,
                     name == "exact"         ? audit::exact_exhibit(only, watched)
                     : name == "mutants"     ? audit::mutant_exhibit(only, watched)
                     : name == "statistical" ? audit::statistical_exhibit(only, watched)
                     : name == "randomness"  ? audit::randomness_exhibit(only, watched)
                                            : audit::conformance_exhibit(world->policy(), watched));
  };
  return begin_work(service, *world, call, fields, {.kind = "audit", .run = run, .stop = stop});
}

Result<void> try_replay(Service& service, const Call& call) {
  DISCREET_ASSIGN(const Fields fields, fields_of(call));
  DISCREET_ASSIGN(const std::string who, fields.need("neighbour"));
  DISCREET_ASSIGN(const audit::Neighbour neighbour, audit::parse_neighbour(who));
  DISCREET_TRY(fields.need("epsilon"));
  std::map<std::string, std::string> question = fields.all();
  for (const char* const own : {"neighbour", "wait", "deadline_ms"}) question.erase(own);
  DISCREET_ASSIGN(const session::Request request, request_of(question, call.account.name));
  const std::shared_ptr<World> world = service.world();
  const auto run = [&service, world, request, neighbour, known = known_of(call)](
                       const std::function<void(int)>& progress) -> jobs::Done {
    return result_of(service, known,
                     audit::replay_exhibit(world->policy(), {request.sql, request.options},
                                           neighbour, owner_log(service, known, progress)));
  };
  return begin_work(service, *world, call, fields, {.kind = "replay", .run = run});
}

/// A demonstration, not a supercomputer: what one account may make the server work for.
constexpr std::int64_t kPlaysMax = 100'000;

Result<int> plays(const Fields& fields, const std::string& name) {
  const auto text = fields.text(name);
  if (!text) return 0;
  const Result<Rational> value = Rational::parse(*text);
  if (!value || value->denominator() != 1 || value->sign() <= 0 || *value > Rational(kPlaysMax)) {
    return invalid_input(name + " must be a whole number from 1 to " + std::to_string(kPlaysMax));
  }
  return static_cast<int>(value->numerator().get_si());
}

Result<audit::AttackOptions> attack_options(const Fields& fields) {
  audit::AttackOptions options;
  if (const auto text = fields.text("epsilon")) {
    DISCREET_ASSIGN(const Epsilon epsilon, Epsilon::parse(*text));
    if (epsilon.value() > 50) return invalid_input("epsilon must be at most 50 in an attack");
    options.epsilon = epsilon.value();
  }
  DISCREET_ASSIGN(options.trials, plays(fields, "trials"));
  DISCREET_ASSIGN(options.size, plays(fields, "size"));
  DISCREET_ASSIGN(options.seed, audit::fresh_seed());
  if (const auto text = fields.text("seed")) {
    const Result<Rational> value = Rational::parse(*text);
    const Rational most(std::int64_t{1} << 62);
    if (!value || value->denominator() != 1 || value->sign() <= 0 || *value > most) {
      return invalid_input("seed must be a whole number from 1 to " + most.to_string());
    }
    options.seed = value->numerator().get_ui();
  }
  return options;
}

Result<void> try_attack(Service& service, const Call& call) {
  DISCREET_ASSIGN(const Fields fields, fields_of(call));
  DISCREET_ASSIGN(const std::string name, one_named(fields, "attack", audit::attack_names()));
  DISCREET_ASSIGN(const audit::AttackOptions options, attack_options(fields));
  const Stop stop = new_stop();
  const auto run = [&service, name, options, stop, known = known_of(call)](
                       const std::function<void(int)>& progress) -> jobs::Done {
    audit::AttackOptions watched = options;
    watched.progress = watch(service, stop, progress).progress;
    watched.stopped = watch(service, stop, progress).stopped;
    Result<audit::AttackRun> attacked = audit::run_attack(name, watched);
    if (!attacked) return failed(service, known, attacked.error());
    attacked->exhibit.footer =
        "Synthetic data, made for this run. The answers called discreet come from the kernel's own "
        "mechanisms, called directly, on coins that seed " +
        std::to_string(options.seed) + " repeats.";
    return shown(attacked->exhibit, attacked->ok);
  };
  return begin_work(service, *service.world(), call, fields,
                    {.kind = "attack", .run = run, .stop = stop});
}

void begin_audit(Service& service, const Call& call, const Result<void>& begun) {
  if (!begun) call.reply(service.refused(call, begun.error()));
}

}  // namespace

void audit_code(Service& service, Call call) {
  begin_audit(service, call, try_audit(service, call));
}
void audit_data(Service& service, Call call) {
  begin_audit(service, call, try_replay(service, call));
}
void attack(Service& service, Call call) { begin_audit(service, call, try_attack(service, call)); }

}  // namespace discreet::server::api
