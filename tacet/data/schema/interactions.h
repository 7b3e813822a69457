#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// The most features that all interactions of a schema have together.
constexpr std::int64_t max_interaction_features = 4096;

/// Where the features of an interaction are: one for each category of the first column with each of
/// the second, the second's changing fastest.
struct PairFeatures {
  std::size_t first_column;  // in Schema::columns
  std::size_t second_column;
  std::int64_t first;  // the first encoded feature of that column, and how many it has
  std::int64_t first_width;
  std::int64_t second;
  std::int64_t second_width;
  std::int64_t place;  // of the interaction's own first feature

  [[nodiscard]] std::int64_t width() const { return first_width * second_width; }
};

/// In the schema's order, behind the features of all columns. DataError as check_interactions.
[[nodiscard]] std::vector<PairFeatures> pair_features(const Schema& schema,
                                                      std::string_view where = "schema");

/// DataError where a name is no categorical column with one feature a category, a pair is listed
/// twice, or there are more features than max_interaction_features.
void check_interactions(const Schema& schema, std::string_view where);

}  // namespace tacet::data
