#include "tacet/data/schema/interactions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tacet/data/schema/schema_node.h"

namespace tacet::data {
namespace {

using internal::fail_at;

std::size_t categorical_place(const Schema& schema, const std::string& name,
                              std::string_view where) {
  for (std::size_t k = 0; k < schema.columns.size(); ++k) {
    if (schema.columns[k].name != name) continue;
    const auto* rule = std::get_if<CategoricalColumn>(&schema.columns[k].rule);
    if (rule != nullptr && rule->coding == Coding::one_hot) return k;
    fail_at(where, "interactions: column '{}' is not categorical with one feature a category",
            name);
  }
  fail_at(where, "interactions: the schema describes no column '{}'", name);
}

}  // namespace

std::vector<PairFeatures> pair_features(const Schema& schema, std::string_view where) {
  std::vector<PairFeatures> pairs;
  if (schema.interactions.empty()) return pairs;
  std::vector<std::int64_t> places{0};
  for (const Column& column : schema.columns) places.push_back(places.back() + column.width());
  std::int64_t next = places.back();
  for (const auto& [first, second] : schema.interactions) {
    const auto a = categorical_place(schema, first, where);
    const auto b = categorical_place(schema, second, where);
    pairs.push_back(
        {a, b, places[a], schema.columns[a].width(), places[b], schema.columns[b].width(), next});
    next += pairs.back().width();
  }
  return pairs;
}

void check_interactions(const Schema& schema, std::string_view where) {
  std::set<std::pair<std::size_t, std::size_t>> seen;
  std::int64_t features = 0;
  for (const auto& pair : pair_features(schema, where)) {
    const auto [a, b] = std::minmax(pair.first_column, pair.second_column);
    if (a == b || !seen.insert({a, b}).second) {
      fail_at(where, "interactions: '{}' and '{}' are {}", schema.columns[pair.first_column].name,
              schema.columns[pair.second_column].name, a == b ? "one column" : "listed twice");
    }
    features += pair.width();
  }
  if (features > max_interaction_features) {
    fail_at(where,
            "interactions: {} features, one for each two categories; at most {} are possible: "
            "leave out a pair, or list fewer categories",
            features, max_interaction_features);
  }
}

}  // namespace tacet::data
