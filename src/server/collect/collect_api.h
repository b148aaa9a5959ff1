// SPDX-License-Identifier: Apache-2.0
// The collector over HTTP. Whoever has reports may send them: they carry no identity, and a report
// moves the estimate by what one honest person could. So many of one place are taken, and where the
// survey has tokens, one for each. The log of requests names no address.
//
//   POST /v1/reports     batches, application/octet-stream -> what became of them
//   GET  /v1/survey      the survey, for clients
//   GET  /v1/counts      what became of all reports so far
//   GET  /v1/aggregate   for `discreet local estimate`
//   GET  /healthz        200, or 503 when reports cannot be kept
//   GET  /metrics        for Prometheus
#pragma once

#include <functional>
#include <string>

#include "server/collect/collector.h"
#include "server/collect/peer_limits.h"
#include "server/http/router.h"

namespace discreet::server::collect {

inline constexpr std::size_t kReportsBodyMax = std::size_t{16} << 20;

/// What GET /v1/estimate shows; none: there is no such path.
using Estimate = std::function<Result<std::string>(const Collector&)>;

/// The response to POST /v1/reports.
http::Response take_reports(Collector& collector, PeerLimits& peers, const http::Request& request);

/// The collector and the limits must outlive the router.
void add_routes(http::Router& router, Collector& collector, PeerLimits& peers,
                const Estimate& estimate = {});

std::string to_json(const Counts& counts);

}  // namespace discreet::server::collect
