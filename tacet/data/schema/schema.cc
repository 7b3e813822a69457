#include "tacet/data/schema/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "tacet/base/error.h"
#include "tacet/data/schema/interactions.h"
#include "tacet/data/schema/numeric_map.h"
#include "tacet/data/schema/schema_node.h"

namespace tacet::data {
namespace {

using internal::check_bounds;
using internal::check_numeric;
using internal::fail_at;

constexpr std::int64_t most_encoded_columns = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t most_rows = std::int64_t{1} << 53;

// A text column's records are taken to have this many different words when choosing the storage.
constexpr std::int64_t usual_words = 64;
// Below this width a dense row is no longer than the bookkeeping of a sparse one.
constexpr std::int64_t narrowest_sparse = 64;

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
    if (rule.categories.empty()) {
      fail_at(where, fmt::format("column '{}': categories must not be empty", name));
    }
    if (const std::string* twice = find_duplicate(rule.categories)) {
      fail_at(where, fmt::format("column '{}': category \"{}\" is listed twice", name, *twice));
    }
    if (rule.coding == Coding::one_hot) return;
    if (rule.categories.size() != 2 || rule.other != OtherRule::zero) {
      fail_at(where, fmt::format("column '{}': coding = \"sign\" needs exactly two categories and "
                                 "other = \"zero\"; got {} categories",
                                 name, rule.categories.size()));
    }
  }
  void operator()(const HashedColumn& rule) const { check_bits(rule.bits); }
  void operator()(const TextColumn& rule) const { check_bits(rule.bits); }
  void operator()(const IgnoredColumn&) const {}

  void check_bits(int bits) const {
    if (bits < 1 || bits > internal::most_bits) {
      fail_at(where, fmt::format("column '{}': bits must be between 1 and {}, got {}", name,
                                 internal::most_bits, bits));
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
      fail_at(where, fmt::format("target: value \"{}\" is listed twice", *twice));
    }
    if (const auto names = rule.names(); names[0] == names[1]) {
      fail_at(where, fmt::format("target: both classes would be called \"{}\"; give positive_name "
                                 "and negative_name",
                                 names[0]));
    }
  }
  void operator()(const MultiClassTarget& rule) const {
    if (rule.classes.size() < 3) {
      fail_at(where, fmt::format("target: 'classes' needs three or more, got {}; two classes are "
                                 "'positive' and 'negative'",
                                 rule.classes.size()));
    }
    if (const std::string* twice = find_duplicate(rule.classes)) {
      fail_at(where, fmt::format("target: class \"{}\" is listed twice", *twice));
    }
    if (rule.unknown < 0 || rule.unknown >= static_cast<std::int64_t>(rule.classes.size())) {
      fail_at(where, "target: 'unknown' must be one of the classes");
    }
  }
  void operator()(const RegressionTarget& rule) const {
    if (rule.kind == NumberKind::count && !(rule.upper > 0)) {
      fail_at(where,
              fmt::format("target: a count's 'upper' must be above 0, got {}; it is the largest "
                          "count that is told apart, a public number",
                          rule.upper));
    }
    check_bounds(rule.lower, rule.upper, "target", where);
  }
};

/// Encoded features of one column.
struct ColumnWidth {
  std::int64_t operator()(const NumericColumn& rule) const { return rule.width(); }
  std::int64_t operator()(const CategoricalColumn& rule) const {
    if (rule.coding == Coding::sign) return 1;
    return static_cast<std::int64_t>(rule.categories.size()) +
           (rule.other == OtherRule::column ? 1 : 0);
  }
  std::int64_t operator()(const HashedColumn& rule) const { return std::int64_t{1} << rule.bits; }
  std::int64_t operator()(const TextColumn& rule) const { return std::int64_t{1} << rule.bits; }
  std::int64_t operator()(const IgnoredColumn&) const { return 0; }
};

void check_names(const Schema& schema, std::string_view where) {
  std::unordered_set<std::string_view> names;
  for (const Column& column : schema.columns) {
    if (!names.insert(column.name).second) {
      fail_at(where, fmt::format("column '{}' is described twice", column.name));
    }
  }
  if (schema.target && names.contains(schema.target->column)) {
    fail_at(where, fmt::format("the target '{}' must not be among the columns as well",
                               schema.target->column));
  }
  if (!schema.unit) return;
  if (schema.unit->empty()) fail_at(where, "'unit' must name a column");
  if (*schema.unit == "record") {
    fail_at(where,
            "the unit column cannot be called 'record', which stands for single records in "
            "receipts and ledgers: rename the column");
  }
  const bool feature = std::any_of(
      schema.columns.begin(), schema.columns.end(),
      [&](const Column& column) { return column.name == *schema.unit && !column.ignored(); });
  if (feature || (schema.target && schema.target->column == *schema.unit)) {
    fail_at(where, fmt::format("the unit column '{}' must be neither a feature nor the target; "
                               "leave it out of the columns, or list it as ignored",
                               *schema.unit));
  }
}

void check_csv(const Schema& schema, std::string_view where) {
  if (schema.features) {
    fail_at(where, "[features] is for LIBSVM and NPY files; describe CSV files by [[column]]");
  }
  // An intercept and a target alone fit one number: the mean or a quantile of a column.
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
      fail_at(where, fmt::format("column '{}' is not in the names of [format]", name));
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

}  // namespace

namespace internal {

void check_column(const Column& column, std::string_view where) {
  if (column.name.empty()) fail_at(where, "a column needs a name");
  std::visit(ColumnCheck{column.name, where}, column.rule);
}

void check_features(const UniformFeatures& features, std::string_view where) {
  if (features.count < 1 || features.count >= most_encoded_columns) {
    fail_at(where, fmt::format("features: 'count' must be between 1 and {}, got {}",
                               most_encoded_columns - 1, features.count));
  }
  check_bounds(features.lower, features.upper, "features", where);
  if (features.lower > 0 || features.upper < 0) {
    fail_at(where, "features: the bounds must include 0, the value of what a file leaves out");
  }
  if (features.most_nonzero &&
      (*features.most_nonzero < 1 || *features.most_nonzero > features.count)) {
    fail_at(where, fmt::format("features: 'most_nonzero' must be between 1 and {}, got {}",
                               features.count, *features.most_nonzero));
  }
}

void check_target(const Target& target, std::string_view where) {
  std::visit(TargetCheck{where}, target.rule);
  const auto& weights = target.class_weights;
  if (!weights.empty() && std::ssize(weights) != target.class_count()) {
    fail_at(where, "target: 'class_weights' needs one number a class");
  }
  for (const double weight : weights) {
    if (weight >= Target::least_class_weight && weight <= Target::most_class_weight) continue;
    fail_at(where, fmt::format("target: a class weight must be {:g} to {:g}, got {:g}",
                               Target::least_class_weight, Target::most_class_weight, weight));
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
  if (format.header && !format.names.empty()) {
    fail_at(where, "format: 'names' are for files without a header: add header = false");
  }
  if (!format.header && format.names.empty()) {
    fail_at(where, "format: a file without a header needs 'names', its columns in order");
  }
  if (const std::string* twice = find_duplicate(format.names)) {
    fail_at(where, fmt::format("format: column '{}' is named twice", *twice));
  }
}

}  // namespace internal

std::int64_t Column::width() const { return std::visit(ColumnWidth{}, rule); }

std::vector<std::string> BinaryTarget::names() const {
  const auto name = [](const std::string& called, const std::vector<std::string>& labels,
                       const char* usual) {
    if (!called.empty()) return called;
    return labels.size() == 1 ? labels.front() : std::string(usual);
  };
  std::vector<std::string> names{name(negative_called, negative, "negative"),
                                 name(positive_called, positive, "positive")};
  // One label only, "negative" say, that the other class would be called by.
  const bool given = !negative_called.empty() || !positive_called.empty();
  if (names[0] == names[1] && !given) return {"negative", "positive"};
  return names;
}

std::vector<std::string> BinaryTarget::former_names() const {
  return {negative.empty() ? "not " + positive.front() : negative.front(), positive.front()};
}

bool Target::regression() const { return std::holds_alternative<RegressionTarget>(rule); }

NumberKind Target::number_kind() const { return std::get<RegressionTarget>(rule).kind; }

std::int64_t Target::class_count() const { return static_cast<std::int64_t>(class_names().size()); }

std::vector<std::string> Target::class_names() const {
  if (const auto* binary = std::get_if<BinaryTarget>(&rule)) {
    return binary->names();
  }
  if (const auto* multi = std::get_if<MultiClassTarget>(&rule)) return multi->classes;
  return {};
}

std::vector<std::string> Schema::required_columns() const {
  std::vector<std::string> names;
  for (const Column& column : columns) {
    if (!column.ignored()) names.push_back(column.name);
  }
  if (target && !target->column.empty()) names.push_back(target->column);
  if (unit) names.push_back(*unit);
  return names;
}

std::int64_t Schema::encoded_column_count() const {
  if (projection) return projection->width + (intercept ? 1 : 0);
  auto count = full_column_count();
  if (!kept_columns) return count;
  for (const auto& [begin, end] : choosable_columns()) count -= end - begin;
  return count + std::ssize(*kept_columns);
}

Schema Schema::unnarrowed() const {
  Schema full = *this;
  full.projection.reset();
  full.kept_columns.reset();
  return full;
}

std::int64_t Schema::full_column_count() const {
  std::int64_t count = intercept ? 1 : 0;
  if (features) count += features->count;
  for (const Column& column : columns) count += column.width();
  for (const auto& pair : pair_features(*this)) count += pair.width();
  return count;
}

std::int64_t Schema::block_count() const {
  std::int64_t blocks = intercept ? 1 : 0;
  if (features) blocks += features->most_nonzero.value_or(features->count);
  for (const Column& column : columns) blocks += column.ignored() ? 0 : 1;
  return blocks + std::ssize(interactions);
}

double Schema::unscaled_square() const {
  auto square = static_cast<double>(block_count());
  if (intercept) square += constant * constant - 1;
  for (const Column& column : columns) {
    if (const auto* rule = std::get_if<NumericColumn>(&column.rule)) {
      square += NumericMap(*rule, encoding).largest_square() - 1;
    }
  }
  return square;
}

double Schema::norm_bound() const {
  return row_scaling == RowScaling::none ? std::sqrt(unscaled_square()) : 1.0;
}

Storage Schema::storage_kind() const {
  if (storage == StorageChoice::dense) return Storage::dense;
  if (storage == StorageChoice::sparse) return Storage::sparse;
  if (projection && projection->family != ProjectionFamily::countsketch) return Storage::dense;
  std::int64_t touched = block_count();
  for (const Column& column : columns) {
    if (std::holds_alternative<TextColumn>(column.rule)) touched += usual_words - 1;
    const auto* number = std::get_if<NumericColumn>(&column.rule);
    if (number != nullptr) touched += number->touched() - 1;
  }
  if (features && !features->most_nonzero) return format.kind->storage;
  if (projection) touched *= projection->blocks;
  const std::int64_t width = encoded_column_count();
  return width > narrowest_sparse && touched < width / 4 ? Storage::sparse : Storage::dense;
}

DatasetShape Schema::shape() const {
  return {.columns = encoded_column_count(), .norm_bound = norm_bound(), .storage = storage_kind()};
}

std::vector<ColumnRange> Schema::choosable_columns() const {
  std::vector<ColumnRange> ranges;
  std::int64_t first = 0;
  for (const Column& column : columns) {
    const auto width = column.width();
    if (std::holds_alternative<HashedColumn>(column.rule) ||
        std::holds_alternative<TextColumn>(column.rule)) {
      ranges.emplace_back(static_cast<std::uint32_t>(first),
                          static_cast<std::uint32_t>(first + width));
    }
    first += width;
  }
  if (features) ranges.emplace_back(0U, static_cast<std::uint32_t>(features->count));
  return ranges;
}

std::vector<std::uint32_t> Schema::retained_columns() const {
  std::vector<std::uint32_t> retained;
  std::uint32_t next = 0;
  const auto add_up_to = [&](std::uint32_t end) {
    for (; next < end; ++next) retained.push_back(next);
  };
  auto kept = kept_columns->begin();
  for (const auto& [begin, end] : choosable_columns()) {
    add_up_to(begin);
    for (; kept != kept_columns->end() && *kept < end; ++kept) retained.push_back(*kept);
    next = end;
  }
  add_up_to(static_cast<std::uint32_t>(full_column_count()));
  return retained;
}

namespace {

void check_narrowing(const Schema& schema, std::string_view where) {
  if (schema.projection && schema.kept_columns) {
    fail_at(where, "columns are either projected or kept, not both");
  }
  if (schema.projection) {
    try {
      check_projection(*schema.projection, schema.full_column_count() - (schema.intercept ? 1 : 0));
    } catch (const base::UsageError& error) {
      fail_at(where, error.what());
    }
  }
  if (!schema.kept_columns) return;
  const auto ranges = schema.choosable_columns();
  std::int64_t previous = -1;
  auto range = ranges.begin();
  for (const auto column : *schema.kept_columns) {
    while (range != ranges.end() && column >= range->second) ++range;
    if (column <= previous || range == ranges.end() || column < range->first) {
      fail_at(where, "'kept_columns' must ascend and name hashed, text or numbered features alone");
    }
    previous = column;
  }
  if (schema.encoded_column_count() < 1) fail_at(where, "'kept_columns' leave no column at all");
}

}  // namespace

void Schema::validate(std::string_view where) const {
  for (const Column& column : columns) internal::check_column(column, where);
  if (features) internal::check_features(*features, where);
  if (target) internal::check_target(*target, where);
  if (cost) internal::check_cost(*cost, where);
  internal::check_format(format, where);
  check_names(*this, where);
  internal::check_encoding(*this, where);
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
  if (public_row_count && (*public_row_count < 1 || *public_row_count > most_rows)) {
    fail_at(where, fmt::format("'public_row_count' must be between 1 and {}, got {}", most_rows,
                               *public_row_count));
  }
  if (full_column_count() > most_encoded_columns) {
    fail_at(where, fmt::format("the schema encodes to {} columns; at most {} are possible",
                               full_column_count(), most_encoded_columns));
  }
}

}  // namespace tacet::data
