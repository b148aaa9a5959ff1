// SPDX-License-Identifier: Apache-2.0
// Carrying out one statement.
#include <algorithm>
#include <thread>

#include "server/api/service.h"
#include "server/pgwire/answer_rows.h"
#include "server/pgwire/conversation.h"
#include "sql/query.h"

namespace discreet::server::pgwire {

bool Conversation::refuse(const Fault& fault) {
  fault_ = fault;
  return false;
}

/// In a transaction that has failed only its end is accepted.
bool Conversation::may_run(const Statement& statement) {
  const bool ends_it = statement.kind == Kind::kRollback || statement.kind == Kind::kCommit ||
                       statement.kind == Kind::kRollbackTo || statement.kind == Kind::kEmpty;
  return transaction_ != 'E' || ends_it || refuse(Refusal::kFailedTransaction);
}

bool Conversation::carry_out(const Statement& statement, const Cells& values, Outcome& out) {
  out.tag = statement.tag;
  waiting_.begin();
  switch (statement.kind) {
    case Kind::kEmpty:
    case Kind::kNothing:
      return true;
    case Kind::kBegin:
    case Kind::kCommit:
    case Kind::kRollback:
    case Kind::kSavepoint:
    case Kind::kRelease:
    case Kind::kRollbackTo:
      if (statement.kind == Kind::kCommit && transaction_ == 'E') out.tag = "ROLLBACK";
      return carry_out_transaction(statement);
    case Kind::kSet:
    case Kind::kReset:
    case Kind::kDiscard:
    case Kind::kDeallocate:
      return carry_out_setting(statement, out);
    case Kind::kShow:
      return show(statement, out);
    case Kind::kExplain:
      return explain(statement, values, out);
    case Kind::kQuestion:
      return ask(statement, values, out);
    case Kind::kCatalog:
      return look_up(statement, values, out);
  }
  return refuse(Refusal::kProtocol);
}

bool Conversation::carry_out_transaction(const Statement& statement) {
  const auto found = std::find_if(savepoints_.rbegin(), savepoints_.rend(),
                                  [&](const auto& each) { return each.name == statement.name; });
  const auto forget_after = [&](bool itself) {
    savepoints_.erase(itself ? std::prev(found.base()) : found.base(), savepoints_.end());
  };
  switch (statement.kind) {
    case Kind::kBegin:
      if (transaction_ == 'I') before_ = settings_;
      if (transaction_ == 'I') transaction_ = 'T';
      return true;
    case Kind::kCommit:
    case Kind::kRollback:
      if (before_ && (statement.kind == Kind::kRollback || transaction_ == 'E')) {
        settings_ = *before_;
      }
      for (const auto& [name, value] : local_) {
        const auto undone = settings_.set(name, value);
        if (!undone) return refuse(undone.error());
      }
      local_.clear();
      before_.reset();
      savepoints_.clear();
      portals_.clear();
      transaction_ = 'I';
      return true;
    case Kind::kSavepoint: {
      if (transaction_ != 'T') return refuse(Refusal::kNoTransaction);
      if (savepoints_.size() >= facts_.limits.prepared_max) return refuse(Refusal::kTooMuchKept);
      Shelf::Place place = shelf_.place();
      if (!take(place, settings_.bytes() + statement.name.size())) return false;
      savepoints_.push_back({std::move(place), statement.name, settings_});
      return true;
    }
    default:
      break;
  }
  if (transaction_ == 'I') return refuse(Refusal::kNoTransaction);
  if (found == savepoints_.rend()) {
    return refuse(Error{Code::kNotFound, "there is no savepoint " + in_quotes(statement.name)});
  }
  if (statement.kind == Kind::kRollbackTo) {
    settings_ = found->settings;
    transaction_ = 'T';
    forget_after(false);
  } else {
    forget_after(true);
  }
  return true;
}

bool Conversation::carry_out_setting(const Statement& statement, Outcome& out) {
  if (statement.kind == Kind::kDiscard || statement.kind == Kind::kDeallocate) {
    if (statement.kind == Kind::kDiscard) settings_.reset_all();
    const auto found = prepared_.find(statement.name);
    if (!statement.name.empty() && found == prepared_.end()) {
      return refuse(Refusal::kUnknownStatement);
    }
    if (!statement.name.empty()) {
      prepared_.erase(found);
      return true;
    }
    prepared_.clear();
    if (statement.kind == Kind::kDeallocate) out.tag = "DEALLOCATE ALL";
    return true;
  }
  if (statement.kind == Kind::kReset && statement.name.empty()) {
    settings_.reset_all();
    return true;
  }
  const auto present = settings_.get(statement.name);
  if (statement.is_local && present && transaction_ == 'T') {
    local_.emplace(settings_.spelling(statement.name), *present);  // the first one's
  }
  const bool is_default = statement.kind == Kind::kReset || statement.is_default;
  const auto set =
      is_default ? settings_.reset(statement.name) : settings_.set(statement.name, statement.value);
  return set || refuse(set.error());
}

bool Conversation::encode_rows(std::vector<Field> fields, const std::vector<Cells>& rows,
                               const Formats& formats, Rows& out) {
  if (formats.size() > 1 && formats.size() != fields.size()) return refuse(Refusal::kProtocol);
  auto encoded = encode(std::move(fields), rows, formats);
  if (!encoded) return refuse(encoded.error());
  out = std::move(*encoded);
  return true;
}

bool Conversation::give(std::vector<Field> fields, const std::vector<Cells>& rows, Outcome& out) {
  const auto made = std::make_shared<Rows>();
  if (!encode_rows(std::move(fields), rows, out.formats, *made)) return false;
  out.rows = made;
  return true;
}

bool Conversation::show(const Statement& statement, Outcome& out) {
  if (statement.name == "all") {
    std::vector<Cells> rows;
    for (const auto& [name, value] : settings_.all()) rows.push_back({name, value});
    return give({{"name", kText}, {"setting", kText}}, rows, out);
  }
  const auto value = settings_.get(statement.name);
  if (!value) {
    return refuse(Error{Code::kNotFound,
                        "there is no setting " + in_quotes(statement.name) + "; see SHOW ALL"});
  }
  return give({{statement.name, kText}}, {{*value}}, out);
}

bool Conversation::may_ask_now() {
  return is_still_welcome() && waits_its_turn([this] { return desk_.may_ask(account_.name); });
}

/// An account that was removed, or whose password was changed, asks nothing more.
bool Conversation::is_still_welcome() {
  const auto account = desk_.account(user_, verifier_);
  if (!account) return refuse(account.error());
  if (!*account) {
    ends_ = true;
    return refuse(Refusal::kWrongPassword);
  }
  return true;
}

/// Clients of this protocol ask one thing after the other, and do not expect to be told to wait: a
/// short while the server waits for them.
bool Conversation::waits_its_turn(const std::function<bool()>& may) {
  constexpr int kTries = 40;
  for (int i = 0; i < kTries; ++i) {
    if (may()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return refuse(Refusal::kTooManyRequests);
}

std::map<std::string, std::string> Conversation::question_fields(const std::string& sql) const {
  std::map<std::string, std::string> fields = settings_.question();
  fields["sql"] = sql;
  return fields;
}

std::optional<std::string> Conversation::told_key(const Statement& statement,
                                                  const std::map<std::string, std::string>& fields,
                                                  const Formats& formats) const {
  auto key = api::repeat_key(fields, account_.name);
  if (!key) return std::nullopt;
  *key += settings_.shows_intervals() ? "+" : "-";
  for (const bool each : formats) *key += each ? 'b' : 't';
  for (const IntervalColumn& end : statement.intervals) {
    *key += " " + std::to_string(end.place) + (end.part == Part::kLow ? "<" : ">") +
            std::to_string(end.of.size()) + ":" + end.of + std::to_string(end.name.size()) + ":" +
            end.name;
  }
  return key;
}

/// Without values some of each type stand in: a question's columns do not depend on them.
Result<std::string> Conversation::question_sql(const Statement& statement,
                                               const Cells* values) const {
  std::vector<std::string> constants;
  for (std::size_t i = 0; i < statement.parameters.size(); ++i) {
    if (values == nullptr) {
      constants.push_back(sql_example(statement.parameters[i]));
      continue;
    }
    DISCREET_ASSIGN(std::string constant, sql_constant(statement.parameters[i], (*values)[i]));
    constants.push_back(std::move(constant));
  }
  return constants.empty() ? statement.text : substitute(statement.text, constants);
}

pgcatalog::Asker Conversation::asker(const Statement& statement, const Cells& values) const {
  pgcatalog::Asker out{.user = account_.name, .process = facts_.process};
  out.setting = [this](const std::string& name) { return settings_.get(name); };
  for (std::size_t i = 0; i < statement.parameters.size(); ++i) {
    out.parameters.push_back({i < values.size() ? values[i] : std::optional<std::string>{},
                              duckdb_name(statement.parameters[i])});
  }
  return out;
}

bool Conversation::find_fields(const Statement& statement, const Cells* values,
                               const Formats& formats, std::vector<Field>& fields) {
  if (statement.kind == Kind::kExplain) {
    fields = {{"QUERY PLAN", kText}};
    return true;
  }
  if (statement.kind == Kind::kShow) {
    Outcome out;
    if (!show(statement, out)) return false;
    fields = out.rows->fields;
    return true;
  }
  const auto reading = desk_.reading();
  if (!reading) return refuse(reading.error());
  if (statement.kind == Kind::kCatalog) {
    if (!waits_its_turn([this] { return desk_.may_look_up(account_.name); })) return false;
    const auto printed = pgcatalog::print(statement.tree->root(),
                                          asker(statement, values == nullptr ? Cells{} : *values));
    if (!printed) return refuse(printed.error());
    const auto columns = reading->catalog->describe(printed->sql, account_.name);
    if (!columns) return refuse(columns.error());
    for (std::size_t i = 0; i < columns->size(); ++i) {
      const bool is_named = printed->names.size() == columns->size();
      fields.push_back({is_named ? printed->names[i] : (*columns)[i].name, (*columns)[i].type});
    }
    return true;
  }
  const auto sql = question_sql(statement, values);
  if (!sql) return refuse(sql.error());
  const auto named = question_fields(*sql);
  const auto key = told_key(statement, named, formats);
  if (const auto told = key ? reading->repeats->find(*key) : nullptr) {
    fields = told->rows.fields;
    return true;
  }
  auto request = api::request_of(named, account_.name);
  if (!request) return refuse(request.error());
  // An error to solve for stands in the place of an epsilon.
  if (request->error) request->options.epsilon = Epsilon::trusted(1);
  const auto query = sql::bind(*sql, request->options, *reading->policy);
  if (!query) return refuse(with_hint(query.error()));
  std::vector<session::AnswerColumn> columns;
  for (const sql::Output& output : query->outputs) {
    columns.push_back({output.name, output.is_key, !output.is_key, output.type});
  }
  const auto shown = shown_columns(columns, statement.intervals, settings_.shows_intervals());
  if (!shown) return refuse(shown.error());
  for (const ShownColumn& column : *shown) fields.push_back({column.name, column.type});
  return true;
}

bool Conversation::ask(const Statement& statement, const Cells& values, Outcome& out) {
  if (!may_ask_now()) return false;
  const auto sql = question_sql(statement, &values);
  if (!sql) return refuse(sql.error());
  const auto fields = question_fields(*sql);
  const auto key = told_key(statement, fields, out.formats);
  const auto reading = desk_.reading();
  if (!reading) return refuse(reading.error());
  if (const auto kept = key ? reading->repeats->find(*key) : nullptr) {
    desk_.note_repeat();
    out.rows = {kept, &kept->rows};
    return notice(*kept, true);
  }
  const auto request = api::request_of(fields, account_.name);
  if (!request) return refuse(request.error());
  // An id is for one question.
  const auto used = settings_.reset("discreet.request_id");
  if (!used) return refuse(used.error());
  const auto asked = desk_.ask(*request, waiting_, [this] { return stream_.is_gone(); });
  if (!asked) return refuse(with_hint(asked.error()));
  if (!*asked) return refuse(Refusal::kCancelled);
  const auto told = std::make_shared<Told>();
  if (!tell(statement, **asked, *told, out.formats)) return false;
  out.rows = {told, &told->rows};
  if (key && (*asked)->repeats) {
    (*asked)->repeats->keep(*key, told, told->rows.messages.size() + 8 * told->rows.count() + 4096);
  }
  return notice(*told, (*asked)->repeated);
}

bool Conversation::tell(const Statement& statement, const Asked& asked, Told& told,
                        const Formats& formats) {
  const session::AnswerSheet& sheet = asked.sheet;
  const auto shown = shown_columns(sheet.columns, statement.intervals, settings_.shows_intervals());
  if (!shown) return refuse(shown.error());
  std::vector<Field> fields;
  for (const ShownColumn& column : *shown) fields.push_back({column.name, column.type});
  if (!encode_rows(std::move(fields), shown_rows(sheet, *shown), formats, told.rows)) return false;
  told.units = sheet.units;
  told.price = "epsilon " + sheet.epsilon + (sheet.delta == "0" ? "" : ", delta " + sheet.delta) +
               " of " + sheet.units;
  const auto add = [&](const std::string& line) {
    told.detail += (told.detail.empty() ? "" : "\n") + line;
  };
  for (const std::string& note : asked.notes) add(note);
  for (const std::string& note : sheet.notes) add(note);
  const auto small = std::ranges::count(sheet.small, true);
  if (small > 0) {
    add(std::to_string(small) + " of " + std::to_string(sheet.rows.size()) +
        " rows are hardly larger than their noise");
  }
  return true;
}

bool Conversation::notice(const Told& told, bool is_repeat) {
  if (!settings_.shows_notices()) return true;
  const auto left = desk_.left(account_.name, told.units);
  if (!left) return refuse(left.error());
  write_notice(
      out_,
      (is_repeat ? "answered before (for " + told.price + "), so free" : "cost " + told.price) +
          "; left: " + *left,
      told.detail);
  return true;
}

bool Conversation::explain(const Statement& statement, const Cells& values, Outcome& out) {
  if (!may_ask_now()) return false;
  const auto sql = question_sql(statement, &values);
  if (!sql) return refuse(sql.error());
  const auto request = api::request_of(question_fields(*sql), account_.name);
  if (!request) return refuse(request.error());
  const auto explained = desk_.explain(*request);
  if (!explained) return refuse(with_hint(explained.error()));
  std::vector<Cells> rows;
  for (std::string& line : lines_of(*explained)) rows.push_back({std::move(line)});
  return give({{"QUERY PLAN", kText}}, rows, out);
}

bool Conversation::look_up(const Statement& statement, const Cells& values, Outcome& out) {
  if (!is_still_welcome()) return false;
  const auto reading = desk_.reading();
  if (!reading) return refuse(reading.error());
  const auto printed = pgcatalog::print(statement.tree->root(), asker(statement, values));
  if (!printed) return refuse(printed.error());
  std::vector<Field> fields;
  if (!find_fields(statement, &values, out.formats, fields)) return false;
  for (const auto& [name, value] : printed->assignments) {
    const auto set = settings_.set(name, value);
    if (!set) return refuse(set.error());
  }
  constexpr std::size_t kColumnsMax = 1664;  // PostgreSQL's
  if (fields.size() > kColumnsMax) return refuse(Refusal::kTooLarge);
  const auto rows = reading->catalog->run(printed->sql, account_.name);
  if (!rows) return refuse(rows.error());
  return give(std::move(fields), *rows, out);
}

}  // namespace discreet::server::pgwire
