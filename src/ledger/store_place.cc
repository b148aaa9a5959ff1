// SPDX-License-Identifier: Apache-2.0
#include "ledger/store_place.h"

#include "ledger/postgres_store.h"

namespace discreet::ledger {

bool is_postgres(const std::filesystem::path& place) {
  const std::string text = place.string();
  return text.starts_with("postgres://") || text.starts_with("postgresql://");
}

std::string shown(const std::filesystem::path& place) {
  std::string text = place.string();
  if (!is_postgres(place)) return text;
  // postgres://user:password@host/... and ...?password=...
  const std::size_t start = text.find("://") + 3;
  const std::size_t end = text.find_first_of("/?", start);
  const std::size_t at = text.substr(0, end).rfind('@');
  if (at != std::string::npos && at >= start) {
    const std::size_t colon = text.find(':', start);
    if (colon < at) text.replace(colon + 1, at - colon - 1, "***");
  }
  if (const std::size_t query = text.find('?'); query != std::string::npos) {
    if (text.find("password", query) != std::string::npos)
      text.replace(query + 1, std::string::npos, "***");
  }
  return text;
}

Result<std::unique_ptr<Store>> open_store(const SqliteOptions& options) {
  if (!is_postgres(options.path)) return open_sqlite_store(options);
  return open_postgres_store(
      {.url = options.path.string(), .mode = options.mode, .busy_ms = options.busy_ms});
}

void remove_new_store(const std::filesystem::path& place) {
  if (!is_postgres(place)) remove_store(place);
}

}  // namespace discreet::ledger
