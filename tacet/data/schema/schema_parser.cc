#include <fmt/ranges.h>

#include "tacet/base/error.h"
#include "tacet/data/schema/number_text.h"
#include "tacet/data/schema/public_row_count.h"
#include "tacet/data/schema/schema_node.h"
#include "tacet/data/schema/table_reader.h"

namespace tacet::data::internal {
namespace {

CategoricalColumn categorical_column(TableReader& table) {
  CategoricalColumn rule;
  rule.categories = as_texts(table.require_public("categories"), "categories");
  if (const Node* node = table.find("other")) {
    rule.other =
        as_choice(*node, "other", {"zero", "column"}) == 0 ? OtherRule::zero : OtherRule::column;
  }
  if (const Node* node = table.find("coding")) {
    rule.coding =
        as_choice(*node, "coding", {"one_hot", "sign"}) == 0 ? Coding::one_hot : Coding::sign;
  }
  if (const Node* node = table.find("reference")) rule.reference = as_text(*node, "reference");
  if (const Node* node = table.find("scales")) {
    for (const Node& scale : as_list(*node, "scales")) {
      rule.scales.push_back(as_number(scale, "scales"));
    }
  }
  return rule;
}

int hash_bits(TableReader& table, int standard) {
  const Node* node = table.find("bits");
  if (node == nullptr) return standard;
  const std::int64_t bits = as_integer(*node, "bits");
  if (bits < 1 || bits > max_bits) {
    fail_at(node->where, "'bits' must be between 1 and {}, got {}", max_bits, bits);
  }
  return static_cast<int>(bits);
}

char separator_of(const Node& node) {
  const auto separator = one_character(node, "separator");
  if (!separator) fail_at(node.where, "'separator' must be one character, got none");
  return *separator;
}

IdsColumn ids_column(TableReader& table) {
  IdsColumn rule;
  if (const Node* node = table.find("separator")) rule.separator = separator_of(*node);
  if (const Node* node = table.find("max_ids")) rule.max_ids = as_integer(*node, "max_ids");
  rule.bits = hash_bits(table, rule.bits);
  if (const Node* node = table.find("count")) {
    if (table.find("bits") != nullptr) {
      fail_at(node->where, "give 'count' for ids that are numbers below it, or 'bits', not both");
    }
    rule.count = as_integer(*node, "count");
  }
  return rule;
}

std::optional<std::int64_t> embedding_of(TableReader& table) {
  const Node* node = table.find("embedding");
  if (node == nullptr) return std::nullopt;
  return as_integer(*node, "embedding");
}

/// The names are those of the columns that are crossed. If the column has no name, they form its
/// name.
void read_crossed(const Node& node, TableReader& table, std::vector<Column>& columns) {
  CrossedColumn rule{.names = as_texts(table.require("names"), "names"),
                     .bits = hash_bits(table, CrossedColumn{}.bits)};
  const Node* name = table.find("name");
  auto called =
      name != nullptr ? as_text(*name, "name") : fmt::format("{}", fmt::join(rule.names, " & "));
  const auto embedding = embedding_of(table);
  table.refuse_unknown_keys();
  columns.push_back({.name = std::move(called), .rule = std::move(rule), .embedding = embedding});
  check_column(columns.back(), node.where);
}

/// Appends the column, or columns when `names` gives several with one rule.
void read_columns(const Node& node, std::vector<Column>& columns) {
  TableReader table(node, "a column");
  const auto kind =
      as_choice(table.require("kind"), "kind",
                {"numeric", "categorical", "hashed", "text", "date", "ignored", "ids", "crossed"});
  if (kind == 7) return read_crossed(node, table, columns);
  const Node* several = table.find("names");
  const Node* one = several == nullptr ? &table.require("name") : table.find("name");
  if (several != nullptr && one != nullptr) {
    fail_at(one->where, "give either 'name' or 'names', not both");
  }
  Column column;
  switch (kind) {
    case 0:
    case 4:
      column.rule = numeric_column(table, kind == 4);
      break;
    case 1:
      column.rule = categorical_column(table);
      break;
    case 2:
      column.rule = HashedColumn{.bits = hash_bits(table, HashedColumn{}.bits)};
      break;
    case 3:
      column.rule = TextColumn{.bits = hash_bits(table, TextColumn{}.bits)};
      break;
    case 6:
      column.rule = ids_column(table);
      break;
    default:
      column.rule = IgnoredColumn{};
  }
  const bool has_values = kind == 1 || kind == 2 || kind == 3 || kind == 6;
  if (has_values) column.embedding = embedding_of(table);
  const bool read = !column.ignored();
  column.spelling =
      read_spelling(table, {.numbers = kind == 0, .dates = kind == 4, .missing = read});
  table.refuse_unknown_keys();
  const std::vector<std::string> names = several != nullptr
                                             ? as_texts(*several, "names")
                                             : std::vector<std::string>{as_text(*one, "name")};
  if (names.empty()) fail_at(several->where, "'names' must name at least one column");
  for (const std::string& name : names) {
    column.name = name;
    check_column(column, node.where);
    columns.push_back(column);
  }
}

UniformFeatures read_features(const Node& node) {
  TableReader table(node, "features");
  UniformFeatures features;
  features.count = as_integer(table.require("count"), "count");
  features.lower = as_number(table.require("lower"), "lower");
  features.upper = as_number(table.require("upper"), "upper");
  if (const Node* max = table.find("max_nonzero")) {
    features.max_nonzero = as_integer(*max, "max_nonzero");
  }
  table.refuse_unknown_keys();
  check_features(features, node.where);
  return features;
}

SchemaCost read_cost(const Node& node) {
  TableReader table(node, "cost");
  const Node& events = table.require("events");
  const Node& epsilon = table.require("epsilon");
  const std::string& id = as_text(table.require("id"), "id");
  const double delta = as_number(table.require("delta"), "delta");
  const std::string& adjacency = as_text(table.require("adjacency"), "adjacency");
  const Node* unit = table.find("unit");  // older fits do not have it and protect records
  const Node* records =
      table.find("max_records_per_unit");  // only for units; otherwise 0, which is refused below
  const Node* cipher = table.find("prg_slack");
  const Node* reason = table.find("unprotected_reason");
  table.refuse_unknown_keys();
  try {
    const std::string whom = unit == nullptr ? "record" : as_text(*unit, "unit");
    SchemaCost cost{.id = id,
                    .unit = whom,
                    .max_records_per_unit = (records == nullptr) != (whom == "record") ? 0
                                            : records == nullptr
                                                ? 1
                                                : as_integer(*records, "max_records_per_unit"),
                    .events = privacy::event_from_json(as_text(events, "events")),
                    .guarantee = checked(privacy::Guarantee{as_number(epsilon, "epsilon"), delta,
                                                            privacy::parse_adjacency(adjacency)}),
                    .prg_slack = cipher == nullptr ? 0 : as_number(*cipher, "prg_slack"),
                    .unprotected_reason =
                        reason == nullptr ? std::string() : as_text(*reason, "unprotected_reason")};
    check_cost(cost, node.where);
    check_events(cost, node.where);
    return cost;
  } catch (const base::UsageError& error) {
    fail_at(node.where, error.what());
  }
}

Projection read_projection(const Node& node) {
  TableReader table(node, "projection");
  try {
    auto projection = projection_of(as_text(table.require("family"), "family"));
    projection.width = as_integer(table.require("width"), "width");
    projection.seed = as_integer(table.require("seed"), "seed");
    if (const Node* room = table.find("room")) projection.room = as_integer(*room, "room");
    table.refuse_unknown_keys();
    return projection;
  } catch (const base::UsageError& error) {
    fail_at(node.where, error.what());
  }
}

Curves read_curves(const Node& node) {
  TableReader table(node, "curves");
  const auto number = [&](const char* name) { return as_number(table.require(name), name); };
  const auto integer = [&](const char* name) { return as_integer(table.require(name), name); };
  Curves curves{
      .share = number("share"),
      .directions = integer("directions"),
      .frequencies = integer("frequencies"),
      .seed = integer("seed"),
      .target = {.mean = number("target_mean"), .stddev = number("target_standard_deviation")},
      .whitening = {},
      .even = integer("even"),
      .energy = number("energy"),
      .weights = {},
      .lines = {}};
  for (const Node& entry : as_list(table.require("whitening"), "whitening")) {
    curves.whitening.push_back(as_number(entry, "whitening"));
  }
  const Node& weights = table.require("weights");
  auto shorts = shorts_of_text(as_text(weights, "weights"));
  if (!shorts) fail_at(weights.where, "'weights' must hold 2-byte integers in base 64");
  curves.weights = std::move(*shorts);
  const Node& lines = table.require("lines");
  auto floats = floats_of_text(as_text(lines, "lines"));
  if (!floats) fail_at(lines.where, "'lines' must hold 4-byte floats in base 64");
  curves.lines = std::move(*floats);
  table.refuse_unknown_keys();
  return curves;
}

std::vector<std::uint32_t> read_selected_columns(const Node& node) {
  std::vector<std::uint32_t> columns;
  for (const Node& entry : as_list(node, "selected_columns")) {
    const auto column = as_integer(entry, "selected_columns");
    if (column < 0 || column > std::numeric_limits<std::uint32_t>::max()) {
      fail_at(entry.where, "'selected_columns' holds numbers of columns, got {}", column);
    }
    columns.push_back(static_cast<std::uint32_t>(column));
  }
  return columns;
}

std::vector<Interaction> read_interactions(const Node& node) {
  std::vector<Interaction> interactions;
  for (const Node& pair : as_list(node, "interactions")) {
    const auto names = as_texts(pair, "interactions");
    if (names.size() != 2) {
      fail_at(pair.where, "an interaction has two columns, [\"a\", \"b\"]; got {}", names.size());
    }
    interactions.push_back({names[0], names[1]});
  }
  return interactions;
}

void read_settings(TableReader& table, Schema& schema) {
  if (const Node* node = table.find("version")) {
    const std::int64_t version = as_integer(*node, "version");
    if (version != 1) fail_at(node->where, "this program reads schema version 1, got {}", version);
  }
  if (const Node* node = table.find("name")) schema.name = as_text(*node, "name");
  if (const Node* node = table.find("description")) {
    schema.description = as_text(*node, "description");
  }
  if (const Node* node = table.find("intercept")) schema.intercept = as_flag(*node, "intercept");
  if (const Node* node = table.find("constant")) schema.constant = as_number(*node, "constant");
  if (const Node* node = table.find("row_scaling")) {
    constexpr RowScaling choices[] = {RowScaling::clip1, RowScaling::constant_root};
    schema.row_scaling = choices[as_choice(*node, "row_scaling", {"clip1", "const"})];
  }
  if (const Node* node = table.find("storage")) {
    constexpr StorageChoice choices[] = {StorageChoice::automatic, StorageChoice::dense,
                                         StorageChoice::sparse};
    schema.storage = choices[as_choice(*node, "storage", {"auto", "dense", "sparse"})];
  }
  if (const Node* node = table.find("missing")) schema.missing = as_texts(*node, "missing");
  if (const Node* node = table.find("public_row_count")) {
    schema.public_row_count = as_integer(*node, "public_row_count");
    if (*schema.public_row_count < 1 || *schema.public_row_count > max_public_rows) {
      fail_at(node->where, "'public_row_count' must be between 1 and {} (2^32), got {}",
              max_public_rows, *schema.public_row_count);
    }
  }
  if (const Node* node = table.find("interactions")) {
    schema.interactions = read_interactions(*node);
  }
  if (const Node* node = table.find("unit")) schema.unit = as_text(*node, "unit");
  if (const Node* node = table.find("cost")) schema.cost = read_cost(*node);
  if (const Node* node = table.find("projection")) schema.projection = read_projection(*node);
  if (const Node* node = table.find("curves")) schema.curves = read_curves(*node);
  if (const Node* node = table.find("selected_columns")) {
    schema.selected_columns = read_selected_columns(*node);
  }
  if (const Node* node = table.find("weight")) {
    fail_at(node->where,
            "a weight column is not supported: a weight multiplies what one record can change. "
            "Remove the key; every record counts once");
  }
}

}  // namespace

void fail_at(std::string_view where, std::string_view message) {
  throw base::DataError("{}: {}", where, message);
}

Schema schema_from_node(const Node& root) {
  TableReader table(root, "a schema");
  Schema schema;
  read_settings(table, schema);
  if (const Node* node = table.find("format")) schema.format = read_format(*node);
  if (const Node* node = table.find("target")) schema.target = read_target(*node);
  if (const Node* node = table.find("features")) schema.features = read_features(*node);
  if (const Node* node = table.find("column")) {
    const auto* entries = std::get_if<NodeArray>(&node->value);
    if (entries == nullptr) fail_at(node->where, "'column' must be a list: write [[column]]");
    for (const Node& entry : *entries) read_columns(entry, schema.columns);
  }
  table.refuse_unknown_keys();
  schema.validate(root.where);
  return schema;
}

}  // namespace tacet::data::internal
