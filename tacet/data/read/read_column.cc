#include "tacet/data/read/read_column.h"

#include <string>

#include "tacet/base/error.h"
#include "tacet/data/encode/missing_values.h"
#include "tacet/data/encode/number_reader.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/read/record_source.h"
#include "tacet/data/schema/numeric_map.h"

namespace tacet::data {
namespace {

/// Bounds, the replacement of a missing value, and the reader of numbers.
struct NumericRule {
  ColumnBounds bounds;
  double fill;
  NumberReader reader = {};
  std::vector<std::string> missing = {};
};

NumericRule numeric_rule(const Schema& schema, std::string_view name) {
  if (!schema.format.kind->names_columns()) {
    throw base::UsageError("only CSV files have columns with names");
  }
  for (const auto& column : schema.columns) {
    if (column.name != name) continue;
    const auto* rule = std::get_if<NumericColumn>(&column.rule);
    if (rule == nullptr) {
      throw base::UsageError("column '{}' is not numeric in the schema; a number is needed", name);
    }
    return {{rule->lower, rule->upper, rule->date},
            missing_value(*rule),
            number_reader(*rule, schema.format.spelling, column.spelling),
            column.spelling.missing};
  }
  if (schema.target && schema.target->column == name) {
    const auto* rule = std::get_if<RegressionTarget>(&schema.target->rule);
    if (rule == nullptr) {
      throw base::UsageError("the target '{}' is not numeric in the schema; a number is needed",
                             name);
    }
    const double middle = rule->lower + (rule->upper - rule->lower) / 2;
    return {{rule->lower, rule->upper},
            rule->kind == NumberKind::number ? middle : rule->lower,
            NumberReader(false, merged(schema.format.spelling, schema.target->spelling)),
            schema.target->spelling.missing};
  }
  throw base::UsageError("the schema describes no column '{}'", name);
}

}  // namespace

ColumnBounds numeric_bounds(const Schema& schema, std::string_view column) {
  return numeric_rule(schema, column).bounds;
}

privacy::Private<std::vector<double>> read_numeric_column(const RecordSource& records,
                                                          const Schema& schema,
                                                          std::string_view column,
                                                          const base::CancelToken* cancel) {
  schema.validate();
  if (schema.unit) {
    throw base::UsageError(
        "the schema's unit column '{}' asks to protect all records of a unit together, which is "
        "not possible here; remove 'unit' to protect single records",
        *schema.unit);
  }
  const NumericRule rule = numeric_rule(schema, column);
  const MissingValues missing(schema.missing, rule.missing);
  const auto reader = records.open();
  const auto place = column_place(column, reader->names(), records.name);
  std::vector<double> values;
  while (const auto record = reader->next()) {
    const Value& value = (*record)[place];
    const auto number = missing.has(value) ? std::nullopt : number_of(value, rule.reader);
    const bool spelt_missing = number && !rule.reader.date() && missing.has_number(*number);
    values.push_back(spelt_missing ? rule.fill : number.value_or(rule.fill));
    if (cancel != nullptr && values.size() % rows_between_checks == 0) {
      cancel->throw_if_cancelled();
    }
  }
  return privacy::Private<std::vector<double>>(std::move(values));
}

privacy::Private<std::vector<double>> read_numeric_column(const std::filesystem::path& file,
                                                          const Schema& schema,
                                                          std::string_view column,
                                                          const base::CancelToken* cancel) {
  return read_numeric_column(csv_records(file, schema.format), schema, column, cancel);
}

}  // namespace tacet::data
