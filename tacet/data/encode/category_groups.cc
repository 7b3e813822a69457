#include "tacet/data/encode/category_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"

namespace tacet::data {
namespace {

/// The names of all columns with listed categories.
std::vector<std::string> categorical_names(const Schema& schema) {
  std::vector<std::string> names;
  for (const Column& column : schema.columns) {
    if (std::holds_alternative<CategoricalColumn>(column.rule)) names.push_back(column.name);
  }
  return names;
}

[[noreturn]] void refuse(const Schema& schema, std::string_view column) {
  const auto names = categorical_names(schema);
  throw base::UsageError(
      "groups need a column whose categories the schema lists; '{}' is none{}", column,
      names.empty()
          ? ", and the schema has none"
          : fmt::format("; there {} {}", names.size() == 1 ? "is" : "are", fmt::join(names, ", ")));
}

/// The value of a feature, 0 where a sparse row leaves it out.
std::int16_t feature(const Dataset& dataset, std::int64_t row, std::int64_t index) {
  if (!dataset.sparse()) {
    std::vector<std::int16_t> room;
    return dataset.dense_row(row, room)[static_cast<std::size_t>(index)];
  }
  const auto sparse = dataset.sparse_row(row);
  const auto wanted = static_cast<std::uint32_t>(index);
  const auto found = std::ranges::lower_bound(sparse.columns, wanted);
  if (found == sparse.columns.end() || *found != wanted) return 0;
  return sparse.values[static_cast<std::size_t>(found - sparse.columns.begin())];
}

}  // namespace

CategoryGroups::CategoryGroups(const Schema& schema, std::string_view column) : column_(column) {
  if (schema.projection) {
    throw base::UsageError(
        "groups of column '{}' cannot be told: the model's rows are projected, and no feature of "
        "them is one category",
        column);
  }
  const auto found = std::ranges::find(schema.columns, column, &Column::name);
  if (found == schema.columns.end()) refuse(schema, column);
  const auto* rule = std::get_if<CategoricalColumn>(&found->rule);
  if (rule == nullptr) refuse(schema, column);
  names_ = rule->categories;
  // A category may have that name itself.
  const bool taken = std::ranges::find(names_, "other") != names_.end();
  names_.emplace_back(taken ? "(other)" : "other");
  sign_ = rule->coding == Coding::sign;
  count_ = base::checked_cast<std::int64_t>(rule->categories.size());
  const auto index = found - schema.columns.begin();
  const auto features = schema.encoded_columns();
  const auto first = std::ranges::find(features, index, &EncodedColumn::column);
  first_ = first - features.begin();
}

std::int64_t CategoryGroups::group_of(const Dataset& dataset, std::int64_t row) const {
  if (sign_) {
    const auto value = feature(dataset, row, first_);
    return value < 0 ? 0 : value > 0 ? 1 : count_;
  }
  for (std::int64_t k = 0; k < count_; ++k) {
    if (feature(dataset, row, first_ + k) != 0) return k;
  }
  return count_;
}

}  // namespace tacet::data
