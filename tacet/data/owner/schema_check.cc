#include "tacet/data/owner/schema_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/id_bag.h"
#include "tacet/data/encode/label_encoder.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/owner/similar_units.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/uniform_records.h"

namespace tacet::data {
namespace {

/// The rule of one column, target included, as far as checking goes.
struct Checked {
  std::size_t file_column = 0;
  std::optional<std::pair<double, double>> bounds;
  ValueReader read = parse_number;
  std::optional<ValueIndex> values;
  std::optional<IdBag> ids;
  ColumnFaults faults;

  void check(std::string_view field, bool missing, std::int64_t line) {
    const std::int64_t before = faults.total();
    if (values) {
      const bool known = values->find(field).has_value();
      faults.missing += !known && missing ? 1 : 0;
      faults.unknown += !known && !missing ? 1 : 0;
    } else if (missing) {
      ++faults.missing;
    } else if (ids) {
      static_cast<void>(ids->places(field));
      faults.unknown += ids->dropped();
      faults.outside += ids->beyond();
    } else if (bounds) {
      count_number(read(field));
    }
    note_first(before, line);
  }

  /// A number of an array: NaN and infinities are unreadable.
  void check_number(double number, std::int64_t line) {
    const std::int64_t before = faults.total();
    if (values) {
      faults.unknown += values->find_number(number) ? 0 : 1;
    } else if (bounds) {
      count_number(std::isfinite(number) ? std::optional(number) : std::nullopt);
    }
    note_first(before, line);
  }

  void count_outside(std::int64_t count, std::int64_t line) {
    const std::int64_t before = faults.total();
    faults.outside += count;
    note_first(before, line);
  }

 private:
  void count_number(std::optional<double> number) {
    faults.unreadable += number ? 0 : 1;
    faults.below += number && *number < bounds->first ? 1 : 0;
    faults.above += number && *number > bounds->second ? 1 : 0;
  }
  void note_first(std::int64_t before, std::int64_t line) {
    if (faults.total() > before && faults.first_line == 0) faults.first_line = line;
  }
};

std::size_t place_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

Checked checked_target(const Target& target) {
  Checked checked;
  checked.faults.column = target.column;
  if (const auto* regression = std::get_if<RegressionTarget>(&target.rule)) {
    checked.bounds = {regression->lower, regression->upper};
  } else if (const auto* multi = std::get_if<MultiClassTarget>(&target.rule)) {
    checked.values.emplace(multi->classes);
  } else {
    const auto& binary = std::get<BinaryTarget>(target.rule);
    std::vector<std::string> labels = binary.positive;
    labels.insert(labels.end(), binary.negative.begin(), binary.negative.end());
    // With one list only, every other label is legitimate.
    if (!binary.negative.empty() && !binary.unknown_is_positive) checked.values.emplace(labels);
  }
  return checked;
}

/// `missing` outlives them.
std::vector<Checked> checked_columns(const Schema& schema, const std::vector<std::string>& names,
                                     const MissingValues& missing) {
  std::vector<Checked> columns;
  for (const Column& column : schema.columns) {
    if (!column.of_file()) continue;
    Checked checked;
    checked.file_column = place_of(names, column.name);
    checked.faults.column = column.name;
    if (const auto* numeric = std::get_if<NumericColumn>(&column.rule)) {
      checked.bounds = {numeric->lower, numeric->upper};
      checked.read = value_reader(*numeric);
    } else if (const auto* categorical = std::get_if<CategoricalColumn>(&column.rule)) {
      checked.values.emplace(categorical->categories);
    } else if (const auto* ids = std::get_if<IdsColumn>(&column.rule)) {
      checked.ids.emplace(*ids, missing);
    }
    columns.push_back(std::move(checked));
  }
  if (schema.target) {
    columns.push_back(checked_target(*schema.target));
    columns.back().file_column = place_of(names, schema.target->column);
  }
  return columns;
}

/// Which classes occur.
class ClassesSeen {
 public:
  explicit ClassesSeen(const Schema& schema) {
    if (!schema.target || schema.target->regression()) return;
    encoder_.emplace(*schema.target);
    names_ = schema.target->class_names();
    seen_.assign(names_.size(), false);
    binary_ = std::holds_alternative<BinaryTarget>(schema.target->rule);
  }

  void add(std::string_view label) {
    if (encoder_) note(encoder_->encode(label));
  }
  void add_number(double label) {
    if (encoder_) note(encoder_->encode_number(label));
  }

  [[nodiscard]] std::vector<std::string> empty() const {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (!seen_[k]) names.push_back(names_[k]);
    }
    return names;
  }

 private:
  void note(double label) {
    seen_[static_cast<std::size_t>(binary_ ? (label > 0 ? 1 : 0) : label)] = true;
  }

  std::optional<LabelEncoder> encoder_;
  std::vector<std::string> names_;
  std::vector<bool> seen_;
  bool binary_ = false;
};

SchemaCheck check_csv(const std::filesystem::path& file, const Schema& schema) {
  CsvReader reader(open_source(file), file.string(), csv_options(schema.format));
  const std::vector<std::string> names = read_column_names(reader, schema.format);
  // Refuses a file that lacks a column of the schema.
  const Encoder encoder(schema, names, schema.target ? TargetUse::required : TargetUse::absent,
                        file.string());
  const MissingValues missing_values(schema.missing);
  std::vector<Checked> columns = checked_columns(schema, names, missing_values);
  ClassesSeen classes(schema);
  SimilarUnits units;
  const auto unit = schema.unit ? std::optional(place_of(names, *schema.unit)) : std::nullopt;
  SchemaCheck result;
  while (const auto fields = reader.next()) {
    ++result.rows;
    if (unit && *unit < fields->size()) units.add((*fields)[*unit], reader.line());
    if (schema.target) classes.add((*fields)[columns.back().file_column]);
    for (Checked& column : columns) {
      const std::string_view field = (*fields)[column.file_column];
      const bool missing =
          std::find(schema.missing.begin(), schema.missing.end(), field) != schema.missing.end();
      column.check(field, missing, reader.line());
    }
  }
  for (Checked& column : columns) result.columns.push_back(std::move(column.faults));
  result.empty_classes = classes.empty();
  result.similar_units = units.count();
  result.similar_units_line = units.first_line();
  return result;
}

SchemaCheck check_uniform(const std::filesystem::path& file, const Schema& schema) {
  const auto records =
      internal::open_uniform(file, schema, schema.target ? TargetUse::required : TargetUse::absent);
  Checked features;
  features.faults.column = "features";
  features.bounds = {schema.features->lower, schema.features->upper};
  std::optional<Checked> label;
  if (schema.target) {
    label = checked_target(*schema.target);
    if (label->faults.column.empty()) label->faults.column = "label";
  }
  ClassesSeen classes(schema);
  SchemaCheck result;
  result.lines = schema.format.kind->has_lines;
  internal::UniformRecord record;
  while (records->next(record)) {
    ++result.rows;
    for (const double value : record.values) features.check_number(value, record.place);
    features.count_outside(record.outside, record.place);
    if (!label) continue;
    if (record.number_label) {
      label->check_number(*record.number_label, record.place);
      classes.add_number(*record.number_label);
    } else {
      classes.add(record.text_label);
      label->check(record.text_label, false, record.place);
    }
  }
  result.columns.push_back(std::move(features.faults));
  if (label) result.columns.push_back(std::move(label->faults));
  result.empty_classes = classes.empty();
  return result;
}

}  // namespace

std::string label_fault(const SchemaCheck& found, const Schema& schema) {
  const auto* target = schema.target ? std::get_if<BinaryTarget>(&schema.target->rule) : nullptr;
  if (target == nullptr || found.rows == 0 || found.empty_classes.empty()) return {};
  const bool positive = found.empty_classes.front() == target->names()[1];
  const auto& labels = positive ? target->positive : target->negative;
  return fmt::format(
      "no record is {}: nobody has {}; spell {} in [target] as the column {} does",
      positive ? "positive" : "negative",
      labels.empty() ? std::string("another label than the positive ones")
                     : fmt::format("the label '{}'", fmt::join(labels, "' or '")),
      positive ? "positive" : "negative",
      schema.target->column.empty() ? "of labels" : fmt::format("'{}'", schema.target->column));
}

std::string unit_warning(const SchemaCheck& found, const Schema& schema) {
  if (found.similar_units == 0) return {};
  return fmt::format(
      "{} names of the unit '{}' differ by case or blanks alone from another one, the first in "
      "line {}. Blanks around a name make no other unit, case and blanks within one do; where they "
      "are one person, spell them alike: a person of two names is protected half as well",
      found.similar_units, schema.unit.value_or(""), found.similar_units_line);
}

SchemaCheck check_values(const std::filesystem::path& file, const Schema& schema) {
  schema.validate();
  return schema.format.kind->names_columns() ? check_csv(file, schema)
                                             : check_uniform(file, schema);
}

}  // namespace tacet::data
