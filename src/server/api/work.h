// SPDX-License-Identifier: Apache-2.0
// Work that takes longer than a question: lessons, publications, audits, attacks. Each is a job in
// the long lane (jobs.h, J4), with a page where there is something to look at. Internal to this
// folder.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "report/html.h"
#include "server/api/json_body.h"
#include "server/api/service.h"

namespace discreet::server::api {

/// What is asked for, checked: it can be begun.
struct Work {
  std::string kind;
  /// Of what is charged: covered by F1 and F2 until it is delivered.
  std::optional<session::Explanation> charged = {};
  jobs::Jobs::Work run;
  std::shared_ptr<EngineWatch> watch = nullptr;
  std::shared_ptr<std::atomic<bool>> stop = nullptr;  ///< as in jobs::Jobs::Order
};

/// Notes it in the audit log, and makes a job of it: at deadline_ms, after which the caller is
/// answered if they wait.
Result<void> begin_work(Service& service, World& world, const Call& call, const Fields& fields,
                        Work work);

/// The fields of the route that was called. Fails with: as Fields::parse().
Result<Fields> fields_of(const Call& call);

/// What a charge of the ledger's quote looks like to this analyst now (F1, F2). `what` stands for
/// the question: one like it is in flight or not.
Result<session::Explanation> explain_quote(Service& service, World& world,
                                           const std::string& analyst, const std::string& units,
                                           const ledger::Quote& quote, const std::string& what);

/// An exhibit as a job's answer, JSON and page.
jobs::Done shown(const report::Exhibit& exhibit, bool ok);
/// A failure as a job's answer.
jobs::Done failed(Service& service, const Call& known, const Error& error);

/// A job as its asker sees it: stage and public deadline.
std::string job_text(const jobs::JobFacts& facts);  // job_calls.cc

/// What a job needs to know of the call: not its body, not its way back.
Call known_of(const Call& call);
engine::OwnerLog owner_log(Service& service, const Call& known,
                           const std::function<void(int)>& progress);

}  // namespace discreet::server::api
