// One list writes the settings of a plan and reads them back, and reading is strict.

#include "tacet/learn/plan/setting_list.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/learn/plan/finish.h"

namespace tacet::learn {
namespace setting_list_test {

using nlohmann::json;

enum class Shape { round, square };

struct SomePlan : MethodPlan {
  std::int64_t steps = 7;
  std::int32_t words = 5;
  double noise = 2.5;
  double length = 0.1;
  std::optional<double> radius = 3;
  Shape shape = Shape::square;
  std::vector<double> levels{1, 0.1, 1e-17};
  double step_size = 0.25;
};

void list_settings(SettingList& list, SomePlan& plan) {
  static constexpr auto shapes =
      base::names<Shape>({{Shape::round, "round"}, {Shape::square, "square"}});
  list.sampling("full_batch");
  list.checked("steps", plan.steps, {.lowest = 1, .highest = 9});
  list.checked("words", plan.words, at_least_1);
  list.checked("noise", plan.noise, above_0);
  list.assumed("length", plan.length, at_least_0);
  list.checked("radius", plan.radius, above_0);
  list.checked("shape", plan.shape, shapes);
  list.checked("levels", plan.levels, above_0);
  list.follows("twice", 2 * plan.steps);
  list.computed("product", plan.noise * plan.length);
  list.mark("kind", "some");
  list.note("step_size", plan.step_size);
  list.claim();
}

privacy::Event releases(const SomePlan& plan) {
  return privacy::Repeated{plan.steps, privacy::Gaussian{plan.noise}};
}

privacy::Receipt receipt() {
  SomePlan plan;
  plan.method = "some";
  write_settings(plan);
  auto written = receipt_of(plan);
  written.events = releases(plan);
  return written;
}

/// The receipt with one parameter changed; null takes it out.
privacy::Receipt edited(const std::string& name, const json& value) {
  auto receipt = setting_list_test::receipt();
  auto parameters = json::parse(receipt.parameters);
  parameters[name] = value;
  if (value.is_null()) parameters.erase(name);
  receipt.parameters = parameters.dump();
  return receipt;
}

SomePlan read(const privacy::Receipt& receipt) {
  RecordedParameters parameters(receipt.parameters);
  return read_plan<SomePlan>(receipt, parameters);
}

TEST(SettingList, ReadsBackWhatItWrote) {
  const SomePlan plan;
  SomePlan other = read(receipt());
  EXPECT_EQ(other.method, "some");
  EXPECT_EQ(other.steps, plan.steps);
  EXPECT_EQ(other.noise, plan.noise);
  EXPECT_EQ(other.length, plan.length);
  EXPECT_EQ(other.radius, plan.radius);
  EXPECT_EQ(other.shape, plan.shape);
  EXPECT_EQ(other.levels, plan.levels);
  EXPECT_EQ(releases(other), receipt().events);
}

TEST(SettingList, APlanThatWasReadWritesTheSameSettings) {
  auto plan = read(receipt());
  write_settings(plan);
  EXPECT_EQ(receipt_of(plan).parameters, receipt().parameters);
}

TEST(SettingList, RefusesWhatIsMissingOutOfRangeOrOfAnotherType) {
  const std::vector<std::pair<std::string, json>> faults{
      {"steps", nullptr},     {"steps", 0},         {"steps", 10},     {"steps", 7.5},
      {"steps", "7"},         {"noise", nullptr},   {"noise", 0},      {"noise", -1},
      {"noise", "2.5"},       {"length", nullptr},  {"length", -1},    {"radius", 0},
      {"shape", "oval"},      {"shape", 1},         {"levels", ""},    {"levels", "1 0"},
      {"levels", "1 word"},   {"levels", nullptr},  {"twice", 15},     {"twice", nullptr},
      {"product", 0.2500001}, {"product", nullptr}, {"kind", nullptr}, {"claimed_epsilon", 1}};
  for (const auto& [name, value] : faults) {
    EXPECT_THROW(static_cast<void>(read(edited(name, value))), base::Error) << name << value;
  }
  auto sampled = receipt();
  sampled.sampling = "poisson";
  EXPECT_THROW(static_cast<void>(read(sampled)), base::DataError);
}

// A number of more bits than the plan has for it is not read as another one.
TEST(SettingList, RefusesNumbersThatWouldBeCut) {
  EXPECT_EQ(read(edited("words", 6)).words, 6);
  constexpr std::int64_t cut = std::int64_t{1} << 32;
  for (const std::int64_t words : {cut + 5, 5 - cut, cut, (cut / 2)}) {
    EXPECT_THROW(static_cast<void>(read(edited("words", words))), base::DataError) << words;
  }
}

TEST(SettingList, ASettingThatOnlySomePlansHaveMayBeMissing) {
  EXPECT_EQ(read(edited("radius", nullptr)).radius, 3);  // its default
  EXPECT_NO_THROW(static_cast<void>(read(edited("step_size", nullptr))));
}

TEST(SettingList, RoundingOfAnotherMachineIsNoContradiction) {
  EXPECT_NO_THROW(static_cast<void>(read(edited("product", 0.25 * (1 + 1e-12)))));
}

TEST(SettingList, ConfirmsWhatTheEventsDependOnAndNothingElse) {
  const auto written = receipt();
  RecordedParameters parameters(written.parameters);
  static_cast<void>(read_plan<SomePlan>(written, parameters));
  const std::set<std::string> confirmed{"steps", "words",  "noise", "radius",
                                        "shape", "levels", "twice", "product"};
  EXPECT_EQ(parameters.used(), confirmed);
}

}  // namespace setting_list_test
}  // namespace tacet::learn
