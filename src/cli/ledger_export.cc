// SPDX-License-Identifier: Apache-2.0
// discreet ledger export.
#include "cli/ledger_export.h"

#include <fstream>
#include <memory>
#include <string_view>

#include "base/json.h"
#include "base/version.h"
#include "cli/ledger.h"

namespace discreet::cli {
namespace {

std::string hex(const Hash& hash) {
  return ledger::to_hex({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

Error no_record() { return {Code::kCorrupt, "it is not a record of an export"}; }

Result<std::string> text_at(const Json& json, const char* name) {
  std::string text;
  if (!json[name].read(text)) return no_record();
  return text;
}

Result<std::string> bytes_of(const Json& json, const char* name) {
  DISCREET_ASSIGN(const std::string text, text_at(json, name));
  return ledger::from_hex(text);
}

Result<Hash> hash_of(const Json& json, const char* name) {
  DISCREET_ASSIGN(const std::string bytes, bytes_of(json, name));
  Hash hash{};
  if (bytes.size() != hash.size()) return invalid_input("a hash has 32 bytes");
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

Result<accounting::Amount> amount_of(const Json& json, const char* name) {
  DISCREET_ASSIGN(const std::string text, text_at(json, name));
  DISCREET_ASSIGN(const Rational value, Rational::parse(text));
  return accounting::Amount::up(value);
}

Result<ledger::Kind> kind_of(const std::string& name) {
  for (const ledger::KindFacts& facts : ledger::kKindTable) {
    if (facts.name == name) return facts.kind;
  }
  return Error{Code::kUnsupported, "a record of kind " + in_quotes(name) +
                                       ": a newer version of discreet wrote it. discreet " +
                                       kVersion + " knows ledgers up to format " +
                                       std::to_string(ledger::kLedgerFormat) +
                                       "; use a newer program"};
}

Result<ledger::Record> record_of(const Json& json) {
  ledger::Record record;
  // The kind first: what a newer one has besides is not known.
  DISCREET_ASSIGN(const std::string kind, text_at(json, "kind"));
  DISCREET_ASSIGN(record.kind, kind_of(kind));
  if (!json["record"].read(record.sequence) || !json["time_ms"].read(record.time_ms) ||
      !json["writer"].read(record.writer) || !json["about"].read(record.about)) {
    return no_record();
  }
  DISCREET_ASSIGN(record.units, text_at(json, "namespace"));
  DISCREET_ASSIGN(record.analyst, text_at(json, "analyst"));
  DISCREET_ASSIGN(record.blocks, bytes_of(json, "blocks"));
  DISCREET_ASSIGN(record.price.amount, amount_of(json, "amount"));
  DISCREET_ASSIGN(record.price.delta, amount_of(json, "delta"));
  DISCREET_ASSIGN(record.request_id, bytes_of(json, "request"));
  DISCREET_ASSIGN(record.question, bytes_of(json, "question"));
  DISCREET_ASSIGN(record.snapshot, bytes_of(json, "snapshot"));
  DISCREET_ASSIGN(record.plan, hash_of(json, "plan"));
  DISCREET_ASSIGN(record.content, hash_of(json, "content"));
  DISCREET_ASSIGN(record.detail, bytes_of(json, "detail"));
  DISCREET_ASSIGN(record.signature, bytes_of(json, "signature"));
  DISCREET_ASSIGN(record.hash, hash_of(json, "hash"));
  return record;
}

Result<ledger::Head> head_of(const Json& json) {
  DISCREET_ASSIGN(const std::string text, text_at(json, "head"));
  return ledger::Head::parse(text);
}

Error damaged(std::uint64_t line, const std::string& why) {
  return {Code::kCorrupt, "line " + std::to_string(line) + " of the export: " + why};
}

/// What was read so far; the last line must be the head.
struct Reading {
  ledger::State state;
  ledger::Verified verified;
  std::optional<ledger::Head> head;
};

Result<void> read_line(const std::string& text, std::uint64_t line, Reading& reading) {
  if (reading.head) return damaged(line, "nothing may follow the head");
  const Json json = Json::parse(text).value_or(nullptr);
  if (json.contains("head")) {
    const Result<ledger::Head> head = head_of(json);
    if (!head) return damaged(line, head.error().message);
    reading.head = *head;
    return {};
  }
  const Result<ledger::Record> record = record_of(json);
  if (!record && record.error().code == Code::kUnsupported) return record.error();
  if (!record) return damaged(line, record.error().message);
  if (const Result<void> applied = reading.state.apply(*record); !applied) {
    return damaged(line, applied.error().message);
  }
  ++reading.verified.records;
  if (record->kind == ledger::Kind::kAnswer) ++reading.verified.answers;
  if (!record->signature.empty()) ++reading.verified.signatures;
  return {};
}

struct ExportArguments {
  LedgerArguments where;
};

Result<int> run_export(const ExportArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const auto ledger, arguments.where.open(ledger::Access::kUse));
  std::string block;
  // The head is signed first: what is appended meanwhile is left out.
  DISCREET_ASSIGN(const ledger::Head head, ledger->signed_head());
  const Result<void> read = ledger->history([&](const ledger::Record& record) -> Result<void> {
    if (record.sequence > head.sequence) return {};
    block += export_line(record);
    if (block.size() < (1 << 20)) return {};
    DISCREET_TRY(write_all(streams.out, block));
    block.clear();
    return {};
  });
  if (!read) return read.error();
  DISCREET_TRY(write_all(streams.out, block + export_line(head)));
  return 0;
}

}  // namespace

std::string export_line(const ledger::Record& record) {
  const Json json = {{"record", record.sequence},
                     {"time_ms", record.time_ms},
                     {"kind", to_string(record.kind)},
                     {"writer", record.writer},
                     {"namespace", record.units},
                     {"analyst", record.analyst},
                     {"blocks", ledger::to_hex(record.blocks)},
                     {"amount", record.price.amount.to_string()},
                     {"delta", record.price.delta.to_string()},
                     {"request", ledger::to_hex(record.request_id)},
                     {"question", ledger::to_hex(record.question)},
                     {"snapshot", ledger::to_hex(record.snapshot)},
                     {"plan", hex(record.plan)},
                     {"about", record.about},
                     {"content", hex(record.content)},
                     {"detail", ledger::to_hex(record.detail)},
                     {"signature", ledger::to_hex(record.signature)},
                     {"hash", hex(record.hash)}};
  return json_text(json) + "\n";
}

std::string export_line(const ledger::Head& head) {
  return Json{{"head", head.to_text()}}.dump() + "\n";
}

Result<ledger::Verified> verify_export(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{Code::kNotFound, "there is no file " + in_quotes(path)};
  Reading reading;
  std::string text;
  for (std::uint64_t line = 1; std::getline(file, text); ++line) {
    DISCREET_TRY(read_line(text, line, reading));
  }
  if (reading.state.empty()) return Error{Code::kCorrupt, "the export has no record"};
  if (!reading.head) {
    return Error{Code::kCorrupt, "the export has no signed head: it was cut short"};
  }
  const ledger::LedgerTerms& terms = reading.state.terms();
  if (reading.head->ledger_id != terms.id || reading.head->sequence != reading.state.sequence() ||
      reading.head->hash != reading.state.hash()) {
    return Error{Code::kCorrupt, "the export's head is not its last record"};
  }
  if (!ledger::verify_signature(terms.owner, reading.head->message(), reading.head->signature)) {
    return Error{Code::kCorrupt, "the export's head does not bear the owner's signature"};
  }
  return reading.verified;
}

void add_ledger_export(Program& program, CLI::App& ledger) {
  const auto arguments = std::make_shared<ExportArguments>();
  CLI::App& app = program.command(
      ledger, "export",
      {.summary = "the history as lines of JSON that anybody can check",
       .explanation =
           "Every field that enters the chain of hashes, and the signed head as the last line.\n"
           "Answers themselves are not in it, only their hashes.\n",
       .closing = "Example:\n  discreet ledger export > history.jsonl\n"
                  "  discreet ledger verify --export history.jsonl"},
      [arguments](const Streams& streams) { return run_export(*arguments, streams); });
  arguments->where.add_to(app);
}

}  // namespace discreet::cli
