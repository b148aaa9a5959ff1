// SPDX-License-Identifier: Apache-2.0
#include "server/http/router.h"

#include <utility>

namespace discreet::server::http {
namespace {

/// The first segment of `path` and what follows it, without the '/' in between.
std::pair<std::string_view, std::string_view> split(std::string_view path) {
  const std::size_t slash = path.find('/');
  if (slash == path.npos) return {path, {}};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

using Parts = std::map<std::string, std::string, std::less<>>;

bool fits(std::string_view pattern, std::string_view path, Parts* parts) {
  while (!pattern.empty() || !path.empty()) {
    if (pattern.empty() || path.empty()) return false;
    const auto [want, pattern_rest] = split(pattern);
    const auto [have, path_rest] = split(path);
    const bool is_name = want.size() > 2 && want.front() == '{' && want.back() == '}';
    if (is_name ? have.empty() : want != have) return false;
    if (is_name && parts != nullptr) {
      parts->emplace(want.substr(1, want.size() - 2), std::string(have));
    }
    // "a/" is not "a".
    if ((pattern_rest.empty() && want.size() == pattern.size()) !=
        (path_rest.empty() && have.size() == path.size())) {
      return false;
    }
    pattern = pattern_rest;
    path = path_rest;
  }
  return true;
}

}  // namespace

void Router::add(Route route) { routes_.push_back(std::move(route)); }

void Router::handle(Request request, Reply reply) const {
  bool is_known = false;
  for (const Route& route : routes_) {
    Parts parts;
    if (!fits(route.pattern, request.path, &parts)) continue;
    is_known = true;
    if (route.method != request.method) continue;
    request.parts = std::move(parts);
    return route.handler(std::move(request), std::move(reply));
  }
  if (is_known) return reply(refuse(Refusal::kWrongMethod));
  if (otherwise_) return otherwise_(std::move(request), std::move(reply));
  reply(refuse(Refusal::kNoSuchPath));
}

std::string Router::pattern_of(const Request& request) const {
  for (const Route& route : routes_) {
    if (fits(route.pattern, request.path, nullptr)) return route.pattern;
  }
  return "";
}

bool Router::matches(std::string_view pattern, const Request& request) {
  return fits(pattern, request.path, nullptr);
}

std::optional<std::string> Router::translated(std::string_view from, std::string_view to,
                                              const Request& request) {
  Parts parts;
  if (!fits(from, request.path, &parts)) return std::nullopt;
  std::string path(to);
  for (const auto& [name, segment] : parts) {
    const std::string mark = "{" + name + "}";
    const std::size_t at = path.find(mark);
    if (at != path.npos) path.replace(at, mark.size(), segment);
  }
  return path;
}

}  // namespace discreet::server::http
