#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/label_encoder.h"

namespace tacet::data {
namespace missing_target_test {

const std::string x =
    "missing = ['', 'NA', '-999']\n"
    "[[column]]\nname = 'x'\nkind = 'numeric'\nlower = 0\nupper = 10\n";

EncodedRow encoded(const std::string& target, std::string_view label,
                   MissingTarget rule = MissingTarget::drop) {
  auto schema = schema_from_toml(x + "[target]\ncolumn = 'y'\n" + target, "s.toml");
  if (rule != MissingTarget::drop) schema.target->missing_target = rule;
  const std::vector<std::string> names{"x", "y"};
  Encoder encoder(schema, names, TargetUse::required, "t.csv");
  EncodedRow row;
  const std::vector<std::string_view> fields{"9", label};
  encoder.encode(fields, row);
  Dataset data(schema.shape());
  data.append(row);  // checks order, range, norm and label
  return row;
}

// Whatever the target is: no feature, the constant neither, and a label of the domain.
TEST(MissingTarget, LeavesNothingToLearn) {
  for (const auto* target :
       {"positive = 'yes'\n", "classes = ['a', 'b', 'c']\n", "lower = 0\nupper = 5\n",
        "kind = 'count'\nupper = 5\n", "kind = 'probability'\n"}) {
    for (const auto* label : {"", "NA"}) {
      const auto row = encoded(target, label);
      EXPECT_FALSE(row.labelled) << target;
      EXPECT_TRUE(row.columns.empty()) << target;
    }
  }
  EXPECT_FALSE(encoded("lower = 0\nupper = 5\n", "soon").labelled);
  EXPECT_FALSE(encoded("lower = -9999\nupper = 5\n", "-999.0").labelled);
  EXPECT_FALSE(encoded("lower = 0\nupper = 5\nmissing = '.'\n", ".").labelled);
}

TEST(MissingTarget, AnyOtherTargetTeaches) {
  EXPECT_TRUE(encoded("positive = 'yes'\n", "other").labelled);
  EXPECT_TRUE(encoded("positive = 'yes'\nnegative = ['', 'no']\n", "").labelled);  // a listed class
  EXPECT_EQ(encoded("lower = 0\nupper = 5\ndecimal = ','\n", "2,5").label, 0);
  const auto bounds = encoded("lower = 0\nupper = 5\nmissing_target = 'bounds'\n", "");
  EXPECT_TRUE(bounds.labelled);
  EXPECT_EQ(bounds.label, 0);
  EXPECT_EQ(bounds.columns.size(), 2U);
}

// Of complete cases: a class in neither list is none, and everything else is as with `drop`.
TEST(MissingTarget, AClassInNeitherListIsDroppedFromCompleteCases) {
  const auto labelled = [](const std::string& target, std::string_view label) {
    return encoded(target, label, MissingTarget::drop_unlisted).labelled;
  };
  const std::string two = "positive = 'yes'\nnegative = ['1', 'no']\n";
  for (const auto* more : {"", "unknown = 'positive'\n"}) {
    EXPECT_TRUE(labelled(two + more, "yes"));
    EXPECT_TRUE(labelled(two + more, "no"));
    EXPECT_FALSE(labelled(two + more, "perhaps"));
    EXPECT_FALSE(labelled(two + more, ""));
  }
  EXPECT_TRUE(labelled("positive = 'yes'\n", "perhaps"));
  EXPECT_FALSE(labelled("positive = 'yes'\n", "NA"));
  EXPECT_TRUE(labelled("positive = ['yes', 'NA']\n", "NA"));
  EXPECT_TRUE(labelled("lower = 0\nupper = 5\n", "7"));
  EXPECT_FALSE(labelled("lower = 0\nupper = 5\n", "soon"));
}

}  // namespace missing_target_test
}  // namespace tacet::data
