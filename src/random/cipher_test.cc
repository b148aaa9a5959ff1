// SPDX-License-Identifier: Apache-2.0
#include "random/cipher.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "random/aes_ctr.h"
#include "random/chacha20.h"

namespace discreet::random::cipher_test {
namespace {

std::vector<std::uint8_t> from_hex(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

template <class Array>
Array array_from_hex(const std::string& hex) {
  Array array{};
  const std::vector<std::uint8_t> bytes = from_hex(hex);
  EXPECT_EQ(bytes.size(), array.size());
  std::copy(bytes.begin(), bytes.end(), array.begin());
  return array;
}

std::vector<std::uint8_t> chacha_bytes(const std::string& key, const std::string& nonce,
                                       std::uint32_t counter, std::size_t size) {
  std::vector<std::uint8_t> out(size);
  chacha20(array_from_hex<CipherKey>(key), array_from_hex<ChaChaNonce>(nonce), counter, out);
  return out;
}

constexpr char kCountingKey[] = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

TEST(ChaCha20, MatchesTheBlockOfRfc8439Section232) {
  EXPECT_EQ(chacha_bytes(kCountingKey, "000000090000004a00000000", 1, 64),
            from_hex("10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
                     "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"));
}

TEST(ChaCha20, MatchesAppendixA1OfRfc8439) {
  const std::string zeros(64, '0');
  EXPECT_EQ(chacha_bytes(zeros, std::string(24, '0'), 0, 128),
            from_hex("76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
                     "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
                     "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
                     "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"));
}

// Section 2.4.2: the cipher text of the RFC's sunscreen sentence, 114 bytes, is it xor the stream.
TEST(ChaCha20, MatchesTheEncryptionOfRfc8439Section242) {
  const std::string text =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
      "sunscreen would be it.";
  std::vector<std::uint8_t> stream =
      chacha_bytes(kCountingKey, "000000000000004a00000000", 1, text.size());
  for (std::size_t i = 0; i < text.size(); ++i) stream[i] ^= static_cast<std::uint8_t>(text[i]);
  EXPECT_EQ(stream, from_hex("6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b"
                             "f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8"
                             "07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736"
                             "5af90bbf74a35be6b40b8eedf2785e42874d"));
}

#if defined(__x86_64__)

using AesCtr = void (*)(const CipherKey&, const CounterBlock&, std::span<std::uint8_t>);

// The forms of AES that this processor has; the product uses one of them or ChaCha20.
std::vector<AesCtr> forms_of_aes() {
  std::vector<AesCtr> forms;
  if (cipher_supported(Cipher::kAes)) forms.push_back(aes256_ctr);
  if (cipher_supported(Cipher::kAesWide)) forms.push_back(aes256_ctr_wide);
  return forms;
}

TEST(Aes256Ctr, MatchesAppendixC3OfFips197) {
  for (const AesCtr form : forms_of_aes()) {
    std::vector<std::uint8_t> out(16);
    form(array_from_hex<CipherKey>(kCountingKey),
         array_from_hex<CounterBlock>("00112233445566778899aabbccddeeff"), out);
    EXPECT_EQ(out, from_hex("8ea2b7ca516745bfeafc49904b496089"));
  }
}

TEST(Aes256Ctr, MatchesSectionF55OfSp80038a) {
  const std::vector<std::uint8_t> plain = from_hex(
      "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
      "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710");
  for (const AesCtr form : forms_of_aes()) {
    std::vector<std::uint8_t> out(plain.size());
    form(array_from_hex<CipherKey>(
             "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
         array_from_hex<CounterBlock>("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"), out);
    for (std::size_t i = 0; i < plain.size(); ++i) out[i] ^= plain[i];
    EXPECT_EQ(out, from_hex("601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
                            "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"));
  }
}

CounterBlock counter_block(std::uint64_t high, std::uint64_t low) {
  CounterBlock block{};
  for (std::size_t i = 0; i < 8; ++i) {
    block[i] = static_cast<std::uint8_t>(high >> (56 - 8 * i));
    block[8 + i] = static_cast<std::uint8_t>(low >> (56 - 8 * i));
  }
  return block;
}

// One block at a time, each with its own counter, is the definition of counter mode.
RC_GTEST_PROP(Aes256Ctr, AllFormsGiveTheBlocksOneByOne,
              (CipherKey key, std::uint64_t high, std::uint64_t low)) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 1100);
  for (const AesCtr form : forms_of_aes()) {
    std::vector<std::uint8_t> out(size);
    form(key, counter_block(high, low), out);
    for (std::size_t at = 0; at < size; at += 16) {
      std::array<std::uint8_t, 16> block{};
      aes256_ctr(key, counter_block(high, low + at / 16), block);
      const std::size_t length = std::min<std::size_t>(16, size - at);
      RC_ASSERT(std::equal(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(length),
                           out.begin() + static_cast<std::ptrdiff_t>(at)));
    }
  }
}

#endif

RC_GTEST_PROP(ChaCha20, GivesTheBlocksOneByOne, (CipherKey key, ChaChaNonce nonce)) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 1100);
  std::vector<std::uint8_t> out(size);
  chacha20(key, nonce, 7, out);
  for (std::size_t at = 0; at < size; at += 64) {
    std::array<std::uint8_t, 64> block{};
    chacha20(key, nonce, static_cast<std::uint32_t>(7 + at / 64), block);
    const std::size_t length = std::min<std::size_t>(64, size - at);
    RC_ASSERT(std::equal(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(length),
                         out.begin() + static_cast<std::ptrdiff_t>(at)));
  }
}

// The forms of AES are one cipher: a key gives the same bytes on every processor that has one.
RC_GTEST_PROP(Cipher, KeyStreamIsTheCipherFromCounterZero, (CipherKey key)) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 20000);
  std::vector<std::uint8_t> expected(size);
  std::vector<std::uint8_t> out(size);
  chacha20(key, ChaChaNonce{}, 0, expected);
  key_stream(Cipher::kChaCha20, key, out);
  RC_ASSERT(out == expected);
#if defined(__x86_64__)
  if (!cipher_supported(Cipher::kAes)) return;
  aes256_ctr(key, CounterBlock{}, expected);
  for (const Cipher cipher : {Cipher::kAes, Cipher::kAesWide}) {
    if (!cipher_supported(cipher)) continue;
    key_stream(cipher, key, out);
    RC_ASSERT(out == expected);
  }
#endif
}

TEST(Cipher, TheFastestIsSupported) { EXPECT_TRUE(cipher_supported(fastest_cipher())); }

}  // namespace
}  // namespace discreet::random::cipher_test
