// SPDX-License-Identifier: Apache-2.0
#include "ledger/record.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/version.h"
#include "ledger/seal.h"

namespace discreet::ledger {
namespace {

// Part of every hash, so that bytes made for another purpose or by another version are no record.
constexpr std::string_view kDomain = "discreet ledger record 1\n";

class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out) {}

  Encoder& number(std::uint64_t value) {
    const std::uint64_t big_endian = __builtin_bswap64(value);
    out_.append(reinterpret_cast<const char*>(&big_endian), sizeof(big_endian));
    return *this;
  }
  Encoder& time(std::int64_t ms) { return number(static_cast<std::uint64_t>(ms)); }
  Encoder& kind(Kind kind) { return number(static_cast<std::uint64_t>(kind)); }
  Encoder& amount(const Amount& amount) {
    const auto units = static_cast<Uint128>(amount.units());
    return number(static_cast<std::uint64_t>(units >> 64U))
        .number(static_cast<std::uint64_t>(units));
  }
  Encoder& hash(const Hash& hash) {
    out_.append(bytes_of(hash));
    return *this;
  }
  Encoder& text(std::string_view text) {
    number(text.size());
    out_.append(text);
    return *this;
  }

 private:
  std::string& out_;
};

/// What an Encoder put, in the same order. Once something does not fit, nothing does any more.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}

  Decoder& number(std::uint64_t& value) { return take_bytes<8>(value); }
  Decoder& time(std::int64_t& ms) {
    std::uint64_t value = 0;
    number(value);
    ms = static_cast<std::int64_t>(value);
    return *this;
  }
  Decoder& kind(Kind& kind) {
    std::uint64_t value = 0;
    number(value);
    if (!fits_) return *this;
    if (!is_known_kind(value)) {
      unknown_kind_ = value;
      return fail();
    }
    kind = static_cast<Kind>(value);
    return *this;
  }
  Decoder& amount(Amount& amount) {
    Uint128 units = 0;
    take_bytes<16>(units);
    const Result<Amount> read = Amount::from_units(static_cast<Int128>(units));
    if (!read) return fail();
    amount = *read;
    return *this;
  }
  Decoder& hash(Hash& hash) {
    const std::string_view bytes = take(hash.size());
    std::copy(bytes.begin(), bytes.end(), hash.begin());
    return *this;
  }
  Decoder& text(std::string& text) {
    std::uint64_t size = 0;
    number(size);
    text = take(size);
    return *this;
  }
  bool fits() const { return fits_; }
  std::optional<std::uint64_t> unknown_kind() const { return unknown_kind_; }
  std::string_view rest() const { return rest_; }

 private:
  Decoder& fail() {
    fits_ = false;
    return *this;
  }
  std::string_view take(std::uint64_t size) {
    if (!fits_ || size > rest_.size()) {
      fail();
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  template <int kSize, class Unsigned>
  Decoder& take_bytes(Unsigned& value) {
    value = 0;
    for (const char c : take(kSize)) value = value << 8U | static_cast<unsigned char>(c);
    return *this;
  }

  std::string_view rest_;
  bool fits_ = true;
  std::optional<std::uint64_t> unknown_kind_;
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kKindTable.size(); ++i) {
    if (static_cast<std::size_t>(kKindTable[i].kind) != i) return false;
    if (kKindTable[i].since < 1 || kKindTable[i].since > kLedgerFormat) return false;
  }
  return true;
}
static_assert(is_in_order());

/// The order of the fields, in which they are written and read: part of the format (chain.md).
template <class Coder, class AnyRecord>
void each_field(Coder& coder, AnyRecord& record) {
  coder.number(record.sequence)
      .time(record.time_ms)
      .kind(record.kind)
      .number(record.writer)
      .text(record.units)
      .text(record.analyst)
      .text(record.blocks)
      .amount(record.price.amount)
      .amount(record.price.delta)
      .text(record.request_id)
      .text(record.question)
      .text(record.snapshot)
      .hash(record.plan)
      .number(record.about)
      .hash(record.content)
      .text(record.detail);
}

}  // namespace

Error unknown_kind(std::uint64_t sequence, std::uint64_t number) {
  return {Code::kUnsupported, "record " + std::to_string(sequence) + " is of kind " +
                                  std::to_string(number) +
                                  ": a newer version of discreet wrote it. discreet " + kVersion +
                                  " knows ledgers up to format " + std::to_string(kLedgerFormat) +
                                  "; use a newer program"};
}

Error newer_format(const std::string& name, const std::string& format) {
  return {Code::kUnsupported, name + " has format " + format + ", but discreet " + kVersion +
                                  " knows formats up to " + std::to_string(kLedgerFormat) +
                                  "; use a newer program"};
}

Error older_format(const std::string& name, const std::string& format) {
  return {Code::kUnsupported, name + " has format " + format + ", and discreet " + kVersion +
                                  " writes format " + std::to_string(kLedgerFormat) +
                                  "; `discreet ledger upgrade` converts it and keeps a copy "
                                  "(--check only says what it would do)"};
}

Hash chain(const Hash& previous, const Record& record) {
  thread_local std::string bytes;  // kept, because a fold hashes millions
  bytes.assign(kDomain);
  Encoder encoder(bytes);
  encoder.hash(previous);
  each_field(encoder, record);
  return sha256(bytes);
}

void write_record(std::string& bytes, const Record& record) {
  Encoder encoder(bytes);
  each_field(encoder, record);
  encoder.text(record.signature).hash(record.hash);
}

Result<void> take_record(std::string_view& bytes, Record& record) {
  Decoder decoder(bytes);
  each_field(decoder, record);
  decoder.text(record.signature).hash(record.hash);
  if (const auto number = decoder.unknown_kind()) return unknown_kind(record.sequence, *number);
  if (!decoder.fits()) return Error{Code::kCorrupt, "the bytes of a record cannot be read"};
  bytes = decoder.rest();
  return {};
}

std::string join_names(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string text;
  for (const std::string& name : names) text += std::to_string(name.size()) + ":" + name;
  return text;
}

Result<std::vector<std::string>> split_names(std::string_view text) {
  std::vector<std::string> names;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::size_t size = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    const auto digits = static_cast<std::size_t>(stop - rest.data());
    if (error != std::errc() || digits == rest.size() || *stop != ':' ||
        size > rest.size() - digits - 1) {
      break;
    }
    names.emplace_back(rest.substr(digits + 1, size));
    rest.remove_prefix(digits + 1 + size);
  }
  if (!rest.empty() || join_names(names) != text) {
    return Error{Code::kCorrupt, "a list of names is spelt wrongly"};
  }
  return names;
}

std::string_view bytes_of(const Hash& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

std::uint64_t receipt_number(std::string_view question, std::string_view snapshot,
                             const Hash& plan) {
  std::string text = "discreet receipt 1\n";
  for (const std::string_view part : {question, snapshot, bytes_of(plan)}) {
    text += std::to_string(part.size()) + ":";
    text += part;
  }
  const Hash hash = sha256(text);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) number = number << 8 | hash[i];
  return number >> 12;
}

}  // namespace discreet::ledger
