// SPDX-License-Identifier: Apache-2.0
// discreet local respond: every person's bit, kept or flipped by a coin of its own.
#include <algorithm>
#include <memory>

#include "cli/own_values.h"
#include "cli/program.h"
#include "cli/response_arguments.h"
#include "local/bit_lines.h"

namespace discreet::cli {
namespace {

constexpr std::size_t kBitsAtOnce = 1 << 18;

void spell(const std::vector<std::uint8_t>& replies, local::Vocabulary vocabulary,
           std::string& out) {
  if (vocabulary == local::Vocabulary::kDigits) {
    out.resize(2 * replies.size());
    for (std::size_t i = 0; i < replies.size(); ++i) {
      out[2 * i] = static_cast<char>('0' + replies[i]);
      out[2 * i + 1] = '\n';
    }
    return;
  }
  out.clear();
  for (std::uint8_t reply : replies) {
    out += local::spelling(vocabulary, reply != 0);
    out += '\n';
  }
}

Result<int> run_respond(const ResponseArguments& arguments, const Streams& streams) {
  DISCREET_ASSIGN(const auto one, arguments.mechanism(kRespondExample));
  const mechanism::RandomizedResponses each(one);
  // A stream cannot be taken back, so the last line is read before the first reply is written.
  DISCREET_ASSIGN(const local::BitLines lines, read_bits(streams.in));
  const std::vector<std::uint8_t>& bits = lines.bits();
  std::string text;
  for (std::size_t at = 0; at < bits.size(); at += kBitsAtOnce) {
    const auto begin = bits.begin() + static_cast<std::ptrdiff_t>(at);
    const auto size = static_cast<std::ptrdiff_t>(std::min(kBitsAtOnce, bits.size() - at));
    DISCREET_ASSIGN(const auto released,
                    OwnValues::release(each, std::vector<std::uint8_t>(begin, begin + size)));
    spell(released.value(), lines.vocabulary(), text);
    DISCREET_TRY(write_all(streams.out, text));
  }
  say(streams.err,
      "note: each reply costs its person " + to_string(each.cost()) + ", " + kNoBudget + "\n");
  return 0;
}

}  // namespace

void add_respond(Program& program, CLI::App& local) {
  const auto arguments = std::make_shared<ResponseArguments>();
  CLI::App& app = program.command(
      local, "respond",
      {.summary = "randomize bits, one a line, each with a coin of its own",
       .explanation =
           "Randomized response: each person keeps the true bit with probability\n"
           "e^epsilon/(1+e^epsilon) and flips it otherwise, so that nobody can be held to a\n"
           "reply. Reads 0/1, yes/no or true/false lines from standard input and writes as many\n"
           "replies in the same words. One bad line, and nothing is written.\n",
       .closing = "Costs each person epsilon. A person who answers twice pays twice.\n\n"
                  "Example:\n"
                  "  printf 'yes\\nno\\nno\\n' | discreet local respond --epsilon 1\n"
                  "    yes\n"
                  "    no\n"
                  "    yes"},
      [arguments](const Streams& streams) { return run_respond(*arguments, streams); });
  arguments->add_to(app);
}

}  // namespace discreet::cli
