#include "tacet/model/model_file.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/privacy/statement.h"

namespace tacet::model {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view format_name = "tacet-model";
constexpr int format_version = 1;
constexpr std::int64_t max_model_bytes = std::int64_t{1} << 30;  // 2^24 features, several classes
constexpr int max_depth = 100;  // a receipt's event tree has the deepest legal nesting

[[noreturn]] void bad(const std::string& what) { throw base::DataError(what); }

/// Content in canonical order and spelling, so that only a change of meaning changes the sum.
std::string checksum_of(const json& content) {
  const auto text = content.dump();
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
    throw base::InternalError("SHA-256 is not available");
  }
  std::string sum = "sha256:";
  for (unsigned int i = 0; i < length; ++i) sum += fmt::format("{:02x}", digest[i]);
  return sum;
}

// --- writing

ordered_json model_json(const LinearModel& model) {
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
  out["features"] = model.features;
  out["coefficients"] = model.coefficients;
  out["noise_deviations"] = model.noise_deviations;
  return out;
}

// --- reading

/// Refuses repeated keys and deep nesting, of which the parser alone would make something.
class Watch {
 public:
  bool operator()(int depth, json::parse_event_t event, const json& value) {
    if (depth > max_depth) bad(fmt::format("nested more than {} levels deep", max_depth));
    if (event == json::parse_event_t::object_start) keys_.emplace_back();
    if (event == json::parse_event_t::object_end) keys_.pop_back();
    if (event == json::parse_event_t::key) {
      const auto& key = value.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second) bad(fmt::format("the key '{}' appears twice", key));
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> keys_;
};

json parse(std::string_view text) {
  Watch watch;
  const auto callback = [&watch](int depth, json::parse_event_t event, json& value) {
    return watch(depth, event, value);
  };
  try {
    return json::parse(text.begin(), text.end(), callback);
  } catch (const json::parse_error& error) {
    bad(
        fmt::format("not a complete JSON text (byte {}); the file was cut short or is no tacet "
                    "model",
                    error.byte));
  } catch (const json::out_of_range&) {
    bad("a number is too large for a double");
  }
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
      bad(fmt::format("{} must be a number, got {}", name(key), shown(value)));
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
                        shown(value)));
      }
      out.push_back(value.get<double>());
    }
    return out;
  }

 private:
  [[nodiscard]] std::string name(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }

  [[nodiscard]] const json& array(const char* key) const {
    const auto& value = at(key);
    if (!value.is_array()) bad(fmt::format("{} must be a list, got {}", name(key), shown(value)));
    return value;
  }

  static std::string text_of(const json& value, const std::string& name) {
    if (!value.is_string()) bad(fmt::format("{} must be a text, got {}", name, shown(value)));
    return value.get<std::string>();
  }

  static std::string shown(const json& value) {
    constexpr std::size_t longest = 40;
    auto text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    return text.size() <= longest ? text : text.substr(0, longest) + "...";
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

LinearModel read_model(const json& object) {
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
  model.features = fields.texts("features");
  model.coefficients = fields.numbers("coefficients");
  model.noise_deviations = fields.numbers("noise_deviations");
  return model;
}

// --- both

void expect_same_names(const std::vector<std::string>& given,
                       const std::vector<std::string>& expected, const char* field) {
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

/// The model is the one that its schema describes, so that predictions read the right columns.
void expect_agreement(const ModelFile& file) {
  const auto expected = empty_model(file.schema, file.model.loss);
  if (file.model.task != expected.task) {
    bad(fmt::format("model.task is {}, but the schema's target asks for {}",
                    to_string(file.model.task), to_string(expected.task)));
  }
  expect_same_names(file.model.classes, expected.classes, "model.classes");
  expect_same_names(file.model.features, expected.features, "model.features");
  if (file.model.target_lower != expected.target_lower ||
      file.model.target_upper != expected.target_upper) {
    bad(fmt::format("model.target_bounds are {} and {}, but the schema says {} and {}",
                    file.model.target_lower, file.model.target_upper, expected.target_lower,
                    expected.target_upper));
  }
  try {
    file.model.validate();
  } catch (const base::DataError& error) {
    bad(fmt::format("model.{}", error.what()));
  }
}

ModelFile read_content(json& content) {
  if (!content.is_object() || !content.contains("format") || content["format"] != format_name) {
    bad(fmt::format("no tacet model: the key 'format' with the text '{}' is missing", format_name));
  }
  const Fields top(content, "");
  if (top.at("version") != format_version) {
    bad(fmt::format("version {} of the model format; this program reads version {}",
                    top.at("version").dump(), format_version));
  }
  top.expect_only({"format", "version", "privacy", "model", "receipt", "schema", "checksum"});
  static_cast<void>(top.text("privacy"));
  const auto given_sum = top.text("checksum");
  ModelFile file{.schema = data::schema_from_json(top.at("schema")),
                 .model = read_model(top.at("model")),
                 .receipt = privacy::receipt_from_json(top.at("receipt").dump())};
  expect_agreement(file);
  content.erase("checksum");
  if (checksum_of(content) != given_sum) {
    bad("the checksum does not fit the content: the file was damaged or edited after training. "
        "Use the original file, or train again");
  }
  return file;
}

}  // namespace

std::string model_to_json(const ModelFile& file) {
  expect_agreement(file);
  ordered_json content;
  content["format"] = format_name;
  content["version"] = format_version;
  content["privacy"] = privacy::statement(file.receipt);
  content["model"] = model_json(file.model);
  content["receipt"] = ordered_json::parse(privacy::receipt_to_json(file.receipt));
  content["schema"] = data::schema_to_json(file.schema);
  content["checksum"] = checksum_of(json::parse(content.dump()));
  return content.dump(1) + "\n";
}

ModelFile model_from_json(std::string_view text, std::string_view file_name) {
  try {
    auto content = parse(text);
    return read_content(content);
  } catch (const base::DataError& error) {
    throw base::DataError(fmt::format("'{}': {}", file_name, error.what()));
  }
}

void save_model(const std::filesystem::path& path, const ModelFile& file,
                base::Overwrite overwrite) {
  base::write_file(path, model_to_json(file), overwrite);
}

ModelFile load_model(const std::filesystem::path& path) {
  return model_from_json(base::read_file(path, max_model_bytes), path.string());
}

}  // namespace tacet::model
