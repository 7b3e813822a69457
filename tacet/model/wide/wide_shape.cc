#include "tacet/model/wide/wide_shape.h"

#include <algorithm>

#include "tacet/base/error.h"

namespace tacet::model {
namespace {

void check_neurons(std::int64_t count, const char* what) {
  if (count >= 1 && count <= WideShape::max_neurons) return;
  throw base::UsageError("{} of a wide model must be between 1 and {}, got {}", what,
                         WideShape::max_neurons, count);
}

void check_columns(const WideShape& shape) {
  std::int64_t next = 0;
  for (const WideField& field : shape.fields) {
    check_neurons(field.width, "the numbers of a vector");
    if (field.first < next || field.rows < 1) {
      throw base::UsageError("the fields of a wide model are columns apart, ascending");
    }
    next = field.first + field.rows;
  }
  std::int64_t previous = -1;
  for (const auto column : shape.dense) {
    const bool in_field = std::ranges::any_of(shape.fields, [&](const WideField& field) {
      return column >= field.first && column < field.first + field.rows;
    });
    if (column <= previous || in_field) {
      throw base::UsageError("the dense columns of a wide model ascend, and are in no field");
    }
    previous = column;
  }
}

void check_towers(const WideShape& shape) {
  if (!shape.hidden.empty() || shape.outputs != 1) {
    throw base::UsageError("two towers have no hidden layer and one output");
  }
  if (!shape.dense.empty() && shape.linear == LinearPart::absent) {
    throw base::UsageError("dense features have no place in two towers without a linear part");
  }
  const auto on = [](WideSide side) {
    return [side](const WideField& field) { return field.side == side; };
  };
  if (!std::ranges::any_of(shape.fields, on(WideSide::left)) ||
      !std::ranges::any_of(shape.fields, on(WideSide::right))) {
    throw base::UsageError("two towers need a field of ids on each side");
  }
  for (const WideField& field : shape.fields) {
    if (field.width == shape.fields.front().width) continue;
    throw base::UsageError("the vectors of two towers have one width, got {} and {}",
                           shape.fields.front().width, field.width);
  }
}

}  // namespace

void WideShape::check() const {
  if (std::ssize(hidden) > max_hidden_layers) {
    throw base::UsageError("a wide model has at most {} hidden layers, got {}", max_hidden_layers,
                           hidden.size());
  }
  for (const auto neurons : hidden) check_neurons(neurons, "the neurons of a hidden layer");
  if (fields.empty() && dense.empty()) {
    throw base::UsageError("a wide model needs a field of ids or a dense feature");
  }
  check_columns(*this);
  if (two_tower()) check_towers(*this);
  if (loss == WideLoss::softmax ? outputs < 2 || outputs > max_neurons : outputs != 1) {
    throw base::UsageError("a wide model has an output a class, 2 to {}, else one; got {}",
                           max_neurons, outputs);
  }
}

std::int64_t WideShape::input_width() const {
  if (two_tower()) return fields.empty() ? 0 : 2 * fields.front().width;
  auto width = std::ssize(dense);
  for (const WideField& field : fields) width += field.width;
  return width;
}

privacy::RowLayout WideShape::layout() const {
  check();
  std::vector<privacy::TableShape> tables;
  for (const WideField& field : fields) tables.push_back({field.rows, field.width});
  if (linear == LinearPart::present) {
    for (const WideField& field : fields) tables.push_back({field.rows, outputs});
  }
  std::int64_t block = dense_weights() ? outputs * std::ssize(dense) : 0;
  if (two_tower()) return privacy::RowLayout(std::move(tables), block + 1);
  auto width = input_width();
  for (const auto neurons : hidden) {
    block += neurons * (width + 1);
    width = neurons;
  }
  return privacy::RowLayout(std::move(tables), block + outputs * (width + 1));
}

}  // namespace tacet::model
