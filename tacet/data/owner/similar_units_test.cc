#include "tacet/data/owner/similar_units.h"

#include <gtest/gtest.h>

namespace tacet::data {
namespace similar_units_test {

std::int64_t count_of(std::initializer_list<std::string_view> names) {
  SimilarUnits units;
  std::int64_t line = 2;
  for (const auto name : names) units.add(name, line++);
  return units.count();
}

TEST(SimilarUnits, AreTextsThatDifferByCaseOrBlanksAlone) {
  EXPECT_EQ(count_of({"Ann", "Bob", "Ann"}), 0);
  EXPECT_EQ(count_of({"Ann", "ann", "ANN"}), 2);
  EXPECT_EQ(count_of({"Ann", " Ann"}), 1);
  EXPECT_EQ(count_of({"Ann Lee", "Ann  Lee", "AnnLee", "Ann\xc2\xa0Lee"}), 3);
  EXPECT_EQ(count_of({"\xc3\x89va", "\xc3\xa9va"}), 1);              // É, é
  EXPECT_EQ(count_of({"\xd0\x98\xd0\xb2", "\xd0\xb8\xd0\xb2"}), 1);  // Ив, ив
  EXPECT_EQ(count_of({"\xc5\xbb", "\xc5\xbc", "\xc5\xbd"}), 1);      // Ż, ż, Ž
  EXPECT_EQ(count_of({"7", "7.0", " 7"}), 0);
  EXPECT_EQ(count_of({"", " "}), 0);
}

TEST(SimilarUnits, SayWhereTheFirstStands) {
  SimilarUnits units;
  units.add("a", 2);
  EXPECT_EQ(units.first_line(), 0);
  units.add("A", 3);
  units.add("a ", 4);
  EXPECT_EQ(units.first_line(), 3);
}

}  // namespace similar_units_test
}  // namespace tacet::data
