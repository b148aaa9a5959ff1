// SPDX-License-Identifier: Apache-2.0
// discreet keep: a policy's questions for another program, over pipes. That program's memory never
// holds a row: it is sent what may be shown (server/api/documents.h), and nothing else.
#include <map>
#include <memory>
#include <new>

#include "base/json.h"
#include "cli/asking.h"
#include "cli/program.h"
#include "server/api/documents.h"
#include "server/api/service.h"

namespace discreet::cli {
namespace {

namespace api = server::api;
using Fields = std::map<std::string, std::string>;

/// A line of JSON: {"verb": "query", "fields": {"sql": "SELECT ..", "epsilon": "1"}}
struct Wish {
  std::string verb;
  Fields fields;
};

Result<Wish> parse_wish(const std::string& line) {
  const Json json = Json::parse(line).value_or(nullptr);
  Wish wish;
  bool is_sound = json["verb"].read(wish.verb) && json["fields"].is_object();
  for (const auto& [name, value] : json["fields"].members()) {
    is_sound = is_sound && value.read(wish.fields[name]);
  }
  if (!is_sound) {
    return invalid_input("a line must be {\"verb\": TEXT, \"fields\": {NAME: TEXT, ..}}");
  }
  return wish;
}

Result<std::string> document(Asking& asking, const std::string& analyst, const Wish& wish,
                             const Asking::Say& say) {
  const api::Viewer viewer{.name = analyst, .sees_all = analyst == "owner"};
  if (wish.verb == "catalog") return api::catalog_document(asking.policy());
  if (wish.verb == "budget") {
    DISCREET_ASSIGN(const ledger::State state, asking.ledger().state());
    return api::budget_document(state, viewer);
  }
  if (wish.verb == "history") {
    const auto last = wish.fields.find("last");
    DISCREET_ASSIGN(const std::uint64_t count,
                    parse_count("last", last == wish.fields.end() ? "100" : last->second, 100'000));
    return api::history_document(asking.ledger(), viewer, count);
  }
  if (wish.verb == "curve") return api::curve_document(asking.session(), wish.fields, analyst);
  if (wish.verb != "query" && wish.verb != "explain") {
    return invalid_input("no such verb: " + in_quotes(wish.verb));
  }
  DISCREET_ASSIGN(const session::Request request, api::request_of(wish.fields, analyst));
  if (wish.verb == "explain") {
    DISCREET_ASSIGN(const session::Explanation explained, asking.session().explain(request));
    return api::explanation_document(explained);
  }
  DISCREET_ASSIGN(const session::Answered answered,
                  asking.session().ask(request, {.say = say, .progress = {}}));
  return api::answer_document(answered);
}

Result<std::string> reply_to(Asking& asking, const std::string& analyst, const std::string& line,
                             const Asking::Say& say) {
  try {
    DISCREET_ASSIGN(const Wish wish, parse_wish(line));
    return document(asking, analyst, wish, say);
  } catch (const std::bad_alloc&) {
    return Error{Code::kStorage, "there is not enough memory"};
  } catch (const std::exception& error) {  // a library's; its words are the owner's
    say(error.what());
    return Error{Code::kBug, "unexpected; the owner's log has the words"};
  }
}

/// "ok 42\n" and so many bytes; or a code of base/error.h's table, and the message.
Result<void> send(int fd, const Result<std::string>& text) {
  const std::string code = text ? "ok" : std::string(describe(text.error().code).name);
  const std::string& body = text ? *text : text.error().message;
  return write_all(fd, code + " " + std::to_string(body.size()) + "\n" + body);
}

Result<int> run_keep(const WorldArguments& arguments, const Streams& streams) {
  const Asking::Say say = engine_says(streams);
  auto opened = Asking::open(arguments, ledger::Access::kUse, say);
  if (!opened) {
    DISCREET_TRY(send(streams.out, opened.error()));
    return 0;
  }
  DISCREET_TRY(send(streams.out, std::string("{}")));
  const std::string analyst = arguments.analyst.value_or("owner");
  Input input(streams.in);
  std::string held;
  while (true) {
    DISCREET_ASSIGN(const std::string_view piece, input.next());
    if (piece.empty()) return 0;
    const std::size_t seen = held.size();
    held += piece;
    std::size_t at = 0;
    for (std::size_t end = held.find('\n', seen); end != held.npos; end = held.find('\n', at)) {
      DISCREET_TRY(send(streams.out, reply_to(**opened, analyst, held.substr(at, end - at), say)));
      at = end + 1;
    }
    held.erase(0, at);
  }
}

}  // namespace

void add_keep(Program& program) {
  const auto arguments = std::make_shared<WorldArguments>();
  CLI::App& app = program.command(
      program.root(), "keep",
      {.summary = "answer another program, such as Python, over pipes",
       .explanation =
           "Reads lines of JSON from standard input, such as\n"
           "  {\"verb\": \"query\", \"fields\": {\"sql\": \"SELECT COUNT(*) FROM visits\", "
           "\"epsilon\": \"1\"}}\n"
           "and answers each with a line, `ok` or the name of an error and how many bytes follow,\n"
           "and a JSON document or a message of that length. The verbs are query, explain, curve,\n"
           "budget, history and catalog; fields are named as over HTTP (discreet serve). The "
           "first\n"
           "reply says whether the policy could be opened. It ends with its input.\n",
       .closing = "A query costs what it costs anywhere; the rest costs nothing.\n\nExample:\n"
                  "  echo '{\"verb\": \"catalog\", \"fields\": {}}' | discreet keep"},
      [arguments](const Streams& streams) { return run_keep(*arguments, streams); });
  arguments->add_to(app);
}

}  // namespace discreet::cli
