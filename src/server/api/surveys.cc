// SPDX-License-Identifier: Apache-2.0
#include "server/api/surveys.h"

#include <fcntl.h>

#include <cstdio>

#include "base/files.h"
#include "base/json.h"
#include "server/api/json_body.h"
#include "server/api/service.h"
#include "server/collect/collect_api.h"
#include "server/collect/estimate_json.h"

namespace discreet::server::api {
namespace {

constexpr const char* kBinary = "application/octet-stream";

std::string hex(std::uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(number));
  return text;
}

Result<std::string> read_survey(const std::string& file) {
  DISCREET_ASSIGN(const OpenFile opened, OpenFile::open(file, O_RDONLY));
  DISCREET_ASSIGN(const std::uint64_t size, opened.size());
  if (size > local::kSurveyBytesMax) {
    return invalid_input("the file " + in_quotes(file) + " is too large for a survey");
  }
  return opened.read_at(0, static_cast<std::size_t>(size));
}

/// Calls `run` with the survey's collector, or refuses.
template <class Run>
void with_survey(Service& service, const Call& call, const Run& run) {
  collect::Collector* const found = service.surveys().find(call.request.part("id"));
  if (found == nullptr) {
    return call.reply(http::refuse(Error{Code::kNotFound, "there is no such survey"}));
  }
  run(*found);
}

}  // namespace

Result<Surveys> Surveys::open(const std::vector<std::string>& files,
                              const std::filesystem::path& folder) {
  Surveys surveys;
  for (const std::string& file : files) {
    DISCREET_ASSIGN(std::string bytes, read_survey(file));
    DISCREET_ASSIGN(const local::Survey survey, local::parse_survey(bytes));
    const std::string id = hex(local::fingerprint(survey));
    if (surveys.find(id) != nullptr) {
      return invalid_input("the survey " + in_quotes(file) + " is given twice");
    }
    DISCREET_TRY(make_directories(folder));
    collect::CollectorOptions options{.survey = survey, .folder = folder / id};
    DISCREET_ASSIGN(options.tokens, collect::tokens_beside(file, survey));
    DISCREET_ASSIGN(auto collector, collect::Collector::open(options));
    surveys.all_.push_back({id, std::move(bytes), std::move(collector)});
  }
  return surveys;
}

collect::Collector* Surveys::find(std::string_view id) const {
  for (const One& one : all_) {
    if (one.id == id) return one.collector.get();
  }
  return nullptr;
}

void list_surveys(Service& service, Call call) {
  Json list = Json::array();
  for (const Surveys::One& one : service.surveys().all()) {
    list.push_back({{"id", one.id},
                    {"name", one.collector->survey().name},
                    {"reports", one.collector->totals().accepted}});
  }
  call.reply({.body = padded(json_text({{"surveys", list}}))});
}

void show_survey(Service& service, Call call) {
  with_survey(service, call, [&](const collect::Collector& collector) {
    call.reply({.body = local::encode(collector.survey()), .type = kBinary});
  });
}

void take_reports(Service& service, Call call) {
  with_survey(service, call, [&](collect::Collector& collector) {
    call.reply(collect::take_reports(collector, service.surveys().peers(), call.request));
  });
}

void show_estimate(Service& service, Call call) {
  with_survey(service, call, [&](const collect::Collector& collector) {
    const Result<std::string> text = collect::estimate_json(collector);
    call.reply(text ? http::Response{.body = *text} : http::refuse(text.error()));
  });
}

}  // namespace discreet::server::api
