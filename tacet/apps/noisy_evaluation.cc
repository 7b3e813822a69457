#include <fmt/format.h>

#include "tacet/apps/describe.h"
#include "tacet/apps/evaluation_report.h"
#include "tacet/apps/terminal/text_table.h"
#include "tacet/privacy/statement.h"

namespace tacet::apps {
namespace {

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
  return fmt::format("{:.4f} +- {:.2g}", value->value, value->noise_stddev);
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
        fmt::format("{:.0f} +- {:.2g}", figures.records.value, figures.records.noise_stddev)};
    for (const auto& [name, value] : named_figures(plan, figures)) row.push_back(short_text(value));
    table.add(row);
  }
  return table.text();
}

}  // namespace

std::string noisy_text(const EvaluationSubject& subject, const learn::EvaluationPlan& plan,
                       const learn::Evaluation& found) {
  TextTable table({"", "estimate", "noise sd"});
  const auto add = [&](const std::string& name, const learn::NoisyRatio& value) {
    if (value) {
      table.add(
          {name, fmt::format("{:.6g}", value->value), fmt::format("{:.2g}", value->noise_stddev)});
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
                       found.all.matrix_stddev);
    if (plan.classes > 2) out += "\n" + by_class_text(subject, found.all);
  } else if (plan.classes > learn::max_matrix_classes) {
    out += "\n" + paragraph(fmt::format(
                      "No confusion matrix: the noise of {} counts would drown what {} classes "
                      "have to say; at most {} classes get one.",
                      plan.classes * plan.classes, plan.classes, learn::max_matrix_classes));
  }
  if (!subject.by.empty()) out += "\n" + groups_text(subject, plan, found);
  return out + "\n" + paragraph(privacy::statement(found.receipt));
}

}  // namespace tacet::apps
