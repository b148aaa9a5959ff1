// SPDX-License-Identifier: Apache-2.0
// discreet serve: the server for many analysts.
#include <sys/stat.h>

#include <memory>
#include <mutex>

#include "cli/asking.h"
#include "cli/ledger_init.h"
#include "cli/policy_ledger.h"
#include "cli/program.h"
#include "ledger/store_place.h"
#include "policy/server_section.h"
#include "server/api/service.h"
#include "server/pgwire/server.h"
#include "server/pgwire/service_desk.h"
#include "server/signals.h"
#include "server/time_limit.h"

namespace discreet::cli {
namespace {

constexpr const char* kServeExample = "discreet serve --policy policy.yaml --listen 127.0.0.1:8080";

struct ServeArguments {
  WorldArguments world;
  Text listen, pg_listen, state, pages, certificate, key, tick, answer_after, time_limit;
  std::vector<std::string> surveys;
};

/// One reading of the policy, with its ledger and engine.
class AskingWorld final : public server::api::World {
 public:
  static Result<std::shared_ptr<AskingWorld>> over(std::unique_ptr<Asking> asking,
                                                   std::chrono::milliseconds time_limit) {
    const auto world = std::make_shared<AskingWorld>();
    DISCREET_ASSIGN(world->engine_, server::with_time_limit(asking->engine(), time_limit));
    DISCREET_ASSIGN(ledger::Closing closing, session::closing_of(asking->policy()));
    asking->ledger().close_early(std::move(closing));
    DISCREET_ASSIGN(const ledger::State state, asking->ledger().state());
    if (state.gives_one_answer()) {
      return Error{Code::kRefused,
                   "this ledger gives one answer in its life, since a namespace of it assumes "
                   "coins that may be bent: analysts would see in it what others asked. Serve a "
                   "ledger without one, or ask on the command line"};
    }
    world->session_ =
        std::make_unique<session::Session>(asking->policy(), asking->ledger(), *world->engine_);
    world->asking_ = std::move(asking);
    return world;
  }
  const policy::Policy& policy() const override { return asking_->policy(); }
  ledger::Ledger& ledger() override { return asking_->ledger(); }
  session::Session& session() override { return *session_; }
  engine::Engine& engine() override { return *engine_; }

 private:
  std::unique_ptr<Asking> asking_;  // outlives the next two
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<session::Session> session_;
};

Result<server::http::Options> http_options(const ServeArguments& arguments) {
  server::http::Options options;
  DISCREET_TRY(server::http::parse_listen(arguments.listen.value_or("127.0.0.1:8080"), options));
  if (arguments.certificate.has_value() != arguments.key.has_value()) {
    return invalid_input("--tls-certificate and --tls-key belong together");
  }
  if (arguments.certificate) options.tls = {*arguments.certificate, *arguments.key};
  const bool is_loopback = options.address.starts_with("127.") || options.address == "::1";
  if (!options.tls && !is_loopback) {
    return invalid_input(
        "passwords would cross the network in the clear; give --tls-certificate "
        "and --tls-key, or listen on 127.0.0.1 behind a proxy that has them");
  }
  return options;
}

/// PostgreSQL's port, with the same rules as the other one; none: it is not wanted.
Result<std::optional<server::pgwire::Options>> pg_options(const ServeArguments& arguments) {
  if (!arguments.pg_listen) return std::optional<server::pgwire::Options>{};
  ServeArguments with = arguments;
  with.listen = arguments.pg_listen;
  DISCREET_ASSIGN(const server::http::Options same, http_options(with));
  return std::optional(
      server::pgwire::Options{.address = same.address, .port = same.port, .tls = same.tls});
}

Result<server::api::ServiceOptions> service_options(const ServeArguments& arguments,
                                                    const Streams& streams) {
  server::api::ServiceOptions options;
  options.state = arguments.state.value_or(server_folder(arguments.world.where));
  options.pages = arguments.pages.value_or("");
  if (arguments.pg_listen) options.scram_rounds = server::identity::kScramRounds;
  options.surveys = arguments.surveys;
  options.places = places_of(arguments.world.where);
  options.log = [err = streams.err,
                 mutex = std::make_shared<std::mutex>()](const std::string& line) {
    const std::lock_guard lock(*mutex);
    say(err, line + "\n");
  };
  DISCREET_ASSIGN(const std::uint64_t seconds,
                  parse_count("time-limit", arguments.time_limit.value_or("120"), 86'400));
  options.open = [&arguments, log = options.log, time_limit = std::chrono::seconds(seconds)]()
      -> Result<std::shared_ptr<server::api::World>> {
    DISCREET_ASSIGN(auto asking, Asking::open(arguments.world, ledger::Access::kUse,
                                              [log](const std::string& words) { log(words); }));
    if (asking->policy().santha_vazirani) {
      return Error{Code::kRefused,
                   "a policy with randomness: santha-vazirani is asked on the command line; a "
                   "server would show later bits of the same source"};
    }
    DISCREET_ASSIGN(std::shared_ptr<server::api::World> world,
                    AskingWorld::over(std::move(asking), time_limit));
    return world;
  };
  if (arguments.tick) {
    DISCREET_ASSIGN(const std::uint64_t ms, parse_count("tick-ms", *arguments.tick, 60'000));
    options.jobs.tick_ms = static_cast<int>(ms);
  }
  if (arguments.answer_after) {
    DISCREET_ASSIGN(const std::uint64_t ms,
                    parse_count("answer-ms", *arguments.answer_after, 600'000));
    options.jobs.answer_ms = static_cast<int>(ms);
  }
  return options;
}

/// What the options leave open, as the policy says it.
Result<ServeArguments> with_policy(ServeArguments arguments) {
  DISCREET_ASSIGN(const policy::ServerSection said,
                  policy::load_server_section(arguments.world.policy_path()));
  if (!arguments.listen) arguments.listen = said.listen;
  if (!arguments.pg_listen) arguments.pg_listen = said.postgres;
  if (!arguments.certificate && !arguments.key) {
    arguments.certificate = said.certificate;
    arguments.key = said.key;
  }
  return arguments;
}

/// The first start makes the ledger, as the policy says. Where a server has been before, a ledger
/// that is missing was lost: a new one would be a second budget.
Result<void> begin_ledger(const ServeArguments& arguments, const std::filesystem::path& state,
                          const Streams& streams) {
  const std::string ledger = arguments.world.where.path();
  std::error_code ignored;
  if (ledger::is_postgres(ledger) || std::filesystem::exists(ledger, ignored)) return {};
  if (std::filesystem::exists(state / "accounts.db", ignored)) {
    return Error{Code::kNotFound,
                 "the ledger " + in_quotes(ledger) + " is gone, but accounts of a server are in " +
                     in_quotes(state.string()) +
                     "; restore its newest copy: a new one would forget what was spent"};
  }
  say(streams.err, "there is no ledger yet; making one from the policy, for life:\n");
  return init_ledger(arguments.world.where, streams);
}

/// A backup of that device holds both, and restored it gives budget back without a trace.
void warn_of_witness(const ledger::Ledger& ledger, const Streams& streams) {
  if (!ledger.witness_shares_device()) return;
  say(streams.err, "warning: the ledger and its witness " +
                       in_quotes(ledger.witness_path().string()) +
                       " are on one device, so a restored backup could give budget back unnoticed; "
                       "stop the server, move the witness to another device and name it with "
                       "--witness FILE (docs/advisories.md, ADV-2026-20)\n");
}

Result<int> run_serve(const ServeArguments& given, const Streams& streams) {
  constexpr unsigned kStopSeconds = 20;
  server::Signals signals(  // before any thread is made
      kStopSeconds,
      "discreet: stopped; what was still under way is charged, and free to ask for again\n");
  ::umask(077);  // what is kept here is for nobody else
  DISCREET_ASSIGN(const ServeArguments arguments, with_policy(given));
  DISCREET_ASSIGN(server::http::Options http, http_options(arguments));
  DISCREET_ASSIGN(const auto pg, pg_options(arguments));
  DISCREET_ASSIGN(const server::api::ServiceOptions options, service_options(arguments, streams));
  DISCREET_TRY(begin_ledger(arguments, options.state, streams));
  DISCREET_ASSIGN(const auto service, server::api::Service::open(options));
  warn_of_witness(service->world()->ledger(), streams);
  if (!service->has_pages()) {
    say(streams.err,
        "note: there are no web pages to show; `./dev build` builds a program that holds them, and "
        "--pages FOLDER takes others\n");
  }
  http.log = [&](const server::http::Seen& seen) { service->note(seen); };
  server::api::add_doors(http);
  http.body_max = [&](const server::http::Request& request) { return service->body_max(request); };
  DISCREET_ASSIGN(const auto server,
                  server::http::Server::listen(
                      http, [&](server::http::Request request, server::http::Reply reply) {
                        service->handle(std::move(request), std::move(reply));
                      }));
  server::pgwire::ServiceDesk desk(*service);
  std::unique_ptr<server::pgwire::Server> pg_server;
  if (pg) {
    DISCREET_ASSIGN(pg_server, server::pgwire::Server::listen(*pg, desk));
    say(streams.err, "PostgreSQL's clients: host=" + pg->address +
                         " port=" + std::to_string(pg_server->port()) + " dbname=discreet\n");
  }
  DISCREET_ASSIGN(const auto password, service->first_owner());
  if (password) {
    say(streams.err,
        "the owner's login, told this once:\n  name      owner\n  password  " + *password + "\n");
  }
  say(streams.err, "serving on " + std::string(http.tls ? "https" : "http") + "://" + http.address +
                       ":" + std::to_string(server->port()) +
                       "; SIGHUP reads the policy again, SIGTERM or Ctrl-C stops\n");
  while (signals.wait() == server::Signal::kReload) {
    (void)service->reload_and_log().has_value();
  }
  service->stop();
  if (pg_server) pg_server->stop();
  server->stop();
  return 0;
}

}  // namespace

void add_serve(Program& program) {
  const auto arguments = std::make_shared<ServeArguments>();
  CLI::App& app = program.command(
      program.root(), "serve",
      {.summary = "answer many analysts over HTTP, each with a login and a budget",
       .explanation =
           "Analysts log in and ask in SQL (POST /api/v1/query); the ledger's caps hold for each\n"
           "of them and for all together. What reads data is answered at a tick of the clock that\n"
           "is fixed before the data is read. The first start makes the ledger and the owner's\n"
           "login, whose password it tells once. A browser shows the pages for owner, analysts and "
           "auditor, and for\n"
           "people who answer a --survey; /api/v1/openapi.json describes the interface.\n",
       .closing = std::string("Example:\n  ") + kServeExample +
                  "\n  curl -H 'Content-Type: application/json' -d "
                  "'{\"name\":\"owner\",\"password\":\"...\"}' \\\n"
                  "    http://127.0.0.1:8080/api/v1/login"},
      [arguments](const Streams& streams) { return run_serve(*arguments, streams); });
  arguments->world.where.add_to(app);
  add_text(app, "--listen", arguments->listen,
           "where to listen (server: listen: of the policy, or 127.0.0.1:8080)", "ADDRESS");
  add_text(app, "--pg-listen", arguments->pg_listen,
           "listen for PostgreSQL's clients too, such as 127.0.0.1:5433 (not)", "ADDRESS");
  add_text(app, "--state", arguments->state,
           "the folder of accounts and the audit log (LEDGER.server)", "FOLDER");
  add_text(app, "--pages", arguments->pages, "a folder of pages in place of the program's own",
           "FOLDER");
  add_texts(app, "--survey", arguments->surveys,
            "a survey to collect, from discreet local survey; may be given again", "FILE");
  add_text(app, "--tls-certificate", arguments->certificate,
           "a PEM chain (server: tls: of the policy)", "FILE");
  add_text(app, "--tls-key", arguments->key, "its private key, PEM", "FILE");
  add_text(app, "--tick-ms", arguments->tick, "answers come at multiples of it (100)");
  add_text(app, "--answer-ms", arguments->answer_after,
           "and no earlier than so long after the question (500)");
  add_text(app, "--time-limit", arguments->time_limit,
           "seconds after which a question is stopped, whatever the data (120)", "SECONDS");
}

}  // namespace discreet::cli
