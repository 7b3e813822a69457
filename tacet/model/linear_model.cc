#include "tacet/model/linear_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tacet/base/checked_cast.h"
#include "tacet/base/error.h"
#include "tacet/base/names.h"

namespace tacet::model {
namespace {

constexpr auto tasks = base::names<PredictionTask>({{PredictionTask::binary, "binary"},
                                                    {PredictionTask::multi_class, "multi_class"},
                                                    {PredictionTask::regression, "regression"}});

constexpr double unit = 1.0 / data::Dataset::feature_scale;  // a power of two: scaling is exact

void expect(bool holds, const std::string& message) {
  if (!holds) throw base::DataError(message);
}

void expect_finite(std::span<const double> values, const char* field, double lowest) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    expect(std::isfinite(values[i]) && values[i] >= lowest,
           fmt::format("{}[{}] must be a finite number{}, got {}", field, i,
                       lowest == 0 ? " of at least 0" : "", values[i]));
  }
}

void expect_class_names(const LinearModel& model) {
  const auto count = model.classes.size();
  switch (model.task) {
    case PredictionTask::binary:
      expect(count == 2, fmt::format("classes must hold two names, got {}", count));
      return;
    case PredictionTask::multi_class:
      expect(count >= 2, fmt::format("classes must hold at least two names, got {}", count));
      return;
    case PredictionTask::regression:
      expect(count == 0, "classes must be empty for a regression");
      expect(std::isfinite(model.target_lower) && std::isfinite(model.target_upper) &&
                 model.target_lower < model.target_upper,
             fmt::format("target bounds must be finite and ascending, got {} and {}",
                         model.target_lower, model.target_upper));
      return;
  }
}

}  // namespace

std::string to_string(PredictionTask task) { return tasks.of(task); }

PredictionTask parse_task(std::string_view name) {
  if (const auto found = tasks.find(name)) return *found;
  throw base::DataError("task must be binary, multi_class or regression, got '{}'", name);
}

Link link_of(const Loss& loss) {
  if (std::holds_alternative<SoftLogisticLoss>(loss)) return Link::logit;
  const bool poisson = std::holds_alternative<PoissonLoss>(loss) ||
                       std::holds_alternative<ExtendedPoissonLoss>(loss);
  return poisson ? Link::log : Link::identity;
}

PredictionTask task_of(const data::Target& target) {
  if (target.regression()) return PredictionTask::regression;
  return std::holds_alternative<data::MultiClassTarget>(target.rule) ? PredictionTask::multi_class
                                                                     : PredictionTask::binary;
}

std::int64_t LinearModel::output_count() const {
  return task == PredictionTask::multi_class ? base::checked_cast<std::int64_t>(classes.size()) : 1;
}

std::int64_t LinearModel::feature_count() const {
  return base::checked_cast<std::int64_t>(features.size());
}

std::span<const double> LinearModel::output(std::int64_t index) const {
  const auto width = features.size();
  return std::span(coefficients).subspan(base::checked_cast<std::size_t>(index) * width, width);
}

bool LinearModel::has_probabilities() const {
  return task != PredictionTask::regression &&
         (std::holds_alternative<LogisticLoss>(loss) || std::holds_alternative<SoftmaxLoss>(loss));
}

void LinearModel::validate() const {
  expect(!features.empty(), "features must not be empty");
  expect_class_names(*this);
  if (wide) {
    expect(coefficients.empty() && noise_stddevs.empty(),
           "coefficients must be empty for a wide model");
    expect(wide->net().shape().outputs == output_count(),
           "the outputs of a wide model must be those of its classes");
    return;
  }
  if (table) {
    expect(coefficients.empty() && noise_stddevs.empty(),
           "coefficients must be empty beside a table");
    expect(output_count() == 1, "a table is about one output");
    return table->validate();
  }
  const auto expected = features.size() * base::checked_cast<std::size_t>(output_count());
  expect(coefficients.size() == expected,
         fmt::format("coefficients must hold {} numbers ({} features, {} outputs), got {}",
                     expected, features.size(), output_count(), coefficients.size()));
  expect(noise_stddevs.empty() || noise_stddevs.size() == expected,
         fmt::format("noise_stddevs must be empty or hold {} numbers, got {}", expected,
                     noise_stddevs.size()));
  expect(std::isfinite(offset), "offset must be a finite number");
  expect_finite(coefficients, "coefficients", -INFINITY);
  expect_finite(noise_stddevs, "noise_stddevs", 0);
}

LinearModel described_model(const data::Schema& schema, const Loss& loss) {
  if (!schema.target) throw base::DataError("the schema names no target; a model needs one");
  LinearModel model;
  model.loss = loss;
  model.task = task_of(*schema.target);
  model.classes = schema.target->class_names();
  model.features = data::feature_names(schema);
  if (const auto* bounds = std::get_if<data::RegressionTarget>(&schema.target->rule)) {
    model.target_lower = bounds->lower;
    model.target_upper = bounds->upper;
  }
  if (schema.curves) model.offset = schema.curves->target.mean;
  return model;
}

LinearModel empty_model(const data::Schema& schema, const Loss& loss) {
  LinearModel model = described_model(schema, loss);
  model.coefficients.assign(
      model.features.size() * base::checked_cast<std::size_t>(model.output_count()), 0.0);
  return model;
}

double margin(std::span<const double> coefficients, std::span<const std::int16_t> row) {
  double sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] != 0) sum += coefficients[i] * row[i];
  }
  return sum * unit;
}

double margin(std::span<const double> coefficients, const data::SparseRow& row) {
  double sum = 0;
  for (std::size_t i = 0; i < row.columns.size(); ++i) {
    sum += coefficients[row.columns[i]] * row.values[i];
  }
  return sum * unit;
}

void expect_margins(const LinearModel& model) {
  if (!model.table) return;
  throw base::UsageError(
      "a model of method inference is a table of coefficients with intervals and predicts nothing; "
      "the method gradient trains a model that predicts");
}

void margins(const LinearModel& model, const data::Dataset& data, std::int64_t row,
             std::span<double> out) {
  expect_margins(model);
  if (data.columns() != model.feature_count()) {
    throw base::InternalError("a model of {} features met data of {} columns",
                              model.feature_count(), data.columns());
  }
  if (model.wide) {
    WideTrace trace;
    return model.wide->margins(data, row, trace, out);
  }
  std::vector<std::int16_t> room;
  std::span<const std::int16_t> dense;
  if (!data.sparse()) dense = data.dense_row(row, room);
  for (std::int64_t i = 0; i < model.output_count(); ++i) {
    const auto place = static_cast<std::size_t>(i);
    out[place] = data.sparse() ? margin(model.output(i), data.sparse_row(row))
                               : margin(model.output(i), dense);
    out[place] += model.offset;
  }
}

std::int64_t predicted_class(const LinearModel& model, std::span<const double> margins,
                             double threshold) {
  if (model.task == PredictionTask::binary) return margins[0] > threshold ? 1 : 0;
  return std::ranges::max_element(margins) - margins.begin();
}

double margin_of_probability(const LinearModel& model, double probability) {
  if (model.task != PredictionTask::binary || !model.has_probabilities()) {
    throw base::UsageError(
        "a threshold needs a model of two classes with the logistic loss; this one is {} with the "
        "{} loss",
        to_string(model.task), loss_name(model.loss));
  }
  if (!(probability > 0 && probability < 1)) {
    throw base::UsageError("threshold must lie between 0 and 1, got {}", probability);
  }
  return std::log(probability / (1 - probability));
}

void class_probabilities(const LinearModel& model, std::span<const double> margins,
                         std::span<double> out) {
  if (!model.has_probabilities()) {
    throw base::UsageError(
        "a model trained with the {} loss gives no probabilities; the logistic loss does",
        loss_name(model.loss));
  }
  if (model.task == PredictionTask::binary) {
    out[1] = logistic(margins[0]);
    out[0] = logistic(-margins[0]);
    return;
  }
  if (std::holds_alternative<SoftmaxLoss>(model.loss)) {
    const double largest = *std::ranges::max_element(margins);
    std::ranges::transform(margins, out.begin(),
                           [largest](double margin) { return std::exp(margin - largest); });
  } else {
    std::ranges::transform(margins, out.begin(), logistic);
  }
  const double total = std::accumulate(out.begin(), out.end(), 0.0);
  // All margins below -745 underflow to zero: nothing then speaks for any class.
  const double even = 1.0 / static_cast<double>(out.size());
  for (auto& value : out) value = total > 0 ? value / total : even;
}

double clipped_margin(const LinearModel& model, double margin) {
  switch (link_of(model.loss)) {
    case Link::identity:
      return std::clamp(margin, -1.0, 1.0);
    case Link::logit:
      return margin;
    case Link::log:
      return std::min(margin, 0.0);
  }
  throw base::InternalError("unknown link");
}

double regression_value(const LinearModel& model, double margin) {
  const double clipped = clipped_margin(model, margin);
  switch (link_of(model.loss)) {
    case Link::identity:
      return label_value(model, clipped);
    case Link::logit:
      return label_value(model, logistic(clipped));
    case Link::log:
      return label_value(model, std::exp(clipped));
  }
  throw base::InternalError("unknown link");
}

double label_value(const LinearModel& model, double label) {
  const bool shares = properties(model.loss).labels == Labels::shares;
  const double share = shares ? label : (label + 1.0) / 2.0;
  return model.target_lower + share * (model.target_upper - model.target_lower);
}

double logistic(double margin) {
  if (margin >= 0) return 1.0 / (1.0 + std::exp(-margin));
  const double odds = std::exp(margin);
  return odds / (1.0 + odds);
}

}  // namespace tacet::model
