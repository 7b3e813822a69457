#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <span>

#include "tacet/apps/describe.h"
#include "tacet/apps/evaluation_report.h"
#include "tacet/apps/terminal/text.h"
#include "tacet/model/confusion.h"
#include "tacet/model/metrics.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr int calibration_bins = 10;

std::string figure_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : "undefined";
}

ordered_json figure_json(const std::optional<double>& value) {
  return value ? ordered_json(*value) : nullptr;
}

std::vector<double> cells_of(const model::LinearModel& model, const Outcomes& outcomes) {
  return model::confusion_counts(outcomes.actual_class, outcomes.predicted_class,
                                 static_cast<std::int64_t>(model.classes.size()));
}

// --- calibration: predicted against observed shares

struct Calibration {
  std::string of;  ///< class that the probabilities are of
  std::vector<model::CalibrationBin> bins;
};

std::vector<Calibration> calibrations(const EvaluationSubject& subject, const Outcomes& outcomes) {
  std::vector<Calibration> out;
  const auto& model = subject.model;
  const bool two = model.task == model::PredictionTask::binary;
  for (std::size_t k = 0; k < outcomes.probability.size(); ++k) {
    const auto of = static_cast<std::int64_t>(two ? 1 : k);
    std::vector<std::int64_t> is_of;
    for (const auto actual : outcomes.actual_class) is_of.push_back(actual == of ? 1 : 0);
    out.push_back({model.classes[static_cast<std::size_t>(of)],
                   model::calibration_table(outcomes.probability[k], is_of, calibration_bins)});
  }
  return out;
}

std::string calibration_text(const Calibration& calibration) {
  TextTable table({fmt::format("probability of '{}'", calibration.of), "records", "mean predicted",
                   "observed"});
  for (const auto& bin : calibration.bins) {
    const bool empty = bin.count == 0;
    table.add({fmt::format("{:.1f}-{:.1f}", bin.lower, bin.upper), fmt::format("{}", bin.count),
               empty ? "" : fmt::format("{:.4f}", bin.mean_probability),
               empty ? "" : fmt::format("{:.4f}", bin.positive_fraction)});
  }
  return table.text();
}

ordered_json calibration_json(const Calibration& calibration) {
  auto list = ordered_json::array();
  for (const auto& bin : calibration.bins) {
    list.push_back({{"lower", bin.lower},
                    {"upper", bin.upper},
                    {"count", bin.count},
                    {"mean_probability", bin.mean_probability},
                    {"positive_fraction", bin.positive_fraction}});
  }
  return list;
}

// --- several classes

std::vector<std::string> class_header(std::int64_t classes) {
  std::vector<std::string> header{"class", "records"};
  for (const auto& ratio : model::class_ratios(classes, 0)) header.push_back(ratio.name);
  return header;
}

std::string by_class_text(const model::LinearModel& model, std::span<const double> cells) {
  const auto classes = static_cast<std::int64_t>(model.classes.size());
  TextTable table(class_header(classes));
  for (std::int64_t k = 0; k < classes; ++k) {
    double records = 0;
    for (std::int64_t p = 0; p < classes; ++p) records += cells[model::cell_of(k, p, classes)];
    std::vector<std::string> row{model.classes[static_cast<std::size_t>(k)],
                                 fmt::format("{:.0f}", records)};
    for (const auto& ratio : model::class_ratios(classes, k)) {
      row.push_back(figure_text(model::ratio_of(ratio, cells)));
    }
    table.add(row);
  }
  return table.text();
}

ordered_json by_class_json(const model::LinearModel& model, std::span<const double> cells) {
  auto list = ordered_json::array();
  const auto classes = static_cast<std::int64_t>(model.classes.size());
  for (std::int64_t k = 0; k < classes; ++k) {
    ordered_json entry{{"class", model.classes[static_cast<std::size_t>(k)]}};
    for (const auto& ratio : model::class_ratios(classes, k)) {
      entry[ratio.name] = figure_json(model::ratio_of(ratio, cells));
    }
    list.push_back(std::move(entry));
  }
  return list;
}

ordered_json confusion_json(const model::LinearModel& model, std::span<const double> cells) {
  const auto classes = model.classes.size();
  auto rows = ordered_json::array();
  for (std::size_t a = 0; a < classes; ++a) {
    auto row = ordered_json::array();
    for (std::size_t p = 0; p < classes; ++p) {
      row.push_back(static_cast<std::int64_t>(cells[a * classes + p]));
    }
    rows.push_back(std::move(row));
  }
  return {{"classes", model.classes}, {"actual_by_predicted", std::move(rows)}};
}

// --- what the schema made of values

/// Sentences and a table; empty where every value was taken as it stands.
std::string what_was_mapped(const Outcomes& all, const data::SchemaCheck& mapped) {
  std::string out;
  if (all.without_target > 0) {
    out += fmt::format("{} further records have no target and are left out\n", all.without_target);
  }
  if (!mapped.empty_classes.empty()) {
    out += paragraph(fmt::format(
        "No record has the class{} {}: figures about {} say nothing. Compare the labels of the "
        "file with those of the schema.",
        mapped.empty_classes.size() == 1 ? "" : "es", fmt::join(mapped.empty_classes, ", "),
        mapped.empty_classes.size() == 1 ? "it" : "them"));
  }
  const auto table = mapped_text(mapped, MappedColumns::with_some);
  if (!table.empty()) out += "\nValues that the model's schema mapped:\n" + table;
  return out;
}

// --- groups

std::string groups_text(const EvaluationSubject& subject, std::span<const Outcomes> groups) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> header{subject.by, "records"};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<std::string> row{subject.groups[g], fmt::format("{}", groups[g].records)};
    if (groups[g].records > 0) {
      header.resize(2);
      for (const auto& [name, value] : metrics_of(subject.model, groups[g])) {
        header.push_back(name);
        row.push_back(value ? fmt::format("{:.4g}", *value) : "-");
      }
    }
    rows.push_back(std::move(row));
  }
  TextTable table(header);
  for (auto& row : rows) {
    row.resize(header.size());
    table.add(row);
  }
  return table.text();
}

ordered_json groups_json(const EvaluationSubject& subject, std::span<const Outcomes> groups) {
  auto list = ordered_json::array();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    ordered_json entry{{"group", subject.groups[g]}, {"records", groups[g].records}};
    if (groups[g].records > 0) {
      for (const auto& [name, value] : metrics_of(subject.model, groups[g])) {
        entry[name] = figure_json(value);
      }
      if (subject.model.task != model::PredictionTask::regression) {
        entry["confusion"] = confusion_json(
            subject.model, cells_of(subject.model, groups[g]))["actual_by_predicted"];
      }
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

std::string mapped_text(const data::SchemaCheck& found, MappedColumns which) {
  TextTable table({"column", "missing", "unreadable", "below", "above", "unknown", "outside",
                   found.lines ? "first in line" : "first in record"});
  const auto count = [](std::int64_t value) {
    return value == 0 ? std::string("-") : fmt::format("{}", value);
  };
  bool some = which == MappedColumns::all;
  for (const auto& column : found.columns) {
    if (which == MappedColumns::with_some && column.total() == 0) continue;
    some = true;
    table.add({column.column, count(column.missing), count(column.unreadable), count(column.below),
               count(column.above), count(column.unknown), count(column.outside),
               count(column.first_line)});
  }
  return some ? table.text() : std::string();
}

ordered_json mapped_json(const data::SchemaCheck& found, MappedColumns which) {
  auto list = ordered_json::array();
  for (const auto& column : found.columns) {
    if (which == MappedColumns::with_some && column.total() == 0) continue;
    list.push_back({{"column", column.column},
                    {"missing", column.missing},
                    {"unreadable", column.unreadable},
                    {"below", column.below},
                    {"above", column.above},
                    {"unknown", column.unknown},
                    {"outside", column.outside},
                    {"first_line", column.first_line}});
  }
  return list;
}

std::string confusion_text(const std::vector<std::string>& classes,
                           const std::vector<double>& cells) {
  constexpr std::size_t max_classes = 20;  // what fits a screen
  if (classes.size() > max_classes) {
    return fmt::format("The confusion matrix of {} classes is in the output of --json.\n",
                       classes.size());
  }
  std::vector<std::string> header{"actual \\ predicted"};
  header.insert(header.end(), classes.begin(), classes.end());
  TextTable table(header);
  for (std::size_t a = 0; a < classes.size(); ++a) {
    std::vector<std::string> row{classes[a]};
    for (std::size_t p = 0; p < classes.size(); ++p) {
      row.push_back(fmt::format("{:.0f}", cells[a * classes.size() + p]));
    }
    table.add(row);
  }
  return table.text();
}

std::string exact_text(const EvaluationSubject& subject, const std::vector<Outcomes>& outcomes,
                       const data::SchemaCheck& mapped) {
  const auto& all = outcomes[0];
  const auto& model = subject.model;
  TextTable table({"records", fmt::format("{}", all.records)});
  for (const auto& [name, value] : metrics_of(model, all)) table.add({name, figure_text(value)});
  std::string out = table.text() + what_was_mapped(all, mapped);
  if (model.task != model::PredictionTask::regression) {
    const auto cells = cells_of(model, all);
    out += "\n" + confusion_text(model.classes, cells);
    if (model.task == model::PredictionTask::multi_class) out += "\n" + by_class_text(model, cells);
  }
  for (const auto& calibration : calibrations(subject, all)) {
    out += "\n" + calibration_text(calibration);
  }
  if (subject.by.empty()) return out;
  return out + "\n" + groups_text(subject, std::span(outcomes).subspan(1));
}

std::string exact_json(const EvaluationSubject& subject, const std::vector<Outcomes>& outcomes,
                       const data::SchemaCheck& mapped) {
  const auto& all = outcomes[0];
  const auto& model = subject.model;
  ordered_json out;
  out["records"] = all.records;
  out["records_without_target"] = all.without_target;
  for (const auto& [name, value] : metrics_of(model, all)) out[name] = figure_json(value);
  if (model.task != model::PredictionTask::regression) {
    const auto cells = cells_of(model, all);
    out["confusion"] = confusion_json(model, cells);
    if (model.task == model::PredictionTask::multi_class)
      out["by_class"] = by_class_json(model, cells);
  }
  const auto tables = calibrations(subject, all);
  if (model.task == model::PredictionTask::binary && !tables.empty()) {
    out["calibration"] = calibration_json(tables[0]);
  } else {
    for (const auto& table : tables) out["calibration"][table.of] = calibration_json(table);
  }
  out["mapped"] = mapped_json(mapped, MappedColumns::with_some);
  if (!mapped.empty_classes.empty()) out["empty_classes"] = mapped.empty_classes;
  if (!subject.by.empty()) {
    out["by"] = subject.by;
    out["groups"] = groups_json(subject, std::span(outcomes).subspan(1));
  }
  return json_text(out);
}

}  // namespace tacet::apps
