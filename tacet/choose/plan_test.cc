#include "tacet/choose/plan.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tacet/accounting/composition.h"
#include "tacet/base/error.h"
#include "tacet/privacy/prg_share.h"

namespace tacet::choose {
namespace plan_test {

using privacy::Adjacency;

data::Schema schema() {
  return data::schema_from_toml(R"(
    public_row_count = 10000
    row_scaling = "clip1"
    [target]
    column = "y"
    positive = "1"
    [[column]]
    name = "x"
    kind = "numeric"
    lower = 0
    upper = 1
  )",
                                "inline");
}

// What is proved at a smaller epsilon holds at the one asked for: there is no reason to refuse.
TEST(Plan, AnEpsilonBeyondTheCiphersRoomIsAnsweredByASmallerOne) {
  for (const std::string method : {"gradient", "output", "phased", "adassp", "wide"}) {
    const auto at = [&](double epsilon) {
      return choose::plan_training(schema(), {{"method", method},
                                              {"epsilon", epsilon},
                                              {"delta", 1e-6},
                                              {"adjacency", Adjacency::replace_one}});
    };
    const auto plan = at(1000);
    EXPECT_GT(plan.guarantee.epsilon, 10) << method;
    EXPECT_LT(plan.guarantee.epsilon, 100) << method;
    // Proved, beside what the cipher adds.
    const auto left = privacy::delta_left(plan.guarantee, plan.prg_slack);
    EXPECT_LE(accounting::epsilon(plan.events, Adjacency::replace_one, left),
              plan.guarantee.epsilon)
        << method;
    EXPECT_NE(plan.reasons.back().find("instead of 1000"), std::string::npos) << method;
    // What is asked beyond that changes nothing, and below it nothing is said.
    EXPECT_EQ(at(500).events, plan.events) << method;
    for (const auto& reason : at(20).reasons) EXPECT_EQ(reason.find("instead of"), reason.npos);
  }
}

TEST(Plan, WhereNoiseWouldCountItIsRefused) {
  const learn::ParameterValues usual{{"delta", 1e-6}, {"adjacency", Adjacency::replace_one}};
  auto wide = usual;  // secret samples leave less than epsilon 10 at this delta
  wide.set("method", "wide");
  wide.set("epsilon", 30);
  wide.set("delta", 1e-18);
  EXPECT_THROW((void)choose::plan_training(schema(), wide), base::GuaranteeError);
  auto paper = usual;  // whose constants are for the epsilon asked for
  paper.set("method", "adassp");
  paper.set("epsilon", 1000);
  paper.set("calibration", "paper");
  EXPECT_THROW((void)choose::plan_training(schema(), paper), base::GuaranteeError);
}

using Given = std::map<std::string, std::string>;

/// What a plan resolves, without its words.
std::vector<std::pair<std::string, learn::Setting::Value>> resolved(const Given& given) {
  Request asked(usual_for_method);
  for (const auto& [name, value] : given) asked.set(name, value);
  std::vector<std::pair<std::string, learn::Setting::Value>> settings;
  for (const auto& setting : choose::plan(asked, schema()).settings) {
    settings.emplace_back(setting.name, setting.value);
  }
  return settings;
}

// Help prints a default, and leaving the option out does what it says.
TEST(Plan, APrintedDefaultIsWhatHappens) {
  int compared = 0;
  for (const std::string method : {"gradient", "objective", "ladder", "output", "wide"}) {
    const Given usual{{"method", method}, {"epsilon", "1"}};
    const auto without = resolved(usual);
    for (const auto& parameter : learn::parameters()) {
      const auto words = parameter.default_value;
      const std::string value(words.substr(0, words.find_first_of(":;")));
      // Behind a semicolon stands where another value holds: gradient, by its name, is not there.
      if (words.find(';') != words.npos && method != "gradient") continue;
      // An average of one's own leaves the path as long as the constants were chosen with.
      if (parameter.name == "average") continue;
      auto given = usual;
      if (!given.emplace(parameter.name, value).second) continue;
      try {
        EXPECT_EQ(resolved(given), without) << method << " " << parameter.name << " " << value;
        ++compared;
      } catch (const base::UsageError&) {  // words and no value, or not of this method
      }
    }
  }
  EXPECT_GT(compared, 25);
}

TEST(Plan, WithoutAMethodThePrintedDefaultsAreTheOtherOnes) {
  const Given usual{{"epsilon", "1"}};
  const auto without = resolved(usual);
  const auto with = [&](const std::string& name, const std::string& value) {
    auto given = usual;
    given[name] = value;
    return resolved(given);
  };
  EXPECT_EQ(with("standardise", "private"), without);
  EXPECT_NE(with("standardise", "none"), without);
  EXPECT_EQ(with("curves", "auto"), without);
}

}  // namespace plan_test
}  // namespace tacet::choose
