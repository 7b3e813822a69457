#include "tacet/model/words/word_shape.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::model {
namespace word_shape_test {

TEST(WordShape, RefusesWhatMakesNoModel) {
  WordShape shape{.words = 10};
  shape.validate();
  for (const std::int64_t dimensions : {std::int64_t{0}, max_word_dimensions + 1}) {
    auto wrong = shape;
    wrong.dimensions = dimensions;
    EXPECT_THROW(wrong.validate(), base::UsageError);
  }
  EXPECT_THROW((WordShape{.words = 1}.validate()), base::UsageError);
  EXPECT_THROW((WordShape{.words = 10, .tables = 3}.validate()), base::UsageError);
  EXPECT_THROW((WordShape{.words = 10, .tables = 1, .bias = true}.validate()), base::UsageError);
  WordShape{.words = 10, .tables = 1, .bias = false}.validate();
}

TEST(WordStartRows, TargetsHaveNormOneAndContextsTheBiasOfTheirOdds) {
  const WordShape shape{.words = 400, .dimensions = 100};
  const WordStartRows start(shape, {.seed = 5, .negatives = 8});
  double squares = 0;
  std::vector<double> row(static_cast<std::size_t>(shape.width()));
  for (std::int32_t word = 0; word < shape.words; ++word) {
    start.write(shape.target_row(word), row.data());
    for (std::size_t j = 0; j < 100; ++j) squares += row[j] * row[j];
    EXPECT_EQ(row[100], 0);
    start.write(shape.context_row(word), row.data());
    for (std::size_t j = 0; j < 100; ++j) EXPECT_EQ(row[j], 0);
    EXPECT_DOUBLE_EQ(row[100], -std::log(8.0));
  }
  // 40,000 squares of mean 1/100 and standard deviation 0.00894: six standard deviations of their
  // mean.
  EXPECT_NEAR(squares / shape.words, 1, 6 * 0.894 / 200);
}

// Odds of mean 1 over all words, proportional to 1 / (rank + 100).
TEST(WordStartRows, PublicOrderSetsTheOdds) {
  const WordShape shape{.words = 1000, .dimensions = 3};
  const WordStartRows start(shape, {.negatives = 5, .by_frequency = true});
  double sum = 0;
  for (std::int32_t word = 0; word < shape.words; ++word) {
    sum += 5 * std::exp(start(shape.context_row(word), 3));
  }
  EXPECT_NEAR(sum / shape.words, 1, 1e-12);
  const auto bias = [&](std::int32_t word) { return start(shape.context_row(word), 3); };
  EXPECT_NEAR(bias(0) - bias(100), std::log(2.0), 1e-12);
}

TEST(WordStartRows, OtherLawsAndSeedsGiveOtherNumbers) {
  const WordShape shape{.words = 200, .dimensions = 50, .tables = 1, .bias = false};
  const WordStartRows small(shape, {.law = WordStart::Law::small, .seed = 1});
  const WordStartRows normal(shape, {.law = WordStart::Law::normal, .seed = 1});
  const WordStartRows other(shape, {.law = WordStart::Law::normal, .seed = 2});
  double squares = 0;
  std::int64_t alike = 0;
  for (std::int64_t row = 0; row < 200; ++row) {
    for (std::int64_t j = 0; j < 50; ++j) {
      EXPECT_LE(std::fabs(small(row, j)), 0.01);
      squares += normal(row, j) * normal(row, j);
      if (normal(row, j) == other(row, j)) ++alike;
    }
  }
  EXPECT_EQ(alike, 0);
  // 10,000 squares of variance 2: six standard deviations of their mean.
  EXPECT_NEAR(squares / 10'000, 1, 6 * std::sqrt(2.0) / 100);
}

TEST(WordStartRows, RowsAreWhatTheirPlacesSay) {
  const WordShape shape{.words = 30, .dimensions = 17};
  for (const auto law : {WordStart::Law::unit, WordStart::Law::small, WordStart::Law::normal}) {
    const WordStartRows start(shape, {.law = law, .seed = 9, .by_frequency = true});
    std::vector<float> row(18);
    for (std::int64_t r = 0; r < shape.rows(); ++r) {
      start.write(r, row.data());
      for (std::size_t j = 0; j < 18; ++j) {
        EXPECT_EQ(row[j], static_cast<float>(start(r, static_cast<std::int64_t>(j))));
      }
    }
  }
}

}  // namespace word_shape_test
}  // namespace tacet::model
