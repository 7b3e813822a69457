#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// The largest number of features of all interactions of a schema together.
constexpr std::int64_t max_interaction_features = 4096;

/// The place of an interaction's features. There is one for each pair of categories; the second
/// column's category changes fastest.
struct PairFeatures {
  std::size_t first_column;  // in Schema::columns
  std::size_t second_column;
  std::int64_t first;  // the first encoded feature of that column, and their number
  std::int64_t first_width;
  std::int64_t second;
  std::int64_t second_width;
  std::int64_t place;  // place of the interaction's first feature

  [[nodiscard]] std::int64_t width() const { return first_width * second_width; }
};

/// In the schema's order, after the features of all columns. DataError as check_interactions.
[[nodiscard]] std::vector<PairFeatures> pair_features(const Schema& schema,
                                                      std::string_view where = "schema");

/// DataError if a name is not that of a categorical column with one feature per category, if a pair
/// is listed twice, or if there are more features than max_interaction_features.
void check_interactions(const Schema& schema, std::string_view where);

}  // namespace tacet::data
