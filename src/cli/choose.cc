// SPDX-License-Identifier: Apache-2.0
// discreet choose: the best of several candidates, privately.
#include <memory>
#include <utility>

#include "cli/arguments.h"
#include "cli/candidates.h"
#include "cli/own_values.h"
#include "cli/price.h"
#include "cli/program.h"
#include "mechanism/exponential.h"
#include "mechanism/permute_and_flip.h"
#include "mechanism/top_k.h"
#include "report/table.h"

namespace discreet::cli {
namespace {

using report::Cell;

constexpr const char* kChooseExample =
    "printf 'apples,12\\npears,9\\n' | discreet choose --epsilon 1 --sensitivity 1";
constexpr std::size_t kChoiceInputMax = std::size_t{1} << 30;
constexpr std::uint64_t kTopMax = 1000;  // each of them is a pass over all candidates

struct ChooseArguments {
  Text epsilon, sensitivity, method, top, confidence;
  FormatArguments format;
  PayerArguments payer;
};

struct ChoiceRequest {
  Epsilon epsilon;
  Sensitivity sensitivity;
  Confidence confidence;
  report::Format format;
  std::string method;
  std::size_t top;
  std::shared_ptr<Payer> payer;
};

Result<ChoiceRequest> read_choice(const ChooseArguments& arguments) {
  DISCREET_ASSIGN(auto epsilon, required<Epsilon>(arguments.epsilon, "--epsilon", kChooseExample));
  DISCREET_ASSIGN(auto sensitivity,
                  required<Sensitivity>(arguments.sensitivity, "--sensitivity", kChooseExample));
  DISCREET_ASSIGN(auto confidence, confidence_of(arguments.confidence));
  DISCREET_ASSIGN(const auto format, arguments.format.parse());
  const std::string method = arguments.method.value_or("exponential");
  if (method != "exponential" && method != "permute-and-flip") {
    return invalid_input("method must be exponential or permute-and-flip; got " +
                         in_quotes(method));
  }
  std::uint64_t top = 1;
  if (arguments.top) {
    DISCREET_ASSIGN(top, parse_count("top", *arguments.top, kTopMax));
    if (method != "exponential") {
      return invalid_input("--top works with --method exponential; leave out --method");
    }
  }
  DISCREET_ASSIGN(auto payer, Payer::open(arguments.payer));
  return ChoiceRequest{std::move(epsilon),
                       std::move(sensitivity),
                       std::move(confidence),
                       format,
                       method,
                       static_cast<std::size_t>(top),
                       std::move(payer)};
}

/// What was chosen, and how good it is.
struct Choice {
  std::vector<std::size_t> chosen;
  Provenance provenance;
  Rational shortfall;
};

template <class M>
Result<Choice> choose_with(const M& mechanism, Candidates& candidates,
                           const ChoiceRequest& request) {
  DISCREET_ASSIGN(const auto released, OwnValues::release(mechanism, std::move(candidates.scores),
                                                          request.confidence, request.payer.get()));
  std::vector<std::size_t> chosen;
  if constexpr (std::is_same_v<typename M::Output, std::size_t>) {
    chosen = {released.value()};
  } else {
    chosen = released.value();
  }
  return Choice{std::move(chosen), released.provenance(),
                Rational::ratio(mechanism.shortfall(request.confidence), candidates.unit)};
}

Result<Choice> choose(Candidates& candidates, const ChoiceRequest& request) {
  // Scores were multiplied by the unit, and so is what one person can change.
  const auto sensitivity =
      Sensitivity::trusted(request.sensitivity.value() * Rational(candidates.unit));
  const std::size_t n = candidates.names.size();
  if (request.top > 1) {
    DISCREET_ASSIGN(const auto mechanism, mechanism::TopK::make({.epsilon = request.epsilon,
                                                                 .sensitivity = sensitivity,
                                                                 .candidates = n,
                                                                 .k = request.top}));
    return choose_with(mechanism, candidates, request);
  }
  if (request.method == "permute-and-flip") {
    DISCREET_ASSIGN(const auto mechanism,
                    mechanism::PermuteAndFlip::make(
                        {.epsilon = request.epsilon, .sensitivity = sensitivity, .candidates = n}));
    return choose_with(mechanism, candidates, request);
  }
  DISCREET_ASSIGN(const auto mechanism,
                  mechanism::Exponential::make(
                      {.epsilon = request.epsilon, .sensitivity = sensitivity, .candidates = n}));
  return choose_with(mechanism, candidates, request);
}

std::string render(const ChoiceRequest& request, const Candidates& candidates,
                   const Choice& choice) {
  const bool many = request.top > 1;
  report::Sheet sheet;
  std::string names;
  for (std::size_t i = 0; i < choice.chosen.size(); ++i) {
    const std::string& name = candidates.names[choice.chosen[i]];
    const std::string number = many ? " " + std::to_string(i + 1) : "";
    const std::string field = many ? "_" + std::to_string(i + 1) : "";
    sheet.line("chosen" + number, name).field("chosen" + field, Cell::words(name));
  }
  sheet.line("shortfall", "at most " + choice.shortfall.to_string() + " below the best " +
                              (many ? "of each rank, with " : "score, with ") +
                              percent(request.confidence) + " confidence");
  sheet.field("shortfall", Cell::number(choice.shortfall.to_string()))
      .field("confidence", Cell::number(request.confidence.to_string()));
  add_price(sheet, choice.provenance.cost, request.payer->text());
  sheet.line("candidates", std::to_string(candidates.names.size()))
      .field("candidates", Cell::number(std::to_string(candidates.names.size())));
  const std::string noise =
      choice.provenance.noise.text +
      (candidates.unit == 1 ? "" : " on scores times " + candidates.unit.get_str());
  sheet.line("noise", noise).field("noise", Cell::words(noise));
  return sheet.render(request.format);
}

Result<int> run_choose(const ChooseArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const ChoiceRequest request, read_choice(arguments));
  DISCREET_ASSIGN(const std::string text, read_all(streams.in, kChoiceInputMax));
  DISCREET_ASSIGN(Candidates candidates, read_candidates(text));
  DISCREET_ASSIGN(const Choice choice, choose(candidates, request));
  DISCREET_ASSIGN(const std::string bytes,
                  request.payer->finish(render(request, candidates, choice)));
  DISCREET_TRY(write_all(streams.out, bytes));
  return 0;
}

}  // namespace

void add_choose(Program& program) {
  const auto arguments = std::make_shared<ChooseArguments>();
  CLI::App& app = program.command(
      program.root(), "choose",
      {.summary = "choose one of several candidates by score, privately",
       .explanation =
           "Reads `name,score` lines. The exponential mechanism chooses each name with\n"
           "probability proportional to exp(epsilon * score / (2 * sensitivity)): good names are\n"
           "likely, and no person can change the odds by more than e^epsilon. The list of names\n"
           "must be public; only the scores are protected. The sensitivity is how far one person\n"
           "can move any one score. Permute-and-flip has a better expected score for the same\n"
           "epsilon, but costs four times as much in zCDP.\n",
       .closing = "Costs epsilon, with --top k for all k together.\n\n"
                  "Example:\n"
                  "  printf 'apples,120\\npears,95\\nplums,30\\n' |\n"
                  "    discreet choose --epsilon 1 --sensitivity 1\n"
                  "    chosen      apples\n"
                  "    shortfall   at most 7 below the best score, with 95 % confidence\n"
                  "    price       epsilon 1, charged to no budget\n"
                  "    candidates  3\n"
                  "    noise       exponential(epsilon=1,sensitivity=1,candidates=3)"},
      [arguments](const Streams& streams) { return run_choose(*arguments, streams); });
  add_text(app, "--epsilon", arguments->epsilon, "the privacy parameter, such as 1");
  add_text(app, "--sensitivity", arguments->sensitivity,
           "how far one person can move any one score, at most");
  add_text(app, "--method", arguments->method, "exponential (default) or permute-and-flip",
           "METHOD");
  add_text(app, "--top", arguments->top, "choose so many, one after the other");
  add_text(app, "--confidence", arguments->confidence, "of the shortfall (0.95)");
  arguments->format.add_to(app);
  arguments->payer.add_to(app);
}

}  // namespace discreet::cli
