#include "tacet/report/results.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tacet/data/schema/calendar.h"
#include "tacet/privacy/receipt.h"
#include "tacet/privacy/statement.h"

namespace tacet::report {
namespace {

using nlohmann::ordered_json;

ordered_json value_json(const learn::NoisyValue& value) {
  return {{"value", value.value}, {"noise_sd", value.noise_stddev}};
}

ordered_json ratio_json(const learn::NoisyRatio& value) {
  return value ? value_json(*value) : ordered_json();
}

ordered_json interval_json(const std::optional<learn::NoisyInterval>& value) {
  if (!value) return nullptr;
  return {{"value", value->value},
          {"noise_sd", value->noise_stddev},
          {"lower", value->lower},
          {"upper", value->upper}};
}

ordered_json calibration_json(const std::vector<learn::NoisyTenth>& tenths) {
  auto list = ordered_json::array();
  for (std::size_t k = 0; k < tenths.size(); ++k) {
    const auto count = static_cast<double>(tenths.size());
    list.push_back({{"lower", static_cast<double>(k) / count},
                    {"upper", static_cast<double>(k + 1) / count},
                    {"records", value_json(tenths[k].records)},
                    {"positive_fraction", ratio_json(tenths[k].positive)}});
  }
  return list;
}

ordered_json matrix_json(const EvaluationSubject& subject, const learn::NoisyFigures& figures) {
  const auto classes = subject.model.classes.size();
  auto rows = ordered_json::array();
  for (std::size_t a = 0; a < classes; ++a) {
    rows.push_back(std::vector<double>(
        figures.matrix.begin() + static_cast<std::ptrdiff_t>(a * classes),
        figures.matrix.begin() + static_cast<std::ptrdiff_t>((a + 1) * classes)));
  }
  return {{"classes", subject.model.classes},
          {"actual_by_predicted", std::move(rows)},
          {"noise_sd", figures.matrix_stddev}};
}

void add_json(const EvaluationSubject& subject, const learn::EvaluationPlan& plan,
              const learn::NoisyFigures& figures, ordered_json& out) {
  out["records"] = value_json(figures.records);
  if (plan.classes > 0) out["accuracy"] = ratio_json(figures.accuracy);
  if (plan.has_majority()) out["majority_share"] = ratio_json(figures.majority_share);
  if (plan.has_histogram()) out["auc"] = interval_json(figures.auc);
  if (!figures.calibration.empty()) {
    out["brier_score"] = interval_json(figures.brier);
    out["calibration"] = calibration_json(figures.calibration);
  }
  if (plan.loss_cap) {
    out["mean_capped_loss"] = ratio_json(figures.mean_loss);
    out["loss_cap"] = *plan.loss_cap;
  }
  if (plan.classes == 0) {
    out["mae"] = ratio_json(figures.mae);
    out["rmse"] = ratio_json(figures.rmse);
    out["r2"] = ratio_json(figures.r2);
  }
  if (plan.has_deviance()) {
    out["capped_deviance"] = ratio_json(figures.deviance);
    out["deviance_cap"] = plan.deviance_cap();
    out["d2"] = ratio_json(figures.d2);
  }
  if (!plan.has_matrix()) return;
  if (plan.classes == 2) {
    for (const auto& [name, value] : figures.by_class[0].figures) out[name] = ratio_json(value);
  } else {
    for (const auto& one : figures.by_class) {
      ordered_json entry{{"class", subject.model.classes[static_cast<std::size_t>(one.of)]}};
      for (const auto& [name, value] : one.figures) entry[name] = ratio_json(value);
      out["by_class"].push_back(std::move(entry));
    }
  }
  out["confusion"] = matrix_json(subject, figures);
}

ordered_json column_json(const run::SummaryPlan& plan, const run::Summary& found, std::size_t k) {
  const auto& column = plan.columns[k];
  ordered_json out{{"name", column.name}, {"target", column.target}};
  if (const auto& quartiles = found.columns[k].quartiles) {
    out["quartiles"] = *quartiles;
    if (column.date) out["quartiles_are"] = "days since 1970-01-01";
    out["rank_margin"] = mechanism::quartile_margin(plan.quartile, *plan.grids[k]);
    out["grid_step"] = plan.grids[k]->step();
    if (column.log1p) out["grid"] = "log(1 + x)";
  }
  auto& kinds = out["values"] = ordered_json::array();
  for (std::size_t kind = 0; kind < column.kinds.size(); ++kind) {
    kinds.push_back({{"value", column.kinds[kind]},
                     {"kind", kind_word(column, kind)},
                     {"noisy_count", found.columns[k].counts[kind]},
                     {"share", found.share(k, kind)}});
  }
  return out;
}

}  // namespace

ordered_json evaluation_json(const EvaluationSubject& subject, const learn::EvaluationPlan& plan,
                             const learn::Evaluation& found) {
  ordered_json out;
  add_json(subject, plan, found.all, out);
  for (std::size_t g = 0; g < found.groups.size(); ++g) {
    ordered_json entry{{"group", subject.groups[g]}};
    add_json(subject, plan, found.groups[g], entry);
    out["groups"].push_back(std::move(entry));
  }
  if (!subject.by.empty()) out["by"] = subject.by;
  out["receipt"] = ordered_json::parse(privacy::receipt_to_json(found.receipt));
  return out;
}

using nlohmann::ordered_json;

std::string quantile_text(const run::QuantilePlan& plan, double value) {
  return plan.bounds.date ? data::date_text(std::llround(value)) : fmt::format("{}", value);
}

ordered_json quantile_json(const run::QuantileRequest& request, const run::QuantilePlan& plan,
                           const run::ReleasedQuantile& found) {
  ordered_json out;
  out["column"] = request.column;
  out["q"] = request.level;
  out["value"] = found.value;
  if (plan.bounds.date) out["date"] = quantile_text(plan, found.value);
  out["privacy"] = privacy::statement(found.receipt);
  out["protected"] = found.receipt.is_protected();
  out["receipt"] = ordered_json::parse(privacy::receipt_to_json(found.receipt));
  return out;
}

std::string kind_word(const data::SummaryColumn& column, std::size_t kind) {
  const std::size_t last = column.kinds.size() - 1;
  if (column.target && !column.numeric) return "value";
  if (kind == last) return "missing";
  const bool present = column.kinds.size() == 2;
  return kind + 1 == last ? (present ? "present" : "other") : "value";
}

ordered_json summary_json(const run::SummaryPlan& plan, const run::Summary& found,
                          const privacy::Receipt& receipt) {
  ordered_json out;
  out["records"] = found.records;
  out["records_public"] = !plan.answers.counts_records;
  out["count_margin"] = mechanism::count_margin(plan.counts);
  out["share_margin_in_records"] = mechanism::share_margin(plan.counts);
  auto& columns = out["columns"] = ordered_json::array();
  for (std::size_t k = 0; k < plan.columns.size(); ++k) {
    columns.push_back(column_json(plan, found, k));
  }
  out["privacy"] = privacy::statement(receipt);
  out["protected"] = receipt.is_protected();
  out["receipt"] = ordered_json::parse(privacy::receipt_to_json(receipt));
  return out;
}

}  // namespace tacet::report
