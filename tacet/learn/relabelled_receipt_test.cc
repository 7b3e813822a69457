// A receipt that was made for some neighbours, unit or method does not pass for another one: what
// is edited here is edited everywhere it stands, as somebody would who wants it to pass.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/learn/gradient/gradient.h"
#include "tacet/learn/localization/localization.h"
#include "tacet/learn/objective/objective.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/learn/regularized_output/regularized_output.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/data_sets.h"

namespace tacet::learn {
namespace relabelled_receipt_test {

using privacy::Adjacency;
using enum privacy::Adjacency;
constexpr Adjacency adjacencies[]{add_remove, zero_out, replace_one};

/// The admissions of Berkeley, single records or two a unit.
data::Schema schema_of(bool units) {
  auto schema = data::load_schema(test::source_file("data/schemas/berkeley1973.toml"));
  if (!units) return schema;
  schema.unit = "patient";
  schema.public_row_count = (*schema.public_row_count + 1) / 2;
  return schema;
}

data::Dataset records_of(data::Schema schema, bool units) {
  schema.unit.reset();
  auto dataset = data::read_dataset(test::source_file("data/berkeley1973.csv"), schema);
  if (!units) return dataset;
  data::Dataset of_units(dataset.shape());
  of_units.declare_units();
  for (std::int64_t row = 0; row < dataset.rows(); ++row) {
    of_units.append_dense(dataset.dense_row(row), dataset.label(row), row / 2);
  }
  return of_units;
}

std::optional<model::ModelFile> trained(const ParameterValues& options, bool units = false) {
  const auto schema = schema_of(units);
  std::optional<Training> training;
  try {
    training = plan_training(schema, options);
  } catch (const base::Error&) {
    return std::nullopt;
  }
  random::SeededSource source(1);
  privacy::TrustingBudget budget(common_options(options).adjacency);
  auto reservation = budget.reserve(training->events, training->guarantee);
  base::ThreadPool pool(1);
  base::LocalReducer reducer;
  auto result = training->run(records_of(training->reading_schema(), units), schema,
                              {source, reservation, pool, reducer});
  return model::ModelFile{std::move(result.schema), std::move(result.model),
                          std::move(result.receipt)};
}

std::string faults_of(const model::ModelFile& file) {
  return fmt::format("{}", fmt::join(check_receipt(file.receipt, &file).faults, "; "));
}
std::string faults_of(const privacy::Receipt& receipt) {
  return fmt::format("{}", fmt::join(check_receipt(receipt, nullptr).faults, "; "));
}

/// The adjacency of the guarantee and of everything in the events.
privacy::Receipt relabelled(privacy::Receipt receipt, Adjacency adjacency) {
  auto text = privacy::event_to_json(receipt.events);
  for (const auto old : adjacencies) {
    const auto from = '"' + to_string(old) + '"';
    const auto to = '"' + to_string(adjacency) + '"';
    if (from == to) continue;
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  receipt.events = privacy::event_from_json(text);
  receipt.guarantee.adjacency = adjacency;
  return receipt;
}

ParameterValues options_of(const Method& method, Adjacency adjacency, double delta) {
  ParameterValues options{{"method", std::string(method.name)},
                          {"epsilon", 1},
                          {"delta", delta},
                          {"adjacency", adjacency}};
  if (method.name == "wide" || method.name == "gradient") options.set("steps", 5);
  if (method.name == "sparse-groups") options.set("group-column", "department");
  if (method.name == "inverse-sensitivity") options.set("l2", 0.1);
  if (method.name == "inference") options.set("terms", "sex");
  if (method.name == "adassp") options.set("loss", model::Loss{model::SquaredLoss{}});
  return options;
}

class Relabelled : public testing::TestWithParam<const Method*> {};

// Training and verification read one statement of what a method is proved for.
TEST_P(Relabelled, OnlyWhatTrainingAcceptsIsAccepted) {
  int accepted = 0;
  for (const double delta : {1e-6, 0.0}) {
    for (const auto adjacency : adjacencies) {
      const auto options = options_of(*GetParam(), adjacency, delta);
      const auto file = trained(options);
      const auto& proved = delta == 0 ? GetParam()->proved.pure : GetParam()->proved.with_delta;
      ASSERT_EQ(file.has_value(), proved.has(adjacency)) << to_string(adjacency) << delta;
      if (!file) continue;
      ++accepted;
      EXPECT_EQ(faults_of(*file), "") << to_string(adjacency) << delta;
      EXPECT_EQ(faults_of(file->receipt), "") << to_string(adjacency) << delta;
      for (const auto other : adjacencies) {
        if (other == adjacency) continue;
        auto lie = *file;
        lie.receipt = relabelled(file->receipt, other);
        EXPECT_NE(faults_of(lie), "") << to_string(adjacency) << " as " << to_string(other);
        EXPECT_NE(faults_of(lie.receipt), "") << to_string(adjacency) << " as " << to_string(other);
      }
    }
  }
  EXPECT_GT(accepted, 0);
}

TEST_P(Relabelled, AReceiptDoesNotPassUnderTheNameOfAnotherMethod) {
  const auto file = trained(options_of(*GetParam(), GetParam()->usual_adjacency, 1e-6));
  ASSERT_TRUE(file);
  for (const auto* other : methods()) {
    if (other == GetParam()) continue;
    auto lie = *file;
    lie.receipt.algorithm = other->name;
    EXPECT_NE(faults_of(lie), "") << other->name;
    EXPECT_NE(faults_of(lie.receipt), "") << other->name;
  }
  for (const auto& release : known_releases()) {
    auto lie = *file;
    lie.receipt.algorithm = release.name;
    EXPECT_NE(faults_of(lie), "") << release.name;
  }
}

// A unit with k records has k times the promise of a single one.
TEST_P(Relabelled, RecordsDoNotPassForUnitsNorUnitsForRecords) {
  const auto single = trained(options_of(*GetParam(), GetParam()->usual_adjacency, 1e-6));
  ASSERT_TRUE(single);
  const auto parameters = nlohmann::json::parse(single->receipt.parameters);
  EXPECT_FALSE(parameters.contains("max_records_per_unit"));
  for (const char* unit : {"patient", "pair", "Record"}) {
    auto lie = *single;
    lie.schema.unit = lie.receipt.privacy_unit = unit;
    EXPECT_NE(faults_of(lie), "") << unit;
    EXPECT_NE(faults_of(lie.receipt), "") << unit;
  }
  auto named = *single;
  named.schema.unit = "record";  // which the receipt cannot tell from single records
  EXPECT_NE(faults_of(named), "");
  if (GetParam()->proved.units == UnitProtection::refused) return;
  const auto units = trained(options_of(*GetParam(), GetParam()->usual_adjacency, 1e-6), true);
  ASSERT_TRUE(units);
  EXPECT_EQ(faults_of(*units), "");
  EXPECT_EQ(nlohmann::json::parse(units->receipt.parameters).at("max_records_per_unit"), 1);
  auto lie = *units;
  lie.receipt.privacy_unit = "record";
  lie.schema.unit.reset();
  EXPECT_NE(faults_of(lie), "");
  EXPECT_NE(faults_of(lie.receipt), "");
  lie = *units;
  lie.receipt.privacy_unit = "clinic";
  EXPECT_NE(faults_of(lie), "");
}

// Whatever version the receipt names: none has a right to say less.
TEST_P(Relabelled, WhatIsMissingIsAFault) {
  const auto file = trained(options_of(*GetParam(), GetParam()->usual_adjacency, 1e-6));
  ASSERT_TRUE(file);
  for (const char* name : {"row_count_is", "distance_factor"}) {
    auto silent = file->receipt;
    auto parameters = nlohmann::json::parse(silent.parameters);
    parameters.erase(name);
    silent.parameters = parameters.dump();
    EXPECT_NE(faults_of(silent), "") << name;
    for (const char* version : {"0.1.0", "99.0.0", "next", ""}) {
      silent.software_version = version;
      EXPECT_NE(faults_of(silent), "") << name << " of version " << version;
    }
  }
}

std::string name_of(const testing::TestParamInfo<const Method*>& info) {
  std::string name(info.param->name);
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Methods, Relabelled, testing::ValuesIn(methods().begin(), methods().end()),
                         name_of);

TEST(RelabelledReceipt, ReceiptsThatDoNotSayWhatAUnitBringsAreRefusedAndNameTheUnit) {
  auto file = trained(options_of(gradient_method, add_remove, 1e-6), true);
  ASSERT_TRUE(file);
  auto parameters = nlohmann::json::parse(file->receipt.parameters);
  parameters.erase("max_records_per_unit");
  file->receipt.parameters = parameters.dump();
  EXPECT_NE(faults_of(*file).find("how many records of each patient take part"), std::string::npos);
  file->receipt.software_version = "0.1.0";
  EXPECT_NE(faults_of(*file), "");
  const auto unchecked = check_receipt(file->receipt, nullptr).unchecked;
  EXPECT_NE(fmt::format("{}", fmt::join(unchecked, ";")).find("whether each patient is protected"),
            std::string::npos);
}

// What no version of this program wrote is not judged by the cost of its events alone.
TEST(RelabelledReceipt, AnUnknownAlgorithmIsNotKnown) {
  auto file = trained(options_of(gradient_method, add_remove, 1e-6));
  ASSERT_TRUE(file);
  EXPECT_TRUE(check_receipt(file->receipt, &*file).known);
  for (const char* name : {"nonsense", "", "Gradient", "gradient "}) {
    file->receipt.algorithm = name;
    EXPECT_FALSE(check_receipt(file->receipt, &*file).known) << name;
  }
}

// Levels of noise between the first and the last one are no less bound by the receipt.
TEST(RelabelledReceipt, EachPhaseOfAChainHasTheNoiseOfTheReceipt) {
  const auto file = trained(options_of(ladder_method, replace_one, 1e-6));
  ASSERT_TRUE(file);
  const auto* chain = file->receipt.events.as<privacy::Composed>();
  ASSERT_NE(chain, nullptr);
  ASSERT_GT(chain->parts.size(), 2U);
  for (std::size_t phase = 0; phase < chain->parts.size(); ++phase) {
    auto lie = file->receipt;
    auto parts = chain->parts;
    parts[phase] = privacy::Gaussian{100 * parts[phase].as<privacy::Gaussian>()->noise_multiplier};
    lie.events = privacy::Composed{parts};
    EXPECT_NE(faults_of(lie), "") << phase;
  }
}

TEST(RelabelledReceipt, PureNoiseCostsWhatItsScaleSays) {
  const std::vector<std::pair<const Method*, const char*>> scales{
      {&objective_method, "objective_noise"},
      {&objective_method, "distance"},
      {&regularized_output_method, "noise"},
      {&regularized_output_method, "record_share"}};
  for (const auto& [method, scale] : scales) {
    const auto file = trained(options_of(*method, replace_one, 0));
    ASSERT_TRUE(file);
    auto lie = file->receipt;
    auto parameters = nlohmann::json::parse(lie.parameters);
    parameters[scale] = 2 * parameters[scale].get<double>();
    lie.parameters = parameters.dump();
    EXPECT_NE(faults_of(lie), "") << method->name << scale;
    lie = file->receipt;
    lie.events = privacy::PureDp{0.5, replace_one};
    EXPECT_NE(faults_of(lie), "") << method->name;
  }
}

}  // namespace relabelled_receipt_test
}  // namespace tacet::learn
