#include "tacet/model/wide_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/names.h"
#include "tacet/base/sha256.h"
#include "tacet/model/model_header.h"
#include "tacet/privacy/statement.h"

namespace tacet::model::internal {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr auto poolings = base::names<Pooling>({{Pooling::sum, "sum"}, {Pooling::mean, "mean"}});
constexpr auto linear_parts =
    base::names<LinearPart>({{LinearPart::absent, "absent"}, {LinearPart::present, "present"}});
constexpr auto heads =
    base::names<WideHead>({{WideHead::layers, "layers"}, {WideHead::two_tower, "two-tower"}});

// --- numbers as bytes

constexpr std::size_t number_bytes = 4;

void append_number(std::string& bytes, float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xffU);
}

float number_at(std::string_view bytes, std::size_t index) {
  std::uint32_t bits = 0;
  for (std::size_t k = 0; k < number_bytes; ++k) {
    const auto byte = static_cast<unsigned char>(bytes[index * number_bytes + k]);
    bits |= static_cast<std::uint32_t>(byte) << (8 * k);
  }
  return std::bit_cast<float>(bits);
}

/// The numbers' bytes in pieces of bounded size.
void for_pieces(std::span<const float> numbers, const TextSink& use) {
  constexpr std::size_t piece = std::size_t{1} << 14;
  std::string bytes;
  for (std::size_t first = 0; first < numbers.size(); first += piece) {
    bytes.clear();
    for (const float number : numbers.subspan(first, std::min(piece, numbers.size() - first))) {
      append_number(bytes, number);
    }
    use(bytes);
  }
}

// --- architecture

ordered_json architecture_json(const WideArchitecture& asked) {
  ordered_json out;
  out["dim"] = asked.width;
  out["hidden"] = asked.hidden;
  out["pooling"] = poolings.of(asked.pooling);
  out["linear_part"] = linear_parts.of(asked.linear);
  out["head"] = heads.of(asked.head);
  out["left"] = asked.left;
  out["right"] = asked.right;
  return out;
}

template <typename Names>
auto choice(const Fields& fields, const char* key, const Names& known) {
  const auto found = known.find(fields.text(key));
  if (!found) bad(fmt::format("model.architecture.{} is '{}'", key, fields.text(key)));
  return *found;
}

std::int64_t whole(const json& value, std::string_view name, std::int64_t lowest,
                   std::int64_t highest) {
  if (!value.is_number_integer() || value.get<std::int64_t>() < lowest ||
      value.get<std::int64_t>() > highest) {
    bad(fmt::format("{} must be a whole number from {} to {}, got {}", name, lowest, highest,
                    shown(value)));
  }
  return value.get<std::int64_t>();
}

WideArchitecture read_architecture(const json& object) {
  const Fields fields(object, "model.architecture");
  fields.expect_only({"dim", "hidden", "pooling", "linear_part", "head", "left", "right"});
  WideArchitecture asked;
  asked.width = whole(fields.at("dim"), "model.architecture.dim", 1, data::max_embedding);
  asked.hidden.clear();
  fields.expect_list("hidden");
  for (const auto& neurons : fields.at("hidden")) {
    asked.hidden.push_back(whole(neurons, "model.architecture.hidden", 1, WideShape::max_neurons));
  }
  asked.pooling = choice(fields, "pooling", poolings);
  asked.linear = choice(fields, "linear_part", linear_parts);
  asked.head = choice(fields, "head", heads);
  asked.left = fields.texts("left");
  asked.right = fields.texts("right");
  return asked;
}

/// The checksum of the numbers and of the header, which is taken without its own checksum and in
/// canonical order and spelling.
std::string checksum_of(const json& header, const std::function<void(base::Sha256&)>& numbers) {
  base::Sha256 sum;
  sum.add(header.dump());
  sum.add("\n");
  numbers(sum);
  return "sha256:" + sum.digest();
}

std::vector<float> read_numbers(std::string_view bytes) {
  std::vector<float> numbers(bytes.size() / number_bytes);
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = number_at(bytes, k);
  return numbers;
}

}  // namespace

void write_wide_model(const ModelFile& file, const TextSink& sink) {
  const auto& model = file.model;
  const auto& wide = *model.wide;
  expect_same_header(model, file.schema, described_model(file.schema, model.loss));
  expect_valid(model);
  if (!(wide_shape(file.schema, wide.architecture(), model.loss) == wide.net().shape())) {
    bad("the architecture is not the schema's");
  }
  ordered_json header;
  header["format"] = "tacet-model";
  header["version"] = 2;
  header["privacy"] = privacy::statement(file.receipt);
  header["model"] = model_header(model, "wide");
  header["model"]["architecture"] = architecture_json(wide.architecture());
  header["model"]["numbers"] = wide.numbers().size();
  header["receipt"] = ordered_json::parse(privacy::receipt_to_json(file.receipt));
  header["schema"] = data::schema_to_json(file.schema);
  if (file.python) header["python"] = python_form_json(*file.python);
  header["checksum"] = checksum_of(json::parse(header.dump()), [&](base::Sha256& sum) {
    for_pieces(wide.numbers(), [&sum](std::string_view piece) { sum.add(piece); });
  });
  sink(header.dump());
  sink("\n");
  for_pieces(wide.numbers(), sink);
}

ModelFile read_wide_model(std::string_view content) {
  const auto end = content.find('\n');
  if (end == std::string_view::npos) {
    bad("the first line does not end: the file was cut short");
  }
  const auto bytes = content.substr(end + 1);
  json header = parse_outline(content.substr(0, end));
  const Fields top(header, "");
  top.expect_only(
      {"format", "version", "privacy", "model", "receipt", "schema", "python", "checksum"});
  const auto checksum = top.text("checksum");
  const Fields fields(top.at("model"), "model");
  fields.expect_only({"kind", "loss", "loss_parameter", "loss_width", "task", "classes",
                      "target_bounds", "architecture", "numbers"});
  ModelFile file{.schema = data::schema_from_json(top.at("schema")),
                 .model = read_header(fields, "wide"),
                 .receipt = privacy::receipt_from_json(top.at("receipt").dump()),
                 .statement = top.text("privacy")};
  if (header.contains("python")) file.python = read_python_form(top.at("python"), file.model);
  const auto expected = described_model(file.schema, file.model.loss);
  expect_same_header(file.model, file.schema, expected);
  file.model.features = expected.features;
  const auto count = whole(fields.at("numbers"), "model.numbers", 0, std::int64_t{1} << 40);
  if (bytes.size() != static_cast<std::size_t>(count) * number_bytes) {
    bad(
        fmt::format("{} numbers take {} bytes behind the first line, but there are {}; the file "
                    "was cut short or something was added to it",
                    count, static_cast<std::size_t>(count) * number_bytes, bytes.size()));
  }
  try {
    file.model.wide.emplace(read_architecture(fields.at("architecture")), file.schema,
                            file.model.loss, read_numbers(bytes));
  } catch (const base::UsageError& error) {
    bad(fmt::format("model.architecture: {}", error.what()));
  }
  expect_valid(file.model);
  header.erase("checksum");
  if (checksum_of(header, [&](base::Sha256& sum) { sum.add(bytes); }) != checksum) {
    bad("the checksum does not fit the content: the file was damaged or edited after training. "
        "Use the original file, or train again");
  }
  return file;
}

}  // namespace tacet::model::internal
