// SPDX-License-Identifier: Apache-2.0
#include "server/pgwire/service_desk.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace discreet::server::pgwire {

Result<std::optional<identity::Account>> ServiceDesk::prove(const identity::ScramTry& given) {
  DISCREET_ASSIGN(auto account, service_.accounts().prove_scram(given));
  if (account) {
    DISCREET_TRY(service_.audit().append({given.name, "login", in_quotes(given.name)}));
  } else {
    DISCREET_TRY(service_.note_refused_login(in_quotes(given.name)));
  }
  return account;
}

Result<ServiceDesk::Current> ServiceDesk::current() {
  const std::shared_ptr<api::World> world = service_.world();
  const std::lock_guard lock(mutex_);
  if (current_.world != world) {
    DISCREET_ASSIGN(std::unique_ptr<pgcatalog::Catalog> catalog,
                    pgcatalog::Catalog::open(world->policy()));
    constexpr std::size_t kKeptBytes = std::size_t{64} << 20;
    current_ = {world,
                {.holder = world,
                 .policy = &world->policy(),
                 .catalog = std::move(catalog),
                 .repeats = std::make_shared<Kept<Told>>(kKeptBytes)}};
  }
  return current_;
}

Result<Reading> ServiceDesk::reading() {
  DISCREET_ASSIGN(Current now, current());
  return std::move(now.reading);
}

Result<session::Explanation> ServiceDesk::explain(const session::Request& request) {
  const std::shared_ptr<api::World> world = service_.world();
  auto explained = service_.explain(*world, request);
  if (!explained) return api::discreet_error(service_, request.analyst, explained.error());
  return explained;
}

Result<std::string> ServiceDesk::left(const std::string& analyst, const std::string& units) {
  const auto in_flight = service_.in_flight().shown(analyst);  // before the ledger is read
  DISCREET_ASSIGN(const ledger::State state, service_.world()->ledger().state());
  DISCREET_ASSIGN(const ledger::NamespaceState* const space, state.find(units));
  DISCREET_ASSIGN(const ledger::Account* const own, space->analyst(analyst));
  // As over HTTP: an analyst's own, with what is in flight counted as spent (F1).
  ledger::Price spent = own->spent();
  if (in_flight) {
    const auto found = in_flight->spent.find(units);
    if (found != in_flight->spent.end()) spent = found->second;
  }
  return to_text(space->terms.notion, api::left_of(*own, spent), Round::kDown);
}

Result<std::optional<Asked>> ServiceDesk::ask(const session::Request& request,
                                              const Waiting& waiting,
                                              const std::function<bool()>& is_gone) {
  auto asked = wait(request, waiting, is_gone);
  if (!asked) {
    service_.count_refusal(request.analyst, asked.error().code);
    if (describe(asked.error().code).exit_status >= 5) service_.recover();
    return api::discreet_error(service_, request.analyst, asked.error());
  }
  return asked;
}

Result<std::optional<Asked>> ServiceDesk::wait(const session::Request& request,
                                               const Waiting& waiting,
                                               const std::function<bool()>& is_gone) {
  DISCREET_ASSIGN(const Current now, current());
  const std::shared_ptr<api::World>& world = now.world;
  const auto made_of = [](session::Answered answered, std::shared_ptr<Kept<Told>> repeats) {
    std::ranges::move(answered.made, std::back_inserter(answered.notes));
    return std::optional(Asked{.sheet = std::move(answered.sheet),
                               .repeated = answered.repeated,
                               .notes = std::move(answered.notes),
                               .repeats = std::move(repeats)});
  };
  // As over HTTP: what is stored reads no data, so it needs no deadline.
  DISCREET_ASSIGN(const session::Explanation explained, service_.explain(*world, request));
  if (explained.repeat && !request.error) {
    service_.count_question(true);
    DISCREET_ASSIGN(session::Answered answered, world->session().ask(request));
    return made_of(std::move(answered), now.reading.repeats);
  }
  struct Slot {
    std::mutex mutex;
    std::optional<Result<session::Answered>> answered;
    std::atomic<bool> is_due{false};
  };
  const auto slot = std::make_shared<Slot>();
  DISCREET_TRY(service_.audit().append({request.analyst, "query", "pgwire"}));
  service_.count_question(false);
  const auto watch = std::make_shared<api::EngineWatch>();
  const auto run = [this, world, request, slot, watch](const std::function<void(int)>& progress) {
    const engine::OwnerLog log{
        .say = [this](const std::string& words) { service_.log("engine", words); },
        .progress = progress};
    auto answered = world->session().ask(request, log);
    answered ? watch->answered(answered->repeated) : watch->failed(answered.error().code);
    if (!answered) {
      service_.log("question-failed", std::string(describe(answered.error().code).name));
    }
    const std::lock_guard lock(slot->mutex);
    slot->answered.emplace(std::move(answered));
    return http::Response{};
  };
  DISCREET_ASSIGN(
      const jobs::JobFacts made,
      service_.submit(*world, {.analyst = request.analyst, .work = run}, explained, watch));
  service_.jobs().answer(request.analyst, made.id,
                         http::Reply([slot, waiting](const http::Response&) {
                           slot->is_due = true;
                           waiting.wake();
                         }));
  const bool arrived = waiting.until(slot->is_due, is_gone);
  if (!arrived) {
    const auto hidden = service_.jobs().cancel(request.analyst, made.id);
    if (!hidden) return hidden.error();
    return std::optional<Asked>{};
  }
  const std::lock_guard lock(slot->mutex);
  if (!slot->answered) return Error{Code::kInterrupted, "the server is stopping"};
  if (!*slot->answered) return slot->answered->error();
  return made_of(std::move(**slot->answered), nullptr);
}

}  // namespace discreet::server::pgwire
