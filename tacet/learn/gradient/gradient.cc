#include "tacet/learn/gradient/gradient.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/base/machine.h"
#include "tacet/learn/gradient/feature_selection.h"
#include "tacet/learn/gradient/standardise.h"
#include "tacet/learn/gradient/whitening.h"
#include "tacet/learn/plan/coefficient_noise.h"
#include "tacet/learn/plan/finish.h"
#include "tacet/learn/plan/step_rule.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/mechanism/noise/partial_gaussian.h"
#include "tacet/optimize/parts/local_parts.h"
#include "tacet/optimize/sums/gradient_sum.h"
#include "tacet/random/choose/subset.h"

namespace tacet::learn {
namespace {

// Keeps weights finite for any step size. No sensible model comes near it.
constexpr double largest_weight = 1e12;

std::int64_t averaged_steps(const GradientPlan& plan) {
  switch (plan.averaging) {
    case Averaging::last:
      return 1;
    case Averaging::suffix:
      return std::clamp<std::int64_t>(std::llround(plan.average * static_cast<double>(plan.steps)),
                                      1, plan.steps);
    default:
      return plan.steps;
  }
}

// The state of momentum descent and the running mean of its iterates.
class Descent {
 public:
  explicit Descent(const GradientPlan& plan)
      : plan_(plan),
        averaged_(averaged_steps(plan)),
        weights_(base::large_array<double>(static_cast<std::size_t>(plan.columns * plan.outputs))),
        velocity_(base::large_array<double>(weights_.size())),
        mean_(base::large_array<double>(weights_.size())) {
    if (plan.line_rate == 1 && plan.curve_rate == 1) return;
    // The order of features: numbers and categories, then curves, then the constant.
    rates_.assign(weights_.size(), plan.line_rate);
    const auto curves = static_cast<std::size_t>(plan.curve_directions);
    std::fill_n(rates_.end() - 1 - static_cast<std::ptrdiff_t>(curves), curves, plan.curve_rate);
    rates_.back() = 1;
  }

  [[nodiscard]] std::span<const double> weights() const { return weights_; }
  [[nodiscard]] const std::vector<double>& mean() const { return mean_; }
  [[nodiscard]] std::int64_t averaged() const { return averaged_; }

  // One step by the mean gradient over `count` records, whose sum was released.
  void step(std::span<const double> sum, double count) {
    ++done_;
    const double share = mean_share();
    if (plan_.radius) {
      const Block all{0, weights_.size()};
      move(all, sum, count);
      project(*plan_.radius);
      average(all, share);
      return;
    }
    // Wide models pass through the cache once a step.
    constexpr std::size_t block_size = 2048;
    for (std::size_t begin = 0; begin < weights_.size(); begin += block_size) {
      const Block block{begin, std::min(begin + block_size, weights_.size())};
      move(block, sum, count);
      average(block, share);
    }
  }

 private:
  struct Block {
    std::size_t begin;
    std::size_t end;
  };

  void move(Block block, std::span<const double> sum, double count) {
    // In a stationary state the velocity is (1 - m) times a step of plain descent. The penalty's
    // part gets the same factor, so that the fixed point is that of the penalised loss.
    const double shrink = 1 / (1 + plan_.step_size * plan_.mean_l2 / (1 - plan_.momentum));
    for (std::size_t j = block.begin; j < block.end; ++j) {
      const double size = rates_.empty() ? plan_.step_size : plan_.step_size * rates_[j];
      velocity_[j] = std::clamp(plan_.momentum * velocity_[j] - size * (sum[j] / count),
                                -largest_weight, largest_weight);
      weights_[j] =
          std::clamp((weights_[j] + velocity_[j]) * shrink, -largest_weight, largest_weight);
    }
  }

  void project(double radius) {
    double square = 0;
    for (const double weight : weights_) square += weight * weight;
    if (square <= radius * radius) return;
    const double scale = radius / std::sqrt(square);
    for (double& weight : weights_) weight *= scale;
  }

  void average(Block block, double share) {
    if (share == 0) return;
    for (std::size_t j = block.begin; j < block.end; ++j) {
      mean_[j] += share * (weights_[j] - mean_[j]);
    }
  }

  // Weight of the newest iterate in the running mean.
  [[nodiscard]] double mean_share() const {
    if (plan_.averaging == Averaging::polynomial) {
      constexpr double power = 3;  // Shamir, Zhang 2013
      return (power + 1) / (static_cast<double>(done_) + power);
    }
    const std::int64_t seen = done_ - (plan_.steps - averaged_);
    return seen < 1 ? 0 : 1 / static_cast<double>(seen);
  }

  const GradientPlan& plan_;
  std::int64_t averaged_;
  std::int64_t done_ = 0;
  std::vector<double> weights_;
  std::vector<double> velocity_;
  std::vector<double> mean_;
  std::vector<double> rates_;  // of steps, per weight; empty if all are 1
};

optimize::ContributionLimit limit_of(const GradientPlan& plan) {
  return {.clipping_norm = plan.clipping_norm,
          .norm_bits = plan.norm_bits,
          .max_records_per_unit = plan.max_records_per_unit,
          .class_weights = plan.class_weights};
}

// Draws each step's records, sums their gradients and releases the sum.
class StepReleases {
 public:
  StepReleases(optimize::PartSums& records, const GradientPlan& plan,
               const TrainingContext& context)
      : plan_(plan),
        records_(records),
        rate_(random::PoissonRate::at_least(plan.rate)),
        context_(context),
        noise_(plan.noise_multiplier) {
    const auto limit = limit_of(plan);
    if (plan.sampling == BatchSampling::full) {
      records.start_gradients({plan.loss, plan.outputs, limit});
      return;
    }
    const auto* here = records.here();
    if (here == nullptr) throw base::InternalError("samples are drawn where the records are");
    rows_ = here->rows();
    order_.emplace(here->spool());
    of_samples_.emplace(optimize::GradientProblem{*here, plan.loss, plan.outputs}, limit,
                        context.threads);
  }

  [[nodiscard]] privacy::Released<std::vector<double>> at(std::span<const double> weights,
                                                          std::uint64_t step) {
    switch (plan_.sampling) {
      case BatchSampling::full:
        return release(records_.gradient(weights, basis_at(step)), step);
      case BatchSampling::poisson: {
        const auto sample =
            privacy::DrawnSample::poisson(context_.source.claim(random::Purpose::sampling, step, 0),
                                          rate_, rows_, plan_.max_records_per_unit);
        return release(of_samples_->at(weights, sample), step);
      }
      case BatchSampling::fixed_size: {
        const auto sample = privacy::DrawnSample::fixed_size(
            context_.source.claim(random::Purpose::sampling, step, 0), {plan_.batch, rows_});
        return mechanism::release_gaussian_of_sample(
            of_samples_->partial(weights, sample), noise_,
            {{.step = step}, context_.source, context_.reservation}, std::move(storage_));
      }
      case BatchSampling::partition:
        return of_block(weights, step);
    }
    throw base::InternalError("unknown way of sampling");
  }
  /// A release that is done with lends its memory to the next.
  void give_back(privacy::Released<std::vector<double>> released) {
    storage_ = std::move(released).take();
  }

 private:
  /// Weights are 0 before the first step; later they depend on released values only.
  [[nodiscard]] optimize::Basis basis_at(std::uint64_t step) const {
    return step == 0 ? optimize::Basis::stated : optimize::Basis::released;
  }

  [[nodiscard]] privacy::Released<std::vector<double>> release(privacy::BoundedSum sum,
                                                               std::uint64_t step) {
    return mechanism::release_gaussian(std::move(sum), noise_,
                                       {{.step = step}, context_.source, context_.reservation},
                                       std::move(storage_));
  }

  // The batches of a pass, in a new public order for each pass. Records that do not fill a batch
  // wait for the next pass.
  [[nodiscard]] privacy::Released<std::vector<double>> of_block(std::span<const double> weights,
                                                                std::uint64_t step) {
    const auto batches = static_cast<std::uint64_t>(rows_ / plan_.batch);
    const std::uint64_t block = step % batches;
    if (block == 0) {
      order_->resize(static_cast<std::size_t>(rows_));
      random::random_permutation(order_source_.claim(random::Purpose::sampling, step / batches, 0),
                                 std::span(*order_));
      pass_.emplace(noise_, context_.reservation);
    }
    const auto size = static_cast<std::size_t>(plan_.batch);
    const auto rows = std::span(*order_).subspan(static_cast<std::size_t>(block) * size, size);
    return pass_->release(
        of_samples_->partial(weights, rows, privacy::PassBlock{static_cast<std::int64_t>(block)}),
        {.step = step}, context_.source, std::move(storage_));
  }

  const GradientPlan& plan_;
  optimize::PartSums& records_;
  std::int64_t rows_ = 0;  // of samples
  random::PoissonRate rate_;
  const TrainingContext& context_;
  privacy::NoiseMultiplier noise_;
  std::optional<optimize::GradientSum> of_samples_;
  std::vector<double> storage_;
  // For partitions only, whose order is public.
  random::SeededSource order_source_{static_cast<std::uint64_t>(plan_.order_seed)};
  std::optional<base::SpooledVector<std::int64_t>> order_;  // if the records are in this process
  std::optional<mechanism::BlockGaussian> pass_;
};

TrainedModel descend(optimize::PartSums& records, const data::Schema& schema,
                     const GradientPlan& plan, const TrainingContext& context) {
  const auto shape = records.shape();
  check_shape(shape, schema, plan);
  StepReleases releases(records, plan, context);
  // Expected records a step: public, unlike their true number.
  const double count = plan.rate * static_cast<double>(plan.public_row_count);
  Descent descent(plan);
  IterateTrace trace(
      plan.columns * plan.outputs,
      {.steps = plan.steps,
       .averaged = descent.averaged(),
       .step_size = plan.step_size,
       .momentum = plan.momentum,
       .stddev = plan.noise_multiplier * optimize::checked_clipping_norm(limit_of(plan)) / count,
       .curvature = mean_curvature(model::properties(plan.loss).curvature, shape.norm_bound)});

  for (std::int64_t step = 0; step < plan.steps; ++step) {
    context.supervision.step("training", step, plan.steps);
    const auto address = static_cast<std::uint64_t>(step);
    auto released = releases.at(descent.weights(), address);
    trace.record(descent.weights(), released.value(), count);
    descent.step(released.value(), count);
    releases.give_back(std::move(released));
  }
  context.supervision.step("training", plan.steps, plan.steps);

  Coefficients coefficients{descent.mean()};
  // The trace's law assumes a plain mean of iterates, no penalty or projection, and steps of one
  // size for all weights. Single weights of curves have no meaning.
  if (plan.averaging != Averaging::polynomial && plan.mean_l2 == 0 && !plan.radius &&
      !schema.curves) {
    coefficients.noise_stddevs = trace.stddevs();
  }
  if (schema.curves) {
    // Learned in standard deviations of the target; models speak of labels.
    for (double& value : coefficients.values) value *= schema.curves->target.stddev;
  }
  return finish(plan, schema, context, std::move(coefficients));
}

}  // namespace

TrainedModel train_gradient(optimize::PartSums& records, const data::Schema& schema,
                            const GradientPlan& plan, const TrainingContext& context) {
  // Only the proof for batches of an exact size needs the number of records; the step size and the
  // means use it too. With units nothing is checked, since their number of records is private.
  if (!schema.unit) check_public_count(records, plan, context);
  if (plan.feature_selection_noise > 0) {
    const auto narrowed =
        release_selected_columns(records, schema, plan.feature_selection_noise, context);
    records.rewrite({narrowed, optimize::Rewriting::columns});
    return descend(records, narrowed, on_selected_columns(plan, narrowed), context);
  }
  if (plan.standardise_noise == 0) return descend(records, schema, plan, context);
  const auto standardised =
      release_standards(records, schema, plan.standardise_noise, plan.public_row_count,
                        {.categories = plan.counts_categories,
                         .target = schema.curves.has_value(),
                         .records_per_unit = schema.unit ? plan.max_records_per_unit : 0},
                        context);
  if (!schema.curves) {
    records.rewrite({standardised, optimize::Rewriting::standards});
    return descend(records, standardised, plan, context);
  }
  const auto curved = release_whitening(records, standardised,
                                        {.noise_multiplier = plan.whitening_noise,
                                         .public_row_count = plan.public_row_count,
                                         .adjacency = plan.guarantee.adjacency},
                                        context);
  records.rewrite({curved, optimize::Rewriting::curves});
  return descend(records, curved, plan, context);
}

TrainedModel train_gradient(const data::Dataset& dataset, const data::Schema& schema,
                            const GradientPlan& plan, const TrainingContext& context) {
  optimize::LocalParts records(dataset, context.threads);
  return train_gradient(records, schema, plan, context);
}

TrainedModel train_gradient(data::Dataset&& dataset, const data::Schema& schema,
                            const GradientPlan& plan, const TrainingContext& context) {
  optimize::LocalParts records(std::move(dataset), context.threads);
  return train_gradient(records, schema, plan, context);
}

}  // namespace tacet::learn
