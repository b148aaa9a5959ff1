// SPDX-License-Identifier: Apache-2.0
// Sources against the compiled mechanisms: parity, strategies, health tests, and the entropy meter.
#include <algorithm>
#include <cmath>
#include <functional>

#include "audit/source/randomness.h"
#include "audit/source/sv_bits.h"
#include "mechanism/gaussian.h"
#include "mechanism/laplace.h"
#include "mechanism/randomized_response.h"
#include "mechanism/sv_laplace.h"
#include "numeric/interval.h"
#include "random/health.h"

namespace discreet::audit {
namespace {

using report::Cell;

const Sensitivity kCoinsOne = Sensitivity::trusted(1);

/// A mechanism's tree on the counts 0 and 1.
struct Bendable {
  std::string name;
  std::string claimed;
  Outcomes outcomes;
  std::vector<TapeTree> tree;  // one

  std::vector<bool> even() const {
    std::vector<bool> set;
    for (const std::string& text : outcomes.texts()) set.push_back((text.back() - '0') % 2 == 0);
    return set;
  }
};

template <int kWidth, class M>
Bendable bendable(const std::string& name, const M& mechanism, int depth) {
  Bendable out{name, to_string(mechanism.cost()), {}, {}};
  const auto a = tape_leaves<kWidth>(mechanism, 0, depth, out.outcomes);
  const auto b = tape_leaves<kWidth>(mechanism, 1, depth, out.outcomes);
  out.tree.emplace_back(a, b);
  return out;
}

Bendable laplace_one() {
  const auto m =
      mechanism::Laplace::make({.sensitivity = kCoinsOne, .epsilon = Epsilon::trusted(1)});
  return bendable<4>("Laplace 1", m.value(), 16);
}

Bendable laplace_half() {
  const auto m = mechanism::Laplace::make(
      {.sensitivity = kCoinsOne, .epsilon = Epsilon::trusted(Rational::ratio(1, 2))});
  return bendable<5>("Laplace 0.5", m.value(), 15);
}

Bendable bendable_gaussian() {
  const auto m = mechanism::Gaussian::make(
      {.sensitivity_squared = L2Squared::trusted(1), .rho = Rho::trusted(Rational::ratio(1, 2))});
  return bendable<6>("Gaussian rho 0.5", m.value(), 18);
}

/// Noise of any width by inversion: the tape's first kInversionBits bits are compared with a rising
/// list of edges, rounded to that many bits; the values between the edges alternate in parity.
constexpr int kInversionBits = 24;

struct Inversion {
  std::string name;
  std::string claimed;
  std::vector<std::uint32_t> edges;  // of -far, -far + 1, ..., first and last left out
  bool first_is_even;
};

Inversion inversion(const std::string& name, const std::string& claimed, int far,
                    const std::function<double(int)>& weight) {
  double total = 0;
  for (int z = -far; z <= far; ++z) total += weight(z);
  Inversion out{name, claimed, {}, far % 2 == 0};
  double below = 0;
  for (int z = -far; z < far; ++z) {
    below += weight(z) / total;
    out.edges.push_back(static_cast<std::uint32_t>(std::lround(std::ldexp(below, kInversionBits))));
  }
  return out;
}

/// The largest Pr[even] over all sources: dynamic programming over the blocks that an edge runs
/// through, exact.
Rational most_even(const Inversion& noise, const Rational& gamma, std::uint32_t from, int log2) {
  const std::uint32_t to = from + (std::uint32_t{1} << log2);
  const auto next = std::upper_bound(noise.edges.begin(), noise.edges.end(), from);
  if (next == noise.edges.end() || *next >= to) {
    const auto passed = next - noise.edges.begin();
    return (passed % 2 == 0) == noise.first_is_even ? 1 : 0;
  }
  const Rational zero = most_even(noise, gamma, from, log2 - 1);
  const Rational one = most_even(noise, gamma, from + (std::uint32_t{1} << (log2 - 1)), log2 - 1);
  return ((zero + one) + gamma * (zero - one).abs()) * Rational::ratio(1, 2);
}

mechanism::SvLaplace robust_laplace(const char* epsilon, const Rational& gamma) {
  return mechanism::SvLaplace::make({.sensitivity = kCoinsOne,
                                     .epsilon = Epsilon::parse(epsilon).value(),
                                     .gamma = gamma,
                                     .low = 0,
                                     .high = 1})
      .value();
}

std::string ln_low(const Rational& ratio) {
  if (ratio <= 1) return "0";
  return log(Interval::around(ratio, 96)).low().to_decimal(3, Round::kDown);
}

std::string shown_number(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.4g", x);
  return buffer;
}

/// One bit at a time from a seeded source: what a sampler reads when it reads no more than it must.
class SingleBits final : public random::Tape<1> {
 public:
  explicit SingleBits(std::uint64_t seed) : bits_(seed) {}
  std::uint64_t take(int k) override { return bits_.take(k); }
  std::uint64_t bits_taken() const { return bits_.bits_taken(); }

 private:
  SeededBits bits_;
};

constexpr int kMetered = 8000;

template <class Bits, class M>
double bits_per_answer(const M& mechanism, const typename M::Input& input) {
  Bits bits(1);
  const Sensitive<typename M::Input> sealed{typename M::Input(input)};
  for (int i = 0; i < kMetered; ++i) mechanism::Door::replay(mechanism, sealed, bits);
  return static_cast<double>(bits.bits_taken()) / kMetered;
}

double entropy(const std::function<double(int)>& weight) {
  double total = 0;
  for (int z = -4000; z <= 4000; ++z) total += weight(z);
  double sum = 0;
  for (int z = -4000; z <= 4000; ++z) {
    const double p = weight(z) / total;
    if (p > 0) sum -= p * std::log2(p);
  }
  return sum;
}

}  // namespace

report::Section parity_attack() {
  report::Section section{
      .heading = "Lemma 4: the parity of additive noise",
      .words =
          {"An answer x + e(coins) tells the parity of x to whoever can bend the parity of e. For "
           "every function of fair bits with two equally likely values some gamma-source gives one "
           "of them (1+gamma)/2 at least, so additive noise of ANY size costs at least "
           "ln((1+gamma)/(1-gamma)), the floor below. The source is the best one for `the answer "
           "is even` (dynamic programming over all tapes: of the compiled mechanism with narrow "
           "words, "
           "and of samplers by inversion for wider noise); what it reaches is exact. Tapes that do "
           "not end within the depth count against the source."},
      .columns = {"mechanism", "claimed", "gamma", "even | 0", "even | 1", "reached", "floor"}};
  const auto add = [&](const std::string& name, const std::string& claimed, const char* text,
                       const Rational& even, const Rational& odd, const std::string& reached) {
    const double bend = Rational::parse(text)->to_double(Round::kDown);
    section.rows.push_back({Cell::words(name), Cell::words(claimed), Cell::number(text),
                            Cell::number(even.to_decimal(3, Round::kDown)),
                            Cell::number(odd.to_decimal(3, Round::kUp)), Cell::number(reached),
                            Cell::number(shown_number(std::log((1 + bend) / (1 - bend))))});
  };
  for (const Bendable& one : {laplace_one(), laplace_half(), bendable_gaussian()}) {
    for (const char* text : {"0", "0.05", "0.2"}) {
      const TapeTree::Reached reached = one.tree[0].best(one.even(), Rational::parse(text).value());
      add(one.name, one.claimed, text, reached.t, reached.u, ln_low(reached.ratio));
    }
  }
  for (const Inversion& one : {inversion("Laplace by inversion", "epsilon 0.1", 120,
                                         [](int z) { return std::exp(-0.1 * std::abs(z)); }),
                               inversion("Laplace by inversion", "epsilon 0.02", 600,
                                         [](int z) { return std::exp(-0.02 * std::abs(z)); }),
                               inversion("Gaussian by inversion", "rho 0.005", 50,
                                         [](int z) { return std::exp(-z * z / 200.0); }),
                               inversion("Gaussian by inversion", "rho 0.0002", 250,
                                         [](int z) { return std::exp(-z * z / 5000.0); })}) {
    for (const char* text : {"0.05", "0.2"}) {
      const Rational even = most_even(one, Rational::parse(text).value(), 0, kInversionBits);
      add(one.name, one.claimed, text, even, 1 - even, ln_low(even / (1 - even)));
    }
  }
  return section;
}

report::Section sources_compared() {
  report::Section section{
      .heading = "Sources as objects: what each makes of a mechanism",
      .words =
          {"The effective epsilon of `the answer is even` under four sources, and of the "
           "single answer that the best source can make the most of. Only the last columns "
           "see the adversary; a source that leans without knowing the mechanism does little."},
      .columns = {"mechanism", "claimed", "gamma", "fair", "steady", "copying", "best: even",
                  "best: one answer"}};
  const Rational gamma = Rational::ratio(1, 10);
  std::vector<Bendable> all;
  all.push_back(laplace_half());
  all.push_back(bendable_gaussian());
  all.push_back(bendable<1>("SvLaplace 0.5", robust_laplace("0.5", gamma), 22));
  for (const Bendable& one : all) {
    const std::vector<bool> even = one.even();
    std::vector<Cell> row = {Cell::words(one.name), Cell::words(one.claimed), Cell::number("0.1")};
    for (const Strategy& source : {fair_source(), steady_source(), copying_source()}) {
      row.push_back(Cell::number(ln_low(one.tree[0].under(source, even, gamma).ratio)));
    }
    row.push_back(Cell::number(ln_low(one.tree[0].best(even, gamma).ratio)));
    row.push_back(
        Cell::number(ln_low(one.tree[0].best_outcome(one.outcomes.texts().size(), gamma))));
    section.rows.push_back(std::move(row));
  }
  return section;
}

Result<report::Section> entropy_meter() {
  report::Section section{
      .heading = "Entropy meter: bits for one answer",
      .words =
          {"No sampler can draw from a distribution with fewer bits on average than its "
           "entropy (Shannon; Knuth and Yao reach it to within 2). The product spends whole "
           "words of 64 bits, so that the number of bits, and the time, do not tell the noise; "
           "read bit by bit, the same code needs what stands in the third column, a few times "
           "the bound: its tables are made for speed. The Santha-Vazirani mechanism reads raw bits "
           "one by one."},
      .columns = {"mechanism", "entropy", "bit by bit", "in the product"}};
  const auto add = [&](const std::string& name, double bound, double single, double product) {
    section.rows.push_back({Cell::words(name), Cell::number(shown_number(bound)),
                            Cell::number(shown_number(single)),
                            Cell::number(shown_number(product))});
  };
  for (const char* text : {"1", "0.1", "0.01"}) {
    DISCREET_ASSIGN(const Epsilon epsilon, Epsilon::parse(text));
    DISCREET_ASSIGN(const auto noise,
                    mechanism::Laplace::make({.sensitivity = kCoinsOne, .epsilon = epsilon}));
    const double e = epsilon.value().to_double(Round::kDown);
    add(std::string("Laplace ") + text, entropy([&](int z) { return std::exp(-e * std::abs(z)); }),
        bits_per_answer<SingleBits>(noise, 0), bits_per_answer<SeededBits>(noise, 0));
  }
  DISCREET_ASSIGN(const auto normal,
                  mechanism::Gaussian::make({.sensitivity_squared = L2Squared::trusted(1),
                                             .rho = Rho::trusted(Rational::ratio(1, 200))}));
  add("Gaussian rho 1/200", entropy([](int z) { return std::exp(-z * z / 200.0); }),
      bits_per_answer<SingleBits>(normal, 0), bits_per_answer<SeededBits>(normal, 0));
  DISCREET_ASSIGN(const auto response,
                  mechanism::RandomizedResponse::make({.epsilon = Epsilon::trusted(1)}));
  const double keep = std::exp(1.0) / (1 + std::exp(1.0));
  add("randomized response 1", -keep * std::log2(keep) - (1 - keep) * std::log2(1 - keep),
      bits_per_answer<SingleBits>(response, true), bits_per_answer<SeededBits>(response, true));
  for (const char* text : {"1", "0.1"}) {
    DISCREET_ASSIGN(const auto noise,
                    mechanism::SvLaplace::make({.sensitivity = kCoinsOne,
                                                .epsilon = Epsilon::parse(text).value(),
                                                .gamma = Rational::ratio(1, 20),
                                                .low = -1000000,
                                                .high = 1000000}));
    const random::SvShape& shape = noise.shape();
    const auto s = [&](double h) {
      const double e = std::exp2(-std::abs(h) * shape.halvings / shape.period - 1);
      return h < 0 ? e : 1 - e;
    };
    const auto q = static_cast<double>(shape.q);
    const double bound = entropy([&](int k) { return s((2 * k + 1) * q) - s((2 * k - 1) * q); });
    const double measured = bits_per_answer<SingleBits>(noise, 0);
    add(std::string("SvLaplace ") + text + ", gamma 0.05", bound, measured, measured);
  }
  return section;
}

report::Section health_and_adversary() {
  constexpr std::size_t kBytes = 1 << 19;
  constexpr int kBlock = 15;
  report::Section section{
      .heading = "Health tests, and an adversary who passes them",
      .words =
          {"Half a mebibyte of each source through the product's own health tests (repetition "
           "count "
           "and adaptive proportion, SP 800-90B). They notice a source that broke. They do not "
           "notice one that bends each bit a little in the light of the earlier ones: it "
           "passes, and turns Laplace noise of epsilon 0.5 into what stands in the last "
           "column. So both are needed: tests against faults, the certificate against "
           "intent."},
      .columns = {"source", "gamma", "bytes", "health tests", "epsilon 0.5 becomes"}};
  const Bendable target = laplace_half();
  Strategy adaptive;
  const Rational bend = Rational::ratio(1, 5);
  target.tree[0].best(target.even(), bend, &adaptive);
  adaptive.name = "adaptive, aims at parity";
  struct Source {
    Strategy source;
    Rational gamma;
  };
  for (const Source& row :
       {Source{fair_source(), 0}, Source{steady_source(), Rational::ratio(1, 5)},
        Source{steady_source(), Rational::ratio(4, 5)}, Source{adaptive, bend}}) {
    SvBits bits(row.source, row.gamma, 7);
    random::HealthTests tests{};
    std::vector<std::uint8_t> bytes(kBytes);
    for (std::size_t i = 0; i < kBytes * 8; ++i) {
      if (i % kBlock == 0) bits.restart();
      bytes[i / 8] = static_cast<std::uint8_t>(bytes[i / 8] << 1 | bits.take(1));
    }
    const bool passed = tests.feed(bytes);
    const TapeTree::Reached reached = target.tree[0].under(row.source, target.even(), row.gamma);
    section.rows.push_back({Cell::words(row.source.name), Cell::number(row.gamma.to_string()),
                            Cell::number(std::to_string(kBytes)),
                            Cell::words(passed ? "passed" : "FAILED"),
                            Cell::number(ln_low(reached.ratio))});
  }
  return section;
}

const std::vector<RandomnessPart>& randomness_parts() {
  static const std::vector<RandomnessPart> kParts = {
      {"effective", [] { return Result<report::Section>(effective_epsilon()); }},
      {"chosen", [] { return Result<report::Section>(chosen_shapes()); }},
      {"curves", [] { return Result<report::Section>(effective_curves()); }},
      {"parity", [] { return Result<report::Section>(parity_attack()); }},
      {"sources", [] { return Result<report::Section>(sources_compared()); }},
      {"memory", [] { return Result<report::Section>(memory_attack()); }},
      {"entropy", entropy_meter},
      {"health", [] { return Result<report::Section>(health_and_adversary()); }},
  };
  return kParts;
}

}  // namespace discreet::audit
