#include "tacet/data/read/column_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/encode/label_encoder.h"
#include "tacet/data/encode/missing_values.h"
#include "tacet/data/encode/number_reader.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/record_source.h"
#include "tacet/data/schema/calendar.h"

namespace tacet::data {
namespace {

SummaryColumn numeric_column(const std::string& name, double lower, double upper) {
  return {.name = name,
          .numeric = true,
          .lower = lower,
          .upper = upper,
          .kinds = {"present", "(missing)"}};
}

SummaryColumn summary_of(const Column& column) {
  if (const auto* rule = std::get_if<NumericColumn>(&column.rule)) {
    auto result = numeric_column(column.name, rule->lower, rule->upper);
    result.log1p = rule->log1p;
    result.date = rule->date;
    return result;
  }
  SummaryColumn result{.name = column.name};
  if (const auto* rule = std::get_if<CategoricalColumn>(&column.rule)) {
    result.kinds = rule->categories;
    result.kinds.emplace_back("(other)");
  } else {
    result.kinds.emplace_back("present");
  }
  result.kinds.emplace_back("(missing)");
  return result;
}

SummaryColumn summary_of(const Target& target) {
  const auto* rule = std::get_if<RegressionTarget>(&target.rule);
  auto result = rule != nullptr
                    ? numeric_column(target.column, rule->lower, rule->upper)
                    : SummaryColumn{.name = target.column, .kinds = target.class_names()};
  result.target = true;
  return result;
}

NumberReader reader_of(const Schema& schema, const SummaryColumn& summary) {
  const auto& file = schema.format.spelling;
  if (summary.target) return {false, merged(file, schema.target->spelling)};
  const auto found = std::ranges::find(schema.columns, summary.name, &Column::name);
  return {summary.date, found == schema.columns.end() ? file : merged(file, found->spelling)};
}

/// Sorts the values of one column by kind.
class Counter {
 public:
  /// `missing` outlives it.
  Counter(const Schema& schema, const SummaryColumn& column, const MissingValues& missing)
      : column_(column), missing_(&missing) {
    if (column.target && !column.numeric) {
      labels_.emplace(schema);
    } else if (!column.numeric) {
      // All kinds but the last two are listed in the schema.
      const auto listed = std::max<std::size_t>(column.kinds.size(), 2) - 2;
      categories_.emplace(std::span(column.kinds).first(listed));
    }
    reader_ = reader_of(schema, column);
    found_.counts.resize(column.kinds.size(), 0);
  }

  void add(const Value& value) {
    const bool missing = missing_->has(value);
    const auto* list = std::get_if<List>(&value);
    ++found_.counts[kind(value, list == nullptr ? missing : list->count == 0)];
  }

  [[nodiscard]] privacy::Private<ColumnCounts> take() {
    return privacy::Private(std::move(found_));
  }

 private:
  [[nodiscard]] std::size_t kind(const Value& value, bool missing) {
    const auto last = column_.kinds.size() - 1;
    if (labels_) return class_of(labels_->rule_label(value));
    if (categories_) {
      if (const auto listed = categories_->find_value(value)) return *listed;
      return missing ? last : last - 1;  // present, or another category
    }
    const auto number = missing ? std::nullopt : number_of(value, reader_);
    if (!number || (!column_.date && missing_->has_number(*number))) return last;
    found_.numbers.push_back(std::clamp(*number, column_.lower, column_.upper));
    return 0;
  }

  /// The index of a class: labels of two classes are -1 and +1, and those of several are 0, 1, ...
  [[nodiscard]] std::size_t class_of(double label) const {
    const bool two = label < 0 || column_.kinds.size() == 2;
    return two ? (label > 0 ? 1 : 0) : static_cast<std::size_t>(label);
  }

  const SummaryColumn& column_;
  const MissingValues* missing_;
  std::optional<LabelEncoder> labels_;
  std::optional<ValueIndex> categories_;
  NumberReader reader_;
  ColumnCounts found_;
};

}  // namespace

std::vector<SummaryColumn> summary_columns(const Schema& schema) {
  if (!schema.format.kind->names_columns() || schema.features) {
    throw base::UsageError("only CSV files have columns with names, which can be described");
  }
  std::vector<SummaryColumn> result;
  for (const auto& column : schema.columns) {
    if (column.of_file()) result.push_back(summary_of(column));
  }
  if (schema.target) result.push_back(summary_of(*schema.target));
  return result;
}

std::string value_text(const SummaryColumn& column, double value) {
  return column.date ? date_text(std::llround(value)) : fmt::format("{:.6g}", value);
}

TableCounts read_counts(const RecordSource& source, const Schema& schema,
                        const base::CancelToken* cancel, UnitSample* sample) {
  const auto columns = summary_columns(schema);
  const ColumnMissingValues missing(schema);
  const MissingValues of_target(
      schema.missing, schema.target ? schema.target->spelling.missing : std::vector<std::string>());
  const auto reader = source.open();
  const auto& names = reader->names();
  if (sample != nullptr) sample->expect_columns(names, source.name);
  std::vector<std::size_t> places;
  std::vector<Counter> counters;
  for (const auto& column : columns) {
    places.push_back(column_place(column.name, names, source.name));
    counters.emplace_back(schema, column, column.target ? of_target : missing.of(column.name));
  }
  std::int64_t records = 0;
  for (std::size_t row = 0; const auto record = reader->next(); ++row) {
    if (cancel != nullptr && row % rows_between_checks == 0) cancel->throw_if_cancelled();
    if (sample != nullptr && !sample->takes_next(*record)) continue;
    ++records;
    for (std::size_t k = 0; k < counters.size(); ++k) {
      counters[k].add((*record)[places[k]]);
    }
  }
  TableCounts result{privacy::Private(std::vector{records}), {}};
  for (auto& counter : counters) result.columns.push_back(counter.take());
  return result;
}

}  // namespace tacet::data
