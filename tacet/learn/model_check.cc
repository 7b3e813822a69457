#include "tacet/learn/model_check.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "tacet/base/error.h"
#include "tacet/learn/gradient/feature_selection.h"
#include "tacet/learn/plan/class_weights.h"
#include "tacet/learn/plan/setting_list.h"
#include "tacet/privacy/event_tree.h"

namespace tacet::learn {
namespace {

// An option may have replaced the schema's weights. If the receipt has none, the schema must not
// have any either.
void check_class_weights(const model::ModelFile& file, RecordedParameters& parameters) {
  if (!file.schema.target) return;
  const auto of_schema = class_weights_text(*file.schema.target);
  if (parameters.has("class_weights")) {
    if (parameters.text("class_weights") == of_schema) return;
    static_cast<void>(parse_class_weights(parameters.text("class_weights"), *file.schema.target));
  } else if (!of_schema.empty()) {
    throw base::DataError("the schema weighs its classes {}, the receipt does not", of_schema);
  }
}

bool scales_categories(const data::Schema& schema) {
  return std::ranges::any_of(schema.columns, [](const data::Column& column) {
    return column.standardised() && std::holds_alternative<data::CategoricalColumn>(column.rule);
  });
}

// The means and scales with which the model's rows are standardised are a release of their own. The
// method's events must contain it; a parameter that the events do not use is refused.
void check_standards(const model::ModelFile& file, const RecordedParameters& parameters,
                     bool events_compared) {
  const std::string name = "standardise_noise_multiplier";
  if (events_compared && parameters.has(name) && !parameters.used().contains(name)) {
    throw base::DataError("the receipt names a release of means that its method does not have");
  }
  if (scales_categories(file.schema) && file.model.task != model::PredictionTask::binary) {
    throw base::DataError("categories have scales, which are released for two classes alone");
  }
  const bool standardised = std::ranges::any_of(file.schema.columns, &data::Column::standardised);
  if (standardised == parameters.has(name)) return;
  throw base::DataError(standardised
                            ? "the columns have released means or scales, but the receipt no "
                              "release of them"
                            : "the receipt releases means or counts of columns, but these go by "
                              "none");
}

// The map and the columns with which the model reads rows must be those of the receipt. A list of
// kept columns is a release of its own.
void check_narrowing(const data::Schema& schema, RecordedParameters& parameters) {
  if (schema.projection.has_value() != parameters.has("projection")) {
    throw base::DataError(schema.projection
                              ? "the model's rows are projected, but the receipt says nothing of it"
                              : "the receipt names a projection, but the model's rows have none");
  }
  if (schema.projection) {
    const bool room = schema.projection->room != 1;
    if (room != parameters.has("projection_room")) {
      throw base::DataError(
          room ? "the model's projected rows have room that the receipt does not name"
               : "the receipt names room that the model's projected rows have not");
    }
  }
  if (schema.curves.has_value() != parameters.has(whitening_noise_name)) {
    throw base::DataError(
        schema.curves ? "the model has curves of whitened numbers, but the receipt no release of "
                        "second moments"
                      : "the receipt releases second moments, but the model has no curves");
  }
  if (schema.selected_columns) {
    parameters.expect(feature_selection_threshold_name, feature_selection_threshold(schema),
                      "its columns call for");
  }
  if (schema.selected_columns.has_value() == parameters.has(feature_selection_name)) return;
  throw base::DataError(
      schema.selected_columns
          ? "the model has columns that were kept, but the receipt no release of them"
          : "the receipt releases which columns to keep, but the model has all");
}

}  // namespace

void check_model(const privacy::Receipt& receipt, const model::ModelFile& file,
                 RecordedParameters& parameters, bool events_compared) {
  if (file.schema.unit == single_record) {
    throw base::DataError("the schema's unit column is called {}, as single records are",
                          single_record);
  }
  const auto unit = file.schema.unit.value_or(std::string(single_record));
  if (receipt.privacy_unit != unit) {
    throw base::DataError("the privacy unit is {}, but the schema protects each {}",
                          receipt.privacy_unit, unit);
  }
  if (file.schema.public_row_count && !receipt.public_row_count) {
    throw base::DataError(
        "the number of records is public by the schema, but the receipt calls it secret");
  }
  MethodPlan of_model;
  of_model.loss = file.model.loss;
  if (file.model.table.has_value() != (receipt.algorithm == "inference")) {
    throw base::DataError(file.model.table
                              ? "a table of coefficients is not a result of this method"
                              : "the result of this method is a table of coefficients, which the "
                                "file has not");
  }
  of_model.columns =
      file.model.table ? std::ssize(file.model.table->names) : file.schema.encoded_column_count();
  of_model.projection = file.schema.projection;
  SettingList list(of_model);
  list.problem();
  list.note("outputs", file.model.output_count());
  expect_settings(parameters, of_model.settings, "the model has");
  check_class_weights(file, parameters);
  check_standards(file, parameters, events_compared);
  check_narrowing(file.schema, parameters);
}

void check_loss_bounds(const privacy::Event& event, const model::ModelFile& file) {
  const double norm = file.schema.norm_bound();
  const auto facts = model::properties(file.model.loss);
  const bool flatter = privacy::holds_somewhere(event, [&](const privacy::Event& part) {
    const auto* joint = part.as<privacy::ObjectivePerturbation>();
    return joint != nullptr && (joint->lipschitz < facts.slope_bound * norm ||
                                joint->smoothness < facts.curvature * norm * norm);
  });
  if (flatter) throw base::DataError("the events count on a flatter loss than the model's");
}

}  // namespace tacet::learn
