#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/report/figure/labels.h"
#include "tacet/report/record/calibration_picture.h"
#include "tacet/report/record/sections.h"
#include "tacet/report/record/words.h"

namespace tacet::report {
namespace {

using nlohmann::ordered_json;

constexpr double metric_interval = 1.959963984540054;  // 95 % of a normal law lie within

struct MetricName {
  std::string_view key;
  std::string_view words;
  bool share;  ///< lies between 0 and 1
};
constexpr std::array<MetricName, 15> metric_names{{{"accuracy", "accuracy", true},
                                                   {"majority_share", "majority share", true},
                                                   {"sensitivity", "sensitivity (recall)", true},
                                                   {"specificity", "specificity", true},
                                                   {"precision", "precision", true},
                                                   {"f1", "F1", true},
                                                   {"auc", "AUC", true},
                                                   {"r2", "R2", true},
                                                   {"d2", "explained deviance (D2)", true},
                                                   {"mae", "mean absolute error", false},
                                                   {"rmse", "root mean squared error", false},
                                                   {"mean_capped_loss", "mean capped loss", false},
                                                   {"capped_deviance", "capped deviance", false},
                                                   {"brier_score", "Brier score", false},
                                                   {"records", "records", false}}};

struct Metric {
  std::string name;
  double value;
  double stddev;
  bool share;
  double low;  ///< ends of its interval: those that were stated, else of the noise alone
  double high;
};

std::optional<Metric> metric_in(const ordered_json& json, const MetricName& known) {
  const auto found = json.find(std::string(known.key));
  if (found == json.end() || !found->is_object()) return std::nullopt;
  const auto value = found->find("value");
  const auto stddev = found->find("noise_sd");
  if (value == found->end() || stddev == found->end() || !value->is_number() ||
      !stddev->is_number()) {
    return std::nullopt;
  }
  Metric metric{.name = std::string(known.words),
                .value = value->get<double>(),
                .stddev = stddev->get<double>(),
                .share = known.share,
                .low = 0,
                .high = 0};
  metric.low = metric.value - metric_interval * metric.stddev;
  metric.high = metric.value + metric_interval * metric.stddev;
  // Figures of a histogram state ends that hold the width of its bins too.
  const auto lower = found->find("lower");
  const auto upper = found->find("upper");
  const bool stated =
      lower != found->end() && upper != found->end() && lower->is_number() && upper->is_number();
  if (stated) {
    metric.low = lower->get<double>();
    metric.high = upper->get<double>();
  }
  if (metric.share) {
    metric.low = std::max(metric.low, 0.0);
    metric.high = std::min(metric.high, 1.0);
  }
  return metric;
}

std::vector<Metric> metrics_in(const ordered_json& json) {
  std::vector<Metric> out;
  for (const auto& known : metric_names) {
    if (auto metric = metric_in(json, known)) out.push_back(*std::move(metric));
  }
  return out;
}

/// Noisy counts of actual by predicted classes.
struct Confusion {
  std::vector<std::string> classes;
  std::vector<double> counts;
  double stddev = 0;
};

std::optional<Confusion> confusion_in(const ordered_json& json) {
  const auto found = json.find("confusion");
  if (found == json.end()) return std::nullopt;
  Confusion out;
  try {
    out.classes = found->at("classes").get<std::vector<std::string>>();
    out.stddev = found->at("noise_sd").get<double>();
    for (const auto& row : found->at("actual_by_predicted")) {
      const auto numbers = row.get<std::vector<double>>();
      out.counts.insert(out.counts.end(), numbers.begin(), numbers.end());
    }
  } catch (const ordered_json::exception&) {
    return std::nullopt;
  }
  if (out.classes.empty() || out.counts.size() != out.classes.size() * out.classes.size()) {
    return std::nullopt;
  }
  return out;
}

Table metrics_table(const std::vector<Metric>& metrics) {
  Table table{
      .caption =
          "Released metrics, with intervals (95 %) of privacy's noise and of the width of bins",
      .header = {"metric", "value", "noise sd", "from", "to"},
      .rows = {}};
  for (const auto& metric : metrics) {
    table.rows.push_back({metric.name, metric.value, metric.stddev, metric.low, metric.high});
  }
  return table;
}

Picture metrics_picture(const std::vector<Metric>& metrics, const std::string& name) {
  Plot plot{.title = "Released metrics", .x = {.label = "value"}};
  std::vector<Metric> drawn;
  for (const auto& metric : metrics) {
    if (metric.share) drawn.push_back(metric);
  }
  for (const auto& metric : drawn) {
    plot.marks.push_back(
        {.at = static_cast<double>(plot.levels.size()),
         .value = metric.value,
         .low = metric.low,
         .high = metric.high,
         .tone = metric.name.starts_with("majority") ? Tone::second : Tone::first});
    plot.levels.push_back(metric.name);
  }
  std::string finding =
      fmt::format("The {} is {}", drawn.front().name, number_text(drawn.front().value, 3));
  for (const auto& metric : drawn) {
    if (metric.name.starts_with("majority")) {
      finding += fmt::format("; always predicting the largest class would reach {}",
                             number_text(metric.value, 3));
    }
  }
  finding += ". Intervals allow for privacy's noise, not for sampling error.";
  return {name, "Released metrics", finding, {plot}, metrics_table(metrics)};
}

Picture confusion_picture(const Confusion& confusion, const std::string& name) {
  const auto classes = confusion.classes.size();
  Picture picture{
      .name = name, .title = "Confusion matrix", .finding = {}, .plots = {}, .numbers = {}};
  Plot plot{.title = "Confusion matrix", .x = {.label = "predicted"}, .y = {.label = "actual"}};
  plot.heat = HeatMap{confusion.classes, confusion.classes, {}};
  picture.numbers = {.caption = "Noisy counts of records, each with noise of the same size",
                     .header = {"actual", "predicted", "count", "noise sd"},
                     .rows = {}};
  double right = 0;
  double all = 0;
  for (std::size_t r = 0; r < classes; ++r) {
    for (std::size_t c = 0; c < classes; ++c) {
      const double count = confusion.counts[r * classes + c];
      plot.heat->values.push_back(std::round(count));
      picture.numbers.rows.push_back(
          {confusion.classes[r], confusion.classes[c], count, confusion.stddev});
      all += count;
      if (r == c) right += count;
    }
  }
  // The sum's noise is that of all cells together.
  const bool lost = all <= 2 * confusion.stddev * static_cast<double>(classes);
  picture.finding = lost ? std::string("The counts are lost in the noise.")
                         : fmt::format(
                               "About {1} of {0} records were predicted correctly; each count has "
                               "noise with standard deviation {2}.",
                               number_text(std::round(all), 6), number_text(std::round(right), 6),
                               number_text(confusion.stddev, 3));
  picture.plots.push_back(std::move(plot));
  return picture;
}

void add_groups(const ReadResult& result, Section& section) {
  const auto groups = result.values.find("groups");
  if (groups == result.values.end() || !groups->is_array()) return;
  Table table{.caption = "Released metrics of each group",
              .header = {"group", "metric", "value", "noise sd"},
              .rows = {}};
  for (const auto& group : *groups) {
    const auto name = group.find("group");
    if (name == group.end() || !name->is_string()) continue;
    for (const auto& metric : metrics_in(group)) {
      table.rows.push_back({name->get<std::string>(), metric.name, metric.value, metric.stddev});
    }
  }
  if (!table.rows.empty()) section.blocks.push_back({std::move(table)});
}

void add_evaluation(const ReadResult& result, const std::string& prefix, Section& section) {
  const auto metrics = metrics_in(result.values);
  const auto confusion = confusion_in(result.values);
  const bool drawn = std::ranges::any_of(metrics, &Metric::share);
  Beside beside;
  if (drawn) {
    beside.blocks.push_back({metrics_picture(metrics, prefix + "-metrics")});
  } else if (!metrics.empty()) {
    section.blocks.push_back({metrics_table(metrics)});
  }
  if (confusion) beside.blocks.push_back({confusion_picture(*confusion, prefix + "-confusion")});
  if (auto tenths = calibration_picture(result.values, prefix + "-calibration")) {
    beside.blocks.push_back({*std::move(tenths)});
  }
  if (!beside.blocks.empty()) section.blocks.push_back({std::move(beside)});
  add_groups(result, section);
  if (result.is_protected() && result.fault.empty()) {
    section.blocks.push_back({Paragraph{
        fmt::format("These metrics cost {}.", guarantee_in_words(result.receipt().guarantee))}});
  }
}

}  // namespace

std::string metrics_answer(const ReadResult& result) {
  const auto metrics = metrics_in(result.values);
  if (metrics.empty()) return "This evaluation released no figure.";
  const auto& first = metrics.front();
  auto text = fmt::format("The {} is {}; with privacy's noise, from {} to {} (95 %).", first.name,
                          number_text(first.value, 3), number_text(first.low, 3),
                          number_text(first.high, 3));
  for (const auto& metric : metrics) {
    if (metric.name == "majority share") {
      text += fmt::format(" Always predicting the largest class would reach {}.",
                          number_text(metric.value, 3));
    }
  }
  return text;
}

Section metrics_section(const Material& material) {
  Section section{"metrics", "How good it is", {}};
  std::size_t number = 0;
  for (const auto& result : material.results.all) {
    if (result.kind != ResultKind::evaluation) continue;
    section.blocks.push_back({Heading{in_quotes(result.name)}});
    add_evaluation(result, fmt::format("evaluation-{}", ++number), section);
  }
  if (section.blocks.empty() && !material.results.all.empty()) {
    section.blocks.push_back({Paragraph{
        "Not known: no metric was released. A noisy evaluation has a cost of its own; give "
        "its result to this report beside the model."}});
  }
  return section;
}

}  // namespace tacet::report
