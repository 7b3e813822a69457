#include "tacet/choose/reading.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tacet/data/encode/narrow_rows.h"
#include "tacet/data/encode/standardise.h"

namespace tacet::choose {

std::string reading_of(const learn::Training& training) {
  auto schema = training.reading_schema();
  for (auto& column : schema.columns) {
    // A number whose knots nobody named is read like one that was given none.
    auto* number = std::get_if<data::NumericColumn>(&column.rule);
    if (number != nullptr && !number->knots) number->knots = 0;
  }
  return data::schema_to_json(schema).dump();
}

std::optional<data::Dataset> read_anew(const data::Dataset& records, const data::Schema& of_model) {
  if (of_model.selected_columns) return data::keep_columns(records, of_model);
  if (std::ranges::any_of(of_model.columns, &data::Column::standardised)) {
    return data::transform(records, of_model);
  }
  return std::nullopt;
}

}  // namespace tacet::choose
