#include "tacet/data/read/read_column.h"

#include <algorithm>
#include <string>

#include "tacet/base/error.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/read/byte_source.h"
#include "tacet/data/read/cancel_rhythm.h"
#include "tacet/data/read/csv_file.h"
#include "tacet/data/schema/numeric_map.h"

namespace tacet::data {
namespace {

/// Bounds, what stands for a missing value, and how the file spells numbers.
struct NumericRule {
  ColumnBounds bounds;
  double fill;
  ValueReader read = parse_number;
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
            missing_value(*rule, schema.encoding),
            value_reader(*rule)};
  }
  if (schema.target && schema.target->column == name) {
    const auto* rule = std::get_if<RegressionTarget>(&schema.target->rule);
    if (rule == nullptr) {
      throw base::UsageError("the target '{}' is not numeric in the schema; a number is needed",
                             name);
    }
    const double middle = rule->lower + (rule->upper - rule->lower) / 2;
    return {{rule->lower, rule->upper}, rule->kind == NumberKind::number ? middle : rule->lower};
  }
  throw base::UsageError("the schema describes no column '{}'", name);
}

}  // namespace

ColumnBounds numeric_bounds(const Schema& schema, std::string_view column) {
  return numeric_rule(schema, column).bounds;
}

privacy::Private<std::vector<double>> read_numeric_column(const std::filesystem::path& file,
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
  CsvReader reader(open_source(file), file.string(), csv_options(schema.format));
  const auto place =
      column_place(column, read_column_names(reader, schema.format), reader.file_name());
  std::vector<double> values;
  while (const auto fields = reader.next()) {
    const std::string_view field = (*fields)[place];
    const bool missing =
        std::find(schema.missing.begin(), schema.missing.end(), field) != schema.missing.end();
    const auto number = missing ? std::nullopt : rule.read(field);
    values.push_back(number.value_or(rule.fill));
    if (cancel != nullptr && values.size() % rows_between_checks == 0) {
      cancel->throw_if_cancelled();
    }
  }
  return privacy::Private<std::vector<double>>(std::move(values));
}

}  // namespace tacet::data
