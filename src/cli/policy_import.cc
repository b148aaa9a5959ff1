// SPDX-License-Identifier: Apache-2.0
// discreet policy import: a draft from SmartNoise's metadata.
#include <memory>

#include "cli/arguments.h"
#include "cli/policy.h"

namespace discreet::cli {
namespace {

Result<int> run_import(const Text& file, const Streams& streams) {
  if (!file) {
    return invalid_input("name the file; for example: discreet policy import metadata.yaml");
  }
  DISCREET_ASSIGN(const std::string text, policy::read_policy_file(*file));
  DISCREET_ASSIGN(const std::string draft, policy::import_smartnoise(text));
  DISCREET_TRY(write_all(streams.out, draft));
  return 0;
}

}  // namespace

void add_policy_import(Program& program, CLI::App& policy) {
  const auto file = std::make_shared<Text>();
  CLI::App& app = program.command(
      policy, "import",
      {.summary = "a draft from SmartNoise's metadata",
       .explanation =
           "Keeps the tables, the private_id, the types, the bounds and max_ids. Comments say "
           "what\n"
           "does not carry over and why; a \"?\" stands where more must be declared, such as the\n"
           "step of a float.\n",
       .closing = "Costs nothing: no row is read.\n\n"
                  "Example:\n"
                  "  discreet policy import PUMS.yaml > policy.yaml"},
      [file](const Streams& streams) { return run_import(*file, streams); });
  add_text(app, "FILE", *file, "the metadata, in YAML", "");
}

}  // namespace discreet::cli
