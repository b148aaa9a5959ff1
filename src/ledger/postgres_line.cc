// SPDX-License-Identifier: Apache-2.0
#include "ledger/postgres_line.h"

#include <arpa/inet.h>

#include <algorithm>
#include <memory>
#include <string_view>

namespace discreet::ledger {
namespace {

/// libpq's settings, with owners.
using PgSettings = std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)>;

std::string value_of(const PgSettings& settings, std::string_view name) {
  for (const PQconninfoOption* at = settings.get(); at != nullptr && at->keyword != nullptr; ++at) {
    if (at->keyword == name) return at->val == nullptr ? "" : at->val;
  }
  return "";
}

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == ',') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

/// As libpq would take it: nothing is the socket in PostgreSQL's own folder.
bool is_on_this_machine(const std::string& host) {
  if (host.empty() || host[0] == '/' || host[0] == '@' || host == "localhost") return true;
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24U == 127;
  in6_addr six{};
  return inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

/// An address decides where there is one: the name is then only what a certificate is compared with.
bool stays_on_this_machine(const std::string& hosts, const std::string& addresses) {
  const std::vector<std::string> names = listed(hosts);
  const std::vector<std::string> numbers = listed(addresses);
  for (std::size_t i = 0; i < std::max(names.size(), numbers.size()); ++i) {
    const bool has_number = i < numbers.size() && !numbers[i].empty();
    if (!is_on_this_machine(has_number ? numbers[i] : i < names.size() ? names[i] : "")) {
      return false;
    }
  }
  return true;
}

bool must_verify(const std::string& url) {
  const PgSettings said(PQconninfoParse(url.c_str(), nullptr), PQconninfoFree);
  if (!said) return true;  // libpq will not connect with it
  if (!value_of(said, "sslmode").empty()) return false;
  // The service's own host or address counts where the URL has none.
  if (!value_of(said, "service").empty()) return true;
  const PgSettings otherwise(PQconndefaults(), PQconninfoFree);
  const auto effective = [&](std::string_view name) {
    const std::string value = value_of(said, name);
    return value.empty() ? value_of(otherwise, name) : value;
  };
  return !stays_on_this_machine(effective("host"), effective("hostaddr"));
}

}  // namespace

PgLine::PgLine(std::string url) : url_(std::move(url)), verifies_(must_verify(url_)) {}

PGconn* PgLine::connect(const std::vector<PgSetting>& defaults,
                        const std::vector<PgSetting>& fixed) const {
  // Of two settings of one name the later one holds; `dbname` is the URL and all that it says.
  std::vector<const char*> names{"sslmode"};
  std::vector<const char*> values{default_sslmode()};
  const auto add = [&](const PgSetting& setting) {
    names.push_back(setting.name);
    values.push_back(setting.value);
  };
  for (const PgSetting& setting : defaults) add(setting);
  add({"dbname", url_.c_str()});
  for (const PgSetting& setting : fixed) add(setting);
  add({nullptr, nullptr});
  return PQconnectdbParams(names.data(), values.data(), 1);
}

std::string PgLine::advice() const {
  if (!verifies_) return "";
  return "; a server on another machine must show a certificate that is verified "
         "(sslmode=verify-full): put that of whoever signed it into ~/.postgresql/root.crt or name "
         "its file in the URL (?sslrootcert=FILE), or write another sslmode into the URL "
         "(?sslmode=require) if nobody else is on the way";
}

}  // namespace discreet::ledger
