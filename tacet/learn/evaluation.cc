#include "tacet/learn/evaluation.h"
#include "tacet/learn/plan/settle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/base/version.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/optimize/sums/score_sum.h"
#include "tacet/privacy/cipher_share.h"

namespace tacet::learn {
namespace {

constexpr double cap_in_zero_losses = 4;  // a confident mistake costs about that
// A ratio of two noisy sums means something only while the lower one stands clear of its noise.
constexpr double clear_of_noise = 5;

std::optional<double> choose_cap(const model::LinearModel& model,
                                 const EvaluationOptions& options) {
  if (model.task == model::Task::multi_class) {
    if (!options.loss_cap) return std::nullopt;
    throw base::UsageError(
        "several classes have no single loss to cap: each is trained against the rest; leave "
        "loss_cap out, the noisy accuracy is released");
  }
  if (options.loss_cap) {
    if (!(*options.loss_cap > 0 && std::isfinite(*options.loss_cap))) {
      throw base::UsageError(
          fmt::format("loss_cap must be above 0 and finite, got {}", *options.loss_cap));
    }
    return options.loss_cap;
  }
  if (model.task == model::Task::binary) {
    return cap_in_zero_losses * model::loss_value(model.loss, 0, 1);
  }
  return std::max(model::loss_value(model.loss, -1, 1), model::loss_value(model.loss, 1, -1));
}

/// Neighbours have one number of records, and it is known.
bool count_is_public(privacy::Adjacency adjacency) {
  return adjacency != privacy::Adjacency::add_remove;
}

/// How many sums are released.
std::int64_t term_count(privacy::Adjacency adjacency, bool counts_hits, bool counts_loss) {
  return (count_is_public(adjacency) ? 0 : 1) + (counts_hits ? 1 : 0) + (counts_loss ? 1 : 0);
}

/// One record's scores in the order of the released vector: presence where the number of records is
/// secret, hit, capped loss.
class Scorer {
 public:
  Scorer(const model::LinearModel& model, const EvaluationPlan& plan)
      : model_(model), plan_(plan), margins_(static_cast<std::size_t>(model.output_count())) {}

  [[nodiscard]] std::int64_t terms() const {
    return term_count(plan_.guarantee.adjacency, plan_.counts_hits, plan_.loss_cap.has_value());
  }

  void score(const data::Dataset& dataset, std::int64_t row, std::vector<double>& out) {
    model::margins(model_, dataset, row, margins_);
    const double label = dataset.label(row);
    out.clear();
    if (!count_is_public(plan_.guarantee.adjacency)) out.push_back(1.0);
    if (plan_.counts_hits) out.push_back(hit(label) ? 1.0 : 0.0);
    if (plan_.loss_cap) out.push_back(loss(label) / *plan_.loss_cap);
  }

 private:
  [[nodiscard]] bool hit(double label) const {
    const auto predicted = model::predicted_class(model_, margins_);
    if (model_.task == model::Task::binary) return (predicted == 1) == (label > 0);
    return static_cast<double>(predicted) == label;
  }

  /// Predictions of numbers are clipped to the target's bounds, as `predict` does.
  [[nodiscard]] double loss(double label) const {
    const double margin =
        model_.task == model::Task::regression ? std::clamp(margins_[0], -1.0, 1.0) : margins_[0];
    return model::loss_value(model_.loss, margin, label);
  }

  const model::LinearModel& model_;
  const EvaluationPlan& plan_;
  std::vector<double> margins_;
};

/// sum / count of two values with independent noise, first order in the noise.
std::optional<NoisyValue> ratio(const NoisyValue& sum, const NoisyValue& count, double scale) {
  if (!(count.value > 0) || count.value < clear_of_noise * sum.noise_deviation) {
    return std::nullopt;
  }
  const double value = std::clamp(sum.value / count.value, 0.0, 1.0);
  const double standard_deviation =
      std::hypot(sum.noise_deviation, value * count.noise_deviation) / count.value;
  return NoisyValue{scale * value, scale * standard_deviation};
}

privacy::Receipt receipt_of(const EvaluationPlan& plan, const random::Source& source,
                            const privacy::Reservation& reservation) {
  privacy::Receipt receipt;
  receipt.algorithm = "evaluation";
  receipt.calibration = "tight";
  nlohmann::json parameters{{"noise_multiplier", plan.noise_multiplier},
                            {"norm_bits", plan.norm_bits}};
  if (plan.loss_cap) parameters["loss_cap"] = *plan.loss_cap;
  receipt.parameters = parameters.dump();
  receipt.events = reservation.spent();
  receipt.guarantee = plan.guarantee;
  receipt.privacy_unit = plan.privacy_unit;
  receipt.public_row_count = plan.public_row_count;
  receipt.cipher_delta = plan.cipher_delta;
  receipt.software_version = base::version;
  if (!source.secure()) {
    receipt.randomness = privacy::Randomness::seeded;
    receipt.unprotected_reason =
        "the noise was drawn from a known seed; for tests and experiments only";
  }
  return receipt;
}

}  // namespace

EvaluationPlan plan_evaluation(const model::LinearModel& model, const EvaluationOptions& options) {
  if (!(options.epsilon.value() > 0 && std::isfinite(options.epsilon.value()))) {
    throw base::UsageError(
        fmt::format("epsilon must be above 0 and finite, got {}", options.epsilon.value()));
  }
  const bool counts_hits = model.task != model::Task::regression;
  const auto loss_cap = choose_cap(model, options);
  const double cipher =
      random::cipher_term(1, term_count(options.adjacency, counts_hits, loss_cap.has_value()));
  const privacy::Guarantee asked{options.epsilon.value(), options.delta.value(), options.adjacency};
  const auto left = privacy::delta_left(asked, cipher);
  const double noise = full_batch_noise(1, options.epsilon, left, options.adjacency);
  const privacy::Event event = privacy::Gaussian{noise};
  return {.guarantee = accounting::stated_guarantee(event, asked, cipher),
          .event = event,
          .noise_multiplier = noise,
          .norm_bits = norm_bits_for(noise),
          .counts_hits = counts_hits,
          .loss_cap = loss_cap,
          .privacy_unit = options.privacy_unit,
          .public_row_count = options.public_row_count,
          .cipher_delta = cipher};
}

Evaluation evaluate(const data::Dataset& dataset, const model::LinearModel& model,
                    const EvaluationPlan& plan, random::Source& source,
                    privacy::Reservation& reservation, const base::CancelToken* cancel) {
  Scorer scorer(model, plan);
  const bool exact_count = count_is_public(plan.guarantee.adjacency);
  optimize::ScoreSum sum(scorer.terms(), plan.norm_bits,
                         exact_count ? optimize::ScoreOrigin::half : optimize::ScoreOrigin::zero);
  std::vector<double> scores;
  std::int64_t count = 0;
  std::vector<bool> seen(dataset.has_units() ? static_cast<std::size_t>(dataset.unit_count())
                                             : std::size_t{0});
  for (std::int64_t row = 0; row < dataset.rows(); ++row) {
    if (cancel != nullptr) cancel->throw_if_cancelled();
    if (dataset.has_units()) {
      const auto unit = dataset.unit_of(row);
      if (unit == data::Dataset::no_unit || seen[static_cast<std::size_t>(unit)]) continue;
      seen[static_cast<std::size_t>(unit)] = true;
    }
    scorer.score(dataset, row, scores);
    sum.add(scores);
    ++count;
  }
  const double standard_deviation = plan.noise_multiplier * sum.contribution_bound();
  const auto released = mechanism::release_gaussian(std::move(sum).take(),
                                                    privacy::NoiseMultiplier(plan.noise_multiplier),
                                                    {}, source, reservation);
  reservation.commit();

  const auto& sums = released.value();
  const auto public_count = static_cast<double>(count);
  Evaluation out{.records = exact_count ? NoisyValue{public_count, 0}
                                        : NoisyValue{sums[0], standard_deviation},
                 .accuracy = {},
                 .mean_loss = {},
                 .receipt = receipt_of(plan, source, reservation)};
  const double origin = exact_count ? 0.5 * public_count : 0;
  const auto share = [&](double value, double scale) {
    return ratio({value + origin, standard_deviation}, out.records, scale);
  };
  if (plan.counts_hits) out.accuracy = share(sums[exact_count ? 0 : 1], 1);
  if (plan.loss_cap) out.mean_loss = share(sums.back(), *plan.loss_cap);
  return out;
}

}  // namespace tacet::learn
