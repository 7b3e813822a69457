#include "tacet/choose/reading.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tacet/data/encode/narrow_rows.h"
#include "tacet/data/encode/standardise.h"

namespace tacet::choose {

std::string reading_of(const learn::Training& training) {
  return data::schema_to_json(training.reading_schema()).dump();
}

std::optional<data::Dataset> read_anew(const data::Dataset& records, const data::Schema& of_model) {
  if (of_model.selected_columns) return data::keep_columns(records, of_model);
  if (std::ranges::any_of(of_model.columns, &data::Column::standardised)) {
    return data::transform(records, of_model);
  }
  return std::nullopt;
}

}  // namespace tacet::choose
