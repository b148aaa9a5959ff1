// SPDX-License-Identifier: Apache-2.0
// A statement as a client sends it, read: what kind it is, its parameters, and for a question the
// text that goes to the session layer. Nothing here touches data; what comes out is a function of
// the text and the policy.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"
#include "server/pgwire/types.h"
#include "sql/parse.h"
#include "sql/scan.h"
#include "sql/text.h"

namespace discreet::server::pgwire {

enum class Kind {
  kEmpty,
  kBegin,
  kCommit,
  kRollback,
  kSavepoint,
  kRelease,
  kRollbackTo,
  kSet,         ///< name, value
  kReset,       ///< name; "" for all
  kShow,        ///< name
  kDiscard,     ///< settings and prepared statements
  kDeallocate,  ///< name; "" for all
  kNothing,     ///< CLOSE, UNLISTEN, SET TRANSACTION: there is nothing that it could change
  kExplain,     ///< of a question
  kQuestion,
  kCatalog,  ///< about pg_catalog, information_schema or constants alone
};

enum class Part { kValue, kLow, kHigh };

/// A column that SELECT asks for beside the question's own: n_low, n_high.
struct IntervalColumn {
  std::size_t place = 0;  ///< among all columns
  std::string of;         ///< the column that it is an end of
  Part part = Part::kLow;
  std::string name;
};

struct Statement {
  Kind kind = Kind::kEmpty;
  std::string tag = {};    ///< of CommandComplete, "SELECT" without its count
  std::string name = {};   ///< of a setting, a savepoint, a prepared statement
  std::string value = {};  ///< of a setting; with kReset's meaning when `is_default`
  bool is_default = false;
  bool is_local = false;
  std::string text = {};                       ///< of a question, with $1 in it
  std::vector<IntervalColumn> intervals = {};  ///< taken out of `text`
  std::vector<TypeId> parameters = {};         ///< 0: cannot be told
  std::shared_ptr<const sql::Statement> tree = {};

  bool gives_rows() const {
    return kind == Kind::kShow || kind == Kind::kExplain || kind == Kind::kQuestion ||
           kind == Kind::kCatalog;
  }
};

/// The statements of a text, between semicolons. Fails with: as sql::Text and sql::scan do.
Result<std::vector<std::string>> split(std::string_view text);

/// Reads one statement. `given` are the parameters' types as the client says them; 0: not said.
/// Fails with: kInvalidInput for a syntax error; kUnsupported for statements and types that are
/// not accepted.
Result<Statement> read_statement(const std::string& text, const policy::Policy& policy,
                                 const std::vector<TypeId>& given = {});

/// `text` with these constants in place of $1, $2, ...
/// Requires: it was read, with that many parameters.
std::string substitute(const std::string& text, const std::vector<std::string>& constants);

}  // namespace discreet::server::pgwire
