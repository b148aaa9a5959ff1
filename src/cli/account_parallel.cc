// SPDX-License-Identifier: Apache-2.0
// discreet account parallel: the cost of questions about disjoint parts of the data.
#include <memory>

#include "accounting/composition.h"
#include "cli/account.h"
#include "cli/account_question.h"

namespace discreet::cli {
namespace {

constexpr const char* kAccountParallelExample =
    "discreet account parallel --part 0.5 --part 0.3,1e-7";

struct ParallelArguments {
  std::vector<std::string> parts, rhos;
  Text neighbours;
  FormatArguments format;
};

/// "0.5" or "0.5,1e-7".
Result<accounting::EpsilonDelta> part_of(const std::string& text) {
  const std::size_t comma = text.find(',');
  DISCREET_ASSIGN(const Epsilon epsilon, Epsilon::parse(text.substr(0, comma)));
  if (comma == std::string::npos) return accounting::EpsilonDelta{epsilon.value(), 0};
  DISCREET_ASSIGN(const Delta delta, Delta::parse(text.substr(comma + 1)));
  return accounting::EpsilonDelta{epsilon.value(), delta.value()};
}

Result<report::Sheet> of_parts(const std::vector<std::string>& texts, Neighbours neighbours) {
  std::vector<accounting::EpsilonDelta> parts;
  for (const std::string& text : texts) {
    auto part = part_of(text);
    if (!part) return invalid_input("--part " + in_quotes(text) + ": " + part.error().message);
    parts.push_back(*std::move(part));
  }
  const accounting::EpsilonDelta all = accounting::parallel(parts, neighbours);
  report::Sheet sheet;
  add_both(sheet, "epsilon", all.epsilon.to_string());
  add_both(sheet, "delta", all.delta.to_string());
  return sheet;
}

Result<report::Sheet> of_rhos(const std::vector<std::string>& texts, Neighbours neighbours) {
  std::vector<accounting::Zcdp> parts;
  for (const std::string& text : texts) {
    DISCREET_ASSIGN(const Rho rho, Rho::parse(text));
    parts.push_back({rho.value(), 0});
  }
  report::Sheet sheet;
  add_both(sheet, "rho", accounting::parallel(parts, neighbours).rho.to_string());
  return sheet;
}

Result<int> run_parallel(const ParallelArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const Neighbours neighbours, neighbours_of(arguments.neighbours));
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  if (arguments.parts.empty() == arguments.rhos.empty()) {
    return invalid_input("give each part's cost, all with --part or all with --rho; for example: " +
                         std::string(kAccountParallelExample));
  }
  DISCREET_ASSIGN(report::Sheet sheet, arguments.rhos.empty()
                                           ? of_parts(arguments.parts, neighbours)
                                           : of_rhos(arguments.rhos, neighbours));
  const bool replaced = neighbours == Neighbours::kReplaceOne;
  add_both(sheet, "theorem",
           replaced ? "parallel composition, the two largest added [notions.md, Parallel]"
                    : "parallel composition, the largest [McSherry 2009]",
           false);
  add_both(sheet, "neighbours", to_string(neighbours), false);
  if (replaced) {
    add_both(sheet, "requires",
             "each part's cost covers a person added, removed, and replaced inside the part",
             false);
  }
  DISCREET_TRY(write_all(streams.out, sheet.render(format)));
  return 0;
}

}  // namespace

void add_account_parallel(Program& program, CLI::App& account) {
  const auto arguments = std::make_shared<ParallelArguments>();
  CLI::App& app = program.command(
      account, "parallel",
      {.summary = "the cost of questions about disjoint parts of the data",
       .explanation =
           "Where a public rule sends each person to one part, such as a region or a block of\n"
           "arrivals, and each part is asked on its own, costs do not add up: one person is in\n"
           "one part. Added or removed: the largest epsilon and the largest delta. Replaced\n"
           "(--neighbours replace-one): the old value may lie in one part and the new one in\n"
           "another, so the two largest are added; then each part's cost must also cover a\n"
           "person replaced inside it.\n",
       .closing = "Costs nothing: no data is involved.\n\n"
                  "Example:\n"
                  "  discreet account parallel --part 0.5 --part 0.3,1e-7\n"
                  "    epsilon     0.5\n"
                  "    delta       0.0000001\n"
                  "    theorem     parallel composition, the largest [McSherry 2009]\n"
                  "    neighbours  add or remove one\n"
                  "  discreet account parallel --rho 0.1 --rho 0.2 --neighbours replace-one"},
      [arguments](const Streams& streams) { return run_parallel(*arguments, streams); });
  add_texts(app, "--part", arguments->parts, "what one part's questions cost together",
            "EPSILON[,DELTA]");
  add_texts(app, "--rho", arguments->rhos, "the same in zCDP", "NUMBER");
  add_text(app, "--neighbours", arguments->neighbours, "add-remove (default) or replace-one",
           "NAME");
  arguments->format.add_to(app);
}

}  // namespace discreet::cli
