// SPDX-License-Identifier: Apache-2.0
// discreet attack NAME: guided attacks on what others release, and on us.
#include "audit/attack/attack.h"

#include <memory>

#include "cli/audit_exhibit.h"
#include "cli/interruption.h"
#include "cli/program.h"
#include "report/progress.h"

namespace discreet::cli {
namespace {

struct AttackArguments {
  Text epsilon, seed, trials, size;
  ExhibitArguments show;
};

constexpr std::uint64_t kTrialsMax = 10'000'000;

Result<audit::AttackOptions> options_of(const AttackArguments& arguments) {
  audit::AttackOptions options;
  if (arguments.epsilon) {
    DISCREET_ASSIGN(const Epsilon epsilon, Epsilon::parse(*arguments.epsilon));
    if (epsilon.value() > 50) return invalid_input("epsilon must be at most 50 in an attack");
    options.epsilon = epsilon.value();
  }
  if (arguments.seed) {
    DISCREET_ASSIGN(options.seed, parse_count("seed", *arguments.seed, ~std::uint64_t{0} >> 1));
  } else {
    DISCREET_ASSIGN(options.seed, audit::fresh_seed());
  }
  if (arguments.trials) {
    DISCREET_ASSIGN(const std::uint64_t trials,
                    parse_count("trials", *arguments.trials, kTrialsMax));
    options.trials = static_cast<int>(trials);
  }
  if (arguments.size) {
    DISCREET_ASSIGN(const std::uint64_t size, parse_count("size", *arguments.size, kTrialsMax));
    options.size = static_cast<int>(size);
  }
  return options;
}

Result<int> run_attack(const std::string& name, const AttackArguments& arguments,
                       const Streams& streams) {
  DISCREET_ASSIGN(audit::AttackOptions options, options_of(arguments));
  const Interruption interruption;
  report::Progress bar(streams.err, name);
  options.progress = [&](int permille) { bar.show(static_cast<std::uint64_t>(permille), 1000); };
  options.stopped = Interruption::came;
  DISCREET_ASSIGN(audit::AttackRun attacked, audit::run_attack(name, options));
  attacked.exhibit.footer =
      "Synthetic data, made for this run. The answers called discreet come from the kernel's own "
      "mechanisms, called directly, on coins that seed " +
      std::to_string(options.seed) + " repeats (--seed).";
  DISCREET_TRY(show_exhibit(attacked.exhibit, arguments.show, streams));
  if (attacked.exhibit.partial) return say_partial(streams, "report");
  return attacked.ok ? 0 : describe(Code::kBug).exit_status;
}

}  // namespace

void add_attack(Program& program) {
  CLI::App& group = program.group(
      "attack",
      {.summary = "break what others release, and fail to break ours",
       .explanation =
           "Each attack makes its data on the spot, beats a naive release, meets ours, and prints\n"
           "the theorem that bounds every attacker beside what this one reached.\n",
       .closing = "Example:\n  discreet attack reconstruct --out report"});
  for (const std::string& name : audit::attack_names()) {
    const auto arguments = std::make_shared<AttackArguments>();
    CLI::App& app = program.command(
        group, name,
        {.summary = audit::attack_summary(name),
         .explanation =
             "Costs nothing: the data is synthetic. With --out FOLDER a web page and the\n"
             "charts are written. The status is 70 if a baseline did not fall or ours did.\n",
         .closing = "Example:\n  discreet attack " + name + " --seed 1 --out report"},
        [arguments, name](const Streams& streams) {
          return run_attack(name, *arguments, streams);
        });
    add_text(app, "--epsilon", arguments->epsilon, "what ours may spend in all (1)");
    add_text(app, "--seed", arguments->seed, "repeats a run; fresh if left out");
    add_text(app, "--trials", arguments->trials, "how often the game is played");
    add_text(app, "--size", arguments->size, "people, bits or ZIP codes; as in the lectures");
    arguments->show.add_to(app);
  }
}

}  // namespace discreet::cli
