#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/data/encode/curve_directions.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/data/schema/numeric_map.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/curves.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/model/curve_effects.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/product_records.h"

namespace tacet::learn {
namespace curve_training_test {

using privacy::Adjacency;

using test::product_records;
using test::product_schema;
constexpr std::int64_t rows = test::product_rows;

ParameterValues asked(double epsilon, std::string_view curves) {
  return {{"epsilon", epsilon},
          {"delta", 1e-5},
          {"adjacency", "add_remove"},
          {"curves", std::string(curves)}};
}

TrainedModel train(const Training& plan, std::uint64_t seed, int threads = 1) {
  random::SeededSource source(seed);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool pool(threads);
  return plan.run(product_records(plan.reading_schema(), rows, 1), plan.schema,
                  {source, reservation, pool});
}

double r2(const TrainedModel& trained) {
  const auto records = product_records(trained.schema, 1000, 2);
  double error = 0;
  double sum = 0;
  double squares = 0;
  double margin = 0;
  for (std::int64_t k = 0; k < records.rows(); ++k) {
    model::margins(trained.model, records, k, {&margin, 1});
    error += std::pow(margin - records.label(k), 2);
    sum += records.label(k);
    squares += std::pow(records.label(k), 2);
  }
  return 1 - error / (squares - sum * sum / 1000);
}

TEST(CurveRule, FollowsTheNoiseWithinItsBounds) {
  for (double noise = 1e-6; noise < 0.01; noise *= 1.3) {
    const auto rule = curve_rule(noise);
    EXPECT_GE(rule.clipping_norm, 0.25);
    EXPECT_LE(rule.clipping_norm, 1);
    EXPECT_LE(rule.path, 17000);
    EXPECT_GE(rule.steps, 200);
    EXPECT_GE(rule.share, 0.13);
    EXPECT_LE(rule.share, data::Curves::max_share);
    EXPECT_GE(rule.directions, 30);
    // Steps stay within the stability limit of descent on rows of norm 1.
    EXPECT_LE(rule.line_rate * rule.path * 0.1 / static_cast<double>(rule.steps), 2 * 1.9);
    EXPECT_GE(rule.line_rate, 1);
    EXPECT_LE(rule.curve_rate, 1);
  }
  EXPECT_NEAR(curve_rule(6e-4).clipping_norm, 0.35, 1e-12);
  EXPECT_NEAR(curve_rule(6e-4).path, 0.8 / 2.1e-4, 1e-9);
  EXPECT_NEAR(curve_rule(1.5e-3).clipping_norm, 0.5 * std::sqrt(0.4), 1e-12);
  EXPECT_EQ(curve_rule(1e-3).directions, 250);
  EXPECT_EQ(curve_rule(4e-4).line_rate, 1);
  EXPECT_NEAR(curve_rule(1e-3).curve_rate, std::sqrt(0.5), 1e-12);
  EXPECT_EQ(curve_rule(5e-3).line_rate, 2);
  EXPECT_EQ(curve_rule(2.1e-3).share, 0.13);
}

TEST(CurvePlan, SharesOneBudgetAmongThreeReleases) {
  for (const auto adjacency :
       {Adjacency::add_remove, Adjacency::zero_out, Adjacency::replace_one}) {
    auto options = asked(1, "0.4");
    options.set("adjacency", adjacency);
    const auto schema = choose_curves(product_schema(), options).schema;
    const auto plan = plan_gradient(schema, gradient_options(options));
    const double cost =
        accounting::epsilon(plan.events, adjacency, privacy::Delta(1e-5 - plan.prg_slack));
    EXPECT_LE(cost, 1);
    EXPECT_GT(cost, 1 - 1e-9);
    const auto mu2 = [](double noise) { return 1 / (noise * noise); };
    const double steps = static_cast<double>(plan.steps) * mu2(plan.noise_multiplier);
    const double whole = steps + mu2(plan.standardise_noise) + mu2(plan.whitening_noise);
    EXPECT_NEAR(mu2(plan.standardise_noise) / whole, 0.1, 1e-9);
    EXPECT_NEAR(mu2(plan.whitening_noise) / whole, 0.05, 1e-9);
  }
}

TEST(CurveTraining, LearnsAProductThatNoLineKnows) {
  const auto line = train(plan_training(product_schema(), asked(4, "none")), 1);
  EXPECT_LT(r2(line), 0.1);
  const auto curves = train(plan_training(product_schema(), asked(4, "auto")), 1);
  ASSERT_TRUE(curves.schema.curves);
  EXPECT_GT(r2(curves), 0.8);
  EXPECT_EQ(curves.model.offset, curves.schema.curves->target.mean);
}

TEST(CurveTraining, GivesTheSameModelForAnyNumberOfThreads) {
  const auto plan = plan_training(product_schema(), asked(1, "auto"));
  const auto one = train(plan, 3, 1);
  const auto three = train(plan, 3, 3);
  EXPECT_EQ(one.model.coefficients, three.model.coefficients);
  EXPECT_EQ(one.schema.curves->weights, three.schema.curves->weights);
  EXPECT_EQ(one.schema.curves->lines, three.schema.curves->lines);
  EXPECT_EQ(one.schema.curves->whitening, three.schema.curves->whitening);
}

// Nothing of the map is private: trainings on other records have the map that follows from public
// facts and what they released.
TEST(CurveTraining, TheMapFollowsFromWhatWasReleased) {
  const auto plan = plan_training(product_schema(), asked(1, "auto"));
  const auto one = train(plan, 3);
  random::SeededSource source(3);
  privacy::TrustingBudget budget(plan.guarantee.adjacency);
  auto reservation = budget.reserve(plan.events, plan.guarantee);
  base::ThreadPool pool(1);
  const auto other = plan.run(product_records(plan.reading_schema(), 10, 9), plan.schema,
                              {source, reservation, pool});
  EXPECT_NE(one.schema.curves->whitening, other.schema.curves->whitening);
  for (const auto* schema : {&one.schema, &other.schema}) {
    const auto& curves = schema->curves.value();
    auto public_part = plan.schema.curves.value();
    public_part.whitening = curves.whitening;
    const auto made = data::with_map(public_part, data::curve_shape(*schema), pool);
    EXPECT_EQ(curves.weights, made.weights);
    EXPECT_EQ(curves.lines, made.lines);
    EXPECT_EQ(curves.energy, made.energy);
    EXPECT_EQ(curves.even, made.even);
  }
}

TEST(CurveTraining, TheReceiptIsHeldAgainstTheModel) {
  const auto trained = train(plan_training(product_schema(), asked(1, "auto")), 7);
  const model::ModelFile file{
      .schema = trained.schema, .model = trained.model, .receipt = trained.receipt};
  EXPECT_TRUE(check_receipt(file.receipt, &file).faults.empty());
  const auto copy = model::model_from_json(model::model_to_json(file), "m.json");
  EXPECT_EQ(copy.model.offset, file.model.offset);
  EXPECT_EQ(copy.schema.curves->weights, file.schema.curves->weights);
  EXPECT_EQ(copy.schema.curves->lines, file.schema.curves->lines);
  const auto parameters = nlohmann::json::parse(file.receipt.parameters);
  const auto faults = [&](const nlohmann::json& changed) {
    auto other = file;
    other.receipt.parameters = changed.dump();
    return check_receipt(other.receipt, &other).faults.size();
  };
  for (const auto* name : {"whitening_noise_multiplier", "standardise_noise_multiplier"}) {
    auto without = parameters;
    without.erase(name);
    EXPECT_GT(faults(without), 0U) << name;
    auto louder = parameters;
    louder[name] = 1.5 * parameters[name].get<double>();
    EXPECT_GT(faults(louder), 0U) << name;
  }
  auto straight = file;
  straight.schema.curves.reset();
  EXPECT_GT(check_receipt(straight.receipt, &straight).faults.size(), 0U);
}

TEST(CurvePlan, IsRefusedWhereItHasNoMeaningAndAutoKeepsLines) {
  const auto refused = [](const data::Schema& schema, ParameterValues options) {
    options.set("curves", "0.3");
    EXPECT_THROW(static_cast<void>(choose_curves(schema, options)), base::UsageError);
    options.set("curves", "auto");
    EXPECT_FALSE(choose_curves(schema, options).schema.curves);
  };
  const auto options = asked(1, "0.3");
  for (const auto& [name, value] :
       {std::pair{"knots", "8"}, std::pair{"standardise", "none"}, std::pair{"delta", "0"},
        std::pair{"epsilon", "inf"}, std::pair{"loss", "huber"}, std::pair{"projection", "auto"},
        std::pair{"feature-selection", "auto"}, std::pair{"batch-size", "10"}}) {
    auto with = options;
    with.set(name, value);
    refused(product_schema(), with);
  }
  auto unit = product_schema();
  unit.unit = "u";
  refused(unit, options);
  auto classes = product_schema();
  classes.target->rule = data::BinaryTarget{{"1"}, {"0"}};
  refused(classes, options);
  // Of a schema that brings a map along nobody knows what its whitening cost.
  auto brought = choose_curves(product_schema(), options).schema;
  EXPECT_THROW(static_cast<void>(plan_training(brought, asked(1, "none"))), base::UsageError);
  EXPECT_TRUE(choose_curves(product_schema(), asked(1, "auto")).schema.curves);
  EXPECT_FALSE(choose_curves(product_schema(), asked(0.02, "auto")).schema.curves);
}

/// The number at which the schema's mean of a column lies.
double mean_of(const data::Schema& schema, std::size_t column) {
  const data::NumericMap map(std::get<data::NumericColumn>(schema.columns[column].rule));
  const double lowest = map.feature_of_share(0);
  return map.value_at(-lowest / (map.feature_of_share(1) - lowest));
}

double prediction_at(const TrainedModel& trained, double a, double b) {
  const std::vector<std::string> names{"a", "b"};
  data::Encoder encoder(trained.schema, names, data::TargetUse::absent, "t.csv");
  data::Dataset records(trained.schema.unlabelled_shape());
  data::EncodedRow row;
  encoder.encode(std::vector<data::Value>{a, b}, row);
  records.append(row);
  double margin = 0;
  model::margins(trained.model, records, 0, {&margin, 1});
  return label_value(trained.model, margin);
}

TEST(CurveEffects, AreThePredictionsAlongAColumnAndThePairHasTheVariance) {
  const auto trained = train(plan_training(product_schema(), asked(4, "auto")), 1);
  const auto effects = model::curve_effects(trained.schema, trained.model, 2, 5);
  ASSERT_EQ(effects.columns.size(), 2U);
  const double b = mean_of(trained.schema, 1);
  EXPECT_NEAR(effects.at_means, prediction_at(trained, mean_of(trained.schema, 0), b), 1e-9);
  for (const auto& point : effects.columns[0].points) {
    EXPECT_NEAR(point.prediction, prediction_at(trained, point.at, b), 1e-3) << point.value;
  }
  // What was learned is a product: neither number says anything alone.
  ASSERT_EQ(effects.pairs.size(), 1U);
  EXPECT_GT(effects.pairs[0].share, 0.8);
  double all = effects.rest;
  for (const auto& column : effects.columns) {
    EXPECT_LT(column.share, 0.1);
    all += column.share;
  }
  EXPECT_NEAR(all + effects.pairs[0].share, 1, 1e-9);
}

TEST(CurveEffects, OfARecordAreThoseOfItsColumnsAlone) {
  const auto trained = train(plan_training(product_schema(), asked(4, "auto")), 1);
  const model::RecordEffects effects(trained.schema, trained.model);
  const auto raw = product_records(data::raw_schema(trained.schema), 20, 5);
  data::RawRows reader(trained.schema);
  data::PlainFeatures features;
  for (std::int64_t k = 0; k < raw.rows(); ++k) {
    reader.features(raw, k, features);
    const auto found = effects.of(features);
    ASSERT_EQ(found.size(), 3U);
    // A raw row holds 2 v - 1 to 1/2048, and here that is the number itself.
    const double a = raw.dense_row(k)[0] / 2048.0;
    const double b = raw.dense_row(k)[1] / 2048.0;
    const double alone = prediction_at(trained, a, mean_of(trained.schema, 1)) - effects.at_means();
    EXPECT_NEAR(found[0], alone, 2e-3);
    EXPECT_NEAR(effects.at_means() + found[0] + found[1] + found[2], prediction_at(trained, a, b),
                2e-3);
  }
}

}  // namespace curve_training_test
}  // namespace tacet::learn
