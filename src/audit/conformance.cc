// SPDX-License-Identifier: Apache-2.0
#include "audit/conformance.h"

#include <set>

#include "random/health.h"
#include "random/santha_vazirani.h"

namespace discreet::audit {
namespace {

using policy::Policy;

class Sheet {
 public:
  void add(const char* layer, const char* question, std::string answer, Evidence evidence,
           Standing standing = Standing::kHolds) {
    lines_.push_back({static_cast<int>(lines_.size()) + 1, layer, question, std::move(answer),
                      evidence, standing});
  }
  std::vector<ConformanceLine> take() { return std::move(lines_); }

 private:
  std::vector<ConformanceLine> lines_;
};

/// One row of the exact audit, run now.
void checked(Sheet& sheet, const char* layer, const char* question,
             const std::vector<const char*>& names) {
  std::string answer;
  Standing standing = Standing::kHolds;
  for (const char* name : names) {
    const Result<AuditRow> row = run_case(name);
    const bool ok = row && row->ok;
    if (!ok) standing = Standing::kFails;
    answer +=
        (answer.empty() ? "" : "; ") + std::string(name) + ": " +
        (row ? row->measured + " of " + row->claimed + ", " + row->verdict : row.error().message);
  }
  sheet.add(layer, question, std::move(answer), Evidence::kCheckedNow, standing);
}

std::string budgets(const Policy& policy, Standing& standing) {
  std::string text;
  for (const auto& [name, units] : policy.units) {
    text += (text.empty() ? "" : "; ") + name + ": " + (units.budget.is_rho ? "rho " : "epsilon ") +
            units.budget.epsilon.to_string() +
            (units.budget.delta.sign() > 0 ? ", delta " + units.budget.delta.to_string() : "") +
            " for life";
    if (!units.budget.is_rho && units.budget.epsilon > 10) {
      text += " (large: above 10 little is promised)";
      standing = Standing::kAttention;
    }
    if (units.budget.delta > Rational::ratio(1, 100000)) {
      text += " (delta should be far below one over the number of people)";
      standing = Standing::kAttention;
    }
  }
  return text;
}

void parameters(Sheet& sheet, const Policy& policy) {
  Standing standing = Standing::kHolds;
  const std::string text = budgets(policy, standing);
  sheet.add("parameters", "Is epsilon stated, in total and for life, and delta small?", text,
            Evidence::kPolicy, standing);
  std::string variants;
  for (const auto& [name, units] : policy.units) {
    variants += (variants.empty() ? "" : "; ") + name + ": " + to_string(units.notion) + ", " +
                to_string(units.neighbours);
  }
  sheet.add("parameters", "Which variant, unit and relation does epsilon belong to?", variants,
            Evidence::kPolicy);
}

void units_of_privacy(Sheet& sheet, const Policy& policy) {
  std::string text;
  Standing standing = Standing::kHolds;
  for (const auto& [name, table] : policy.tables) {
    if (table.is_public()) continue;
    text += (text.empty() ? "" : "; ") + name + ": ";
    if (table.unit->row_is_unit) {
      text += "each ROW is a unit";
      standing = Standing::kAttention;
    } else {
      text += "by " + table.unit->column +
              (table.unit->steps.empty()
                   ? ""
                   : " over " + std::to_string(table.unit->steps.size()) + " references");
    }
  }
  sheet.add("unit of privacy", "Is a person protected, and not a row?", text, Evidence::kPolicy,
            standing);
  bool replace = false;
  for (const auto& [name, units] : policy.units) {
    replace = replace || units.neighbours == Neighbours::kReplaceOne;
  }
  sheet.add("unit of privacy", "Is the number of people secret?",
            replace ? "replace-one for some units: their number is public by declaration"
                    : "add or remove one: counts are noisy too",
            Evidence::kPolicy, replace ? Standing::kAttention : Standing::kHolds);
  sheet.add("unit of privacy", "Are households and groups considered?",
            "k people together have k epsilon: discreet account group", Evidence::kOperator);
}

void releases(Sheet& sheet, const Policy& policy) {
  const bool none = policy.other_releases.empty();
  std::string text;
  for (const std::string& one : policy.other_releases) text += (text.empty() ? "" : "; ") + one;
  sheet.add("other releases", "What else was published about these people?",
            none ? "none declared (other_releases): is that so?" : text, Evidence::kPolicy,
            none ? Standing::kAttention : Standing::kHolds);
}

void columns(Sheet& sheet, const Policy& policy) {
  int listed = 0, found = 0, bounded = 0, bought = 0;
  for (const auto& [name, table] : policy.tables) {
    if (table.is_public()) continue;
    for (const policy::Column& column : table.columns) {
      const bool keys = !column.values.empty() || !column.values_from.empty();
      listed += keys ? 1 : 0;
      found += !keys && column.type == policy::Type::kText && column.may_group ? 1 : 0;
      bounded += column.grid ? 1 : 0;
      bought += column.bought.empty() ? 0 : 1;
    }
  }
  sheet.add("algorithms", "Can group keys leak?",
            std::to_string(listed) + " columns list their keys; keys of " + std::to_string(found) +
                " others appear only by private selection",
            Evidence::kPolicy);
  sheet.add("algorithms", "Are clipping bounds public?",
            std::to_string(bounded) + " columns have declared ranges, " + std::to_string(bought) +
                " bought privately; a column without one cannot be summed",
            Evidence::kPolicy);
}

/// The source now: raw bytes through the health tests.
void randomness(Sheet& sheet, const Policy& policy) {
  const Result<random::RawBits*> bits = random::RawBits::this_thread();
  const bool ok = bits && (*bits)->healthy();
  sheet.add("implementation", "Is the random source sound?",
            ok ? "the operating system's generator: " +
                     std::to_string(random::HealthTests::kStartupSamples) +
                     " raw bytes pass the repetition and proportion tests just now"
               : "the source fails its health tests",
            Evidence::kCheckedNow, ok ? Standing::kHolds : Standing::kFails);
  sheet.add("implementation", "What is assumed of the random bits?",
            policy.santha_vazirani
                ? "each is bent by at most " + policy.santha_vazirani->to_string() +
                      " in the light of the earlier ones; the ledger gives one certified answer"
                : "that they are fair; a source that is bent on purpose passes all health tests",
            Evidence::kPolicy, policy.santha_vazirani ? Standing::kHolds : Standing::kAttention);
}

}  // namespace

std::string to_string(Evidence evidence) {
  switch (evidence) {
    case Evidence::kCheckedNow:
      return "checked now";
    case Evidence::kPolicy:
      return "policy";
    case Evidence::kBuildTest:
      return "build test";
    case Evidence::kOperator:
      return "operator";
  }
  return "";
}

std::string to_string(Standing standing) {
  switch (standing) {
    case Standing::kHolds:
      return "holds";
    case Standing::kAttention:
      return "look at this";
    case Standing::kFails:
      return "FAILS";
  }
  return "";
}

std::vector<ConformanceLine> conformance(const Policy& policy, const Progress& progress) {
  const auto tell = [&](int permille) {
    if (progress) progress(permille);
  };
  Sheet sheet;
  tell(0);
  parameters(sheet, policy);
  units_of_privacy(sheet, policy);
  releases(sheet, policy);
  tell(100);
  checked(sheet, "algorithms", "Are the mechanisms what their proofs say?",
          {"laplace", "geometric", "gaussian"});
  tell(400);
  columns(sheet, policy);
  checked(sheet, "algorithms", "Keys that nobody listed, quantiles without bounds?",
          {"partition-selection", "quantiles"});
  tell(700);
  checked(sheet, "algorithms", "Selection among candidates?", {"exponential", "permute-and-flip"});
  checked(sheet, "learning", "Is training private, with the sampling that is charged?",
          {"clipped-sums", "clipped-sums-sampled"});
  sheet.add("synthetic data", "Do schema and domain come from the data?",
            "no: columns, ranges and listed values are the policy's", Evidence::kPolicy);
  sheet.add("unstructured data", "Text, images, documents?",
            "not supported: a text column can be a key or a filter, never a value",
            Evidence::kPolicy);
  sheet.add("utility", "Are errors shown, small groups too?",
            "every number has an interval; small groups are marked; coverage is tested",
            Evidence::kBuildTest);
  sheet.add("trust", "Who sees raw data?",
            "this program and its engine (central); with discreet local, nobody",
            Evidence::kOperator, Standing::kAttention);
  checked(sheet, "trust", "Does randomizing at home hold?",
          {"randomized-response", "local-response", "local-rappor"});
  sheet.add("implementation", "Floating point in the noise?",
            "none in random, mechanism, ledger and plan: Tree.ExactLayersNameNoFloatingPoint, "
            "Tree.KernelObjectsHoldNoFloatingPointArithmetic",
            Evidence::kBuildTest);
  sheet.add("implementation", "Time and other side channels?",
            "bits and look-ups do not depend on the noise (./dev soak timing); the engine's time "
            "depends on data: see CAVEATS",
            Evidence::kBuildTest, Standing::kAttention);
  sheet.add("implementation", "One budget over all sessions, analysts and back ends?",
            policy.ledger.empty() ? "one ledger for each policy; none is named in this one"
                                  : "only ledger " + policy.ledger + " may pay",
            Evidence::kPolicy, policy.ledger.empty() ? Standing::kAttention : Standing::kHolds);
  randomness(sheet, policy);
  tell(950);
  sheet.add("security", "Can the raw data be reached beside this program?",
            "file permissions and accounts are the operator's", Evidence::kOperator,
            Standing::kAttention);
  sheet.add("security", "Are noise or raw sums stored or logged?",
            "sealed values are wiped and have no printer; the ledger stores answers only "
            "(must-not-compile tests)",
            Evidence::kBuildTest);
  sheet.add("data", "Consent, retention, leaks before this program?",
            "outside of what a program can show", Evidence::kOperator, Standing::kAttention);
  tell(1000);
  return sheet.take();
}

}  // namespace discreet::audit
