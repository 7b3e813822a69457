#include "tacet/random/source/key_tree.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

namespace tacet::random::internal {
namespace key_tree_test {

std::vector<std::uint8_t> from_hex(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

TEST(KeyTree, HkdfGivesTheKnownAnswersOfRfc5869) {
  // RFC 5869, A.1, A.3 and A.2, whose salt is longer than a block.
  std::vector<std::uint8_t> out(42);
  hkdf_sha256(from_hex("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"),
              from_hex("000102030405060708090a0b0c"), from_hex("f0f1f2f3f4f5f6f7f8f9"), out);
  EXPECT_EQ(out, from_hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
                          "34007208d5b887185865"));
  hkdf_sha256(from_hex("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"), {}, {}, out);
  EXPECT_EQ(out, from_hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
                          "9d201395faa4b61a96c8"));
  const auto counting = [](int first) {
    std::vector<std::uint8_t> bytes(80);
    std::iota(bytes.begin(), bytes.end(), static_cast<std::uint8_t>(first));
    return bytes;
  };
  out.resize(82);
  hkdf_sha256(counting(0x00), counting(0x60), counting(0xb0), out);
  EXPECT_EQ(out, from_hex("b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
                          "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
                          "cc30c58179ec3e87c14c01d5c1f3434f1d87"));
}

TEST(KeyTree, ChildrenAreDerivedAsDocumented) {
  // Computed with Python's hmac and hashlib.
  const Key root = Key::from_seed(7);
  const auto expected_root =
      from_hex("7282f4951ca20d2c1602ad39592dc4cb595664faa5b388be6a98f33bedffb7ef");
  EXPECT_TRUE(std::equal(root.bytes().begin(), root.bytes().end(), expected_root.begin()));
  const Key words = root.child("run").child("noise").child("leaf", 3, 5).child("words");
  const auto expected_words =
      from_hex("6fe651bf45f5fbdb9659759dfb27ddefd47ea9caf37a13061de414eec5b7c0d9");
  EXPECT_TRUE(std::equal(words.bytes().begin(), words.bytes().end(), expected_words.begin()));
}

TEST(KeyTree, RootsFromTheSystemDiffer) {
  const Key first = Key::from_system();
  const Key second = Key::from_system();
  EXPECT_FALSE(std::equal(first.bytes().begin(), first.bytes().end(), second.bytes().begin()));
}

template <class T>
concept Printable = requires(std::ostream& out, const T& value) {
  out << value;
};

TEST(KeyTree, KeysCannotBePrinted) { static_assert(!Printable<Key>); }

}  // namespace key_tree_test
}  // namespace tacet::random::internal
