#include "tacet/data/owner/value_check.h"

#include <algorithm>
#include <cmath>

namespace tacet::data {

void ValueCheck::check(std::string_view field, std::int64_t line) {
  const std::int64_t before = faults.total();
  const bool absent = missing && missing->has(Value(field));
  if (values) {
    const bool known = values->find(field).has_value();
    faults.missing += !known && absent ? 1 : 0;
    faults.unknown += !known && !absent ? 1 : 0;
    if (!known && !absent) note_strange(field, line);
  } else if (absent) {
    ++faults.missing;
  } else if (ids) {
    static_cast<void>(ids->places(field));
    faults.unknown += ids->dropped();
    faults.outside += ids->beyond();
  } else if (bounds) {
    const auto number = read(field);
    if (number && !read.date() && missing && missing->has_number(*number)) {
      ++faults.missing;
    } else {
      count_number(number);
    }
    if (!number) note_strange(field, line);
  }
  note_first(before, line);
}

void ValueCheck::check_number(double number, std::int64_t line) {
  const std::int64_t before = faults.total();
  if (values) {
    faults.unknown += values->find_number(number) ? 0 : 1;
  } else if (bounds) {
    count_number(std::isfinite(number) ? std::optional(number) : std::nullopt);
  }
  note_first(before, line);
}

void ValueCheck::count_outside(std::int64_t count, std::int64_t line) {
  const std::int64_t before = faults.total();
  faults.outside += count;
  note_first(before, line);
}

void ValueCheck::count_number(std::optional<double> number) {
  faults.unreadable += number ? 0 : 1;
  faults.below += number && *number < bounds->first ? 1 : 0;
  faults.above += number && *number > bounds->second ? 1 : 0;
}

void ValueCheck::note_first(std::int64_t before, std::int64_t line) {
  if (faults.total() > before && faults.first_line == 0) faults.first_line = line;
}

void ValueCheck::note_strange(std::string_view field, std::int64_t line) {
  if (faults.strange_line != 0) return;
  faults.strange_value = field;
  faults.strange_line = line;
}

ValueCheck check_of_target(const Schema& schema) {
  const Target& target = *schema.target;
  ValueCheck checked;
  checked.faults.column = target.column;
  checked.missing.emplace(schema.missing, target.spelling.missing);
  if (const auto* regression = std::get_if<RegressionTarget>(&target.rule)) {
    checked.bounds = {regression->lower, regression->upper};
    checked.read = NumberReader(false, merged(schema.format.spelling, target.spelling));
  } else if (const auto* multi = std::get_if<MultiClassTarget>(&target.rule)) {
    checked.values.emplace(multi->classes);
  } else {
    const auto& binary = std::get<BinaryTarget>(target.rule);
    std::vector<std::string> labels = binary.positive;
    labels.insert(labels.end(), binary.negative.begin(), binary.negative.end());
    // If only one list of labels is given, every other label is valid.
    if (!binary.negative.empty() && !binary.unknown_is_positive) checked.values.emplace(labels);
  }
  return checked;
}

RecordCheck::RecordCheck(const Schema& schema, std::span<const std::string> names, TargetUse target)
    : missing_(schema) {
  const auto place_of = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  };
  for (const Column& column : schema.columns) {
    if (!column.of_file()) continue;
    ValueCheck checked;
    checked.file_column = place_of(column.name);
    checked.faults.column = column.name;
    checked.missing = missing_.of(column.name);
    if (const auto* numeric = std::get_if<NumericColumn>(&column.rule)) {
      checked.bounds = {numeric->lower, numeric->upper};
      checked.read = number_reader(*numeric, schema.format.spelling, column.spelling);
    } else if (const auto* categorical = std::get_if<CategoricalColumn>(&column.rule)) {
      checked.values.emplace(categorical->categories);
    } else if (const auto* ids = std::get_if<IdsColumn>(&column.rule)) {
      checked.ids.emplace(*ids, missing_.of(column.name));
    }
    columns_.push_back(std::move(checked));
  }
  if (target == TargetUse::absent || !schema.target) return;
  columns_.push_back(check_of_target(schema));
  columns_.back().file_column = place_of(schema.target->column);
}

std::span<const std::string> RecordCheck::check(std::span<const std::string_view> fields,
                                                std::int64_t line) {
  mapped_.clear();
  for (ValueCheck& column : columns_) {
    const auto before = column.faults.total();
    column.check(fields[column.file_column], line);
    if (column.faults.total() > before) mapped_.push_back(column.faults.column);
  }
  return mapped_;
}

std::vector<ColumnFaults> RecordCheck::take_faults() {
  std::vector<ColumnFaults> faults;
  for (ValueCheck& column : columns_) faults.push_back(std::move(column.faults));
  return faults;
}

}  // namespace tacet::data
