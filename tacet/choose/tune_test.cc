#include "tacet/choose/tune.h"

#include <gtest/gtest.h>

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/carried_out.h"
#include "tests/support/following_records.h"

namespace tacet::choose {
namespace tune_test {

using enum privacy::Adjacency;

constexpr std::int64_t declared = 300;

data::Schema schema_of(std::string_view more = "") {
  return data::schema_from_toml(std::string(R"(
    public_row_count = 300
    [target]
    column = "y"
    positive = "1"
    [[column]]
    name = "x"
    kind = "numeric"
    lower = 0
    upper = 1
  )") + std::string(more),
                                "inline");
}

learn::ParameterValues values(std::initializer_list<std::pair<const char*, const char*>> given) {
  learn::ParameterValues out;
  for (const auto& [name, value] : given) out.set(name, value);
  return out;
}

TuneRequest request(std::string_view grid = "[values]\nsteps = [5, 9]\nclipping-norm = [0.5, 1]\n",
                    TuneOptions options = {}) {
  return {values({{"epsilon", "1"}, {"delta", "1e-6"}}), grid_from_toml(grid, "g.toml"), options};
}

test::CarriedOut tuned(const data::Schema& schema, const TuneRequest& asked,
                       const data::Dataset& data, std::uint64_t seed) {
  return test::carried_out(plan_tuning(schema, asked), data, seed);
}

TEST(Tune, EverythingTogetherKeepsWhatWasAskedFor) {
  for (const auto law : {TrialLaw::logarithmic, TrialLaw::geometric}) {
    for (const auto* adjacency : {"add_remove", "zero_out", "replace_one"}) {
      auto asked = request();
      asked.options.law = law;
      asked.values.set("adjacency", adjacency);
      const auto plan = plan_tuning(schema_of(), asked);
      EXPECT_LE(plan.guarantee.epsilon, 1);
      EXPECT_GT(plan.guarantee.epsilon, 0.995);
      EXPECT_EQ(accounting::epsilon(plan.events, plan.guarantee.adjacency, privacy::Delta(1e-6)) <=
                    plan.guarantee.epsilon * (1 + 1e-9),
                true);
    }
  }
}

// glm 9.7: mu of a run for a total of (1, 1e-6) is .1670352918 (logarithmic, 10), .1564933064
// (geometric, 10); the noise of the score says it. The search stops within a thousandth of epsilon.
TEST(Tune, ARunHasTheReferencesBudget) {
  const auto mu = [](TrialLaw law) {
    auto asked = request();
    asked.options.law = law;
    for (const auto& setting : plan_tuning(schema_of(), asked).settings) {
      if (setting.name == "score_noise_multiplier") return 1 / std::get<double>(setting.value);
    }
    return 0.0;
  };
  EXPECT_NEAR(mu(TrialLaw::logarithmic) / .1670352918, 1, 1.5e-3);
  EXPECT_NEAR(mu(TrialLaw::geometric) / .1564933064, 1, 1.5e-3);
}

TEST(Tune, WhatWasSpentIsTheOuterEventAlone) {
  const auto schema = schema_of();
  const auto run = tuned(schema, request(), test::following_records(schema, declared), 1);
  EXPECT_EQ(run.spent, run.plan.events);
  EXPECT_EQ(run.result.receipt.events, run.plan.events);
  EXPECT_NE(run.spent.as<privacy::RandomlyRepeated>(), nullptr);
  EXPECT_EQ(run.result.receipt.prg_slack, run.plan.prg_slack);
}

// One candidate, so that what was chosen is no difference; under add_remove the number of records
// differs too, and sizes of blocks with it.
TEST(Tune, ReceiptsOfNeighboursAreOneText) {
  for (const auto* adjacency : {"add_remove", "zero_out", "replace_one"}) {
    for (const char* grid :
         {"[[candidate]]\nsteps = 5\n", "[[candidate]]\nmethod = \"adassp\"\n"}) {
      const auto schema = schema_of();
      auto asked = request(grid);
      asked.values.set("adjacency", adjacency);
      const bool fixed = std::string_view(adjacency) != "add_remove";
      const auto one = tuned(schema, asked, test::following_records(schema, declared), 1);
      const auto other = tuned(
          schema, asked, test::following_records(schema, fixed ? declared : declared + 1, 1), 2);
      EXPECT_EQ(privacy::receipt_to_json(one.result.receipt),
                privacy::receipt_to_json(other.result.receipt));
      EXPECT_NE(one.result.model.coefficients, other.result.model.coefficients);
    }
  }
}

// Everything a receipt says, each adjacency and law, as it stays.
TEST(Tune, TheReceiptIsTheGoldenOne) {
  const auto schema = schema_of();
  const auto golden = [&](const char* adjacency) {
    auto asked = request("[[candidate]]\nsteps = 5\n");
    asked.values.set("adjacency", adjacency);
    const auto receipt =
        tuned(schema, asked, test::following_records(schema, declared), 1).result.receipt;
    auto parameters = nlohmann::json::parse(receipt.parameters);
    EXPECT_EQ(receipt.algorithm, "tune");
    EXPECT_EQ(receipt.sampling, "blocks");
    EXPECT_EQ(receipt.public_row_count, declared);
    for (const auto* number :
         {"noise_multiplier", "run_epsilon", "run_delta", "step_size", "score_noise_multiplier"}) {
      EXPECT_GT(parameters.at(number).get<double>(), 0) << number;
      parameters.erase(number);
    }
    const auto neighbours = learn::neighbour_parameters(receipt.guarantee.adjacency);
    for (const auto& [name, value] : neighbours.items()) {
      EXPECT_EQ(parameters.at(name), value) << name;
      parameters.erase(name);
    }
    EXPECT_FALSE(nlohmann::json::parse(parameters.at("runs").get<std::string>()).empty());
    parameters.erase("runs");       // recorded_runs_test
    parameters.erase("norm_bits");  // twice the noise under replace_one is one bit less
    return parameters.dump();
  };
  for (const auto* adjacency : {"add_remove", "zero_out", "replace_one"}) {
    EXPECT_EQ(golden(adjacency),
              R"({"average":0.4,"averaging":"suffix","candidate":"steps=5","candidates":1,)"
              R"("clipping_norm":0.5,"columns":2,"grid":"steps=5","holdout":0.3,)"
              R"("law":"logarithmic","loss":"logistic","max_trials":677,)"
              R"("method":"gradient","momentum":0.9,"outputs":1,"public_row_count":300,)"
              R"("run_calibration":"tight","run_row_count":210,"run_sampling":"full_batch",)"
              R"("score":"accuracy","steps":5,"trials":10.0})");
  }
}

TEST(Tune, TheReceiptLeadsBackToItsEvents) {
  const auto schema = schema_of();
  std::vector<const learn::Method*> known(learn::methods().begin(), learn::methods().end());
  known.insert(known.end(), choices().begin(), choices().end());
  const auto run = tuned(schema, request(), test::following_records(schema, declared), 3);
  const model::ModelFile file{run.result.schema, run.result.model, run.result.receipt};
  EXPECT_TRUE(learn::check_receipt(run.result.receipt, &file, known).faults.empty());
  const auto lie = [&](const char* name, const nlohmann::json& value) {
    auto receipt = run.result.receipt;
    auto parameters = nlohmann::json::parse(receipt.parameters);
    parameters[name] = value;
    receipt.parameters = parameters.dump();
    EXPECT_FALSE(learn::check_receipt(receipt, &file, known).faults.empty()) << name;
  };
  lie("trials", 5.0);
  lie("law", "geometric");
  lie("max_trials", 100000);
  lie("score_noise_multiplier", 1.0);
  lie("noise_multiplier", 1.0);
  lie("steps", 7);
  lie("method", "output");
}

// A step of nearly 0 leaves the model where it began. Only runs that never drew the other one end
// with it: of the logarithmic law of mean 20 about 15 %; 18 of 40 once in 10^5 correct programs.
TEST(Tune, ItFindsTheCandidateThatLearns) {
  const auto schema = schema_of();
  auto asked = request("[values]\nstep-size = [1e-9, 1]\n", {.trials = 20});
  asked.values.set("epsilon", "8");
  asked.values.set("steps", "10");
  asked.values.set("knots", "none");
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto run = tuned(schema, asked, test::following_records(schema, declared), seed);
    wrong += nlohmann::json::parse(run.result.receipt.parameters)["step_size"] == 1e-9 ? 1 : 0;
  }
  EXPECT_LT(wrong, 18);
}

std::string refusal(const TuneRequest& asked, const data::Schema& schema = schema_of()) {
  try {
    static_cast<void>(plan_tuning(schema, asked));
  } catch (const base::Error& error) {
    return error.what();
  }
  return "none";
}

void expect_refusal(const TuneRequest& asked, std::string_view words) {
  EXPECT_NE(refusal(asked).find(words), std::string::npos) << refusal(asked);
}

TEST(Tune, WhatCannotBeIsSaidBeforeAnythingIsRead) {
  expect_refusal(request("[[candidate]]\nphases = 3\n"),
                 "candidate phases=3: `phases` has no meaning");
  auto mixed = request(
      "[[candidate]]\nsteps = 5\n[[candidate]]\nmethod = \"objective\"\nloss = \"hinge\"\n");
  expect_refusal(mixed, "are usual under add_remove and replace_one; say with `adjacency`");
  mixed.values.set("adjacency", "add_remove");
  expect_refusal(mixed, "candidate loss=hinge method=objective: ");
  auto twice = request("[values]\nl2 = [0, 1e-3]\n");
  twice.values.set("l2", "0");
  expect_refusal(twice, "`l2` is given for all and in the grid; leave one of them out");
  TuneOptions capped;
  capped.max_trials = 20;
  expect_refusal(request("[[candidate]]\nsteps = 5\n", capped), "`max_trials=20` cuts off so many");
  TuneOptions poisson;
  poisson.law = TrialLaw::poisson;
  expect_refusal(request("[[candidate]]\nsteps = 5\n", poisson), "zero_model = true");
  TuneOptions none;
  none.holdout = 0;
  expect_refusal(request("[[candidate]]\nsteps = 5\n", none), "holdout must be above 0");
  auto asked = request("[values]\nknots = [\"none\", \"4\"]\n");
  asked.values = values({{"epsilon", "1"}, {"delta", "1e-6"}});
  expect_refusal(asked, "read the records differently");
  asked = request();
  asked.values.set("epsilon", "inf");
  expect_refusal(asked, "epsilon inf protects nobody");
  asked.values.set("epsilon", "501");  // e^epsilon beyond the doubles is not far
  expect_refusal(asked, "epsilon up to 500");
  expect_refusal(request("[values]\nradius = [\"1\", \"auto\"]\n"),
                 "candidate radius=auto: radius auto and boost choose among runs themselves");
  asked = request();
  asked.values.set("boost", "0.5");
  expect_refusal(asked, "radius auto and boost choose among runs themselves");
}

// Methods of the grid read what is given for all, where the usual one does not.
TEST(Tune, WhatIsGivenForAllIsReadByTheMethodsOfTheGrid) {
  auto asked = request("[values]\nmethod = [\"ladder\", \"phased\"]\n");
  asked.values.set("phases", "3");
  asked.values.set("epsilon", "2");
  const auto plan = plan_tuning(schema_of(), asked);
  EXPECT_EQ(plan.guarantee.adjacency, privacy::Adjacency::replace_one);
  EXPECT_LE(plan.guarantee.epsilon, 2);
  EXPECT_GT(plan.guarantee.epsilon, 1.9);
}

TEST(Tune, NoRunAtAllIsTheModelOfZeros) {
  const auto schema = schema_of();
  TuneOptions options{.law = TrialLaw::poisson, .trials = 1.0001};
  const auto asked = request("zero_model = true\n[[candidate]]\nsteps = 5\n", options);
  int zeros = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto run = tuned(schema, asked, test::following_records(schema, declared), seed);
    const bool zero = run.result.model.coefficients == std::vector<double>{0, 0};
    const auto parameters = nlohmann::json::parse(run.result.receipt.parameters);
    EXPECT_EQ(parameters["candidate"] == "zero model", zero);
    zeros += zero ? 1 : 0;
  }
  // Binomial(40, e^-1.0001); outside of 3 to 30 once in 10^6 correct programs.
  EXPECT_GE(zeros, 3);
  EXPECT_LE(zeros, 30);
}

double processor_seconds(auto work) {
  const auto before = std::clock();
  work();
  return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
}

// Beside its trainings a tuning divides the records once and scores the holdout: at most a tenth of
// their time. How many there were is drawn again from the seed.
TEST(TuneLong, AddsAtMostATenthToTheTimeOfItsTrainings) {
  auto schema = schema_of();
  schema.public_row_count = 30000;
  const auto data = test::following_records(schema, 30000);
  auto asked = request("[[candidate]]\nsteps = 100\n", {.trials = 30});
  asked.values.set("knots", "none");
  const auto plan = plan_tuning(schema, asked);
  constexpr std::uint64_t seed = 5;
  random::SeededSource source(seed);
  random::Stream choices(source.claim(random::Purpose::selection, 0, 0));
  const auto& stopping = *plan.events.as<privacy::RandomlyRepeated>();
  const auto count = draw_count(stopping, stopping.cap, choices);
  ASSERT_GE(count, 5);
  const double whole = processor_seconds([&] { (void)tuned(schema, asked, data, seed); });
  const auto block = test::following_records(schema, 21000);
  const auto training = learn::plan_training(schema, {{"epsilon", 0.7},
                                                      {"delta", 1e-7},
                                                      {"public-row-count", 21000},
                                                      {"steps", 100},
                                                      {"knots", "none"},
                                                      {"adjacency", "add_remove"}});
  const double one = processor_seconds([&] {
    random::SeededSource noise(1);
    privacy::Reservation permit(training.events, training.guarantee, nullptr);
    base::ThreadPool threads(1);
    (void)training.run(block, training.schema, {noise, permit, threads});
  });
  EXPECT_LE(whole, 1.1 * static_cast<double>(count) * one);
  RecordProperty("share", std::to_string(whole / (static_cast<double>(count) * one)));
}

}  // namespace tune_test
}  // namespace tacet::choose
