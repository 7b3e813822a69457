#include "tacet/learn/gradient/standardise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/privacy/trusting_budget.h"

namespace tacet::learn {
namespace standardise_test {

using privacy::Adjacency;

data::Schema mixed_schema() {
  return data::schema_from_toml(R"(
    public_row_count = 4
    [target]
    column = "y"
    lower = 0
    upper = 1
    [[column]]
    name = "a"
    kind = "numeric"
    lower = 20
    upper = 100
    knots = 3
    [[column]]
    name = "c"
    kind = "categorical"
    categories = ["u", "v"]
    [[column]]
    name = "f"
    kind = "numeric"
    lower = 0
    upper = 1
  )",
                                "s.toml");
}

using Fields = std::vector<std::string_view>;

data::Dataset encode(const data::Schema& schema, const std::vector<Fields>& records,
                     const std::vector<std::string>& names = {"a", "c", "f", "y"}) {
  data::Encoder encoder(schema, names, data::TargetUse::required, "t.csv");
  data::Dataset out(schema.shape());
  data::EncodedRow row;
  for (const auto& fields : records) {
    encoder.encode(fields, row);
    out.append(row);
  }
  return out;
}

std::vector<std::int64_t> sum_of(const std::vector<Fields>& records, int norm_bits,
                                 Moments moments = {}) {
  const auto schema = mixed_schema();
  const auto sum =
      moment_sum(encode(data::raw_schema(schema), records), schema, norm_bits, moments);
  const auto values = sum.open(mechanism::AccessKeys::key());
  EXPECT_EQ(sum.contribution_bound(), std::int64_t{1} << norm_bits);
  return {values.begin(), values.end()};
}

std::int64_t squared_distance(const std::vector<std::int64_t>& a,
                              const std::vector<std::int64_t>& b) {
  std::int64_t squared = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squared += (a[i] - b[i]) * (a[i] - b[i]);
  return squared;
}

/// What a record can be: the ends, the middle, nonsense, what is missing.
std::vector<Fields> all_records() {
  std::vector<Fields> records;
  for (const auto* a : {"20", "100", "60", "43.7", "-1e300", "1e300", "", "nan", "x"}) {
    for (const auto* c : {"u", "w"}) {
      for (const auto* f : {"0", "1", "0.3", "", "7"}) records.push_back({a, c, f, "0.5"});
    }
  }
  return records;
}

TEST(MomentSum, NeighboursDifferByNoMoreThanTheBound) {
  auto records = all_records();
  for (std::size_t k = 0; k < records.size(); k += 3) records[k].back() = "1";
  const std::vector<Fields> others{records[3], records[17]};
  for (const Moments moments : {Moments{}, Moments{.categories = true}, Moments{.target = true},
                                Moments{.categories = true, .target = true}}) {
    for (const int bits : {14, 21, 30}) {
      const std::int64_t bound = std::int64_t{1} << (2 * bits);
      const auto base = sum_of(others, bits, moments);
      std::vector<std::vector<std::int64_t>> with;
      for (const auto& record : records) {
        auto all = others;
        all.insert(all.begin() + 1, record);
        with.push_back(sum_of(all, bits, moments));
        EXPECT_LE(squared_distance(with.back(), base), bound);
      }
      std::int64_t most = 0;
      for (const auto& one : with) {
        for (const auto& other : with) most = std::max(most, squared_distance(one, other));
      }
      EXPECT_LE(most, 4 * bound);
    }
  }
}

TEST(MomentSum, HasMeanAndSquareOfTheTarget) {
  const std::vector<Fields> records{{"20", "u", "1", "0"}, {"40", "v", "0", "1"}};
  const auto schema = mixed_schema();
  const auto raw = encode(data::raw_schema(schema), records);
  const auto sum = moment_sum(raw, schema, 30, {.target = true});
  const auto values = sum.open(mechanism::AccessKeys::key());
  const auto last = values.size() - 2;
  const double mean = raw.label(0) + raw.label(1);
  const double square = raw.label(0) * raw.label(0) + raw.label(1) * raw.label(1);
  EXPECT_NEAR(2 * static_cast<double>(values[last]) * sum.grid(), mean, 1e-6);
  EXPECT_NEAR(static_cast<double>(values[last + 1]) * sum.grid() + 1, square, 1e-6);
}

TEST(MomentSum, CountsCategories) {
  const std::vector<Fields> records{
      {"20", "u", "1", "0"}, {"40", "v", "0", "0"}, {"40", "v", "0", "0"}, {"40", "w", "0", "0"}};
  const auto schema = mixed_schema();
  const auto sum =
      moment_sum(encode(data::raw_schema(schema), records), schema, 30, {.categories = true});
  const auto values = sum.open(mechanism::AccessKeys::key());
  ASSERT_EQ(values.size(), 6);
  EXPECT_NEAR(2 * static_cast<double>(values[4]) * sum.grid(), 1, 1e-6);
  EXPECT_NEAR(2 * static_cast<double>(values[5]) * sum.grid(), 2, 1e-6);
}

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

TEST(MomentSum, HoldsMeansAndSquares) {
  const std::vector<Fields> records{{"20", "u", "1", "0"}, {"40", "v", "0", "0"}};
  const auto schema = mixed_schema();
  const auto sum = moment_sum(encode(data::raw_schema(schema), records), schema, 30);
  const auto values = sum.open(mechanism::AccessKeys::key());
  const auto real = [&](std::size_t i) { return static_cast<double>(values[i]) * sum.grid(); };
  EXPECT_NEAR(2 * real(0), -1.5, 1e-6);        // -1 and -0.5
  EXPECT_NEAR(real(1) + 2 * 0.5, 1.25, 1e-6);  // 1 and 0.25
  EXPECT_NEAR(2 * real(2), 0, 1e-6);
  EXPECT_NEAR(real(3) + 2 * 0.5, 2, 1e-6);
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

TEST(Standardise, IsRefusedWhereItHasNoMeaning) {
  const auto refused = [](const std::string& head, ParameterValues options) {
    auto schema = mixed_schema();
    if (head == "unit") schema.unit = "u";
    if (head == "none") schema.columns = {schema.columns[1]};
    EXPECT_THROW((void)resolve_standardise(schema, gradient_options(options), 20000),
                 base::UsageError)
        << head;
    options.set("standardise", "auto");
    EXPECT_FALSE(resolve_standardise(schema, gradient_options(options), 20000)) << head;
  };
  const auto options = options_of(Standardise::demanded);
  refused("unit", options);
  refused("none", options);
  auto samples = options;
  samples.set("batch-size", 10);
  refused("samples", samples);
  EXPECT_TRUE(resolve_standardise(mixed_schema(),
                                  gradient_options(options_of(Standardise::automatic)), 20000));
  EXPECT_FALSE(resolve_standardise(mixed_schema(),
                                   gradient_options(options_of(Standardise::automatic)), 1999));
  EXPECT_FALSE(
      resolve_standardise(mixed_schema(), gradient_options(options_of(Standardise::none)), 20000));
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
    base::LocalReducer reducer;
    const auto result =
        train_gradient(encode(data::raw_schema(schema), records, {"c", "s", "f", "y"}), schema,
                       plan, {source, reservation, pool, reducer});
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
