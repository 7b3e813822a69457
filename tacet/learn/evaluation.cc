#include "tacet/learn/evaluation.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/base/version.h"
#include "tacet/learn/evaluation_figures.h"
#include "tacet/learn/evaluation_histogram.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/learn/plan/recorded.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/model/loss/loss_smoothness.h"
#include "tacet/optimize/parts/local_parts.h"
#include "tacet/optimize/sums/cell_sum.h"
#include "tacet/optimize/sums/prediction_cells.h"
#include "tacet/privacy/prg_share.h"

namespace tacet::learn {
namespace {

constexpr double cap_in_zero_losses = 4;  // a confident mistake costs about that much

std::optional<double> choose_cap(const model::LinearModel& model,
                                 const EvaluationOptions& options) {
  if (model.task == model::PredictionTask::multi_class) {
    if (!options.loss_cap) return std::nullopt;
    throw base::UsageError(
        "several classes have no single loss to cap: each is trained against the rest; leave "
        "loss_cap out, the noisy accuracy is released");
  }
  // throws for a custom loss, of which only the name is known
  static_cast<void>(model::loss_value(model.loss, 0, 1));
  if (options.loss_cap) {
    if (!(*options.loss_cap > 0 && std::isfinite(*options.loss_cap))) {
      throw base::UsageError("loss_cap must be above 0 and finite, got {}", *options.loss_cap);
    }
    return options.loss_cap;
  }
  if (model.task == model::PredictionTask::binary) {
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

/// Whether counts have their even share of a record subtracted. Not under zero_out if records may
/// lack a target: a record without one is the empty record of that adjacency, and has to add
/// nothing (docs/proofs/evaluation.md).
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

/// The margins between bins for two classes, if there is room for a histogram of each group.
std::vector<double> edges_for(const model::LinearModel& model, const EvaluationOptions& options) {
  if (model.task != model::PredictionTask::binary) return {};
  auto edges = score_edges(options.threshold);
  const auto cells = 2 * (std::ssize(edges) + 1);
  if (options.groups > optimize::CellSum::max_cells / cells) edges.clear();
  return edges;
}

std::int64_t cells_for(std::int64_t classes, std::int64_t groups) {
  if (classes == 0) return 1;
  if (classes <= max_matrix_classes) return classes * classes;
  return groups <= optimize::CellSum::max_cells / classes ? classes : 2;
}

optimize::PredictionCells cells_of(const EvaluationPlan& plan, const data::CategoryGroups* groups) {
  optimize::PredictionCells cells{.shape = shape_of(plan),
                                  .norm_bits = plan.norm_bits,
                                  .score_edges = plan.score_edges,
                                  .matrix = plan.has_matrix(),
                                  .loss_cap = plan.loss_cap,
                                  .threshold = plan.threshold};
  if (groups != nullptr) cells.groups = *groups;
  return cells;
}

/// The released numbers for one group, or for all groups; `records` is their number if it is
/// public.
ReleasedCounts counts_of(std::span<const double> sums, const EvaluationPlan& plan,
                         std::optional<std::int64_t> group, std::optional<double> records) {
  const auto shape = shape_of(plan);
  const auto scores = static_cast<std::size_t>(shape.scores);
  const auto counts = static_cast<std::size_t>(optimize::CellSum::counts(shape));
  const auto cells = static_cast<std::size_t>(plan.cells);
  const auto first = static_cast<std::size_t>(group.value_or(0));
  const auto last = group ? first + 1 : static_cast<std::size_t>(plan.groups);
  // What centring has subtracted from every count.
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
  // If the number of records is public, it is stated exactly beside the noisy sums.
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
  if (plan.scores() > 1 || plan.counts_classes()) parameters["scores"] = plan.scores();
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

/// A histogram has one cell for each bin and class; the threshold decides the bins.
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

/// Checks the norm of one record's part in these sums. It depends on the number of records: if that
/// is public, counts have their even share subtracted.
void expect_record_norm(RecordedParameters& parameters, const privacy::Receipt& receipt) {
  // assumes: other shapes may have the same norm
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
      .cells = cells_for(classes, options.groups),
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
  base::ThreadPool threads(1);
  optimize::LocalParts records(data.dataset, threads, cancel);
  return evaluate(records, {data.model, data.groups}, plan, source, reservation);
}

Evaluation evaluate(optimize::PartSums& records, const EvaluatedModel& of,
                    const EvaluationPlan& plan, random::Source& source,
                    privacy::Reservation& reservation) {
  const bool counted = count_is_public(plan.guarantee.adjacency) && !records.has_units();
  if (counted && plan.public_row_count) {
    check_declared_count(records.rows(), *plan.public_row_count, reservation);
  }
  const auto cells = cells_of(plan, of.groups);
  auto found = records.predictions(of.model, cells);
  const double stddev =
      plan.noise_multiplier * optimize::CellSum(cells.shape, cells.norm_bits).contribution_bound();
  const auto released = mechanism::release_gaussian(std::move(found.sum),
                                                    privacy::NoiseMultiplier(plan.noise_multiplier),
                                                    {{}, source, reservation});
  reservation.commit();

  const auto public_records =
      shape_of(plan).centred ? std::optional(static_cast<double>(found.records)) : std::nullopt;
  const auto figures = [&](std::optional<std::int64_t> group) {
    auto counts = counts_of(released.value(), plan, group, public_records);
    const auto added = group ? 1 : plan.groups;
    counts.stddev = stddev * std::sqrt(static_cast<double>(added));
    return figures_of(counts, plan);
  };
  Evaluation out{
      .all = figures({}), .groups = {}, .receipt = receipt_of(plan, source, reservation)};
  if (of.groups == nullptr) return out;
  for (std::int64_t group = 0; group < plan.groups; ++group) out.groups.push_back(figures(group));
  return out;
}

}  // namespace tacet::learn
