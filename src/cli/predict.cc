// SPDX-License-Identifier: Apache-2.0
// discreet predict: what a model says of new rows. Free: the model is released.
#include <fcntl.h>

#include <algorithm>
#include <memory>

#include "base/files.h"
#include "cli/arguments.h"
#include "cli/plot_file.h"
#include "cli/program.h"
#include "learn/model.h"

namespace discreet::cli {
namespace {

constexpr const char* kPredictExample = "discreet predict smoker.json < new.csv";
constexpr std::size_t kBytesMax = std::size_t{1} << 30;

struct PredictArguments {
  Text model, output;
};

/// A file of another spelling (True, 1,5) would otherwise be predicted from nothing, unseen.
void say_unread(const std::vector<learn::Unread>& unread, const Streams& streams) {
  for (const learn::Unread& one : unread) {
    if (one.unlisted > 0) {
      say(streams.err, "discreet: " + in_quotes(one.column) + " has " +
                           std::to_string(one.unlisted) +
                           " values that the model does not list; they count as none of them\n");
    }
    if (one.unreadable > 0) {
      say(streams.err, "discreet: " + in_quotes(one.column) + " has " +
                           std::to_string(one.unreadable) +
                           " values that cannot be read; their rows have no prediction\n");
    }
  }
}

Result<int> run_predict(const PredictArguments& arguments, const Streams& streams) {
  if (!arguments.model) return missing("the model", kPredictExample);
  // Without O_NONBLOCK a pipe in the file's place would wait for a writer.
  DISCREET_ASSIGN(const OpenFile file, OpenFile::open(*arguments.model, O_RDONLY | O_NONBLOCK));
  DISCREET_ASSIGN(const std::uint64_t size, file.size());
  DISCREET_ASSIGN(const std::string text,
                  file.read_at(0, std::min<std::uint64_t>(size, kBytesMax)));
  DISCREET_ASSIGN(const learn::Model model, learn::model_of_json(text));
  DISCREET_ASSIGN(const std::string rows, read_all(streams.in, kBytesMax));
  DISCREET_ASSIGN(learn::Csv table, learn::parse_csv(rows));
  std::vector<learn::Unread> unread;
  DISCREET_ASSIGN(const learn::Csv predicted, learn::predict(model, std::move(table), &unread));
  say_unread(unread, streams);
  std::string out = learn::csv_line(predicted.header);
  for (const auto& row : predicted.rows) out += learn::csv_line(row);
  if (arguments.output) {
    DISCREET_TRY(write_file(*arguments.output, out));
  } else {
    DISCREET_TRY(write_all(streams.out, out));
  }
  return 0;
}

}  // namespace

void add_predict(Program& program) {
  const auto arguments = std::make_shared<PredictArguments>();
  CLI::App& app = program.command(
      program.root(), "predict",
      {.summary = "what a model of discreet learn says of new rows",
       .explanation =
           "Reads CSV with a header from standard input and adds columns: the predicted\n"
           "value, class probabilities, or the nearest centre. Values outside of the\n"
           "model's ranges count as the nearest end; rows with empty cells stay empty. Values\n"
           "that the model does not list, or cannot read, are counted on standard error.\n",
       .closing =
           std::string("Costs nothing: the model is released.\n\nExample:\n  ") + kPredictExample},
      [arguments](const Streams& streams) { return run_predict(*arguments, streams); });
  add_text(app, "model", arguments->model, "made by discreet learn", "FILE");
  add_text(app, "--output", arguments->output, "write it there (standard output)", "FILE");
}

}  // namespace discreet::cli
