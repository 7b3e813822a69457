#include "tacet/model/confusion.h"

#include <gtest/gtest.h>

#include <vector>

#include "tacet/base/error.h"

namespace tacet::model {
namespace confusion_test {

using Classes = std::vector<std::int64_t>;

double figure(const CountRatio& ratio, const std::vector<double>& cells) {
  return ratio_of(ratio, cells).value();
}

// 50 negatives of which 10 are called positive, 20 positives of which 5 are missed.
TEST(Confusion, TwoClassesGiveTheTextbooksFigures) {
  const std::vector<double> cells{40, 10, 5, 15};
  EXPECT_DOUBLE_EQ(figure(accuracy_ratio(2), cells), 55.0 / 70);
  const auto ratios = class_ratios(2, 1);
  ASSERT_EQ(ratios.size(), 4U);
  EXPECT_EQ(ratios[0].name, "sensitivity");
  EXPECT_DOUBLE_EQ(figure(ratios[0], cells), 15.0 / 20);
  EXPECT_DOUBLE_EQ(figure(ratios[1], cells), 40.0 / 50);
  EXPECT_DOUBLE_EQ(figure(ratios[2], cells), 15.0 / 25);
  const double precision = 0.6;
  const double recall = 0.75;
  EXPECT_DOUBLE_EQ(figure(ratios[3], cells), 2 * precision * recall / (precision + recall));
}

TEST(Confusion, SeveralClassesAreOneAgainstTheRest) {
  const Classes actual{0, 0, 1, 1, 2, 2, 2};
  const Classes predicted{0, 1, 1, 1, 2, 0, 1};
  const auto cells = confusion_counts(actual, predicted, 3);
  EXPECT_DOUBLE_EQ(figure(accuracy_ratio(3), cells), 4.0 / 7);
  const auto ratios = class_ratios(3, 1);
  EXPECT_DOUBLE_EQ(figure(ratios[0], cells), 1.0);
  EXPECT_DOUBLE_EQ(figure(ratios[1], cells), 3.0 / 5);
  EXPECT_DOUBLE_EQ(figure(ratios[2], cells), 2.0 / 4);
  EXPECT_DOUBLE_EQ(figure(ratios[3], cells), 2.0 / 3);
}

TEST(Confusion, AFigureOfNothingIsAbsent) {
  const std::vector<double> no_positives{3, 0, 0, 0};
  const auto ratios = class_ratios(2, 1);
  EXPECT_FALSE(ratio_of(ratios[0], no_positives));
  EXPECT_FALSE(ratio_of(ratios[2], no_positives));
  EXPECT_FALSE(ratio_of(ratios[3], no_positives));
  EXPECT_DOUBLE_EQ(figure(ratios[1], no_positives), 1);
  EXPECT_THROW((void)confusion_counts(Classes{0}, Classes{}, 2), base::UsageError);
}

}  // namespace confusion_test
}  // namespace tacet::model
