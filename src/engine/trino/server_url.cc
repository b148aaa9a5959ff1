// SPDX-License-Identifier: Apache-2.0
#include "engine/trino/server_url.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace discreet::engine::trino {
namespace {

constexpr const char* kForm = "write the engine as trino://user@host:port";

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || digit(text[i + 1]) < 0 || digit(text[i + 2]) < 0) return {};
      c = static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    }
    if (static_cast<unsigned char>(c) < ' ') return {};  // would end a line of HTTP
    out += c;
  }
  return out;
}

bool is_whole(const std::string& text, int most, int& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc{} && end == text.data() + text.size() && number >= 1 && number <= most;
}

Result<void> set_option(ServerUrl& server, const std::string& name, const std::string& value) {
  if (name == "ca") {
    server.ca_file = value;
  } else if (name == "tls" && (value == "yes" || value == "no")) {
    server.tls = value == "yes";
  } else if (name == "timeout") {
    if (!is_whole(value, 604'800, server.timeout_s)) {
      return invalid_input("the engine's timeout is " + in_quotes(value) +
                           "; write whole seconds, at most a week: timeout=600");
    }
  } else if (name == "result_mb") {
    if (!is_whole(value, 1 << 20, server.result_mb)) {
      return invalid_input("the engine's result_mb is " + in_quotes(value) +
                           "; write whole megabytes of an answer: result_mb=1024");
    }
  } else if (name.starts_with("session.") && name.size() > 8) {
    server.session.emplace_back(name.substr(8), value);
  } else {
    return invalid_input("the engine has no option " + in_quotes(name + "=" + value) +
                         "; there are ca=FILE, tls=no, timeout=SECONDS, result_mb=MEGABYTES and "
                         "session.NAME=VALUE");
  }
  return {};
}

bool is_here(const std::string& host) {
  return host == "localhost" || host == "127.0.0.1" || host == "::1";
}

}  // namespace

std::string percent_encoded(const std::string& text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain) {
      out += c;
    } else {
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return out;
}

Result<ServerUrl> parse_server_url(const std::string& url) {
  ServerUrl server;
  constexpr std::string_view kStart = "trino://";
  std::string_view rest = url;
  if (!rest.starts_with(kStart)) return invalid_input(kForm);
  rest.remove_prefix(kStart.size());
  const std::size_t question = std::min(rest.find('?'), rest.size());
  std::string_view options = rest.substr(question);
  rest = rest.substr(0, question);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const std::size_t at = rest.rfind('@');
  if (at == rest.npos || at == 0) return invalid_input(std::string(kForm) + "; it has no user");
  const auto user = decoded(rest.substr(0, at));
  if (!user) return invalid_input(kForm);
  if (rest.substr(0, at).find(':') != rest.npos) {
    return invalid_input(
        "a policy is no place for a password; leave it out of the engine and give it in "
        "TRINO_PASSWORD");
  }
  server.user = *user;
  std::string_view place = rest.substr(at + 1);
  if (place.starts_with('[')) {  // of IPv6
    const std::size_t close = place.find(']');
    if (close == place.npos) return invalid_input(kForm);
    server.host = place.substr(1, close - 1);
    place.remove_prefix(close + 1);
  } else {
    const std::size_t colon = std::min(place.find(':'), place.size());
    server.host = place.substr(0, colon);
    place.remove_prefix(colon);
  }
  if (place.starts_with(':')) server.port = place.substr(1);
  const bool digits = std::all_of(server.port.begin(), server.port.end(),
                                  [](char c) { return c >= '0' && c <= '9'; });
  const bool host = std::all_of(server.host.begin(), server.host.end(),
                                [](char c) { return c > ' ' && c != '/' && c != 127; });
  if (server.host.empty() || !host || !digits || server.port.size() > 5) {
    return invalid_input(std::string(kForm) + "; tables are named catalog.schema.table");
  }
  while (!options.empty()) {
    options.remove_prefix(1);
    const std::string_view one = options.substr(0, std::min(options.find('&'), options.size()));
    options.remove_prefix(one.size());
    if (one.empty()) continue;
    const std::size_t equals = one.find('=');
    const auto name = decoded(one.substr(0, std::min(equals, one.size())));
    const auto value = decoded(equals == one.npos ? "" : one.substr(equals + 1));
    if (!name || !value) return invalid_input("an option of the engine is not written in %XX");
    DISCREET_TRY(set_option(server, *name, *value));
  }
  if (server.port.empty()) server.port = server.tls ? "443" : "8080";
  if (!server.tls && !is_here(server.host)) {
    return Error{Code::kRefused,
                 "tls=no would send exact aggregates over a network where they can be read; leave "
                 "it out, and give the coordinator a certificate"};
  }
  return server;
}

}  // namespace discreet::engine::trino
