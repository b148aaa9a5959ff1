// SPDX-License-Identifier: Apache-2.0
// discreet audit report and verify: everything in one signed document, bound to this very program.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "audit/exhibits.h"
#include "audit/source/randomness.h"
#include "base/clock.h"
#include "base/version.h"
#include "cli/audit.h"
#include "cli/audit_exhibit.h"
#include "cli/interruption.h"
#include "ledger/seal.h"
#include "report/progress.h"

namespace discreet::cli {
namespace {

using report::Cell;

constexpr const char* kAuditReportExample = "discreet audit report --key audit.key --out report";

struct AuditReportArguments {
  Text key, out, policy, cases;
};

Result<std::string> read_report(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{Code::kNotFound, "there is no readable file " + in_quotes(path)};
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) return Error{Code::kStorage, in_quotes(path) + " could not be read"};
  return bytes;
}

/// The running program's own bytes.
Result<std::string> program_hash() {
  DISCREET_ASSIGN(const std::string bytes, read_report("/proc/self/exe"));
  return ledger::to_hex(ledger::sha256(bytes));
}

/// From the file, or a new one that is kept there.
Result<ledger::OwnerKey> key_of(const std::string& file) {
  if (std::filesystem::exists(file)) return ledger::OwnerKey::load(file);
  DISCREET_ASSIGN(ledger::OwnerKey key, ledger::OwnerKey::generate());
  DISCREET_TRY(key.save(file));
  return key;
}

Result<int> run_audit_report(const AuditReportArguments& arguments, const Streams& streams) {
  if (!arguments.key) return missing("--key", kAuditReportExample);
  if (!arguments.out) return missing("--out", kAuditReportExample);
  DISCREET_ASSIGN(const ledger::OwnerKey key, key_of(*arguments.key));
  DISCREET_ASSIGN(const std::string hash, program_hash());
  const Interruption interruption;
  report::Progress bar(streams.err, "");
  report::Exhibit exhibit{.title = "Audit report of discreet " + std::string(kVersion)};
  exhibit.sections.push_back(
      {.heading = "What was audited",
       .columns = {"fact", "value"},
       .rows = {
           {Cell::words("SHA-256 of the program"), Cell::words(hash)},
           {Cell::words("made at"), Cell::words(to_utc(system_time_ms()))},
           {Cell::words("public key (Ed25519)"), Cell::words(ledger::to_hex(key.public_key()))}}});
  const audit::Watch watch{
      .progress = [&](int permille) { bar.show(static_cast<std::uint64_t>(permille), 1000); },
      .stopped = Interruption::came,
      .next = [&](const std::string& name) { bar.relabel(name); }};
  DISCREET_ASSIGN(audit::Finding exact, audit::exact_exhibit(arguments.cases.value_or(""), watch));
  bool ok = exact.ok;
  exhibit.partial = exact.exhibit.partial;
  exhibit.sections.push_back(std::move(exact.exhibit.sections.front()));
  if (!exhibit.partial) exhibit.sections.push_back(audit::effective_epsilon());
  if (!exhibit.partial) exhibit.sections.push_back(audit::effective_curves());
  if (arguments.policy && !exhibit.partial) {
    DISCREET_ASSIGN(const policy::Policy policy, policy::load_policy(*arguments.policy));
    DISCREET_ASSIGN(audit::Finding checklist, audit::conformance_exhibit(policy, watch));
    ok = ok && checklist.ok;
    exhibit.sections.push_back(std::move(checklist.exhibit.sections.front()));
  }
  exhibit.footer = std::string("Verdict: ") +
                   (exhibit.partial ? "partial"
                    : ok            ? "all hold"
                                    : "NOT all hold") +
                   ". report.sig is the Ed25519 signature of report.json; check both with discreet "
                   "audit verify.";
  const ExhibitArguments show{.out = arguments.out, .json = false};
  DISCREET_TRY(show_exhibit(exhibit, show, streams));
  DISCREET_ASSIGN(const std::string signed_bytes, read_report(*arguments.out + "/report.json"));
  DISCREET_TRY(write_new_file(
      *arguments.out + "/report.sig",
      ledger::to_hex(key.public_key()) + "\n" + ledger::to_hex(key.sign(signed_bytes)) + "\n"));
  if (exhibit.partial) return say_partial(streams, "report");
  return ok ? 0 : describe(Code::kBug).exit_status;
}

struct AuditVerifyArguments {
  Text folder, key;
};

Result<int> run_audit_verify(const AuditVerifyArguments& arguments, const Streams& streams) {
  if (!arguments.folder) return missing("--report", "discreet audit verify --report report");
  DISCREET_ASSIGN(const std::string document, read_report(*arguments.folder + "/report.json"));
  DISCREET_ASSIGN(const std::string signature, read_report(*arguments.folder + "/report.sig"));
  const std::size_t line = signature.find('\n');
  const Error malformed{Code::kCorrupt, "report.sig is not a key and a signature, one a line"};
  if (line == std::string::npos) return malformed;
  const std::string key_text = signature.substr(0, line);
  if (arguments.key && *arguments.key != key_text) {
    return Error{Code::kCorrupt, "the report is signed with another key than --public-key"};
  }
  const Result<std::string> key_bytes = ledger::from_hex(key_text);
  std::string rest = signature.substr(line + 1);
  while (!rest.empty() && rest.back() == '\n') rest.pop_back();
  const Result<std::string> bytes = ledger::from_hex(rest);
  if (!key_bytes || !bytes || key_bytes->size() != 32) return malformed;
  ledger::PublicKey key{};
  std::copy(key_bytes->begin(), key_bytes->end(), key.begin());
  if (!ledger::verify_signature(key, document, *bytes)) {
    return Error{Code::kCorrupt, "the signature does not fit the report: it was changed"};
  }
  DISCREET_ASSIGN(const std::string hash, program_hash());
  const bool same = document.find(hash) != std::string::npos;
  DISCREET_TRY(write_all(streams.out,
                         "the signature fits the report\nsigned by " + key_text +
                             (arguments.key ? "" : " (compare it with the key you trust)") + "\n" +
                             (same ? "the report is about this very program\n"
                                   : "the report is about ANOTHER program than this one\n")));
  return 0;
}

}  // namespace

void add_audit_report(Program& program, CLI::App& group) {
  const auto arguments = std::make_shared<AuditReportArguments>();
  CLI::App& app = program.command(
      group, "report",
      {.summary = "a signed report on this very program, JSON and HTML",
       .explanation =
           "Runs the exact audit of every mechanism, the certificates for bent coins and, with\n"
           "--policy, the checklist; writes report.json, report.html and report.sig, an Ed25519\n"
           "signature that covers the SHA-256 of the running program. The key is made if the file\n"
           "does not exist.\n",
       .closing = std::string("Example:\n  ") + kAuditReportExample +
                  "\n  discreet audit verify --report report"},
      [arguments](const Streams& streams) { return run_audit_report(*arguments, streams); });
  add_text(app, "--key", arguments->key, "the signing key", "FILE");
  add_text(app, "--out", arguments->out, "where to write", "FOLDER");
  add_text(app, "--policy", arguments->policy, "adds the checklist for it", "FILE");
  add_text(app, "--case", arguments->cases, "of the exact audit; all if left out", "NAME");

  const auto verify = std::make_shared<AuditVerifyArguments>();
  CLI::App& verify_app = program.command(
      group, "verify",
      {.summary = "check a report's signature, and whether it is about this program",
       .explanation = "Reads report.json and report.sig: whether the signature fits, whose it is, "
                      "and whether\n"
                      "the report was made by the very program that runs now.\n",
       .closing = "Example:\n  discreet audit verify --report report"},
      [verify](const Streams& streams) { return run_audit_verify(*verify, streams); });
  add_text(verify_app, "--report", verify->folder, "where the report is", "FOLDER");
  add_text(verify_app, "--public-key", verify->key, "the key that must have signed it", "HEX");
}

}  // namespace discreet::cli
