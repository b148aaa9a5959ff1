// SPDX-License-Identifier: Apache-2.0
#include "server/pgwire/service_desk.h"

namespace discreet::server::pgwire {

Result<void> ServiceDesk::note_login(const std::string& name, bool was_right) {
  service_.accounts().note_scram(name, was_right);
  if (!was_right) return service_.note_refused_login(in_quotes(name));
  return service_.audit().append({name, "login", in_quotes(name)});
}

Result<Reading> ServiceDesk::reading() {
  const std::shared_ptr<api::World> world = service_.world();
  const std::lock_guard lock(mutex_);
  if (reading_.holder != world) {
    DISCREET_ASSIGN(std::unique_ptr<pgcatalog::Catalog> catalog,
                    pgcatalog::Catalog::open(world->policy()));
    reading_ = {world, &world->policy(), std::move(catalog)};
  }
  return reading_;
}

Result<session::Explanation> ServiceDesk::explain(const session::Request& request) {
  const std::shared_ptr<api::World> world = service_.world();
  auto explained = service_.explain(*world, request);
  if (!explained) return api::discreet_error(service_, request.analyst, explained.error());
  return explained;
}

Result<Asked> ServiceDesk::told(const session::Request& request, session::Answered answered) {
  Asked asked{.sheet = std::move(answered.sheet),
              .repeated = answered.repeated,
              .notes = std::move(answered.notes),
              .left = {}};
  const auto in_flight = service_.in_flight().shown(request.analyst);  // before the ledger is read
  DISCREET_ASSIGN(const ledger::State state, service_.world()->ledger().state());
  DISCREET_ASSIGN(const ledger::NamespaceState* const units, state.find(asked.sheet.units));
  DISCREET_ASSIGN(const ledger::Account* const own, units->analyst(request.analyst));
  // As over HTTP: an analyst's own, with what is in flight counted as spent (F1).
  ledger::Price spent = own->spent();
  if (in_flight) {
    const auto found = in_flight->spent.find(asked.sheet.units);
    if (found != in_flight->spent.end()) spent = found->second;
  }
  const ledger::Price left = api::left_of(*own, spent);
  asked.left = to_text(units->terms.notion, left);
  return asked;
}

Result<std::optional<Asked>> ServiceDesk::ask(const session::Request& request,
                                              const Waiting& waiting,
                                              const std::function<bool()>& is_gone) {
  const std::shared_ptr<api::World> world = service_.world();
  auto asked = wait(request, world, waiting, is_gone);
  if (!asked) {
    service_.count_refusal(request.analyst, asked.error().code);
    return api::discreet_error(service_, request.analyst, asked.error());
  }
  return asked;
}

Result<std::optional<Asked>> ServiceDesk::wait(const session::Request& request,
                                               const std::shared_ptr<api::World>& world,
                                               const Waiting& waiting,
                                               const std::function<bool()>& is_gone) {
  // As over HTTP: what is stored reads no data, so it needs no deadline.
  DISCREET_ASSIGN(const session::Explanation explained, service_.explain(*world, request));
  if (explained.repeat && !request.error) {
    service_.count_question(true);
    DISCREET_ASSIGN(session::Answered answered, world->session().ask(request));
    DISCREET_ASSIGN(Asked asked, told(request, std::move(answered)));
    return std::optional<Asked>(std::move(asked));
  }
  struct Slot {
    std::mutex mutex;
    std::optional<Result<session::Answered>> answered;
    std::atomic<bool> is_due{false};
  };
  const auto slot = std::make_shared<Slot>();
  DISCREET_TRY(service_.audit().append({request.analyst, "query", "pgwire"}));
  service_.count_question(false);
  DISCREET_ASSIGN(
      const jobs::JobFacts made,
      service_.jobs().submit(
          request.analyst, [this, world, request, slot](const std::function<void(int)>& progress) {
            const engine::OwnerLog log{
                .say = [this](const std::string& words) { service_.log("engine", words); },
                .progress = progress};
            auto answered = world->session().ask(request, log);
            if (!answered) {
              service_.log("question-failed", std::string(describe(answered.error().code).name));
            }
            const std::lock_guard lock(slot->mutex);
            slot->answered.emplace(std::move(answered));
            return http::Response{};
          }));
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
  DISCREET_ASSIGN(Asked asked, told(request, std::move(**slot->answered)));
  return std::optional<Asked>(std::move(asked));
}

}  // namespace discreet::server::pgwire
