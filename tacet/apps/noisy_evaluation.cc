#include <fmt/format.h>

#include "tacet/apps/describe.h"
#include "tacet/apps/evaluation_report.h"
#include "tacet/apps/terminal/text.h"

namespace tacet::apps {
namespace {

/// Figures of one set of records by name, for tables.
using Named = std::vector<std::pair<std::string, learn::NoisyRatio>>;

Named named_figures(const learn::EvaluationPlan& plan, const learn::NoisyFigures& figures) {
  Named out;
  if (plan.classes > 0) out.emplace_back("accuracy", figures.accuracy);
  if (plan.has_majority()) out.emplace_back("majority_share", figures.majority_share);
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

std::vector<std::string> interval_row(const std::string& name,
                                      const std::optional<learn::NoisyInterval>& value) {
  if (!value) return {name, "not known", "", ""};
  return {name, fmt::format("{:.6g}", value->value), fmt::format("{:.2g}", value->noise_stddev),
          fmt::format("{:.4f} to {:.4f}", value->lower, value->upper)};
}

/// What the classes' numbers of records leave unknown, and what the interval holds.
std::string interval_note(const learn::NoisyFigures& figures) {
  return paragraph(
      figures.auc
          ? std::string(
                "The interval holds the exact figure in at least 95 of 100 runs: noise, and "
                "what the ten bins of scores leave open.")
          : std::string("The area under the curve (auc) is not known: the noisy number of records "
                        "of a class does not stand clear of its noise."));
}

std::string calibration_text(const EvaluationSubject& subject, const learn::NoisyFigures& figures) {
  TextTable table(
      {fmt::format("probability of '{}'", subject.model.classes[1]), "records", "observed"});
  for (std::size_t k = 0; k < figures.calibration.size(); ++k) {
    const auto& tenth = figures.calibration[k];
    const auto lower = static_cast<double>(k) / static_cast<double>(figures.calibration.size());
    table.add({fmt::format("{:.1f}-{:.1f}", lower, lower + 0.1),
               fmt::format("{:.0f} +- {:.2g}", tenth.records.value, tenth.records.noise_stddev),
               short_text(tenth.positive)});
  }
  return table.text();
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
  std::vector<std::string> header{"", "estimate", "noise sd"};
  if (plan.has_histogram()) header.emplace_back("95% interval");
  TextTable table(header);
  const auto add = [&](const std::string& name, const learn::NoisyRatio& value) {
    std::vector<std::string> row{name, "lost in the noise"};
    if (value) {
      row = {name, fmt::format("{:.6g}", value->value), fmt::format("{:.2g}", value->noise_stddev)};
    }
    row.resize(header.size());
    table.add(row);
  };
  add(plan.privacy_unit == "record" ? "records" : "units", found.all.records);
  for (const auto& [name, value] : named_figures(plan, found.all)) add(name, value);
  if (plan.has_histogram()) table.add(interval_row("auc", found.all.auc));
  if (!found.all.calibration.empty()) table.add(interval_row("brier_score", found.all.brier));
  std::string out = table.text();
  if (plan.has_histogram()) out += "\n" + interval_note(found.all);
  if (!found.all.calibration.empty()) out += "\n" + calibration_text(subject, found.all);
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
  return out + "\n" + guarantee_text(found.receipt);
}

}  // namespace tacet::apps
