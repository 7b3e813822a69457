#include "tacet/run/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tacet/base/error.h"
#include "tacet/data/encode/encoder.h"
#include "tacet/data/encode/uniform_encoder.h"

namespace tacet::run {
namespace {

constexpr std::int64_t rows_between_looks = 4096;

/// A data set that is being made of records in memory.
class Making {
 public:
  Making(const data::Schema& schema, data::TargetUse target, const base::CancelToken* cancel)
      : schema_(schema),
        labelled_(target == data::TargetUse::required),
        target_(target),
        cancel_(cancel),
        dataset_(labelled_ ? schema.shape() : schema.unlabelled_shape()) {
    if (labelled_ && schema.unit) dataset_.declare_units();
  }

  data::Dataset operator()(const Matrix& matrix);
  data::Dataset operator()(const Table& table);
  data::Dataset operator()(const Records& records);

 private:
  void append() {
    if (cancel_ != nullptr && dataset_.rows() % rows_between_looks == 0) {
      cancel_->throw_if_cancelled();
    }
    dataset_.append(row_);
  }

  const data::Schema& schema_;
  bool labelled_;
  data::TargetUse target_;
  const base::CancelToken* cancel_;
  data::Dataset dataset_;
  data::EncodedRow row_;
};

std::size_t length_of(const Table::Column& column) {
  return std::visit([](const auto& values) { return values.size(); }, column);
}

data::Dataset Making::operator()(const Matrix& matrix) {
  data::UniformEncoder encoder(schema_);
  if (matrix.columns != schema_.features->count) {
    throw base::UsageError("a matrix of {} columns for a schema of {} features", matrix.columns,
                           schema_.features->count);
  }
  const auto width = static_cast<std::size_t>(matrix.columns);
  const std::size_t rows = matrix.values.size() / width;
  if (rows * width != matrix.values.size() || (labelled_ && matrix.labels.size() != rows)) {
    throw base::UsageError("{} values in {} columns and {} labels are no whole number of records",
                           matrix.values.size(), matrix.columns, matrix.labels.size());
  }
  std::vector<std::uint32_t> columns(width);
  std::iota(columns.begin(), columns.end(), 0U);
  for (std::size_t k = 0; k < rows; ++k) {
    const auto values = matrix.values.subspan(k * width, width);
    if (labelled_) {
      encoder.encode(columns, values, matrix.labels[k], row_);
    } else {
      encoder.encode(columns, values, row_);
    }
    append();
  }
  return std::move(dataset_);
}

data::Dataset Making::operator()(const Table& table) {
  if (table.names.size() != table.columns.size() || table.columns.empty()) {
    throw base::UsageError("a table of {} columns with {} names", table.columns.size(),
                           table.names.size());
  }
  const std::size_t rows = length_of(table.columns.front());
  if (!std::ranges::all_of(table.columns, [&](const auto& c) { return length_of(c) == rows; })) {
    throw base::UsageError("the columns of a table must be of one length");
  }
  std::size_t row = 0;
  return (*this)({table.names, [&](std::span<std::string> fields) {
                    if (row == rows) return false;
                    for (std::size_t j = 0; j < fields.size(); ++j) {
                      if (const auto* numbers = std::get_if<0>(&table.columns[j])) {
                        fmt::format_to(std::back_inserter(fields[j]), "{}", (*numbers)[row]);
                      } else {
                        fields[j] = std::get<1>(table.columns[j])[row];
                      }
                    }
                    ++row;
                    return true;
                  }});
}

data::Dataset Making::operator()(const Records& records) {
  if (!schema_.format.kind->names_columns()) {
    throw base::UsageError("the schema has [features] without names; give it a Matrix");
  }
  data::Encoder encoder(schema_, records.names, target_, "the records in memory");
  std::vector<std::string> fields(records.names.size());
  std::vector<std::string_view> views(fields.size());
  while (true) {
    for (auto& field : fields) field.clear();
    if (!records.next(fields)) return std::move(dataset_);
    std::ranges::copy(fields, views.begin());
    encoder.encode(views, row_);
    append();
  }
}

}  // namespace

data::Dataset dataset_of(const Rows& rows, const data::Schema& schema, data::TargetUse target,
                         const base::CancelToken* cancel) {
  schema.validate();
  if (target == data::TargetUse::required && !schema.target) {
    throw base::UsageError("the schema names no [target]; training needs one");
  }
  return std::visit(Making(schema, target, cancel), rows);
}

}  // namespace tacet::run
