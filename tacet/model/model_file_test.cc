#include "tacet/model/model_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/model/model_parse.h"
#include "tacet/numeric/rounding.h"
#include "tests/support/peak_memory.h"

namespace tacet::model {
namespace model_file_test {

using nlohmann::json;

using numeric::infinity;

data::Schema small_schema() {
  data::Schema schema;
  schema.columns = {
      {"age", data::NumericColumn{.lower = 17, .upper = 90, .log1p = false, .fill = {}}},
      {"sex", data::CategoricalColumn{{"f", "m"}}}};
  schema.target = {"income", data::BinaryTarget{{">50K"}, {"<=50K"}}};
  schema.public_row_count = 1000;
  return schema;
}

ModelFile small_file() {
  ModelFile file{.schema = small_schema(),
                 .model = empty_model(small_schema(), LogisticLoss{}),
                 .receipt = {}};
  file.model.coefficients = {0.1, -2.5e-17, 3, 1.0 / 3};
  file.model.noise_stddevs = {0.5, 0.25, 0.125, 0.1};
  file.receipt.algorithm = "gradient";
  file.receipt.calibration = "tight";
  file.receipt.parameters = R"({"steps":300,"momentum":0.9})";
  file.receipt.events = privacy::Repeated{300, privacy::Event(privacy::Gaussian{60.0})};
  file.receipt.guarantee = {1, 1e-5, privacy::Adjacency::add_remove};
  file.receipt.public_row_count = 1000;
  file.receipt.software_version = "0.1.0";
  return file;
}

std::string fault_of(const std::string& text) {
  try {
    static_cast<void>(model_from_json(text, "m.json"));
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no fault";
}

/// What is said about the good file with the value at `pointer` replaced.
std::string fault_with(const std::string& pointer, const json& value) {
  auto content = json::parse(model_to_json(small_file()));
  content[json::json_pointer(pointer)] = value;
  return fault_of(content.dump());
}

std::string fault_without(const std::string& object, const std::string& key) {
  auto content = json::parse(model_to_json(small_file()));
  content[json::json_pointer(object)].erase(key);
  return fault_of(content.dump());
}

TEST(ModelFile, ReadsBackWhatItWroteBitForBit) {
  const auto file = small_file();
  const auto text = model_to_json(file);
  const auto copy = model_from_json(text, "m.json");
  EXPECT_EQ(copy.model.coefficients, file.model.coefficients);
  EXPECT_EQ(copy.model.noise_stddevs, file.model.noise_stddevs);
  EXPECT_EQ(copy.model.features, file.model.features);
  EXPECT_EQ(copy.model.classes, file.model.classes);
  EXPECT_EQ(copy.receipt.guarantee, file.receipt.guarantee);
  EXPECT_EQ(copy.receipt.events, file.receipt.events);
  EXPECT_EQ(model_to_json(model_from_json(text, "m.json")), model_to_json(copy));
}

// Python reads records after loading as before: what it has to know for that is part of the file.
TEST(ModelFile, KeepsWhatPythonHasToKnow) {
  auto file = small_file();
  EXPECT_EQ(model_to_json(file).find("python"), std::string::npos);
  file.python = PythonForm{.columns = std::vector<std::string>{"sex", "id", "age"},
                           .values = PythonForm::Values::numbers,
                           .class_types = {"bool", "bool"}};
  const auto copy = model_from_json(model_to_json(file), "m.json");
  ASSERT_TRUE(copy.python);
  EXPECT_EQ(copy.python->columns, file.python->columns);
  EXPECT_EQ(copy.python->values, PythonForm::Values::numbers);
  EXPECT_EQ(copy.python->class_types, file.python->class_types);
  EXPECT_EQ(model_to_json(model_from_json(model_to_json(copy), "m.json")), model_to_json(copy));
  file.python = PythonForm{};
  EXPECT_FALSE(model_from_json(model_to_json(file), "m.json").python->columns);
}

TEST(ModelFile, RefusesWhatPythonCannotUse) {
  const auto fault = [](const json& form) { return fault_with("/python", form); };
  EXPECT_EQ(fault(1), "'m.json': python must be an object");
  EXPECT_EQ(fault({{"values", "guesses"}}), "'m.json': python.values is 'guesses'");
  EXPECT_EQ(fault({{"values", "records"}, {"columns", "age"}}),
            "'m.json': python.columns must be a list, got \"age\"");
  EXPECT_EQ(fault({{"values", "records"}, {"more", 1}}), "'m.json': unknown key 'python.more'");
  EXPECT_EQ(fault({{"values", "records"}, {"class_types", {"int"}}}),
            "'m.json': python.class_types must hold a type for each of 2 classes, got 1");
  EXPECT_EQ(fault({{"values", "records"}, {"class_types", {"int", "list"}}}),
            "'m.json': python.class_types has 'list'");
  // The checksum covers it.
  EXPECT_NE(fault({{"values", "records"}}).find("checksum"), std::string::npos);
}

TEST(ModelFile, KeepsALossWithItsParameter) {
  auto file = small_file();
  file.model.loss = SmoothedHingeLoss{.width = 0.125};
  const auto copy = model_from_json(model_to_json(file), "m.json");
  const auto* loss = std::get_if<SmoothedHingeLoss>(&copy.model.loss);
  ASSERT_NE(loss, nullptr);
  EXPECT_EQ(loss->width, 0.125);
}

TEST(ModelFile, TheMarkOfAnUnprotectedRunSurvives) {
  auto file = small_file();
  file.receipt.randomness = privacy::Randomness::seeded;
  file.receipt.unprotected_reason = "seeded noise; for tests and experiments only";
  const auto text = model_to_json(file);
  const auto copy = model_from_json(text, "m.json");
  EXPECT_FALSE(copy.receipt.is_protected());
  EXPECT_EQ(copy.receipt.randomness, privacy::Randomness::seeded);
  EXPECT_NE(text.find("UNPROTECTED"), std::string::npos);
}

TEST(ModelFile, AMarkCannotBeLeftOut) {
  auto file = small_file();
  file.receipt.randomness = privacy::Randomness::seeded;
  EXPECT_THROW(static_cast<void>(model_to_json(file)), base::UsageError);
  file = small_file();
  file.receipt.guarantee.epsilon = infinity;
  EXPECT_THROW(static_cast<void>(model_to_json(file)), base::UsageError);
}

TEST(ModelFile, InfiniteEpsilonIsWrittenInWords) {
  auto file = small_file();
  file.receipt.guarantee.epsilon = infinity;
  file.receipt.unprotected_reason = "epsilon is infinite: no noise was added";
  const auto text = model_to_json(file);
  EXPECT_NE(text.find(R"("epsilon": "inf")"), std::string::npos);
  EXPECT_EQ(model_from_json(text, "m.json").receipt.guarantee.epsilon, infinity);
}

TEST(ModelFile, EveryTruncationIsADataErrorThatNamesTheFile) {
  const auto text = model_to_json(small_file());
  EXPECT_EQ(fault_of("").find("'m.json': no model of tacet"), 0U);
  for (std::size_t length = 1; length + 2 < text.size(); length += 7) {
    const auto fault = fault_of(text.substr(0, length));
    EXPECT_EQ(fault.find("'m.json': not a complete JSON text"), 0U) << length << ": " << fault;
  }
}

TEST(ModelFile, EditedContentDoesNotFitTheChecksum) {
  EXPECT_NE(fault_with("/model/coefficients/0", 0.2).find("checksum"), std::string::npos);
  EXPECT_NE(fault_with("/receipt/guarantee/epsilon", 0.5).find("checksum"), std::string::npos);
  EXPECT_NE(fault_with("/privacy", "all is well").find("checksum"), std::string::npos);
  EXPECT_NE(fault_with("/checksum", "sha256:00").find("checksum"), std::string::npos);
}

TEST(ModelFile, LayoutAndOrderOfKeysAreFree) {
  const auto sorted = json::parse(model_to_json(small_file()));
  EXPECT_EQ(fault_of(sorted.dump()), "no fault");
  EXPECT_EQ(fault_of(sorted.dump(7)), "no fault");
}

TEST(ModelFile, FaultsNameTheField) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {fault_with("/version", 2), "version 2"},
      {fault_with("/version", "1"), "version \"1\""},
      {fault_with("/format", "x"), "no tacet model"},
      {fault_with("/extra", 1), "unknown key 'extra'"},
      {fault_with("/model/extra", 1), "unknown key 'model.extra'"},
      {fault_with("/model", 3), "model must be an object"},
      {fault_with("/model/kind", "tree"), "model.kind"},
      {fault_with("/model/loss", "cubic"), "model.loss"},
      {fault_with("/model/loss_parameter", 2), "model.loss"},
      {fault_with("/model/task", "ranking"), "task"},
      {fault_with("/model/task", "regression"), "model.task"},
      {fault_with("/model/classes", json::array({"a", "b"})), "model.classes[0]"},
      {fault_with("/model/features/1", "other"), "model.features[1]"},
      {fault_with("/model/features/1", 7), "model.features[1] must be a text"},
      {fault_with("/model/coefficients", json::array({1, 2})), "coefficients must hold 4"},
      {fault_with("/model/coefficients/2", "NaN"), "model.coefficients[2]"},
      {fault_with("/model/coefficients/2", nullptr), "model.coefficients[2]"},
      {fault_with("/model/noise_stddevs/3", -1), "model.noise_stddevs[3]"},
      {fault_with("/model/target_bounds", json::array({1})), "model.target_bounds"},
      {fault_with("/receipt/guarantee/epsilon", "much"), "epsilon"},
      {fault_with("/receipt/guarantee/epsilon", -1), "epsilon"},
      {fault_with("/receipt/randomness", "luck"), "randomness"},
      {fault_with("/schema", json::array()), "schema"},
      {fault_without("/model", "loss"), "'model.loss' is missing"},
      {fault_without("/receipt", "events"), "events"},
      {fault_without("", "checksum"), "'checksum' is missing"}};
  for (const auto& [fault, expected] : cases) {
    EXPECT_NE(fault.find(expected), std::string::npos) << expected << "\n  " << fault;
    EXPECT_EQ(fault.find("'m.json': "), 0U) << fault;
  }
}

// Long plain strings are taken out before the library reads the text.
TEST(ModelFile, LongTextsAreReadAsTheLibraryReadsThem) {
  const std::string plain(5000, 'A');
  const json tree = {{"one", plain},
                     {"two", plain + "B"},
                     {"quotes", plain + "\\\"" + plain + "\\"},
                     {"umlaut", plain + "\xc3\xa4"},
                     {"list", {plain, {{plain, plain}}}}};
  for (const int indent : {-1, 1}) {
    EXPECT_EQ(internal::parse_outline(tree.dump(indent)), tree);
    auto with_null = tree;
    with_null["null"] = std::string("\0001", 2);
    EXPECT_EQ(internal::parse_outline(with_null.dump(indent)), with_null);
  }
  const auto fault = [&](const std::string& text) {
    try {
      static_cast<void>(internal::parse_outline(text));
    } catch (const base::DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto twice = fmt::format(R"({{"a":"{0}","a":"{0}"}})", plain);
  EXPECT_EQ(fault(twice), "the key 'a' appears twice");
  const auto cut = fmt::format(R"({{"a":"{0}","b":)", plain);
  EXPECT_NE(fault(cut).find(fmt::format("(byte {})", cut.size() + 1)), std::string::npos)
      << fault(cut);
  EXPECT_NE(fault(cut.substr(0, 4000)), "");
  const auto zero = tree.dump() + '\0';
  for (const char* behind : {"", "{}"}) {
    EXPECT_NE(fault(zero + behind).find(fmt::format("byte {} is zero", zero.size())),
              std::string::npos);
  }
}

TEST(ModelFile, RepeatedKeysDeepNestingAndHugeNumbersAreFaults) {
  EXPECT_NE(fault_of(R"({"format":"tacet-model","format":"x"})").find("appears twice"),
            std::string::npos);
  EXPECT_NE(fault_of(std::string(200, '[')).find("nested"), std::string::npos);
  EXPECT_NE(fault_of(R"({"format":1e999})").find("too large"), std::string::npos);
  EXPECT_NE(fault_of("[]").find("no tacet model"), std::string::npos);
  EXPECT_NE(fault_of("\"text\"").find("no tacet model"), std::string::npos);
}

TEST(ModelFile, LongListsAreBoundedByTheSchema) {
  EXPECT_NE(fault_with("/model/coefficients", json::array({1, 2, 3, 4, 5}))
                .find("model.coefficients must hold 4 numbers, got more"),
            std::string::npos);
  EXPECT_NE(fault_with("/model/features", json::array()).find("model.features must hold"),
            std::string::npos);
  EXPECT_NE(fault_with("/model/features", "age").find("model.features must be a list"),
            std::string::npos);
  for (const auto* list : {"features", "coefficients", "noise_stddevs"}) {
    const std::string path = std::string("/model/") + list;
    for (const auto& entry : {json::array({1}), json::object({{"a", 1}}), json(nullptr)}) {
      EXPECT_NE(fault_with(path, json::array({entry})).find(std::string("model.") + list + "[0]"),
                std::string::npos);
    }
  }
  // Lists of these names elsewhere are values like others.
  EXPECT_NE(fault_with("/features", json::array({1})).find("unknown key 'features'"),
            std::string::npos);
  EXPECT_NE(fault_with("/schema/features", json::array({1})).find("features"), std::string::npos);
}

// As a tree each of these numbers took 40 bytes and more beside the text.
TEST(ModelFile, AHostileListTakesNoMemoryBesideItsText) {
  auto content = json::parse(model_to_json(small_file()));
  content["model"]["coefficients"] = "LIST";
  std::string numbers = "[0";
  for (int k = 0; k < 2000000; ++k) numbers += ",0";
  auto text = content.dump();
  text.replace(text.find("\"LIST\""), 6, numbers + "]");
  const auto before = test::peak_memory();
  EXPECT_NE(fault_of(text).find("must hold 4 numbers, got more"), std::string::npos);
  EXPECT_LT(test::peak_memory() - before, std::int64_t{16} << 20);
}

TEST(ModelFile, MassesOfOtherValuesAreRefused) {
  auto content = json::parse(model_to_json(small_file()));
  content["receipt"]["more"] = "LIST";
  std::string values = "[0";
  for (std::int64_t k = 0; k < base::limits::model_values; ++k) values += ",0";
  auto text = content.dump();
  text.replace(text.find("\"LIST\""), 6, values + "]");
  EXPECT_NE(fault_of(text).find("more than 2097152 values"), std::string::npos);
}

}  // namespace model_file_test
}  // namespace tacet::model
