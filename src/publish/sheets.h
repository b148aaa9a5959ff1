// SPDX-License-Identifier: Apache-2.0
// What is published, made from released integers: sheets of cells with their errors, the
// certificate, and files of them. All of it after release.
#pragma once

#include <string>
#include <vector>

#include "publish/release.h"

namespace discreet::publish {

/// A table, the running sums or ranges of one axis, or a hierarchy.
struct Sheet {
  std::string name;
  std::string kind;                       ///< "table", "running sums", "ranges", "hierarchy"
  std::string measure;                    ///< "rows", or the column that is added up
  std::vector<std::string> columns = {};  ///< of the keys
  std::vector<std::vector<std::string>> keys = {};  ///< one for each cell
  std::vector<double> values = {};                  ///< unbiased; tables agree
  std::vector<double> deviations = {};
  std::vector<double> whole = {};  ///< non-negative and whole, if that was asked for; biased
  /// Some released number that this sheet may be made of lies at the limit (mechanism/saturation.h):
  /// values are neither unbiased nor within their deviations, they are only known to be large.
  bool at_limit = false;
};

/// What to say beside such a sheet.
inline constexpr const char* kAtLimit =
    "AT THE LIMIT: a number that this was made of reached 2^62, the largest that can be released, "
    "so "
    "its values and deviations are not to be relied on; use a coarser step, or split the table";

std::vector<Sheet> sheets_of(const Workload& workload, const Publication& publication);

/// value, deviation, low and high at the workload's confidence, whole if it is there.
std::string sheet_csv(const Sheet& sheet, double confidence);
std::string sheets_json(const std::vector<Sheet>& sheets, double confidence,
                        const std::string& certificate);
/// Fails with: kEngine, kStorage.
Result<std::string> sheet_parquet(const Sheet& sheet, double confidence);

/// A record of the public registry of deployments: JSON in the registry's form, which a person
/// completes. Its title is the workload's name, else that of the file `name` without its folder.
std::string certificate_json(const Workload& workload, const Publication& publication,
                             const std::string& name, const std::string& date);

/// What `about.sector` may be, in the registry's words.
const std::vector<std::string>& registry_sectors();

/// "not protected: ..." for every invariant.
std::vector<std::string> unprotected(const Workload& workload);

}  // namespace discreet::publish
