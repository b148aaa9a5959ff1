// SPDX-License-Identifier: Apache-2.0
// discreet ledger verify, witness: is the history whole, and who says so?
#include <memory>

#include "cli/ledger.h"
#include "cli/ledger_export.h"
#include "report/progress.h"
#include "report/table.h"

namespace discreet::cli {
namespace {

using report::Cell;

struct VerifyArguments {
  LedgerArguments where;
  Text receipt, exported, reason;
  FormatArguments format;
};

/// That a printed head is a point of this history, signed by its owner.
Result<void> check_receipt(ledger::Ledger& ledger, const std::string& text) {
  DISCREET_ASSIGN(const ledger::Head head, ledger::Head::parse(text));
  if (head.ledger_id != ledger.id()) {
    return invalid_input("the receipt is of another ledger, " + in_quotes(head.ledger_id));
  }
  if (!ledger::verify_signature(ledger.terms().owner, head.message(), head.signature)) {
    return Error{Code::kCorrupt, "the receipt does not bear this ledger's signature"};
  }
  bool seen = false;
  DISCREET_TRY(ledger.history([&](const ledger::Record& record) -> Result<void> {
    if (record.sequence == head.sequence) seen = record.hash == head.hash;
    return {};
  }));
  if (seen) return {};
  return Error{Code::kCorrupt, "record " + std::to_string(head.sequence) +
                                   " of the receipt is not in this history: the file is older "
                                   "than the receipt, or was rewritten; restore the newest copy"};
}

Result<int> show(const Streams& streams, const ledger::Verified& verified, report::Format format,
                 const std::string& witness) {
  report::Sheet sheet;
  sheet.line("history", "whole: " + std::to_string(verified.records) + " records, " +
                            std::to_string(verified.answers) + " answers, " +
                            std::to_string(verified.signatures) + " signatures checked");
  sheet.field("records", Cell::number(std::to_string(verified.records)))
      .field("answers", Cell::number(std::to_string(verified.answers)))
      .field("signatures", Cell::number(std::to_string(verified.signatures)));
  sheet.line("witness", witness).field("witness", Cell::words(witness));
  DISCREET_TRY(write_all(streams.out, sheet.render(format)));
  return 0;
}

Result<int> run_verify(const VerifyArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  if (arguments.exported) {
    DISCREET_ASSIGN(const ledger::Verified verified, verify_export(*arguments.exported));
    return show(streams, verified, format, "not asked: this is an export");
  }
  DISCREET_ASSIGN(const auto ledger, arguments.where.open(ledger::Access::kLook));
  if (ledger->witness_fault()) return Error(*ledger->witness_fault());
  DISCREET_ASSIGN(const ledger::State state, ledger->state());
  report::Progress progress(streams.err, "verifying");
  DISCREET_ASSIGN(const ledger::Verified verified,
                  ledger->verify([&](std::uint64_t done) { progress.show(done, state.next()); }));
  if (arguments.receipt) DISCREET_TRY(check_receipt(*ledger, *arguments.receipt));
  return show(streams, verified, format,
              arguments.receipt ? "agrees, and so does the receipt" : "agrees");
}

Result<int> run_witness(const VerifyArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const auto ledger, arguments.where.open(ledger::Access::kUse));
  DISCREET_ASSIGN(const ledger::Head head, ledger->signed_head());
  DISCREET_TRY(write_all(streams.out, head.to_text() + "\n"));
  return 0;
}

constexpr const char* kRestoreExample =
    "discreet ledger witness restore --reason 'state directory lost' --receipt 'TEXT'";

Result<int> run_restore(const VerifyArguments& arguments, const Streams& streams) {
  if (!arguments.reason || arguments.reason->empty()) return missing("--reason", kRestoreExample);
  if (!arguments.receipt) {
    return Error{Code::kRefused,
                 "without a receipt nobody can tell whether the history is an older copy: give a "
                 "printed receipt with --receipt, or go on with everything counted as spent: "
                 "discreet ledger recover --reason TEXT"};
  }
  DISCREET_ASSIGN(const ledger::Head receipt, ledger::Head::parse(*arguments.receipt));
  DISCREET_ASSIGN(const auto ledger, arguments.where.open(ledger::Access::kRepair));
  DISCREET_TRY(ledger->replace_witness(*arguments.reason, receipt));
  DISCREET_TRY(write_all(streams.out, "a new witness stands at " + ledger->witness_path().string() +
                                          "; the history is no older than the receipt, record " +
                                          std::to_string(receipt.sequence) + "\n"));
  return 0;
}

}  // namespace

void add_ledger_verify(Program& program, CLI::App& ledger) {
  const auto verify = std::make_shared<VerifyArguments>();
  CLI::App& app = program.command(
      ledger, "verify",
      {.summary = "check the whole history: chain, signatures, caps, answers, witness",
       .explanation =
           "Reads everything again from the first record. A changed, missing or reordered record\n"
           "is named. With --receipt it also checks that a printed head is part of the history;\n"
           "with --export it checks an exported history, for which no key is needed.\n",
       .closing = "Example:\n  discreet ledger verify\n"
                  "  discreet ledger verify --export history.jsonl"},
      [verify](const Streams& streams) { return run_verify(*verify, streams); });
  verify->where.add_to(app);
  add_text(app, "--receipt", verify->receipt, "a line that discreet ledger witness printed",
           "TEXT");
  add_text(app, "--export", verify->exported, "check this export, not a ledger", "FILE");
  verify->format.add_to(app);

  const auto witness = std::make_shared<VerifyArguments>();
  CLI::App& print = program.command(
      ledger, "witness",
      {.summary = "print the signed head of the history, to be kept elsewhere",
       .explanation =
           "One line: the ledger, the number of its last record, its hash and the owner's\n"
           "signature. Print it, mail it, keep it in a safe: whoever holds it can later see that\n"
           "the history still contains it. `discreet ledger witness restore` makes a new witness\n"
           "file when the old one is lost.\n",
       .closing =
           std::string("Example:\n  discreet ledger witness > receipt.txt\n  ") + kRestoreExample},
      [witness](const Streams& streams) { return run_witness(*witness, streams); });
  witness->where.add_to(print);

  const auto restore = std::make_shared<VerifyArguments>();
  CLI::App& again = program.command(
      print, "restore",
      {.summary = "make a new witness for one that is lost",
       .explanation =
           "Writes a signed, permanent record with the reason. The receipt shows that the history\n"
           "is no older than it; what was charged after it may be lost. Without a receipt use\n"
           "`discreet ledger recover`, which counts everything as spent.\n",
       .closing = std::string("Example:\n  ") + kRestoreExample},
      [restore](const Streams& streams) { return run_restore(*restore, streams); });
  restore->where.add_to(again);
  add_text(again, "--reason", restore->reason, "why", "TEXT");
  add_text(again, "--receipt", restore->receipt, "a printed head; needed", "TEXT");
}

}  // namespace discreet::cli
