// SPDX-License-Identifier: Apache-2.0
// The rules of the stream, on sources that this test scripts.
#include "random/stream.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "base/children_for_tests.h"

namespace discreet::random::stream_test {
namespace {

// A source of fixed, uniform-looking bytes that breaks after `good_bytes`, in the given way.
enum class Fault { kNone, kFails, kStuck };
struct Script {
  std::uint64_t seed = 1;
  std::size_t good_bytes = ~std::size_t{0};
  Fault fault = Fault::kNone;
  std::size_t given = 0;
};
Script script;

ssize_t scripted(void* out, std::size_t size) {
  auto* const bytes = static_cast<std::uint8_t*>(out);
  for (std::size_t i = 0; i < size; ++i) {
    const bool broken = script.given >= script.good_bytes;
    if (broken && script.fault == Fault::kFails) {
      errno = EIO;
      return i > 0 ? static_cast<ssize_t>(i) : -1;
    }
    std::uint64_t z = script.seed + 0x9e3779b97f4a7c15 * ++script.given;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    bytes[i] = broken ? 0x42 : static_cast<std::uint8_t>(z >> 56);
  }
  return static_cast<ssize_t>(size);
}

std::unique_ptr<Stream> empty_stream() { return std::make_unique<Stream>(Stream{}); }

std::unique_ptr<Stream> keyed_stream(const Script& with) {
  script = with;
  std::unique_ptr<Stream> stream = empty_stream();
  EXPECT_TRUE(refill(*stream, scripted).has_value());
  return stream;
}

void refill_scripted(Stream& stream) { ASSERT_TRUE(refill(stream, scripted).has_value()); }

std::vector<std::uint64_t> drain(Stream& stream) {
  std::vector<std::uint64_t> words;
  while (stream.remaining > 0) words.push_back(stream.take_word(refill_scripted));
  return words;
}

// Whether these bytes lie anywhere in the stream's memory.
bool holds(const Stream& stream, const void* bytes, std::size_t size) {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(&stream);
  const auto* const wanted = static_cast<const std::uint8_t*>(bytes);
  return std::search(begin, begin + sizeof stream, wanted, wanted + size) != begin + sizeof stream;
}

TEST(Stream, TheFirstKeyIsTheExclusiveOrOfAllStartUpSamples) {
  const std::unique_ptr<Stream> stream = keyed_stream({});
  EXPECT_EQ(script.given, HealthTests::kStartupSamples);
  script = {};
  std::uint8_t raw[HealthTests::kStartupSamples];
  ASSERT_TRUE(read_fully(scripted, raw).has_value());
  CipherKey key{};
  for (std::size_t i = 0; i < sizeof raw; ++i) key[i % 32] ^= raw[i];
  std::vector<std::uint8_t> expected(sizeof(Stream::Block));
  key_stream(fastest_cipher(), key, expected);
  EXPECT_EQ(std::memcmp(&stream->block, expected.data(), expected.size()), 0);
  EXPECT_FALSE(holds(*stream, key.data(), key.size()));
  EXPECT_EQ(stream->remaining, Stream::kWords);
}

TEST(Stream, TheNextKeyIsTheHeadOfTheOutputAndEveryRefillErasesTheOneBefore) {
  const std::unique_ptr<Stream> stream = keyed_stream({});
  const CipherKey key = stream->block.key;
  const std::vector<std::uint64_t> handed_out = drain(*stream);
  refill_scripted(*stream);
  std::vector<std::uint8_t> expected(sizeof(Stream::Block));
  key_stream(fastest_cipher(), key, expected);
  EXPECT_EQ(std::memcmp(&stream->block, expected.data(), expected.size()), 0);
  EXPECT_FALSE(holds(*stream, key.data(), key.size()));
  for (const std::uint64_t word : handed_out) EXPECT_FALSE(holds(*stream, &word, sizeof word));
  // The search itself can find: the words of the new block are there.
  EXPECT_TRUE(holds(*stream, expected.data() + 1000, 8));
}

TEST(Stream, FreshEntropyIsMixedInEveryMebibyte) {
  const std::unique_ptr<Stream> one = keyed_stream({});
  const std::unique_ptr<Stream> other = std::make_unique<Stream>(*one);
  std::size_t bytes = 0;
  std::size_t first_read_at = 0;
  for (int i = 0; i < 200; ++i) {
    bytes += 8 * drain(*one).size();
    const std::size_t before = script.given;
    refill_scripted(*one);
    if (script.given == before) continue;
    EXPECT_EQ(script.given - before, 32u);
    if (first_read_at == 0) first_read_at = bytes;
  }
  EXPECT_EQ(script.given, 1024u + 3 * 32u);
  EXPECT_LE(first_read_at, 1u << 20);
  EXPECT_GT(first_read_at, 15u << 16);
  // Whoever copied the whole state loses the thread there, and not before.
  script = {.seed = 2};
  const std::unique_ptr<Stream> replay = keyed_stream({});
  script.seed = 99;
  for (std::uint32_t i = 1; i < Stream::kRefillsPerKeyRead; ++i) {
    EXPECT_EQ(std::memcmp(&other->block, &replay->block, sizeof(Stream::Block)), 0);
    drain(*other);
    drain(*replay);
    refill_scripted(*other);
    refill_scripted(*replay);
  }
  drain(*other);
  drain(*replay);
  refill_scripted(*other);
  refill_scripted(*replay);
  EXPECT_NE(std::memcmp(&other->block, &replay->block, sizeof(Stream::Block)), 0);
}

// R7: two copies of one state, as a virtual machine that is resumed twice has them.
TEST(Stream, CopiesPartAtTheNextRelease) {
  for (const std::uint32_t used : {0u, 1u, 700u, Stream::kWords}) {
    const std::unique_ptr<Stream> one = keyed_stream({});
    for (std::uint32_t i = 0; i < used; ++i) one->take_word(refill_scripted);
    if (used > 0 && one->remaining > 0) one->take_narrow(5, refill_scripted);
    const std::unique_ptr<Stream> other = std::make_unique<Stream>(*one);
    const std::unique_ptr<Stream> before = std::make_unique<Stream>(*one);
    const std::uint64_t taken = one->bits_taken();
    script = {.seed = 5};
    ASSERT_TRUE(freshen(*one, scripted).has_value());
    EXPECT_EQ(script.given, sizeof(CipherKey));
    EXPECT_EQ(one->bits_taken(), taken);
    EXPECT_EQ(one->remaining, Stream::kWords);
    EXPECT_EQ(one->reservoir_bits, 0u);
    script = {.seed = 6};
    ASSERT_TRUE(freshen(*other, scripted).has_value());
    int alike = 0;
    for (std::uint32_t i = 0; i < Stream::kWords; ++i) {
      alike += one->block.words[i] == other->block.words[i] ? 1 : 0;
      alike += one->block.words[i] == before->block.words[i] ? 1 : 0;
    }
    EXPECT_EQ(alike, 0) << used;
    EXPECT_FALSE(holds(*one, before->block.key.data(), sizeof(CipherKey)));
    // The key is the old one and the bytes, both: with the same bytes they would not have parted.
    script = {.seed = 5};
    ASSERT_TRUE(freshen(*before, scripted).has_value());
    EXPECT_EQ(std::memcmp(&one->block, &before->block, sizeof(Stream::Block)), 0);
  }
}

// The same with the system's bytes and a real copy: a child whose pages were not wiped.
TEST(Stream, ASnapshotPartsAtTheNextReleaseAndNotBefore) {
  const std::unique_ptr<Stream> stream = empty_stream();  // in memory that fork() copies
  ASSERT_TRUE(refill(*stream, read_system).has_value());
  const auto next = [&](bool is_release) {
    if (is_release && !freshen(*stream, read_system).has_value()) return std::uint64_t{0};
    return stream->take_word([](Stream&) {});
  };
  for (const bool is_release : {false, true}) {
    std::uint64_t in_child = 0;
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    EXPECT_EQ(status_in_child(raw_fork,
                              [&] {
                                const std::uint64_t word = next(is_release);
                                return write(ends[1], &word, sizeof word) == sizeof word ? 0 : 1;
                              }),
              0);
    ASSERT_EQ(read(ends[0], &in_child, sizeof in_child), ssize_t{sizeof in_child});
    EXPECT_NE(next(is_release) == in_child, is_release);  // false alarm: 2^-64
    close(ends[0]);
    close(ends[1]);
  }
}

TEST(Stream, AReleaseWithoutEntropyIsReported) {
  for (const Fault fault : {Fault::kFails, Fault::kStuck}) {
    const std::unique_ptr<Stream> stream = keyed_stream({.good_bytes = 1024, .fault = fault});
    EXPECT_EQ(freshen(*stream, scripted).error().code, Code::kNoEntropy);
    EXPECT_EQ(stream->remaining, Stream::kWords);  // from the key alone, as R2 says
    script = {.good_bytes = 512, .fault = fault};
    const std::unique_ptr<Stream> empty = empty_stream();
    EXPECT_EQ(freshen(*empty, scripted).error().code, Code::kNoEntropy);
    EXPECT_EQ(empty->remaining, 0u);
  }
}

// R1.
TEST(Stream, HasNoWordsWhenTheFirstReadFailsOrIsSick) {
  for (const Fault fault : {Fault::kFails, Fault::kStuck}) {
    for (const std::size_t good : {0u, 1u, 31u, 32u, 512u, 1018u}) {
      script = {.good_bytes = good, .fault = fault};
      const std::unique_ptr<Stream> stream = empty_stream();
      const Result<void> read = refill(*stream, scripted);
      ASSERT_FALSE(read.has_value());
      EXPECT_EQ(read.error().code, Code::kNoEntropy);
      EXPECT_EQ(stream->remaining, 0u);
      EXPECT_FALSE(stream->keyed);
      EXPECT_EQ(stream->block.key, CipherKey{});
    }
  }
}

// R2.
TEST(Stream, KeepsGivingWordsFromItsKeyWhenALaterReadFailsOrIsSick) {
  for (const Fault fault : {Fault::kFails, Fault::kStuck}) {
    const std::unique_ptr<Stream> stream = keyed_stream({.good_bytes = 1024, .fault = fault});
    for (std::uint32_t i = 1; i < Stream::kRefillsPerKeyRead; ++i) {
      drain(*stream);
      ASSERT_TRUE(refill(*stream, scripted).has_value());
    }
    const CipherKey key = stream->block.key;
    drain(*stream);
    EXPECT_EQ(refill(*stream, scripted).error().code, Code::kNoEntropy);
    EXPECT_EQ(stream->remaining, Stream::kWords);
    std::vector<std::uint8_t> expected(sizeof(Stream::Block));
    key_stream(fastest_cipher(), key, expected);
    EXPECT_EQ(std::memcmp(&stream->block, expected.data(), expected.size()), 0);
  }
}

TEST(Stream, ASourceThatWasSickOnceIsNotTakenBack) {
  const std::unique_ptr<Stream> stream = keyed_stream({.good_bytes = 1024, .fault = Fault::kStuck});
  int failures = 0;
  for (std::uint32_t i = 1; i < 4 * Stream::kRefillsPerKeyRead; ++i) {
    drain(*stream);
    if (i > Stream::kRefillsPerKeyRead) script.fault = Fault::kNone, script.good_bytes = 1 << 30;
    if (!refill(*stream, scripted).has_value()) ++failures;
  }
  EXPECT_EQ(failures, 3);
}

// R3: what a child finds is this, or the state of the test above.
TEST(Stream, WipedStateKeysItselfAnewAndForgetsTheReservoir) {
  const std::unique_ptr<Stream> stream = keyed_stream({});
  stream->take_narrow(5, refill_scripted);
  std::memset(static_cast<void*>(stream.get()), 0, sizeof(Stream));
  script.seed = 77;
  const std::uint64_t bits = stream->take_narrow(63, refill_scripted);
  EXPECT_EQ(bits, stream->block.words[Stream::kWords - 1] & (~std::uint64_t{0} >> 1));
  EXPECT_EQ(stream->refills, 1u);
  EXPECT_EQ(script.given, 2u * 1024u);
  EXPECT_EQ(stream->bits_taken(), 63u);
}

// The whole stream as a queue: wide takes read words; narrow ones read bits from the low end of
// words, each word to its end before the next.
RC_GTEST_PROP(Stream, NarrowTakesSplitWordsWithoutLossOrOverlap, (std::uint64_t seed)) {
  const std::unique_ptr<Stream> stream = keyed_stream({.seed = seed});
  const auto widths = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 65));
  const std::unique_ptr<Stream> model = std::make_unique<Stream>(*stream);
  std::uint32_t next = Stream::kWords;
  std::deque<bool> reservoir;
  std::uint64_t total = 0;
  for (const int k : widths) {
    if (next == 0) break;
    std::uint64_t expected = 0;
    std::uint64_t taken = 0;
    if (k == 64) {
      expected = model->block.words[--next];
      taken = stream->take_word(refill_scripted);
    } else {
      if (reservoir.size() < static_cast<std::size_t>(k)) {
        const std::uint64_t word = model->block.words[--next];
        for (int i = 0; i < 64; ++i) reservoir.push_back((word >> i & 1) != 0);
      }
      for (int i = 0; i < k; ++i) {
        expected |= std::uint64_t{reservoir.front()} << i;
        reservoir.pop_front();
      }
      taken = stream->take_narrow(k, refill_scripted);
    }
    total += static_cast<std::uint64_t>(k);
    RC_ASSERT(taken == expected);
    RC_ASSERT(stream->bits_taken() == total);
  }
}

TEST(Stream, RunsOfWordsAreFreshAndAsManyAsAsked) {
  const std::unique_ptr<Stream> stream = keyed_stream({});
  const std::unique_ptr<Stream> model = std::make_unique<Stream>(*stream);
  std::uint32_t left = Stream::kWords;
  for (const std::size_t max : {1u, 2u, 7u, 500u, 1000u, 100000u}) {
    const std::span<const std::uint64_t> run = stream->take_words(max, refill_scripted);
    EXPECT_EQ(run.size(), std::min<std::size_t>(max, left));
    left -= static_cast<std::uint32_t>(run.size());
    EXPECT_EQ(std::memcmp(run.data(), model->block.words + left, 8 * run.size()), 0);
  }
  EXPECT_EQ(left, 0u);
  EXPECT_EQ(stream->bits_taken(), 64u * Stream::kWords);
  EXPECT_EQ(stream->take_words(3, refill_scripted).size(), 3u);
}

}  // namespace
}  // namespace discreet::random::stream_test
