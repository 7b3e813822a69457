#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacet/data/schema/schema.h"
#include "tacet/model/loss/loss.h"
#include "tacet/model/wide/wide_shape.h"

namespace tacet::model {

/// The options of a wide model. With the schema and the loss they determine the architecture.
struct WideArchitecture {
  std::int64_t width = 8;                ///< numbers of a vector, unless the schema says otherwise
  std::vector<std::int64_t> hidden{16};  ///< neurons of each hidden layer
  Pooling pooling = Pooling::sum;
  LinearPart linear = LinearPart::present;
  WideHead head = WideHead::layers;
  // For two towers: the names of the columns on each side.
  std::vector<std::string> left{};
  std::vector<std::string> right{};

  friend bool operator==(const WideArchitecture&, const WideArchitecture&) = default;
};

/// By default a categorical column with more categories than this has vectors.
inline constexpr std::int64_t max_plain_categories = 64;

/// Whether a column has vectors by default. Otherwise a wide model is a net of numbers alone.
[[nodiscard]] bool has_vectors(const data::Schema& schema);

/// The architecture for records of a schema. A column with `embedding` is a field of that width;
/// one without is a field of the usual width if it is hashed, text, ids, crossed or of many
/// categories. Numbers, other categories and interactions are dense features. The intercept is left
/// out, since a wide model has biases.
///
/// UsageError for a loss other than logistic, softmax and squared, for a shape that
/// WideShape::check() refuses, and for a column that belongs to no tower.
[[nodiscard]] WideShape wide_shape(const data::Schema& schema, const WideArchitecture& asked,
                                   const Loss& loss);

/// Where a column of the schema is among the encoded ones.
struct ColumnPlace {
  std::int64_t first;
  std::int64_t count;  ///< 0 if the column is not read, or none of its features was selected
};
/// The places of the schema's columns, in their order.
[[nodiscard]] std::vector<ColumnPlace> column_places(const data::Schema& schema);

}  // namespace tacet::model
