#include "tacet/learn/evaluation.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/base/version.h"
#include "tacet/learn/evaluation_figures.h"
#include "tacet/learn/evaluation_histogram.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/plain_release.h"
#include "tacet/learn/plan/resolve.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/model/confusion.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/optimize/sums/cell_sum.h"
#include "tacet/privacy/prg_share.h"

namespace tacet::learn {
namespace {

constexpr double cap_in_zero_losses = 4;  // a confident mistake costs about that

std::optional<double> choose_cap(const model::LinearModel& model,
                                 const EvaluationOptions& options) {
  if (model.task == model::Task::multi_class) {
    if (!options.loss_cap) return std::nullopt;
    throw base::UsageError(
        "several classes have no single loss to cap: each is trained against the rest; leave "
        "loss_cap out, the noisy accuracy is released");
  }
  static_cast<void>(model::loss_value(model.loss, 0, 1));  // a name alone has no value
  if (options.loss_cap) {
    if (!(*options.loss_cap > 0 && std::isfinite(*options.loss_cap))) {
      throw base::UsageError("loss_cap must be above 0 and finite, got {}", *options.loss_cap);
    }
    return options.loss_cap;
  }
  if (model.task == model::Task::binary) {
    return cap_in_zero_losses * model::loss_value(model.loss, 0, 1);
  }
  if (model::link_of(model.loss) != model::Link::identity) {
    return cap_in_zero_losses * model::largest_loss_at_zero(model.loss);
  }
  return std::max(model::loss_value(model.loss, -1, 1), model::loss_value(model.loss, 1, -1));
}

/// Neighbours have one number of records, and it is known.
bool count_is_public(privacy::Adjacency adjacency) {
  return adjacency != privacy::Adjacency::add_remove;
}

/// Whether counts are told around their even share of a record. Not under zero_out where records
/// may lack a target: one that lacks it is the empty record, and it has to add nothing, as the
/// empty record of that adjacency does (docs/proofs/evaluation.md).
bool told_around_share(privacy::Adjacency adjacency, bool targets_may_miss) {
  return count_is_public(adjacency) &&
         !(adjacency == privacy::Adjacency::zero_out && targets_may_miss);
}

optimize::CellShape shape_of(const EvaluationPlan& plan) {
  return {.groups = plan.groups,
          .cells = plan.cells,
          .scores = plan.scores(),
          .centred = told_around_share(plan.guarantee.adjacency, plan.targets_may_miss),
          .may_lack = plan.targets_may_miss};
}

double error_unit_of(const model::LinearModel& model) {
  if (!model.classes.empty()) return 0;
  return (model.target_upper - model.target_lower) / 2;
}

/// Margins between bins, of two classes whose groups leave room for a histogram each.
std::vector<double> edges_for(const model::LinearModel& model, const EvaluationOptions& options) {
  if (model.task != model::Task::binary) return {};
  auto edges = score_edges(options.threshold);
  const auto cells = 2 * (std::ssize(edges) + 1);
  if (options.groups > optimize::CellSum::max_cells / cells) edges.clear();
  return edges;
}

std::int64_t cells_for(std::int64_t classes) {
  if (classes == 0) return 1;
  return classes <= max_matrix_classes ? classes * classes : 2;
}

/// Where one record counts, and its scores.
class Scorer {
 public:
  Scorer(const EvaluationData& data, const EvaluationPlan& plan)
      : data_(data),
        plan_(plan),
        margins_(static_cast<std::size_t>(data.model.output_count())),
        scores_(static_cast<std::size_t>(plan.scores())) {}

  void add(std::int64_t row, optimize::CellSum& sum) {
    if (plan_.targets_may_miss && !data_.dataset.labelled(row)) return sum.add_none();
    model::margins(data_.model, data_.dataset, row, margins_);
    const double label = data_.dataset.label(row);
    const auto group = data_.groups == nullptr ? 0 : data_.groups->group_of(data_.dataset, row);
    score(label);
    sum.add(group, cell(label), scores_);
  }

 private:
  [[nodiscard]] std::int64_t cell(double label) const {
    if (plan_.classes == 0) return 0;
    if (plan_.has_histogram()) {
      const auto bin = score_bin(plan_.score_edges, margins_[0]);
      return (label > 0 ? plan_.score_bins() : 0) + bin;
    }
    const auto predicted = model::predicted_class(data_.model, margins_, plan_.threshold);
    const auto actual = data_.model.task == model::Task::binary ? (label > 0 ? 1 : 0)
                                                                : static_cast<std::int64_t>(label);
    if (!plan_.has_matrix()) return predicted == actual ? 1 : 0;
    return static_cast<std::int64_t>(model::cell_of(actual, predicted, plan_.classes));
  }

  /// Predictions of numbers are clipped to the target's bounds, as `predict` does.
  void score(double label) {
    if (!plan_.loss_cap) return;
    const auto& model = data_.model;
    const bool number = plan_.classes == 0;
    const double margin = number ? model::clipped_margin(model, margins_[0]) : margins_[0];
    of(NumberScore::loss) = model::loss_value(model.loss, margin, label) / *plan_.loss_cap;
    if (!number) return;
    // Both in [-1, 1] over the target's bounds.
    const bool on_scale = model::link_of(model.loss) == model::Link::identity;
    const double actual = on_scale ? label : 2 * label - 1;
    const double half_error = std::abs(actual - (on_scale ? margin : predicted(margin))) / 2;
    of(NumberScore::error) = half_error;
    of(NumberScore::squared_error) = half_error * half_error;
    of(NumberScore::target) = (1 + actual) / 2;
    of(NumberScore::squared_target) = actual * actual;
    if (plan_.has_deviance()) of(NumberScore::entropy) = entropy(label);
  }

  /// Of a label in [0, 1], over the largest that there is.
  [[nodiscard]] double entropy(double label) const {
    const auto term = [](double y) { return y > 0 ? -y * std::log(y) : 0.0; };
    return plan_.link == model::Link::log ? std::numbers::e * term(label)
                                          : (term(label) + term(1 - label)) / std::numbers::ln2;
  }

  [[nodiscard]] double predicted(double margin) const {
    const auto& model = data_.model;
    const double range = model.target_upper - model.target_lower;
    return 2 * (model::regression_value(model, margin) - model.target_lower) / range - 1;
  }
  double& of(NumberScore score) { return scores_[static_cast<std::size_t>(score)]; }

  const EvaluationData& data_;
  const EvaluationPlan& plan_;
  std::vector<double> margins_;
  std::vector<double> scores_;
};

/// What was released for one group, or for all of them together; `records` is their public number.
ReleasedCounts counts_of(std::span<const double> sums, const EvaluationPlan& plan,
                         std::optional<std::int64_t> group, std::optional<double> records) {
  const auto shape = shape_of(plan);
  const auto scores = static_cast<std::size_t>(shape.scores);
  const auto counts = static_cast<std::size_t>(optimize::CellSum::counts(shape));
  const auto cells = static_cast<std::size_t>(plan.cells);
  const auto first = static_cast<std::size_t>(group.value_or(0));
  const auto last = group ? first + 1 : static_cast<std::size_t>(plan.groups);
  // What centring took away from every count.
  const auto all = plan.groups * plan.cells;
  const bool half = all == 1 && plan.targets_may_miss;
  const double share = records ? *records / static_cast<double>(half ? 2 : all) : 0;
  ReleasedCounts out{.cells = std::vector<double>(cells, 0.0),
                     .scores = std::vector<double>(scores, 0.0)};
  for (auto g = first; g < last; ++g) {
    for (std::size_t i = 0; i < cells; ++i) {
      out.cells[i] += share + (counts > 0 ? sums[g * cells + i] : 0.0);
    }
    for (std::size_t i = 0; i < scores; ++i) out.scores[i] += sums[counts + g * scores + i];
  }
  if (!group && !plan.targets_may_miss) out.public_records = records;
  return out;
}

privacy::Receipt receipt_of(const EvaluationPlan& plan, const random::Source& source,
                            const privacy::Reservation& reservation) {
  privacy::Receipt receipt;
  receipt.algorithm = "evaluation";
  receipt.calibration = "tight";
  // Where the number of records is public, it is stated exactly beside the noisy sums.
  auto parameters = neighbour_parameters(plan.guarantee.adjacency);
  parameters["noise_multiplier"] = plan.noise_multiplier;
  parameters["norm_bits"] = plan.norm_bits;
  parameters["record_norm"] =
      optimize::CellSum(shape_of(plan), plan.norm_bits).contribution_bound();
  parameters["cells"] = plan.cells;
  if (plan.has_histogram()) parameters["score_bins"] = plan.score_bins();
  if (plan.targets_may_miss) parameters["missing_target"] = "drop";
  if (plan.privacy_unit != "record") parameters["max_records_per_unit"] = 1;  // the first of each
  if (plan.groups > 1) parameters["groups"] = plan.groups;
  if (plan.threshold != 0) parameters["threshold_margin"] = plan.threshold;
  if (plan.scores() > 1) parameters["scores"] = plan.scores();
  if (plan.loss_cap) parameters["loss_cap"] = *plan.loss_cap;
  receipt.parameters = parameters.dump();
  receipt.events = reservation.spent();
  receipt.guarantee = plan.guarantee;
  receipt.privacy_unit = plan.privacy_unit;
  receipt.public_row_count = plan.public_row_count;
  receipt.prg_slack = plan.prg_slack;
  receipt.software_version = base::version;
  if (!source.secure()) {
    receipt.randomness = privacy::Randomness::seeded;
    receipt.unprotected_reason =
        "the noise was drawn from a known seed; for tests and experiments only";
  }
  return receipt;
}

/// Whether records may lack a target that counts, as the receipt says.
bool targets_may_miss(RecordedParameters& parameters) {
  if (!parameters.has("missing_target")) return false;
  const auto said = parameters.text("missing_target");
  if (said != "drop") throw base::DataError("missing_target is '{}', not drop", said);
  return true;
}

/// A histogram has a cell for each bin and class, and its bins follow from the threshold.
void expect_bins(RecordedParameters& parameters) {
  if (!parameters.has("score_bins")) return;
  const double threshold =
      parameters.has("threshold_margin") ? parameters.real("threshold_margin") : 0;
  const auto bins = std::ssize(score_edges(threshold)) + 1;
  const auto stated = parameters.count("score_bins");
  if (stated != bins || parameters.count("cells") != 2 * bins) {
    throw base::DataError(
        "a histogram at this threshold has {} bins and {} cells, the receipt says "
        "{} and {}",
        bins, 2 * bins, stated, parameters.count("cells"));
  }
}

/// The length of one record among these sums, which the number of records decides: where it is
/// public, counts are taken around their even share.
void expect_record_norm(RecordedParameters& parameters, const privacy::Receipt& receipt) {
  // Other shapes may have the same length.
  const auto count_of = [&](const char* name, std::int64_t otherwise) {
    return parameters.has(name) ? parameters.count(name, Looking::assumes) : otherwise;
  };
  const bool may_miss = targets_may_miss(parameters);
  const optimize::CellShape shape{
      .groups = count_of("groups", 1),
      .cells = parameters.count("cells", Looking::assumes),
      .scores = count_of("scores", parameters.has("loss_cap") ? 1 : 0),
      .centred = told_around_share(receipt.guarantee.adjacency, may_miss),
      .may_lack = may_miss};
  const auto bits =
      std::clamp<std::int64_t>(parameters.count("norm_bits", Looking::assumes), 0, 64);
  const optimize::CellSum sum(shape, static_cast<int>(bits));
  const double stated = parameters.real("record_norm");
  if (nearly_equal(stated, sum.contribution_bound())) return;
  throw base::DataError("a record among these sums is {:.6g} long, the receipt says {:.6g}",
                        sum.contribution_bound(), stated);
}

}  // namespace

EvaluationPlan plan_evaluation(const model::LinearModel& model, const EvaluationOptions& options) {
  model::expect_margins(model);
  if (!(options.epsilon.value() > 0 && std::isfinite(options.epsilon.value()))) {
    throw base::UsageError("epsilon must be above 0 and finite, got {}", options.epsilon.value());
  }
  const auto classes = static_cast<std::int64_t>(model.classes.size());
  EvaluationPlan plan{
      .guarantee = {options.epsilon.value(), options.delta.value(), options.adjacency},
      .event = privacy::no_event(),
      .noise_multiplier = 0,
      .norm_bits = 0,
      .cells = cells_for(classes),
      .groups = options.groups,
      .classes = classes,
      .loss_cap = choose_cap(model, options),
      .error_unit = error_unit_of(model),
      .threshold = options.threshold,
      .privacy_unit = options.privacy_unit,
      .public_row_count = options.public_row_count,
      .prg_slack = 0,
      .targets_may_miss = options.targets_may_miss,
      .link = classes == 0 ? model::link_of(model.loss) : model::Link::identity};
  plan.score_edges = edges_for(model, options);
  if (plan.has_histogram()) plan.cells = 2 * plan.score_bins();
  plan.probabilities = model.has_probabilities();
  const auto asked = plan.guarantee;
  plan.prg_slack = random::prg_slack_of(1, optimize::CellSum::terms(shape_of(plan)));
  const auto left = privacy::delta_left(asked, plan.prg_slack);
  plan.noise_multiplier = full_batch_noise(1, options.epsilon, left, options.adjacency);
  plan.norm_bits = norm_bits_for(plan.noise_multiplier);
  plan.event = privacy::Gaussian{plan.noise_multiplier};
  plan.guarantee = accounting::stated_guarantee(plan.event, asked, plan.prg_slack);
  // Refuses shapes that it cannot certify, before anything is booked.
  static_cast<void>(optimize::CellSum(shape_of(plan), plan.norm_bits));
  return plan;
}

privacy::Event recorded_evaluation(const privacy::Receipt& receipt, RecordedParameters& parameters,
                                   const privacy::Event& /*own*/) {
  expect_plain_release(receipt);
  expect_neighbours(parameters, receipt.guarantee.adjacency);
  if (receipt.privacy_unit != "record" && parameters.count("max_records_per_unit") != 1) {
    throw base::DataError("an evaluation takes one record of each unit, the receipt says {}",
                          parameters.count("max_records_per_unit"));
  }
  expect_bins(parameters);
  expect_record_norm(parameters, receipt);
  return privacy::Gaussian{recorded_noise(parameters)};
}

Evaluation evaluate(const EvaluationData& data, const EvaluationPlan& plan, random::Source& source,
                    privacy::Reservation& reservation, const base::CancelToken* cancel) {
  const bool counted = count_is_public(plan.guarantee.adjacency) && !data.dataset.has_units();
  if (counted && plan.public_row_count) {
    check_declared_count(data.dataset.rows(), *plan.public_row_count, reservation);
  }
  Scorer scorer(data, plan);
  const auto units = data.dataset.has_units() ? data.dataset.unit_count() : 0;
  std::vector<bool> seen(static_cast<std::size_t>(units));
  const auto takes = [&](std::int64_t row) {  // the first record of each unit that takes part
    if (!data.dataset.has_units()) return true;
    const auto unit = data.dataset.unit_of(row);
    if (unit == data::Dataset::no_unit || seen[static_cast<std::size_t>(unit)]) return false;
    seen[static_cast<std::size_t>(unit)] = true;
    return true;
  };
  optimize::CellSum sum(shape_of(plan), plan.norm_bits);
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < data.dataset.rows(); ++row) {
    if (cancel != nullptr) cancel->throw_if_cancelled();
    if (!takes(row)) continue;
    scorer.add(row, sum);
    ++count;
  }
  const double stddev = plan.noise_multiplier * sum.contribution_bound();
  const auto released = mechanism::release_gaussian(std::move(sum).take(),
                                                    privacy::NoiseMultiplier(plan.noise_multiplier),
                                                    {{}, source, reservation});
  reservation.commit();

  const auto records =
      shape_of(plan).centred ? std::optional(static_cast<double>(count)) : std::nullopt;
  const auto figures = [&](std::optional<std::int64_t> group) {
    auto counts = counts_of(released.value(), plan, group, records);
    const auto added = group ? 1 : plan.groups;
    counts.stddev = stddev * std::sqrt(static_cast<double>(added));
    return figures_of(counts, plan);
  };
  Evaluation out{
      .all = figures({}), .groups = {}, .receipt = receipt_of(plan, source, reservation)};
  if (data.groups == nullptr) return out;
  for (std::int64_t group = 0; group < plan.groups; ++group) out.groups.push_back(figures(group));
  return out;
}

}  // namespace tacet::learn
