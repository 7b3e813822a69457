#include "tacet/choose/auto.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/choose/plan.h"
#include "tests/support/data_sets.h"

namespace tacet::choose {
namespace auto_test {

using Given = std::initializer_list<std::pair<const char*, const char*>>;
using privacy::Adjacency;

data::Schema schema_of(const char* name) {
  return data::load_schema(test::source_file(std::string("data/schemas/") + name + ".toml"));
}

ResolvedRequest options_of(const data::Schema& schema, Given given) {
  learn::ParameterValues values;
  values.set("epsilon", "1");
  for (const auto& [name, value] : given) values.set(name, value);
  return auto_options(values, schema);
}

std::string refusal(const data::Schema& schema, Given given) {
  try {
    (void)options_of(schema, given);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "accepted";
}

learn::Training plan_of(const data::Schema& schema, Given given) {
  return plan_training(schema, options_of(schema, given));
}

bool says(const learn::Training& plan, const std::string& part) {
  for (const auto& reason : plan.reasons) {
    if (reason.find(part) != std::string::npos) return true;
  }
  return false;
}

double setting(const learn::Training& plan, const std::string& name) {
  for (const auto& one : plan.settings) {
    if (one.name == name) return std::get<double>(one.value);
  }
  return 0;
}

TEST(Auto, ADeltaAboveZeroIsDescentUnderAddRemove) {
  for (const auto* name : {"adult", "california_housing", "mnist", "a9a"}) {
    const auto options = options_of(schema_of(name), {});
    EXPECT_EQ(*options.values.text("method"), "gradient") << name;
    EXPECT_EQ(options.common().adjacency, Adjacency::add_remove) << name;
    EXPECT_EQ(options.reasons.size(), 2) << name;  // method and adjacency
  }
  const auto given = options_of(schema_of("adult"), {{"adjacency", "replace_one"}});
  EXPECT_EQ(given.common().adjacency, Adjacency::replace_one);
  EXPECT_EQ(given.reasons.size(), 1);
}

// By the kind of target, the unit and what else was given; whatever it is can be planned.
TEST(Auto, PurePrivacyHasAMethodForEachTargetAndUnit) {
  const auto classes = schema_of("berkeley1973");
  auto numbers = classes;
  numbers.target->rule = data::RegressionTarget{0, 1};
  const auto chosen = [](data::Schema schema, bool unit, Given given) {
    if (unit) schema.unit = "who";
    learn::ParameterValues values;
    values.set("epsilon", "1");
    values.set("delta", "0");
    for (const auto& [name, value] : given) values.set(name, value);
    const auto options = auto_options(values, schema);
    EXPECT_EQ(plan_training(schema, options).guarantee.delta, 0);
    return *options.values.text("method");
  };
  for (const bool unit : {false, true}) {
    const auto general = unit ? "regularized-output" : "ladder";
    EXPECT_EQ(chosen(classes, unit, {}), "objective");
    EXPECT_EQ(chosen(classes, unit, {{"adjacency", "add_remove"}}), "objective");
    EXPECT_EQ(chosen(classes, unit, {{"l2", "0.01"}}), "objective");
    EXPECT_EQ(chosen(classes, unit, {{"radius", "3"}}), general);
    EXPECT_EQ(chosen(classes, unit, {{"loss", "hinge"}}), general);
    // 4,526 records and 7 columns: 647 a column at epsilon 1, 1,293 at 2.
    EXPECT_EQ(chosen(numbers, unit, {}), unit ? "regularized-output" : "phased-erm");
    EXPECT_EQ(chosen(numbers, unit, {{"epsilon", "2"}}), general);
    EXPECT_EQ(chosen(numbers, unit, {{"adjacency", "add_remove"}}), "regularized-output");
  }
  EXPECT_EQ(chosen(classes, false, {{"growth", "3"}}), "ladder");
  EXPECT_EQ(options_of(classes, {{"delta", "0"}}).common().adjacency, Adjacency::replace_one);
  auto three = classes;
  three.target->rule = data::MultiClassTarget{{"a", "b", "c"}};
  EXPECT_THROW((void)chosen(three, false, {}), base::GuaranteeError);
}

TEST(Auto, AnOptionOfFewMethodsPicksAmongThem) {
  const auto schema = schema_of("berkeley1973");
  const auto method = [&](Given given) { return *options_of(schema, given).values.text("method"); };
  EXPECT_EQ(method({{"steps", "100"}}), "gradient");
  EXPECT_EQ(method({{"weight-scale", "3"}}), "phased");
  EXPECT_EQ(method({{"step-decay", "0.5"}}), "output");
  EXPECT_EQ(method({{"phases", "3"}}), "ladder");
  EXPECT_EQ(method({{"phases", "3"}, {"step-size", "0.1"}}), "phased");
  EXPECT_EQ(method({{"calibration", "kifer2012"}}), "objective");
  EXPECT_EQ(method({{"calibration", "wang2018"}}), "adassp");
  EXPECT_EQ(method({{"calibration", "feldman2020"}}), "phased-erm");
  const auto options = options_of(schema, {{"step-decay", "0.5"}});
  EXPECT_EQ(options.common().adjacency, Adjacency::replace_one);
  EXPECT_NE(options.reasons.front().find("those that read `step_decay`"), std::string::npos);
}

TEST(Auto, OptionsThatExcludeEachOtherAreNamed) {
  const auto schema = schema_of("berkeley1973");
  const auto clash = refusal(schema, {{"momentum", "0.5"}, {"growth", "3"}});
  EXPECT_NE(clash.find("`momentum` and `growth` exclude each other"), std::string::npos) << clash;
  EXPECT_NE(clash.find("`momentum` belongs to gradient"), std::string::npos) << clash;
  const auto paper = refusal(schema, {{"calibration", "wang2018"}, {"steps", "10"}});
  EXPECT_NE(paper.find("`calibration=wang2018` and `steps` exclude each other"), std::string::npos)
      << paper;
  EXPECT_NE(refusal(schema, {{"epsilon", "0"}}).find("`epsilon` must be above 0"),
            std::string::npos);
}

TEST(Auto, WordsAreChosenAndNumbersAreStandardised) {
  const auto words = plan_of(schema_of("sms_spam"), {{"delta", "1e-5"}});
  EXPECT_GT(setting(words, "feature_selection_noise_multiplier"), 0);
  const auto numbers = plan_of(schema_of("california_housing"), {{"delta", "1e-5"}});
  EXPECT_GT(setting(numbers, "standardise_noise_multiplier"), 0);
  EXPECT_EQ(setting(numbers, "feature_selection_noise_multiplier"), 0);
  // What was given holds.
  const auto plain = plan_of(schema_of("california_housing"), {{"standardise", "none"}});
  EXPECT_EQ(setting(plain, "standardise_noise_multiplier"), 0);
  const auto all = plan_of(schema_of("sms_spam"), {{"feature-selection", "all"}});
  EXPECT_EQ(setting(all, "feature_selection_noise_multiplier"), 0);
  const auto noisy = plan_of(schema_of("pima_diabetes"), {{"epsilon", "0.02"}, {"delta", "1e-6"}});
  EXPECT_EQ(setting(noisy, "standardise_noise_multiplier"), 0);
  EXPECT_EQ(plan_of(schema_of("california_housing"), {{"batch-size", "100"}}).method, "gradient");
}

TEST(Auto, WordsAreAllKeptForSeveralClassesAsLongAsTheyAreFew) {
  const auto noise_of_choice = [](const std::string& target, int bits) {
    const auto schema =
        data::schema_from_toml(fmt::format("public_row_count = 10000\n[target]\ncolumn = 'y'\n{}"
                                           "[[column]]\nname = 't'\nkind = 'text'\nbits = {}\n",
                                           target, bits),
                               "s.toml");
    return setting(plan_of(schema, {{"delta", "1e-5"}}), "feature_selection_noise_multiplier");
  };
  EXPECT_GT(noise_of_choice("positive = 'a'\n", 16), 0);
  EXPECT_EQ(noise_of_choice("classes = ['a', 'b', 'c']\n", 16), 0);
  EXPECT_EQ(noise_of_choice("classes = ['a', 'b', 'c', 'd']\n", 19), 0);
  EXPECT_GT(noise_of_choice("classes = ['a', 'b', 'c', 'd']\n", 21), 0);
}

TEST(Auto, NumbersGetCurvesWhereNoiseLeavesRoom) {
  const auto california = schema_of("california_housing");
  const auto curves = plan_of(california, {{"delta", "1e-5"}});
  EXPECT_GT(setting(curves, "whitening_noise_multiplier"), 0);
  EXPECT_TRUE(says(curves, "curves of 8 numbers together"));
  const auto has_lines = [&](Given given) {
    SCOPED_TRACE(std::data(given)[given.size() - 1].first);
    const auto lines = plan_of(california, given);
    EXPECT_EQ(setting(lines, "whitening_noise_multiplier"), 0);
    EXPECT_FALSE(lines.schema.curves);
  };
  has_lines({{"delta", "1e-5"}, {"curves", "none"}});
  has_lines({{"delta", "1e-5"}, {"epsilon", "0.02"}});
  has_lines({{"delta", "1e-5"}, {"knots", "8"}});
  has_lines({{"delta", "1e-5"}, {"loss", "huber"}});
  has_lines({{"delta", "1e-5"}, {"clipping-norm", "0.3"}});
  has_lines({{"delta", "1e-5"}, {"curves", "auto"}, {"knots", "8"}});
  // Where there is no room numbers are standardised as ever.
  EXPECT_GT(setting(plan_of(california, {{"delta", "1e-5"}, {"epsilon", "0.02"}}),
                    "standardise_noise_multiplier"),
            0);
  EXPECT_TRUE(says(plan_of(california, {{"delta", "1e-5"}, {"epsilon", "0.02"}}), "no curves:"));
  EXPECT_TRUE(
      says(plan_of(california, {{"delta", "1e-5"}, {"knots", "8"}}), "curves stand for knots"));
  EXPECT_FALSE(plan_of(schema_of("adult"), {{"delta", "1e-5"}, {"curves", "auto"}}).schema.curves);
  // A share that was given is no less than columns: no constant takes their place.
  EXPECT_TRUE(plan_of(california, {{"delta", "1e-5"}, {"curves", "0.3"}, {"epsilon", "1e-3"}})
                  .schema.curves);
}

TEST(Auto, CategoriesOfTwoClassesAreCountedWhereNoiseIsLarge) {
  constexpr auto* counted = "how often each category occurs";
  const auto adult = schema_of("adult");
  EXPECT_TRUE(says(plan_of(adult, {{"epsilon", "0.1"}, {"delta", "1e-5"}}), counted));
  EXPECT_FALSE(says(plan_of(adult, {{"epsilon", "1"}, {"delta", "1e-5"}}), counted));
  EXPECT_FALSE(says(
      plan_of(adult, {{"epsilon", "0.1"}, {"delta", "1e-5"}, {"standardise", "means"}}), counted));
  // Without a number.
  auto listed = schema_of("german_credit");
  std::erase_if(listed.columns, [](const data::Column& column) {
    return std::holds_alternative<data::NumericColumn>(column.rule);
  });
  EXPECT_TRUE(says(plan_of(listed, {{"epsilon", "1"}, {"delta", "1e-5"}}), counted));
  EXPECT_FALSE(says(plan_of(listed, {{"epsilon", "20"}, {"delta", "1e-5"}}), counted));
  EXPECT_FALSE(
      says(plan_of(listed, {{"epsilon", "1"}, {"delta", "1e-5"}, {"loss", "hinge"}}), counted));
}

// 1,338 records of medical costs: noise of 0.09 in the mean gradient at 0.1, below 0.01 at 1.
TEST(Auto, NumbersWithMuchNoiseGoHalfTheWay) {
  const auto schema = schema_of("medical_cost");
  const auto noisy = plan_of(schema, {{"epsilon", "0.1"}, {"delta", "1e-6"}});
  EXPECT_TRUE(says(noisy, "half the path"));
  const auto length = [](const learn::Training& plan) {
    double steps = 0;
    for (const auto& one : plan.settings) {
      if (one.name == "steps") steps = static_cast<double>(std::get<std::int64_t>(one.value));
    }
    return steps * setting(plan, "step_size");
  };
  auto same = options_of(schema, {{"epsilon", "0.1"}, {"delta", "1e-6"}});
  same.path_share = 1;
  EXPECT_NEAR(length(noisy), 0.5 * length(plan_training(schema, same)), 1e-9);
  EXPECT_FALSE(says(plan_of(schema, {{"delta", "1e-6"}, {"epsilon", "1"}}), "half the path"));
}

// Noise of 1 in the mean gradient of a target scaled to [-1, 1]: columns add noise alone.
TEST(Auto, WhereNoiseDrownsEverythingAConstantIsLearned) {
  const auto schema = schema_of("medical_cost");
  const auto plan = plan_of(schema, {{"epsilon", "0.01"}, {"delta", "1e-6"}});
  EXPECT_EQ(plan.columns, 1);
  EXPECT_TRUE(plan.schema.columns.empty());
  EXPECT_TRUE(says(plan, "nothing can be expected to beat a constant"));
  const auto usual = plan_of(schema, {{"epsilon", "1"}, {"delta", "1e-6"}});
  EXPECT_GT(usual.columns, 1);
  EXPECT_FALSE(says(usual, "constant"));
  // Which class is the more frequent one is soon known; columns are of use for longer.
  const auto classes = plan_of(schema_of("pima_diabetes"), {{"epsilon", "0.1"}});
  EXPECT_GT(classes.columns, 1);
  EXPECT_EQ(plan_of(schema_of("pima_diabetes"), {{"epsilon", "0.001"}, {"delta", "1e-6"}}).columns,
            1);
}

// Purely private numbers of few records: their columns would be drowned, so the
// constant is drawn at once, within the target's bounds. What was given for columns keeps them.
TEST(Auto, PureNoiseThatDrownsColumnsLeavesADrawnConstant) {
  const auto schema = schema_of("medical_cost");  // 1,338 records, 12 columns
  const auto plan = plan_of(schema, {{"epsilon", "1"}, {"delta", "0"}});
  EXPECT_EQ(plan.method, "inverse-sensitivity");
  EXPECT_EQ(plan.columns, 1);
  EXPECT_EQ(setting(plan, "radius"), 1);
  EXPECT_EQ(plan.guarantee.delta, 0);
  EXPECT_TRUE(says(plan, "nothing can be expected to beat a constant"));
  EXPECT_TRUE(says(plan, "`method=phased-erm` reads the columns all the same"));
  const auto method = [&](Given given) { return plan_of(schema, given).method; };
  EXPECT_EQ(method({{"epsilon", "2"}, {"delta", "0"}}), "phased-erm");
  EXPECT_EQ(method({{"delta", "0"}, {"phases", "3"}}), "ladder");
  EXPECT_EQ(method({{"delta", "0"}, {"radius", "1"}}), "phased-erm");
  EXPECT_EQ(method({{"delta", "0"}, {"adjacency", "add_remove"}}), "regularized-output");
  EXPECT_EQ(method({{"delta", "0"}, {"adjacency", "zero_out"}}), "inverse-sensitivity");
  // Runs of a grid have columns.
  learn::ParameterValues values;
  values.set("epsilon", "1");
  values.set("delta", "0");
  EXPECT_EQ(auto_method(values, schema), "phased-erm");
}

TEST(Auto, WithoutNoiseThereIsNothingToChoose) {
  const auto options = options_of(schema_of("adult"), {{"epsilon", "inf"}});
  EXPECT_TRUE(options.reasons.empty());
  EXPECT_FALSE(options.values.given("standardise"));
}

// Twice the same facts, twice the same plan; and each rule stands on the page.
TEST(Auto, ThePageHasTheTable) {
  EXPECT_LE(auto_rules().size(), 13);
  std::ifstream file(test::source_file("docs/methods/auto.md"));
  const std::string page(std::istreambuf_iterator<char>(file), {});
  for (const auto& rule : auto_rules()) {
    const auto line = "| " + std::string(rule.where) + " | " + std::string(rule.choice) + " |";
    EXPECT_NE(page.find(line), std::string::npos) << line;
  }
}

}  // namespace auto_test
}  // namespace tacet::choose
