#include "tacet/data/encode/narrow_rows.h"

#include <algorithm>
#include <cmath>

#include "tacet/data/rewritten.h"

namespace tacet::data {
namespace {

// Shrinks a row that rounding left just above its bound.
constexpr double step_down = 1 - 0x1p-30;

void copy_row(const Dataset& dataset, std::int64_t place, EncodedRow& row) {
  if (dataset.sparse()) {
    const auto sparse = dataset.sparse_row(place);
    row.columns.assign(sparse.columns.begin(), sparse.columns.end());
    row.values.assign(sparse.values.begin(), sparse.values.end());
    return;
  }
  std::vector<std::int16_t> room;
  const auto dense = dataset.dense_row(place, room);
  for (std::size_t j = 0; j < dense.size(); ++j) {
    if (dense[j] == 0) continue;
    row.columns.push_back(static_cast<std::uint32_t>(j));
    row.values.push_back(dense[j]);
  }
}

auto narrowing_of(const Schema& narrowed) {
  return [rows = NarrowRows(narrowed)](const Dataset& dataset, std::int64_t place,
                                       EncodedRow& row) mutable {
    copy_row(dataset, place, row);
    rows.narrow(row);
  };
}

}  // namespace

NarrowRows::NarrowRows(const Schema& schema)
    : intercept_(schema.intercept),
      intercept_column_(static_cast<std::uint32_t>(schema.full_column_count() - 1)),
      squared_norm_bound_(Dataset(schema.shape()).squared_norm_bound()) {
  if (schema.projection) {
    map_.emplace(*schema.projection, schema.full_column_count() - (intercept_ ? 1 : 0));
  }
  if (!schema.selected_columns) return;
  retained_ = schema.retained_columns();
  std::uint32_t first = 0;
  for (const Column& column : schema.columns) {
    const auto width = static_cast<std::uint32_t>(column.width());
    const bool bag = std::holds_alternative<TextColumn>(column.rule) ||
                     std::holds_alternative<IdsColumn>(column.rule);
    if (bag) texts_.emplace_back(first, first + width);
    first += width;
  }
}

void NarrowRows::narrow(EncodedRow& row) {
  if (map_) project(row);
  if (!retained_.empty()) keep(row);
}

void NarrowRows::keep(EncodedRow& row) {
  kept_.clear();
  auto from = retained_.begin();
  for (std::size_t k = 0; k < row.columns.size(); ++k) {
    from = std::lower_bound(from, retained_.end(), row.columns[k]);
    if (from == retained_.end()) break;
    if (*from == row.columns[k]) kept_.emplace_back(row.columns[k], row.values[k]);
  }
  restore_texts(row);
  row.columns.clear();
  row.values.clear();
  from = retained_.begin();
  for (const auto& [column, value] : kept_) {
    from = std::lower_bound(from, retained_.end(), column);
    if (value == 0) continue;
    row.columns.push_back(static_cast<std::uint32_t>(from - retained_.begin()));
    row.values.push_back(value);
  }
}

void NarrowRows::restore_texts(const EncodedRow& row) {
  for (const auto& range : texts_) {
    const auto inside = [&range](std::uint32_t column) {
      return column >= range.first && column < range.second;
    };
    std::int64_t before = 0;
    std::int64_t after = 0;
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      if (inside(row.columns[k])) before += std::int64_t{row.values[k]} * row.values[k];
    }
    for (const auto& [column, value] : kept_) {
      if (inside(column)) after += std::int64_t{value} * value;
    }
    if (after == 0 || after == before) continue;
    // Truncates toward zero, so that the sum of the squares does not grow. It is an integer below
    // 2^30, which no rounding of these doubles can exceed.
    const double factor = std::sqrt(static_cast<double>(before) / static_cast<double>(after));
    for (auto& [column, value] : kept_) {
      if (inside(column)) value = static_cast<std::int16_t>(value * factor);
    }
  }
}

void NarrowRows::sketch(const EncodedRow& row, std::size_t features) {
  for (std::size_t k = 0; k < features; ++k) {
    map_->sketch(row.columns[k], row.values[k],
                 [&](std::uint32_t place, double part) { reals_.emplace_back(place, part); });
  }
  std::ranges::sort(reals_, {}, &std::pair<std::uint32_t, double>::first);
  // Parts that meet in one place are added, which is exact: they are integers or halves.
  std::size_t count = 0;
  for (const auto& [place, part] : reals_) {
    if (count > 0 && reals_[count - 1].first == place) {
      reals_[count - 1].second += part;
    } else {
      reals_[count++] = {place, part};
    }
  }
  reals_.resize(count);
}

void NarrowRows::transform(const EncodedRow& row, std::size_t features) {
  values_.assign(row.values.begin(), row.values.begin() + static_cast<std::ptrdiff_t>(features));
  image_.resize(static_cast<std::size_t>(map_->projection().width));
  map_->apply(std::span(row.columns).first(features), values_, image_);
  for (std::size_t i = 0; i < image_.size(); ++i) {
    if (image_[i] != 0) reals_.emplace_back(static_cast<std::uint32_t>(i), image_[i]);
  }
}

void NarrowRows::project(EncodedRow& row) {
  const bool constant =
      intercept_ && !row.columns.empty() && row.columns.back() == intercept_column_;
  const std::size_t features = row.columns.size() - (constant ? 1 : 0);
  const auto intercept = static_cast<std::int16_t>(
      constant ? row.values.back() / map_->projection().room : std::int64_t{0});
  reals_.clear();
  if (map_->projection().family == ProjectionFamily::countsketch) {
    sketch(row, features);
  } else {
    transform(row, features);
  }
  certify(row, intercept);
}

void NarrowRows::certify(EncodedRow& row, std::int16_t intercept) {
  const std::int64_t room = squared_norm_bound_ - std::int64_t{intercept} * intercept;
  double squared = 0;
  for (const auto& [place, value] : reals_) squared += value * value;
  const auto max = static_cast<double>(room);
  // No stored feature is larger. If rows may be longer than 1, many columns can meet in one place.
  constexpr double largest = Dataset::feature_scale;
  double scale = squared > max ? std::sqrt(max / squared) : 1;
  for (std::int64_t sum = room + 1; sum > room; scale *= step_down) {
    sum = 0;
    row.columns.clear();
    row.values.clear();
    for (const auto& [place, value] : reals_) {
      const auto integer =
          static_cast<std::int64_t>(std::clamp(value * scale, -largest, largest));  // toward zero
      if (integer == 0) continue;
      sum += integer * integer;
      if (sum > room) break;
      row.columns.push_back(place);
      row.values.push_back(static_cast<std::int16_t>(integer));
    }
  }
  if (intercept == 0) return;
  row.columns.push_back(static_cast<std::uint32_t>(map_->projection().width));
  row.values.push_back(intercept);
}

Dataset keep_columns(const Dataset& dataset, const Schema& narrowed) {
  return rewritten(dataset, narrowed.shape(), narrowing_of(narrowed));
}

Dataset keep_columns(Dataset&& dataset, const Schema& narrowed) {
  return rewritten(std::move(dataset), narrowed.shape(), narrowing_of(narrowed));
}

}  // namespace tacet::data
