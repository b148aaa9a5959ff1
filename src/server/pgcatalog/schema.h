// SPDX-License-Identifier: Apache-2.0
// The catalog's definitions as texts, one a line; tables.cc reads them. Internal to this folder.
#pragma once

namespace discreet::server::pgcatalog {

extern const char* const kCatalogTables;
extern const char* const kInformationTables;
extern const char* const kFunctions;

}  // namespace discreet::server::pgcatalog
