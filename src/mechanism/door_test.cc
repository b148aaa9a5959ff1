// SPDX-License-Identifier: Apache-2.0
// The door: receipts are spent once and for the right mechanism, recorders see sealed inputs.
#include "mechanism/door.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "base/children_for_tests.h"
#include "mechanism/above_threshold.h"
#include "mechanism/clipped_sums.h"
#include "mechanism/laplace.h"
#include "mechanism/laplace_vector.h"
#include "mechanism/prefix_stream.h"
#include "mechanism/receipt_for_tests.h"
#include "mechanism/values_for_tests.h"

namespace discreet::mechanism::door_test {
namespace {

using cli::OwnValues;

Laplace laplace(const char* epsilon) {
  return Laplace::make({.sensitivity = sensitivity_of("1"), .epsilon = epsilon_of(epsilon)})
      .value();
}

Sensitive<Int128> sealed(Int128 value) { return Sensitive<Int128>(value); }

TEST(Door, ReleasesWithPriceNoiseAndAccuracy) {
  const Laplace mechanism = laplace("1");
  const auto answer = Door::release(mechanism, sealed(42), OwnValues::for_use_of(mechanism),
                                    {.confidence = confidence_of("0.99"), .recorder = nullptr});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->provenance().noise, mechanism.noise());
  EXPECT_EQ(answer->provenance().cost, mechanism.cost());
  EXPECT_EQ(answer->provenance().receipt_id, "unaccounted");
  EXPECT_EQ(answer->provenance().accuracy->confidence, confidence_of("0.99"));
}

TEST(Door, RefusesAReceiptForAnotherMechanism) {
  const Laplace paid = laplace("1/2");
  const Laplace wanted = laplace("1");
  const auto answer = Door::release(wanted, sealed(42), OwnValues::for_use_of(paid));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kRefused);
  EXPECT_EQ(answer.error().message.find("42"), std::string::npos);
}

TEST(Door, RefusesAReceiptForTheSameNoiseAtAnotherPrice) {
  const Laplace mechanism = laplace("1");
  const auto answer = Door::release(
      mechanism, sealed(42), OwnValues::mint(mechanism.noise(), pure_cost(epsilon_of("1/2"))));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kRefused);
}

TEST(Door, ARefusedReceiptIsSpent) {
  const Laplace paid = laplace("1/2");
  Receipt receipt = OwnValues::for_use_of(paid);
  EXPECT_FALSE(Door::release(laplace("1"), sealed(42), std::move(receipt)));
  // NOLINTNEXTLINE(bugprone-use-after-move): that using it again is fatal is what is tested
  EXPECT_DEATH((void)Door::release(paid, sealed(42), std::move(receipt)).has_value(), "live_");
}

TEST(Door, AReceiptIsGoodForOneUse) {
  const Laplace mechanism = laplace("1");
  Receipt receipt = OwnValues::for_use_of(mechanism);
  EXPECT_TRUE(Door::release(mechanism, sealed(42), std::move(receipt)));
  // NOLINTNEXTLINE(bugprone-use-after-move): that using it again is fatal is what is tested
  EXPECT_DEATH((void)Door::release(mechanism, sealed(42), std::move(receipt)).has_value(), "live_");
}

TEST(Door, ADroppedReceiptIsGone) {
  const Laplace mechanism = laplace("1");
  Receipt receipt = OwnValues::for_use_of(mechanism);
  {
    const Receipt dropped = std::move(receipt);
  }
  // NOLINTNEXTLINE(bugprone-use-after-move): that using it again is fatal is what is tested
  EXPECT_DEATH((void)Door::release(mechanism, sealed(42), std::move(receipt)).has_value(), "live_");
}

/// Whether what is done in a child, which has drawn before and then gets no more entropy, fails for
/// want of it. A false alarm of the health tests aside it can only if it asks for some.
template <class Open, class Release>
bool reads_entropy(const Open& open, const Release& release) {
  return status_in_child(library_fork, [&] {
           auto opened = open();
           (void)random::SystemBits::this_thread().value()->take(64);
           forbid(SYS_getrandom, EPERM);
           const auto released = release(opened);
           return !released && released.error().code == Code::kNoEntropy ? 0 : 1;
         }) == 0;
}

// R7: no release draws from what a copy of this process may have too.
TEST(Door, EveryReleaseMixesFreshEntropy) {
  const auto nothing = [] { return 0; };
  EXPECT_TRUE(reads_entropy(nothing, [](int) {
    const Laplace mechanism = laplace("1");
    return Door::release(mechanism, sealed(42), OwnValues::for_use_of(mechanism));
  }));
  const AboveThreshold::Options options{.epsilon = epsilon_of("1"),
                                        .sensitivity = sensitivity_of("1"),
                                        .threshold = 0,
                                        .above_max = 3};
  const auto open = [&] {
    return AboveThreshold::open(
        options, OwnValues::mint(AboveThreshold::noise(options), AboveThreshold::cost(options)));
  };
  EXPECT_TRUE(reads_entropy(nothing, [&](int) { return open(); }));
  EXPECT_TRUE(reads_entropy(open, [](auto& alarm) { return alarm->ask(sealed(42)); }));
  const auto sums = ClippedSums::Terms::pure(epsilon_of("1"), {.shares = {1}, .limit = 1}).value();
  EXPECT_TRUE(reads_entropy(
      [&] { return ClippedSums::open(sums, OwnValues::for_use_of(sums)); },
      [](auto& opened) {
        const auto itself = [](std::span<const std::int64_t> row, std::span<std::int64_t> out) {
          out[0] = row[0];
        };
        return opened->next(Sensitive(UnitRows{.columns = 1, .cells = {3}, .ends = {1}}), 1,
                            RowFunction(itself));
      }));
  const auto days = PrefixStream::Terms::make({.days = 3, .rho = Rho::parse("1").value()}).value();
  EXPECT_TRUE(reads_entropy([&] { return PrefixStream::open(days, OwnValues::for_use_of(days)); },
                            [](auto& stream) { return stream->prepare(); }));
}

// Writes down what it may see, and how far each input is from what was put in.
class Notebook : public Recorder {
 public:
  void record(Recording recording) override {
    static_assert(std::is_same_v<decltype(recording.input), Sensitive<std::vector<Int128>>>);
    noises.push_back(recording.noise);
    outputs.push_back(recording.output);
    distances.push_back(Door::distance(recording.input, Sensitive(expected)).outcome()->l1);
  }

  std::vector<Int128> expected;
  std::vector<NoiseSpec> noises;
  std::vector<std::string> outputs;
  std::vector<Integer> distances;
};

TEST(Recorder, SeesEachCallWithItsInputSealed) {
  Notebook notebook;
  const Laplace one = laplace("1");
  const LaplaceVector many =
      LaplaceVector::make({.sensitivity = sensitivity_of("1"), .epsilon = epsilon_of("1")}).value();
  const ReleaseOptions options = {.confidence = default_confidence(), .recorder = &notebook};
  notebook.expected = {42};
  const auto a = Door::release(one, sealed(42), OwnValues::for_use_of(one), options);
  notebook.expected = {1, 2, 4};
  const auto b = Door::release(many, Sensitive(std::vector<std::int64_t>{1, 2, 3}),
                               OwnValues::for_use_of(many), options);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(notebook.noises, (std::vector<NoiseSpec>{one.noise(), many.noise()}));
  EXPECT_EQ(notebook.outputs,
            (std::vector<std::string>{to_string(a->value()), LaplaceVector::describe(b->value())}));
  EXPECT_EQ(notebook.distances, (std::vector<Integer>{0, 1}));
}

TEST(Recorder, HearsNothingOfARefusedCall) {
  Notebook notebook;
  const auto refused = Door::release(laplace("1"), sealed(42), OwnValues::for_use_of(laplace("2")),
                                     {.confidence = default_confidence(), .recorder = &notebook});
  EXPECT_FALSE(refused);
  EXPECT_TRUE(notebook.noises.empty());
}

TEST(Distance, MeasuresInEveryNormWithoutOverflow) {
  const auto vector = [](std::vector<Int128> v) { return Sensitive(std::move(v)); };
  const auto d = Door::distance(vector({0, 5, -3, 1}), vector({0, 2, 1, 1})).outcome();
  ASSERT_TRUE(d);
  EXPECT_EQ(d->l0, 2);
  EXPECT_EQ(d->l1, 7);
  EXPECT_EQ(d->linf, 4);
  EXPECT_EQ(d->l2_squared, 25);
  const auto far = Door::distance(vector({kInt128Max}), vector({kInt128Min})).outcome();
  EXPECT_EQ(far->l1, (Integer(1) << 128) - 1);
  const auto same = Door::distance(vector({}), vector({})).outcome();
  EXPECT_EQ(same->l1, 0);
}

TEST(Distance, HasNoAnswerForDifferentLengths) {
  const auto d =
      Door::distance(Sensitive(std::vector<Int128>{1}), Sensitive(std::vector<Int128>{1, 0}))
          .outcome();
  EXPECT_FALSE(d.has_value());
}

}  // namespace
}  // namespace discreet::mechanism::door_test
