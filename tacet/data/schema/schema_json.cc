#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tacet/base/error.h"
#include "tacet/base/limits.h"
#include "tacet/data/schema/calendar.h"
#include "tacet/data/schema/number_text.h"
#include "tacet/data/schema/schema_node.h"

namespace tacet::data {
namespace internal {
namespace {

Node convert(const nlohmann::json& json, const std::string& path, int depth) {
  if (depth > base::limits::schema_depth) fail_at(path, "nested deeper than any schema");
  Node node;
  node.where = path;
  if (json.is_object()) {
    NodeTable entries;
    for (const auto& [key, value] : json.items()) {
      entries.push_back({key, convert(value, path + "." + key, depth + 1)});
    }
    node.value = std::move(entries);
  } else if (json.is_array()) {
    NodeArray entries;
    entries.reserve(json.size());
    for (std::size_t k = 0; k < json.size(); ++k) {
      entries.push_back(convert(json[k], fmt::format("{}[{}]", path, k), depth + 1));
    }
    node.value = std::move(entries);
  } else if (json.is_string()) {
    node.value = json.get<std::string>();
  } else if (json.is_boolean()) {
    node.value = json.get<bool>();
  } else if (json.is_number_unsigned() && !std::in_range<std::int64_t>(json.get<std::uint64_t>())) {
    fail_at(path, "the number is too large");
  } else if (json.is_number_integer()) {
    node.value = json.get<std::int64_t>();
  } else if (json.is_number_float()) {
    node.value = json.get<double>();
  } else {
    fail_at(path, "a schema holds no null");
  }
  return node;
}

}  // namespace

Node node_from_json(const nlohmann::json& json, const std::string& path) {
  return convert(json, path, 0);
}

}  // namespace internal

namespace {

using nlohmann::json;

struct ColumnWriter {
  json& out;

  void operator()(const NumericColumn& rule) const {
    const auto value = [&rule](double number) {
      return rule.date ? json(date_text(static_cast<std::int64_t>(number))) : json(number);
    };
    out["kind"] = rule.date ? "date" : "numeric";
    out["lower"] = value(rule.lower);
    out["upper"] = value(rule.upper);
    if (rule.log1p) out["log1p"] = true;
    if (rule.fill) out["fill"] = value(*rule.fill);
    if (rule.missing_indicator) out["missing_indicator"] = true;
    if (rule.typical) out["typical"] = value(*rule.typical);
    if (rule.step) out["step"] = *rule.step;
    if (rule.centre) out["centre"] = *rule.centre;
    if (rule.knots) out["knots"] = *rule.knots;
    if (rule.bins != 0) out["bins"] = rule.bins;
    for (const double edge : rule.edges) out["edges"].push_back(value(edge));
    if (rule.bins_only) out["bins_only"] = true;
    if (rule.period) out["period"] = *rule.period;
    if (rule.standard) {
      out["mean"] = rule.standard->mean;
      out["standard_deviation"] = rule.standard->stddev;
    }
  }
  void operator()(const CategoricalColumn& rule) const {
    out["kind"] = "categorical";
    out["categories"] = rule.categories;
    if (rule.other == OtherRule::column) out["other"] = "column";
    if (rule.coding == Coding::sign) out["coding"] = "sign";
    if (!rule.scales.empty()) out["scales"] = rule.scales;
    if (rule.reference) out["reference"] = *rule.reference;
  }
  void operator()(const HashedColumn& rule) const {
    out["kind"] = "hashed";
    out["bits"] = rule.bits;
  }
  void operator()(const TextColumn& rule) const {
    out["kind"] = "text";
    out["bits"] = rule.bits;
  }
  void operator()(const IdsColumn& rule) const {
    out["kind"] = "ids";
    out["separator"] = std::string(1, rule.separator);
    out["max_ids"] = rule.max_ids;
    if (rule.count) {
      out["count"] = *rule.count;
    } else {
      out["bits"] = rule.bits;
    }
  }
  void operator()(const CrossedColumn& rule) const {
    out["kind"] = "crossed";
    out["names"] = rule.names;
    out["bits"] = rule.bits;
  }
  void operator()(const IgnoredColumn&) const { out["kind"] = "ignored"; }
};

struct TargetWriter {
  json& out;

  void operator()(const BinaryTarget& rule) const {
    out["positive"] = rule.positive;
    if (!rule.negative.empty()) out["negative"] = rule.negative;
    if (rule.unknown_is_positive) out["unknown"] = "positive";
    if (!rule.positive_called.empty()) out["positive_name"] = rule.positive_called;
    if (!rule.negative_called.empty()) out["negative_name"] = rule.negative_called;
  }
  void operator()(const MultiClassTarget& rule) const {
    out["classes"] = rule.classes;
    out["unknown"] = rule.classes.at(static_cast<std::size_t>(rule.unknown));
  }
  void operator()(const RegressionTarget& rule) const {
    if (rule.kind == NumberKind::probability) {
      out["kind"] = "probability";
      return;
    }
    if (rule.kind == NumberKind::count) {
      out["kind"] = "count";
      out["upper"] = rule.upper;
      return;
    }
    out["lower"] = rule.lower;
    out["upper"] = rule.upper;
  }
};

/// Keys that a column, the target and the file share.
void write_spelling(const Spelling& spelling, json& out) {
  if (spelling.decimal) out["decimal"] = std::string(1, *spelling.decimal);
  if (spelling.thousands) out["thousands"] = *spelling.thousands;
  if (spelling.symbols) out["symbols"] = *spelling.symbols;
  if (spelling.date_format) out["date_format"] = *spelling.date_format;
  if (!spelling.missing.empty()) out["missing"] = spelling.missing;
}

json curves_to_json(const Curves& curves) {
  return {{"share", curves.share},
          {"directions", curves.directions},
          {"frequencies", curves.frequencies},
          {"seed", curves.seed},
          {"target_mean", curves.target.mean},
          {"target_standard_deviation", curves.target.stddev},
          {"whitening", curves.whitening},
          {"even", curves.even},
          {"energy", curves.energy},
          {"weights", text_of_shorts(curves.weights)},
          {"lines", text_of_floats(curves.lines)}};
}

json format_to_json(const FileFormat& format) {
  json out = json::object();
  out["kind"] = format.kind->name;
  if (format.index_base != 1) out["index_base"] = format.index_base;
  if (!format.kind->names_columns()) return out;
  if (format.separator != ',') out["separator"] = std::string(1, format.separator);
  if (format.quote != '"') {
    out["quote"] = format.quote ? std::string(1, *format.quote) : std::string();
  }
  if (!format.header) out["header"] = false;
  if (format.trim) out["trim"] = true;
  if (format.fill_short) out["fill_short"] = true;
  if (!format.names.empty()) out["names"] = format.names;
  if (format.comment) out["comment"] = std::string(1, *format.comment);
  if (format.encoding != TextEncoding::utf_8) {
    out["encoding"] = encoding_names().at(static_cast<std::size_t>(format.encoding));
  }
  write_spelling(format.spelling, out);
  return out;
}

json cost_to_json(const SchemaCost& cost) {
  json out = json::object();
  out["id"] = cost.id;
  out["unit"] = cost.unit;
  if (cost.unit != "record") out["max_records_per_unit"] = cost.max_records_per_unit;
  out["epsilon"] = cost.guarantee.epsilon;
  out["delta"] = cost.guarantee.delta;
  out["adjacency"] = privacy::to_string(cost.guarantee.adjacency);
  out["prg_slack"] = cost.prg_slack;
  if (!cost.unprotected_reason.empty()) out["unprotected_reason"] = cost.unprotected_reason;
  out["events"] = privacy::event_to_json(cost.events);
  return out;
}

}  // namespace

json schema_to_json(const Schema& schema) {
  json out = json::object();
  out["version"] = 1;
  if (!schema.name.empty()) out["name"] = schema.name;
  if (!schema.description.empty()) out["description"] = schema.description;
  out["intercept"] = schema.intercept;
  if (schema.constant != 1) out["constant"] = schema.constant;
  out["row_scaling"] = schema.row_scaling == RowScaling::clip1 ? "clip1" : "const";
  if (schema.storage != StorageChoice::automatic) {
    out["storage"] = schema.storage == StorageChoice::dense ? "dense" : "sparse";
  }
  out["missing"] = schema.missing;
  if (schema.public_row_count) out["public_row_count"] = *schema.public_row_count;
  if (schema.unit) out["unit"] = *schema.unit;
  if (schema.cost) out["cost"] = cost_to_json(*schema.cost);
  if (schema.projection) {
    out["projection"] = {{"family", projection_name(*schema.projection)},
                         {"width", schema.projection->width},
                         {"seed", schema.projection->seed}};
    if (schema.projection->room != 1) out["projection"]["room"] = schema.projection->room;
  }
  if (schema.curves) out["curves"] = curves_to_json(*schema.curves);
  if (schema.selected_columns) out["selected_columns"] = *schema.selected_columns;
  for (const auto& [first, second] : schema.interactions) {
    out["interactions"].push_back(json::array({first, second}));
  }
  out["format"] = format_to_json(schema.format);
  if (schema.target) {
    json& target = out["target"] = json::object();
    if (!schema.target->column.empty()) target["column"] = schema.target->column;
    std::visit(TargetWriter{target}, schema.target->rule);
    write_spelling(schema.target->spelling, target);
    if (schema.target->missing_target == MissingTarget::bounds) target["missing_target"] = "bounds";
    const auto names = schema.target->class_names();
    for (std::size_t c = 0; c < schema.target->class_weights.size(); ++c) {
      target["class_weights"][names[c]] = schema.target->class_weights[c];
    }
  }
  if (schema.features) {
    json& features = out["features"];
    features["count"] = schema.features->count;
    features["lower"] = schema.features->lower;
    features["upper"] = schema.features->upper;
    if (schema.features->max_nonzero) features["max_nonzero"] = *schema.features->max_nonzero;
  } else {
    json& columns = out["column"] = json::array();
    for (const Column& column : schema.columns) {
      json entry = {{"name", column.name}};
      std::visit(ColumnWriter{entry}, column.rule);
      if (column.embedding) entry["embedding"] = *column.embedding;
      write_spelling(column.spelling, entry);
      columns.push_back(std::move(entry));
    }
  }
  return out;
}

Schema schema_from_json(const json& source) {
  return internal::schema_from_node(internal::node_from_json(source, "schema"));
}

}  // namespace tacet::data
