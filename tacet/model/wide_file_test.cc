#include "tacet/model/wide_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/sha256.h"

namespace tacet::model {
namespace wide_file_test {

using nlohmann::json;

data::Schema small_schema() {
  data::Schema schema;
  schema.columns = {{"age", data::NumericColumn{.lower = 17, .upper = 90}},
                    {"tags", data::IdsColumn{.count = 5}, 3},
                    {"sex", data::CategoricalColumn{{"f", "m"}}}};
  schema.target = {"income", data::BinaryTarget{{">50K"}, {"<=50K"}}};
  schema.public_row_count = 1000;
  return schema;
}

ModelFile small_file() {
  const auto schema = small_schema();
  ModelFile file{.schema = schema, .model = described_model(schema, LogisticLoss{}), .receipt = {}};
  const WideArchitecture architecture{.hidden = {2}};
  std::vector<float> numbers(static_cast<std::size_t>(
      wide_number_count(wide_shape(schema, architecture, LogisticLoss{}))));
  std::mt19937 random(1);
  for (float& number : numbers) number = static_cast<float>(random() % 1000) / 256 - 2;
  file.model.wide.emplace(architecture, schema, LogisticLoss{}, std::move(numbers));
  file.receipt.algorithm = "wide";
  file.receipt.calibration = "tight";
  file.receipt.parameters = R"({"steps":300})";
  file.receipt.events = privacy::Repeated{300, privacy::Event(privacy::Gaussian{60.0})};
  file.receipt.guarantee = {1, 1e-5, privacy::Adjacency::add_remove};
  file.receipt.public_row_count = 1000;
  file.receipt.software_version = "0.1.0";
  return file;
}

std::string fault_of(const std::string& content) {
  try {
    static_cast<void>(model_from_json(content, "m.json"));
  } catch (const base::DataError& error) {
    return error.what();
  }
  return "no fault";
}

struct Parts {
  json header;
  std::string bytes;

  /// With a checksum that fits, as who edits a file on purpose would write it.
  [[nodiscard]] std::string content() const {
    auto rest = header;
    rest.erase("checksum");
    base::Sha256 sum;
    sum.add(rest.dump() + "\n" + bytes);
    nlohmann::ordered_json out{{"format", header["format"]}, {"version", header["version"]}};
    for (const auto& [key, value] : rest.items()) out[key] = value;
    out["checksum"] = "sha256:" + sum.digest();
    return out.dump() + "\n" + bytes;
  }
};

Parts parts_of(const std::string& content) {
  const auto end = content.find('\n');
  return {json::parse(content.substr(0, end)), content.substr(end + 1)};
}

std::string fault_with(const std::string& pointer, const json& value) {
  auto parts = parts_of(model_to_json(small_file()));
  parts.header[json::json_pointer(pointer)] = value;
  return fault_of(parts.content());
}

void says(const std::string& fault, const std::string& words) {
  EXPECT_NE(fault.find(words), std::string::npos) << fault;
}

TEST(WideFile, ReadsBackWhatItWroteBitForBit) {
  const auto file = small_file();
  const auto content = model_to_json(file);
  EXPECT_TRUE(is_wide_file(content));
  const auto copy = model_from_json(content, "m.json");
  const auto& numbers = file.model.wide->numbers();
  EXPECT_EQ(
      std::vector<float>(numbers.begin(), numbers.end()),
      std::vector<float>(copy.model.wide->numbers().begin(), copy.model.wide->numbers().end()));
  EXPECT_EQ(copy.model.wide->architecture(), file.model.wide->architecture());
  EXPECT_EQ(copy.model.wide->net().shape(), file.model.wide->net().shape());
  EXPECT_EQ(copy.model.features, file.model.features);
  EXPECT_EQ(copy.receipt.events, file.receipt.events);
  EXPECT_EQ(model_to_json(copy), content);
}

TEST(WideFile, HasItsNumbersBehindOneLine) {
  const auto content = model_to_json(small_file());
  const auto [header, bytes] = parts_of(content);
  EXPECT_EQ(header["version"], 2);
  EXPECT_EQ(header["model"]["kind"], "wide");
  EXPECT_EQ(bytes.size(), 4 * header["model"]["numbers"].get<std::size_t>());
  // The first number is that of the first table's first row, least significant byte first.
  const float first = small_file().model.wide->numbers()[0];
  std::uint32_t bits = 0;
  for (int k = 3; k >= 0; --k)
    bits = bits << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(k)]);
  EXPECT_EQ(bits, std::bit_cast<std::uint32_t>(first));
}

/// Whether both say the same in JSON: 17E0 is 17.0.
bool same_header(const std::string& a, const std::string& b) {
  const auto header = [](const std::string& content) {
    return json::parse(content.substr(0, content.find('\n')), nullptr, false);
  };
  return header(a) == header(b);
}

// A file that says another thing for a changed byte, is cut anywhere, or has something behind it is
// none.
TEST(WideFile, EveryDamageIsFound) {
  const auto content = model_to_json(small_file());
  ASSERT_EQ(fault_of(content), "no fault");
  std::mt19937 random(2);
  for (std::size_t k = 0; k < content.size(); ++k) {
    auto damaged = content;
    damaged[k] = static_cast<char>(damaged[k] ^ (1 + static_cast<char>(random() % 127)));
    const bool spelled_otherwise = k < content.find('\n') && same_header(damaged, content);
    ASSERT_EQ(fault_of(damaged) == "no fault", spelled_otherwise) << "byte " << k;
    ASSERT_NE(fault_of(content.substr(0, k)), "no fault") << "cut at " << k;
  }
  says(fault_of(content + "x"), "something was added");
  says(fault_of(content.substr(0, content.size() - 1)), "cut short");
}

// With a checksum that fits.
TEST(WideFile, EditedHeadersAreHeldAgainstTheSchemaAndTheNumbers) {
  EXPECT_EQ(fault_of(parts_of(model_to_json(small_file())).content()), "no fault");
  says(fault_with("/model/kind", "linear"), "must be wide");
  says(fault_with("/model/numbers", 7), "7 numbers take 28 bytes");
  says(fault_with("/model/numbers", -1), "whole number");
  says(fault_with("/model/architecture/dim", 0), "from 1 to 4096");
  says(fault_with("/model/architecture/hidden", {3}), "numbers, got");
  says(fault_with("/model/architecture/hidden", {1, 1, 1}), "at most 2 hidden layers");
  says(fault_with("/model/architecture/hidden", "none"), "must be a list");
  says(fault_with("/model/architecture/pooling", "max"), "pooling is 'max'");
  says(fault_with("/model/architecture/head", "two-tower"), "columns of each side");
  says(fault_with("/model/architecture/left", {"tags"}), "of two towers");
  says(fault_with("/model/architecture/more", 1), "unknown key 'model.architecture.more'");
  says(fault_with("/model/loss", "hinge"), "wide model has the logistic");
  says(fault_with("/model/coefficients", json::array()), "unknown key 'model.coefficients'");
  says(fault_with("/schema/column/1/embedding", 4), "numbers, got");
  says(fault_with("/schema/column/1/embedding", 5000), "'embedding' must be between");
  says(fault_with("/more", 1), "unknown key 'more'");
}

TEST(WideFile, NumbersThatAreNoneAreRefused) {
  auto parts = parts_of(model_to_json(small_file()));
  for (const auto bits : {0x7f800000U, 0xff800000U, 0x7fc00000U}) {
    for (std::size_t k = 0; k < 4; ++k) parts.bytes[8 + k] = static_cast<char>(bits >> (8 * k));
    says(fault_of(parts.content()), "number 2 is not finite");
  }
}

TEST(WideFile, MarginsAreTheNetsOutputs) {
  const auto file = model_from_json(model_to_json(small_file()), "m.json");
  const auto& schema = file.schema;
  data::Dataset dataset(schema.shape());
  data::EncodedRow row;
  row.columns = {0, 2, 4, 6};
  row.values = {300, 200, 200, 700};
  row.label = 1;
  dataset.append(row);
  std::vector<double> out(1);
  margins(file.model, dataset, 0, out);
  WideTrace trace;
  const auto& wide = *file.model.wide;
  std::vector<double> values;
  for (const auto value : row.values) values.push_back(value / 2048.0);
  wide.net().read(row.columns, values, trace);
  wide.net().forward(wide, wide.block(), trace);
  EXPECT_EQ(out[0], trace.outputs[0]);
  EXPECT_NE(out[0], 0);
}

}  // namespace wide_file_test
}  // namespace tacet::model
