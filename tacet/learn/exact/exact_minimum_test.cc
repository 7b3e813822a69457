#include "tacet/learn/exact/exact_minimum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "tacet/data/read/read_dataset.h"
#include "tacet/optimize/solver/erm.h"
#include "tests/support/data_sets.h"
#include "tests/support/labelled_records.h"

namespace tacet::learn {
namespace exact_minimum_test {

constexpr auto add_remove = privacy::Adjacency::add_remove;

TEST(ExactMinimum, ItFindsTheMinimum) {
  const auto setting = test::berkeley();
  const auto plan = plan_exact_minimum(
      setting.schema, exact_options({{"epsilon", std::numeric_limits<double>::infinity()},
                                     {"adjacency", add_remove}}));
  ASSERT_TRUE(plan.unprotected());
  base::ThreadPool pool(2);
  const auto fit = fit_unprotected(setting.train, setting.schema, plan, pool);
  EXPECT_FALSE(marked_model(setting.schema, plan, fit).receipt.is_protected());
  // The gradient of the mean loss vanishes.
  std::vector<double> gradient(static_cast<std::size_t>(setting.train.columns()), 0);
  std::vector<double> margin(1);
  for (std::int64_t i = 0; i < setting.train.rows(); ++i) {
    model::margins(fit.value().model, setting.train, i, margin);
    const double slope = model::LogisticLoss{}.slope(margin[0], setting.train.label(i));
    const auto row = setting.train.dense_row(i);
    for (std::size_t j = 0; j < row.size(); ++j) gradient[j] += slope * row[j] / 2048.0;
  }
  for (const double g : gradient) {
    EXPECT_NEAR(g / static_cast<double>(setting.train.rows()), 0, 1e-5);
  }
}

// Reference: Newton's method in NumPy on an independent encoding of the same file, gradient below
// 1e-13.
TEST(ExactMinimum, ItEqualsAnIndependentSolverOnAdult) {
  TACET_SKIP_WITHOUT_DATA(train_file, "adult/adult.train.csv.gz");
  auto schema = data::load_schema(test::source_file("data/schemas/adult.toml"));
  // The reference was computed with numbers that count from their lower bound.
  for (auto& column : schema.columns) {
    if (auto* number = std::get_if<data::NumericColumn>(&column.rule)) number->centre = false;
  }
  const auto records = data::read_dataset(train_file, schema);
  base::ThreadPool pool(2);
  const auto fit = optimize::minimise_without_protection(records, model::LogisticLoss{}, {}, pool);
  EXPECT_NEAR(fit.mean_loss, 0.327460903625, 1e-6);
  EXPECT_LT(fit.gap, 1e-6);
  EXPECT_TRUE(std::isfinite(fit.radius));
}

}  // namespace exact_minimum_test
}  // namespace tacet::learn
