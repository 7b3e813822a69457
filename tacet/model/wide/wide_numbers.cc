#include "tacet/model/wide/wide_numbers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacet/base/error.h"

namespace tacet::model {

WideNumbers::WideNumbers(WideArchitecture architecture, const data::Schema& schema,
                         const Loss& loss, std::vector<float> numbers)
    : architecture_(std::move(architecture)),
      net_(wide_shape(schema, architecture_, loss)),
      numbers_(std::move(numbers)) {
  if (const auto expected = wide_number_count(net_.shape()); std::ssize(numbers_) != expected) {
    throw base::DataError("the architecture has {} numbers, got {}", expected, numbers_.size());
  }
  const auto found =
      std::ranges::find_if(numbers_, [](float number) { return !std::isfinite(number); });
  if (found != numbers_.end()) {
    throw base::DataError("number {} is not finite", found - numbers_.begin());
  }
}

std::span<const float> WideNumbers::block() const {
  return std::span(numbers_).last(static_cast<std::size_t>(net_.layout().dense()));
}

std::span<const float> WideNumbers::row(std::int64_t row, std::span<float> /*room*/) const {
  const auto& layout = net_.layout();
  return std::span(numbers_).subspan(static_cast<std::size_t>(layout.first_cell(row)),
                                     static_cast<std::size_t>(layout.width(row)));
}

void WideNumbers::margins(const data::Dataset& data, std::int64_t row, WideTrace& trace,
                          std::span<double> out) const {
  read_wide_record(net_, data, row, trace);
  net_.forward(*this, block(), trace);
  std::ranges::copy(trace.outputs, out.begin());
}

std::int64_t wide_number_count(const WideShape& shape) {
  const auto layout = shape.layout();
  return layout.cells() + layout.dense();
}

void read_wide_record(const WideNet& net, const data::Dataset& data, std::int64_t row,
                      WideTrace& trace) {
  constexpr double unit = 1.0 / data::Dataset::feature_scale;
  auto& columns = trace.columns;
  if (data.sparse()) {
    const auto record = data.sparse_row(row);
    columns.assign(record.columns.begin(), record.columns.end());
    trace.features.clear();
    for (const auto value : record.values) trace.features.push_back(unit * value);
  } else {
    const auto record = data.dense_row(row);
    columns.resize(record.size());
    columns.resize(numeric::nonzero_places(record, columns));
    trace.features.clear();
    for (const auto column : columns) trace.features.push_back(unit * record[column]);
  }
  net.read(columns, trace.features, trace);
}

}  // namespace tacet::model
