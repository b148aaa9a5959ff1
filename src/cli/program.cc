// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/suggest.h"
#include "base/version.h"
#include "cli/formats.h"

namespace discreet::cli {
namespace {

/// Puts the explanation under the summary: teach first, list options after.
class TeachingFormatter : public CLI::Formatter {
 public:
  explicit TeachingFormatter(const std::map<const CLI::App*, std::string>& explanations)
      : explanations_(explanations) {
    column_width(28);
    label("OPTIONS", "OPTION...");
    label("SUBCOMMAND", "COMMAND");
    label("SUBCOMMANDS", "COMMAND");
  }
  std::string make_description(const CLI::App* app) const override {
    const auto found = explanations_.find(app);
    const std::string explanation = found == explanations_.end() ? "" : found->second;
    return app->get_description() + "\n\n" + explanation + "\n";
  }

 private:
  const std::map<const CLI::App*, std::string>& explanations_;
};

bool is_option(const std::string& word) { return word.starts_with("-"); }

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// "noise laplace"
std::string full_name(const CLI::App& app) {
  if (app.get_parent() == nullptr) return "";
  const std::string above = full_name(*app.get_parent());
  return above.empty() ? app.get_name() : above + " " + app.get_name();
}

std::string see_help(const CLI::App& app) {
  const std::string name = full_name(app);
  return "see discreet " + (name.empty() ? "" : name + " ") + "--help";
}

Error unexpected(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const auto known = option_names(app);
  // A known option can be left over too: after a lone "--" every word is just a word.
  if (!is_option(word) || std::find(known.begin(), known.end(), name) != known.end()) {
    return invalid_input("unexpected word " + in_quotes(word) + "; " + see_help(app));
  }
  return invalid_input("unknown option " + in_quotes(name) + did_you_mean(name, known) + "; " +
                       see_help(app));
}

/// Options under their names of today, up to a lone "--".
void use_current_names(std::vector<std::string>& words, const std::vector<std::string>& known,
                       OldNames& old_names) {
  for (std::string& word : words) {
    if (word == "--") return;
    if (!is_option(word)) continue;
    const std::size_t end = std::min(word.find('='), word.size());
    word = old_names.current(word.substr(0, end), known) + word.substr(end);
  }
}

/// The action, with its warnings first.
Action warning(const std::vector<std::string>& warnings, Action action) {
  if (warnings.empty()) return action;
  return [warnings, action = std::move(action)](const Streams& streams) {
    for (const std::string& text : warnings) {
      say(streams.err, "discreet: warning: option " + text + "\n");
    }
    return action(streams);
  };
}

Action print(std::string text) {
  return [text = std::move(text)](const Streams& streams) -> Result<int> {
    DISCREET_TRY(write_all(streams.out, text));
    return 0;
  };
}

}  // namespace

Program::Program(Deprecations old_names)
    : old_names_(old_names),
      app_(std::make_unique<CLI::App>(
          "answers questions about people without telling on any of them", "discreet")) {
  app_->formatter(std::make_shared<TeachingFormatter>(explanations_));
  app_->set_help_flag("-h,--help", "teach this command");
  app_->set_version_flag("--version", std::string("discreet ") + kVersion,
                         "print the version; with --formats, also those of stored formats");
  app_->allow_extras();  // what is left over is reported by parse(), with a suggestion
  explanations_[app_.get()] =
      "Every answer carries exact noise, an interval and a price. An owner declares whom to\n"
      "protect (policy), makes a budget for life (ledger), and lets questions be asked in SQL\n"
      "(query, explain, shell); budget tells what is left. noise, choose and local act on values\n"
      "that you hold already, and charge a ledger only if you name one.\n";
  app_->footer(
      "Start with:\n"
      "  discreet policy init data.parquet > policy.yaml    # then fill in what is public\n"
      "  discreet ledger init --policy policy.yaml\n"
      "  discreet query \"SELECT COUNT(*) FROM data\" --epsilon 0.1\n"
      "Numbers are exact: 0.1 is one tenth, 1/3 is one third.\n"
      "Exit status: 0 fine, 2 bad input, 3 refused by the policy, 4 budget, 5 the world (disk,\n"
      "engine, entropy), 70 our bug, 130 stopped by Ctrl-C (the message says what was charged).");
}

Program::~Program() = default;

CLI::App& Program::group(const std::string& name, const Lesson& lesson) {
  CLI::App* app = app_->add_subcommand(name, lesson.summary);
  app->group("Commands");
  app->footer(lesson.closing);
  app->allow_extras();
  explanations_[app] = lesson.explanation;
  return *app;
}

CLI::App& Program::command(CLI::App& parent, const std::string& name, const Lesson& lesson,
                           Action action) {
  CLI::App* app = parent.add_subcommand(name, lesson.summary);
  app->group("Commands");
  app->footer(lesson.closing);
  app->allow_extras();
  explanations_[app] = lesson.explanation;
  actions_[app] = std::move(action);
  return *app;
}

Result<CLI::App*> Program::find(const std::vector<std::string>& words) {
  CLI::App* app = app_.get();
  for (const std::string& word : words) {
    const auto names = command_names(*app);
    if (names.empty() || is_option(word)) break;
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      if (actions_.contains(app)) break;  // a word of its own, such as a file
      const std::string above = full_name(*app);
      return invalid_input("unknown command " +
                           in_quotes(above.empty() ? word : above + " " + word) +
                           did_you_mean(word, names) + "; the commands are " + one_of(names));
    }
    app = app->get_subcommand(word);
  }
  return app;
}

Result<Action> Program::parse(std::vector<std::string> words) {
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.push_back("--help");
  }
  if (asks_for_formats(words)) return formats_action(words);
  DISCREET_ASSIGN(CLI::App* const chosen, find(words));
  OldNames old_names(NameKind::kOption, old_names_);
  use_current_names(words, option_names(*chosen), old_names);
  try {
    app_->parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    return print(app_->help());
  } catch (const CLI::CallForVersion&) {
    return print(std::string("discreet ") + kVersion + "\n");
  } catch (const CLI::Error& error) {
    return invalid_input(std::string(error.what()) + "; " + see_help(*chosen));
  }
  const std::vector<std::string> left = app_->remaining(true);
  if (!left.empty()) return unexpected(*chosen, left.front());
  const auto action = actions_.find(chosen);
  if (action == actions_.end()) {
    const std::string name = full_name(*chosen);
    return invalid_input((name.empty() ? "name a command: " : name + " needs one of ") +
                         one_of(command_names(*chosen)) + "; " + see_help(*chosen));
  }
  return warning(old_names.take_warnings(), action->second);
}

}  // namespace discreet::cli
