// SPDX-License-Identifier: Apache-2.0
// A workload: the tables, ranges and hierarchies that one file asks for, over one table of the
// policy, under one price. Read from YAML with the lines of all mistakes; domains are the policy's.
//
//   table: people
//   epsilon: 1            # and delta: 1e-6; or rho: 0.05; or error: 30
//   columns: {age: {bins: 10}, income: {edges: [20000, 50000]}}
//   tables:
//     by_region: [region]
//     by_age_and_sex: {columns: [age, sex], weight: 2}
//     income_by_region: {columns: [region], sum: income}
//   marginals: {columns: [age, sex, region], ways: 2}
//   ranges: {ages: {column: age, kind: prefix, by: [sex]}}
//   hierarchies: {places: {column: tract, parents: geography.csv}}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mechanism/codes.h"
#include "policy/policy.h"
#include "publish/hierarchy.h"
#include "publish/marginals.h"

namespace discreet::publish {

/// An axis of tables: a column of the policy with its places.
struct WorkloadAxis {
  std::string name;                      ///< the column's
  mechanism::Axis axis;                  ///< of the rows that the engine brings
  std::vector<std::string> labels = {};  ///< of listed values
  policy::Grid grid = {};                ///< of numbers and dates
  policy::Type type = policy::Type::kText;

  std::int64_t places() const { return axis.places; }
  /// "north", "20 to 29", "(rest)".
  std::string label(std::int64_t place) const;
};

/// What a table adds up.
struct WorkloadMeasure {
  std::string name;  ///< "rows", or the column's
  std::optional<mechanism::Weight> weight = {};
  double step = 1;  ///< what one step of the weight is worth
};

struct AskedTable {
  std::string name;
  int line = 0;
  std::vector<std::size_t> axes = {};  ///< as asked
  std::size_t measure = 0;
  double weight = 1;

  AttributeSet set() const;  ///< sorted
};

enum class RangeKind { kPrefix, kRanges };

struct AskedRanges {
  std::string name;
  int line = 0;
  std::size_t axis = 0;
  std::vector<std::size_t> by = {};
  RangeKind kind = RangeKind::kPrefix;
  double weight = 1;
};

struct AskedHierarchy {
  std::string name;
  int line = 0;
  std::size_t axis = 0;
  Hierarchy tree = {};
  double weight = 1;
};

/// A number that the owner publishes as it is: not protected.
struct Invariant {
  std::string table;  ///< a table's name, or "hierarchy/node"
  double value = 0;
};

/// What the release may cost.
struct WorkloadPrice {
  std::optional<Rational> rho = {};
  std::optional<Rational> epsilon = {};  ///< at `delta`
  Rational delta = 0;
  std::optional<double> error = {};  ///< the half width that no cell shall exceed
};

/// For the certificate; the program does not know it.
struct About {
  std::string name, curator, use, region, sector;
};

struct Workload {
  About about = {};
  std::string table;
  std::vector<std::string> columns;  ///< that the engine reads, in order
  std::vector<WorkloadAxis> axes;
  std::vector<WorkloadMeasure> measures;  ///< the first counts rows
  std::vector<AskedTable> tables;
  std::vector<AskedRanges> ranges;
  std::vector<AskedHierarchy> hierarchies;
  std::vector<Invariant> invariants;
  Objective objective = Objective::kTotal;
  WorkloadPrice price;
  std::optional<std::int64_t> rows_per_unit = {};
  bool nonnegative = false;  ///< counts are whole and not below 0, and still agree
  double confidence = 0.95;

  std::vector<Attribute> attributes() const;
  /// What is published as it is: the number of all rows, and areas below a hierarchy's top.
  std::optional<double> fixed_total() const;
  FixedAreas fixed_areas(const AskedHierarchy& hierarchy) const;
};

/// `file` is how messages call it; files that it names are relative to its folder. Empty: the text
/// was sent by somebody who may not name files.
/// Fails with: kInvalidInput, with all mistakes by line and how to mend them; kNotFound.
Result<Workload> read_workload(const std::string& text, const std::string& file,
                               const policy::Policy& policy);
Result<Workload> load_workload(const std::string& file, const policy::Policy& policy);

}  // namespace discreet::publish
