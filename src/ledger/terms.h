// SPDX-License-Identifier: Apache-2.0
// What the owner lays down once: how a ledger is witnessed, and in which notion, for which
// neighbours and up to which caps a namespace of units is accounted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ledger/record.h"
#include "ledger/seal.h"
#include "privacy/cost.h"

namespace discreet::ledger {

/// One per namespace, fixed at its creation. What a line of a charge costs in it:
enum class Notion {
  kEpsilon,  ///< its epsilon and its delta, added up
  kZcdp,     ///< its rho, or epsilon^2/2 where it has none, and its delta; added up
  kPure,     ///< its epsilon; a delta is refused
};

std::string_view to_string(Notion notion);
/// "epsilon", "zcdp" or "pure". Fails with: kInvalidInput.
Result<Notion> parse_notion(std::string_view text);

/// "epsilon" or "rho": what Price::amount is in this notion.
std::string_view amount_name(Notion notion);
/// "epsilon 0.5", "rho 0.1 and delta 0.000001": exactly.
std::string to_text(Notion notion, const Price& price);
/// The same as people read it (privacy/shown.h): prices up, what is left down.
std::string to_text(Notion notion, const Price& price, Round direction);

struct AnalystTerms {
  std::string name = {};
  Price cap = {};
};

struct NamespaceTerms {
  std::string name = {};
  Notion notion = Notion::kEpsilon;
  Neighbours neighbours = Neighbours::kAddRemove;
  Price cap = {};
  /// kZcdp only: the delta at which rho is turned into epsilon. It is set aside here once and for
  /// all, on top of the cap's delta.
  Amount conversion_delta = {};
  /// An immutable attribute of a unit that puts it into one block; empty: there are no blocks.
  std::string block_attribute = {};
  /// How far each bit of the source may be bent (Santha-Vazirani); 0: the coins are fair. Above 0
  /// every charge needs a certificate for it, and the ledger gives one answer in its life.
  Rational gamma = 0;
  std::vector<std::string> blocks = {};  ///< values; more can be declared later, none taken away
  std::vector<AnalystTerms> analysts = {};
};

/// Fails with: kInvalidInput, naming what is off: a cap of 0 or beyond 2^40, a delta of 1 or more,
/// a delta in a pure namespace, a name that is empty, too long or holds control characters.
Result<void> check_terms(const NamespaceTerms& terms);
Result<void> check_analyst_cap(Notion notion, const Price& cap);
/// `what` completes "the name of ...".
Result<void> check_name(std::string_view what, std::string_view name);

/// The largest cap, of an account with all its top-ups: 2^40.
Amount largest_cap();

/// The terms as a kNamespace's detail (without caps, blocks and analysts), and back.
std::string to_detail(const NamespaceTerms& terms);
Result<NamespaceTerms> parse_namespace(const Record& record);

/// A kCreated's detail.
struct LedgerTerms {
  std::string id = {};
  PublicKey owner = {};
  std::uint64_t witness_every = 1;  ///< charges
  std::int64_t witness_ms = 0;      ///< 0: no limit of time
};

std::string to_detail(const LedgerTerms& terms);
/// Fails with: kInvalidInput.
Result<void> check_terms(const LedgerTerms& terms);
Result<LedgerTerms> parse_created(const Record& record);

/// What a kUpgraded says.
struct UpgradeTerms {
  int from = 0;         ///< formats (record.h)
  int to = 0;           ///< above `from`
  std::string program;  ///< the version that did it
};

std::string to_detail(const UpgradeTerms& terms);
/// Fails with: kCorrupt; kUnsupported for a format that this program does not know.
Result<UpgradeTerms> parse_upgraded(const Record& record);

/// That every line's theorem holds on the coins that the namespace assumes. Fails with: kRefused.
Result<void> check_coins(const NamespaceTerms& terms, const std::vector<ChargeLine>& lines);

/// What a charge costs in a notion: the sum over its lines, each rounded up to 10^-18.
/// `moves`: for so many units at once (group_cost).
/// Fails with: kRefused when a line has no guarantee in the notion; kInvalidInput when there is no
/// line, or a sum does not fit.
Result<Price> price_of(Notion notion, const std::vector<ChargeLine>& lines, std::int64_t moves = 1);

}  // namespace discreet::ledger
