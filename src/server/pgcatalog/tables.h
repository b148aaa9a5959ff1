// SPDX-License-Identifier: Apache-2.0
// The tables and functions of pg_catalog and information_schema, as statements for an empty DuckDB:
// what PostgreSQL's clients look at when they list tables, made from the policy's public facts.
// The catalog is true and small: whatever there is none of here (indexes, triggers, rules) is an
// empty table, not a missing one.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"

namespace discreet::server::pgcatalog {

/// Schemas inside DuckDB: its own pg_catalog and information_schema stay out of reach.
inline constexpr const char* kCatalogSchema = "pgc";
inline constexpr const char* kInformationSchema = "isc";

/// PostgreSQL's numbers for what is the same everywhere.
inline constexpr unsigned kCatalogNamespace = 11;
inline constexpr unsigned kPublicNamespace = 2200;
inline constexpr unsigned kInformationNamespace = 13000;
inline constexpr unsigned kOwnerRole = 10;
inline constexpr unsigned kAskerRole = 16383;
inline constexpr unsigned kDatabase = 16382;
inline constexpr unsigned kFirstTable = 16384;

/// The one database that there is.
inline constexpr const char* kDatabaseName = "discreet";
/// What version() says, and the parameter server_version.
inline constexpr const char* kServerVersion = "15.0";

/// Creates everything, in order.
std::vector<std::string> setup(const policy::Policy& policy);

/// Functions of PostgreSQL that setup() defines in kCatalogSchema.
const std::vector<std::string>& defined_functions();

}  // namespace discreet::server::pgcatalog
