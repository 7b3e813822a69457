#include "tacet/model/wide/wide_net.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/model/loss/logistic.h"
#include "tacet/numeric/elementary.h"

namespace tacet::model {
namespace {

double square_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

double bag_square(std::span<const WideTrace::Entry> bag) {
  double sum = 0;
  for (const auto& [id, weight] : bag) sum += weight * weight;
  return sum;
}

/// Probabilities of the classes, in place of their margins; returns ln(sum e^u).
double softmax(std::vector<double>& margins) {
  const double top = *std::ranges::max_element(margins);
  double sum = 0;
  for (double& margin : margins) {
    margin = numeric::exp(margin - top);
    sum += margin;
  }
  for (double& margin : margins) margin /= sum;
  return top + numeric::log(sum);
}

void pick(std::span<const double> vector, WideInput& input) {
  for (std::size_t j = 0; j < vector.size(); ++j) input.add_if(vector[j] != 0, j, vector[j]);
}

std::size_t class_of(double label, std::size_t classes) {
  const auto place = static_cast<std::int64_t>(label);
  if (place < 0 || place >= static_cast<std::int64_t>(classes) ||
      static_cast<double>(place) != label) {
    throw base::InternalError("a wide model's label is no class");
  }
  return static_cast<std::size_t>(place);
}

}  // namespace

double WideNorms::square() const {
  double sum = dense_weights;
  for (const auto* part : {&fields, &weights, &layers}) {
    for (const double square : *part) sum += square;
  }
  return sum;
}

WideNet::WideNet(WideShape shape) : shape_(std::move(shape)), layout_(shape_.layout()) {
  for (const WideField& field : shape_.fields) {
    const auto width = static_cast<std::size_t>(field.width);
    if (shape_.two_tower()) {
      places_.push_back(field.side == WideSide::left ? 0 : width);
    } else {
      places_.push_back(dense_place_);
      dense_place_ += width;
    }
  }
  for (const auto column : shape_.dense) {
    const bool next =
        !dense_runs_.empty() && dense_runs_.back().first + dense_runs_.back().count == column;
    if (!next) dense_runs_.push_back({column, dense_count_, 0});
    ++dense_runs_.back().count;
    ++dense_count_;
  }
  pooled_places_.resize(dense_place_);
  std::iota(pooled_places_.begin(), pooled_places_.end(), std::uint32_t{0});
  const auto outputs = static_cast<std::size_t>(shape_.outputs);
  std::size_t first = shape_.dense_weights() ? outputs * dense_count_ : 0;
  if (shape_.two_tower()) {
    tower_bias_ = first;
    return;
  }
  auto in = static_cast<std::size_t>(shape_.input_width());
  const auto add = [&](std::size_t out) {
    layers_.push_back({first, in, out});
    first = layers_.back().bias() + out;
    in = out;
  };
  for (const auto neurons : shape_.hidden) add(static_cast<std::size_t>(neurons));
  add(outputs);
}

std::int64_t WideNet::max_rows(std::int64_t max) const {
  std::int64_t rows = 0;
  for (const WideField& field : shape_.fields) rows += std::min(max, field.rows);
  return std::max<std::int64_t>(shape_.linear == LinearPart::present ? 2 * rows : rows, 1);
}

void WideNet::read(std::span<const std::uint32_t> columns, std::span<const double> values,
                   WideTrace& trace) const {
  trace.bags.resize(shape_.fields.size());
  for (auto& bag : trace.bags) bag.clear();
  trace.dense.start(dense_count_);
  std::size_t field = 0;
  std::size_t run = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::int64_t column = columns[k];
    if (k > 0 && columns[k - 1] >= columns[k]) {
      throw base::InternalError("the columns of a wide model's record do not ascend");
    }
    if (values[k] == 0) continue;
    while (field < shape_.fields.size() &&
           column >= shape_.fields[field].first + shape_.fields[field].rows) {
      ++field;
    }
    if (field < shape_.fields.size() && column >= shape_.fields[field].first) {
      trace.bags[field].push_back({column - shape_.fields[field].first, 1});
      continue;
    }
    const auto ends = [&](const DenseRun& some) { return column >= some.first + some.count; };
    while (run < dense_runs_.size() && ends(dense_runs_[run])) ++run;
    if (run == dense_runs_.size() || column < dense_runs_[run].first) continue;
    const auto behind = static_cast<std::size_t>(column - dense_runs_[run].first);
    trace.dense.add(dense_runs_[run].place + behind, values[k]);
  }
  for (std::size_t f = 0; f < trace.bags.size(); ++f) {
    auto& bag = trace.bags[f];
    if (shape_.fields[f].pooling == Pooling::sum) continue;
    for (auto& entry : bag) entry.weight = 1 / static_cast<double>(bag.size());
  }
}

void WideNet::pool(const WideRows& rows, WideTrace& trace) const {
  auto& pooled = trace.values[0];
  const auto width = static_cast<std::size_t>(shape_.input_width());
  pooled.assign(shape_.two_tower() ? width : dense_place_, 0.0);
  trace.room.resize(rows.room_size(static_cast<std::size_t>(layout_.widest())));
  for (std::size_t f = 0; f < trace.bags.size(); ++f) {
    for (const auto& [id, weight] : trace.bags[f]) {
      const auto vector = rows.row(row_of(f, id), trace.room);
      for (std::size_t j = 0; j < vector.size(); ++j) {
        pooled[places_[f] + j] += weight * static_cast<double>(vector[j]);
      }
    }
  }
  if (shape_.two_tower()) return;
  auto& input = trace.inputs[0];
  input.start(layers_.front().in + 1);
  pick(pooled, input);
  const auto dense = trace.dense.rows();
  for (std::size_t k = 0; k < dense.places.size(); ++k) {
    input.add(dense_place_ + dense.places[k], dense.factors[k]);
  }
}

void WideNet::add_linear(const WideRows& rows, std::span<const float> block,
                         WideTrace& trace) const {
  const auto fields = shape_.fields.size();
  if (shape_.linear == LinearPart::present) {
    for (std::size_t f = 0; f < fields; ++f) {
      for (const auto& [id, weight] : trace.bags[f]) {
        const auto own = rows.row(row_of(fields + f, id), trace.room);
        for (std::size_t c = 0; c < own.size(); ++c) {
          trace.outputs[c] += weight * static_cast<double>(own[c]);
        }
      }
    }
  }
  if (!shape_.dense_weights()) return;
  numeric::add_picked_rows(block.first(dense_count_ * trace.outputs.size()), trace.dense.rows(),
                           trace.outputs);
}

void WideNet::forward(const WideRows& rows, std::span<const float> block, WideTrace& trace) const {
  trace.values.resize(std::max<std::size_t>(layers_.size(), 1));
  trace.inputs.resize(layers_.size());
  pool(rows, trace);
  if (shape_.two_tower()) {
    const auto& sides = trace.values[0];
    const auto width = sides.size() / 2;
    double sum = static_cast<double>(block[tower_bias_]);
    for (std::size_t j = 0; j < width; ++j) sum += sides[j] * sides[width + j];
    trace.outputs.assign(1, sum);
  }
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const bool last = l + 1 == layers_.size();
    auto& out = last ? trace.outputs : trace.values[l + 1];
    const auto biases = block.subspan(layer.bias(), layer.out);
    out.assign(biases.begin(), biases.end());
    numeric::add_picked_rows(layer.weights(block), trace.inputs[l].rows(), out);
    trace.inputs[l].add(layer.in, 1);
    if (last) break;
    for (double& value : out) value = std::max(value, 0.0);
    trace.inputs[l + 1].start(layer.out + 1);
    pick(out, trace.inputs[l + 1]);
  }
  add_linear(rows, block, trace);
}

double WideNet::loss(double label, const WideTrace& trace) const {
  const double output = trace.outputs.front();
  if (shape_.loss == WideLoss::logistic) return LogisticLoss{}.value(output, label);
  if (shape_.loss == WideLoss::squared) return (output - label) * (output - label) / 2;
  auto shares = trace.outputs;
  return softmax(shares) - trace.outputs[class_of(label, shares.size())];
}

void WideNet::slopes_of_outputs(double label, WideTrace& trace) const {
  trace.output_slopes = trace.outputs;
  auto& slopes = trace.output_slopes;
  switch (shape_.loss) {
    case WideLoss::logistic:
      slopes[0] = LogisticLoss{}.slope(slopes[0], label);
      return;
    case WideLoss::squared:
      slopes[0] -= label;
      return;
    case WideLoss::softmax:
      softmax(slopes);
      slopes[class_of(label, slopes.size())] -= 1;
  }
}

void WideNet::slopes_of_towers(WideTrace& trace) const {
  const auto& sides = trace.values[0];
  auto& slopes = trace.slopes[0];
  const auto width = sides.size() / 2;
  slopes.resize(sides.size());
  for (std::size_t j = 0; j < width; ++j) {
    slopes[j] = trace.output_slopes[0] * sides[width + j];
    slopes[width + j] = trace.output_slopes[0] * sides[j];
  }
}

void WideNet::backward(double label, std::span<const float> block, WideTrace& trace) const {
  slopes_of_outputs(label, trace);
  trace.slopes.resize(std::max<std::size_t>(layers_.size(), 1));
  if (shape_.two_tower()) return slopes_of_towers(trace);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const auto& above = l + 1 < layers_.size() ? trace.slopes[l + 1] : trace.output_slopes;
    auto& slopes = trace.slopes[l];
    // A closed ReLU, and one at its kink, passes no slope on. Dense features are inputs without
    // parameters, so they need no slopes.
    slopes.assign(l == 0 ? dense_place_ : layer.in, 0.0);
    const auto places = trace.inputs[l].places();
    const auto moving = l == 0 ? std::span(pooled_places_) : places.first(places.size() - 1);
    numeric::picked_row_dots(layer.weights(block), moving, above, slopes);
  }
}

WideNorms WideNet::norms(const WideTrace& trace) const {
  WideNorms norms;
  const double outputs = square_of(trace.output_slopes);
  for (std::size_t f = 0; f < trace.bags.size(); ++f) {
    const auto width = static_cast<std::size_t>(shape_.fields[f].width);
    const double bag = bag_square(trace.bags[f]);
    norms.fields.push_back(bag * square_of(std::span(trace.slopes[0]).subspan(places_[f], width)));
    if (shape_.linear == LinearPart::present) norms.weights.push_back(bag * outputs);
  }
  if (shape_.dense_weights()) norms.dense_weights = outputs * square_of(trace.dense.values());
  if (shape_.two_tower()) norms.layers.push_back(outputs);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const double above = l + 1 < layers_.size() ? square_of(trace.slopes[l + 1]) : outputs;
    norms.layers.push_back(above * square_of(trace.inputs[l].values()));
  }
  return norms;
}

}  // namespace tacet::model
