// SPDX-License-Identifier: Apache-2.0
#include "accounting/account.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "accounting/coarsen.h"
#include "accounting/composition.h"
#include "accounting/constants.h"
#include "accounting/gaussian_dp.h"
#include "accounting/lower.h"
#include "accounting/outward.h"
#include "accounting/pld_lower.h"
#include "accounting/renyi.h"
#include "accounting/zcdp.h"

namespace discreet::accounting {
namespace {

// Renyi's curves take so many different mechanisms; longer lists are shortened by moving
// parameters, by as little as gives so few.
constexpr std::size_t kCurvesMax = 4096;
constexpr int kFoldMax = 6;

struct Name {
  Notion notion;
  std::string_view text;
};
constexpr std::array<Name, 7> kNames = {{{Notion::kBest, "best"},
                                         {Notion::kGaussian, "gaussian"},
                                         {Notion::kLoss, "loss"},
                                         {Notion::kZcdp, "zcdp"},
                                         {Notion::kRenyi, "renyi"},
                                         {Notion::kBasic, "basic"},
                                         {Notion::kAdvanced, "advanced"}}};

/// One question, epsilon at a delta or delta at an epsilon, that is put to every theorem in the
/// same way.
class Question {
 public:
  virtual ~Question() = default;
  virtual Bounds gaussian(const GaussianDp& all) const = 0;
  virtual double loss(const std::vector<Use>& uses) const = 0;
  virtual double zcdp(const Zcdp& cost) const = 0;
  virtual double renyi(const RenyiCurve& curve) const = 0;
  virtual double basic(const EpsilonDelta& sum) const = 0;
  virtual double advanced(const std::vector<Use>& uses) const = 0;
  virtual double loss_lower(const std::vector<Use>& uses, double upper) const = 0;
  virtual double lower(const std::vector<Use>& uses) const = 0;
  /// What holds without any theorem.
  virtual double worst() const = 0;
};

class EpsilonQuestion final : public Question {
 public:
  explicit EpsilonQuestion(const Rational& delta) : delta_(delta) {}
  Bounds gaussian(const GaussianDp& all) const override { return all.epsilon(delta_); }
  double loss(const std::vector<Use>& uses) const override {
    return pld_epsilon_upper(uses, delta_.to_double(Round::kDown)).upper;
  }
  double zcdp(const Zcdp& cost) const override { return zcdp_epsilon(cost, delta_); }
  double renyi(const RenyiCurve& curve) const override { return curve.epsilon(delta_); }
  double basic(const EpsilonDelta& sum) const override {
    return sum.delta <= delta_ ? sum.epsilon.to_double(Round::kUp) : kInfinity;
  }
  double advanced(const std::vector<Use>& uses) const override {
    return advanced_epsilon(uses, delta_).value_or(kInfinity);
  }
  double loss_lower(const std::vector<Use>& uses, double upper) const override {
    return pld_epsilon_lower(uses, delta_.to_double(Round::kUp), upper);
  }
  double lower(const std::vector<Use>& uses) const override { return epsilon_lower(uses, delta_); }
  double worst() const override { return kInfinity; }

 private:
  Rational delta_;
};

class DeltaQuestion final : public Question {
 public:
  explicit DeltaQuestion(const Rational& epsilon) : epsilon_(epsilon) {}
  Bounds gaussian(const GaussianDp& all) const override { return all.delta(epsilon_); }
  double loss(const std::vector<Use>& uses) const override {
    return pld_delta_upper(uses, epsilon_.to_double(Round::kDown)).upper;
  }
  double zcdp(const Zcdp& cost) const override { return zcdp_delta(cost, epsilon_); }
  double renyi(const RenyiCurve& curve) const override { return curve.delta(epsilon_); }
  double basic(const EpsilonDelta& sum) const override {
    return sum.epsilon <= epsilon_ ? std::min(1.0, sum.delta.to_double(Round::kUp)) : 1;
  }
  // Advanced composition is stated for epsilon; its delta is not better than what the others give.
  double advanced(const std::vector<Use>&) const override { return 1; }
  double loss_lower(const std::vector<Use>& uses, double upper) const override {
    return pld_delta_lower(uses, epsilon_.to_double(Round::kUp), upper);
  }
  double lower(const std::vector<Use>& uses) const override { return delta_lower(uses, epsilon_); }
  double worst() const override { return 1; }

 private:
  Rational epsilon_;
};

/// Asks one question about one list.
class Account {
 public:
  Account(const std::vector<Use>& uses, const Question& question)
      : uses_(merge_equal(uses)),
        question_(question),
        best_{0, question.worst(), "no theorem applies"} {}

  Bounds answer(Notion notion) {
    if (uses_.empty()) return {0, 0, "nothing is used"};
    switch (notion) {
      case Notion::kBest:
        by_all();
        break;
      case Notion::kGaussian:
        by_gaussian();
        break;
      case Notion::kLoss:
        by_loss();
        break;
      case Notion::kZcdp:
        by_zcdp();
        break;
      case Notion::kRenyi:
        by_renyi();
        break;
      case Notion::kBasic:
        by_basic();
        break;
      case Notion::kAdvanced:
        by_advanced();
        break;
    }
    // Lower bounds hold whatever the notion.
    if (!is_exact_) {
      raise(question_.lower(uses_));
      raise(question_.loss_lower(uses_, best_.upper));
    }
    best_.lower = std::min(best_.lower, best_.upper);
    return best_;
  }

 private:
  void lower_to(double upper, const char* theorem) {
    if (!(upper < best_.upper)) return;  // also when it is no number
    best_.upper = upper;
    best_.theorem = theorem;
  }
  void raise(double lower) {
    if (lower > best_.lower) best_.lower = lower;
  }

  void by_all() {
    if (by_gaussian()) return;
    by_basic();
    by_loss();
    by_zcdp();
    by_renyi();
    by_advanced();
  }

  bool by_gaussian() {
    const std::optional<GaussianDp> all = GaussianDp::of(uses_);
    if (!all) return false;
    const Bounds exact = question_.gaussian(*all);
    lower_to(exact.upper, "Gaussian DP, exact [BW18, DRS22]");
    raise(exact.lower);
    is_exact_ = true;
    return true;
  }

  void by_loss() { lower_to(question_.loss(uses_), kPldTheorem); }

  void by_zcdp() {
    const std::optional<Zcdp> cost = zcdp_of(uses_);
    if (cost) lower_to(question_.zcdp(*cost), "zero-concentrated DP [BS16, CKS20]");
  }
  void by_renyi() {
    const RenyiCurve curve = RenyiCurve::of(coarsened(uses_, Round::kUp, kCurvesMax, kFoldMax));
    lower_to(question_.renyi(curve), "Renyi DP [Mir17, MTZ19, CKS20]");
  }
  void by_basic() {
    const std::optional<EpsilonDelta> sum = basic(uses_);
    if (sum) lower_to(question_.basic(*sum), "basic composition [DRV10]");
  }
  void by_advanced() { lower_to(question_.advanced(uses_), "advanced composition [KOV15]"); }

  std::vector<Use> uses_;
  const Question& question_;
  Bounds best_;
  bool is_exact_ = false;
};

/// delta = 0: only basic composition speaks.
Bounds pure_epsilon(const std::vector<Use>& uses) {
  Bounds out{pure_epsilon_lower(uses), kInfinity, "none: some use has no guarantee at delta 0"};
  const std::optional<EpsilonDelta> sum = basic(uses);
  if (sum && sum->delta.sign() == 0) {
    out.upper = sum->epsilon.to_double(Round::kUp);
    out.theorem = "basic composition [DRV10]";
  }
  out.lower = std::min(out.lower, out.upper);
  return out;
}

}  // namespace

std::string to_string(Notion notion) {
  for (const Name& name : kNames) {
    if (name.notion == notion) return std::string(name.text);
  }
  DISCREET_CHECK(false);
}

Result<Notion> parse_notion(std::string_view text) {
  std::string all;
  for (const Name& name : kNames) {
    if (name.text == text) return name.notion;
    all += (all.empty() ? "" : ", ") + std::string(name.text);
  }
  return invalid_input("unknown notion " + in_quotes(text) + "; choose one of: " + all);
}

std::vector<Use> merged(const std::vector<Use>& uses) { return merge_equal(uses); }

Bounds epsilon_of(const std::vector<Use>& uses, const Delta& delta, Notion notion) {
  if (delta.value().sign() == 0) return pure_epsilon(merge_equal(uses));
  return Account(uses, EpsilonQuestion(delta.value())).answer(notion);
}

Bounds delta_of(const std::vector<Use>& uses, const Rational& epsilon, Notion notion) {
  DISCREET_CHECK(epsilon.sign() >= 0);
  return Account(uses, DeltaQuestion(epsilon)).answer(notion);
}

}  // namespace discreet::accounting
