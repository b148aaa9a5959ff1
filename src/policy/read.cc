// SPDX-License-Identifier: Apache-2.0
#include "policy/read.h"

#include <fcntl.h>

#include <cstdio>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "base/files.h"
#include "mechanism/sv_certificate.h"
#include "policy/embedded.h"
#include "policy/server_section.h"

namespace discreet::policy {
namespace {

using Kind = Node::Kind;

constexpr std::int64_t kJoinedRowsMax = 1'000'000'000;
constexpr std::size_t kShownMax = 5;  // mistakes in one line of an error

void read_version(Fields& fields) {
  const std::string known = std::to_string(kPolicyFormat);
  fields.require("version", "add version: " + known);
  const auto version = fields.get_text("version");
  if (version && *version != known) {
    fields.wrong("version", "is " + in_quotes(*version), "this program reads version: " + known);
  }
}

void read_engine(Fields& fields, Policy& policy) {
  const auto engine = fields.get_text("engine");
  if (!engine) return;
  policy.engine = *engine;
  if (is_embedded(*engine)) return;
  for (const char* start : {"postgres://", "postgresql://", "trino://"}) {
    if (engine->starts_with(start)) return;
  }
  fields.wrong("engine", "is " + in_quotes(*engine), "write duckdb, postgres://... or trino://...");
}

void read_randomness(Fields& fields, Policy& policy) {
  const auto text = fields.get_text("randomness");
  if (!text || *text == "fair") return;
  const std::string fix = "write fair, or santha-vazirani 0.05 (a number above 0, up to 0.5)";
  const std::string start = "santha-vazirani ";
  const auto gamma = text->starts_with(start) ? Rational::parse(text->substr(start.size()))
                                              : Result<Rational>(invalid_input(""));
  if (!gamma || gamma->sign() <= 0 || !mechanism::SvGamma::of(*gamma)) {
    return fields.wrong("randomness", "is " + in_quotes(*text), fix);
  }
  policy.santha_vazirani = *gamma;
}

void read_other_releases(Fields& fields, Policy& policy, Mistakes& mistakes) {
  const Node* node = fields.get("other_releases");
  if (node == nullptr) return;
  for (const Node* item : texts_of(*node, "other_releases", mistakes)) {
    policy.other_releases.push_back(item->text);
  }
}

// What a view says is read when it is asked about: by then all tables are known.
void read_views(Fields& fields, Policy& policy, Mistakes& mistakes) {
  const char* const example = "views: {adults: SELECT * FROM people WHERE age >= 18}";
  const Node* node = fields.get_map("views", example);
  if (node == nullptr) return;
  for (const Node& view : node->children) {
    if (!check_name(view.key, view.key_line, "a view", mistakes)) continue;
    if (!view.is(Kind::kScalar) || view.is_open()) {
      mistakes.add(view.line, "views." + shown(view.key) + " is no text", "write a SELECT");
    } else if (policy.tables.contains(view.key)) {
      mistakes.add(view.key_line, "views." + shown(view.key) + " has the name of a table",
                   "give the view another name");
    } else {
      policy.views.emplace(view.key, view.text);
    }
  }
}

Policy read_root(const Node& root, const std::string& directory, Mistakes& mistakes) {
  Policy policy;
  policy.directory = directory;
  Places places;
  Fields fields(
      root, "",
      {"version", "engine", "snapshot", "ledger", "units", "tables", "public", "views", "daily",
       "noise", "joined_rows_per_unit", "randomness", "other_releases", "server"},
      mistakes);
  if (!root.is(Kind::kMap)) return policy;
  read_version(fields);
  read_engine(fields, policy);
  fields.require("snapshot",
                 "add a label for this state of the data, such as snapshot: 2026-11, and change it "
                 "whenever the data change");
  policy.snapshot = fields.get_text("snapshot").value_or("");
  policy.ledger = fields.get_text("ledger").value_or("");
  policy.noise = static_cast<NoisePreference>(
      fields.get_word("noise", {"automatic", "laplace", "gaussian"}).value_or(0));
  policy.joined_rows_per_unit =
      fields.get_count("joined_rows_per_unit", kJoinedRowsMax).value_or(kJoinedRowsPerUnit);
  read_randomness(fields, policy);
  read_other_releases(fields, policy, mistakes);
  fields.require("units",
                 "say whom to protect: units: {patients: {budget: {epsilon: 1, delta: "
                 "1e-6}}}");
  if (const Node* units = fields.get_map("units", "units: {patients: {budget: {epsilon: 1}}}")) {
    policy.units = read_units(*units, places, mistakes);
  }
  const std::string example = "tables: {visits: {source: visits.parquet, unit: patient_id}}";
  if (const Node* tables = fields.get_map("tables", example)) {
    read_tables(*tables, false, policy, places, mistakes);
  }
  if (const Node* tables = fields.get_map("public", "public: {zip_codes: {source: zips.csv}}")) {
    read_tables(*tables, true, policy, places, mistakes);
  }
  read_views(fields, policy, mistakes);
  if (const Node* server = fields.get_map("server", "server: {listen: 127.0.0.1:8080}")) {
    read_server(*server, directory, mistakes);
  }
  if (const Node* daily = fields.get_map("daily", kDailyExample)) {
    read_daily(*daily, policy, mistakes);
  }
  check_connections(policy, places, mistakes);
  return policy;
}

std::string one_line(const std::string& file, const std::vector<Mistake>& mistakes) {
  std::string out = file + " has " + std::to_string(mistakes.size()) +
                    (mistakes.size() == 1 ? " mistake: " : " mistakes: ");
  for (std::size_t i = 0; i < mistakes.size() && i < kShownMax; ++i) {
    const Mistake& each = mistakes[i];
    out += (i == 0 ? "" : "; ") +
           (each.line > 0 ? "line " + std::to_string(each.line) + ": " : "") + each.message + " (" +
           each.fix + ")";
  }
  if (mistakes.size() > kShownMax) {
    out += "; and " + std::to_string(mistakes.size() - kShownMax) + " more";
  }
  return out + "; see all: discreet policy check --policy " + file;
}

void warn_once(const std::string& line) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.insert(line).second) std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace

Reading read_policy(const std::string& text, const std::string& directory, Open open,
                    Deprecations old_keys) {
  Mistakes mistakes(old_keys);
  mistakes.open = open;
  Document document = read_document(text);
  mistakes.add(std::move(document.mistakes));
  Policy policy;
  if (document.root) policy = read_root(*document.root, directory, mistakes);
  if (!mistakes.empty()) return {std::nullopt, mistakes.take(), {}};
  return {std::move(policy), {}, mistakes.old_keys.take_warnings()};
}

Result<std::string> read_policy_file(const std::string& file) {
  // Without O_NONBLOCK a pipe in the file's place would wait for a writer.
  Result<OpenFile> open = OpenFile::open(file, O_RDONLY | O_NONBLOCK);
  if (!open) {
    return Error{open.error().code, open.error().message +
                                        "; name a policy with --policy FILE, or draft one with "
                                        "discreet policy init"};
  }
  DISCREET_TRY(open->permissions());
  // One byte more than is allowed, so that the reader can say that it is too long.
  return open->read_at(0, kFileBytesMax + 4);
}

Result<Policy> load_policy(const std::string& file, Open open, Deprecations old_keys) {
  DISCREET_ASSIGN(const std::string text, read_policy_file(file));
  Reading reading = read_policy(text, directory_of(file), open, old_keys);
  if (!reading.policy) return invalid_input(one_line(file, reading.mistakes));
  for (const std::string& warning : reading.warnings) {
    warn_once("discreet: warning: " + file + ": key " + warning);
  }
  return std::move(*reading.policy);
}

std::string directory_of(const std::string& file) {
  const std::string directory = std::filesystem::path(file).parent_path().string();
  return directory.empty() ? "." : directory;
}

}  // namespace discreet::policy
