// SPDX-License-Identifier: Apache-2.0
#include "cli/noise_request.h"

#include <algorithm>
#include <utility>

#include "cli/price.h"
#include "report/number.h"
#include "report/table.h"

namespace discreet::cli {
namespace {

using report::Cell;

// At a few nanoseconds a draw this is a minute or two.
constexpr std::uint64_t kCountMax = 10'000'000'000;

// An error below 10^-12 is shown as that: rounded up, it is still true.
constexpr int kDecimalsMax = 12;

}  // namespace

Rational rational(Int128 n) { return Rational(to_integer(n)); }

Result<NoiseRequest> NoiseRequest::read(const NoiseArguments& arguments, const char* example) {
  if (!arguments.value) return missing("--value", example);
  DISCREET_ASSIGN(Rational value, parse_number("value", *arguments.value));
  DISCREET_ASSIGN(Sensitivity sensitivity,
                  required<Sensitivity>(arguments.sensitivity, "--sensitivity", example));
  DISCREET_ASSIGN(Confidence confidence, confidence_of(arguments.confidence));
  DISCREET_ASSIGN(const report::Format format, arguments.format.parse());
  std::uint64_t count = 0;
  if (arguments.count) {
    DISCREET_ASSIGN(count, parse_count("count", *arguments.count, kCountMax));
    if (arguments.format.given()) {
      return invalid_input("--count prints plain lines; leave out --format and --json");
    }
    if (arguments.payer.where.ledger) {
      return invalid_input(
          "--count is for looking at noise; a ledger pays for one answer at a time");
    }
  }
  DISCREET_ASSIGN(auto payer, Payer::open(arguments.payer));
  return NoiseRequest{
      std::move(value), std::move(sensitivity), std::move(confidence), format, count,
      std::move(payer)};
}

Result<Int128> whole(const std::string& name, const Rational& value, Int128 most) {
  if (value.denominator() != 1) {
    return invalid_input(name + " must be a whole number; for others choose a grid with discreet " +
                         "noise laplace --step, such as --step 0.01");
  }
  if (value.abs() > rational(most)) {
    return invalid_input(name + " must lie between -" + to_string(most) + " and " +
                         to_string(most));
  }
  return to_int128(value.numerator());
}

Result<int> show(const Streams& streams, const NoiseRequest& request, const NoisyNumber& number,
                 const Provenance& provenance) {
  const int decimals = std::min(report::decimals_for(number.expected_error, 3), kDecimalsMax);
  const std::string error = report::fixed(number.expected_error, decimals, report::Toward::kUp);
  report::Sheet sheet;
  sheet.line("answer", number.answer.to_string());
  if (number.raw) sheet.line("raw", number.raw->to_string() + " (unbiased: for sums)");
  sheet.line("interval", number.low.to_string() + " to " + number.high.to_string() + ", with " +
                             percent(request.confidence) + " confidence");
  sheet.line("expected error", error);
  sheet.field("answer", Cell::number(number.answer.to_string()));
  sheet.field("answer_low", Cell::number(number.low.to_string()));
  sheet.field("answer_high", Cell::number(number.high.to_string()));
  if (number.raw) sheet.field("raw", Cell::number(number.raw->to_string()));
  sheet.field("confidence", Cell::number(request.confidence.to_string()));
  sheet.field("expected_error", Cell::number(error));
  add_price(sheet, provenance.cost, request.payer->text());
  sheet.line("protects",
             "which of two values at most " + request.sensitivity.to_string() + " apart it was");
  sheet.line("noise", provenance.noise.text);
  sheet.field("noise", Cell::words(provenance.noise.text));
  DISCREET_ASSIGN(const std::string bytes, request.payer->finish(sheet.render(request.format)));
  DISCREET_TRY(write_all(streams.out, bytes));
  return 0;
}

}  // namespace discreet::cli
