#include "tacet/run/known_releases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/data/schema/schema_cost.h"
#include "tacet/learn/receipt_check.h"
#include "tacet/optimize/sums/vector_sum.h"
#include "tacet/privacy/trusting_budget.h"
#include "tacet/run/quantile.h"
#include "tacet/run/release.h"
#include "tacet/run/schema_fit.h"
#include "tacet/run/summary.h"

namespace tacet::run {
namespace {
namespace known_releases_test {

using privacy::Adjacency;
using privacy::Receipt;

constexpr std::array every{Adjacency::add_remove, Adjacency::zero_out, Adjacency::replace_one};

constexpr const char* columns = R"(
public_row_count = 400
[[column]]
name = "age"
kind = "numeric"
lower = 0
upper = 100
[[column]]
name = "town"
kind = "categorical"
categories = ["Rome", "Oslo"]
)";

data::Schema schema_of(bool units) {
  return data::schema_from_toml((units ? "unit = \"who\"\n" : "") + std::string(columns), "inline");
}

/// A receipt with the name of what made it.
struct Named {
  std::string name;
  Receipt receipt;
};

Receipt quantile_receipt_of(Adjacency adjacency) {
  const QuantileRequest request{
      .schema = schema_of(false), .column = "age", .adjacency = adjacency};
  const auto plan = plan_quantile(request);
  random::SeededSource source(1);
  privacy::TrustingBudget budget(adjacency);
  auto reservation = budget.reserve(plan.event, plan.cost);
  const privacy::Private<std::vector<double>> values(std::vector<double>(400, 4));
  return release_quantile(request, plan, values, source, reservation).receipt;
}

FitRequest fit_request_of(Adjacency adjacency, double delta) {
  FitRequest request{};
  request.data = "data.csv";
  request.asked = {1, delta, adjacency};
  return request;
}

Receipt fit_receipt_of(Adjacency adjacency, double delta) {
  const auto request = fit_request_of(adjacency, delta);
  random::SeededSource source(1);
  data::Schema schema;
  schema.columns = {{.name = "age", .rule = data::NumericColumn{}}};
  schema.cost = plan_fit(request, {"age", "town"}, source).cost;
  return data::fit_receipt(schema);
}

std::vector<Named> all_receipts() {
  std::vector<Named> all;
  for (const auto adjacency : every) {
    const auto name = to_string(adjacency);
    for (const double delta : {0.0, 1e-6}) {
      for (const bool units : {false, true}) {
        const SummaryRequest request{.schema = schema_of(units),
                                     .max_records_per_unit = units ? 3 : 1,
                                     .asked = {1, delta, adjacency}};
        const auto plan = plan_summary(request);
        random::SeededSource source(1);
        all.push_back({fmt::format("summary {} {} {}", name, delta, units),
                       summary_receipt(request, plan, source)});
      }
      if (adjacency != Adjacency::replace_one) {
        all.push_back({fmt::format("fit {} {}", name, delta), fit_receipt_of(adjacency, delta)});
      }
    }
    all.push_back({"quantile " + name, quantile_receipt_of(adjacency)});
    optimize::Histogram histogram(3);
    random::SeededSource source(1);
    all.push_back({"sum " + name, release(std::move(histogram).take(), {1, 0, adjacency},
                                          {.noise = Noise::discrete_laplace, .source = &source})
                                      .receipt});
  }
  return all;
}

std::string faults_of(const Receipt& receipt) {
  const auto check = learn::check_receipt(receipt, nullptr, {}, known_releases());
  return fmt::format("{}", fmt::join(check.faults, "; "));
}

/// With the adjacency wherever it is named.
Receipt relabelled(Receipt receipt, Adjacency to) {
  auto events = nlohmann::json::parse(privacy::event_to_json(receipt.events));
  const std::function<void(nlohmann::json&)> rename = [&](nlohmann::json& node) {
    if (node.is_object() && node.contains("adjacency")) node["adjacency"] = to_string(to);
    for (auto& child : node) {
      if (child.is_structured()) rename(child);
    }
  };
  rename(events);
  receipt.events = privacy::event_from_json(events.dump());
  receipt.guarantee.adjacency = to;
  return receipt;
}

Receipt edited(Receipt receipt, const std::function<void(nlohmann::json&)>& edit) {
  auto parameters = nlohmann::json::parse(receipt.parameters);
  edit(parameters);
  receipt.parameters = parameters.dump();
  return receipt;
}

TEST(KnownReleases, TheParametersOfEachLeadToItsEvents) {
  for (const auto& [name, receipt] : all_receipts()) {
    const auto check = learn::check_receipt(receipt, nullptr, {}, known_releases());
    EXPECT_EQ(faults_of(receipt), "") << name;
    EXPECT_TRUE(check.known) << name;
    EXPECT_FALSE(check.checked.empty()) << name;
  }
}

// Noise that was made for one record more or less is half of what a replaced one takes, and an
// exact number of records is no secret.
TEST(KnownReleases, NoiseForOneAdjacencyIsNotTakenForNoiseForAnother) {
  int refused = 0;
  for (const auto& [name, receipt] : all_receipts()) {
    const auto own = receipt.guarantee.adjacency;
    for (const auto other : every) {
      if (other == own || receipt.algorithm == "sum") continue;
      const bool summary = receipt.algorithm == "summary of a table";
      // Of two public numbers of records, and of two losses that are one.
      const bool alike = summary ? own != Adjacency::add_remove && other != Adjacency::add_remove
                                 : own != Adjacency::replace_one && other != Adjacency::replace_one;
      EXPECT_EQ(faults_of(relabelled(receipt, other)).empty(), alike)
          << name << " as " << to_string(other);
      if (!alike) ++refused;
    }
  }
  EXPECT_GT(refused, 20);
}

TEST(KnownReleases, AReceiptOfRecordsIsNotTakenForOneOfUnits) {
  for (const auto& [name, receipt] : all_receipts()) {
    auto other = receipt;
    const bool units = receipt.privacy_unit != "record";
    other.privacy_unit = units ? "record" : "who";
    EXPECT_NE(faults_of(other), "") << name;
  }
}

// Less noise than the events say, or more releases than they count.
TEST(KnownReleases, EveryNumberThatDecidesTheEventsIsHeldAgainstThem) {
  for (const auto& [name, receipt] : all_receipts()) {
    const auto parameters = nlohmann::json::parse(receipt.parameters);
    for (const auto* key : {"epsilon_of_counts", "epsilon_of_a_quartile", "columns",
                            "numeric_columns", "values_changed", "epsilon", "loss",
                            "epsilon_of_kinds", "epsilon_of_bounds", "noise_multiplier", "noise"}) {
      if (!parameters.contains(key)) continue;
      EXPECT_NE(faults_of(edited(receipt, [&](nlohmann::json& all) { all.erase(key); })), "")
          << name << " without " << key;
      if (!parameters[key].is_number()) continue;
      EXPECT_NE(faults_of(edited(receipt,
                                 [&](nlohmann::json& all) {
                                   if (all[key].is_number_integer()) {
                                     all[key] = all[key].get<std::int64_t>() + 1;
                                   } else {
                                     all[key] = all[key].get<double>() / 2;
                                   }
                                 })),
                "")
          << name << " with another " << key;
    }
    auto poisson = receipt;
    poisson.sampling = "poisson";
    EXPECT_NE(faults_of(poisson), "") << name;
    auto paper = receipt;
    paper.calibration = "wang2021";
    EXPECT_NE(faults_of(paper), "") << name;
  }
}

// A bare receipt has no schema: its parameter names the fit whose events come first.
TEST(KnownReleases, AFitThatIsComposedWithAReleaseIsNamed) {
  random::SeededSource source(1);
  const auto fit = fit_request_of(Adjacency::add_remove, 1e-6);
  SummaryRequest request{.schema = schema_of(false), .asked = {1, 1e-6, Adjacency::add_remove}};
  request.schema.cost = plan_fit(fit, {"age", "town"}, source).cost;
  const auto receipt = summary_receipt(request, plan_summary(request), source);
  EXPECT_EQ(faults_of(receipt), "");
  EXPECT_NE(faults_of(edited(receipt, [](auto& all) { all.erase("schema_fit"); })), "");
  auto cheaper = receipt;
  const auto& both = *receipt.events.as<privacy::Composed>();
  cheaper.events = privacy::Composed{{privacy::PureDp{0.01, Adjacency::add_remove}, both.parts[1]}};
  EXPECT_NE(faults_of(cheaper), "");
}

}  // namespace known_releases_test
}  // namespace
}  // namespace tacet::run
