#include "tacet/model/wide/wide_architecture.h"

#include <algorithm>
#include <optional>

#include "tacet/base/error.h"

namespace tacet::model {
namespace {

WideLoss wide_loss(const Loss& loss) {
  if (std::holds_alternative<LogisticLoss>(loss)) return WideLoss::logistic;
  if (std::holds_alternative<SoftmaxLoss>(loss)) return WideLoss::softmax;
  if (std::holds_alternative<SquaredLoss>(loss)) return WideLoss::squared;
  throw base::UsageError(
      "a wide model has the logistic, the softmax or the squared loss, got {}; leave `loss` out",
      loss_name(loss));
}

/// Numbers of the vectors of a column; 0: its features are dense.
std::int64_t width_of(const data::Column& column, std::int64_t usual) {
  if (column.embedding) return *column.embedding;
  if (std::holds_alternative<data::NumericColumn>(column.rule)) return 0;
  const auto* listed = std::get_if<data::CategoricalColumn>(&column.rule);
  if (listed != nullptr && std::ssize(listed->categories) <= max_plain_categories) return 0;
  return usual;
}

bool names(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

WideSide side_of(const data::Column& column, const WideArchitecture& asked) {
  const bool left = names(asked.left, column.name);
  if (left != names(asked.right, column.name)) return left ? WideSide::left : WideSide::right;
  throw base::UsageError("column '{}' is on {} of the two towers; name it in left or in right",
                         column.name, left ? "both sides" : "no side");
}

void check_sides(const data::Schema& schema, const WideArchitecture& asked) {
  const bool towers = asked.head == WideHead::two_tower;
  if (!towers && asked.left.empty() && asked.right.empty()) return;
  if (!towers) throw base::UsageError("left and right are of two towers; add `head=two-tower`");
  for (const auto* list : {&asked.left, &asked.right}) {
    if (list->empty()) {
      throw base::UsageError(
          "two towers need the columns of each side: `left=NAME,NAME` `right=NAME,NAME`");
    }
    for (const auto& name : *list) {
      if (std::ranges::find(schema.columns, name, &data::Column::name) != schema.columns.end()) {
        continue;
      }
      throw base::UsageError("the schema has no column '{}' for a side of two towers", name);
    }
  }
}

void refuse_many_dense(std::int64_t count) {
  constexpr std::int64_t max = std::int64_t{1} << 20;
  if (count <= max) return;
  throw base::UsageError(
      "a wide model takes at most {} features as they are (numbers, short lists of categories, "
      "interactions), got {}",
      max, count);
}

}  // namespace

std::vector<ColumnPlace> column_places(const data::Schema& schema) {
  std::vector<std::uint32_t> retained;
  if (schema.selected_columns) retained = schema.retained_columns();
  // How many encoded columns lie before a full one.
  const auto before = [&](std::int64_t column) -> std::int64_t {
    if (!schema.selected_columns) return column;
    return std::ranges::lower_bound(retained, column, {},
                                    [](std::uint32_t one) { return std::int64_t{one}; }) -
           retained.begin();
  };
  std::vector<ColumnPlace> places;
  std::int64_t next = 0;
  for (const auto& column : schema.columns) {
    const auto first = before(next);
    next += column.width();
    places.push_back({first, before(next) - first});
  }
  return places;
}

bool has_vectors(const data::Schema& schema) {
  return std::ranges::any_of(schema.columns, [](const data::Column& column) {
    return column.width() > 0 && width_of(column, 1) > 0;
  });
}

WideShape wide_shape(const data::Schema& schema, const WideArchitecture& asked, const Loss& loss) {
  if (schema.projection) {
    throw base::UsageError("a wide model reads columns as they are; a projection has no place");
  }
  check_sides(schema, asked);
  const bool towers = asked.head == WideHead::two_tower;
  WideShape shape{.hidden = towers ? std::vector<std::int64_t>{} : asked.hidden,
                  .linear = asked.linear,
                  .loss = wide_loss(loss),
                  .head = asked.head};
  if (shape.loss == WideLoss::softmax) {
    shape.outputs = schema.target ? schema.target->class_count() : 1;
  } else if (schema.target && schema.target->class_count() > 2) {
    throw base::UsageError("a wide model of several classes has the softmax loss, got {}",
                           loss_name(loss));
  }
  std::int64_t next = 0;
  const auto places = column_places(schema);
  for (std::size_t c = 0; c < schema.columns.size(); ++c) {
    const auto& column = schema.columns[c];
    const auto features = places[c].count;
    // In towers every list of values has vectors: a dot product needs them.
    const bool listed = towers && std::holds_alternative<data::CategoricalColumn>(column.rule) &&
                        column.embedding != 0;
    const auto width =
        listed ? column.embedding.value_or(asked.width) : width_of(column, asked.width);
    if (features > 0 && width > 0) {
      shape.fields.push_back({.first = next,
                              .rows = features,
                              .width = width,
                              .pooling = asked.pooling,
                              .side = towers ? side_of(column, asked) : WideSide::left});
    } else {
      refuse_many_dense(std::ssize(shape.dense) + features);
      for (std::int64_t k = 0; k < features; ++k) shape.dense.push_back(next + k);
    }
    next += features;
  }
  const auto end = schema.encoded_column_count() - (schema.intercept ? 1 : 0);
  refuse_many_dense(std::ssize(shape.dense) + end - next);
  for (; next < end; ++next) shape.dense.push_back(next);
  shape.check();
  return shape;
}

}  // namespace tacet::model
