#include "tacet/learn/receipt_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/learn/method.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/privacy/trusting_budget.h"
#include "tests/support/data_sets.h"

namespace tacet::learn {
namespace receipt_check_test {

constexpr auto replace_one = privacy::Adjacency::replace_one;

data::Schema berkeley() {
  return data::load_schema(test::source_file("data/schemas/berkeley1973.toml"));
}

model::ModelFile trained(const ParameterValues& options, const data::Schema& schema = berkeley()) {
  const auto training = plan_training(schema, options);
  const auto dataset = data::read_dataset(test::source_file("data/berkeley1973.csv"),
                                          training.raw_schema.value_or(schema));
  random::SeededSource source(1);
  privacy::TrustingBudget budget(common_options(options).adjacency);
  auto reservation = budget.reserve(training.events, training.guarantee);
  base::ThreadPool pool(1);
  auto result = training.run(dataset, schema, {source, reservation, pool});
  return {std::move(result.schema), std::move(result.model), std::move(result.receipt)};
}

std::string faults_of(const model::ModelFile& file) {
  return fmt::format("{}", fmt::join(check_receipt(file.receipt, &file).faults, "; "));
}

void edit(model::ModelFile& file, const std::string& name, const nlohmann::json& value) {
  auto parameters = nlohmann::json::parse(file.receipt.parameters);
  parameters[name] = value;
  file.receipt.parameters = parameters.dump();
}

TEST(ReceiptCheck, AModelAgreesWithItself) {
  for (const char* method : {"gradient", "output", "objective", "ladder"}) {
    const auto file =
        trained({{"method", method}, {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", replace_one}});
    EXPECT_EQ(faults_of(file), "") << method;
    const auto check = check_receipt(file.receipt, &file);
    EXPECT_GT(check.checked.size(), 2U) << method;
    EXPECT_NE(std::ranges::find(check.unchecked, "that these events are what was run"),
              check.unchecked.end());
  }
}

// What training refuses is refused in a file that somebody wrote.
TEST(ReceiptCheck, TargetsLossesAndWeightsAreThoseThatTheMethodIsMadeFor) {
  const auto of = [](const char* method) {
    return trained(
        {{"method", method}, {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", replace_one}});
  };
  auto ridge = of("adassp");
  EXPECT_EQ(faults_of(ridge), "");
  ridge.model.loss = model::HingeLoss{};
  edit(ridge, "loss", "hinge");
  EXPECT_NE(faults_of(ridge).find("method adassp does not take loss hinge"), std::string::npos);
  auto weighted = of("output");
  weighted.schema.target->class_weights = {1000, 1};
  edit(weighted, "class_weights", class_weights_text(*weighted.schema.target));
  EXPECT_NE(faults_of(weighted).find("class weights have no proof for method output"),
            std::string::npos);
  auto counted = of("ladder");
  counted.schema.target->rule = data::RegressionTarget{0, 10, data::NumberKind::count};
  EXPECT_NE(faults_of(counted).find("method ladder is for two classes or a number"),
            std::string::npos);
}

TEST(ReceiptCheck, UnitColumnsAndLossAreThoseOfTheSchemaAndTheModel) {
  const auto honest = trained(
      {{"method", "gradient"}, {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", replace_one}});
  auto file = honest;
  file.receipt.privacy_unit = "patient";
  EXPECT_NE(faults_of(file).find("the schema protects each record"), std::string::npos);
  file = honest;
  file.schema.unit = "patient";
  EXPECT_NE(faults_of(file).find("the schema protects each patient"), std::string::npos);
  for (const auto& [name, value] : std::vector<std::pair<std::string, nlohmann::json>>{
           {"columns", 1}, {"outputs", 7}, {"loss", "hinge"}, {"public_row_count", 3}}) {
    file = honest;
    edit(file, name, value);
    EXPECT_NE(faults_of(file).find("the parameter " + name), std::string::npos) << name;
  }
}

// They follow counts, whose release the receipt has: one that its method has no part in is none.
TEST(ReceiptCheck, ScalesOfCategoriesAreReleased) {
  auto schema = berkeley();
  schema.row_scaling = data::RowScaling::clip1;
  const auto scale = [](model::ModelFile& file, std::vector<double> scales) {
    for (auto& column : file.schema.columns) {
      auto& rule = std::get<data::CategoricalColumn>(column.rule);
      if (rule.coding == data::Coding::one_hot) rule.scales = std::move(scales);
    }
  };
  const std::vector<double> six(6, 2.0);
  for (const char* method : {"gradient", "output", "objective"}) {
    const ParameterValues options{
        {"method", method}, {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", replace_one}};
    auto file = trained(options, schema);
    scale(file, six);
    EXPECT_NE(faults_of(file).find("the receipt no release of them"), std::string::npos) << method;
    edit(file, "standardise_noise_multiplier", 3.0);
    EXPECT_NE(faults_of(file), "") << method;
    scale(file, {});
    EXPECT_NE(faults_of(file), "") << method;
  }
  ParameterValues options{
      {"method", "gradient"}, {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", replace_one}};
  options.set("standardise", "private");
  auto file = trained(options, schema);
  EXPECT_EQ(faults_of(file), "");
  scale(file, {});
  EXPECT_NE(faults_of(file).find("but these go by none"), std::string::npos);
}

/// A model of single records, as if it protected all records of a patient together.
model::ModelFile renamed(model::ModelFile file) {
  file.schema.unit = "patient";
  file.receipt.privacy_unit = "patient";
  return file;
}

TEST(ReceiptCheck, RecordsDoNotPassForUnits) {
  const auto of = [](const char* method) {
    return renamed(
        trained({{"method", method}, {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", replace_one}}));
  };
  for (const char* method : {"ladder", "output"}) {
    EXPECT_NE(faults_of(of(method)).find("protects single records, not each patient"),
              std::string::npos)
        << method;
  }
  for (const char* method : {"objective", "regularized-output"}) {
    auto file = of(method);
    EXPECT_NE(faults_of(file).find("how many records of each patient"), std::string::npos);
    edit(file, "max_records_per_unit", 1);
    EXPECT_NE(faults_of(file).find("leaves out the draw of one record"), std::string::npos)
        << method;
    file.receipt.prg_slack += 1e-12;
    EXPECT_EQ(faults_of(file), "") << method;
    edit(file, "max_records_per_unit", 2);
    EXPECT_NE(faults_of(file).find("max_records_per_unit"), std::string::npos) << method;
  }
}

TEST(ReceiptCheck, MethodsWithoutUnitsRefuseThemInTheirPlan) {
  auto schema = data::load_schema(test::source_file("data/schemas/berkeley1973.toml"));
  schema.unit = "patient";
  for (const auto* method : methods()) {
    if (method->proved.units != UnitProtection::refused) continue;
    const ParameterValues options{{"method", std::string(method->name)},
                                  {"epsilon", 1},
                                  {"delta", 1e-6},
                                  {"adjacency", replace_one}};
    EXPECT_THROW(static_cast<void>(plan_training(schema, options)), base::Error) << method->name;
  }
}

// Without a fit of the schema there is nothing that may stand before the method's own events.
TEST(ReceiptCheck, NothingStandsBeforeTheEventsOfAMethod) {
  auto file = trained(
      {{"method", "gradient"}, {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", replace_one}});
  file.receipt.events =
      privacy::Composed{{privacy::Event(privacy::Gaussian{1e6}), file.receipt.events}};
  EXPECT_NE(faults_of(file).find("not those of method gradient"), std::string::npos);
  // A receipt without its schema would name the fit.
  EXPECT_FALSE(check_receipt(file.receipt, nullptr).faults.empty());
}

TEST(ReceiptCheck, ClassWeightsAreOfTheSchemasClasses) {
  auto options = ParameterValues{
      {"method", "gradient"}, {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", replace_one}};
  options.set("class-weights", "yes=3");
  const auto honest = trained(options);
  EXPECT_EQ(faults_of(honest), "");
  auto file = honest;
  edit(file, "class_weights", "maybe=3");
  EXPECT_NE(faults_of(file).find("there is no class 'maybe'"), std::string::npos);
  edit(file, "class_weights", "yes=5000");
  EXPECT_NE(faults_of(file).find("0.001 to 1000"), std::string::npos);
  options.erase("class-weights");
  file = trained(options);
  file.schema.target->class_weights = {1, 3};
  EXPECT_NE(faults_of(file).find("the schema weighs its classes"), std::string::npos);
}

TEST(ReceiptCheck, ASchemasFitIsPartOfTheEvents) {
  auto file = trained(
      {{"method", "gradient"}, {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", replace_one}});
  const privacy::Event fit = privacy::PureDp{0.5, replace_one};
  file.schema.cost = data::SchemaCost{.id = "0123456789abcdef",
                                      .events = fit,
                                      .guarantee = {0.5, 0, replace_one},
                                      .prg_slack = 1e-20,
                                      .unprotected_reason = {}};
  EXPECT_NE(faults_of(file).find("the schema's fit is not part"), std::string::npos);
  const auto own = file.receipt.events;
  file.receipt.events = privacy::Composed{{fit, own}};
  EXPECT_EQ(faults_of(file), "");
  // One event for both shows nothing of the method's.
  file.receipt.events = privacy::ApproximateDp{1.5, 1e-6, replace_one};
  EXPECT_EQ(faults_of(file), "");
  EXPECT_NE(fmt::format("{}", fmt::join(check_receipt(file.receipt, &file).unchecked, ";"))
                .find("one sum stands"),
            std::string::npos);
}

TEST(ReceiptCheck, ADeclaredNumberOfRecordsIsNoSecret) {
  auto file = trained(
      {{"method", "gradient"}, {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", replace_one}});
  ASSERT_TRUE(file.schema.public_row_count);
  file.receipt.public_row_count.reset();
  EXPECT_NE(faults_of(file).find("public by the schema"), std::string::npos);
}

TEST(ReceiptCheck, ObjectivePerturbationCountsOnTheModelsSlope) {
  auto file = trained(
      {{"method", "objective"}, {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", replace_one}});
  auto event = *file.receipt.events.as<privacy::ObjectivePerturbation>();
  event.lipschitz /= 2;
  file.receipt.events = event;
  EXPECT_NE(faults_of(file).find("flatter loss"), std::string::npos);
}

TEST(ReceiptCheck, ParametersThatMakeNoSenseAreFaultsAndNoCrash) {
  const auto honest = trained(
      {{"method", "gradient"}, {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", replace_one}});
  for (const auto& value : std::vector<nlohmann::json>{-1, 0, 1e300, "many", nullptr,
                                                       nlohmann::json::array(), 0x1p62}) {
    for (const char* name : {"noise_multiplier", "steps", "norm_bits", "sampling_rate"}) {
      auto file = honest;
      edit(file, name, value);
      EXPECT_NE(faults_of(file), "") << name << value;
    }
  }
  auto file = honest;
  file.receipt.algorithm = "magic";
  EXPECT_EQ(faults_of(file), "");
  EXPECT_FALSE(check_receipt(file.receipt, &file).known);
}

// Levels of noise are one a phase: a single one is the noise multiplier of all phases.
TEST(ReceiptCheck, OneLevelOfNoiseIsNotALevelOfEachPhase) {
  auto file =
      trained({{"method", "growth"}, {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", replace_one}});
  const auto parameters = nlohmann::json::parse(file.receipt.parameters);
  ASSERT_GT(parameters.at("phases").get<int>(), 1);
  ASSERT_FALSE(parameters.contains("noise_levels"));
  ASSERT_EQ(faults_of(file), "");
  edit(file, "noise_levels", parameters.at("noise_multiplier").dump());
  EXPECT_NE(faults_of(file), "");
}

/// All values inside a JSON text, without the whole.
void collect(nlohmann::json& value, std::vector<nlohmann::json*>& all) {
  for (auto& part : value) {
    if (!value.is_structured()) return;
    all.push_back(&part);
    collect(part, all);
  }
}

nlohmann::json hostile_value(std::mt19937_64& random, const nlohmann::json& old) {
  const std::vector<nlohmann::json> values{nullptr,
                                           true,
                                           0,
                                           -1,
                                           1,
                                           1e308,
                                           -0.0,
                                           5e-324,
                                           INT64_MAX,
                                           INT64_MIN,
                                           UINT64_MAX,
                                           "",
                                           "paper",
                                           "reuse",
                                           "disjoint",
                                           "poisson",
                                           "euclidean laplace",
                                           "objective",
                                           "ladder",
                                           "evaluation",
                                           nlohmann::json::array(),
                                           nlohmann::json::object()};
  const auto kind = random() % 8;
  if (kind < 5) return values[random() % values.size()];
  if (kind == 5 && old.is_number()) return old.get<double>() * 2;
  if (kind == 6) {
    return {{"kind", "repeated"}, {"count", INT64_MAX / 2}, {"base", old}};
  }
  return {{"kind", "composed"}, {"parts", nlohmann::json::array({old, old})}};
}

// Whatever a receipt holds, the check ends with an answer, and nothing counts as checked and not.
// A small file asks for no gigabytes: a run that is too long is neither confirmed nor refuted.
TEST(ReceiptCheck, RunsThatAreTooLongAreNotComputedAgain) {
  constexpr std::int64_t rows = std::int64_t{1} << 29;
  for (const char* method : {"output", "phased"}) {
    auto receipt =
        trained({{"method", method}, {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", replace_one}})
            .receipt;
    auto parameters = nlohmann::json::parse(receipt.parameters);
    EXPECT_EQ(check_receipt(receipt, nullptr).too_long, "");
    receipt.public_row_count = rows;
    for (const char* name : {"public_row_count", "steps"}) {
      if (parameters.contains(name)) parameters[name] = rows;
    }
    receipt.parameters = parameters.dump();
    EXPECT_NE(check_receipt(receipt, nullptr).too_long, "") << method;
  }
}

TEST(ReceiptCheck, HostileReceiptsEndInAnAnswer) {
  std::mt19937_64 random(1);
  int read = 0;
  int faults = 0;
  for (const char* method : {"gradient", "output", "objective", "ladder", "regularized-output"}) {
    const auto file =
        trained({{"method", method}, {"epsilon", 1}, {"delta", 1e-6}, {"adjacency", replace_one}});
    const auto honest = nlohmann::json::parse(privacy::receipt_to_json(file.receipt));
    for (int i = 0; i < 150; ++i) {
      auto edited = honest;
      for (auto edits = 1 + random() % 3; edits > 0; --edits) {
        std::vector<nlohmann::json*> all;
        collect(edited, all);
        auto& one = *all[random() % all.size()];
        one = hostile_value(random, one);
      }
      privacy::Receipt receipt;
      try {
        receipt = privacy::receipt_from_json(edited.dump());
      } catch (const base::Error&) {
        continue;
      }
      ++read;
      for (const auto* model : {&file, static_cast<const model::ModelFile*>(nullptr)}) {
        ReceiptCheck check;
        ASSERT_NO_THROW(check = check_receipt(receipt, model)) << edited;
        faults += check.faults.empty() ? 0 : 1;
        const auto listed = std::ranges::find_if(check.unchecked, [](const std::string& line) {
          return line.starts_with("the parameters ");
        });
        const auto unchecked = listed == check.unchecked.end() ? "" : *listed + ",";
        for (const auto& name : check.checked) {
          EXPECT_EQ(unchecked.find(" " + name + ","), std::string::npos) << name << edited;
        }
      }
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(faults, 50);
}

}  // namespace receipt_check_test
}  // namespace tacet::learn
