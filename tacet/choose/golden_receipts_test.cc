// What receipts of private choices say, as it stays: the published forms and the laws that are not
// the default, each adjacency. None of it depends on the records.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tacet/choose/plan.h"
#include "tacet/choose/tune.h"
#include "tacet/learn/plan/recorded.h"
#include "tests/support/carried_out.h"
#include "tests/support/following_records.h"

namespace tacet::choose {
namespace golden_receipts_test {

using enum privacy::Adjacency;

constexpr std::int64_t declared = 400;

data::Schema schema_of(bool numbers) {
  return data::schema_from_toml(
      std::string("public_row_count = 400\n[target]\ncolumn = \"y\"\n") +
          (numbers ? "lower = -1\nupper = 1\n" : "positive = \"1\"\n") +
          "[[column]]\nname = \"x\"\nkind = \"numeric\"\nlower = 0\nupper = 1\n",
      "inline");
}

/// The parameters of a plan's receipt but for those that are searched to a last digit, which are
/// there and above 0, and those that say which run was chosen.
std::string golden(const learn::Training& plan, std::uint64_t seed, std::int64_t flipped) {
  const auto records = test::following_records(plan.reading_schema(), declared, flipped);
  const auto receipt = test::carried_out(plan, records, seed).result.receipt;
  auto parameters = nlohmann::json::parse(receipt.parameters);
  for (const auto* searched : {"run_epsilon", "run_delta"}) {
    EXPECT_GT(parameters.at(searched).get<double>(), 0) << searched;
    parameters.erase(searched);
  }
  const auto neighbours = learn::neighbour_parameters(receipt.guarantee.adjacency);
  for (const auto& [name, value] : neighbours.items()) {
    EXPECT_EQ(parameters.at(name), value) << name;
    parameters.erase(name);
  }
  EXPECT_FALSE(nlohmann::json::parse(parameters.at("runs").get<std::string>()).empty());
  parameters.erase("runs");  // recorded_runs_test
  for (const auto* chosen : {"candidate",
                             "radius",
                             "regularization",
                             "l2",
                             "noise_multiplier",
                             "norm_bits",
                             "step_size",
                             "clipping_norm",
                             "claimed_epsilon",
                             "claimed_delta",
                             "score_noise_multiplier",
                             "selection_epsilon",
                             "sensitivity",
                             "stddev",
                             "radii",
                             "steps",
                             "solver_tolerance",
                             "noise",
                             "gradient_share",
                             "record_share"}) {
    parameters.erase(chosen);
  }
  return receipt.algorithm + " " + receipt.calibration + " " + receipt.sampling + " " +
         parameters.dump();
}

learn::ParameterValues published(const char* method) {
  return {{"method", method},
          {"epsilon", 8},
          {"delta", 1e-6},
          {"adjacency", replace_one},
          {"calibration", "arora2022"}};
}

/// The same for neighbours and other noise.
void expect_golden(const learn::Training& plan, const std::string& expected) {
  EXPECT_EQ(golden(plan, 1, 0), expected);
  EXPECT_EQ(golden(plan, 2, 1), expected);
}

// Of so few records it chooses the model of all zeros, which says nothing of a run.
TEST(GoldenReceipts, ThePublishedSearchForARadius) {
  auto options = published("regularized-output");
  options.set("radius", "auto");
  expect_golden(choose::plan_training(schema_of(true), options),
                "radius-search arora2022 blocks "
                R"({"columns":2,"loss":"squared","public_row_count":400,"run_row_count":200})");
}

TEST(GoldenReceipts, ThePublishedBoosting) {
  const auto plan = [](const char* method) {
    auto options = published(method);
    options.set("boost", 0.2);
    options.set("radius", 1);
    return choose::plan_training(schema_of(true), options);
  };
  expect_golden(plan("gradient"),
                "boosting arora2022 blocks "
                R"({"averaging":"uniform","batch_size":1,"blocks":4,"boost":0.2,"columns":2,)"
                R"("loss":"squared","method":"gradient","momentum":0.0,"outputs":1,)"
                R"("public_row_count":400,"run_calibration":"arora2022","run_row_count":100,)"
                R"("run_sampling":"fixed_size","sampling_rate":0.01})");
  expect_golden(plan("regularized-output"),
                "boosting arora2022 blocks "
                R"({"blocks":4,"boost":0.2,"columns":2,"loss":"squared",)"
                R"("method":"regularized-output","public_row_count":400,)"
                R"("run_calibration":"arora2022","run_row_count":100,)"
                R"("run_sampling":"full_batch","slope_bound":2.0,"smoothing_width":0.0})");
}

TEST(GoldenReceipts, LawsOfTheNumberOfRuns) {
  for (const auto& [law, said] :
       {std::pair{TrialLaw::geometric,
                  R"("law":"geometric","loss":"logistic","max_trials":224,"method":"gradient",)"
                  R"("momentum":0.9,)"},
        std::pair{TrialLaw::poisson,
                  R"("law":"poisson","loss":"logistic","max_trials":36,"method":"gradient",)"
                  R"("momentum":0.9,)"}}) {
    for (const auto* adjacency : {"add_remove", "zero_out", "replace_one"}) {
      TuneRequest asked{
          {}, grid_from_toml("zero_model = true\n[[candidate]]\nsteps = 5\n", "g"), {.law = law}};
      asked.values.set("epsilon", "2");
      asked.values.set("delta", "1e-6");
      asked.values.set("adjacency", adjacency);
      expect_golden(plan_tuning(schema_of(false), asked),
                    "tune tight blocks "
                    R"({"average":0.4,"averaging":"suffix","candidates":1,"columns":2,)"
                    R"("grid":"steps=5","holdout":0.3,)" +
                        std::string(said) +
                        R"("outputs":1,"public_row_count":400,"run_calibration":"tight",)"
                        R"("run_row_count":280,"run_sampling":"full_batch","score":"accuracy",)"
                        R"("trials":10.0})");
    }
  }
}

}  // namespace golden_receipts_test
}  // namespace tacet::choose
