#pragma once

#include <cstdint>
#include <vector>

#include "tacet/privacy/row_layout.h"

namespace tacet::model {

/// How the vectors of a record's ids in one field become one vector.
enum class Pooling { sum, mean };

/// Which of two towers a field's vectors add to.
enum class WideSide { left, right };

/// What pooled vectors become.
enum class WideHead {
  layers,    ///< the input of hidden layers
  two_tower  ///< those of each side are added up, and the output is the dot product of both sides
};

/// Encoded columns that are ids of one field: a record has few of them, and each has a vector.
struct WideField {
  std::int64_t first = 0;  ///< encoded column of id 0
  std::int64_t rows = 1;   ///< how many ids there are
  std::int64_t width = 8;  ///< numbers of a vector, 1 to 4096
  Pooling pooling = Pooling::mean;
  WideSide side = WideSide::left;  ///< of two towers alone

  friend bool operator==(const WideField&, const WideField&) = default;
};

/// What is minimised, and what a label is: -1 or +1, a class from 0, a number.
enum class WideLoss {
  logistic,  ///< ln(1 + e^{-yu})
  softmax,   ///< ln(sum_c e^{u_c}) - u_y
  squared    ///< (u - y)^2 / 2
};

/// Whether every id has weights of its own beside its vector, and dense features beside the hidden
/// layers.
enum class LinearPart { absent, present };

/// The architecture of a wide model, all of it public.
///
/// A record's input is the pooled vectors of its fields, side by side, and its dense features; up
/// to two hidden layers of ReLUs follow, then one linear output, or one for each class, with a
/// bias. The linear part adds to the outputs. Two towers have neither hidden layers nor several
/// outputs: the fields of a side have vectors of one width, which are added up.
struct WideShape {
  std::vector<WideField> fields{};     ///< of columns apart, ascending
  std::vector<std::int64_t> dense{};   ///< encoded columns taken as numbers, ascending
  std::vector<std::int64_t> hidden{};  ///< neurons of each layer, 0 to 2 layers of 1 to 4096
  LinearPart linear = LinearPart::present;
  WideLoss loss = WideLoss::logistic;
  std::int64_t outputs = 1;  ///< 2 to 4096 classes for softmax, else 1
  WideHead head = WideHead::layers;

  static constexpr std::int64_t max_hidden_layers = 2;
  static constexpr std::int64_t max_neurons = 4096;

  /// UsageError that says what is wrong.
  void check() const;
  [[nodiscard]] bool two_tower() const { return head == WideHead::two_tower; }
  /// Numbers that the first layer sees; of two towers those of both sides.
  [[nodiscard]] std::int64_t input_width() const;
  /// Whether dense features have weights past the hidden layers or the towers: without these they
  /// would be the output's own.
  [[nodiscard]] bool dense_weights() const {
    return linear == LinearPart::present && (!hidden.empty() || two_tower()) && !dense.empty();
  }
  /// A table of vectors a field, then with a linear part a table of weights a field; the dense
  /// block is what WideNet lays out.
  [[nodiscard]] privacy::RowLayout layout() const;

  friend bool operator==(const WideShape&, const WideShape&) = default;
};

}  // namespace tacet::model
