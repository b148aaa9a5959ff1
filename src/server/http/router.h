// SPDX-License-Identifier: Apache-2.0
// From a method and a path to a handler. A pattern is a path in which {name} stands for one
// segment: "/api/v1/jobs/{id}".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/message.h"

namespace discreet::server::http {

struct Route {
  std::string method;
  std::string pattern;
  Handler handler;
};

class Router {
 public:
  /// Routes are tried in order.
  void add(Route route);
  /// What is asked when no pattern fits; without it: 404.
  void otherwise(Handler handler) { otherwise_ = std::move(handler); }
  const std::vector<Route>& routes() const { return routes_; }

  /// Refuses with 404 or 405 when there is none.
  void handle(Request request, Reply reply) const;
  /// The pattern that a path fits, or "": for logs and metrics, which must not hold parameters.
  std::string pattern_of(const Request& request) const;
  /// Whether a path fits a pattern.
  static bool matches(std::string_view pattern, const Request& request);
  /// A path that fits `from`, in the words of `to`: each {name} keeps its segment. None: it does
  /// not fit.
  static std::optional<std::string> translated(std::string_view from, std::string_view to,
                                               const Request& request);

 private:
  std::vector<Route> routes_;
  Handler otherwise_;
};

}  // namespace discreet::server::http
