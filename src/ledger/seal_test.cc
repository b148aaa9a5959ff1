// SPDX-License-Identifier: Apache-2.0
#include "ledger/seal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "ledger/scratch_for_tests.h"

namespace discreet::ledger::seal_test {
namespace {

std::string unhex(std::string_view text) { return from_hex(text).value(); }

PublicKey public_key_of(std::string_view hex) {
  PublicKey key{};
  const std::string bytes = unhex(hex);
  std::copy(bytes.begin(), bytes.end(), key.begin());
  return key;
}

// A key file of a known seed: the only way to choose one.
OwnerKey key_of(const Scratch& scratch, std::string_view seed, std::string_view public_half) {
  const auto file = scratch / "chosen";
  spill(file, "discreet ledger owner key 1\n" + std::string(seed) + "\n" +
                  std::string(public_half) + "\n");
  chmod(file.c_str(), 0600);
  auto key = OwnerKey::load(file);
  EXPECT_TRUE(key.has_value());
  return std::move(key).value();
}

TEST(Sha256, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

struct SignatureCase {
  const char* seed;
  const char* public_half;
  const char* message;
  const char* signature;
};

// RFC 8032, section 7.1, tests 1 to 3.
constexpr SignatureCase kSignatures[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
     "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
     "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
     "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"},
};

TEST(OwnerKey, SignsAndVerifiesTheExamplesOfRfc8032) {
  const Scratch scratch;
  for (const SignatureCase& c : kSignatures) {
    const OwnerKey key = key_of(scratch, c.seed, c.public_half);
    EXPECT_EQ(to_hex(key.sign(unhex(c.message))), c.signature);
    EXPECT_TRUE(
        verify_signature(public_key_of(c.public_half), unhex(c.message), unhex(c.signature)));
  }
}

TEST(OwnerKey, AnyChangedBitBreaksTheSignature) {
  const OwnerKey key = OwnerKey::generate().value();
  const std::string message = "a record's hash";
  const std::string signature = key.sign(message);
  ASSERT_TRUE(verify_signature(key.public_key(), message, signature));
  for (std::size_t i = 0; i < signature.size(); ++i) {
    std::string bent = signature;
    bent[i] = static_cast<char>(bent[i] ^ 1);
    EXPECT_FALSE(verify_signature(key.public_key(), message, bent)) << i;
  }
  EXPECT_FALSE(verify_signature(key.public_key(), message + "x", signature));
  EXPECT_FALSE(verify_signature(key.public_key(), message, signature.substr(1)));
  EXPECT_FALSE(verify_signature(key.public_key(), message, ""));
  EXPECT_FALSE(verify_signature(OwnerKey::generate().value().public_key(), message, signature));
}

TEST(OwnerKey, SavedAndLoadedIsTheSameAndForItsOwnerOnly) {
  const Scratch scratch;
  const auto file = scratch / "key";
  const OwnerKey key = OwnerKey::generate().value();
  ASSERT_TRUE(key.save(file).has_value());
  struct stat facts{};
  ASSERT_EQ(stat(file.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777U, 0600U);
  const OwnerKey again = OwnerKey::load(file).value();
  EXPECT_EQ(again.public_key(), key.public_key());
  EXPECT_EQ(again.sign("m"), key.sign("m"));
}

TEST(OwnerKey, IsNeverWrittenOverAnExistingFile) {
  const Scratch scratch;
  const auto file = scratch / "key";
  spill(file, "somebody's");
  const auto saved = OwnerKey::generate().value().save(file);
  ASSERT_FALSE(saved.has_value());
  EXPECT_EQ(saved.error().code, Code::kConflict);
  EXPECT_EQ(slurp(file), "somebody's");
}

TEST(OwnerKey, AFullDiskLeavesNoHalfAKey) {
  const Scratch scratch;
  const auto file = scratch / "key";
  const OwnerKey key = OwnerKey::generate().value();
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto saved = key.save(file);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(saved.has_value());
  EXPECT_EQ(saved.error().code, Code::kStorage);
  EXPECT_FALSE(std::filesystem::exists(file));
}

struct BadFile {
  const char* what;
  std::string text;
  mode_t mode;
  Code code;
  const char* says;
};

TEST(OwnerKey, BadFilesAreNamed) {
  const Scratch scratch;
  const auto file = scratch / "key";
  ASSERT_TRUE(OwnerKey::generate().value().save(file).has_value());
  const std::string good = slurp(file);
  std::string bent_seed = good;
  bent_seed[30] = bent_seed[30] == '0' ? '1' : '0';
  std::string not_hex = good;
  not_hex[30] = 'x';
  std::string bent_public = good;
  bent_public[100] = bent_public[100] == '0' ? '1' : '0';
  const BadFile cases[] = {
      {"others may read it", good, 0644, Code::kStorage, "chmod 600"},
      {"its group may write it", good, 0620, Code::kStorage, "chmod 600"},
      {"empty", "", 0600, Code::kCorrupt, "cut short"},
      {"cut in the title", good.substr(0, 10), 0600, Code::kCorrupt, "cut short"},
      {"cut in the seed", good.substr(0, 50), 0600, Code::kCorrupt, "cut short"},
      {"cut at the end", good.substr(0, good.size() - 1), 0600, Code::kCorrupt, "cut short"},
      {"too long", good + "\n", 0600, Code::kCorrupt, "not a key"},
      {"seed changed", bent_seed, 0600, Code::kCorrupt, "was changed"},
      {"seed not hexadecimal", not_hex, 0600, Code::kCorrupt, "was changed"},
      {"public half changed", bent_public, 0600, Code::kCorrupt, "was changed"},
      {"zeros", std::string(good.size(), '\0'), 0600, Code::kCorrupt, "not a key"},
      {"something else", std::string(1000000, 'j'), 0600, Code::kCorrupt, "not a key"},
  };
  for (const BadFile& c : cases) {
    spill(file, c.text);
    chmod(file.c_str(), c.mode);
    const auto loaded = OwnerKey::load(file);
    ASSERT_FALSE(loaded.has_value()) << c.what;
    EXPECT_EQ(loaded.error().code, c.code) << c.what;
    EXPECT_NE(loaded.error().message.find(c.says), std::string::npos) << loaded.error().message;
    EXPECT_NE(loaded.error().message.find(file.string()), std::string::npos) << c.what;
  }
}

TEST(OwnerKey, MissingFilesAndDirectoriesAreNamed) {
  const Scratch scratch;
  const auto nowhere = scratch / "no-such-directory" / "key";
  const auto loaded = OwnerKey::load(nowhere);
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().code, Code::kNotFound);
  const auto saved = OwnerKey::generate().value().save(nowhere);
  ASSERT_FALSE(saved.has_value());
  EXPECT_EQ(saved.error().code, Code::kNotFound);
  const auto directory = OwnerKey::load(scratch.path());
  ASSERT_FALSE(directory.has_value());
  EXPECT_EQ(directory.error().code, Code::kStorage);
}

TEST(Hex, IsReadBackAndSlipsAreRefused) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(unhex(to_hex(bytes)), bytes);
  EXPECT_EQ(unhex("aBCd"), unhex("AbcD"));
  for (const char* bad : {"a", "0g", "0x12", " 12", "-1"}) {
    EXPECT_FALSE(from_hex(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace discreet::ledger::seal_test
