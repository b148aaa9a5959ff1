// SPDX-License-Identifier: Apache-2.0
// What the ciphers leave behind in memory: nothing that depends on the key.
#include <gtest/gtest.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <vector>

#include "random/cipher.h"

namespace discreet::random::cipher_residue_test {
namespace {

// A stack of its own, so that all of it can be read afterwards.
std::array<std::uint8_t, 1 << 16> stack;
ucontext_t caller;
const std::function<void()>* work;

void run_work() { (*work)(); }

// The whole stack after `todo` ran on it, zeros where it did not reach.
std::vector<std::uint8_t> stack_after(const std::function<void()>& todo) {
  ucontext_t context;
  getcontext(&context);
  stack.fill(0);
  context.uc_stack.ss_sp = stack.data();
  context.uc_stack.ss_size = stack.size();
  context.uc_link = &caller;
  work = &todo;
  makecontext(&context, run_work, 0);
  swapcontext(&caller, &context);
  return {stack.begin(), stack.end()};
}

// How many bytes of the stack differ between two keys that have no byte in common.
std::ptrdiff_t residue(const std::function<void(const CipherKey&)>& use) {
  std::array<std::vector<std::uint8_t>, 3> after;
  CipherKey key;
  for (std::size_t i = 0; i < after.size(); ++i) {
    // The first time is for the dynamic linker, which leaves traces of its own.
    key.fill(i == 2 ? 0xa5 : 0x3c);
    after[i] = stack_after([&] { use(key); });
  }
  return std::inner_product(after[1].begin(), after[1].end(), after[2].begin(), std::ptrdiff_t{0},
                            std::plus<>(), std::not_equal_to<>());
}

// The least that a cipher keeps in one place. Fewer bytes may differ because the loop above was in
// another round.
constexpr std::ptrdiff_t kRoundKey = 16;

TEST(Cipher, LeavesNothingOfTheKeyOnTheStack) {
  std::array<std::uint8_t, 1000> out;
  for (const Cipher cipher : {Cipher::kAesWide, Cipher::kAes, Cipher::kChaCha20}) {
    if (!cipher_supported(cipher)) continue;
    EXPECT_LT(residue([&](const CipherKey& key) { key_stream(cipher, key, out); }), kRoundKey);
  }
}

TEST(Cipher, ACopyOfTheKeyThatStaysBehindIsSeen) {
  EXPECT_GE(residue([](const CipherKey& key) {
              volatile std::uint8_t copy[32];
              std::copy(key.begin(), key.end(), copy);
            }),
            2 * kRoundKey);
}

}  // namespace
}  // namespace discreet::random::cipher_residue_test
