// SPDX-License-Identifier: Apache-2.0
// discreet publish daily register|step|show: a count that is released every day.
#include <cstdio>
#include <memory>

#include "cli/output_file.h"
#include "cli/publish.h"
#include "publish/daily.h"

namespace discreet::cli {
namespace {

constexpr const char* kPublishDailyExample =
    "discreet publish daily step visits_by_day --day 2026-01-05";

struct DailyArguments {
  Text name, day, state;
  WorldArguments world;
  FormatArguments format;

  std::filesystem::path folder(const policy::Policy& policy) const {
    if (state) return *state;
    return std::filesystem::path(policy.directory) / "daily";
  }
};

std::string shown(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

/// Whom it protects: on every answer.
std::string protection(const plan::CheckedDaily& checked) {
  const auto& options = checked.terms.options();
  std::string out =
      "rho " + options.rho.to_string() + " for all " + std::to_string(options.days) +
      " days together, for " +
      (checked.event_level
           ? "single rows: EVENT-LEVEL, as the policy says; a person with many rows "
             "is not protected as a whole"
           : "a unit with all its rows, on at most " + std::to_string(checked.daily.days_per_unit) +
                 " days with at most " + std::to_string(checked.daily.rows_per_day) + " rows each");
  return out + "\n";
}

std::string comparison(const plan::CheckedDaily& checked) {
  const publish::DailyComparison compared = publish::compare_daily(checked);
  return "running total on the last day: deviation " + shown(compared.ours) +
         "; with a binary tree " + shown(compared.tree) + "; asking anew each day at this price " +
         shown(compared.anew) + "\n";
}

/// Every row says whom it protects, wherever it is copied to.
report::Table daily_table(const plan::CheckedDaily& checked,
                          const std::vector<publish::DailyRow>& rows) {
  report::Table table(
      {"day", "count", "count_low", "count_high", "total", "total_low", "total_high", "protects"});
  const std::string whom = checked.event_level ? "single rows (EVENT-LEVEL)" : "units";
  const double width = publish::normal_width(0.95);
  for (const publish::DailyRow& row : rows) {
    std::vector<report::Cell> cells = {report::Cell::words(row.day)};
    for (const auto& [value, deviation] :
         {std::pair(row.count, row.count_deviation), std::pair(row.total, row.total_deviation)}) {
      for (const double off : {0.0, -width * deviation, width * deviation}) {
        cells.push_back(report::Cell::number(shown(value + off)));
      }
    }
    cells.push_back(report::Cell::words(whom));
    table.add(std::move(cells));
  }
  return table;
}

/// A question that is named, and the stream that it belongs to.
struct OpenDaily {
  std::unique_ptr<Asking> asking;
  publish::DailyStream stream;
  plan::CheckedDaily checked;
};

Result<OpenDaily> open_daily(const DailyArguments& arguments, const Streams& streams) {
  if (!arguments.name) return missing("the question's name", kPublishDailyExample);
  DISCREET_ASSIGN(auto asking,
                  Asking::open(arguments.world, ledger::Access::kUse, engine_says(streams)));
  publish::DailyStream stream(asking->policy(), asking->ledger(),
                              arguments.folder(asking->policy()));
  DISCREET_ASSIGN(plan::CheckedDaily checked, stream.checked(*arguments.name));
  return OpenDaily{std::move(asking), std::move(stream), std::move(checked)};
}

Result<int> run_register(const DailyArguments& arguments, const Streams& streams) {
  DISCREET_TRY(arguments.format.parse());
  DISCREET_TRY(check_folder("--state", arguments.state));
  DISCREET_ASSIGN(OpenDaily daily, open_daily(arguments, streams));
  DISCREET_ASSIGN(
      const bool is_new,
      daily.stream.register_question(*arguments.name, arguments.world.analyst.value_or("owner")));
  DISCREET_TRY(write_all(
      streams.out, (is_new ? "registered and charged: " : "registered before, nothing charged: ") +
                       protection(daily.checked) + comparison(daily.checked) + "the first day is " +
                       publish::day_text(daily.checked.daily.first) +
                       ", to be released when it is over (UTC); rows that come after a day was "
                       "released never count\n"));
  return 0;
}

Result<int> run_step(const DailyArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_ASSIGN(OpenDaily daily, open_daily(arguments, streams));
  const engine::OwnerLog log{.say = engine_says(streams), .progress = {}};
  DISCREET_ASSIGN(const publish::DailyRow row,
                  daily.stream.step(*arguments.name, arguments.day, daily.asking->engine(), log));
  DISCREET_TRY(write_all(streams.out, daily_table(daily.checked, {row}).render(format)));
  say(streams.err, protection(daily.checked));
  return 0;
}

Result<int> run_daily_show(const DailyArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  DISCREET_ASSIGN(OpenDaily daily, open_daily(arguments, streams));
  DISCREET_ASSIGN(const auto rows, daily.stream.rows(*arguments.name));
  DISCREET_TRY(write_all(streams.out, daily_table(daily.checked, rows).render(format)));
  say(streams.err, protection(daily.checked) + comparison(daily.checked));
  return 0;
}

CLI::App& add_daily_command(Program& program, CLI::App& daily, const std::string& name,
                            const Lesson& lesson,
                            Result<int> (*run)(const DailyArguments&, const Streams&),
                            bool has_day) {
  const auto arguments = std::make_shared<DailyArguments>();
  CLI::App& app = program.command(
      daily, name, lesson, [arguments, run](const Streams& s) { return run(*arguments, s); });
  add_text(app, "name", arguments->name, "the question, as the policy's daily: names it", "NAME");
  if (has_day) add_text(app, "--day", arguments->day, "which must be the next one", "DATE");
  add_text(app, "--state", arguments->state, "where its state is (daily, beside the policy)",
           "FOLDER");
  arguments->world.add_to(app);
  arguments->format.add_to(app);
  return app;
}

}  // namespace

void add_publish_daily(Program& program, CLI::App& publish) {
  CLI::App& daily = program.command(
      publish, "daily",
      {.summary = "a count that is released every day, paid for once",
       .explanation =
           "A question under daily: in the policy. Registering it charges all its days at once;\n"
           "a step releases the next day. Noise is correlated from day to day, so that the error\n"
           "of the running total grows with the logarithm of the days. A day is released when it\n"
           "is over (UTC), and never again: rows that come late never count. The entry in the\n"
           "policy and its table stay as they were registered.\n",
       .closing = std::string("Example:\n  discreet publish daily register visits_by_day\n  ") +
                  kPublishDailyExample +
                  "\n  discreet publish daily show visits_by_day --format csv"},
      [](const Streams&) -> Result<int> {
        return invalid_input("publish daily needs one of register, step or show");
      });
  add_daily_command(program, daily, "register",
                    {.summary = "charge all days and begin", .explanation = "", .closing = ""},
                    run_register, false);
  add_daily_command(
      program, daily, "step",
      {.summary = "release the next day that is over", .explanation = "", .closing = ""}, run_step,
      true);
  add_daily_command(program, daily, "show",
                    {.summary = "all days so far; free", .explanation = "", .closing = ""},
                    run_daily_show, false);
}

}  // namespace discreet::cli
