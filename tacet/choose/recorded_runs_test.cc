// The events of runs that were not chosen are as bound by the receipt as those of the chosen one.

#include "tacet/choose/recorded_runs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tacet/choose/plan.h"
#include "tacet/choose/tune.h"
#include "tacet/learn/receipt_check.h"
#include "tests/support/carried_out.h"
#include "tests/support/following_records.h"

namespace tacet::choose {
namespace recorded_runs_test {

using enum privacy::Adjacency;
using nlohmann::json;

constexpr std::int64_t declared = 300;

data::Schema schema_of() {
  return data::schema_from_toml(
      "public_row_count = 300\n[target]\ncolumn = \"y\"\npositive = \"1\"\n"
      "[[column]]\nname = \"x\"\nkind = \"numeric\"\nlower = 0\nupper = 1\n",
      "inline");
}

learn::TrainedModel tuned(const char* grid, const char* adjacency, const char* delta) {
  learn::ParameterValues values;
  values.set("epsilon", "2");
  values.set("delta", delta);
  values.set("adjacency", adjacency);
  const auto schema = schema_of();
  const auto plan = plan_tuning(schema, {values, grid_from_toml(grid, "g.toml"), {}});
  return test::carried_out(plan, test::following_records(schema, declared), 3).result;
}

std::vector<std::string> faults(const learn::TrainedModel& result, const json& parameters,
                                const privacy::Receipt& receipt) {
  std::vector<const learn::Method*> known(learn::methods().begin(), learn::methods().end());
  known.insert(known.end(), choices().begin(), choices().end());
  auto edited = receipt;
  edited.parameters = parameters.dump();
  const model::ModelFile file{result.schema, result.model, edited};
  return learn::check_receipt(edited, &file, known).faults;
}

constexpr auto steps_and_batches =
    "[values]\nsteps = [5, 9]\nbatch-size = [20, 40]\nstep-size = [0.5, 1]\n";

TEST(RecordedRuns, AnEditedGridOrAnEditedRunIsAFault) {
  const auto honest = tuned(steps_and_batches, "add_remove", "1e-6");
  const auto parameters = json::parse(honest.receipt.parameters);
  EXPECT_TRUE(faults(honest, parameters, honest.receipt).empty())
      << faults(honest, parameters, honest.receipt).front();
  const auto grid = parameters.at("grid").get<std::string>();
  const std::vector<std::pair<const char*, const char*>> edits{{"steps=5", "steps=4"},
                                                               {"steps=9", "steps=90"},
                                                               {"batch-size=20", "batch-size=10"},
                                                               {"batch-size=40", "batch-size=80"},
                                                               {"; ", ";"}};
  for (const auto& [from, to] : edits) {
    auto lie = parameters;
    // The last place where it stands: a candidate that need not be the chosen one.
    auto text = grid;
    const auto at = text.rfind(from);
    ASSERT_NE(at, std::string::npos) << from;
    lie["grid"] = text.replace(at, std::string(from).size(), to);
    EXPECT_FALSE(faults(honest, lie, honest.receipt).empty()) << from;
  }
  auto runs = json::parse(parameters.at("runs").get<std::string>());
  ASSERT_EQ(runs.size(), 4U);
  for (auto& run : runs) {
    for (auto& [name, value] : run.at("parameters").items()) {
      if (name != "steps" && name != "noise_multiplier" && name != "sampling_rate") continue;
      const auto old = value;
      value =
          value.is_number_integer() ? json(value.get<int>() + 1) : json(value.get<double>() * 0.9);
      auto lie = parameters;
      lie["runs"] = runs.dump();
      EXPECT_FALSE(faults(honest, lie, honest.receipt).empty()) << name;
      value = old;
    }
  }
  auto fewer = parameters;
  runs.erase(runs.begin());
  fewer["runs"] = runs.dump();
  EXPECT_FALSE(faults(honest, fewer, honest.receipt).empty());
  fewer.erase("runs");
  EXPECT_FALSE(faults(honest, fewer, honest.receipt).empty());
}

TEST(RecordedRuns, TheEventsOfEachRunAreThoseOfTheReceipt) {
  const auto honest = tuned("[values]\nsteps = [5, 9, 13]\n", "replace_one", "1e-6");
  const auto parameters = json::parse(honest.receipt.parameters);
  ASSERT_TRUE(faults(honest, parameters, honest.receipt).empty());
  const auto& outer = *honest.receipt.events.as<privacy::RandomlyRepeated>();
  const auto& blocks = *outer.base->as<privacy::Partitioned>();
  ASSERT_EQ(blocks.parts.size(), 4U);
  for (std::size_t run = 0; run + 1 < blocks.parts.size(); ++run) {
    auto parts = blocks.parts;
    auto repeated = *parts[run].as<privacy::Repeated>();
    repeated.count += 1;
    parts[run] = repeated;
    auto lie = honest.receipt;
    auto event = outer;
    event.base = privacy::Event(privacy::Partitioned{blocks.assignment, parts});
    lie.events = event;
    EXPECT_FALSE(faults(honest, parameters, lie).empty()) << run;
  }
}

TEST(RecordedRuns, PureCandidatesOfSeveralMethodsLeadBack) {
  const auto honest =
      tuned("[values]\nmethod = [\"regularized-output\", \"objective\"]\n", "replace_one", "0");
  const auto parameters = json::parse(honest.receipt.parameters);
  const auto found = faults(honest, parameters, honest.receipt);
  EXPECT_TRUE(found.empty()) << found.front();
  for (const auto other : {add_remove, zero_out}) {
    auto lie = honest.receipt;
    lie.guarantee.adjacency = other;
    EXPECT_FALSE(faults(honest, parameters, lie).empty()) << to_string(other);
  }
}

TEST(RecordedRuns, AGridsTextIsCutAtItsCandidates) {
  EXPECT_EQ(grid_entries("defaults"), std::vector<std::string>{"defaults"});
  EXPECT_EQ(grid_entries("steps=5 l2=1; steps=9 weight=3"),
            (std::vector<std::string>{"steps=5 l2=1", "steps=9"}));
}

}  // namespace recorded_runs_test
}  // namespace tacet::choose
