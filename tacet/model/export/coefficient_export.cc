#include "tacet/model/export/coefficient_export.h"

#include <nlohmann/json.hpp>

#include "tacet/base/checked_cast.h"
#include "tacet/base/text.h"
#include "tacet/base/version.h"
#include "tacet/data/encode/curve_rows.h"
#include "tacet/data/schema/number_text.h"
#include "tacet/model/effects_json.h"
#include "tacet/model/export/export_notes.h"

namespace tacet::model::internal {
namespace {

using nlohmann::ordered_json;

ordered_json notes_json(const ModelFile& file) {
  ordered_json out;
  out["options"] = options_json({.format = ExportFormat::coefficients, .table = {}, .keep = {}});
  out["version"] = base::version;
  out["guarantee"] = privacy::statement(file.receipt);
  if (!file.receipt.is_protected()) out["UNPROTECTED"] = file.receipt.unprotected_reason;
  out["receipt_sha256"] = receipt_sha256(file.receipt);
  out["trained_by"] = file.receipt.software_version;
  return out;
}

ordered_json output_json(const ModelFile& file, std::int64_t output, ordered_json effects) {
  const auto& model = file.model;
  ordered_json out;
  const auto place = base::checked_cast<std::size_t>(output);
  if (model.task == PredictionTask::multi_class) out["class"] = model.classes[place];
  const auto values = model.output(output);
  const auto first = place * model.features.size();
  auto& coefficients = out["coefficients"] = ordered_json::array();
  for (std::size_t k = 0; k < values.size(); ++k) {
    ordered_json entry{{"name", model.features[k]}, {"value", values[k]}};
    if (!model.noise_stddevs.empty()) entry["noise_sd"] = model.noise_stddevs[first + k];
    coefficients.push_back(std::move(entry));
  }
  out["effects"] = std::move(effects);
  return out;
}

/// The numbers from which rows with curves are computed, beside those in the schema
/// (docs/methods/curves.md).
ordered_json curves_json(const data::Schema& schema) {
  const data::CurveRows rows(schema);
  const auto& functions = rows.curve_map().functions();
  std::vector<std::int16_t> angles;  // their low halves; each is followed by its high half
  for (const std::uint32_t angle : functions.angles()) {
    angles.push_back(static_cast<std::int16_t>(angle & 0xffff));
    angles.push_back(static_cast<std::int16_t>(angle >> 16));
  }
  const auto whitening = rows.whitening();
  return {{"turns", data::text_of_shorts(functions.turns())},
          {"angles", data::text_of_shorts(angles)},
          {"unit", static_cast<double>(rows.curve_map().unit())},
          {"hat_units", functions.hat_units()},
          {"whitening", std::vector(whitening.begin(), whitening.end())},
          {"category_scale", rows.category_scale()},
          {"curve_scale", rows.curve_scale()}};
}

/// The numbers of a wide model, as its file has them, and what they are.
ordered_json wide_json(const WideNumbers& wide) {
  const auto& shape = wide.net().shape();
  ordered_json out;
  auto& fields = out["fields"] = ordered_json::array();
  for (const WideField& field : shape.fields) {
    fields.push_back({{"first", field.first},
                      {"rows", field.rows},
                      {"width", field.width},
                      {"pooling", field.pooling == Pooling::sum ? "sum" : "mean"},
                      {"side", field.side == WideSide::left ? "left" : "right"}});
  }
  out["dense"] = shape.dense;
  out["hidden"] = shape.hidden;
  out["linear_part"] = shape.linear == LinearPart::present;
  out["head"] = shape.two_tower() ? "two-tower" : "layers";
  out["outputs"] = shape.outputs;
  out["numbers"] = data::text_of_floats(wide.numbers());
  return out;
}

std::string link_name(const LinearModel& model) {
  if (model.has_probabilities()) return "logit";
  switch (link_of(model.loss)) {
    case Link::logit:
      return "logit";
    case Link::log:
      return "log";
    case Link::identity:
      break;
  }
  return "identity";
}

}  // namespace

std::string coefficient_export(const ModelFile& file) {
  expect_exportable(file, "coefficients");
  const auto& model = file.model;
  ordered_json out;
  out["export"] = notes_json(file);
  out["task"] = to_string(model.task);
  out["loss"] = loss_name(model.loss);
  out["link"] = link_name(model);
  if (model.task == PredictionTask::regression) {
    out["target_lower"] = model.target_lower;
    out["target_upper"] = model.target_upper;
  } else {
    out["classes"] = model.classes;
  }
  out["grid"] = data::Dataset::feature_scale;
  if (model.offset != 0) out["offset"] = model.offset;
  if (model.wide) {
    out["wide"] = wide_json(*model.wide);
  } else {
    auto& outputs = out["outputs"] = ordered_json::array();
    auto effects = effects_json(file.schema, model);
    for (std::size_t k = 0; k < effects.size(); ++k) {
      outputs.push_back(output_json(file, static_cast<std::int64_t>(k), std::move(effects[k])));
    }
  }
  if (file.schema.curves) out["curve_functions"] = curves_json(file.schema);
  out["schema"] = data::schema_to_json(file.schema);
  return base::printable_json(out.dump(1)) + "\n";
}

}  // namespace tacet::model::internal
