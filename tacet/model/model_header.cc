#include "tacet/model/model_header.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/base/error.h"

namespace tacet::model::internal {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

Loss read_loss(const Fields& fields) {
  try {
    return make_loss(fields.text("loss"), fields.optional_number("loss_parameter"),
                     fields.optional_number("loss_width"));
  } catch (const base::UsageError& error) {
    bad(fmt::format("model.loss: {}", error.what()));
  }
}

}  // namespace

void expect_same_header(const LinearModel& model, const data::Schema& schema,
                        const LinearModel& expected) {
  if (model.task != expected.task) {
    bad(fmt::format("model.task is {}, but the schema's target asks for {}", to_string(model.task),
                    to_string(expected.task)));
  }
  const bool shares =
      schema.target->regression() && schema.target->number_kind() != data::NumberKind::number;
  if (shares != (properties(model.loss).labels == Labels::shares)) {
    bad(fmt::format("model.loss is {}, which is not for labels of the schema's target",
                    loss_name(model.loss)));
  }
  expect_same_names(model.classes, expected.classes, "model.classes");
  if (model.target_lower != expected.target_lower || model.target_upper != expected.target_upper) {
    bad(fmt::format("model.target_bounds are {} and {}, but the schema says {} and {}",
                    model.target_lower, model.target_upper, expected.target_lower,
                    expected.target_upper));
  }
  if (model.offset != expected.offset) {
    bad(fmt::format("model.offset is {}, but the schema says {}", model.offset, expected.offset));
  }
}

void expect_valid(const LinearModel& model) {
  try {
    model.validate();
  } catch (const base::DataError& error) {
    bad(fmt::format("model.{}", error.what()));
  }
}

void Fields::expect_only(std::initializer_list<std::string_view> names) const {
  for (const auto& [key, value] : object_.items()) {
    if (std::ranges::find(names, key) == names.end()) {
      bad(fmt::format("unknown key '{}'", name(key)));
    }
  }
}

ordered_json model_header(const LinearModel& model, std::string_view kind) {
  ordered_json out;
  out["kind"] = kind;
  out["loss"] = loss_name(model.loss);
  if (const double parameter = loss_parameter(model.loss); !std::isnan(parameter)) {
    out["loss_parameter"] = parameter;
  }
  if (const double width = loss_width(model.loss); !std::isnan(width)) out["loss_width"] = width;
  out["task"] = to_string(model.task);
  out["classes"] = model.classes;
  out["target_bounds"] = {model.target_lower, model.target_upper};
  if (model.offset != 0) out["offset"] = model.offset;
  return out;
}

LinearModel read_header(const Fields& fields, std::string_view kind) {
  if (fields.text("kind") != kind) {
    bad(fmt::format("model.kind must be {}, got '{}'", kind, fields.text("kind")));
  }
  LinearModel model;
  model.loss = read_loss(fields);
  model.task = parse_task(fields.text("task"));
  model.classes = fields.texts("classes");
  const auto bounds = fields.numbers("target_bounds");
  if (bounds.size() != 2) {
    bad(fmt::format("model.target_bounds must hold 2 numbers, got {}", bounds.size()));
  }
  model.target_lower = bounds[0];
  model.target_upper = bounds[1];
  if (const double offset = fields.optional_number("offset"); !std::isnan(offset)) {
    model.offset = offset;
  }
  return model;
}

}  // namespace tacet::model::internal
