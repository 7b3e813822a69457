#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacet/apps/command.h"
#include "tacet/apps/describe.h"
#include "tacet/apps/spending.h"
#include "tacet/apps/terminal/text_table.h"
#include "tacet/base/error.h"
#include "tacet/data/read/read_dataset.h"
#include "tacet/learn/evaluation.h"
#include "tacet/learn/plan/linear_options.h"
#include "tacet/model/metrics.h"
#include "tacet/model/model_file.h"
#include "tacet/privacy/statement.h"

namespace tacet::apps {
namespace {

using nlohmann::ordered_json;

constexpr int calibration_bins = 10;

constexpr std::string_view examples =
    "  tacet evaluate model.json test.csv --public                 exact metrics\n"
    "  tacet evaluate model.json test.csv --public --calibration   and a calibration table\n"
    "  tacet evaluate model.json test.csv --epsilon 0.5 --delta 1e-6   noisy metrics\n"
    "\n"
    "Metrics are computed from the records of the file. --public declares that these records need\n"
    "no protection; --epsilon protects them by noise, and the cost adds to whatever else was\n"
    "released about the same people.\n";

/// A metric that the data leave undefined (one class only, say) has no value.
using Metrics = std::vector<std::pair<std::string, std::optional<double>>>;

/// Predictions and outcomes of all records.
struct Outcomes {
  std::vector<std::int64_t> predicted_class;
  std::vector<std::int64_t> actual_class;
  std::vector<double> score;                  ///< binary: the margin
  std::vector<double> positive_probability;   ///< binary, where the loss gives probabilities
  std::vector<double> probability_of_actual;  ///< where the loss gives probabilities
  std::vector<double> predicted_value;        ///< regression, original units
  std::vector<double> actual_value;
  std::vector<double> label;  ///< regression: the target scaled to [-1, 1]
  double loss_sum = 0;        ///< regression: of the loss that was trained, on that scale
};

std::int64_t class_of(const model::LinearModel& model, double label) {
  if (model.task == model::Task::binary) return label > 0 ? 1 : 0;
  return static_cast<std::int64_t>(label);
}

void add_class(const model::LinearModel& model, std::span<const double> margins, double label,
               Outcomes& out) {
  const auto actual = class_of(model, label);
  out.predicted_class.push_back(model::predicted_class(model, margins));
  out.actual_class.push_back(actual);
  if (model.task == model::Task::binary) out.score.push_back(margins[0]);
  if (!model.has_probabilities()) return;
  std::vector<double> probabilities(model.classes.size());
  model::class_probabilities(model, margins, probabilities);
  out.probability_of_actual.push_back(probabilities[static_cast<std::size_t>(actual)]);
  if (model.task == model::Task::binary) out.positive_probability.push_back(probabilities[1]);
}

Outcomes outcomes_of(const model::LinearModel& model, const data::Dataset& data,
                     const base::CancelToken& cancel) {
  Outcomes out;
  std::vector<double> margins(static_cast<std::size_t>(model.output_count()));
  for (std::int64_t row = 0; row < data.rows(); ++row) {
    cancel.throw_if_cancelled();
    model::margins(model, data, row, margins);
    if (model.task == model::Task::regression) {
      out.predicted_value.push_back(model::regression_value(model, margins[0]));
      out.actual_value.push_back(model::regression_value(model, data.label(row)));
      out.label.push_back(data.label(row));
      out.loss_sum +=
          model::loss_value(model.loss, std::clamp(margins[0], -1.0, 1.0), data.label(row));
    } else {
      add_class(model, margins, data.label(row), out);
    }
  }
  return out;
}

double majority_share(const Outcomes& outcomes, std::size_t classes) {
  std::vector<double> counts(classes, 0.0);
  for (const auto actual : outcomes.actual_class) counts[static_cast<std::size_t>(actual)] += 1;
  return std::ranges::max(counts) / static_cast<double>(outcomes.actual_class.size());
}

Metrics classification_metrics(const model::LinearModel& model, const Outcomes& outcomes) {
  Metrics metrics;
  metrics.emplace_back("accuracy",
                       model::accuracy(outcomes.predicted_class, outcomes.actual_class));
  metrics.emplace_back("majority_share", majority_share(outcomes, model.classes.size()));
  if (model.task == model::Task::binary) {
    metrics.emplace_back("auc", model::auc(outcomes.score, outcomes.actual_class));
  }
  if (model.has_probabilities()) {
    metrics.emplace_back("log_loss", model::log_loss(outcomes.probability_of_actual));
  }
  return metrics;
}

Metrics regression_metrics(const model::LinearModel& model, const Outcomes& outcomes) {
  const auto& predicted = outcomes.predicted_value;
  const auto& actual = outcomes.actual_value;
  Metrics metrics;
  metrics.emplace_back("mae", model::mean_absolute_error(predicted, actual));
  metrics.emplace_back("rmse", model::root_mean_squared_error(predicted, actual));
  metrics.emplace_back("r2", model::r_squared(predicted, actual));
  if (const auto* pinball = std::get_if<model::PinballLoss>(&model.loss)) {
    metrics.emplace_back("pinball_loss", model::pinball_loss(predicted, actual, pinball->quantile));
  } else if (const auto* smoothed = std::get_if<model::SmoothedPinballLoss>(&model.loss)) {
    metrics.emplace_back("pinball_loss",
                         model::pinball_loss(predicted, actual, smoothed->quantile));
  }
  metrics.emplace_back("loss", outcomes.loss_sum / static_cast<double>(actual.size()));
  metrics.emplace_back("best_constant_loss", model::best_constant_loss(model.loss, outcomes.label));
  return metrics;
}

std::string calibration_text(const std::vector<model::CalibrationBin>& bins) {
  TextTable table({"predicted", "records", "mean predicted", "observed"});
  for (const auto& bin : bins) {
    const bool empty = bin.count == 0;
    table.add({fmt::format("{:.1f}-{:.1f}", bin.lower, bin.upper), fmt::format("{}", bin.count),
               empty ? "" : fmt::format("{:.4f}", bin.mean_probability),
               empty ? "" : fmt::format("{:.4f}", bin.positive_fraction)});
  }
  return table.text();
}

ordered_json calibration_json(const std::vector<model::CalibrationBin>& bins) {
  auto list = ordered_json::array();
  for (const auto& bin : bins) {
    list.push_back({{"lower", bin.lower},
                    {"upper", bin.upper},
                    {"count", bin.count},
                    {"mean_probability", bin.mean_probability},
                    {"positive_fraction", bin.positive_fraction}});
  }
  return list;
}

class Evaluate : public Command {
 public:
  void declare(CommandLine& line) override {
    auto& options = add(line, "evaluate", "Measure how well a model predicts", examples);
    options.add("model", model_, "FILE", "Model file that `tacet train` wrote", Form::required);
    options.add("data", data_, "FILE", "File with records and their true answers", Form::required);
    options.flag("--public", public_, "The records need no protection: print exact metrics");
    options.flag("--calibration", calibration_,
                 "Add a table of predicted against observed shares (two classes)");
    options.add("--epsilon", epsilon_, "NUMBER", "Print noisy metrics at this privacy loss bound");
    options.add("--delta", delta_, "NUMBER",
                "Probability mass on which epsilon may be exceeded [default: the largest power "
                "of ten below 1/public_row_count^1.1]");
    options.add("--public-row-count", row_count_, "COUNT",
                "Number of records in this file, where it is public; sets the default delta");
    options.add("--adjacency", adjacency_, "NAME", "add_remove, zero_out or replace_one");
    options.add("--loss-cap", loss_cap_, "NUMBER",
                "Losses above it count as it; not for several classes, which have no single loss "
                "[default: four times the loss of a margin of 0; for numbers the largest loss in "
                "the target's bounds]");
    seed_.declare(options);
    spending_.declare(options);
  }

  void run(const Console& console, const base::CancelToken& cancel) override {
    if (public_ == !epsilon_.empty()) {
      throw base::UsageError(
          "metrics are computed from the records of the file and would reveal something about "
          "them; give --public if these records are public, or --epsilon for noisy metrics");
    }
    if (public_) {
      run_on_public(console, cancel);
    } else {
      run_privately(console, cancel);
    }
  }

 private:
  void run_on_public(const Console& console, const base::CancelToken& cancel) const {
    auto file = model::load_model(model_);
    warn_if_unprotected(console, file.receipt);
    if (calibration_) expect_calibration(file.model);
    file.schema.unit.reset();  // exact metrics of public records bound nobody's part
    file.schema.cost.reset();
    ConsoleOutput output(console);
    ProgressLine progress(console);
    run::spend(
        unprotected_use(name(), data_, "exact metrics (--public)"),
        spending_.front(console, cancel), output,
        [&] {
          progress.announce(fmt::format("reading {}", data_));
          return data::read_dataset(data_, file.schema, {.cancel = &cancel});
        },
        [&](const data::Dataset& data, privacy::Reservation&, run::Pieces& result) {
          progress.clear();
          if (data.rows() == 0) throw base::DataError(fmt::format("'{}' has no records", data_));
          result.write(metrics_text(file.model, outcomes_of(file.model, data, cancel), data.rows(),
                                    console.json()));
          return 0.0;
        });
  }

  /// The command line's own default of the adjacency is add_remove.
  [[nodiscard]] learn::EvaluationOptions private_options(const data::Schema& schema) const {
    const double epsilon = number_option("--epsilon", epsilon_, "a number above 0");
    if (!(epsilon > 0)) {
      throw base::UsageError(fmt::format("--epsilon must be above 0, got {}", epsilon));
    }
    return {.epsilon = privacy::Epsilon(epsilon),
            .delta = privacy::Delta(chosen_delta()),
            .adjacency = privacy::parse_adjacency(adjacency_),
            .loss_cap = loss_cap_.empty() ? std::nullopt
                                          : std::optional(number_option("--loss-cap", loss_cap_,
                                                                        "a number above 0")),
            .privacy_unit = schema.unit.value_or("record"),
            .public_row_count = public_row_count()};
  }

  [[nodiscard]] std::optional<std::int64_t> public_row_count() const {
    if (row_count_.empty()) return std::nullopt;
    return count_option("--public-row-count", row_count_, 1);
  }

  [[nodiscard]] double chosen_delta() const {
    if (!delta_.empty()) return number_option("--delta", delta_, "a number from 0 to below 1");
    if (const auto count = public_row_count()) return learn::default_delta(*count);
    throw base::UsageError(
        "give --delta, or --public-row-count where the number of records in this file is public");
  }

  void run_privately(const Console& console, const base::CancelToken& cancel) const {
    if (calibration_) throw base::UsageError("--calibration needs --public");
    const auto source = seed_.source();
    const auto file = model::load_model(model_);
    const auto options = private_options(file.schema);
    warn_if_unprotected(console, file.receipt);
    seed_.warn(console);
    const auto plan = learn::plan_evaluation(file.model, options);
    ConsoleOutput output(console);
    ProgressLine progress(console);
    run::spend(
        {.command = name(),
         .data = data_,
         .privacy_unit = plan.privacy_unit,
         .planned = plan.event,
         .cost = plan.guarantee,
         .unprotected_reason = seed_.unprotected_reason()},
        spending_.front(console, cancel), output,
        [&] {
          progress.announce(fmt::format("reading {}", data_));
          return data::read_dataset(data_, file.schema,
                                    {.units = data::UnitUse::index, .cancel = &cancel});
        },
        [&](const data::Dataset& data, privacy::Reservation& reservation, run::Pieces& result) {
          const auto found = learn::evaluate(data, file.model, plan, *source, reservation, &cancel);
          progress.clear();
          result.write(console.json() ? json_text(noisy_json(plan, found))
                                      : noisy_text(plan, found));
          return found.receipt.cipher_delta;
        });
  }

  static ordered_json noisy_json(const learn::EvaluationPlan& plan,
                                 const learn::Evaluation& found) {
    const auto entry = [](const learn::NoisyValue& value) {
      return ordered_json{{"value", value.value}, {"noise_sd", value.noise_deviation}};
    };
    ordered_json out;
    out["records"] = entry(found.records);
    if (plan.counts_hits) out["accuracy"] = found.accuracy ? entry(*found.accuracy) : nullptr;
    if (plan.loss_cap) {
      out["mean_capped_loss"] = found.mean_loss ? entry(*found.mean_loss) : nullptr;
      out["loss_cap"] = *plan.loss_cap;
    }
    out["receipt"] = ordered_json::parse(privacy::receipt_to_json(found.receipt));
    return out;
  }

  static std::string noisy_text(const learn::EvaluationPlan& plan, const learn::Evaluation& found) {
    TextTable table({"", "estimate", "noise sd"});
    const auto add = [&](const std::string& name, const std::optional<learn::NoisyValue>& value) {
      if (value) {
        table.add({name, fmt::format("{:.6g}", value->value),
                   fmt::format("{:.2g}", value->noise_deviation)});
      } else {
        table.add({name, "lost in the noise", ""});
      }
    };
    add(plan.privacy_unit == "record" ? "records" : "units", found.records);
    if (plan.counts_hits) add("accuracy", found.accuracy);
    if (plan.loss_cap) {
      add(fmt::format("mean loss, capped at {:.4g}", *plan.loss_cap), found.mean_loss);
    }
    return table.text() + "\n" + paragraph(privacy::statement(found.receipt));
  }

  static void expect_calibration(const model::LinearModel& model) {
    if (model.task == model::Task::binary && model.has_probabilities()) return;
    throw base::UsageError(
        "--calibration needs a model of two classes trained with the logistic loss");
  }

  [[nodiscard]] std::string metrics_text(const model::LinearModel& model, const Outcomes& outcomes,
                                         std::int64_t rows, bool as_json) const {
    const auto metrics = model.task == model::Task::regression
                             ? regression_metrics(model, outcomes)
                             : classification_metrics(model, outcomes);
    std::vector<model::CalibrationBin> bins;
    if (calibration_) {
      bins = model::calibration_table(outcomes.positive_probability, outcomes.actual_class,
                                      calibration_bins);
    }
    if (as_json) {
      ordered_json out;
      out["records"] = rows;
      for (const auto& [name, value] : metrics) out[name] = value ? ordered_json(*value) : nullptr;
      if (calibration_) out["calibration"] = calibration_json(bins);
      return json_text(out);
    }
    TextTable table({"records", fmt::format("{}", rows)});
    for (const auto& [name, value] : metrics) {
      table.add({name, value ? fmt::format("{:.6g}", *value) : "undefined"});
    }
    return table.text() + (calibration_ ? "\n" + calibration_text(bins) : "");
  }

  std::string model_;
  std::string data_;
  bool public_ = false;
  bool calibration_ = false;
  std::string epsilon_;
  std::string delta_;
  std::string row_count_;
  std::string adjacency_ = "add_remove";
  std::string loss_cap_;
  SeedOption seed_;
  SpendingOptions spending_;
};

}  // namespace

std::unique_ptr<Command> make_evaluate() { return std::make_unique<Evaluate>(); }

}  // namespace tacet::apps
