#include "tacet/model/class_weights.h"

#include <gtest/gtest.h>

#include <limits>

#include "tacet/base/error.h"

namespace tacet::model {
namespace class_weights_test {

TEST(ClassWeights, AreDividedByTheLargest) {
  const ClassWeights two({1, 4});
  EXPECT_EQ(two.of(-1), 0.25);
  EXPECT_EQ(two.of(1), 1);
  const ClassWeights three({2, 1, 0.5});
  EXPECT_EQ(three.of(0), 1);
  EXPECT_EQ(three.of(1), 0.5);
  EXPECT_EQ(three.of(2), 0.25);
  EXPECT_FALSE(three.uniform());
}

TEST(ClassWeights, EqualOnesAreNone) {
  EXPECT_TRUE(ClassWeights({7, 7, 7}).uniform());
  EXPECT_EQ(ClassWeights({7, 7}).of(-1), 1);
  EXPECT_EQ(ClassWeights().of(5), 1);
}

// A factor above 1 would multiply what one record changes, one that is no number everything.
TEST(ClassWeights, LieInAPublicRange) {
  for (const double weight : {0.0, -1.0, 9e-4, 1001.0, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(ClassWeights({1, weight}), base::UsageError) << weight;
  }
  EXPECT_THROW(ClassWeights({1}), base::UsageError);
  for (const double weight : {0.001, 0.3, 1.0, 3.0, 999.9, 1000.0}) {
    const ClassWeights weights({weight, 1000 / 3.0});
    for (const double label : {-1.0, 1.0}) {
      EXPECT_GT(weights.of(label), 0);
      EXPECT_LE(weights.of(label), 1);
    }
  }
}

}  // namespace class_weights_test
}  // namespace tacet::model
