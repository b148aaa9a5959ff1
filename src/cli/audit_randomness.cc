// SPDX-License-Identifier: Apache-2.0
// discreet audit randomness: what bent coins do, what stands, and how many bits an answer takes.
#include <memory>

#include "audit/exhibits.h"
#include "cli/audit.h"
#include "cli/audit_exhibit.h"
#include "cli/interruption.h"
#include "report/progress.h"

namespace discreet::cli {
namespace {

struct RandomnessArguments {
  Text part;
  ExhibitArguments show;
};

Result<int> run_randomness(const RandomnessArguments& arguments, const Streams& streams) {
  const Interruption interruption;
  report::Progress bar(streams.err, "");
  DISCREET_ASSIGN(
      const audit::Finding found,
      audit::randomness_exhibit(
          arguments.part.value_or(""),
          {.progress = [&](int permille) { bar.show(static_cast<std::uint64_t>(permille), 1000); },
           .stopped = Interruption::came,
           .next = [&](const std::string& name) { bar.relabel(name); }}));
  DISCREET_TRY(show_exhibit(found.exhibit, arguments.show, streams));
  return found.exhibit.partial ? say_partial(streams, "report") : 0;
}

}  // namespace

void add_audit_randomness(Program& program, CLI::App& group) {
  const auto arguments = std::make_shared<RandomnessArguments>();
  CLI::App& app = program.command(
      group, "randomness",
      {.summary = "effective epsilon when the coins are bent; bits for each answer",
       .explanation =
           "A Santha-Vazirani source may bend every bit by gamma in the light of the earlier "
           "ones.\n"
           "This computes what that makes of epsilon: the supremum over all such sources, "
           "exactly,\n"
           "for additive noise and for the mechanism that is built to stand it; plays the parity\n"
           "attack on the compiled mechanisms; meters the bits that answers take; and runs the\n"
           "health tests on an adversary who passes them. src/mechanism/sv_laplace.md has "
           "proofs.\n",
       .closing = "Costs nothing: no data is involved.\n\n"
                  "Example:\n  discreet audit randomness effective\n"
                  "  discreet audit randomness --out report"},
      [arguments](const Streams& streams) { return run_randomness(*arguments, streams); });
  add_text(app, "part", arguments->part,
           "effective, chosen, curves, parity, sources, memory, "
           "entropy or health; all if left out",
           "NAME");
  arguments->show.add_to(app);
}

}  // namespace discreet::cli
