#include "tacet/data/encode/curve_records.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/encode/curve_rows.h"
#include "tacet/data/encode/row_scaler.h"
#include "tacet/data/encode/standardise.h"
#include "tacet/data/rewritten.h"

namespace tacet::data {
namespace {

constexpr std::int64_t records_at_once = 256;
constexpr double room_per_number = 1.5;

/// Reads a few hundred records one after the other, and computes their rows together.
class CurveWriter {
 public:
  CurveWriter(const Schema& schema, CurveLabels labels, base::ThreadPool& threads)
      : reader_(schema),
        rows_(schema),
        standard_(labels == CurveLabels::standardised ? schema.curves->target : Standard{}),
        threads_(threads) {}

  template <typename Read>
  [[nodiscard]] Dataset write(const Dataset& raw, DatasetShape shape, Read read) {
    shape.labels = raw.shape().labels;
    if (standard_.mean != 0 || standard_.stddev != 1) {
      shape.labels = LabelDomain::interval(standardised(-1), standardised(1));
    }
    Dataset out(shape, raw.spool());
    if (raw.has_units()) out.declare_units();
    for (std::int64_t begin = 0; begin < raw.rows(); begin += records_at_once) {
      const auto end = std::min(begin + records_at_once, raw.rows());
      read_records(raw, begin, end);
      make_rows();
      for (const auto& row : encoded_) out.append(row);
      read(end);
    }
    return out;
  }

 private:
  [[nodiscard]] double standardised(double label) const {
    return (label - standard_.mean) / standard_.stddev;
  }

  void read_records(const Dataset& raw, std::int64_t begin, std::int64_t end) {
    records_.clear();
    encoded_.resize(static_cast<std::size_t>(end - begin));
    for (auto k = begin; k < end; ++k) {
      EncodedRow& row = encoded_[static_cast<std::size_t>(k - begin)];
      row.clear();
      row.labelled = raw.labelled(k);
      row.label = standardised(raw.label(k));
      row.unit = raw.has_units() ? raw.unit_of(k) : 0;
      features_.columns.clear();
      features_.values.clear();
      if (row.labelled) reader_.features(raw, k, features_);
      records_.push_back(rows_.read(features_.columns, features_.values));
    }
  }

  void make_rows() {
    constexpr auto at_once = static_cast<std::int64_t>(CurveMap::points_at_once);
    threads_.for_blocks(std::ssize(records_), at_once,
                        [&](int, std::int64_t begin, std::int64_t end) {
                          const auto first = static_cast<std::size_t>(begin);
                          const auto count = static_cast<std::size_t>(end - begin);
                          rows_.rows(std::span(records_).subspan(first, count),
                                     std::span(encoded_).subspan(first, count));
                        });
    for (EncodedRow& row : encoded_) {
      if (row.labelled) continue;
      row.columns.clear();
      row.values.clear();
    }
  }

  RawRows reader_;
  CurveRows rows_;
  Standard standard_;
  base::ThreadPool& threads_;
  PlainFeatures features_;
  std::vector<CurveRecord> records_;
  std::vector<EncodedRow> encoded_;
};

/// The schema of rows that consist of k numbers.
Schema numbers_alone(std::int64_t count) {
  Schema schema;
  schema.features = UniformFeatures{.count = count, .lower = -1, .upper = 1, .max_nonzero = {}};
  schema.intercept = false;
  schema.storage = StorageChoice::dense;
  return schema;
}

}  // namespace

Dataset with_curves(const Dataset& raw, const Schema& schema, CurveLabels labels,
                    base::ThreadPool& threads) {
  return CurveWriter(schema, labels, threads).write(raw, schema.shape(), [](std::int64_t) {});
}

Dataset with_curves(Dataset&& raw, const Schema& schema, CurveLabels labels,
                    base::ThreadPool& threads) {
  Dataset source = std::move(raw);
  return CurveWriter(schema, labels, threads)
      .write(std::as_const(source), schema.shape(),
             [&](std::int64_t end) { source.forget_before(end); });
}

double number_rows_square(const Schema& schema) {
  return room_per_number * static_cast<double>(curve_shape(schema).numbers);
}

DatasetShape number_rows_shape(const Schema& standardised) {
  auto shape = numbers_alone(curve_shape(standardised).numbers).shape();
  shape.labels = LabelDomain();
  return shape;
}

Dataset number_rows(const Dataset& raw, const Schema& standardised) {
  if (raw.columns() != raw_schema(standardised).shape().columns) {
    throw base::InternalError("numbers of {} columns, which another schema has read",
                              raw.columns());
  }
  const Schema alone = numbers_alone(curve_shape(standardised).numbers);
  const double scale = 1 / std::sqrt(number_rows_square(standardised));
  std::vector<std::uint32_t> number_of(static_cast<std::size_t>(raw.columns()));
  std::vector<bool> is_number(number_of.size());
  std::uint32_t next = 0;
  for (const std::size_t feature : numeric_features(raw_schema(standardised))) {
    is_number[feature] = true;
    number_of[feature] = next++;
  }
  // These features use the columns' standards, but their places are those of the raw row, since
  // there are no hat functions.
  RawRows reader(standardised);
  Dataset out(number_rows_shape(standardised), raw.spool());
  PlainFeatures features;
  PlainFeatures numbers;
  const RowScaler scaler(alone);
  EncodedRow row;
  for (std::int64_t k = 0; k < raw.rows(); ++k) {
    row.clear();
    row.labelled = raw.labelled(k);
    row.unit = raw.has_units() ? raw.unit_of(k) : 0;
    features.columns.clear();
    features.values.clear();
    numbers.columns.clear();
    numbers.values.clear();
    if (row.labelled) reader.features(raw, k, features);
    for (std::size_t i = 0; i < features.columns.size(); ++i) {
      if (!is_number[features.columns[i]]) continue;
      numbers.columns.push_back(number_of[features.columns[i]]);
      numbers.values.push_back(in_stddevs(features.values[i]) * scale);
    }
    scaler.scale(numbers.columns, numbers.values, row);
    out.append(row);
  }
  return out;
}

}  // namespace tacet::data
