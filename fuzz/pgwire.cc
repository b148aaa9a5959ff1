// SPDX-License-Identifier: Apache-2.0
// Any bytes are a conversation in PostgreSQL's protocol, before a login (first byte 0) or after
// one. What comes back is a sequence of whole messages, and every error among them has an SQLSTATE.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "server/pgwire/script_for_tests.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace discreet;
  using namespace discreet::server::pgwire;
  static const std::shared_ptr<server::pgcatalog::Catalog> kCatalog = [] {
    auto opened = server::pgcatalog::Catalog::open(sql::clinic(), {.statement_ms = 200});
    DISCREET_CHECK(opened.has_value());
    return std::shared_ptr<server::pgcatalog::Catalog>(std::move(*opened));
  }();
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  MadeUpDesk desk(kCatalog);
  Script client = data[0] == 0 ? Script::raw(bytes) : Script("ann", bytes);
  ConversationFacts facts;
  facts.limits.message_bytes = 4096;
  facts.limits.past_bytes = 16384;
  facts.limits.prepared_max = 8;
  Conversation(client, desk, Waiting(), std::move(facts)).run();
  std::string_view rest = client.written;
  if (data[0] == 0) {  // answers to requests for encryption have no frame
    while (rest.starts_with("N") && (rest.size() == 1 || rest[1] != '\0')) rest.remove_prefix(1);
  }
  while (!rest.empty()) {
    DISCREET_CHECK(rest.size() >= 5);
    Reader in(rest.substr(1));
    const auto length = static_cast<std::size_t>(in.int32());
    DISCREET_CHECK(length >= 4 && length + 1 <= rest.size());
    if (rest[0] == 'E') {
      DISCREET_CHECK(rest.substr(0, length + 1).find(std::string_view("\0C", 2)) != rest.npos);
      // The state itself: a message may repeat what its asker wrote.
      DISCREET_CHECK(rest.substr(0, length + 1).find(std::string_view("\0CXX000", 7)) == rest.npos);
    }
    rest.remove_prefix(length + 1);
  }
  return 0;
}
