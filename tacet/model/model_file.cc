#include "tacet/model/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/base/sha256.h"
#include "tacet/model/model_parse.h"
#include "tacet/privacy/statement.h"

namespace tacet::model {
namespace {

using internal::bad;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view format_name = "tacet-model";
constexpr int format_version = 1;

// --- writing

/// Everything but the coefficients and the names of features, which are not copied.
struct SmallParts {
  ordered_json statement;
  ordered_json receipt;
  json schema;
  ordered_json model;
};

ordered_json model_header(const LinearModel& model) {
  ordered_json out;
  out["kind"] = "linear";
  out["loss"] = loss_name(model.loss);
  if (const double parameter = loss_parameter(model.loss); !std::isnan(parameter)) {
    out["loss_parameter"] = parameter;
  }
  if (const double width = loss_width(model.loss); !std::isnan(width)) out["loss_width"] = width;
  out["task"] = to_string(model.task);
  out["classes"] = model.classes;
  out["target_bounds"] = {model.target_lower, model.target_upper};
  return out;
}

template <typename Json>
JsonText::Member small_member(const std::string& key, const Json& value) {
  return {key, [&value](JsonText& text) { text.value(value); }};
}

JsonText::Member numbers_member(const std::string& key, const std::vector<double>& numbers) {
  return {key, [&numbers](JsonText& text) {
            text.list(numbers.size(), [&numbers](std::size_t k) { return json(numbers[k]); });
          }};
}

/// `header` holds all but the long lists, which are the model's.
template <typename Json>
std::vector<JsonText::Member> model_members(const LinearModel& model, const Json& header) {
  std::vector<JsonText::Member> members;
  for (const auto& [key, value] : header.items()) members.push_back(small_member(key, value));
  const auto& names = model.features;
  members.push_back({"features", [&names](JsonText& text) {
                       text.list(names.size(), [&names](std::size_t k) { return json(names[k]); });
                     }});
  members.push_back(numbers_member("coefficients", model.coefficients));
  members.push_back(numbers_member("noise_deviations", model.noise_deviations));
  return members;
}

std::vector<JsonText::Member> content_members(const ModelFile& file, const SmallParts& parts) {
  return {{"format", [](JsonText& text) { text.value(json(format_name)); }},
          {"version", [](JsonText& text) { text.value(json(format_version)); }},
          small_member("privacy", parts.statement),
          {"model", [&](JsonText& text) { text.object(model_members(file.model, parts.model)); }},
          small_member("receipt", parts.receipt),
          {"schema", [&](JsonText& text) { text.value(parts.schema); }}};
}

/// SHA-256 of the content in canonical order and spelling, so that only a change of meaning changes
/// it.
std::string checksum_of(std::vector<JsonText::Member> content) {
  base::Sha256 sum;
  JsonText text(JsonText::Layout::canonical, [&sum](std::string_view piece) { sum.add(piece); });
  text.object(std::move(content));
  text.finish();
  return "sha256:" + sum.digest();
}

// --- reading

/// The parts of an outline but its checksum, with the long lists of the model that was read.
std::vector<JsonText::Member> read_members(json& outline, const LinearModel& model) {
  for (const auto* list : {"features", "coefficients", "noise_deviations"}) {
    outline["model"].erase(list);
  }
  std::vector<JsonText::Member> members;
  for (const auto& [key, value] : outline.items()) {
    if (key == "checksum") continue;
    members.push_back(small_member(key, value));
    if (key != "model") continue;
    members.back().write = [&model, &header = value](JsonText& text) {
      text.object(model_members(model, header));
    };
  }
  return members;
}

/// One JSON object of the file; messages name the whole path to a field.
class Fields {
 public:
  Fields(const json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object_.is_object()) bad(fmt::format("{} must be an object", path_));
  }

  void expect_only(std::initializer_list<std::string_view> names) const {
    for (const auto& [key, value] : object_.items()) {
      if (std::ranges::find(names, key) == names.end()) {
        bad(fmt::format("unknown key '{}'", name(key)));
      }
    }
  }

  [[nodiscard]] const json& at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) bad(fmt::format("the key '{}' is missing", name(key)));
    return *found;
  }

  [[nodiscard]] std::string text(const char* key) const { return text_of(at(key), name(key)); }

  /// NaN when the key is absent.
  [[nodiscard]] double optional_number(const char* key) const {
    if (!object_.contains(key)) return std::numeric_limits<double>::quiet_NaN();
    const auto& value = at(key);
    if (!value.is_number()) {
      bad(fmt::format("{} must be a number, got {}", name(key), internal::shown(value)));
    }
    return value.get<double>();
  }

  [[nodiscard]] std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> out;
    for (const auto& value : array(key)) {
      out.push_back(text_of(value, fmt::format("{}[{}]", name(key), out.size())));
    }
    return out;
  }

  [[nodiscard]] std::vector<double> numbers(const char* key) const {
    std::vector<double> out;
    for (const auto& value : array(key)) {
      if (!value.is_number()) {
        bad(fmt::format("{}[{}] must be a finite number, got {}", name(key), out.size(),
                        internal::shown(value)));
      }
      out.push_back(value.get<double>());
    }
    return out;
  }

  void expect_list(const char* key) const { static_cast<void>(array(key)); }

 private:
  [[nodiscard]] std::string name(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }

  [[nodiscard]] const json& array(const char* key) const {
    const auto& value = at(key);
    if (!value.is_array())
      bad(fmt::format("{} must be a list, got {}", name(key), internal::shown(value)));
    return value;
  }

  static std::string text_of(const json& value, const std::string& name) {
    if (!value.is_string())
      bad(fmt::format("{} must be a text, got {}", name, internal::shown(value)));
    return value.get<std::string>();
  }

  const json& object_;
  std::string path_;
};

Loss read_loss(const Fields& fields) {
  try {
    return make_loss(fields.text("loss"), fields.optional_number("loss_parameter"),
                     fields.optional_number("loss_width"));
  } catch (const base::UsageError& error) {
    bad(fmt::format("model.loss: {}", error.what()));
  }
}

/// All of the model but its long lists.
LinearModel read_header(const json& object) {
  const Fields fields(object, "model");
  fields.expect_only({"kind", "loss", "loss_parameter", "loss_width", "task", "classes",
                      "target_bounds", "features", "coefficients", "noise_deviations"});
  if (fields.text("kind") != "linear") {
    bad(fmt::format("model.kind must be linear, got '{}'", fields.text("kind")));
  }
  LinearModel model;
  model.loss = read_loss(fields);
  model.task = parse_task(fields.text("task"));
  model.classes = fields.texts("classes");
  const auto bounds = fields.numbers("target_bounds");
  if (bounds.size() != 2) {
    bad(fmt::format("model.target_bounds must hold 2 numbers, got {}", bounds.size()));
  }
  model.target_lower = bounds[0];
  model.target_upper = bounds[1];
  for (const auto* list : {"features", "coefficients", "noise_deviations"}) {
    fields.expect_list(list);
  }
  return model;
}

// --- both

template <typename Names>
void expect_same_names(const Names& given, const Names& expected, const char* field) {
  if (given.size() != expected.size()) {
    bad(fmt::format("{} must hold the schema's {} names, got {}", field, expected.size(),
                    given.size()));
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (given[i] != expected[i]) {
      bad(fmt::format("{}[{}] is '{}', but the schema says '{}'", field, i, given[i], expected[i]));
    }
  }
}

/// Files of version 0.1.0 call two classes by their first labels, and keep those names.
bool former_classes(const LinearModel& model, const data::Schema& schema) {
  const auto* binary = std::get_if<data::BinaryTarget>(&schema.target->rule);
  return binary != nullptr && model.classes == binary->former_names();
}

/// The model is the one that its schema describes, so that predictions read the right columns; but
/// for its long lists.
void expect_same_header(const LinearModel& model, const data::Schema& schema,
                        const LinearModel& expected) {
  if (model.task != expected.task) {
    bad(fmt::format("model.task is {}, but the schema's target asks for {}", to_string(model.task),
                    to_string(expected.task)));
  }
  const bool shares =
      schema.target->regression() && schema.target->number_kind() != data::NumberKind::number;
  if (shares != (properties(model.loss).labels == Labels::shares)) {
    bad(fmt::format("model.loss is {}, which is not for labels of the schema's target",
                    loss_name(model.loss)));
  }
  if (!former_classes(model, schema)) {
    expect_same_names(model.classes, expected.classes, "model.classes");
  }
  if (model.target_lower != expected.target_lower || model.target_upper != expected.target_upper) {
    bad(fmt::format("model.target_bounds are {} and {}, but the schema says {} and {}",
                    model.target_lower, model.target_upper, expected.target_lower,
                    expected.target_upper));
  }
}

void expect_valid(const LinearModel& model) {
  try {
    model.validate();
  } catch (const base::DataError& error) {
    bad(fmt::format("model.{}", error.what()));
  }
}

void expect_agreement(const ModelFile& file) {
  const auto expected = described_model(file.schema, file.model.loss);
  expect_same_header(file.model, file.schema, expected);
  expect_same_names(file.model.features, expected.features, "model.features");
  expect_valid(file.model);
}

ModelFile read_text(std::string_view text) {
  json outline = internal::parse_outline(text);
  if (!outline.is_object() || !outline.contains("format") || outline["format"] != format_name) {
    bad(fmt::format("no tacet model: the key 'format' with the text '{}' is missing", format_name));
  }
  const Fields top(outline, "");
  if (top.at("version") != format_version) {
    bad(fmt::format("version {} of the model format; this program reads version {}",
                    internal::shown(top.at("version")), format_version));
  }
  top.expect_only({"format", "version", "privacy", "model", "receipt", "schema", "checksum"});
  const auto given_sum = top.text("checksum");
  ModelFile file{.schema = data::schema_from_json(top.at("schema")),
                 .model = read_header(top.at("model")),
                 .receipt = privacy::receipt_from_json(top.at("receipt").dump()),
                 .statement = top.text("privacy")};
  const auto expected = described_model(file.schema, file.model.loss);
  expect_same_header(file.model, file.schema, expected);
  file.model.features = expected.features;
  internal::read_lists(text, file.model);
  expect_valid(file.model);
  if (checksum_of(read_members(outline, file.model)) != given_sum) {
    bad("the checksum does not fit the content: the file was damaged or edited after training. "
        "Use the original file, or train again");
  }
  return file;
}

}  // namespace

void write_model(const ModelFile& file, const TextSink& sink) {
  expect_agreement(file);
  const SmallParts parts{.statement = privacy::statement(file.receipt),
                         .receipt = ordered_json::parse(privacy::receipt_to_json(file.receipt)),
                         .schema = data::schema_to_json(file.schema),
                         .model = model_header(file.model)};
  auto members = content_members(file, parts);
  const ordered_json checksum = checksum_of(content_members(file, parts));
  members.push_back(small_member("checksum", checksum));
  JsonText text(JsonText::Layout::indented, sink);
  text.object(std::move(members));
  text.finish();
  sink("\n");
}

std::string model_to_json(const ModelFile& file) {
  std::string text;
  write_model(file, [&text](std::string_view piece) { text += piece; });
  return text;
}

ModelFile model_from_json(std::string_view text, std::string_view file_name) {
  try {
    return read_text(text);
  } catch (const base::DataError& error) {
    throw base::DataError("'{}': {}", file_name, error.what());
  }
}

void save_model(const std::filesystem::path& path, const ModelFile& file,
                base::Overwrite overwrite) {
  base::AtomicFile out(path, overwrite);
  write_model(file, [&out](std::string_view piece) { out.write(piece); });
  out.commit();
}

ModelFile load_model(const std::filesystem::path& path) {
  return model_from_json(base::read_file(path, base::limits::model_bytes), path.string());
}

}  // namespace tacet::model
