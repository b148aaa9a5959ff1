// SPDX-License-Identifier: Apache-2.0
// The policy of the tests, and a question's binding as text.
#pragma once

#include <string>

#include "base/check.h"
#include "policy/policy.h"
#include "sql/query.h"

namespace discreet::sql {

inline constexpr const char* kClinic = R"(version: 1
engine: duckdb
snapshot: 2026-11
units:
  patients: {budget: {epsilon: 10, delta: 1e-6}}
  people: {budget: {epsilon: 10}}
tables:
  visits:
    source: visits.parquet
    unit: {namespace: patients, column: patient_id}
    bounds: {groups_per_unit: 3, rows_per_unit_and_group: 4}
    columns:
      clinic:  {type: text, values: [north, south, east]}
      city:    {type: text}
      age:     {type: integer, range: [0, 120]}
      cost:    {type: decimal, range: [0, 5000], step: 0.01, "null": {default: 0}}
      day:     {type: date, range: [2020-01-01, 2026-12-31]}
      at:      {type: timestamp, range: [2020-01-01 00:00:00, 2026-12-31 23:59:59]}
      smoker:  {type: boolean}
      note:    {type: text, may: [filter]}
      weight:  {type: decimal}
      Zip:     {type: text}
  patients:
    source: patients.parquet
    unit: {namespace: patients, column: id}
    columns:
      sex:     {type: text, values: [f, m, x]}
      born:    {type: integer, range: [1900, 2026]}
  labs:
    source: labs.parquet
    unit: {namespace: patients, path: [labs.visit_id -> visits.id, visits.patient_id]}
    columns:
      test:    {type: text}
      result:  {type: decimal, range: [-50, 50], step: 0.1}
  survey:
    source: survey.csv
    unit: {namespace: people, row: true}
    columns:
      income:  {type: integer, range: [0, 200000]}
      region:  {type: text, values: [a, b]}
public:
  zip_codes:
    source: zips.csv
    columns:
      zip:     {type: text}
      county:  {type: text}
      people:  {type: integer, range: [0, 10000000]}
)";

inline const policy::Policy& clinic() {
  static const policy::Policy kPolicy = [] {
    policy::Reading reading = policy::read_policy(kClinic, ".");
    for (const policy::Mistake& mistake : reading.mistakes) {
      std::fprintf(stderr, "%d: %s %s\n", mistake.line, mistake.message.c_str(),
                   mistake.fix.c_str());
    }
    DISCREET_CHECK(reading.policy.has_value());
    return *reading.policy;
  }();
  return kPolicy;
}

inline Options spending(const char* epsilon = "1") {
  Options options;
  options.epsilon = *Epsilon::parse(epsilon);
  options.delta = *Delta::parse("1e-6");
  return options;
}

/// One fact a line: what is joined, filtered, grouped, measured and shown.
std::string describe(const Query& query);

}  // namespace discreet::sql
