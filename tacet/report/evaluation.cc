#include "tacet/report/evaluation.h"

#include <nlohmann/json.hpp>

#include "tacet/privacy/receipt.h"

namespace tacet::report {
namespace {

using nlohmann::ordered_json;

ordered_json value_json(const learn::NoisyValue& value) {
  return {{"value", value.value}, {"noise_sd", value.noise_stddev}};
}

ordered_json ratio_json(const learn::NoisyRatio& value) {
  return value ? value_json(*value) : ordered_json();
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

}  // namespace tacet::report
