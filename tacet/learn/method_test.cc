#include "tacet/learn/method.h"

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/base/error.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/learn/localization/localization.h"
#include "tacet/learn/plan/parameters.h"
#include "tacet/learn/ridge/adassp.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/data_sets.h"

namespace tacet::learn {
namespace method_test {

TEST(Method, UnknownNamesAreRefusedWithTheKnownOnes) {
  try {
    (void)find_method("magic");
    FAIL() << "a method named magic";
  } catch (const base::UsageError& error) {
    for (const auto* method : methods()) {
      EXPECT_NE(std::string(error.what()).find(method->name), std::string::npos) << method->name;
    }
  }
}

/// Some value that the parameter allows.
std::string allowed_value(const Parameter& parameter) {
  std::vector<std::string> candidates{"1", "0.5", "word", "yes=1"};
  std::istringstream words{parameter.range.text()};
  for (std::string word; words >> word;) {
    candidates.push_back(word.ends_with(',') ? word.substr(0, word.size() - 1) : word);
  }
  for (const auto& candidate : candidates) {
    try {
      check_value(parameter, candidate);
      return candidate;
    } catch (const base::UsageError&) {
      continue;
    }
  }
  ADD_FAILURE() << parameter.name << " allows none of the candidates";
  return {};
}

/// The row of docs/methods/README.md that says what a method can do.
std::string row_of(const Method& method) {
  const auto& [name, help, usual, proved, problems, sampling, options, plan, events, infinite,
               papers, check, noiseless, over_parts, packed, knot_noise, named_only] = method;
  constexpr std::array units{"no", "one record of each", "yes"};  // as UnitProtection
  return fmt::format(
      "| `{}` | {} | {} | {} | {} | {} | {} | {} |", name, to_string(problems.targets),
      problems.losses.empty() ? "every one" : fmt::format("{}", fmt::join(problems.losses, ", ")),
      privacy::to_string(proved.with_delta), privacy::to_string(proved.pure),
      units.at(static_cast<std::size_t>(proved.units)), fmt::join(sampling, ", "),
      over_parts ? "yes" : "no");
}

TEST(Method, ThePageHasWhatEachOneCanDo) {
  std::ifstream file(test::source_file("docs/methods/README.md"));
  const std::string page(std::istreambuf_iterator<char>(file), {});
  for (const auto* method : methods()) {
    EXPECT_NE(page.find(row_of(*method)), std::string::npos) << row_of(*method);
  }
}

/// Records of one kind of target, enough of them to plan for.
data::Schema schema_for(TargetKind kind, bool unit) {
  constexpr std::array targets{"positive = ['a']\nnegative = ['b']", "classes = ['a', 'b', 'c']",
                               "lower = 0\nupper = 1", "kind = 'probability'",
                               "kind = 'count'\nupper = 10"};  // as TargetKind
  return data::schema_from_toml(
      fmt::format(
          "{}public_row_count = 100000\n[[column]]\nname = 'x'\nkind = 'numeric'\nlower = 0\n"
          "upper = 1\n[target]\ncolumn = 'y'\n{}\n",
          unit ? "unit = 'who'\n" : "", targets.at(static_cast<std::size_t>(kind))),
      "test");
}

/// What a plan needs that is no part of what a method says of itself.
ParameterValues asked_of(const Method& method, TargetKind kind, privacy::Adjacency adjacency,
                         bool pure) {
  ParameterValues asked{{"method", method.name}, {"epsilon", 1}, {"adjacency", adjacency}};
  if (pure) asked.set("delta", 0);
  if (reads(method, "group-column")) asked.set("group-column", "x");
  if (kind == TargetKind::count && reads(method, "radius")) asked.set("radius", 2);
  if (method.name == "wide") asked.set("model", "wide");
  return asked;
}

/// Whether it can be planned.
bool plans(const Method& method, TargetKind kind, bool unit, privacy::Adjacency adjacency,
           bool pure) {
  try {
    const auto training =
        plan_training(schema_for(kind, unit), asked_of(method, kind, adjacency, pure));
    EXPECT_NE(std::ranges::find(method.sampling, training.sampling_scheme), method.sampling.end())
        << method.name << " samples by " << training.sampling_scheme;
    EXPECT_TRUE(method.over_parts || !training.over_parts) << method.name;
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

// What a method says of itself is what it plans: every kind of target, adjacency and unit, with
// delta and without.
TEST(Method, PlansWhatItSaysOfItselfAndNothingElse) {
  for (const auto* method : methods()) {
    for (const auto kind : every_target_kind) {
      for (const bool unit : {false, true}) {
        for (const auto adjacency : {privacy::Adjacency::add_remove, privacy::Adjacency::zero_out,
                                     privacy::Adjacency::replace_one}) {
          for (const bool pure : {false, true}) {
            const Facts facts{.target = kind, .pure = pure, .unit = unit, .adjacency = adjacency};
            EXPECT_EQ(plans(*method, kind, unit, adjacency, pure), suits(*method, facts))
                << method->name << ", " << to_string(kind) << ", " << to_string(adjacency)
                << (unit ? ", unit" : "") << (pure ? ", pure" : "");
          }
        }
      }
    }
  }
}

// A refusal proposes methods that plan what was asked for.
TEST(Method, WhatARefusalProposesCanBePlanned) {
  for (const auto kind : every_target_kind) {
    for (const bool pure : {false, true}) {
      const Facts facts{.target = kind, .pure = pure, .adjacency = privacy::Adjacency::zero_out};
      const auto proposed = way_out(facts);
      for (const auto* method : methods()) {
        const auto words = std::regex("[^-a-z_]" + std::string(method->name) + "([^-a-z_]|$)");
        if (!proposed.starts_with("use ") || !std::regex_search(proposed, words)) continue;
        EXPECT_TRUE(plans(*method, kind, false, privacy::Adjacency::zero_out, pure))
            << method->name << ": " << proposed;
      }
    }
  }
}

TEST(Method, ReadsOnlyDeclaredParametersAndEachParameterHasAReader) {
  std::set<std::string_view> read;
  for (const auto* method : methods()) {
    for (const auto name : method->options) {
      ASSERT_NE(find_parameter(name), nullptr) << method->name << " reads " << name;
      EXPECT_NO_THROW(check_parameters(*method, {{name, allowed_value(*find_parameter(name))}}))
          << method->name << " " << name;
      read.insert(name);
    }
  }
  // Whatever no method binds is read by all.
  for (const auto& parameter : parameters()) {
    if (read.contains(parameter.name)) continue;
    ParameterValues values;
    values.set(parameter.name, allowed_value(parameter));
    for (const auto* method : methods()) {
      EXPECT_NO_THROW(check_parameters(*method, values)) << method->name << " " << parameter.name;
    }
  }
}

TEST(Method, ReadsItsOwnOptionsFromTheValues) {
  const auto options = chain_options({{"epsilon", 1},
                                      {"radius", 0.5},
                                      {"record-use", "disjoint"},
                                      {"adjacency", privacy::Adjacency::zero_out}});
  EXPECT_EQ(options.adjacency, privacy::Adjacency::zero_out);
  EXPECT_EQ(options.radius, 0.5);
  EXPECT_FALSE(options.reuse);
  EXPECT_EQ(given_beyond<ladder_bindings>(options, {"radius", "record"}), "record-use");
  EXPECT_FALSE(given_beyond<ladder_bindings>(options, {"record-use"}));
}

TEST(Method, PurePrivacyHasAMethodOfItsOwn) {
  ParameterValues values;
  EXPECT_FALSE(asks_pure(values));
  values.set("delta", "1e-6");
  EXPECT_FALSE(asks_pure(values));
  values.set("delta", "0");
  EXPECT_TRUE(asks_pure(values));
  values.set("epsilon", "inf");
  EXPECT_FALSE(asks_pure(values));
}

// Ten runs at 0.1 are 1: the double 0.1 is above a tenth, and what is spent is not.
TEST(Method, PureMethodsSpendAtMostTheDecimalThatWasAskedFor) {
  const auto schema = data::load_schema(test::source_file("data/schemas/berkeley1973.toml"));
  int planned = 0;
  for (const auto* method : methods()) {
    for (const double epsilon : {0.1, 0.2, 0.3, 0.7, 0.9, 1.1, 1.0}) {
      for (const bool reuse : {true, false}) {
        ParameterValues options{{"method", std::string(method->name)},
                                {"epsilon", epsilon},
                                {"delta", 0},
                                {"adjacency", privacy::Adjacency::replace_one}};
        if (reads(*method, "record-use")) options.set("record-use", reuse ? "reuse" : "disjoint");
        if (method->name == "inverse-sensitivity") options.set("l2", 1);
        try {
          const auto training = plan_training(schema, options);
          const double spent =
              accounting::internal::pure_epsilon(training.events, training.guarantee.adjacency);
          EXPECT_LE(spent, privacy::decimal_down(epsilon)) << method->name;
          EXPECT_GT(spent, epsilon * (1 - 1e-12)) << method->name;
          EXPECT_LE(training.guarantee.epsilon, epsilon) << method->name;
          EXPECT_GE(training.guarantee.epsilon, spent) << method->name;
          ++planned;
        } catch (const base::GuaranteeError&) {
          // Not a pure method.
        } catch (const base::NumericError&) {
          // Too little for so many columns.
        }
      }
    }
  }
  EXPECT_GE(planned, 60);
}

// A penalty is read or refused, never ignored.
TEST(Method, APenaltyIsReadOrRefused) {
  for (const auto* method : methods()) {
    ParameterValues values;
    values.set("l2", "0.7");
    const bool own = method->plan == ladder_method.plan || method->plan == adassp_method.plan ||
                     method->name == "sparse-groups" || method->name == "wide" ||
                     method->name == "inference";
    if (own) {  // it determines how much to shrink by itself
      EXPECT_THROW(check_parameters(*method, values), base::UsageError) << method->name;
    } else {
      EXPECT_NO_THROW(check_parameters(*method, values)) << method->name;
    }
  }
}

std::vector<double> coefficients_of(const Training& training, const data::Dataset& dataset,
                                    const data::Schema& schema, int threads) {
  random::SeededSource source(1);
  privacy::TrustingBudget budget(training.guarantee.adjacency);
  auto reservation = budget.reserve(training.events, training.guarantee);
  base::ThreadPool pool(threads);
  const auto made = training.run(dataset, schema, {source, reservation, pool}).model;
  return made.table ? made.table->noise : made.coefficients;
}

/// The same records, stored the other way.
data::Dataset as_sparse(const data::Dataset& dense) {
  auto shape = dense.shape();
  EXPECT_EQ(shape.storage, data::Storage::dense);
  shape.storage = data::Storage::sparse;
  data::Dataset sparse(shape);
  for (std::int64_t i = 0; i < dense.rows(); ++i) {
    sparse.append_dense(dense.dense_row(i), dense.label(i));
  }
  return sparse;
}

// Phases beyond what doubles resolve change nothing: no integer of a late phase comes near the
// boundary where sums wrap, half the radius away from 0 in units of what rounding moves.
TEST(Method, ManyPhasesOfALadderAddNothing) {
  const auto schema = data::load_schema(test::source_file("data/schemas/berkeley1973.toml"));
  const auto dataset = data::read_dataset(test::source_file("data/berkeley1973.csv"), schema);
  ParameterValues options{{"method", "ladder"}, {"epsilon", 60},
                          {"delta", 1e-5},      {"adjacency", privacy::Adjacency::replace_one},
                          {"radius", 1},        {"phases", 20}};
  const auto few = coefficients_of(plan_training(schema, options), dataset, schema, 1);
  double largest = 0;
  for (const double c : few) largest = std::max(largest, std::fabs(c));
  EXPECT_GT(largest, 0.5);
  for (const std::int64_t phases : {35, 40, 64}) {
    options.set("phases", phases);
    const auto many = coefficients_of(plan_training(schema, options), dataset, schema, 1);
    for (std::size_t j = 0; j < few.size(); ++j) EXPECT_NEAR(many[j], few[j], 0.05) << phases;
  }
}

// How records are stored, and how many threads read them, changes no bit of what any method learns.
TEST(Method, StorageAndThreadsChangeNoBitOfAModel) {
  const auto schema = data::load_schema(test::source_file("data/schemas/berkeley1973.toml"));
  for (const auto* method : methods()) {
    SCOPED_TRACE(std::string(method->name));
    ParameterValues options{{"method", std::string(method->name)},
                            {"epsilon", 1},
                            {"delta", 1e-5},
                            {"adjacency", method->usual_adjacency}};
    if (method->name == "inverse-sensitivity") options.set("delta", 0.0);
    if (method->plan == ladder_method.plan) options.set("radius", 5);
    if (method->name == "growth") options.set("growth", 2);
    if (method->name == "sparse-groups") options.set("group-column", "department");
    // Of one column all is identified, and no number is missing.
    if (method->name == "inference") options.set("terms", "sex");
    for (const bool batches : {false, true}) {
      if (batches && method->name != "gradient") continue;
      if (batches) options.set("batch-size", 100);
      const auto training = plan_training(schema, options);
      const auto dense =
          data::read_dataset(test::source_file("data/berkeley1973.csv"), training.reading_schema());
      const auto found = coefficients_of(training, dense, schema, 1);
      EXPECT_EQ(found, coefficients_of(training, as_sparse(dense), schema, 2));
    }
  }
}

}  // namespace method_test
}  // namespace tacet::learn
