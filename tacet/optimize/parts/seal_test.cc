#include "tacet/optimize/parts/seal.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tacet/base/error.h"

namespace tacet::optimize {
namespace seal_test {

TEST(Seal, OpensForItsKeyAlone) {
  const SealKey key;
  const SealKey other;
  for (const std::string& text : {std::string(), std::string("x"), std::string(100000, '\0')}) {
    const auto sealed = seal(key.public_key(), text);
    EXPECT_EQ(key.open(sealed), text);
    EXPECT_THROW((void)other.open(sealed), base::DataError);
  }
}

TEST(Seal, RefusesEveryBitThatChangedAndEveryLength) {
  const SealKey key;
  const auto sealed = seal(key.public_key(), "the sums of a part");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    for (const int bit : {0, 3, 7}) {
      // The highest bit of an X25519 point is not read (RFC 7748, section 5); the key follows from
      // the bytes themselves, so that it is refused all the same.
      auto changed = sealed;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      EXPECT_THROW((void)key.open(changed), base::DataError) << i << ' ' << bit;
    }
    EXPECT_THROW((void)key.open(std::string_view(sealed).substr(0, i)), base::DataError);
  }
  EXPECT_THROW((void)key.open(sealed + "x"), base::DataError);
  EXPECT_THROW((void)key.open(""), base::DataError);
}

TEST(Seal, ShowsNothingOfTheText) {
  const SealKey key;
  const std::string text = "marked text that nobody may read on the way";
  const auto one = seal(key.public_key(), text);
  const auto two = seal(key.public_key(), text);
  EXPECT_NE(one, two);
  EXPECT_EQ(one.size(), two.size());
  for (std::size_t i = 0; i + 4 <= text.size(); ++i) {
    EXPECT_EQ(one.find(text.substr(i, 4)), std::string::npos);
  }
}

TEST(Seal, OneKeyPairSealsManyTextsEachWithItsOwnKeyOfAes) {
  const SealKey key;
  const Sealer sealer(key.public_key());
  const std::string text(64, '\0');  // sealed by one key twice it would be the same
  std::set<std::string> streams;
  for (int k = 0; k < 100; ++k) {
    const auto sealed = sealer.seal(text);
    EXPECT_EQ(key.open(sealed), text);
    streams.insert(sealed.substr(sealed.size() - text.size() - 16, text.size()));
  }
  EXPECT_EQ(streams.size(), 100);
}

TEST(Seal, RefusesKeysThatAreNone) {
  EXPECT_THROW((void)seal("", "x"), base::UsageError);
  EXPECT_THROW((void)seal(std::string(31, 'k'), "x"), base::UsageError);
  // A point of small order: everybody would know the shared secret.
  EXPECT_THROW((void)seal(std::string(32, '\0'), "x"), base::UsageError);
}

}  // namespace seal_test
}  // namespace tacet::optimize
