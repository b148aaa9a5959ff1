// SPDX-License-Identifier: Apache-2.0
// discreet local collect: takes reports over HTTP or from files, each once.
#include "cli/local_collect.h"

#include <fcntl.h>

#include <memory>

#include "base/files.h"
#include "cli/arguments.h"
#include "local/stuffing.h"
#include "server/collect/collect_api.h"
#include "server/collect/estimate_json.h"
#include "server/http/server.h"
#include "server/signals.h"

namespace discreet::cli {
namespace {

using server::collect::Collector;

constexpr const char* kLocalCollectExample =
    "discreet local collect --survey colour.survey --store colour --listen 127.0.0.1:8080";
constexpr std::size_t kReportsFileMax = server::collect::kFrameMax;  // a file is one frame

struct CollectArguments {
  Text survey, store, shard, listen, certificate, key, reports_max;
  Text tokens, quota, peer_rate, peer_reports;
  std::vector<std::string> files;
};

Result<std::string> read_at_most(const std::string& name, std::size_t most) {
  DISCREET_ASSIGN(const OpenFile file, OpenFile::open(name, O_RDONLY));
  DISCREET_ASSIGN(const std::uint64_t size, file.size());
  if (size > most) {
    return invalid_input("the file " + in_quotes(name) + " is larger than " + std::to_string(most) +
                         " bytes; split it");
  }
  return file.read_at(0, static_cast<std::size_t>(size));
}

Result<server::http::Options> server_options(const CollectArguments& arguments) {
  server::http::Options options;
  DISCREET_TRY(server::http::parse_listen(*arguments.listen, options));
  if (arguments.certificate.has_value() != arguments.key.has_value()) {
    return invalid_input("--tls-certificate and --tls-key belong together");
  }
  if (arguments.certificate) options.tls = {*arguments.certificate, *arguments.key};
  options.workers = 16;  // they wait for the disk together
  options.body_max = [most = options.limits.body_bytes](const server::http::Request& request) {
    return request.path == "/v1/reports" ? server::collect::kReportsBodyMax : most;
  };
  return options;
}

Result<server::collect::PeerRule> peer_rule(const CollectArguments& arguments) {
  server::collect::PeerRule rule;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  if (arguments.peer_rate) {
    DISCREET_ASSIGN(const std::uint64_t rate,
                    parse_count("peer-rate", *arguments.peer_rate, kMost));
    rule.per_second = static_cast<double>(rate);
    rule.burst = 100 * rule.per_second;
  }
  if (arguments.peer_reports) {
    DISCREET_ASSIGN(rule.total, parse_count("peer-reports", *arguments.peer_reports, kMost));
  }
  return rule;
}

Result<void> serve(const CollectArguments& arguments, Collector& collector,
                   const Streams& streams) {
  DISCREET_ASSIGN(const server::collect::PeerRule rule, peer_rule(arguments));
  server::collect::PeerLimits peers(rule);
  DISCREET_ASSIGN(const server::http::Options options, server_options(arguments));
  server::Signals signals;
  server::http::Router router;
  server::collect::add_routes(router, collector, peers, server::collect::estimate_json);
  DISCREET_ASSIGN(const auto server,
                  server::http::Server::listen(
                      options, [&router](server::http::Request request, server::http::Reply reply) {
                        router.handle(std::move(request), std::move(reply));
                      }));
  say(streams.err, "collecting on " + std::string(options.tls ? "https" : "http") + "://" +
                       options.address + ":" + std::to_string(server->port()) +
                       "; SIGTERM or Ctrl-C stops\n");
  while (signals.wait() != server::Signal::kStop) {
  }
  server->stop();
  return {};
}

Result<void> take_files(const std::vector<std::string>& files, Collector& collector,
                        const Streams& streams) {
  for (const std::string& name : files) {
    DISCREET_ASSIGN(const std::string bytes, read_at_most(name, kReportsFileMax));
    std::string why;
    DISCREET_TRY(collector.accept(bytes, &why));
    if (!why.empty()) say(streams.err, "note: " + in_quotes(name) + ": " + why + "\n");
  }
  return {};
}

Result<int> run_collect(const CollectArguments& arguments, const Streams& streams) {
  if (!arguments.survey) return missing("--survey", kLocalCollectExample);
  if (!arguments.store) return missing("--store", kLocalCollectExample);
  if (!arguments.listen && arguments.files.empty()) {
    return missing("--listen, or a file of reports,", kLocalCollectExample);
  }
  server::collect::CollectorOptions options{.folder = *arguments.store};
  if (arguments.reports_max) {
    DISCREET_ASSIGN(options.reports_max,
                    parse_count("reports-max", *arguments.reports_max, std::uint64_t{1} << 40));
  }
  if (arguments.shard) {
    DISCREET_ASSIGN(options.shard, local::parse_shard(*arguments.shard));
  }
  DISCREET_ASSIGN(const std::string survey,
                  read_at_most(*arguments.survey, local::kSurveyBytesMax));
  DISCREET_ASSIGN(options.survey, local::parse_survey(survey));
  if (arguments.quota) {
    DISCREET_ASSIGN(options.quota, parse_count("quota", *arguments.quota, std::uint64_t{1} << 40));
  }
  if (arguments.tokens) {
    DISCREET_ASSIGN(options.tokens,
                    server::collect::read_tokens(*arguments.tokens, options.survey));
  } else {
    DISCREET_ASSIGN(options.tokens,
                    server::collect::tokens_beside(*arguments.survey, options.survey));
  }
  DISCREET_ASSIGN(const auto collector, Collector::open(options));
  if (collector->torn_bytes() > 0) {
    say(streams.err, "note: " + std::to_string(collector->torn_bytes()) +
                         " bytes of an unfinished write were cut off; nobody had been told that "
                         "these reports were kept\n");
  }
  DISCREET_TRY(take_files(arguments.files, *collector, streams));
  if (arguments.listen) DISCREET_TRY(serve(arguments, *collector, streams));
  DISCREET_TRY(write_all(streams.out, server::collect::to_json(collector->totals())));
  for (const local::Stuffing& found :
       local::find_stuffing(collector->aggregate(), collector->most())) {
    say(streams.err, "warning: " + to_text(found) + "\n");
  }
  return 0;
}

}  // namespace

void add_local_collect(Program& program, CLI::App& local) {
  const auto arguments = std::make_shared<CollectArguments>();
  CLI::App& app = program.command(
      local, "collect",
      {.summary = "take reports over HTTP or from files, each once, and keep them",
       .explanation =
           "Clients POST batches of reports to /v1/reports. What was answered with 200 is on disk\n"
           "and counted, whatever happens to this process afterwards; a client that got no answer\n"
           "sends the same reports again, and their ids keep them from counting twice. Nothing\n"
           "about the sender is kept. The store is a log that a crash may cut only at its end.\n"
           "At the end it prints what became of the reports, and warns where they cannot be "
           "honest\n"
           "people's. Of one address, and of one /64 of IPv6, so many reports are taken; a survey\n"
           "with tokens (discreet local tokens) counts a report for each token, and no other.\n\n"
           "  GET /v1/estimate   shares or mean with intervals, so far\n"
           "  GET /v1/aggregate  the same for discreet local estimate\n"
           "  GET /v1/survey, /v1/counts, /healthz, /metrics\n",
       .closing =
           std::string("Example:\n  ") + kLocalCollectExample +
           "\n  discreet local collect --survey colour.survey --store colour reports.bin\n"
           "  curl --data-binary @reports.bin -H 'Content-Type: application/octet-stream' \\\n"
           "    http://127.0.0.1:8080/v1/reports"},
      [arguments](const Streams& streams) { return run_collect(*arguments, streams); });
  add_text(app, "--survey", arguments->survey, "what is asked, from discreet local survey", "FILE");
  add_text(app, "--store", arguments->store, "the folder that keeps the reports", "FOLDER");
  add_text(app, "--shard", arguments->shard,
           "one of several collectors: which part of all reports it counts, such as 2/8", "I/N");
  add_text(app, "--listen", arguments->listen, "where to take them, such as 127.0.0.1:8080",
           "ADDRESS");
  add_text(app, "--tls-certificate", arguments->certificate, "a PEM chain", "FILE");
  add_text(app, "--tls-key", arguments->key, "its private key, PEM", "FILE");
  add_text(app, "--reports-max", arguments->reports_max,
           "how many ids to remember at most (50000000)");
  add_text(app, "--tokens", arguments->tokens,
           "only reports with these tokens count (SURVEY.tokens, if it is there)", "FILE");
  add_text(app, "--quota", arguments->quota,
           "how many reports count at most; the rest are refused");
  add_text(app, "--peer-rate", arguments->peer_rate,
           "reports a second of one address (1000), a hundred times that at once");
  add_text(app, "--peer-reports", arguments->peer_reports,
           "reports of one address in all, since the start (1000000)");
  add_words(app, "files", arguments->files, "files of reports to take first");
}

}  // namespace discreet::cli
