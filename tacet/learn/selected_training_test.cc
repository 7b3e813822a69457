#include "tacet/learn/selected_training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/learn/method.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/wide_records.h"

namespace tacet::learn {
namespace selected_training_test {

using privacy::Adjacency;

constexpr std::int64_t rows = 3000;

data::Schema wide_schema() { return test::wide_schema(rows); }

ParameterValues asked(const char* method, double share = 0.3,
                      Adjacency adjacency = Adjacency::replace_one) {
  return {{"adjacency", adjacency},
          {"method", method},
          {"epsilon", 4},
          {"delta", 1e-5},
          {"feature-selection", share}};
}

struct Booking {
  explicit Booking(const Training& training) : budget(training.guarantee.adjacency) {
    reservation.emplace(budget.reserve(training.events, training.guarantee));
  }
  TrainedModel train(const Training& training, const data::Dataset& dataset, int threads = 1) {
    base::ThreadPool pool(threads);
    return training.run(dataset, wide_schema(), {source, *reservation, pool});
  }
  random::SeededSource source{5};
  privacy::TrustingBudget budget;
  std::optional<privacy::Reservation> reservation;
};

constexpr std::array methods{"output", "phased",    "objective", "regularized-output",
                             "adassp", "localized", "phased-erm"};

// The choice has its share of mu^2, and both releases together cost what was asked for: exactly
// where the method's noise is Gaussian, by the accountant's composition where it is in the
// objective.
TEST(KeptTraining, BothReleasesCostWhatWasAskedFor) {
  for (const char* method : {"output", "objective", "adassp"}) {
    for (const double share : {0.1, 0.5}) {
      const auto training = plan_training(wide_schema(), asked(method, share));
      const auto* both = training.events.as<privacy::Composed>();
      ASSERT_NE(both, nullptr);
      ASSERT_EQ(both->parts.size(), 2U);
      const double first =
          accounting::epsilon(both->parts[0], Adjacency::replace_one, privacy::Delta(1e-5));
      const double cost =
          accounting::epsilon(training.events, Adjacency::replace_one, privacy::Delta(1e-5));
      EXPECT_LE(cost, 4) << method;
      EXPECT_GT(cost, 3.9) << method;
      EXPECT_LT(first, share < 0.3 ? 1.2 : 2.8) << method;
      EXPECT_EQ(training.columns, 50001);
      EXPECT_LE(training.guarantee.epsilon, 4);
    }
  }
}

TEST(KeptTraining, EveryMethodLearnsOnTheColumnsThatWereFound) {
  const auto schema = wide_schema();
  for (const char* method : methods) {
    const auto training = plan_training(schema, asked(method));
    Booking run(training);
    const auto trained = run.train(training, test::wide_records(schema, rows));
    ASSERT_TRUE(trained.schema.selected_columns) << method;
    const auto& kept = *trained.schema.selected_columns;
    const auto weight = [&](std::uint32_t column) {
      const auto found = std::ranges::lower_bound(kept, column);
      EXPECT_TRUE(found != kept.end() && *found == column) << method;
      return trained.model.coefficients[static_cast<std::size_t>(found - kept.begin())];
    };
    EXPECT_GT(weight(7), weight(11)) << method;
    EXPECT_LT(kept.size(), 60U) << method;
    EXPECT_EQ(trained.model.coefficients.size(), kept.size() + 1);
    EXPECT_LE(trained.receipt.guarantee.epsilon, 4);
    const model::ModelFile file{
        .schema = trained.schema, .model = trained.model, .receipt = trained.receipt};
    const auto check = check_receipt(file.receipt, &file);
    EXPECT_TRUE(check.faults.empty()) << method << ": " << check.faults.front();
  }
}

TEST(KeptTraining, TheSameModelForAnyNumberOfThreads) {
  const auto schema = wide_schema();
  const auto training = plan_training(schema, asked("regularized-output"));
  Booking one(training);
  Booking three(training);
  EXPECT_EQ(one.train(training, test::wide_records(schema, rows), 1).model.coefficients,
            three.train(training, test::wide_records(schema, rows), 3).model.coefficients);
}

// A receipt without its choice, with a quieter one, or with another method's noise contradicts
// itself.
TEST(KeptTraining, TheReceiptIsHeldAgainstItsEvents) {
  const auto schema = wide_schema();
  for (const char* method : {"adassp", "objective"}) {
    const auto training = plan_training(schema, asked(method));
    Booking run(training);
    const auto trained = run.train(training, test::wide_records(schema, rows));
    model::ModelFile file{
        .schema = trained.schema, .model = trained.model, .receipt = trained.receipt};
    const auto parameters = nlohmann::json::parse(file.receipt.parameters);
    const auto faults = [&](const nlohmann::json& changed) {
      auto other = file;
      other.receipt.parameters = changed.dump();
      return check_receipt(other.receipt, &other).faults.size();
    };
    EXPECT_EQ(faults(parameters), 0U) << method;
    auto without = parameters;
    without.erase("feature_selection_noise_multiplier");
    EXPECT_GT(faults(without), 0U) << method;
    const auto* own = method == std::string("adassp") ? "noise_multiplier" : "objective_noise";
    for (const auto* name : {"feature_selection_noise_multiplier", own}) {
      auto quieter = parameters;
      quieter[name] = 2 * parameters[name].get<double>();
      EXPECT_GT(faults(quieter), 0U) << method << " " << name;
    }
  }
}

// Refuses, or plans another release for, each number of columns that no plan before the data asks
// about.
template <bool refuses>
Training plan_for_few_counts(const data::Schema& schema, const ParameterValues& asked,
                             const PlanContext& context) {
  const auto count = schema.selected_columns ? std::ssize(*schema.selected_columns) : 0;
  auto training = find_method("regularized-output").plan(schema, asked, context);
  if (std::ranges::count(std::array{1, 30, 300, 1024, 50000}, count) > 0) return training;
  if (schema.selected_columns) {
    if (refuses) throw base::NumericError("no plan for {} columns", count);
    training.events = privacy::Gaussian{0.5};
  }
  return training;
}

// What was found can't be refused any more: the run ends with a model, by the plan that was booked.
TEST(KeptTraining, ARefusedPlanForWhatWasFoundIsNoError) {
  const auto schema = wide_schema();
  auto refusing = find_method("regularized-output");
  refusing.name = "refusing";
  refusing.plan = plan_for_few_counts<true>;
  auto changing = refusing;
  changing.name = "changing";
  changing.plan = plan_for_few_counts<false>;
  const std::array<const Method*, 2> known{&refusing, &changing};
  for (const auto* method : known) {
    auto options = asked(method->name.data());
    const auto training = plan_training(schema, options, {}, known);
    Booking run(training);
    const auto trained = run.train(training, test::wide_records(schema, rows));
    ASSERT_TRUE(trained.schema.selected_columns);
    const auto& kept = *trained.schema.selected_columns;
    ASSERT_EQ(kept.size(), 1024U) << method->name;
    EXPECT_EQ(kept.front(), 0U);
    EXPECT_EQ(kept.back(), 1023U);
    const auto weight = [&](std::size_t column) { return trained.model.coefficients[column]; };
    EXPECT_GT(weight(7), weight(11)) << method->name;
    EXPECT_LE(run.budget.spent().epsilon, training.guarantee.epsilon);
  }
}

// A wrong public count shows before anything was spent.
TEST(KeptTraining, AWrongCountOfRecordsSpendsNothing) {
  const auto schema = wide_schema();
  const auto training = plan_training(schema, asked("regularized-output"));
  Booking run(training);
  EXPECT_THROW((void)run.train(training, test::wide_records(schema, rows - 1)), base::DataError);
  EXPECT_EQ(run.budget.spent().epsilon, 0);
}

TEST(KeptTraining, RefusesWhatItHasNoProofFor) {
  const auto refused = [](ParameterValues options, std::string_view why) {
    try {
      (void)plan_training(wide_schema(), options);
      ADD_FAILURE() << *options.text("method");
    } catch (const base::UsageError& error) {
      EXPECT_NE(std::string_view(error.what()).find(why), std::string_view::npos) << error.what();
    }
  };
  auto pure = asked("objective");
  pure.set("delta", 0);
  refused(pure, "Gaussian noise tells which columns occur, which is not pure");
  auto paper = asked("objective");
  paper.set("calibration", "kifer2012");
  refused(paper, "a paper's schedule knows its columns");
  for (const char* chain : {"ladder", "growth"}) {
    refused(asked(chain), "follows from the number of columns");
  }
  auto projected = asked("objective");
  projected.set("projection", "countsketch");
  projected.set("projection-width", 64);
  refused(projected, "projected columns are all of use");
}

}  // namespace selected_training_test
}  // namespace tacet::learn
