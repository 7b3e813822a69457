#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <concepts>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/learn/exact/exact_minimum.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/statement.h"
#include "tacet/privacy/trusting_budget.h"

// What has no guarantee cannot be mistaken for what has one: the calls below do not compile for it,
// and do for what is protected.
namespace tacet::learn {
namespace unprotected_test {

using privacy::Released;
using privacy::Unprotected;

template <typename T>
concept Accountable = requires(const T& result, const privacy::Adjacency adjacency) {
  accounting::account(result, adjacency, privacy::Delta(1e-6));
};
template <typename T>
concept HasCost = requires(const T& result) {
  { result.event() } -> std::convertible_to<privacy::Event>;
};
template <typename T>
concept Bookable = requires(privacy::TrustingBudget& budget, const T& result,
                            const privacy::Guarantee& cost) {
  budget.reserve(result, cost);
};
template <typename T>
concept Promised = requires(const T& result) {
  privacy::statement(result);
}
|| requires(const T& result) { result.guarantee; }
|| requires(const T& result) { result.receipt; };
template <typename T>
concept Saved = requires(const T& result) {
  model::model_to_json(result);
}
|| requires(const T& result, const data::Schema& schema) {
  model::ModelFile{schema, result, privacy::Receipt{}};
};
template <typename T>
concept Printed = requires(std::ostringstream& out, const T& result) {
  out << result;
}
|| fmt::is_formattable<T>::value;

static_assert(Accountable<privacy::Event> && HasCost<Released<model::LinearModel>>);
static_assert(Bookable<privacy::Event>);
static_assert(Promised<privacy::Receipt> && Promised<TrainedModel>);
static_assert(Saved<model::ModelFile> && Saved<model::LinearModel>);
static_assert(Printed<double>);

template <typename T>
constexpr bool promises_nothing =
    !Accountable<Unprotected<T>> && !HasCost<Unprotected<T>> && !Bookable<Unprotected<T>> &&
    !Promised<Unprotected<T>> && !Saved<Unprotected<T>> && !Printed<Unprotected<T>> &&
    !std::convertible_to<Unprotected<T>, T> &&
    !std::constructible_from<Released<T>, Unprotected<T>> &&
    !std::convertible_to<Unprotected<T>, TrainedModel> &&
    !std::convertible_to<Unprotected<T>, privacy::Guarantee>;
static_assert(promises_nothing<model::LinearModel>);
static_assert(promises_nothing<std::vector<double>>);
static_assert(promises_nothing<double>);
static_assert(promises_nothing<ExactFit>);

TEST(Unprotected, AModelKeepsItsMarkOnTheOnlyWayToAFile) {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  ParameterValues options{{"adjacency", "add_remove"},
                          {"epsilon", std::numeric_limits<double>::infinity()}};
  const auto plan = plan_exact_minimum(schema, exact_options(options));
  const Unprotected<ExactFit> fitted({model::empty_model(schema, plan.loss), 2e-9, 30},
                                     "no proof for this solver");
  const auto trained = marked_model(schema, plan, fitted);
  EXPECT_EQ(trained.receipt.unprotected_reason, "no proof for this solver");
  EXPECT_TRUE(std::isinf(trained.receipt.guarantee.epsilon));
  EXPECT_NE(privacy::statement(trained.receipt).find("no proof for this solver"),
            std::string::npos);
  EXPECT_EQ(optimum_in_words(trained.receipt),
            "Optimum certified: no weights of norm up to 30 have a mean loss (with its penalty) "
            "smaller by more than 2e-09");
  const Unprotected<ExactFit> unfinished(
      {fitted.value().model, 0.01, std::numeric_limits<double>::infinity()}, "no noise");
  EXPECT_EQ(optimum_in_words(marked_model(schema, plan, unfinished).receipt),
            "Optimum not reached: no weights have a mean loss (with its penalty) smaller by more "
            "than 0.01");
  EXPECT_EQ(optimum_in_words({}), std::nullopt);
}

// Whatever is not read is refused: no list of refusals that could lack one.
TEST(Unprotected, WhatHasNoMeaningWithoutNoiseIsRefused) {
  data::Schema schema;
  schema.columns = {{"x", data::NumericColumn{.lower = 0, .upper = 1}}};
  schema.target = {"y", data::BinaryTarget{{"yes"}, {"no"}}};
  ParameterValues options{{"adjacency", "add_remove"},
                          {"epsilon", std::numeric_limits<double>::infinity()},
                          {"l2", 0.5}};
  EXPECT_EQ(plan_exact_minimum(schema, exact_options(options)).mean_l2, 0.5);
  options.set("growth", 3);
  EXPECT_THROW((void)plan_exact_minimum(schema, exact_options(options)), base::UsageError);
}

}  // namespace unprotected_test
}  // namespace tacet::learn
