#include "tacet/data/read/feature_list.h"

#include <algorithm>
#include <utility>

namespace tacet::data {

void FeatureList::clear() {
  columns_.clear();
  values_.clear();
  sort_at_ = usual_size;
  ascending_ = true;
  repeated_ = 0;
}

void FeatureList::finish() {
  if (ascending_) return;
  std::vector<std::pair<std::uint32_t, double>> fields(columns_.size());
  for (std::size_t k = 0; k < fields.size(); ++k) fields[k] = {columns_[k], values_[k]};
  const auto column_of = [](const auto& field) { return field.first; };
  std::ranges::stable_sort(fields, {}, column_of);  // the first one of each column stays first
  // Not std::ranges::unique: its subrange does not compile with Clang 14 and this library.
  const auto rest = std::unique(fields.begin(), fields.end(), [&](const auto& a, const auto& b) {
    return column_of(a) == column_of(b);
  });
  repeated_ += fields.end() - rest;
  fields.erase(rest, fields.end());
  columns_.resize(fields.size());
  values_.resize(fields.size());
  for (std::size_t k = 0; k < fields.size(); ++k) {
    columns_[k] = fields[k].first;
    values_[k] = fields[k].second;
  }
  ascending_ = true;
}

void FeatureList::make_room() {
  finish();
  sort_at_ = std::max(usual_size, 2 * columns_.size());
}

}  // namespace tacet::data
