#include "tacet/learn/gradient/feature_selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/learn/gradient/first_releases.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/method.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/wide_records.h"

namespace tacet::learn {
namespace feature_selection_test {

using privacy::Adjacency;

constexpr std::int64_t rows = 4000;

data::Schema wide_schema() { return test::wide_schema(rows); }

double column_share(const data::Schema& schema, const ParameterValues& values) {
  const auto options = gradient_options(values);
  return resolve_column_share(schema, options, selection_obstacle(options));
}

ParameterValues asked(double share, Adjacency adjacency = Adjacency::add_remove) {
  ParameterValues options{{"adjacency", adjacency}, {"epsilon", 1}, {"delta", 1e-5}};
  if (share > 0) options.set("feature-selection", share);
  return options;
}

TrainedModel train(const data::Schema& schema, const Training& plan, std::uint64_t seed,
                   int threads = 1) {
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool pool(threads);
  return plan.run(test::wide_records(schema, rows), schema, {source, reservation, pool});
}

// The choice gets its share of mu^2, the steps the rest, and both together the epsilon asked for.
TEST(FeatureSelection, TheBudgetIsShared) {
  for (const auto adjacency :
       {Adjacency::add_remove, Adjacency::zero_out, Adjacency::replace_one}) {
    for (const double share : {0.1, 0.3, 0.6}) {
      const auto plan = plan_gradient(wide_schema(), gradient_options(asked(share, adjacency)));
      const double first = 1 / (plan.feature_selection_noise * plan.feature_selection_noise);
      const double steps =
          static_cast<double>(plan.steps) / (plan.noise_multiplier * plan.noise_multiplier);
      EXPECT_NEAR(first / (first + steps), share, 1e-9);
      const double cost = accounting::epsilon(plan.events, adjacency, privacy::Delta(1e-5));
      EXPECT_LE(cost, 1);
      EXPECT_GT(cost, 0.999);
      const auto all = plan_gradient(wide_schema(), gradient_options(asked(0, adjacency)));
      EXPECT_EQ(all.feature_selection_noise, 0);
    }
  }
}

TEST(FeatureSelection, FrequentColumnsAreKeptAndTheModelIsTheirs) {
  const auto schema = wide_schema();
  const auto trained = train(schema, plan_training(schema, asked(0.3)), 5);
  ASSERT_TRUE(trained.schema.selected_columns);
  const auto& kept = *trained.schema.selected_columns;
  for (const std::uint32_t column : {7U, 11U, 13U}) {
    EXPECT_TRUE(std::ranges::binary_search(kept, column)) << column;
  }
  // 16 columns by noise, and within 7 standard deviations of that; few of the others have a count
  // of 1.
  EXPECT_LE(kept.size(), 3 + 16 + 28U);
  EXPECT_EQ(feature_selection_threshold(schema), 3.421875);  // P(Z >= 3.4141) = 16 / 50,000
  EXPECT_EQ(trained.model.coefficients.size(), kept.size() + 1);
  const auto at = [&](std::uint32_t column) {
    const auto place = std::ranges::lower_bound(kept, column) - kept.begin();
    return trained.model.coefficients[static_cast<std::size_t>(place)];
  };
  EXPECT_GT(at(7), 0);
  EXPECT_LT(at(11), 0);
  const auto same = train(schema, plan_training(schema, asked(0.3)), 5, 3);
  EXPECT_EQ(same.model.coefficients, trained.model.coefficients);
}

// The receipt says what was released; a list without its release, or a release without its list,
// and noise that is not what the events hold are contradictions.
TEST(FeatureSelection, TheReceiptIsHeldAgainstTheModel) {
  const auto schema = wide_schema();
  const auto trained = train(schema, plan_training(schema, asked(0.3)), 7);
  model::ModelFile file{
      .schema = trained.schema, .model = trained.model, .receipt = trained.receipt};
  EXPECT_TRUE(check_receipt(file.receipt, &file).faults.empty());
  const auto parameters = nlohmann::json::parse(file.receipt.parameters);
  EXPECT_EQ(parameters["columns"], trained.schema.encoded_column_count());
  const auto faults = [&](const nlohmann::json& changed, const data::Schema& read_by) {
    auto other = file;
    other.receipt.parameters = changed.dump();
    other.schema = read_by;
    return check_receipt(other.receipt, &other).faults.size();
  };
  auto without = parameters;
  without.erase("feature_selection_noise_multiplier");
  EXPECT_GT(faults(without, trained.schema), 0U);
  auto quieter = parameters;
  quieter["feature_selection_noise_multiplier"] =
      2 * parameters["feature_selection_noise_multiplier"].get<double>();
  EXPECT_GT(faults(quieter, trained.schema), 0U);
  auto lower = parameters;
  lower["feature_selection_threshold"] = 3;
  EXPECT_GT(faults(lower, trained.schema), 0U);
  EXPECT_GT(faults(parameters, trained.schema.unnarrowed()), 0U);
}

TEST(FeatureSelection, IsRefusedWhereItHasNoProof) {
  const auto refused = [](const data::Schema& schema, const ParameterValues& options) {
    EXPECT_THROW((void)plan_training(schema, options), base::UsageError);
  };
  auto narrowed = wide_schema();
  narrowed.selected_columns = {3};
  refused(narrowed, asked(0));
  auto samples = asked(0.3);
  samples.set("batch-size", 100);
  refused(wide_schema(), samples);
  auto automatic = samples;
  automatic.set("feature-selection", "auto");
  EXPECT_EQ(column_share(wide_schema(), automatic), 0);
  data::Schema few = wide_schema();
  few.features->count = 20;
  automatic.erase("batch-size");
  EXPECT_EQ(column_share(few, automatic), 0);
  EXPECT_EQ(column_share(wide_schema(), automatic), 0.3);
  // Noise beyond the sampler's grid is found by the plan, not after the run was booked.
  for (const char* method : {"gradient", "output", "objective", "adassp"}) {
    auto tiny = asked(1e-9);
    tiny.set("method", method);
    if (tiny.text("method") != "adassp") tiny.set("adjacency", Adjacency::replace_one);
    EXPECT_THROW((void)plan_training(wide_schema(), tiny), base::NumericError) << method;
  }
}

}  // namespace feature_selection_test
}  // namespace tacet::learn
