#include "tacet/ledger/fingerprint.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/ledger/digest.h"

namespace tacet::ledger {
namespace fingerprint_test {

const std::string key_a(64, 'a');
const std::string key_b(64, 'b');

std::string of(const std::vector<std::string>& records, const std::string& key = key_a) {
  Fingerprint fingerprint(key);
  for (const auto& record : records) fingerprint.add(record);
  return fingerprint.digest();
}

TEST(Fingerprint, IsTheSameInAnyOrderOfTheRecords) {
  EXPECT_EQ(of({"1,2", "3,4", "5,6"}), of({"5,6", "1,2", "3,4"}));
  EXPECT_TRUE(is_digest(of({})));
}

TEST(Fingerprint, ChangesWithAnyRecordTheirNumberAndTheKey) {
  const auto base = of({"1,2", "3,4"});
  EXPECT_NE(base, of({"1,2", "3,5"}));
  EXPECT_NE(base, of({"1,2"}));
  EXPECT_NE(base, of({"1,2", "3,4", "3,4"}));
  EXPECT_NE(base, of({"1,23,4"}));
  EXPECT_NE(base, of({"1,2", "3,4"}, key_b));
  EXPECT_NE(of({}), of({""}));
}

/// A table of numbers, a record a row.
std::string of_numbers(const std::vector<std::vector<double>>& rows) {
  Fingerprint fingerprint(key_a);
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k) fingerprint.add_number(k, row[k]);
    fingerprint.end_record();
  }
  return fingerprint.digest();
}

TEST(Fingerprint, IsTheSameInAnyOrderOfTheColumnsAndWithoutZeros) {
  const auto base = of_numbers({{1, 2, 0}, {3, 0, 4}, {5, 6, 0}});
  EXPECT_EQ(base, of_numbers({{0, 2, 1}, {4, 0, 3}, {0, 6, 5}}));
  EXPECT_EQ(base, of_numbers({{5, 6}, {1, 2}, {3, 0, -0.0, 4}}));
  EXPECT_NE(base, of_numbers({{1, 2, 0}, {3, 0, 4}, {6, 5, 0}}));  // one record exchanges two
  EXPECT_NE(base, of_numbers({{1, 2, 0}, {3, 4, 0}, {5, 6, 0}}));
  EXPECT_NE(base, of_numbers({{1, 2, 0}, {3, 0, 4}, {5, 6, 0}, {0, 0, 0}}));
}

// A first line may be names or a record: all but it is known as well.
TEST(Fingerprint, IsKnownWithoutItsFirstRecord) {
  const auto of_rest = [](const std::vector<std::string>& records) {
    Fingerprint fingerprint(key_a);
    for (const auto& record : records) fingerprint.add(record);
    return fingerprint.digest_without_first();
  };
  EXPECT_EQ(of_rest({"x", "1,2", "3,4"}), of({"3,4", "1,2"}));
  EXPECT_NE(of_rest({"1,2", "x", "3,4"}), of({"3,4", "1,2"}));
  EXPECT_FALSE(of_rest({"x"}));
  EXPECT_FALSE(of_rest({}));
}

TEST(Fingerprint, OfMoreRecordsThanAreKeptIsTheSameInAnyOrder) {
  constexpr int rows = 200'000;
  const auto of_many = [&](bool turned, bool with_names, int changed) {
    Fingerprint fingerprint(key_a);
    if (with_names) fingerprint.add_text(0, "x");
    if (with_names) fingerprint.end_record();
    for (int k = 0; k < rows; ++k) {
      const int row = turned ? rows - 1 - k : k;
      fingerprint.add_number(turned ? 2 : 0, 1 + row % 7);
      fingerprint.add_number(turned ? 0 : 2, 1 + row % 11 + (row == changed ? 1 : 0));
      fingerprint.end_record();
    }
    return std::pair(fingerprint.digest(), fingerprint.digest_without_first());
  };
  const auto expected = of_many(false, false, -1).first;
  EXPECT_EQ(of_many(true, false, -1).first, expected);
  EXPECT_EQ(of_many(true, true, -1).second, expected);
  EXPECT_NE(of_many(true, true, -1).first, expected);
  EXPECT_NE(of_many(false, false, 77).first, expected);
}

// Both have two flags in each record and in each column.
TEST(Fingerprint, TellsRegularTablesApart) {
  EXPECT_NE(of_numbers({{1, 1, 0, 0}, {1, 1, 0, 0}, {0, 0, 1, 1}, {0, 0, 1, 1}}),
            of_numbers({{1, 1, 0, 0}, {0, 1, 1, 0}, {0, 0, 1, 1}, {1, 0, 0, 1}}));
}

// Tables of flags alone have few different records and columns.
TEST(Fingerprint, TellsTablesOfFlagsApart) {
  const auto base = of_numbers({{1, 1, 0}, {0, 1, 1}, {1, 0, 0}, {0, 0, 1}});
  EXPECT_NE(base, of_numbers({{1, 1, 0}, {0, 1, 1}, {0, 1, 0}, {1, 0, 0}}));
  EXPECT_NE(base, of_numbers({{1, 1, 0}, {1, 1, 0}, {0, 0, 1}, {0, 0, 1}}));
}

TEST(Fingerprint, KnowsTheColumnsThatARunReads) {
  const auto of_read = [](const std::vector<bool>& read) {
    Fingerprint fingerprint(key_a);
    fingerprint.read_only(read);
    for (int k = 1; k < 4; ++k) {
      fingerprint.add_number(0, k);
      fingerprint.add_text(1, "a");
      if (read.size() > 2) fingerprint.add_number(2, 10 * k);
      fingerprint.end_record();
    }
    return std::pair(fingerprint.digest(), fingerprint.digest_of_read());
  };
  const auto [two, both] = of_read({true, true});
  const auto [three, first_two] = of_read({true, true, false});
  EXPECT_EQ(two, both);
  EXPECT_EQ(first_two, two);
  EXPECT_NE(three, two);
  EXPECT_EQ(of_read({false, true, true}).first, three);
}

TEST(Fingerprint, WantsALedgersKey) {
  EXPECT_THROW(Fingerprint("short"), base::InternalError);
  EXPECT_NE(random_key(), random_key());
  EXPECT_TRUE(is_digest(random_key()));
}

// FIPS 180-4, appendix B.1.
TEST(Digest, IsSha256) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace fingerprint_test
}  // namespace tacet::ledger
