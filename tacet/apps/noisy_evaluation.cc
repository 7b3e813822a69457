#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tacet/apps/describe.h"
#include "tacet/apps/evaluation_report.h"
#include "tacet/apps/terminal/text_table.h"
#include "tacet/privacy/statement.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

/// Figures of one set of records by name, for tables.
using Named = std::vector<std::pair<std::string, learn::NoisyRatio>>;

Named named_figures(const learn::EvaluationPlan& plan, const learn::NoisyFigures& figures) {
  Named out;
  if (plan.classes > 0) out.emplace_back("accuracy", figures.accuracy);
  if (plan.classes == 2) {
    const auto& positive = figures.by_class[0].figures;
    out.insert(out.end(), positive.begin(), positive.end());
  }
  if (plan.classes == 0) {
    out.emplace_back("mae", figures.mae);
    out.emplace_back("rmse", figures.rmse);
    out.emplace_back("r2", figures.r2);
  }
  if (plan.has_deviance()) {
    out.emplace_back(fmt::format("deviance, of a record at most {:.4g}", plan.deviance_cap()),
                     figures.deviance);
    out.emplace_back("d2", figures.d2);
  }
  if (plan.loss_cap) {
    out.emplace_back(fmt::format("mean loss, capped at {:.4g}", *plan.loss_cap), figures.mean_loss);
  }
  return out;
}

std::string short_text(const learn::NoisyRatio& value) {
  if (!value) return "lost in the noise";
  return fmt::format("{:.4f} +- {:.2g}", value->value, value->noise_deviation);
}

std::string by_class_text(const EvaluationSubject& subject, const learn::NoisyFigures& figures) {
  std::vector<std::string> header{"class"};
  for (const auto& [name, value] : figures.by_class[0].figures) header.push_back(name);
  TextTable table(header);
  for (const auto& one : figures.by_class) {
    std::vector<std::string> row{subject.model.classes[static_cast<std::size_t>(one.of)]};
    for (const auto& [name, value] : one.figures) row.push_back(short_text(value));
    table.add(row);
  }
  return table.text();
}

std::string groups_text(const EvaluationSubject& subject, const learn::EvaluationPlan& plan,
                        const learn::Evaluation& found) {
  std::vector<std::string> header{subject.by, "records"};
  for (const auto& [name, value] : named_figures(plan, found.all)) header.push_back(name);
  TextTable table(header);
  for (std::size_t g = 0; g < found.groups.size(); ++g) {
    const auto& figures = found.groups[g];
    std::vector<std::string> row{
        subject.groups[g],
        fmt::format("{:.0f} +- {:.2g}", figures.records.value, figures.records.noise_deviation)};
    for (const auto& [name, value] : named_figures(plan, figures)) row.push_back(short_text(value));
    table.add(row);
  }
  return table.text();
}

ordered_json value_json(const learn::NoisyValue& value) {
  return {{"value", value.value}, {"noise_sd", value.noise_deviation}};
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
          {"noise_sd", figures.matrix_deviation}};
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

std::string noisy_text(const EvaluationSubject& subject, const learn::EvaluationPlan& plan,
                       const learn::Evaluation& found) {
  TextTable table({"", "estimate", "noise sd"});
  const auto add = [&](const std::string& name, const learn::NoisyRatio& value) {
    if (value) {
      table.add({name, fmt::format("{:.6g}", value->value),
                 fmt::format("{:.2g}", value->noise_deviation)});
    } else {
      table.add({name, "lost in the noise", ""});
    }
  };
  add(plan.privacy_unit == "record" ? "records" : "units", found.all.records);
  for (const auto& [name, value] : named_figures(plan, found.all)) add(name, value);
  std::string out = table.text();
  if (plan.has_matrix()) {
    out += fmt::format("\n{}noise sd of each count: {:.2g}\n",
                       confusion_text(subject.model.classes, found.all.matrix),
                       found.all.matrix_deviation);
    if (plan.classes > 2) out += "\n" + by_class_text(subject, found.all);
  } else if (plan.classes > learn::most_matrix_classes) {
    out += "\n" + paragraph(fmt::format(
                      "No confusion matrix: the noise of {} counts would drown what {} classes "
                      "have to say; at most {} classes get one.",
                      plan.classes * plan.classes, plan.classes, learn::most_matrix_classes));
  }
  if (!subject.by.empty()) out += "\n" + groups_text(subject, plan, found);
  return out + "\n" + paragraph(privacy::statement(found.receipt));
}

std::string noisy_json(const EvaluationSubject& subject, const learn::EvaluationPlan& plan,
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
  return json_text(out);
}

}  // namespace tacet::apps
