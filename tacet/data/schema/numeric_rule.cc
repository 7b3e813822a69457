#include "tacet/data/schema/calendar.h"
#include "tacet/data/schema/numeric_map.h"
#include "tacet/data/schema/table_reader.h"

/// Reads what a schema says about a column of numbers.
namespace tacet::data::internal {
namespace {

/// A number, or a date as its day.
double as_value(const Node& node, std::string_view key, bool date) {
  if (!date) return as_number(node, key);
  const std::string& text = as_text(node, key);
  const auto day = parse_date(text);
  if (!day) {
    fail_at(node.where, "'{}' must be a date such as \"2020-01-31\", got \"{}\"", key, text);
  }
  return static_cast<double>(*day);
}

/// One of three words, or a number.
double as_fill(const Node& node, const NumericColumn& rule) {
  const auto* word = std::get_if<std::string>(&node.value);
  if (word != nullptr && *word == "lower") return rule.lower;
  if (word != nullptr && *word == "middle") return middle(rule);
  if (word != nullptr && *word == "upper") return rule.upper;
  if (word != nullptr && !rule.date) {
    fail_at(node.where, "'fill' must be a number, lower, middle or upper, got \"{}\"", *word);
  }
  return as_value(node, "fill", rule.date);
}

}  // namespace

NumericColumn numeric_column(TableReader& table, bool date) {
  NumericColumn rule;
  rule.date = date;
  const auto value = [date](const Node& node, std::string_view key) {
    return as_value(node, key, date);
  };
  rule.lower = value(table.require_public("lower"), "lower");
  rule.upper = value(table.require_public("upper"), "upper");
  if (const Node* node = table.find("log1p")) rule.log1p = as_flag(*node, "log1p");
  if (const Node* node = table.find("fill")) rule.fill = as_fill(*node, rule);
  if (const Node* node = table.find("missing_indicator")) {
    rule.missing_indicator = as_flag(*node, "missing_indicator");
  }
  if (const Node* node = table.find("typical")) rule.typical = value(*node, "typical");
  if (const Node* node = table.find("centre")) rule.centre = as_flag(*node, "centre");
  if (const Node* node = table.find("step")) rule.step = as_number(*node, "step");
  if (const Node* node = table.find("knots")) rule.knots = as_integer(*node, "knots");
  if (const Node* node = table.find("bins")) {
    rule.bins = as_integer(*node, "bins");
    if (rule.bins == 0) fail_at(node->where, "'bins' must be at least 2; leave it out for none");
  }
  if (const Node* node = table.find("edges")) {
    for (const Node& edge : as_list(*node, "edges")) rule.edges.push_back(value(edge, "edges"));
  }
  if (const Node* node = table.find("bins_only")) rule.bins_only = as_flag(*node, "bins_only");
  if (const Node* node = table.find("period")) rule.period = as_number(*node, "period");
  if (const Node* node = table.find("mean")) {
    rule.standard =
        Standard{.mean = as_number(*node, "mean"),
                 .stddev = as_number(table.require("standard_deviation"), "standard_deviation")};
  }
  return rule;
}

}  // namespace tacet::data::internal
