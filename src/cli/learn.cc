// SPDX-License-Identifier: Apache-2.0
// discreet learn classify|naive-bayes|regress|cluster|network: models from sealed rows, charged to
// the ledger.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>

#include "cli/learn_request.h"
#include "learn/model.h"

namespace discreet::cli {
namespace {

constexpr const char* kClassify =
    "discreet learn classify --target smoker --features age,cost --epsilon 1 --output smoker.json";
constexpr const char* kNaiveBayes =
    "discreet learn naive-bayes --target smoker --features age,cost --epsilon 1 "
    "--output smoker.json";
constexpr const char* kRegress =
    "discreet learn regress --target cost --features age,clinic --epsilon 1 --output cost.json";
constexpr const char* kCluster =
    "discreet learn cluster --features age,cost --k 4 --epsilon 1 --output groups.json";
constexpr const char* kNetwork =
    "discreet learn network --target digit --epsilon 3 --delta 1e-5 --output digit.json";

/// How often the model is right, as released: overall, then for each group.
void say_accuracy(const learn::Model& model, const Streams& streams) {
  for (const auto& [group, estimate] : model.accuracy) {
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(), "%s: right for %.3f of about %.0f rows (+- %.3f)\n",
                  group.c_str(), estimate.accuracy, std::max(estimate.count, 0.0),
                  estimate.half_width);
    say(streams.err, line.data());
  }
}

Result<int> run_task(const std::string& task, const LearnArguments& arguments,
                     const std::string& example, const Streams& streams) {
  DISCREET_ASSIGN(const Learned learned, learn_task(task, arguments, example, streams));
  DISCREET_ASSIGN(const learn::Model model, learn::model_of_json(learned.taught.bytes));
  say_accuracy(model, streams);
  return hand_over(learned, arguments, learned.taught.bytes, streams);
}

/// A command that learns a model.
std::shared_ptr<LearnArguments> add_task(Program& program, CLI::App& learn, const std::string& task,
                                         const Lesson& lesson, const std::string& example,
                                         bool has_target, CLI::App** app) {
  const auto arguments = std::make_shared<LearnArguments>();
  *app = &program.command(learn, task, lesson, [=](const Streams& streams) {
    return run_task(task, *arguments, example, streams);
  });
  arguments->add_to(**app, has_target);
  return arguments;
}

constexpr const char* kPrice =
    "It costs --epsilon and --delta, whole, before the first look at the data; a run that is\n"
    "killed stays charged. The same lesson under the same snapshot label is free the second time.\n"
    "The result, predictions and all else that is made from it cost nothing.\n\nExample:\n  ";

}  // namespace

void add_learn(Program& program) {
  CLI::App& learn = program.group(
      "learn", {.summary = "models, clusters, distributions and synthetic tables",
                .explanation = "Every look at the rows is a sum in which each unit's part is\n"
                               "clipped, with exact noise; domains come from the policy.\n",
                .closing = std::string("Example:\n  ") + kClassify});
  CLI::App* app = nullptr;
  const auto classify = add_task(
      program, learn, "classify",
      {.summary = "which of several listed values a column has",
       .explanation =
           "Logistic regression for two classes, linear discriminants for more, from noisy\n"
           "correlations. The model gives class probabilities, and how often it is right on the\n"
           "rows it learned from, privately; with --group for each value of a column too.\n",
       .closing = std::string(kPrice) + kClassify},
      kClassify, true, &app);
  classify->add_option(*app, "group", "a listed column: accuracy for each value", "COLUMN");

  const auto bayes = add_task(
      program, learn, "naive-bayes",
      {.summary = "the same by counts of each feature alone",
       .explanation =
           "Counts how often each bin of each feature occurs in each class. Better than classify\n"
           "only for few features whose effect goes up and down; it counts twice what two\n"
           "features say together.\n",
       .closing = std::string(kPrice) + kNaiveBayes},
      kNaiveBayes, true, &app);
  bayes->add_option(*app, "bins", "of a number's range (16)");
  bayes->add_option(*app, "group", "a listed column: accuracy for each value", "COLUMN");

  const auto regress = add_task(
      program, learn, "regress",
      {.summary = "a number from others, by least squares",
       .explanation = "Linear regression from as many moments as the rows can carry, mended by a\n"
                      "look at what they leave unexplained; coefficients have intervals that\n"
                      "cover sampling and noise, to first order.\n",
       .closing = std::string(kPrice) + kRegress},
      kRegress, true, &app);
  regress->add_option(*app, "ridge", "at least so much (0)");

  const auto cluster = add_task(program, learn, "cluster",
                                {.summary = "k centres that rows are near to (k-means)",
                                 .explanation = "Columns are scaled by their declared ranges.\n",
                                 .closing = std::string(kPrice) + kCluster},
                                kCluster, false, &app);
  cluster->add_option(*app, "k", "how many centres (8)");

  const auto network = add_task(
      program, learn, "network",
      {.summary = "a small network, by noisy gradients (DP-SGD)",
       .explanation =
           "Each step sums clipped gradients over a Poisson sample and adds Gaussian noise; the\n"
           "noise is solved from --epsilon, --delta, --steps and --sampling beforehand. It is\n"
           "saved, sealed, ten times on the way: the same command goes on with a killed run,\n"
           "which is not charged again and loses at most a tenth of its steps.\n",
       .closing = std::string(kPrice) + kNetwork},
      kNetwork, true, &app);
  network->add_option(*app, "hidden", "units of the hidden layer (16)");
  network->add_option(*app, "steps", "how many (60)");
  network->add_option(*app, "sampling", "the chance to be in a step (0.9)");
  network->add_option(*app, "rate", "of learning (2)");
  add_text(*app, "--checkpoint", network->checkpoint,
           "where a killed run is gone on with (OUTPUT.checkpoint)", "FILE");
  add_learn_data(program, learn);
}

}  // namespace discreet::cli
