// SPDX-License-Identifier: Apache-2.0
// discreet local survey: what is asked, and how answers are randomized.
#include <memory>

#include "cli/local.h"
#include "cli/plot_file.h"
#include "local/design.h"
#include "local/survey_text.h"

namespace discreet::cli {
namespace {

constexpr const char* kLocalSurveyExample =
    "discreet local survey --name smoking --epsilon 1 --labels no,yes --out smoking.survey";

struct SurveyArguments {
  Text name, epsilon, bias, choices, labels, labels_file, low, high, bins, mechanism, bytes_max,
      out;
  Text bits, hashes, cohorts, round, alphabet, length;
  bool strings = false;
  bool no_second_step = false;
};

Result<std::optional<std::uint64_t>> count_of(const char* name, const Text& text,
                                              std::uint64_t most) {
  if (!text) return std::optional<std::uint64_t>();
  DISCREET_ASSIGN(const std::uint64_t count, parse_count(name, *text, most));
  return std::optional(count);
}

Result<std::vector<std::string>> labels_of(const SurveyArguments& a) {
  if (a.labels_file) {
    DISCREET_ASSIGN(const std::string text, read_whole_file(*a.labels_file));
    return lines_of(text);
  }
  std::vector<std::string> labels;
  if (!a.labels) return labels;
  std::size_t at = 0;
  while (true) {
    const std::size_t comma = a.labels->find(',', at);
    labels.push_back(a.labels->substr(at, comma - at));
    if (comma == std::string::npos) return labels;
    at = comma + 1;
  }
}

Result<local::Survey> design_strings(const SurveyArguments& a, const Epsilon& epsilon) {
  DISCREET_ASSIGN(const auto cohorts, count_of("cohorts", a.cohorts, 4096));
  if (a.alphabet) {
    local::TreeDesign tree{.name = *a.name, .epsilon = epsilon, .alphabet = *a.alphabet};
    DISCREET_ASSIGN(const auto length, count_of("length", a.length, 64));
    tree.length = length.value_or(tree.length);
    tree.cohorts = cohorts.value_or(tree.cohorts);
    return local::design_tree(tree);
  }
  local::BloomDesign bloom{.name = *a.name, .epsilon = epsilon};
  DISCREET_ASSIGN(const auto bits, count_of("bits", a.bits, 4096));
  DISCREET_ASSIGN(const auto hashes, count_of("hashes", a.hashes, 16));
  DISCREET_ASSIGN(const auto round, count_of("round", a.round, 1'000'000));
  bloom.bits = bits.value_or(bloom.bits);
  bloom.hashes = hashes.value_or(bloom.hashes);
  bloom.cohorts = cohorts.value_or(bloom.cohorts);
  bloom.round = round.value_or(0);
  if (a.no_second_step) {
    bloom.quiet = 0;
    bloom.loud = 1 << 16;
  }
  return local::design_bloom(bloom);
}

Result<local::Survey> design(const SurveyArguments& a) {
  if (!a.name) return missing("--name", kLocalSurveyExample);
  if (a.bias) {
    if (a.epsilon) return invalid_input("give --epsilon or --bias, not both");
    DISCREET_ASSIGN(const Rational bias, parse_number("bias", *a.bias));
    return local::design_biased_response(*a.name, bias);
  }
  DISCREET_ASSIGN(const Epsilon epsilon,
                  required<Epsilon>(a.epsilon, "--epsilon", kLocalSurveyExample));
  std::optional<local::Mechanism> mechanism;
  if (a.mechanism) {
    DISCREET_ASSIGN(mechanism, local::mechanism_named(*a.mechanism));
  }
  if (a.strings) return design_strings(a, epsilon);
  std::optional<std::pair<std::int64_t, std::int64_t>> range;
  if (a.low || a.high) {
    if (!a.low || !a.high) return missing("--low and --high, both,", kLocalSurveyExample);
    DISCREET_ASSIGN(const std::int64_t low, local::parse_millionths(*a.low));
    DISCREET_ASSIGN(const std::int64_t high, local::parse_millionths(*a.high));
    range = {low, high};
    if (!a.bins) {
      return local::design_number(
          {.name = *a.name, .epsilon = epsilon, .low = low, .high = high, .mechanism = mechanism});
    }
  }
  DISCREET_ASSIGN(const auto choices,
                  count_of(range ? "bins" : "choices", range ? a.bins : a.choices, 1 << 20));
  DISCREET_ASSIGN(const auto bytes, count_of("max-bytes", a.bytes_max, 1 << 20));
  DISCREET_ASSIGN(std::vector<std::string> labels, labels_of(a));
  return local::design_choices({.name = *a.name,
                                .epsilon = epsilon,
                                .choices = choices.value_or(0),
                                .labels = std::move(labels),
                                .mechanism = mechanism,
                                .bytes_max = bytes.value_or(256),
                                .range = range});
}

Result<int> run_survey(const SurveyArguments& arguments, const Streams& streams) {
  if (!arguments.out) return missing("--out", kLocalSurveyExample);
  DISCREET_ASSIGN(const local::Survey survey, design(arguments));
  DISCREET_TRY(write_file(*arguments.out, encode(survey)));
  DISCREET_TRY(write_all(streams.out, to_json(survey)));
  return 0;
}

}  // namespace

void add_local_survey(Program& program, CLI::App& local) {
  const auto a = std::make_shared<SurveyArguments>();
  CLI::App& app = program.command(
      local, "survey",
      {.summary = "design a survey: choices, numbers or strings",
       .explanation =
           "Writes a survey file for people's clients, and shows it. Without --mechanism the\n"
           "one with the least error is chosen for the number of choices, epsilon and the size\n"
           "of a report: randomized response for few choices, the projective-geometry response\n"
           "for many, the piecewise mechanism for the mean of numbers (with --bins, a histogram\n"
           "and quantiles), RAPPOR for strings from a list of candidates, and a prefix tree\n"
           "(--alphabet) for strings that nobody listed.\n",
       .closing =
           "Costs nothing; answering costs each person epsilon, once.\n\n"
           "Examples:\n"
           "  discreet local survey --name smoking --epsilon 1 --labels no,yes --out s.survey\n"
           "  discreet local survey --name age --epsilon 1 --low 0 --high 120 --bins 24 --out "
           "a.survey\n"
           "  discreet local survey --name home --epsilon 4 --strings --out h.survey"},
      [a](const Streams& streams) { return run_survey(*a, streams); });
  add_text(app, "--name", a->name, "what the survey asks", "TEXT");
  add_text(app, "--epsilon", a->epsilon, "what answering costs each person");
  add_text(app, "--bias", a->bias, "or, for yes or no: keep with probability 1/2 + bias");
  add_text(app, "--choices", a->choices, "number of choices; answers are then 0, 1, ..");
  add_text(app, "--labels", a->labels, "the choices' names, with commas between", "NAMES");
  add_text(app, "--labels-file", a->labels_file, "the choices' names, one a line", "FILE");
  add_text(app, "--low", a->low, "numbers: the least that counts");
  add_text(app, "--high", a->high, "numbers: the most that counts");
  add_text(app, "--bins", a->bins, "numbers: ask for a histogram of so many bins");
  add_flag(app, "--strings", a->strings, "texts: RAPPOR, or with --alphabet a prefix tree");
  add_text(app, "--bits", a->bits, "RAPPOR: bits of a Bloom filter (128)");
  add_text(app, "--hashes", a->hashes, "RAPPOR: hash functions (2)");
  add_text(app, "--cohorts", a->cohorts, "RAPPOR (64) and prefix trees (16)");
  add_text(app, "--round", a->round, "RAPPOR: asks again; the same people answer at no cost");
  add_flag(app, "--no-second-step", a->no_second_step,
           "RAPPOR: send the permanent bits themselves (a survey that asks once)");
  add_text(app, "--alphabet", a->alphabet, "prefix tree: characters of the strings", "CHARS");
  add_text(app, "--length", a->length, "prefix tree: characters that count (8)");
  add_text(app, "--mechanism", a->mechanism,
           "response, oue, olh, hadamard, subset, projective; laplace, piecewise", "NAME");
  add_text(app, "--max-bytes", a->bytes_max, "of a report without its id (256)");
  add_text(app, "--out", a->out, "where the survey is written", "FILE");
}

}  // namespace discreet::cli
