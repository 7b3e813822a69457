// What `verify` makes of receipts of private choices: honest ones follow, others do not.

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tacet/choose/recorded_run.h"
#include "tacet/choose/tune.h"
#include "tacet/learn/method.h"
#include "tacet/learn/receipt_check.h"
#include "tests/support/carried_out.h"
#include "tests/support/following_records.h"

namespace tacet::choose {
namespace receipts_test {

using enum privacy::Adjacency;

constexpr std::int64_t declared = 400;

data::Schema schema_of(const char* target = "positive = \"1\"\n") {
  return data::schema_from_toml(std::string("public_row_count = 400\n[target]\ncolumn = \"y\"\n") +
                                    target + "[[column]]\nname = \"x\"\nkind = \"numeric\"\n" +
                                    "lower = 0\nupper = 1\n",
                                "inline");
}

learn::ParameterValues options_of(const char* method, privacy::Adjacency adjacency, double epsilon,
                                  double delta) {
  learn::ParameterValues options{
      {"method", method}, {"epsilon", epsilon}, {"delta", delta}, {"adjacency", adjacency}};
  if (options.text("method") == "gradient") options.set("knots", "none");
  return options;
}

learn::ParameterValues searched(learn::ParameterValues options) {
  options.set("radius", "auto");
  return options;
}
learn::ParameterValues boosted(learn::ParameterValues options) {
  options.set("boost", 0.5);
  return options;
}

learn::TrainedModel trained(const learn::Training& plan, std::uint64_t seed = 1) {
  return test::carried_out(plan, test::following_records(plan.schema, declared), seed).result;
}
learn::TrainedModel trained(const learn::ParameterValues& options, std::uint64_t seed = 1) {
  return trained(choose::plan_training(schema_of(), options), seed);
}

std::vector<std::string> faults(const learn::TrainedModel& result) {
  std::vector<const learn::Method*> known(learn::methods().begin(), learn::methods().end());
  known.insert(known.end(), choices().begin(), choices().end());
  const auto& [model, receipt, schema] = result;
  const model::ModelFile file{schema, model, receipt};
  return learn::check_receipt(receipt, &file, known).faults;
}

void expect_honest(const learn::TrainedModel& result) {
  const auto found = faults(result);
  EXPECT_TRUE(found.empty()) << found.front();
}

using Change = std::function<void(learn::TrainedModel&, nlohmann::json&)>;

/// The first fault after a change of the events, the model or the parameters.
void expect_fault(learn::TrainedModel result, std::string_view words, const Change& change) {
  auto parameters = nlohmann::json::parse(result.receipt.parameters);
  change(result, parameters);
  result.receipt.parameters = parameters.dump();
  const auto found = faults(result);
  ASSERT_FALSE(found.empty()) << words;
  EXPECT_NE(found.front().find(words), std::string::npos) << found.front();
}

const privacy::Partitioned& blocks_of(const privacy::Event& event) {
  return *event.as<privacy::Partitioned>();
}

/// A search that came to one of the radii.
learn::TrainedModel found_radius(const learn::ParameterValues& options) {
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    auto result = trained(options, seed);
    if (nlohmann::json::parse(result.receipt.parameters)["candidate"] != "zero model")
      return result;
  }
  ADD_FAILURE() << "no radius in 40 runs";
  return trained(options);
}

TEST(ChoiceReceipts, ChoicesWithoutTheirRunsAreFaults) {
  const auto honest = found_radius(searched(options_of("regularized-output", replace_one, 8, 0)));
  expect_honest(honest);
  const auto pure = [](double epsilon) {
    return privacy::Event(privacy::PureDp{epsilon, replace_one});
  };
  const auto by_position = privacy::Assignment::by_position;
  const auto cheap = [](learn::TrainedModel& result, nlohmann::json& parameters) {
    parameters["selection_epsilon"] = 0.01;
    result.receipt.guarantee.epsilon = 0.01;
  };
  expect_fault(honest, "a run for each of the radii", [&](auto& result, auto& parameters) {
    cheap(result, parameters);
    result.receipt.events = privacy::Partitioned{by_position, {pure(0.01)}};
  });
  expect_fault(honest, "a run for each of the radii", [&](auto& result, auto& parameters) {
    cheap(result, parameters);
    result.receipt.events = privacy::Partitioned{by_position, {pure(0.01), pure(0.01)}};
  });
  expect_fault(honest, "a run of the events costs", [&](auto& result, auto& parameters) {
    cheap(result, parameters);
    result.receipt.events = privacy::Partitioned{
        by_position, {privacy::Composed{std::vector(8, pure(0.001))}, pure(0.01)}};
  });
}

TEST(ChoiceReceipts, RunsThatAreLeftOutOrSideBySideAreFaults) {
  const auto honest = found_radius(searched(options_of("gradient", add_remove, 20, 1e-6)));
  expect_honest(honest);
  const auto& blocks = blocks_of(honest.receipt.events);
  const auto runs = blocks.parts[0].as<privacy::Composed>()->parts;
  expect_fault(honest, "a run for each of the radii", [&](auto& result, auto&) {
    const privacy::Composed fewer{{runs.begin(), runs.end() - 1}};
    result.receipt.events = privacy::Partitioned{blocks.assignment, {fewer, blocks.parts[1]}};
  });
  expect_fault(honest, "a run for each of the radii", [&](auto& result, auto&) {
    privacy::Partitioned apart{blocks.assignment, runs};
    apart.parts.push_back(blocks.parts[1]);
    result.receipt.events = apart;
  });
  expect_fault(honest, "", [&](auto& result, auto&) {
    auto cheaper = runs;
    cheaper.front() = privacy::Gaussian{1e6};
    result.receipt.events =
        privacy::Partitioned{blocks.assignment, {privacy::Composed{cheaper}, blocks.parts[1]}};
  });
  expect_fault(honest, "run_row_count",
               [](auto&, auto& parameters) { parameters["run_row_count"] = 399; });
}

TEST(ChoiceReceipts, ThePapersFormsSayThatTheyAre) {
  auto options = boosted(options_of("gradient", add_remove, 20, 1e-6));
  options.set("calibration", "arora2022");
  options.set("adjacency", replace_one);
  options.set("radius", 1);
  const auto honest = trained(options);
  EXPECT_EQ(honest.receipt.calibration, "arora2022");
  expect_honest(honest);
  // As if a block of their own had scored: the choice for nothing.
  const auto& both = honest.receipt.events.as<privacy::Composed>()->parts;
  const auto& run = blocks_of(both[0]).parts[0];
  expect_fault(honest, "", [&](auto& result, auto&) {
    result.receipt.events = privacy::Partitioned{privacy::Assignment::by_position, {run, both[1]}};
  });
  expect_fault(honest, "", [&](auto& result, auto&) {
    result.receipt.calibration = "tight";
    result.receipt.events = privacy::Partitioned{privacy::Assignment::by_position, {run, both[1]}};
  });
  expect_fault(honest, "blocks", [](auto&, auto& parameters) { parameters["blocks"] = 5; });
}

TEST(ChoiceReceipts, TheModelOfZerosIsOne) {
  auto options = searched(options_of("gradient", add_remove, 0.05, 1e-6));
  options.set("steps", 5);
  learn::TrainedModel zero;
  for (std::uint64_t seed = 1; seed < 60; ++seed) {
    zero = trained(options, seed);
    if (nlohmann::json::parse(zero.receipt.parameters)["candidate"] == "zero model") break;
  }
  ASSERT_EQ(nlohmann::json::parse(zero.receipt.parameters)["candidate"], "zero model");
  expect_honest(zero);
  expect_fault(zero, "the model has others",
               [](auto& result, auto&) { result.model.coefficients[0] = 0.5; });
  const auto& blocks = blocks_of(zero.receipt.events);
  expect_fault(zero, "a run for each of the radii", [&](auto& result, auto&) {
    result.receipt.events = privacy::Partitioned{blocks.assignment, {blocks.parts[1]}};
  });
}

// What a receipt says of how records were read stands there whichever model came out.
TEST(ChoiceReceipts, TheModelOfZerosSaysHowRecordsWereRead) {
  auto weighted = options_of("gradient", add_remove, 0.05, 1e-6);
  weighted.set("class-weights", "1=2,-=1");
  auto projected = options_of("gradient", add_remove, 0.05, 1e-6);
  projected.set("projection", "countsketch");
  projected.set("projection-width", 8);
  const auto schema = data::schema_from_toml(R"(
    public_row_count = 400
    [target]
    column = "y"
    positive = "1"
    negative = "0"
    [[column]]
    name = "x"
    kind = "hashed"
    bits = 6
  )",
                                             "inline");
  for (auto options : {weighted, projected}) {
    if (options.given("class-weights")) options.set("class-weights", "1=2,0=1");
    options.set("steps", 5);
    const auto plan = choose::plan_training(schema, searched(options));
    bool seen = false;
    for (std::uint64_t seed = 1; seed < 60 && !seen; ++seed) {
      const auto result = trained(plan, seed);
      seen = nlohmann::json::parse(result.receipt.parameters)["candidate"] == "zero model";
      if (seen) expect_honest(result);
    }
    EXPECT_TRUE(seen);
  }
}

TEST(ChoiceReceipts, ARunIsHeldToTheLossAndTheUnit) {
  const auto honest = trained(boosted(options_of("objective", add_remove, 4, 1e-6)));
  expect_honest(honest);
  const auto& blocks = blocks_of(honest.receipt.events);
  expect_fault(honest, "", [&](auto& result, auto&) {
    auto flat = *blocks.parts[0].template as<privacy::ObjectivePerturbation>();
    flat.lipschitz *= 0.5;
    result.receipt.events = privacy::Partitioned{blocks.assignment, {flat, blocks.parts[1]}};
  });
  TuneRequest asked{
      {}, grid_from_toml("[[candidate]]\nmethod = \"regularized-output\"\n", "g"), {.trials = 2}};
  for (const auto& [name, value] : {std::pair{"epsilon", "4"}, {"delta", "1e-6"}}) {
    asked.values.set(name, value);
  }
  const auto tuned = trained(plan_tuning(schema_of(), asked));
  expect_honest(tuned);
  const auto per_patient = [](auto& result, auto&) {
    result.receipt.privacy_unit = "patient";
    result.schema.unit = "patient";
  };
  expect_fault(tuned, "how many records of each patient take part", per_patient);
  const auto single = trained(boosted(options_of("output", replace_one, 4, 1e-5)));
  expect_honest(single);
  expect_fault(single, "how many records of each patient take part", per_patient);
  // Neither does it pass with that number: output protects no units, and blocks of exact numbers
  // hold none.
  expect_fault(single, "units are divided into blocks", [&](auto& result, auto& parameters) {
    per_patient(result, parameters);
    parameters["max_records_per_unit"] = 1;
  });
}

TEST(ChoiceReceipts, ATuningsScoreAndRunsAreThoseOfItsBudget) {
  TuneRequest asked{{}, grid_from_toml("[values]\nsteps = [5, 9]\n", "g"), {.trials = 2}};
  for (const auto& [name, value] : {std::pair{"epsilon", "4"}, {"delta", "1e-6"}}) {
    asked.values.set(name, value);
  }
  const auto honest = trained(plan_tuning(schema_of(), asked));
  expect_honest(honest);
  const auto event = *honest.receipt.events.as<privacy::RandomlyRepeated>();
  const auto& blocks = blocks_of(*event.base);
  const auto with = [&](learn::TrainedModel& result, std::vector<privacy::Event> parts) {
    auto other = event;
    other.base = privacy::Partitioned{blocks.assignment, std::move(parts)};
    result.receipt.events = other;
  };
  expect_fault(honest, "noise of the score", [&](auto& result, auto& parameters) {
    auto parts = blocks.parts;
    parts.back() = privacy::Gaussian{1e4};
    parameters["score_noise_multiplier"] = 1e4;
    with(result, parts);
  });
  expect_fault(honest, "a block that trains",
               [&](auto& result, auto&) { with(result, {blocks.parts.back()}); });
  expect_fault(honest, "no run of the events", [&](auto& result, auto&) {
    with(result, {privacy::Gaussian{1e5}, blocks.parts.back()});
  });
  expect_fault(honest, "the model has others",
               [](auto&, auto& parameters) { parameters["candidate"] = "zero model"; });
  expect_fault(honest, "none of the grid's",
               [](auto&, auto& parameters) { parameters["candidate"] = "steps=7"; });
}

// A pure law has no cap in its event: what the one of the parameters leaves out is in the cipher's
// term, or the epsilon is false.
TEST(ChoiceReceipts, APureTuningPaysForItsCap) {
  TuneRequest asked{
      {}, grid_from_toml("[[candidate]]\nmethod = \"objective\"\n", "g"), {.trials = 3}};
  asked.values.set("epsilon", "4");
  asked.values.set("delta", "0");
  asked.values.set("adjacency", "replace_one");
  const auto honest = trained(plan_tuning(schema_of(), asked));
  expect_honest(honest);
  for (const std::int64_t cap : {0, 1, 5}) {
    expect_fault(honest, "of which the PRG slack says nothing",
                 [&](auto&, auto& parameters) { parameters["max_trials"] = cap; });
  }
  expect_fault(honest, "of which the PRG slack says nothing",
               [](auto& result, auto&) { result.receipt.prg_slack = 1e-40; });
}

// What a receipt says of the chosen run is held against what there was to choose from.
TEST(ChoiceReceipts, TheChosenIsOneOfThoseThatThereWere) {
  const auto boost = trained(boosted(options_of("gradient", add_remove, 20, 1e-6)));
  expect_honest(boost);
  expect_fault(boost, "none of the 2 blocks",
               [](auto&, auto& parameters) { parameters["candidate"] = "block 99"; });
  const auto radius = found_radius(searched(options_of("gradient", add_remove, 20, 1e-6)));
  expect_honest(radius);
  expect_fault(radius, "not that of the candidate",
               [](auto&, auto& parameters) { parameters["radius"] = 1e4; });
}

}  // namespace receipts_test
}  // namespace tacet::choose
