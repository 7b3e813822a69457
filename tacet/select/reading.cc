#include "tacet/select/reading.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tacet/data/encode/narrow_rows.h"
#include "tacet/data/encode/standardise.h"

namespace tacet::select {
namespace {

bool standardised(const data::Schema& schema) {
  return std::ranges::any_of(schema.columns, [](const data::Column& column) {
    const auto* rule = std::get_if<data::NumericColumn>(&column.rule);
    return rule != nullptr && rule->standard;
  });
}

}  // namespace

std::string reading_of(const learn::Training& training) {
  return data::schema_to_json(training.reading_schema()).dump();
}

std::optional<data::Dataset> read_anew(const data::Dataset& records, const data::Schema& of_model) {
  if (of_model.kept_columns) return data::keep_columns(records, of_model);
  if (standardised(of_model)) return data::transform(records, of_model);
  return std::nullopt;
}

}  // namespace tacet::select
