// SPDX-License-Identifier: Apache-2.0
// discreet shell: questions one after the other, with a line editor and a memory.
#include <readline/history.h>
#include <readline/readline.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/answer_text.h"
#include "cli/asking.h"
#include "report/gauge.h"
#include "report/progress.h"
#include "report/table.h"

namespace discreet::cli {
namespace {

using report::Cell;

constexpr const char* kHelp =
    "  SELECT ... ;        ask; a question ends with ;\n"
    "  \\explain SELECT ... what it would do and cost\n"
    "  \\epsilon 0.5        what further questions may cost (also \\delta, \\error, \\about, "
    "\\rows,\n"
    "                      \\pilot, \\weights, \\confidence)\n"
    "  \\d [TABLE]          what may be asked about\n"
    "  \\budget             what is left\n"
    "  \\q                  leave\n";

struct ShellArguments {
  WorldArguments world;
  QuestionOptions question;
};

class Shell {
 public:
  Shell(Asking& asking, const ShellArguments& arguments, const Streams& streams)
      : asking_(asking),
        question_(arguments.question),
        analyst_(arguments.world.analyst),
        streams_(streams) {}

  /// False when it is time to leave.
  Result<bool> line(const std::string& text) {
    if (pending_.empty() && text.starts_with("\\")) return command(text);
    pending_ += text + "\n";
    if (text.find_last_not_of(" \t") == std::string::npos) return true;
    if (text[text.find_last_not_of(" \t")] != ';') return true;
    std::string sql = std::exchange(pending_, "");
    sql.erase(sql.rfind(';'));
    DISCREET_TRY(ask(sql));
    return true;
  }
  bool inside() const { return !pending_.empty(); }

 private:
  Result<void> ask(const std::string& sql) {
    DISCREET_ASSIGN(const session::Request request, question_.request(sql, analyst_));
    report::Progress progress(streams_.err, "reading the data");
    const engine::OwnerLog log{.say = engine_says(streams_), .progress = [&](int percent) {
                                 progress.show(static_cast<std::uint64_t>(percent), 100);
                               }};
    DISCREET_ASSIGN(const session::Answered answered, asking_.ask(request, log));
    return write_all(streams_.out,
                     answer_text(answered, report::Format::kTable) + answer_drawing(answered));
  }

  Result<void> explain(const std::string& sql) {
    DISCREET_ASSIGN(const session::Request request, question_.request(sql, analyst_));
    DISCREET_ASSIGN(const session::OwnerExplanation explained,
                    asking_.session().explain_to_owner(request));
    return write_all(streams_.out, explanation_text(explained, report::Format::kTable));
  }

  Result<void> describe(const std::string& name) {
    if (name.empty()) {
      report::Table table({"table", "protects", "columns"});
      for (const auto& [known, facts] : asking_.policy().tables) {
        table.add({Cell::words(known),
                   Cell::words(facts.is_public() ? "nobody: public" : facts.unit->space),
                   Cell::number(std::to_string(facts.columns.size()))});
      }
      return write_all(streams_.out, table.render(report::Format::kTable));
    }
    const policy::Table* const facts = asking_.policy().find(name);
    if (facts == nullptr) {
      return Error{Code::kNotFound, "the policy has no table " + in_quotes(name) + "; see \\d"};
    }
    report::Table table({"column", "type", "declared"});
    for (const policy::Column& column : facts->columns) {
      std::string declared;
      if (column.grid) {
        declared = "from " + policy::to_string({column.grid->low, column.type}) + " to " +
                   policy::to_string({column.grid->high, column.type});
      }
      if (!column.values.empty())
        declared = std::to_string(column.values.size()) + " listed values";
      if (!column.values_from.empty()) declared = "values of " + column.values_from;
      table.add(
          {Cell::words(column.name), Cell::words(to_string(column.type)), Cell::words(declared)});
    }
    return write_all(streams_.out, table.render(report::Format::kTable));
  }

  Result<void> budget() {
    DISCREET_ASSIGN(const ledger::State state, asking_.ledger().state());
    std::string text;
    for (const auto& [name, units] : state.namespaces()) {
      const ledger::Account& total = units.total;
      text += name + "  " + report::gauge(total.left().amount.value(), total.cap().amount.value()) +
              ", " + to_text(units.terms.notion, total.left(), Round::kDown) + "\n";
      const std::string analyst = analyst_.value_or("owner");
      const auto own = units.analysts.find(analyst);
      if (own == units.analysts.end()) continue;
      const ledger::Account& account = own->second;
      text += "  of it " + analyst + "'s  " +
              report::gauge(account.left().amount.value(), account.cap().amount.value()) + ", " +
              to_text(units.terms.notion, account.left(), Round::kDown) + "\n";
    }
    return write_all(streams_.out, text);
  }

  Result<bool> command(const std::string& text) {
    const std::size_t blank = text.find(' ');
    std::string word = text.substr(0, blank);
    if (word.ends_with(';')) word.pop_back();
    std::string rest = blank == std::string::npos ? "" : text.substr(blank + 1);
    if (const std::size_t last = rest.find_last_not_of(" \t;"); last != std::string::npos) {
      rest.erase(last + 1);
    }
    if (word == "\\q") return false;
    Result<void> done;
    if (word == "\\d") {
      done = describe(rest);
    } else if (word == "\\budget") {
      done = budget();
    } else if (word == "\\explain") {
      done = explain(rest);
    } else if (word == "\\epsilon") {
      question_.epsilon = rest;
      question_.error.reset();
    } else if (word == "\\error") {
      question_.error = rest;
      question_.epsilon.reset();
    } else if (word == "\\delta") {
      question_.delta = rest;
    } else if (word == "\\confidence") {
      question_.confidence = rest;
    } else if (word == "\\about") {
      question_.about = rest;
    } else if (word == "\\rows") {
      question_.expected_rows = rest;
    } else if (word == "\\pilot") {
      question_.pilot = rest;
    } else if (word == "\\weights") {
      question_.weights = rest;
    } else {
      done = write_all(streams_.out, kHelp);
    }
    if (!done) return done.error();
    return true;
  }

  Asking& asking_;
  QuestionOptions question_;
  Text analyst_;
  const Streams& streams_;
  std::string pending_;
};

std::string history_file() {
  const char* const home = std::getenv("HOME");
  return home == nullptr ? "" : std::string(home) + "/.discreet_history";
}

/// The next line; nothing at the end. With a terminal it can be edited.
std::optional<std::string> next_line(bool terminal, const char* prompt) {
  if (!terminal) {
    std::string text;
    if (!std::getline(std::cin, text)) return std::nullopt;
    return text;
  }
  char* const raw = readline(prompt);
  if (raw == nullptr) return std::nullopt;
  std::string text = raw;
  if (!text.empty()) add_history(raw);
  std::free(raw);
  return text;
}

Result<int> run_shell(const ShellArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const auto asking,
                  Asking::open(arguments.world, ledger::Access::kUse, engine_says(streams)));
  const bool terminal = isatty(streams.in) == 1 && isatty(streams.out) == 1;
  const std::string memory = history_file();
  if (terminal) {
    if (!memory.empty()) read_history(memory.c_str());
    DISCREET_TRY(write_all(streams.out, kHelp));
  }
  Shell shell(*asking, arguments, streams);
  int status = 0;
  while (const auto text = next_line(terminal, shell.inside() ? "      ... " : "discreet> ")) {
    const Result<bool> more = shell.line(*text);
    if (!more) {
      say(streams.err, "discreet: " + more.error().message + "\n");
      status = describe(more.error().code).exit_status;
      if (more.error().code == Code::kStorage || more.error().code == Code::kCorrupt) return status;
      continue;
    }
    if (!*more) break;
  }
  if (terminal && !memory.empty()) write_history(memory.c_str());
  return terminal ? 0 : status;
}

}  // namespace

void add_shell(Program& program) {
  const auto arguments = std::make_shared<ShellArguments>();
  CLI::App& app = program.command(
      program.root(), "shell",
      {.summary = "ask one question after the other",
       .explanation = std::string("A line editor with a history. Inside:\n") + kHelp,
       .closing = "Example:\n  discreet shell --epsilon 0.1 --analyst ann"},
      [arguments](const Streams& streams) { return run_shell(*arguments, streams); });
  arguments->question.add_to(app);
  arguments->world.add_to(app);
}

}  // namespace discreet::cli
