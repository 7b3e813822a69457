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
#include "tacet/model/model_header.h"
#include "tacet/model/model_parse.h"
#include "tacet/model/wide_file.h"
#include "tacet/privacy/statement.h"

namespace tacet::model {
namespace {

using internal::bad;
using internal::expect_same_header;
using internal::expect_same_names;
using internal::expect_valid;
using internal::Fields;
using internal::model_header;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view format_name = "tacet-model";
constexpr int format_version = 1;
constexpr std::string_view table_kind = "table";

// --- writing

/// Everything but the coefficients and the names of features, which are not copied.
struct SmallParts {
  ordered_json statement;
  ordered_json receipt;
  json schema;
  ordered_json model;
  ordered_json python;  // null: left out
};

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
  members.push_back(numbers_member("noise_stddevs", model.noise_stddevs));
  return members;
}

ordered_json linear_header(const LinearModel& model) {
  if (!model.table) return model_header(model, "linear");
  auto header = model_header(model, table_kind);
  header["table"] = regression_numbers_json(*model.table);
  return header;
}

std::vector<JsonText::Member> content_members(const ModelFile& file, const SmallParts& parts) {
  std::vector<JsonText::Member> members = {
      {"format", [](JsonText& text) { text.value(json(format_name)); }},
      {"version", [](JsonText& text) { text.value(json(format_version)); }},
      small_member("privacy", parts.statement),
      {"model", [&](JsonText& text) { text.object(model_members(file.model, parts.model)); }},
      small_member("receipt", parts.receipt),
      {"schema", [&](JsonText& text) { text.value(parts.schema); }}};
  if (!parts.python.is_null()) members.push_back(small_member("python", parts.python));
  return members;
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
  for (const auto* list : {"features", "coefficients", "noise_stddevs"}) {
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

/// All of the model but its long lists.
LinearModel read_linear_header(const json& object) {
  const Fields fields(object, "model");
  fields.expect_only({"kind", "loss", "loss_parameter", "loss_width", "task", "classes",
                      "target_bounds", "offset", "features", "coefficients", "noise_stddevs",
                      "table"});
  const bool with_table = object.contains("table");
  auto model = internal::read_header(fields, with_table ? table_kind : "linear");
  if (with_table) model.table = read_regression_numbers(fields.at("table"), "model.table");
  for (const auto* list : {"features", "coefficients", "noise_stddevs"}) {
    fields.expect_list(list);
  }
  return model;
}

// --- both

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
    bad(fmt::format("version {} of the model format; this program reads {} and, of wide models, 2",
                    internal::shown(top.at("version")), format_version));
  }
  top.expect_only(
      {"format", "version", "privacy", "model", "receipt", "schema", "python", "checksum"});
  const auto given_sum = top.text("checksum");
  ModelFile file{.schema = data::schema_from_json(top.at("schema")),
                 .model = read_linear_header(top.at("model")),
                 .receipt = privacy::receipt_from_json(top.at("receipt").dump()),
                 .statement = top.text("privacy")};
  if (outline.contains("python")) {
    file.python = read_python_form(top.at("python"), file.model);
  }
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
  if (file.model.wide) return internal::write_wide_model(file, sink);
  expect_agreement(file);
  const SmallParts parts{.statement = privacy::statement(file.receipt),
                         .receipt = ordered_json::parse(privacy::receipt_to_json(file.receipt)),
                         .schema = data::schema_to_json(file.schema),
                         .model = linear_header(file.model),
                         .python = file.python ? python_form_json(*file.python) : ordered_json()};
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
    return is_wide_file(text) ? internal::read_wide_model(text) : read_text(text);
  } catch (const base::DataError& error) {
    throw base::DataError("'{}': {}", file_name, error.what());
  }
}

bool is_wide_file(std::string_view text) { return text.starts_with(internal::wide_file_start); }

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
