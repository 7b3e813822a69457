#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacet/model/wide/wide_shape.h"
#include "tacet/numeric/picked_rows.h"
#include "tacet/privacy/row_layout.h"

namespace tacet::model {

/// The tables of a wide model as a record reads them.
class WideRows {
 public:
  virtual ~WideRows() = default;
  /// The numbers of a row, or what `room` was made to hold.
  [[nodiscard]] virtual std::span<const float> row(std::int64_t row,
                                                   std::span<float> room) const = 0;
  /// Numbers that `room` must have for rows of up to `widest`.
  [[nodiscard]] virtual std::size_t room_size(std::size_t widest) const { return widest; }
};

/// The numbers of a vector that are not 0, and where they are, ascending.
class WideInput {
 public:
  /// Begins with none, and makes room for `room`.
  void start(std::size_t room) {
    count_ = 0;
    if (places_.size() >= room) return;
    places_.resize(room);
    values_.resize(room);
  }
  /// Without a branch: whether a neuron is awake is anybody's guess.
  void add_if(bool present, std::size_t place, double value) {
    places_[count_] = static_cast<std::uint32_t>(place);
    values_[count_] = value;
    count_ += present ? 1U : 0U;
  }
  void add(std::size_t place, double value) { add_if(true, place, value); }
  [[nodiscard]] std::span<const std::uint32_t> places() const {
    return std::span(places_).first(count_);
  }
  [[nodiscard]] std::span<const double> values() const { return std::span(values_).first(count_); }
  [[nodiscard]] numeric::PickedRows rows() const { return {places(), values()}; }

 private:
  std::vector<std::uint32_t> places_;
  std::vector<double> values_;
  std::size_t count_ = 0;
};

/// What a record is to a wide model, and what came of it; kept between records for its memory.
struct WideTrace {
  /// An id that the record has, with its share of the pooled vector.
  struct Entry {
    std::int64_t id;
    double weight;
  };
  std::vector<std::vector<Entry>> bags;     ///< of each field
  std::vector<std::vector<double>> values;  ///< pooled vectors, then hidden layers behind ReLUs
  std::vector<WideInput> inputs;            ///< of each layer, the first one's with dense features;
                                            ///< behind them 1, of which the bias is the weight
  std::vector<double> outputs;
  std::vector<std::vector<double>> slopes;  ///< of the loss in what each of `values` holds
  std::vector<double> output_slopes;
  WideInput dense;  ///< dense features
  std::vector<float> room;
  std::vector<std::uint32_t> columns;  ///< of the encoded row
  std::vector<double> features;        ///< their values
};

/// The squared norms of a record's gradient, part by part, without the gradient.
struct WideNorms {
  std::vector<double> fields;   ///< of each table of vectors
  std::vector<double> weights;  ///< of each table of weights; empty without a linear part
  double dense_weights = 0;
  std::vector<double> layers;  ///< hidden layers, then the output, biases included

  [[nodiscard]] double square() const;
};

/// A wide model's arithmetic, one record at a time: double precision in a fixed order, so that a
/// record's numbers have the same bits whatever it is computed beside.
///
/// Nothing here protects anybody: what a gradient may add to a sum is enforced where sums are made
/// (optimize/sums/row_sum.h), whatever it is.
class WideNet {
 public:
  explicit WideNet(WideShape shape);

  [[nodiscard]] const WideShape& shape() const { return shape_; }
  [[nodiscard]] const privacy::RowLayout& layout() const { return layout_; }

  /// Rows that a record with at most `max` ids in each field touches.
  [[nodiscard]] std::int64_t max_rows(std::int64_t max) const;

  /// A record's encoded row: columns ascend strictly. A column of no field and not dense is not
  /// used, an id whose value is 0 is none. InternalError where columns do not ascend.
  void read(std::span<const std::uint32_t> columns, std::span<const double> values,
            WideTrace& trace) const;
  /// The outputs for what was read; `block` is the dense block.
  void forward(const WideRows& rows, std::span<const float> block, WideTrace& trace) const;
  /// The loss at a label, and its slopes; a label out of its domain is an InternalError.
  [[nodiscard]] double loss(double label, const WideTrace& trace) const;
  void backward(double label, std::span<const float> block, WideTrace& trace) const;

  /// Adds the gradient of what backward() left to rows and block, the block's in ascending order:
  /// `sink` has row, dense and dense_products as optimize::RowArena.
  template <typename Sink>
  void add_gradient(const WideTrace& trace, Sink& sink) const;
  [[nodiscard]] WideNorms norms(const WideTrace& trace) const;

 private:
  /// Where a layer's weights are in the dense block, input by input, its biases behind them.
  struct Layer {
    std::size_t first;
    std::size_t in;
    std::size_t out;
    [[nodiscard]] std::size_t bias() const { return first + in * out; }
    [[nodiscard]] std::span<const float> weights(std::span<const float> block) const {
      return block.subspan(first, in * out);
    }
  };
  /// Neighbouring columns that are dense features.
  struct DenseRun {
    std::int64_t first;
    std::size_t place;
    std::int64_t count;
  };

  [[nodiscard]] std::int64_t row_of(std::size_t table, std::int64_t id) const {
    return layout_.row(table, id);
  }
  void pool(const WideRows& rows, WideTrace& trace) const;
  void add_linear(const WideRows& rows, std::span<const float> block, WideTrace& trace) const;
  void slopes_of_outputs(double label, WideTrace& trace) const;
  void slopes_of_towers(WideTrace& trace) const;

  WideShape shape_;
  privacy::RowLayout layout_;
  std::vector<std::size_t> places_;  // of each field's vector in the input
  std::size_t dense_place_ = 0;      // of the dense features there
  std::size_t dense_count_ = 0;
  std::vector<DenseRun> dense_runs_;
  std::vector<std::uint32_t> pooled_places_;  // of the first layer's input, all
  std::vector<Layer> layers_;                 // hidden, then the output; none of two towers
  std::size_t tower_bias_ = 0;                // of two towers, in the dense block
};

template <typename Sink>
void WideNet::add_gradient(const WideTrace& trace, Sink& sink) const {
  const auto fields = shape_.fields.size();
  for (std::size_t f = 0; f < fields; ++f) {
    for (const auto& [id, weight] : trace.bags[f]) {
      const auto out = sink.row(row_of(f, id));
      for (std::size_t j = 0; j < out.size(); ++j) {
        out[j] += weight * trace.slopes[0][places_[f] + j];
      }
      if (shape_.linear == LinearPart::absent) continue;
      const auto own = sink.row(row_of(fields + f, id));
      for (std::size_t c = 0; c < own.size(); ++c) own[c] += weight * trace.output_slopes[c];
    }
  }
  if (shape_.dense_weights()) sink.dense_products(0, trace.dense.rows(), trace.output_slopes);
  if (shape_.two_tower()) sink.dense(tower_bias_, 1)[0] += trace.output_slopes[0];
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const auto& slopes = l + 1 < layers_.size() ? trace.slopes[l + 1] : trace.output_slopes;
    sink.dense_products(layer.first, trace.inputs[l].rows(), slopes);
  }
}

}  // namespace tacet::model
