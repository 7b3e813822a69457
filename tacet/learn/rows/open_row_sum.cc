#include "tacet/learn/rows/open_row_sum.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tacet::learn {

void OpenRowSum::start() {
  slots_.clear();
  rows_.clear();
  firsts_.clear();
  sums_.clear();
  std::ranges::fill(dense_, 0.0);
}

std::span<double> OpenRowSum::place_of(std::int64_t row) {
  const auto width = static_cast<std::size_t>(layout_.width(row));
  const auto slot =
      static_cast<std::size_t>(slots_.insert(row, static_cast<std::int32_t>(rows_.size())));
  if (slot == rows_.size()) {
    rows_.push_back(row);
    firsts_.push_back(sums_.size());
    sums_.resize(sums_.size() + width, 0);
  }
  return std::span(sums_).subspan(firsts_[slot], width);
}

void OpenRowSum::add(const optimize::RowRecord& record) {
  const double unit = std::ldexp(1.0, record.exponent);
  const double* value = record.values.data();
  for (const auto row : record.rows) {
    for (double& number : place_of(row)) number += *value++ * unit;
  }
  for (const auto& part : record.parts) {
    for (double& number : std::span(dense_).subspan(part.first, part.width)) {
      number += *value++ * unit;
    }
  }
  for (const auto& [first, picked, vector] : record.products) {  // no factor if it is 1
    numeric::add_products(picked, vector, std::span(dense_).subspan(first));
  }
}

mechanism::NoisyRows OpenRowSum::take() {
  ordered_.resize(rows_.size());
  std::iota(ordered_.begin(), ordered_.end(), std::size_t{0});
  std::ranges::sort(ordered_, {}, [&](std::size_t slot) { return rows_[slot]; });
  std::vector<std::int64_t> rows;
  std::vector<double> values;
  rows.reserve(rows_.size());
  values.reserve(sums_.size() + dense_.size());
  for (const auto slot : ordered_) {
    rows.push_back(rows_[slot]);
    const auto width = static_cast<std::size_t>(layout_.width(rows_[slot]));
    const auto own = std::span(sums_).subspan(firsts_[slot], width);
    values.insert(values.end(), own.begin(), own.end());
  }
  values.insert(values.end(), dense_.begin(), dense_.end());
  return {privacy::RowSelection::rows(std::move(rows)), layout_, std::move(values)};
}

}  // namespace tacet::learn
