#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tacet/data/schema/schema_node.h"
#include "tacet/data/schema/table_reader.h"

/// Reads what a schema says about the target.
namespace tacet::data::internal {
namespace {

BinaryTarget binary_target(TableReader& table, const Node& positive) {
  BinaryTarget rule;
  rule.positive = as_text_or_texts(positive, "positive");
  if (const Node* node = table.find("negative")) {
    rule.negative = as_text_or_texts(*node, "negative");
  }
  if (const Node* node = table.find("unknown")) {
    rule.unknown_is_positive = as_choice(*node, "unknown", {"negative", "positive"}) == 1;
  }
  if (const Node* node = table.find("positive_name")) {
    rule.positive_called = as_text(*node, "positive_name");
  }
  if (const Node* node = table.find("negative_name")) {
    rule.negative_called = as_text(*node, "negative_name");
  }
  return rule;
}

MultiClassTarget class_target(TableReader& table, const Node& classes) {
  MultiClassTarget rule;
  rule.classes = as_texts(classes, "classes");
  const Node* node = table.find("unknown");
  if (node != nullptr && !rule.classes.empty()) {
    rule.unknown = static_cast<std::int64_t>(as_choice(*node, "unknown", rule.classes));
  }
  return rule;
}

// By the names of the classes; a class that is left out has weight 1.
std::vector<double> class_weights(const Node& node, const Target& target) {
  if (target.regression()) fail_at(node.where, "'class_weights' are for classes, not for a number");
  TableReader table(node, "class_weights");
  std::vector<double> weights;
  for (const auto& name : target.class_names()) {
    const Node* weight = table.find(name);
    weights.push_back(weight == nullptr ? 1 : as_number(*weight, name));
  }
  table.refuse_unknown_keys();
  return weights;
}

// A probability has fixed bounds; a count begins at 0.
RegressionTarget kind_target(TableReader& table, const Node& kind) {
  const auto place = as_choice(kind, "kind", {"probability", "count"});
  if (place == 0) return {.kind = NumberKind::probability};
  return {.upper = as_number(table.require_public("upper"), "upper"), .kind = NumberKind::count};
}

}  // namespace

Target read_target(const Node& node) {
  TableReader table(node, "target");
  Target target;
  if (const Node* column = table.find("column")) target.column = as_text(*column, "column");
  const Node* kind = table.find("kind");
  const Node* positive = table.find("positive");
  const Node* classes = table.find("classes");
  const Node* lower = table.find("lower");
  if ((positive != nullptr) + (classes != nullptr) + (lower != nullptr) + (kind != nullptr) != 1) {
    fail_at(
        node.where,
        "a target has exactly one of: 'positive' (two classes), 'classes' (several), "
        "'lower' and 'upper' (regression), 'kind' (\"probability\", or \"count\" with 'upper')");
  }
  if (kind != nullptr) {
    target.rule = kind_target(table, *kind);
  } else if (positive != nullptr) {
    target.rule = binary_target(table, *positive);
  } else if (classes != nullptr) {
    target.rule = class_target(table, *classes);
  } else {
    target.rule = RegressionTarget{.lower = as_number(*lower, "lower"),
                                   .upper = as_number(table.require_public("upper"), "upper")};
  }
  target.spelling =
      read_spelling(table, {.numbers = target.regression(), .dates = false, .missing = true});
  if (const Node* missing = table.find("missing_target")) {
    constexpr MissingTarget choices[] = {MissingTarget::drop, MissingTarget::bounds};
    target.missing_target = choices[as_choice(*missing, "missing_target", {"drop", "bounds"})];
  }
  const Node* weights = table.find("class_weights");
  table.refuse_unknown_keys();
  check_target(target, node.where);
  if (weights == nullptr) return target;
  target.class_weights = class_weights(*weights, target);
  check_target(target, weights->where);
  return target;
}

}  // namespace tacet::data::internal
