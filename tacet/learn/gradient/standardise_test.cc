#include "tacet/learn/gradient/standardise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/mixed_records.h"

namespace tacet::learn {
namespace standardise_test {

using privacy::Adjacency;

using test::all_records;
using test::encode;
using test::Fields;
using test::mixed_schema;

TEST(ScaleOf, GrowsWithRarityAndKeepsItsBounds) {
  EXPECT_EQ(scale_of(0.25, 0), 1);
  EXPECT_NEAR(scale_of(1, 0), std::cbrt(0.25), 1e-15);
  EXPECT_EQ(scale_of(0.03, 0.02), scale_of(0.04, 0.02));  // told from noise only above twice it
  for (const double share : {-1e9, -0.1, 0.0, 0.5, 1.5, 1e9}) {
    for (const double noise : {0.0, 0.1, 0.4, 0.6, 5000.0}) {
      EXPECT_GE(scale_of(share, noise), data::CategoricalColumn::min_scale);
      EXPECT_LE(scale_of(share, noise), data::CategoricalColumn::max_scale);
    }
  }
}

TEST(StandardOf, IsThatOfTheSampleWithoutNoiseAndAGuessWithMuch) {
  const auto exact = standard_of(0.3, 0.25, 0);
  EXPECT_EQ(exact.mean, 0.3);
  EXPECT_NEAR(exact.stddev, 0.4, 1e-15);
  EXPECT_NEAR(standard_of(0.3, 0.0901, 0).stddev, std::sqrt(0.005), 1e-15);
  const auto lost = standard_of(50, -70, 100);
  EXPECT_NEAR(lost.mean, 0.001, 1e-5);
  EXPECT_EQ(lost.stddev, 1);
  EXPECT_EQ(standard_of(7, 1, 0).mean, 1);
}

// A file that is read by the final schema gets the rows that training had, up to the grid of the
// raw ones: an eighth of a percent of a number's range.
TEST(RawRows, BecomeTheRowsOfTheStandardisedSchema) {
  auto standardised = mixed_schema();
  std::get<data::NumericColumn>(standardised.columns[0].rule).standard = {-0.2, 0.3};
  std::get<data::NumericColumn>(standardised.columns[2].rule).standard = {0.4, 0.9};
  std::get<data::CategoricalColumn>(standardised.columns[1].rule).scales = {0.7, 2.5};
  standardised.constant = 0.7;
  const auto records = all_records();
  const auto direct = encode(standardised, records);
  auto raw_of = [&](data::StorageChoice storage) {
    auto schema = data::raw_schema(standardised);
    schema.storage = storage;
    return encode(schema, records);
  };
  const auto dense = data::transform(raw_of(data::StorageChoice::dense), standardised);
  const auto sparse = data::transform(raw_of(data::StorageChoice::sparse), standardised);
  ASSERT_EQ(dense.rows(), direct.rows());
  for (std::int64_t k = 0; k < direct.rows(); ++k) {
    const auto expected = direct.dense_row(k);
    const auto found = dense.dense_row(k);
    const auto again = sparse.dense_row(k);
    EXPECT_EQ(dense.label(k), direct.label(k));
    for (std::size_t j = 0; j < expected.size(); ++j) {
      EXPECT_NEAR(found[j], expected[j], 4) << k << " " << j;
      EXPECT_EQ(found[j], again[j]);
    }
  }
}

data::Schema two_classes() {
  return data::schema_from_toml(R"(
    public_row_count = 2000
    [target]
    column = "y"
    positive = ["1"]
    [[column]]
    name = "a"
    kind = "numeric"
    lower = 0
    upper = 1
    [[column]]
    name = "c"
    kind = "categorical"
    categories = ["u", "v"]
    other = "column"
    [[column]]
    name = "s"
    kind = "categorical"
    categories = ["m", "n"]
    coding = "sign"
    [[column]]
    name = "f"
    kind = "categorical"
    categories = ["p", "q", "r"]
  )",
                                "s.toml");
}

ParameterValues options_of(Standardise standardise, std::int64_t records = 20000) {
  return {{"epsilon", 1},
          {"delta", 1e-5},
          {"adjacency", "add_remove"},
          {"public-row-count", records},
          {"standardise", standardise_names.of(standardise)}};
}

TEST(Standardise, SharesOneBudget) {
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    auto options = options_of(Standardise::demanded);
    options.set("adjacency", adjacency);
    const auto plan = plan_gradient(mixed_schema(), gradient_options(options));
    EXPECT_GT(plan.standardise_noise, 0);
    const double cost =
        accounting::epsilon(plan.events, adjacency, privacy::Delta(1e-5 - plan.prg_slack));
    EXPECT_LE(cost, 1);
    EXPECT_GT(cost, 1 - 1e-9);
    const double share = 1 / (plan.standardise_noise * plan.standardise_noise);
    const double steps =
        static_cast<double>(plan.steps) / (plan.noise_multiplier * plan.noise_multiplier);
    EXPECT_NEAR(share / (share + steps), 0.1, 1e-9);
  }
}

GradientPlan classes_plan(double epsilon, Standardise standardise,
                          model::Loss loss = model::LogisticLoss{}) {
  auto options = options_of(standardise, 2000);
  options.set("epsilon", epsilon);
  options.set("loss", loss);
  return plan_gradient(two_classes(), gradient_options(options));
}

// Noise of 3 s / 2000 in the mean gradient: .02 at epsilon .25, .006 at 1.
TEST(Standardise, CountsCategoriesOfTwoClassesWhereNoiseIsLarge) {
  EXPECT_TRUE(classes_plan(0.25, Standardise::demanded).counts_categories);
  EXPECT_TRUE(classes_plan(0.25, Standardise::automatic).counts_categories);
  EXPECT_FALSE(classes_plan(1, Standardise::demanded).counts_categories);
  EXPECT_FALSE(classes_plan(0.25, Standardise::means).counts_categories);
  EXPECT_GT(classes_plan(0.25, Standardise::means).standardise_noise, 0);
  EXPECT_FALSE(classes_plan(0.25, Standardise::none).counts_categories);
  EXPECT_FALSE(classes_plan(0.25, Standardise::demanded, model::HingeLoss{}).counts_categories);
  // A number to predict has no counts, whatever the noise.
  auto numbers = options_of(Standardise::demanded, 100);
  EXPECT_FALSE(plan_gradient(mixed_schema(), gradient_options(numbers)).counts_categories);
}

// Shares of 1,000 records by hand, in the order of the columns, however records are held.
TEST(Standardise, ScalesAreThoseOfTheSharesInTheRecords) {
  auto schema = two_classes();
  schema.columns.erase(schema.columns.begin());
  std::vector<Fields> records;
  for (int k = 0; k < 1000; ++k) {
    records.push_back({k < 500   ? "u"
                       : k < 600 ? "v"
                                 : "w",
                       k % 2 == 0 ? "m" : "n",
                       k % 10 == 0   ? "q"
                       : k % 10 == 1 ? ""
                                     : "r",
                       k % 3 == 0 ? "1" : "0"});
  }
  auto options = options_of(Standardise::demanded, 1000);
  options.set("epsilon", 50);
  const auto plan = plan_gradient(schema, gradient_options(options));
  ASSERT_TRUE(plan.counts_categories);
  for (const auto storage : {data::StorageChoice::dense, data::StorageChoice::sparse}) {
    schema.storage = storage;
    random::SeededSource source(5);
    privacy::TrustingBudget budget(common_options(options).adjacency);
    auto reservation = budget.reserve(plan.events, plan.guarantee);
    base::ThreadPool pool(1);
    const auto result =
        train_gradient(encode(data::raw_schema(schema), records, {"c", "s", "f", "y"}), schema,
                       plan, {source, reservation, pool});
    const auto scales = [&](std::size_t column) {
      return std::get<data::CategoricalColumn>(result.schema.columns[column].rule).scales;
    };
    // The noise of a share has standard deviation .0006, of a scale .003 at most; least shares are
    // .002.
    const std::vector<double> expected{0.5, 0.1, 0.4, 0.002, 0.1, 0.8};
    auto found = scales(0);
    EXPECT_TRUE(scales(1).empty());
    for (const double scale : scales(2)) found.push_back(scale);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], scale_of(expected[i], 0), 0.02) << i;
    }
  }
}

// Units of one, two and five records, of which three take part: each unit counts once.
TEST(Standardise, StandardsOfUnitsAreThoseOfTheirMeans) {
  auto schema = mixed_schema();
  schema.unit = "who";
  std::vector<Fields> records;
  std::vector<std::int64_t> units;
  const auto add = [&](std::int64_t unit, std::string_view a) {
    records.push_back({a, "u", "0.5", "0.5"});
    units.push_back(unit);
  };
  for (std::int64_t unit = 0; unit < 900; ++unit) {
    add(unit, "36");  // 2 v - 1 is -0.6
    if (unit % 3 > 0) add(unit, "84");
    for (int k = 0; unit % 3 == 2 && k < 3; ++k) add(unit, "84");
  }
  // Means are -0.6, 0 and, of -0.6 and twice 0.6, 0.2; squares are 0.36.
  for (const auto adjacency :
       {Adjacency::add_remove, Adjacency::zero_out, Adjacency::replace_one}) {
    auto options = options_of(Standardise::demanded, 900);
    options.set("epsilon", 50);
    options.set("adjacency", adjacency);
    options.set("max-records-per-unit", 3);
    const auto plan = plan_gradient(schema, gradient_options(options));
    random::SeededSource source(5);
    privacy::TrustingBudget budget(adjacency);
    auto reservation = budget.reserve(plan.events, plan.guarantee);
    base::ThreadPool pool(1);
    const auto result = train_gradient(test::encode_units(data::raw_schema(schema), records, units),
                                       schema, plan, {source, reservation, pool});
    const auto& standard = *std::get<data::NumericColumn>(result.schema.columns[0].rule).standard;
    const double mean = (-0.6 + 0 + 0.2) / 3;
    EXPECT_NEAR(standard.mean, mean, 0.01);
    EXPECT_NEAR(standard.stddev, std::sqrt(0.36 - mean * mean), 0.02);
  }
}

TEST(Standardise, CategoriesAloneAreCountedWhereThatIsAskedFor) {
  auto schema = two_classes();
  schema.columns.erase(schema.columns.begin());
  auto options = options_of(Standardise::demanded, 2000);
  EXPECT_TRUE(plan_gradient(schema, gradient_options(options)).counts_categories);
  options.set("standardise", "auto");
  EXPECT_EQ(plan_gradient(schema, gradient_options(options)).standardise_noise, 0);
  options.set("standardise", "means");
  EXPECT_THROW((void)plan_gradient(schema, gradient_options(options)), base::UsageError);
  schema.columns = {schema.columns[1]};  // the coding of signs has nothing to scale
  options.set("standardise", "private");
  EXPECT_THROW((void)plan_gradient(schema, gradient_options(options)), base::UsageError);
}

}  // namespace standardise_test
}  // namespace tacet::learn
