#include "tacet/learn/plan/class_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "tacet/base/error.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/gradient_diameter.h"
#include "tests/support/data_sets.h"

namespace tacet::learn {
namespace class_weights_test {

data::Target three_moods() { return {"mood", data::MultiClassTarget{{"low", "so=so", "high"}}}; }

std::string refusal(std::string_view text, const data::Target& target) {
  try {
    (void)parse_class_weights(text, target);
  } catch (const base::UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(ClassWeightsText, NamesAreThoseOfTheTarget) {
  const data::Target two{"y", data::BinaryTarget{{"yes", "oui"}, {"no"}}};
  const auto weights = parse_class_weights("yes=3,no=1", two);
  EXPECT_EQ(weights.of(1), 1);
  EXPECT_EQ(weights.of(-1), 1 / 3.0);
  EXPECT_EQ(parse_class_weights("no=0.5", two).of(-1), 0.5);
  EXPECT_EQ(parse_class_weights("so=so=4,low=2", three_moods()).of(2), 0.25);
  EXPECT_TRUE(parse_class_weights("high=1,low=1", three_moods()).uniform());
}

TEST(ClassWeightsText, NamesMayHoldCommas) {
  const data::Target target{"y", data::MultiClassTarget{{"low", "low, very", "a=1,b"}}};
  const auto weights = parse_class_weights("low, very=2,a=1,b=4,low=1", target);
  EXPECT_EQ(weights.of(0), 0.25);
  EXPECT_EQ(weights.of(1), 0.5);
  EXPECT_EQ(weights.of(2), 1);
}

TEST(ClassWeightsText, FaultsAreNamed) {
  const auto has = [](const std::string& text, std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(refusal("medium=2", three_moods()), "no class 'medium'; classes are low, so=so, high");
  has(refusal("low=2,low=3", three_moods()), "'low' stands twice");
  has(refusal("low", three_moods()), "NAME=WEIGHT");
  has(refusal("low=2,,high=1", three_moods()), "NAME=WEIGHT");
  has(refusal("low=2,", three_moods()), "NAME=WEIGHT");
  has(refusal(",low=2", three_moods()), "NAME=WEIGHT");
  has(refusal("low=much", three_moods()), "`class_weights`");
  has(refusal("low=0", three_moods()), "0.001 to 1000");
  has(refusal("low=nan", three_moods()), "class");
  has(refusal("low=2", {"y", data::RegressionTarget{0, 1}}), "the target is a number");
  has(refusal("balanced", three_moods()), "NAME=WEIGHT");
}

bool takes_weights(const Method& method) {
  const auto readers = readers_of("class-weights");
  return std::ranges::find(readers, method.name) != readers.end();
}

// Methods take them, and say so in the receipt, or refuse them; none drops them in silence. Noise
// and guarantee are those without weights.
TEST(ClassWeights, EachMethodTakesOrRefusesThem) {
  const auto schema = data::load_schema(test::source_file("data/schemas/berkeley1973.toml"));
  const auto names = schema.target->class_names();
  int taken = 0;
  for (const auto* method : methods()) {
    ParameterValues options{{"method", std::string(method->name)},
                            {"epsilon", 1},
                            {"delta", 1e-6},
                            {"adjacency", method->name == std::string_view("sparse-groups")
                                              ? privacy::Adjacency::add_remove
                                              : privacy::Adjacency::replace_one},
                            {"group-column", "department"}};
    if (common_options(options).adjacency == privacy::Adjacency::replace_one)
      options.erase("group-column");
    auto weighted = options;
    weighted.set("class-weights", names[1] + "=3");
    try {
      const auto plan = plan_training(schema, weighted);
      const auto plain = plan_training(schema, options);
      ++taken;
      EXPECT_EQ(plan.events, plain.events) << method->name;
      EXPECT_EQ(plan.class_weights.of(-1), 1 / 3.0);
      const auto said = std::ranges::find(plan.settings, "class_weights", &Setting::name);
      ASSERT_NE(said, plan.settings.end()) << method->name;
      EXPECT_EQ(std::get<std::string>(said->value), names[1] + "=3");
      EXPECT_TRUE(takes_weights(*method));
    } catch (const base::UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("gradient"), std::string::npos);
      EXPECT_FALSE(takes_weights(*method));
    }
  }
  EXPECT_EQ(taken, 7);
  ParameterValues paper{{"method", "gradient"},
                        {"epsilon", 1},
                        {"delta", 1e-6},
                        {"adjacency", privacy::Adjacency::replace_one}};
  paper.set("calibration", "paper");
  paper.set("radius", 3);
  paper.set("class-weights", names[1] + "=3");
  EXPECT_THROW((void)plan_training(schema, paper), base::UsageError);
}

// A schema's weights count where no option is given, for every method alike.
TEST(ClassWeights, ComeFromTheSchemaToo) {
  auto schema = data::load_schema(test::source_file("data/schemas/berkeley1973.toml"));
  schema.target->class_weights = {1, 4};
  ParameterValues options{{"method", "gradient"},
                          {"epsilon", 1},
                          {"delta", 1e-6},
                          {"adjacency", privacy::Adjacency::replace_one}};
  EXPECT_EQ(plan_training(schema, options).class_weights.of(-1), 0.25);
  options.set("class-weights", schema.target->class_names()[1] + "=2");
  EXPECT_EQ(plan_training(schema, options).class_weights.of(-1), 0.5);
  options.erase("class-weights");
  for (const auto* method : {"output", "phased", "inverse-sensitivity"}) {
    options.set("method", method);
    EXPECT_THROW((void)plan_training(schema, options), base::UsageError) << method;
  }
}

// Weighted gradients of two records lie no further apart than the diameter for the loss says: their
// distance is convex in the two weights, and the diameter is at least each one's length.
TEST(ClassWeights, TheDiameterOfGradientsHoldsForWeightedOnes) {
  std::mt19937_64 bits(3);
  std::uniform_real_distribution<double> share(-1, 1);
  const model::LogisticLoss loss;
  for (const double radius : {0.5, 3.0, 20.0}) {
    for (const std::int64_t columns : {1, 2}) {
      const GradientRegion region{columns, 1, radius};
      const double diameter = gradient_diameter(loss, region, privacy::Adjacency::replace_one);
      EXPECT_GE(diameter, lipschitz_constant(loss, region));
      for (int trial = 0; trial < 20000; ++trial) {
        double first = 0;
        double second = 0;
        double angle = columns == 1 ? 0 : 3.2 * share(bits);
        const double w = radius * share(bits);
        for (const double side : {1.0, -1.0}) {
          const double length = share(bits);
          const double along = length * std::cos(angle);
          const double slope =
              (0.5 + 0.5 * share(bits)) * loss.slope(w * along, bits() % 2 == 0 ? 1.0 : -1.0);
          first += side * slope * along;
          second += side * slope * length * std::sin(angle);
          angle = columns == 1 ? 0 : 3.2 * share(bits);
        }
        EXPECT_LE(std::hypot(first, second), diameter);
      }
    }
  }
}

}  // namespace class_weights_test
}  // namespace tacet::learn
