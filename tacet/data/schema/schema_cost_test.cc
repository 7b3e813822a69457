#include "tacet/data/schema/schema_cost.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/data/read/column_contents.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/prg_share.h"
#include "tests/support/temporary_folder.h"

namespace tacet::data {
namespace schema_cost_test {

using privacy::Adjacency;

Schema fitted(double epsilon = 0.5, double delta = 0) {
  Schema schema;
  schema.columns = {{.name = "age", .rule = NumericColumn{.lower = 17, .upper = 90}}};
  const privacy::Event event =
      delta == 0 ? privacy::Event(privacy::PureDp{epsilon, Adjacency::add_remove})
                 : privacy::Event(privacy::ApproximateDp{epsilon, delta, Adjacency::add_remove});
  schema.cost = SchemaCost{.id = "0123456789abcdef",
                           .unit = "record",
                           .events = event,
                           .guarantee = {epsilon, delta, Adjacency::add_remove},
                           .prg_slack = 1e-20,
                           .unprotected_reason = {}};
  return schema;
}

privacy::Receipt training_receipt(Adjacency adjacency) {
  privacy::Receipt receipt;
  receipt.algorithm = "gradient";
  receipt.calibration = "tight";
  receipt.events = privacy::Gaussian{3};
  receipt.software_version = "0";
  receipt.prg_slack = 1e-19;
  receipt.guarantee = accounting::stated_guarantee(receipt.events, {2, 1e-6, adjacency}, 1e-19);
  return receipt;
}

TEST(SchemaCost, SurvivesBothLanguages) {
  const auto schema = fitted(0.5, 1e-6);
  for (const auto& read : {schema_from_toml(schema_to_toml(schema), "s.toml"),
                           schema_from_json(schema_to_json(schema))}) {
    ASSERT_TRUE(read.cost.has_value());
    EXPECT_EQ(read.cost->id, schema.cost->id);
    EXPECT_EQ(read.cost->unit, schema.cost->unit);
    EXPECT_EQ(read.cost->events, schema.cost->events);
    EXPECT_EQ(read.cost->guarantee, schema.cost->guarantee);
    EXPECT_EQ(read.cost->prg_slack, schema.cost->prg_slack);
    EXPECT_EQ(read.cost->unprotected_reason, "");
  }
}

TEST(SchemaCost, ADamagedOneIsRefused) {
  const auto json = schema_to_json(fitted());
  const auto broken = [&](const char* key, const nlohmann::json& value) {
    auto copy = json;
    if (value.is_null()) {
      copy["cost"].erase(key);
    } else {
      copy["cost"][key] = value;
    }
    EXPECT_THROW(static_cast<void>(schema_from_json(copy)), base::DataError) << key;
  };
  for (const char* key : {"id", "epsilon", "delta", "adjacency", "events"}) broken(key, nullptr);
  broken("id", "short");
  broken("epsilon", -1);
  broken("delta", 1.5);
  broken("adjacency", "neighbours");
  broken("events", "{}");
  broken("prg_slack", 2);
  broken("unknown", 1);
}

TEST(SchemaCost, IsAPartOfEveryLaterReceipt) {
  const auto receipt = training_receipt(Adjacency::add_remove);
  const auto whole = with_schema_cost(fitted(0.5, 1e-7), receipt);
  ASSERT_NE(whole.events.as<privacy::Composed>(), nullptr);
  EXPECT_EQ(whole.events.as<privacy::Composed>()->parts.size(), 2u);
  EXPECT_GE(whole.guarantee.delta, 1e-6 + 1e-7);
  EXPECT_GT(whole.guarantee.epsilon, receipt.guarantee.epsilon);
  EXPECT_LE(whole.guarantee.epsilon, receipt.guarantee.epsilon + 0.5 + 1e-3);
  EXPECT_GE(whole.prg_slack, 1.1e-19);
  // Whoever checks it recomputes no more from the events.
  const double recomputed =
      accounting::epsilon_interval(whole.events, Adjacency::add_remove,
                                   privacy::delta_left(whole.guarantee, whole.prg_slack))
          .upper;
  EXPECT_LE(recomputed, whole.guarantee.epsilon);
  EXPECT_GT(recomputed, 0.8 * whole.guarantee.epsilon);
  // A schema of public knowledge changes nothing.
  auto codebook = fitted();
  codebook.cost.reset();
  EXPECT_EQ(with_schema_cost(codebook, receipt).guarantee, receipt.guarantee);
}

// The sum of stated deltas holds beside the PRG slacks of both, also where one event stands for
// both; where nothing is left of delta the whole is refused.
TEST(SchemaCost, WhatBothStateFollowsBesideTheCiphersTerms) {
  constexpr auto add_remove = Adjacency::add_remove;
  const std::vector<PlannedCost> plans{
      {privacy::Gaussian{3}, {2, 1e-6, add_remove}, 1e-19},
      {privacy::PureDp{1, add_remove}, {1, 0, add_remove}, 1e-19},
      {privacy::ApproximateDp{1, 1e-7, add_remove}, {1, 1.1e-7, add_remove}, 1e-9}};
  for (const auto& schema : {fitted(0.5, 0), fitted(0.5, 1e-6), fitted(2, 1e-7)}) {
    for (const auto& plan : plans) {
      const auto whole = with_schema_cost(schema, plan);
      const auto left = privacy::delta_left(whole.guarantee, whole.prg_slack);
      EXPECT_LE(accounting::epsilon_interval(whole.events, add_remove, left).upper,
                whole.guarantee.epsilon);
      EXPECT_GE(whole.guarantee.delta,
                privacy::decimal_sum(plan.guarantee.delta, schema.cost->guarantee.delta));
      EXPECT_LE(whole.guarantee.epsilon, 1.002 * (2 + schema.cost->guarantee.epsilon));
    }
  }
  const PlannedCost loud{privacy::PureDp{30, add_remove}, {30, 0, add_remove}, 1e-30};
  EXPECT_THROW(static_cast<void>(with_schema_cost(fitted(0.5, 0), loud)), base::GuaranteeError);
}

// What the receipt states of both is what a ledger of sums books for the fit and for the run, as
// decimals; a private choice, whose composition has no tight analysis, is no exception.
TEST(SchemaCost, BothAreStatedAsTheSumThatIsBooked) {
  constexpr auto add_remove = Adjacency::add_remove;
  const privacy::Event once = privacy::Composed{{privacy::Gaussian{20}, privacy::Gaussian{20}}};
  const privacy::Event choice = privacy::RandomlyRepeated{
      privacy::RepetitionLaw::truncated_negative_binomial, 1, .1, 0, 0, 0, 0, once};
  const double alone =
      accounting::epsilon_interval(choice, add_remove, privacy::Delta(9.9e-6)).upper;
  for (const auto& [events, epsilon] :
       {std::pair{choice, alone}, std::pair{privacy::Event(privacy::Gaussian{5}), 1.0}}) {
    const auto whole =
        with_schema_cost(fitted(2, 1e-6), {events, {epsilon, 1e-5, add_remove}, 1e-25});
    EXPECT_EQ(whole.guarantee.epsilon, privacy::decimal_sum(2, epsilon));
    EXPECT_EQ(whole.guarantee.delta, 1.1e-5);
    const auto left = privacy::delta_left(whole.guarantee, whole.prg_slack);
    EXPECT_LE(accounting::epsilon_interval(whole.events, add_remove, left).upper,
              whole.guarantee.epsilon);
  }
}

TEST(SchemaCost, ItsOwnReceiptKeepsTheMarkOfSeededNoise) {
  auto schema = fitted(0.5, 1e-6);
  EXPECT_TRUE(fit_receipt(schema).is_protected());
  EXPECT_EQ(fit_receipt(schema).guarantee, schema.cost->guarantee);
  EXPECT_EQ(fit_receipt(schema).prg_slack, schema.cost->prg_slack);
  schema.cost->unprotected_reason = "seeded noise";
  EXPECT_FALSE(fit_receipt(schema).is_protected());
}

TEST(SchemaCost, ReplacingARecordPaysTwice) {
  const auto pure = cost_between(fitted(0.5), Adjacency::replace_one);
  EXPECT_EQ(pure.guarantee, (privacy::Guarantee{1, 0, Adjacency::replace_one}));
  EXPECT_EQ(pure.events, privacy::Event(privacy::PureDp{1, Adjacency::replace_one}));
  const auto both = cost_between(fitted(0.5, 1e-6), Adjacency::replace_one);
  EXPECT_EQ(both.guarantee.epsilon, 1);
  EXPECT_NEAR(both.guarantee.delta, (1 + std::exp(0.5)) * 1e-6, 1e-18);
  EXPECT_GE(both.guarantee.delta, (1 + std::exp(0.5)) * 1e-6);
  EXPECT_THROW(static_cast<void>(cost_between(fitted(), Adjacency::zero_out)), base::UsageError);
}

/// A fit of two columns at (1, 1e-6), as `tacet schema fit` divides it.
Schema fitted_columns() {
  auto schema = fitted(1, 1e-6);
  const Adjacency apart = Adjacency::add_remove;
  schema.cost->events = privacy::Repeated{
      2,
      privacy::Composed{{privacy::PureDp{0.05 * (1 - 1e-12), apart},
                         privacy::ApproximateDp{0.45 * (1 - 2e-12), 5e-7 * (1 - 1e-12), apart}}}};
  return schema;
}

/// Gaussian noise at (1, 1e-5) between neighbours at that distance.
privacy::Event run_at_one(double distance) {
  return privacy::Gaussian{
      accounting::gaussian::sigma_for(distance, privacy::Epsilon(1), privacy::Delta(1e-5))};
}

// With a run at (1, 1e-5) of its own: 2.992 by group privacy of the fit as a whole.
TEST(SchemaCost, ReleasesAreConvertedOneByOne) {
  constexpr auto replaced = Adjacency::replace_one;
  const auto run = run_at_one(2);
  const auto epsilon_with = [&](const privacy::Event& fit, double delta) {
    return accounting::epsilon_interval(privacy::Composed{{fit, run}}, replaced,
                                        privacy::Delta(delta))
        .upper;
  };
  const double group = 1e-5 + (1 + std::exp(1.0)) * 1e-6;
  const auto schema = fitted_columns();
  const auto fit = fit_events(schema, replaced);
  EXPECT_NEAR(epsilon_with(fit, group), 2.861, 1e-3);
  EXPECT_NEAR(epsilon_with(fit_events(fitted(1, 1e-6), replaced), group), 2.992, 1e-3);
  // Stated at the smaller sum of what the releases cost in delta.
  const auto cost = cost_between(schema, replaced);
  EXPECT_EQ(cost.events, fit);
  EXPECT_NEAR(cost.guarantee.epsilon, 2, 1e-9);
  EXPECT_NEAR(cost.guarantee.delta, (1 + std::exp(0.45)) * 1e-6, 1e-15);
  const auto whole = with_schema_cost(schema, PlannedCost{run, {1, 1e-5, replaced}});
  // With the run at (1, 1e-5): the sum, which a ledger books; 2.8687 is proved.
  EXPECT_NEAR(whole.guarantee.epsilon, 3, 1e-6);
  EXPECT_LT(whole.guarantee.delta, group);
}

// Under add_remove the same run and an edited fit are stated at what both prove.
TEST(SchemaCost, AnEditedFitOfColumnsIsStatedInFull) {
  auto schema = fitted_columns();
  schema.cost->guarantee.epsilon = 0.001;
  const auto run = run_at_one(1);
  const auto whole = with_schema_cost(schema, PlannedCost{run, {1, 1e-5, Adjacency::add_remove}});
  EXPECT_NEAR(whole.guarantee.epsilon, 2, 1e-3);
  EXPECT_THROW(static_cast<void>(schema_from_json(schema_to_json(schema))), base::DataError);
}

TEST(SchemaCost, SeededNoiseUnprotectsWhatIsComputedWithTheSchema) {
  auto schema = fitted();
  schema.cost->unprotected_reason = "seeded noise";
  const auto whole = with_schema_cost(schema, training_receipt(Adjacency::add_remove));
  EXPECT_FALSE(whole.is_protected());
  EXPECT_EQ(whole.unprotected_reason, "the schema: seeded noise");
}

/// Events that prove (1, 1e-6), and what an editor made of that.
Schema edited(double epsilon) {
  auto schema = fitted(1, 1e-6);
  schema.cost->guarantee.epsilon = epsilon;
  return schema;
}

TEST(SchemaCost, StatedBelowItsEventsIsRefusedWithBothNumbers) {
  for (const double epsilon : {0.001, 0.5, 0.999}) {
    try {
      static_cast<void>(schema_from_toml(schema_to_toml(edited(epsilon)), "s.toml"));
      ADD_FAILURE() << epsilon;
    } catch (const base::DataError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(fmt::format("states epsilon {} at delta 1e-06", epsilon)),
                std::string::npos)
          << text;
      EXPECT_NE(text.find("proved only for 1"), std::string::npos) << text;
      EXPECT_TRUE(text.starts_with("s.toml:"));
    }
    EXPECT_THROW(static_cast<void>(schema_from_json(schema_to_json(edited(epsilon)))),
                 base::DataError);
  }
  EXPECT_NO_THROW(static_cast<void>(schema_from_json(schema_to_json(edited(1.5)))));
  auto other = fitted(1, 1e-6);
  other.cost->guarantee.adjacency = Adjacency::replace_one;
  EXPECT_THROW(static_cast<void>(schema_from_json(schema_to_json(other))), base::DataError);
}

// Whoever gets a schema past the readers still states what its events prove.
TEST(SchemaCost, TheEventsDecideWhateverIsStatedBesideThem) {
  const auto receipt = training_receipt(Adjacency::add_remove);
  const auto honest = with_schema_cost(fitted(1, 1e-6), receipt);
  const auto whole = with_schema_cost(edited(0.001), receipt);
  EXPECT_EQ(whole.guarantee, honest.guarantee);
  EXPECT_EQ(whole.events, honest.events);
  const auto replaced = with_schema_cost(edited(0.001), training_receipt(Adjacency::replace_one));
  EXPECT_GT(replaced.guarantee.epsilon, 2);
  EXPECT_EQ(cost_between(edited(0.001), Adjacency::replace_one).guarantee.epsilon, 2);
}

// A fit of single records that is called one of units, and noise for one record more or less that
// is called noise for a replaced one.
TEST(SchemaCost, SaysHowManyRecordsOfAUnitCounted) {
  auto schema = fitted();
  schema.unit = "patient";
  schema.cost->unit = "patient";
  schema.cost->max_records_per_unit = 3;
  const auto json = schema_to_json(schema);
  EXPECT_EQ(schema_from_json(json).cost->max_records_per_unit, 3);
  EXPECT_NE(fit_receipt(schema).parameters.find("max_records_per_unit"), std::string::npos);
  EXPECT_EQ(fit_receipt(fitted()).parameters.find("max_records_per_unit"), std::string::npos);
  auto silent = json;
  silent["cost"].erase("max_records_per_unit");
  EXPECT_THROW(static_cast<void>(schema_from_json(silent)), base::DataError);
  auto nobody = json;
  nobody["cost"]["max_records_per_unit"] = 0;
  EXPECT_THROW(static_cast<void>(schema_from_json(nobody)), base::DataError);
  auto records = schema_to_json(fitted());
  records["cost"]["max_records_per_unit"] = 1;
  EXPECT_THROW(static_cast<void>(schema_from_json(records)), base::DataError);
}

TEST(SchemaCost, IsNeverThatOfReplacedRecords) {
  auto schema = fitted();
  schema.cost->events = privacy::PureDp{0.5, Adjacency::replace_one};
  schema.cost->guarantee = {0.5, 0, Adjacency::replace_one};
  EXPECT_THROW(static_cast<void>(schema_from_json(schema_to_json(schema))), base::DataError);
}

TEST(SchemaCost, OfOneUnitServesNoOther) {
  auto schema = fitted();
  schema.unit = "patient";
  EXPECT_THROW(schema.validate(), base::DataError);
  EXPECT_THROW(static_cast<void>(schema_from_toml(schema_to_toml(schema), "s.toml")),
               base::DataError);
  schema.cost->unit = "patient";
  schema.validate();
  auto receipt = training_receipt(Adjacency::add_remove);
  EXPECT_THROW(static_cast<void>(with_schema_cost(schema, receipt)), base::UsageError);
  receipt.privacy_unit = "patient";
  EXPECT_EQ(with_schema_cost(schema, receipt).privacy_unit, "patient");
  EXPECT_THROW(static_cast<void>(with_schema_cost(fitted(), receipt)), base::UsageError);
  schema.unit = "household";
  EXPECT_THROW(schema.validate(), base::DataError);
  schema.unit.reset();
  EXPECT_THROW(schema.validate(), base::DataError);
  // A file from before units were written protects records.
  auto old = schema_to_json(fitted());
  old["cost"].erase("unit");
  EXPECT_EQ(schema_from_json(old).cost->unit, "record");
  old["unit"] = "patient";
  EXPECT_THROW(static_cast<void>(schema_from_json(old)), base::DataError);
  // No column's name may stand for single records.
  Schema named = fitted();
  named.unit = "record";
  EXPECT_THROW(named.validate(), base::DataError);
}

TEST(SchemaCost, ABorrowedNameIsAnotherBooking) {
  EXPECT_TRUE(booking_name(*fitted(0.5).cost).starts_with("schema fit 0123456789abcdef "));
  EXPECT_EQ(booking_name(*fitted(0.5).cost), booking_name(*fitted(0.5).cost));
  EXPECT_NE(booking_name(*fitted(0.5).cost), booking_name(*fitted(0.6).cost));
}

TEST(SchemaCost, AReceiptThatLeavesTheFitOutIsRefused) {
  for (const auto adjacency : {Adjacency::add_remove, Adjacency::replace_one}) {
    const auto schema = fitted(0.5, 1e-7);
    const auto run = training_receipt(adjacency);
    const auto whole = with_schema_cost(schema, run);
    EXPECT_NO_THROW(check_carries_cost(schema, whole));
    EXPECT_THROW(check_carries_cost(schema, run), base::GuaranteeError);
    EXPECT_THROW(check_carries_cost(fitted(0.6, 1e-7), whole), base::GuaranteeError);
    auto other = whole;
    other.privacy_unit = "patient";
    EXPECT_THROW(check_carries_cost(schema, other), base::GuaranteeError);
  }
}

TEST(ColumnContents, NamesComeFromTheFirstLine) {
  const test::TemporaryFile file("age;town\n40;Bern\n");
  FileFormat format;
  format.separator = ';';
  EXPECT_EQ(column_names(file.path(), format), (std::vector<std::string>{"age", "town"}));
  EXPECT_EQ(read_contents(csv_records(file.path(), format), {}).size(), 2u);
}

}  // namespace schema_cost_test
}  // namespace tacet::data
