// SPDX-License-Identifier: Apache-2.0
#include "cli/learn_request.h"

#include <optional>

#include "cli/output_file.h"
#include "cli/world_files.h"
#include "report/progress.h"

namespace discreet::cli {

void LearnArguments::add_option(CLI::App& app, const std::string& name, const std::string& what,
                                const std::string& kind) {
  add_text(app, "--" + name, options[name], what, kind);
}

void LearnArguments::add_to(CLI::App& app, bool has_target) {
  if (has_target) add_option(app, "target", "the column to predict", "COLUMN");
  add_option(app, "features", "columns, with commas (all that have a domain)", "LIST");
  add_option(app, "table", "of the policy (its only one with units)", "NAME");
  add_option(app, "epsilon", "what the whole run may cost, such as 1");
  add_option(app, "delta", "above 0: Gaussian noise, far less for many numbers (0)");
  add_text(app, "--output", output, "write it there (standard output)", "FILE");
  add_text(app, "--request-id", request_id, "retrying with it gives the same bytes, free", "ID");
  world.add_to(app);
}

Result<Learned> learn_task(const std::string& task, const LearnArguments& arguments,
                           const std::string& example, const Streams& streams,
                           const std::map<std::string, Text>& more) {
  std::map<std::string, Text> places = more;
  places["--output"] = arguments.output;
  const std::string beside = arguments.output ? *arguments.output + ".checkpoint" : "";
  const std::string file = arguments.checkpoint.value_or(beside);
  if (task == "network" && !file.empty()) places["--checkpoint"] = file;
  for (const auto& [option, place] : places) DISCREET_TRY(check_place(option, place));
  learn::Wish wish{.task = task,
                   .analyst = arguments.world.analyst.value_or("owner"),
                   .request_id = arguments.request_id.value_or("")};
  for (const auto& [name, text] : arguments.options) {
    if (text) wish.options[name] = *text;
  }
  for (const char* const name : {"target", "epsilon"}) {
    const bool is_needed = arguments.options.contains(name);
    if (is_needed && !wish.options.contains(name)) {
      return missing("--" + std::string(name), example);
    }
  }
  DISCREET_ASSIGN(auto asking,
                  Asking::open(arguments.world, ledger::Access::kUse, engine_says(streams)));
  std::vector<OutputFile> outputs;
  for (const auto& [option, place] : places) {
    if (place) outputs.push_back({option, *place});
  }
  DISCREET_TRY(check_outputs(outputs, files_of_world(arguments.world, *asking)));
  // A run in parts is one mechanism: all of it is spent from the first step on.
  std::optional<report::Progress> training;
  const learn::Rounds rounds = [&](std::uint64_t done, std::uint64_t all) -> Result<void> {
    if (!training) {
      training.emplace(streams.err, "training, epsilon " + wish.option("epsilon") + " spent");
    }
    training->show(done, all);
    return StopOnSignal::came() ? Result<void>(engine::interrupted()) : Result<void>();
  };
  DISCREET_ASSIGN(learn::Course course, learn::course_of(asking->policy(), wish, rounds));
  bool resumed = false;
  const learn::Saving saving{.file = file, .resumed = [&] {
                               resumed = true;
                               say(streams.err, "going on from " + file + ": already paid for\n");
                             }};
  report::Progress reading(streams.err, "reading the data");
  const engine::OwnerLog log{.say = engine_says(streams), .progress = [&](int percent) {
                               reading.show(static_cast<std::uint64_t>(percent), 100);
                             }};
  const auto teach = [&] {
    return learn::teach(asking->policy(), asking->ledger(), asking->engine(), course, log, saving);
  };
  DISCREET_ASSIGN(learn::Taught taught,
                  asking->stoppable<learn::Taught>({wish.analyst, wish.request_id}, teach));
  const plan::Training& cost = course.lesson.training;
  const std::string price = "epsilon " + cost.epsilon.to_string() +
                            (cost.delta.value() == 0 ? "" : ", delta " + cost.delta.to_string());
  say(streams.err, taught.repeated ? "the same lesson was paid for before: the stored bytes, free\n"
                   : resumed ? "finished; " + price + " was charged when it began, nothing now\n"
                             : "charged to " + wish.analyst + ": " + price +
                                   "; everything made from the result is free\n");
  return Learned{std::move(asking), std::move(course), std::move(taught)};
}

Result<void> write_learned(const LearnArguments& arguments, const std::string& bytes,
                           const Streams& streams) {
  return arguments.output ? write_file(*arguments.output, bytes) : write_all(streams.out, bytes);
}

Result<int> hand_over(const Learned& learned, const LearnArguments& arguments,
                      const std::string& bytes, const Streams& streams) {
  DISCREET_TRY(
      learned.asking->hand_over(streams, [&] { return write_learned(arguments, bytes, streams); }));
  return 0;
}

}  // namespace discreet::cli
