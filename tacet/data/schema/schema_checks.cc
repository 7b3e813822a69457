#include <algorithm>
#include <limits>
#include <unordered_set>

#include "tacet/base/error.h"
#include "tacet/data/schema/interactions.h"
#include "tacet/data/schema/public_row_count.h"
#include "tacet/data/schema/schema.h"
#include "tacet/data/schema/schema_node.h"

/// Checks the rules for schemas; each error names the place.
namespace tacet::data {
namespace {

using internal::check_bounds;
using internal::check_numeric;
using internal::fail_at;

constexpr std::int64_t max_encoded_columns = std::numeric_limits<std::uint32_t>::max();

/// The first text that occurs twice, or null.
const std::string* find_duplicate(const std::vector<std::string>& texts) {
  std::unordered_set<std::string_view> seen;
  seen.reserve(texts.size());
  for (const std::string& text : texts) {
    if (!seen.insert(text).second) return &text;
  }
  return nullptr;
}

struct ColumnCheck {
  const std::string& name;
  std::string_view where;

  void operator()(const NumericColumn& rule) const { check_numeric(rule, name, where); }
  void operator()(const CategoricalColumn& rule) const {
    if (rule.categories.empty()) fail_at(where, "column '{}': categories must not be empty", name);
    if (const std::string* twice = find_duplicate(rule.categories)) {
      fail_at(where, "column '{}': category \"{}\" is listed twice", name, *twice);
    }
    check_scales(rule);
    if (rule.reference &&
        std::ranges::find(rule.categories, *rule.reference) == rule.categories.end()) {
      fail_at(where, "column '{}': 'reference' must be one of the categories, got \"{}\"", name,
              *rule.reference);
    }
    if (rule.coding == Coding::one_hot) return;
    if (rule.categories.size() != 2 || rule.other != OtherRule::zero) {
      fail_at(where,
              "column '{}': coding = \"sign\" needs exactly two categories and other = \"zero\"; "
              "got {} categories",
              name, rule.categories.size());
    }
  }
  void check_scales(const CategoricalColumn& rule) const {
    if (rule.scales.empty()) return;
    if (rule.coding != Coding::one_hot || std::ssize(rule.scales) != rule.width()) {
      fail_at(where, "column '{}': 'scales' are one for each feature of one_hot coding", name);
    }
    for (const double scale : rule.scales) {
      if (scale >= rule.min_scale && scale <= rule.max_scale) continue;
      fail_at(where, "column '{}': scales must be between {} and {}, got {}", name, rule.min_scale,
              rule.max_scale, scale);
    }
  }
  void operator()(const HashedColumn& rule) const { check_bits(rule.bits); }
  void operator()(const TextColumn& rule) const { check_bits(rule.bits); }
  void operator()(const IdsColumn& rule) const {
    if (rule.separator == '\n' || rule.separator == '\r' || rule.separator <= 0) {
      fail_at(where, "column '{}': 'separator' must be an ASCII character other than a line break",
              name);
    }
    if (rule.max_ids < 1 || rule.max_ids > internal::max_ids) {
      fail_at(where, "column '{}': 'max_ids' of a record must be between 1 and {}, got {}", name,
              internal::max_ids, rule.max_ids);
    }
    constexpr auto max_count = std::int64_t{1} << internal::max_bits;
    if (rule.count && (*rule.count < 1 || *rule.count > max_count)) {
      fail_at(where, "column '{}': 'count' must be between 1 and {}, got {}", name, max_count,
              *rule.count);
    }
    check_bits(rule.bits);
  }
  void operator()(const CrossedColumn& rule) const {
    if (rule.names.size() < 2) {
      fail_at(where, "column '{}': 'names' are the columns that are crossed, two or more; got {}",
              name, rule.names.size());
    }
    if (const std::string* twice = find_duplicate(rule.names)) {
      fail_at(where, "column '{}': '{}' is crossed with itself", name, *twice);
    }
    for (const std::string& crossed : rule.names) {
      if (crossed.empty()) fail_at(where, "column '{}': 'names' must not be empty", name);
    }
    check_bits(rule.bits);
  }
  void operator()(const IgnoredColumn&) const {}

  void check_bits(int bits) const {
    if (bits < 1 || bits > internal::max_bits) {
      fail_at(where, "column '{}': bits must be between 1 and {}, got {}", name, internal::max_bits,
              bits);
    }
  }
};

struct TargetCheck {
  std::string_view where;

  void operator()(const BinaryTarget& rule) const {
    if (rule.positive.empty()) fail_at(where, "target: 'positive' must name at least one value");
    std::vector<std::string> all = rule.positive;
    all.insert(all.end(), rule.negative.begin(), rule.negative.end());
    if (const std::string* twice = find_duplicate(all)) {
      fail_at(where, "target: value \"{}\" is listed twice", *twice);
    }
    if (const auto names = rule.names(); names[0] == names[1]) {
      fail_at(where,
              "target: both classes would be called \"{}\"; give positive_name and negative_name",
              names[0]);
    }
  }
  void operator()(const MultiClassTarget& rule) const {
    if (rule.classes.size() < 3) {
      fail_at(where,
              "target: 'classes' needs three or more, got {}; two classes are 'positive' and "
              "'negative'",
              rule.classes.size());
    }
    if (const std::string* twice = find_duplicate(rule.classes)) {
      fail_at(where, "target: class \"{}\" is listed twice", *twice);
    }
    if (rule.unknown < 0 || rule.unknown >= static_cast<std::int64_t>(rule.classes.size())) {
      fail_at(where, "target: 'unknown' must be one of the classes");
    }
  }
  void operator()(const RegressionTarget& rule) const {
    if (rule.kind == NumberKind::count && !(rule.upper > 0)) {
      fail_at(where,
              "target: a count's 'upper' must be above 0, got {}; it is the largest count that is "
              "told apart, a public number",
              rule.upper);
    }
    check_bounds(rule.lower, rule.upper, "target", where);
  }
};

/// Columns that are crossed must have values out of a list, or out of too many for a list: single
/// values, and not measures.
void check_crossed(const Schema& schema, std::string_view where) {
  for (const Column& column : schema.columns) {
    const auto* crossed = std::get_if<CrossedColumn>(&column.rule);
    if (crossed == nullptr) continue;
    for (const Column& other : schema.columns) {
      const bool fits = std::holds_alternative<CategoricalColumn>(other.rule) ||
                        std::holds_alternative<HashedColumn>(other.rule) || other.ignored();
      if (fits || std::ranges::find(crossed->names, other.name) == crossed->names.end()) continue;
      fail_at(where,
              "column '{}' crosses '{}', which is neither categorical nor hashed, nor ignored",
              column.name, other.name);
    }
  }
}

void check_names(const Schema& schema, std::string_view where) {
  std::unordered_set<std::string_view> names;
  for (const Column& column : schema.columns) {
    if (!names.insert(column.name).second) {
      fail_at(where, "column '{}' is described twice", column.name);
    }
  }
  check_crossed(schema, where);
  const auto is_feature = [columns = schema.feature_columns()](const std::string& name) {
    return std::ranges::find(columns, name) != columns.end();
  };
  const bool target_is_one =
      schema.target && (names.contains(schema.target->column) || is_feature(schema.target->column));
  if (target_is_one) {
    fail_at(where, "the target '{}' must not be among the columns as well", schema.target->column);
  }
  if (!schema.unit) return;
  if (schema.unit->empty()) fail_at(where, "'unit' must name a column");
  if (*schema.unit == "record") {
    fail_at(where,
            "the unit column cannot be called 'record', which stands for single records in "
            "receipts and ledgers: rename the column");
  }
  if (is_feature(*schema.unit) || (schema.target && schema.target->column == *schema.unit)) {
    fail_at(where,
            "the unit column '{}' must be neither a feature nor the target; leave it out of the "
            "columns, or list it as ignored",
            *schema.unit);
  }
}

void check_csv(const Schema& schema, std::string_view where) {
  if (schema.features) {
    fail_at(where, "[features] is for LIBSVM and NPY files; describe CSV files by [[column]]");
  }
  // An intercept and a target alone are enough to fit one number: the mean or a quantile of the
  // target.
  if (!(schema.intercept && schema.target) &&
      std::all_of(schema.columns.begin(), schema.columns.end(),
                  [](const Column& column) { return column.ignored(); })) {
    fail_at(where, "a schema needs at least one [[column]] that is not ignored");
  }
  if (schema.target && schema.target->column.empty()) {
    fail_at(where, "the target needs the name of its column: column = \"...\"");
  }
  if (schema.format.header) return;
  const auto& names = schema.format.names;
  for (const std::string& name : schema.required_columns()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      fail_at(where, "column '{}' is not in the names of [format]", name);
    }
  }
}

void check_uniform(const Schema& schema, std::string_view where) {
  if (!schema.features || !schema.columns.empty()) {
    fail_at(where, "LIBSVM and NPY files are described by [features], not by [[column]]");
  }
  if (schema.target && !schema.target->column.empty()) {
    fail_at(where, "in LIBSVM and NPY files the target has its own place; remove its 'column'");
  }
  if (schema.unit) fail_at(where, "LIBSVM and NPY files have no unit column; remove 'unit'");
}

void check_spelling(const Spelling& spelling, std::string_view where) {
  if (const auto fault = spelling_fault(spelling); !fault.empty()) fail_at(where, fault);
}

void check_narrowing(const Schema& schema, std::string_view where) {
  if (schema.projection && schema.selected_columns) {
    fail_at(where, "columns are either projected or kept, not both");
  }
  if (schema.projection) {
    try {
      check_projection(*schema.projection, schema.full_column_count() - (schema.intercept ? 1 : 0));
    } catch (const base::UsageError& error) {
      fail_at(where, error.what());
    }
  }
  if (schema.curves) {
    try {
      check_curves(schema);
    } catch (const base::UsageError& error) {
      fail_at(where, error.what());
    }
  }
  if (!schema.selected_columns) return;
  const auto ranges = schema.choosable_columns();
  std::int64_t previous = -1;
  auto range = ranges.begin();
  for (const auto column : *schema.selected_columns) {
    while (range != ranges.end() && column >= range->second) ++range;
    if (column <= previous || range == ranges.end() || column < range->first) {
      fail_at(where,
              "'selected_columns' must ascend and name hashed, text or numbered features alone");
    }
    previous = column;
  }
  if (schema.encoded_column_count() < 1)
    fail_at(where, "'selected_columns' leave no column at all");
}

}  // namespace

namespace internal {

void check_column(const Column& column, std::string_view where) {
  if (column.name.empty()) fail_at(where, "a column needs a name");
  check_spelling(column.spelling, where);
  std::visit(ColumnCheck{column.name, where}, column.rule);
  if (!column.embedding) return;
  const bool listed = std::holds_alternative<CategoricalColumn>(column.rule);
  if (std::holds_alternative<NumericColumn>(column.rule) || column.ignored()) {
    fail_at(where,
            "column '{}': 'embedding' is for values, words and ids (categorical, hashed, text, ids "
            "and crossed columns)",
            column.name);
  }
  if (*column.embedding < (listed ? 0 : 1) || *column.embedding > max_embedding) {
    fail_at(where, "column '{}': 'embedding' must be between {} and {}, got {}", column.name,
            listed ? 0 : 1, max_embedding, *column.embedding);
  }
}

void check_features(const UniformFeatures& features, std::string_view where) {
  if (features.count < 1 || features.count > max_encoded_columns) {
    fail_at(where, "features: 'count' must be between 1 and {}, got {}", max_encoded_columns,
            features.count);
  }
  check_bounds(features.lower, features.upper, "features", where);
  if (features.lower > 0 || features.upper < 0) {
    fail_at(where, "features: the bounds must include 0, the value of what a file leaves out");
  }
  if (features.max_nonzero &&
      (*features.max_nonzero < 1 || *features.max_nonzero > features.count)) {
    fail_at(where, "features: 'max_nonzero' must be between 1 and {}, got {}", features.count,
            *features.max_nonzero);
  }
}

void check_target(const Target& target, std::string_view where) {
  std::visit(TargetCheck{where}, target.rule);
  check_spelling(target.spelling, where);
  const auto& weights = target.class_weights;
  if (!weights.empty() && std::ssize(weights) != target.class_count()) {
    fail_at(where, "target: 'class_weights' needs one number a class");
  }
  for (const double weight : weights) {
    if (weight >= Target::min_class_weight && weight <= Target::max_class_weight) continue;
    fail_at(where, "target: a class weight must be {:g} to {:g}, got {:g}",
            Target::min_class_weight, Target::max_class_weight, weight);
  }
}

void check_format(const FileFormat& format, std::string_view where) {
  const auto usable = [](char c) { return c != '\n' && c != '\r' && c > 0; };
  if (!usable(format.separator)) {
    fail_at(where, "format: 'separator' must be an ASCII character other than a line break");
  }
  if (format.quote && (!usable(*format.quote) || *format.quote == format.separator)) {
    fail_at(where,
            "format: 'quote' must be an ASCII character other than a line break and the separator");
  }
  if (format.comment && (!usable(*format.comment) || *format.comment == format.separator ||
                         format.comment == format.quote)) {
    fail_at(where,
            "format: 'comment' must be an ASCII character other than a line break, the separator "
            "and the quote");
  }
  check_spelling(format.spelling, where);
  if (format.header && !format.names.empty()) {
    fail_at(where, "format: 'names' are for files without a header: add header = false");
  }
  if (!format.header && format.names.empty()) {
    fail_at(where, "format: a file without a header needs 'names', its columns in order");
  }
  if (const std::string* twice = find_duplicate(format.names)) {
    fail_at(where, "format: column '{}' is named twice", *twice);
  }
  if (format.index_base != 0 && format.index_base != 1) {
    fail_at(where, "format: 'index_base' is the index of the first column, 0 or 1, got {}",
            format.index_base);
  }
}

}  // namespace internal

void Schema::validate(std::string_view where) const {
  for (const Column& column : columns) internal::check_column(column, where);
  if (features) internal::check_features(*features, where);
  if (target) internal::check_target(*target, where);
  if (cost) internal::check_cost(*cost, where);
  internal::check_format(format, where);
  check_names(*this, where);
  internal::check_constant(*this, where);
  check_interactions(*this, where);
  if (const auto used = unit.value_or("record"); cost && cost->unit != used) {
    internal::fail_at(where, internal::other_unit(cost->unit, used));
  }
  if (format.kind->names_columns()) {
    check_csv(*this, where);
  } else {
    check_uniform(*this, where);
  }
  check_narrowing(*this, where);
  if (public_row_count && (*public_row_count < 1 || *public_row_count > max_public_rows)) {
    fail_at(where, "'public_row_count' must be between 1 and {} (2^32), got {}", max_public_rows,
            *public_row_count);
  }
  if (full_column_count() > max_encoded_columns) {
    fail_at(where, "the schema encodes to {} columns; at most {} are possible", full_column_count(),
            max_encoded_columns);
  }
}

}  // namespace tacet::data
