#include "tacet/choose/radius_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/choose/boosting.h"
#include "tacet/choose/plan.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/carried_out.h"
#include "tests/support/following_records.h"

namespace tacet::choose {
namespace radius_search_test {

using enum privacy::Adjacency;

constexpr std::int64_t declared = 400;

data::Schema schema_of(bool numbers) {
  return data::schema_from_toml(
      std::string("public_row_count = 400\n[target]\ncolumn = \"y\"\n") +
          (numbers ? "lower = -1\nupper = 1\n" : "positive = \"1\"\n") +
          "[[column]]\nname = \"x\"\nkind = \"numeric\"\nlower = 0\nupper = 1\n",
      "inline");
}

learn::ParameterValues radius_options(privacy::Adjacency adjacency) {
  return {{"method", "gradient"}, {"epsilon", 1},     {"delta", 1e-6},  {"adjacency", adjacency},
          {"steps", 5},           {"radius", "auto"}, {"knots", "none"}};
}

learn::ParameterValues boost_options(privacy::Adjacency adjacency) {
  auto options = radius_options(adjacency);
  options.erase("radius");
  options.set("boost", 0.2);
  return options;
}

test::CarriedOut run(const data::Schema& schema, const learn::ParameterValues& options,
                     const data::Dataset& data, std::uint64_t seed = 1) {
  return test::carried_out(choose::plan_training(schema, options), data, seed);
}

// glm 9.3.
TEST(RadiusSearch, FormulasAreThoseOfTheReference) {
  EXPECT_EQ(paper_radii(10000, 1, 1, 1), 5);
  EXPECT_EQ(boosting_blocks(.05), 6);
  EXPECT_NEAR(bernstein_penalty({3000, 8, .1, .5}, 4.5) / .101671197318, 1, 1e-8);
  EXPECT_EQ(min_radius(4, 2, false), 1.0 / 16);
  EXPECT_EQ(min_radius(0.25, 2, true), 0.5);
}

// All of it costs exactly what was asked for: radii on one block together, the choice on the other.
TEST(RadiusSearch, AllRadiiAndTheChoiceCostWhatWasAskedFor) {
  for (const auto adjacency : {add_remove, zero_out, replace_one}) {
    for (const bool numbers : {false, true}) {
      const auto plan = choose::plan_training(schema_of(numbers), radius_options(adjacency));
      EXPECT_LE(plan.guarantee.epsilon, 1);
      EXPECT_GT(plan.guarantee.epsilon, 0.999);
      const auto* blocks = plan.events.as<privacy::Partitioned>();
      ASSERT_NE(blocks, nullptr);
      EXPECT_EQ(blocks->parts[0].as<privacy::Composed>()->parts.size(), 8U);
      EXPECT_EQ(blocks->parts[1].as<privacy::PureDp>()->adjacency, adjacency);
      // Nothing of the first block's budget is left over either.
      EXPECT_GT(accounting::epsilon(blocks->parts[0], adjacency, privacy::Delta(1e-6)), 0.98);
    }
  }
}

// glm 3.1: mu / sqrt(7) is 2.591 times less noise than epsilon / 7 each at epsilon 1, delta 1e-6;
// of eight radii here the noise is mu / sqrt(8) to a part in ten thousand.
TEST(RadiusSearch, RadiiShareTheBudgetByTheRootOfTheirNumber) {
  const auto plan = choose::plan_training(schema_of(true), radius_options(add_remove));
  const auto& first =
      plan.events.as<privacy::Partitioned>()->parts[0].as<privacy::Composed>()->parts[0];
  const auto* steps = first.as<privacy::Repeated>();
  ASSERT_NE(steps, nullptr);
  const double mu = std::sqrt(static_cast<double>(steps->count)) /
                    steps->base->as<privacy::Gaussian>()->noise_multiplier;
  EXPECT_NEAR(mu * std::sqrt(8.0) / .236704380663, 1, 1e-4);
}

TEST(RadiusSearch, ThePapersFormSharesByTheirNumber) {
  auto options = radius_options(replace_one);
  options.set("method", "regularized-output");
  options.set("calibration", "arora2022");
  options.erase("steps");
  options.erase("knots");
  const auto schema = schema_of(true);
  const auto done = run(schema, options, test::following_records(schema, declared));
  EXPECT_LE(done.plan.guarantee.epsilon, 1);
  const auto parameters = nlohmann::json::parse(done.result.receipt.parameters);
  EXPECT_NEAR(parameters["run_epsilon"].get<double>() *
                  static_cast<double>(paper_radii(declared, 1, 1, schema.norm_bound())),
              1, 1e-9);
  EXPECT_EQ(parameters["run_row_count"], 200);
}

// Roundings of sums in doubles have their allowance for so many records and no more.
TEST(RadiusSearch, ThePapersFormRefusesMoreRecordsThanItsRoundingsAllow) {
  auto options = radius_options(replace_one);
  options.set("method", "regularized-output");
  options.set("calibration", "arora2022");
  options.erase("steps");
  options.erase("knots");
  const auto said = [&](std::int64_t rows) -> std::string {
    options.set("public-row-count", rows);
    try {
      static_cast<void>(choose::plan_training(schema_of(true), options));
    } catch (const base::UsageError& error) {
      return error.what();
    }
    return {};
  };
  // Half of the records score. Of as many as that the caps of the radii are too far apart besides.
  EXPECT_NE(said((std::int64_t{1} << 30) + 4).find("would score the models"), std::string::npos);
  EXPECT_EQ(said(std::int64_t{1} << 30).find("would score the models"), std::string::npos);
}

// glm 9.1: mu .2 and a pure choice at .5 on the same records cost 1.31276 at 1e-6.
TEST(Boosting, ThePapersFormIsPaidAtTheMixtureBound) {
  const privacy::Event both = privacy::Composed{
      {privacy::Partitioned{privacy::Assignment::by_record, {privacy::Gaussian{5}}},
       privacy::PureDp{.5, add_remove}}};
  EXPECT_NEAR(accounting::epsilon(both, add_remove, privacy::Delta(1e-6)), 1.31276427313, 1.4e-3);
}

TEST(Boosting, BlocksAtTheFullBudgetCostWhatOneRunDoes) {
  for (const auto adjacency : {add_remove, zero_out, replace_one}) {
    const auto plan = choose::plan_training(schema_of(false), boost_options(adjacency));
    EXPECT_LE(plan.guarantee.epsilon, 1);
    EXPECT_GT(plan.guarantee.epsilon, 0.999);
    const auto* blocks = plan.events.as<privacy::Partitioned>();
    ASSERT_NE(blocks, nullptr);
    EXPECT_GT(accounting::epsilon(blocks->parts[0], adjacency, privacy::Delta(1e-6)), 0.999);
  }
}

/// Probability that a block of records says 1: its majority by randomised response, one record more
/// changes the odds by exp(1) at most.
double says_one(const std::vector<int>& block) {
  int difference = 0;
  for (const int record : block) difference += record == 1 ? 1 : -1;
  return 1 / (1 + std::exp(-static_cast<double>(difference)));
}

/// Of two answers the chosen one is 1, by permute-and-flip at epsilon 1 on the records that score,
/// where one more raises both scores or none.
double chosen_one(int first, int second, const std::vector<int>& scoring) {
  if (first == second) return first;
  int ones = 0;
  int zeros = 0;
  for (const int record : scoring) ++(record == 1 ? ones : zeros);
  const double behind = std::exp(-std::abs(ones - zeros)) / 2;
  return ones >= zeros ? 1 - behind : behind;
}

/// The exact law of boosting with two blocks and one that scores, over all random draws of the
/// records.
double boosted_one(const std::vector<int>& records) {
  double sum = 0;
  const auto count = static_cast<int>(std::pow(3, records.size()));
  for (int draws = 0; draws < count; ++draws) {
    std::array<std::vector<int>, 3> blocks;
    int rest = draws;
    for (const int record : records) {
      blocks[static_cast<std::size_t>(rest % 3)].push_back(record);
      rest /= 3;
    }
    for (const int first : {0, 1}) {
      for (const int second : {0, 1}) {
        const double one = says_one(blocks[0]);
        const double other = says_one(blocks[1]);
        sum += (first == 1 ? one : 1 - one) * (second == 1 ? other : 1 - other) *
               chosen_one(first, second, blocks[2]);
      }
    }
  }
  return sum / count;
}

// T-6: three records and a fourth, every one of their values and random draws: runs of epsilon 1 on
// blocks and a choice of epsilon 1 on another one cost epsilon 1.
TEST(Boosting, OnAToyTheExactLawKeepsTheEpsilonOfOneRun) {
  double worst = 0;
  for (int values = 0; values < 8; ++values) {
    const std::vector<int> three{values & 1, (values >> 1) & 1, (values >> 2) & 1};
    for (const int more : {0, 1}) {
      auto four = three;
      four.push_back(more);
      const double one = boosted_one(three);
      const double other = boosted_one(four);
      worst = std::max(
          {worst, std::abs(std::log(one / other)), std::abs(std::log((1 - one) / (1 - other)))});
    }
  }
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst, 0.1);
}

// Everything that a receipt says but numbers that the accountant finds.
TEST(Boosting, TheReceiptIsTheGoldenOne) {
  const auto schema = schema_of(false);
  for (const auto adjacency : {add_remove, zero_out, replace_one}) {
    auto options = boost_options(adjacency);
    options.set("epsilon", 8);
    const auto receipt =
        run(schema, options, test::following_records(schema, declared)).result.receipt;
    auto parameters = nlohmann::json::parse(receipt.parameters);
    for (const auto* found : {"run_epsilon", "run_delta", "noise_multiplier", "norm_bits",
                              "step_size", "candidate", "selection_epsilon"}) {
      EXPECT_TRUE(parameters.contains(found)) << found;
      parameters.erase(found);
    }
    EXPECT_EQ(receipt.algorithm, "boosting");
    const auto neighbours = learn::neighbour_parameters(adjacency);
    for (const auto& [name, value] : neighbours.items()) {
      EXPECT_EQ(parameters.at(name), value) << name;
      parameters.erase(name);
    }
    EXPECT_FALSE(nlohmann::json::parse(parameters.at("runs").get<std::string>()).empty());
    parameters.erase("runs");  // recorded_runs_test
    EXPECT_EQ(receipt.sampling, "blocks");
    EXPECT_EQ(parameters.dump(),
              R"({"average":0.4,"averaging":"suffix","blocks":4,"boost":0.2,"clipping_norm":0.5,)"
              R"("columns":2,"loss":"logistic","method":"gradient","momentum":0.9,"outputs":1,)"
              R"("public_row_count":400,"run_calibration":"tight","run_row_count":75,)"
              R"("run_sampling":"full_batch","steps":5})");
  }
}

TEST(RadiusSearch, TheReceiptIsTheGoldenOne) {
  const auto schema = schema_of(false);
  for (const auto adjacency : {add_remove, zero_out, replace_one}) {
    auto options = radius_options(adjacency);
    options.set("epsilon", 20);
    const auto receipt =
        run(schema, options, test::following_records(schema, declared)).result.receipt;
    auto parameters = nlohmann::json::parse(receipt.parameters);
    for (const auto* found :
         {"run_epsilon", "run_delta", "noise_multiplier", "norm_bits", "step_size", "candidate",
          "selection_epsilon", "clipping_norm", "radii", "radius"}) {
      EXPECT_TRUE(parameters.contains(found)) << found;
      parameters.erase(found);
    }
    EXPECT_EQ(receipt.algorithm, "radius-search");
    const auto neighbours = learn::neighbour_parameters(adjacency);
    for (const auto& [name, value] : neighbours.items()) {
      EXPECT_EQ(parameters.at(name), value) << name;
      parameters.erase(name);
    }
    EXPECT_FALSE(nlohmann::json::parse(parameters.at("runs").get<std::string>()).empty());
    parameters.erase("runs");  // recorded_runs_test
    EXPECT_EQ(parameters.dump(),
              R"({"average":0.4,"averaging":"suffix","columns":2,"loss":"logistic",)"
              R"("method":"gradient","momentum":0.9,"outputs":1,"public_row_count":400,)"
              R"("run_calibration":"tight","run_row_count":280,"run_sampling":"full_batch",)"
              R"("steps":5})");
  }
}

TEST(Boosting, MoreBlocksThanRecordsAreRefused) {
  auto options = boost_options(add_remove);
  options.set("boost", 1e-9);
  options.set("public-row-count", 30);
  EXPECT_THROW(static_cast<void>(choose::plan_training(schema_of(false), options)),
               base::UsageError);
  options.set("radius", "auto");
  options.set("boost", 0.2);
  EXPECT_THROW(static_cast<void>(choose::plan_training(schema_of(false), options)),
               base::UsageError);
}

/// What a receipt may say of the run that was chosen: released, and different where it is another.
std::string without_choice(const privacy::Receipt& receipt) {
  auto copy = receipt;
  auto parameters = nlohmann::json::parse(copy.parameters);
  for (const auto* name : {"candidate", "radius", "step_size", "noise_multiplier"}) {
    parameters.erase(name);
  }
  copy.parameters = parameters.dump();
  return privacy::receipt_to_json(copy);
}

TEST(RadiusSearch, ReceiptsOfNeighboursDifferInWhatWasChosenAlone) {
  const auto schema = schema_of(false);
  for (const auto adjacency : {add_remove, zero_out, replace_one}) {
    for (const auto& options : {radius_options(adjacency), boost_options(adjacency)}) {
      const auto rows = adjacency == add_remove ? declared + 1 : declared;
      const auto one = run(schema, options, test::following_records(schema, declared), 1);
      const auto other = run(schema, options, test::following_records(schema, rows, 1), 2);
      EXPECT_EQ(one.spent, one.plan.events);
      EXPECT_EQ(one.result.receipt.events, one.plan.events);
      if (one.result.model.coefficients == std::vector<double>(2, 0.0) ||
          other.result.model.coefficients == std::vector<double>(2, 0.0)) {
        continue;  // the zero model, which has no run to describe
      }
      EXPECT_EQ(without_choice(one.result.receipt), without_choice(other.result.receipt));
      EXPECT_NE(one.result.model.coefficients, other.result.model.coefficients);
    }
  }
}

TEST(RadiusSearch, TheReceiptLeadsBackToItsEvents) {
  std::vector<const learn::Method*> known(learn::methods().begin(), learn::methods().end());
  known.insert(known.end(), choices().begin(), choices().end());
  const auto schema = schema_of(false);
  for (const auto& options : {radius_options(add_remove), boost_options(replace_one)}) {
    auto strong = options;
    strong.set("epsilon", 20);  // so that a model that learned is chosen
    const auto done = run(schema, strong, test::following_records(schema, declared));
    const auto& receipt = done.result.receipt;
    const model::ModelFile file{done.result.schema, done.result.model, receipt};
    EXPECT_TRUE(learn::check_receipt(receipt, &file, known).faults.empty());
    for (const auto* name : {"selection_epsilon", "steps", "noise_multiplier"}) {
      auto lie = receipt;
      auto parameters = nlohmann::json::parse(lie.parameters);
      parameters[name] = 7;
      lie.parameters = parameters.dump();
      EXPECT_FALSE(learn::check_receipt(lie, &file, known).faults.empty()) << name;
    }
  }
}

// At a generous epsilon a model that separates the classes is chosen and not the one of zeros: the
// slope of the feature that decides is above 0 in each of ten runs.
TEST(RadiusSearch, AModelThatLearnedIsChosen) {
  const auto schema = schema_of(false);
  for (auto options : {radius_options(add_remove), boost_options(add_remove)}) {
    options.set("epsilon", 20);
    options.set("steps", 30);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const auto done = run(schema, options, test::following_records(schema, declared), seed);
      EXPECT_GT(done.result.model.coefficients[0], 0);
    }
  }
}

TEST(RadiusSearch, NoChoiceStatesMoreThanWasAskedFor) {
  for (const double epsilon : {0.1, 1.0, 8.0, 20.0}) {
    for (auto options : {radius_options(add_remove), boost_options(replace_one)}) {
      options.set("epsilon", epsilon);
      options.set("delta", 1e-8);
      const auto plan = choose::plan_training(schema_of(false), options);
      EXPECT_LE(plan.guarantee.epsilon, epsilon);
      EXPECT_GT(plan.guarantee.epsilon, 0.99 * epsilon);
    }
  }
}

// What the choice would refuse when records have been read.
TEST(RadiusSearch, WhatNoChoiceCanDoIsRefusedBeforeAnythingIsSpent) {
  auto options = radius_options(add_remove);
  options.set("epsilon", 1e-7);
  EXPECT_THROW(static_cast<void>(choose::plan_training(schema_of(false), options)), base::Error);
  options = radius_options(replace_one);
  options.set("method", "regularized-output");
  options.erase("steps");
  options.erase("knots");
  options.set("calibration", "arora2022");
  options.set("epsilon", 4);
  EXPECT_THROW(options.set("public-row-count", std::int64_t{1} << 62), base::UsageError);
}

TEST(RadiusSearch, WhatCannotBeIsRefusedBeforeAnythingIsRead) {
  const auto refused = [](learn::ParameterValues options) {
    EXPECT_THROW(static_cast<void>(choose::plan_training(schema_of(false), options)),
                 base::UsageError);
  };
  auto options = radius_options(add_remove);
  options.set("method", "adassp");
  refused(options);
  options = radius_options(add_remove);
  options.set("epsilon", HUGE_VAL);
  refused(options);
  options = radius_options(add_remove);
  options.set("calibration", "wang2021");
  refused(options);
  EXPECT_THROW(
      static_cast<void>(learn::plan_training(schema_of(false), radius_options(add_remove))),
      base::InternalError);
}

}  // namespace radius_search_test
}  // namespace tacet::choose
