#include "tacet/learn/inference/inference_run.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/mechanism/noise/gaussian.h"
#include "tacet/numeric/elementary.h"
#include "tacet/optimize/sums/joint_sum.h"

namespace tacet::learn {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using optimize::JointNoise;
using optimize::JointRelease;
using optimize::JointTask;
using optimize::MeanModel;

constexpr double feature_units = data::Dataset::feature_scale;
// Limit of the linear predictor of two classes (root mean square). If a column separates the
// classes, or one class is rarer than 4 in 100, the steps do not converge, and intervals would not
// hold.
constexpr double farthest_predictor = 3.3;
// in standard errors from the limit: the truth may lie beyond it
constexpr double doubtful_errors = 2;
constexpr double min_stddev = .02;  // of residuals, in units of the label
constexpr double min_mean_count = .02;
constexpr double min_weight = .2;  // sum of the rows' weights per declared row
constexpr double means_of_curvature = 3;

/// A release and the standard deviation of its noise.
struct Seen {
  JointRelease parts;
  JointNoise noise;
};

/// Released values at which the next sum is taken.
struct Place {
  MatrixXd whitening;  ///< A, exactly as it is used
  VectorXd theta;      ///< in whitened coordinates
  double stddev = 1;   ///< of numbers' residuals
  double mean_count = 1;
  std::int64_t blurred = 0;  ///< number of directions whose spread is hidden by the start's noise
};

class Fit {
 public:
  Fit(const data::Dataset& records, const InferenceSetup& setup, const TrainingContext& context)
      : records_(records), setup_(setup), facts_(setup.facts), context_(context) {}

  RegressionEstimate run() {
    Place place = start();
    choose_bounds(place);
    for (std::size_t j = 0; j < setup_.noise.steps.size(); ++j) {
      step(place, setup_.noise.steps[j]);
    }
    return last(place);
  }

 private:
  [[nodiscard]] Eigen::Index columns() const { return setup_.design.columns(); }
  [[nodiscard]] double rows() const { return static_cast<double>(facts_.rows); }

  /// Each release takes its noise from an address of its own.
  Seen release(const JointTask& task, double multiplier) {
    const auto releases = static_cast<std::int64_t>(setup_.noise.steps.size()) + 2;
    context_.supervision.step("training", static_cast<std::int64_t>(next_), releases);
    const auto released = mechanism::release_gaussian(
        optimize::joint_sum(records_, task, facts_.adjacency, context_.threads),
        privacy::NoiseMultiplier(multiplier),
        {{.step = next_++}, context_.source, context_.reservation});
    auto noise = optimize::joint_noise(task, facts_.adjacency);
    for (double* stddev : {&noise.score, &noise.curvature, &noise.moment, &noise.squares}) {
      *stddev *= multiplier;
    }
    return {optimize::joint_release(released.value(), task), noise};
  }

  /// Rows in encoded units, and labels as they are.
  Place start() {
    JointTask task;
    task.design = setup_.design.design;
    task.whitening = MatrixXd::Identity(columns(), columns());
    task.whitening_unit = 1 / feature_units;
    task.squared_reach = start_squared_reach(columns());
    task.predictor = VectorXd::Zero(columns());
    task.shares = start_shares(facts_);
    const auto seen = release(task, setup_.noise.start);
    const auto eigen = symmetric_eigen(seen.parts.curvature);
    const double edge = noise_edge(seen.noise.curvature, columns());
    const VectorXd roots = (eigen.values.cwiseMax(edge) / rows()).cwiseSqrt().cwiseInverse();
    Place place;
    place.blurred = (eigen.values.array() < edge).count();
    const auto rounded =
        optimize::public_integers(roots.asDiagonal() * eigen.vectors.transpose() / feature_units);
    place.whitening = rounded.integers * (rounded.unit * feature_units);
    const VectorXd damped =
        (eigen.values.array() < edge).select(1.5 * edge, eigen.values).matrix().cwiseInverse();
    const MatrixXd inverse = eigen.vectors * damped.asDiagonal() * eigen.vectors.transpose();
    const VectorXd theta = first_guess(place, seen.parts, inverse);
    place.theta = place.whitening.transpose().partialPivLu().solve(theta);
    if (facts_.mean == MeanModel::logistic) shorten(place.theta, 2);
    return place;
  }

  /// Least squares, in the predictor's units.
  VectorXd first_guess(Place& place, const JointRelease& parts, const MatrixXd& inverse) const {
    const double weight = std::max(parts.curvature(0, 0), min_weight * rows());
    if (facts_.mean == MeanModel::logistic) return inverse * (4 * .5 * parts.score);
    if (facts_.mean == MeanModel::poisson) {
      const VectorXd products = setup_.design.largest_count * parts.score;
      place.mean_count = std::clamp(products[0] / weight, min_mean_count, facts_.cut);
      VectorXd theta = inverse * products / place.mean_count;
      theta[0] += numeric::log(place.mean_count) - 1;
      return theta;
    }
    VectorXd theta = inverse * parts.score;
    const double min = min_stddev * min_stddev;
    const double explained = 2 * theta.dot(parts.score) - theta.dot(parts.curvature * theta);
    const double all = std::max(parts.squares / weight, min);
    place.stddev = std::sqrt(std::clamp((parts.squares - explained) / weight, min, all));
    return theta;
  }

  /// Chooses the reach, the cut and the curvature's bound of all later sums.
  void choose_bounds(const Place& place) {
    auto facts = facts_;
    facts.mean_count = place.mean_count;
    const auto chosen = forecast(facts, setup_.options.reach);
    reach_ = chosen.reach;
    response_.mean = facts_.mean;
    if (facts_.mean == MeanModel::poisson) {
      response_.cut = facts_.cut;
      response_.largest = setup_.design.largest_count;
      response_.curvature_bound = means_of_curvature * place.mean_count;
    }
    if (facts_.mean != MeanModel::identity) return;
    // Labels are in [-1, 1]: nothing is farther than 2 from a predictor among them.
    const double stddevs = std::min(chosen.cut, 2 / place.stddev);
    response_.cut = stddevs * place.stddev;
    narrow_ = stddevs < wide_cut && response_.cut < 2;
  }

  [[nodiscard]] JointTask task_at(Place& place, optimize::JointShares shares) const {
    JointTask task;
    task.design = setup_.design.design;
    const auto whitening = optimize::public_integers(place.whitening / feature_units);
    task.whitening = whitening.integers;
    task.whitening_unit = whitening.unit;
    const auto predictor =
        optimize::public_integers(place.whitening.transpose() * place.theta / feature_units);
    task.predictor = predictor.integers.col(0);
    task.predictor_unit = predictor.unit;
    task.squared_reach = reach_ * static_cast<double>(columns());
    task.response = response_;
    task.shares = shares;
    if (facts_.mean == MeanModel::poisson) {
      task.shares.curvature = poisson_curvature_share(response_.cut, response_.curvature_bound,
                                                      shares, facts_.adjacency);
    }
    return task;
  }

  /// A rough Newton step, which is short in directions with an uncertain curvature.
  void step(Place& place, double multiplier) {
    const auto seen = release(task_at(place, step_shares(facts_)), multiplier);
    VectorXd move;
    if (facts_.mean == MeanModel::identity) {
      // The whitened curvature of numbers is at most about the number of rows in every direction.
      // The matrix of the start shows where it is smaller. But if columns almost repeat each other,
      // its noise makes directions look flatter than they are, and steps based on it overshoot.
      move = seen.parts.score / rows();
      shorten(move, 2 * place.stddev);
    } else {
      const double edge = noise_edge(seen.noise.curvature, columns());
      const bool classes = facts_.mean == MeanModel::logistic;
      const double min = classes ? .04 * rows() : .3 * rows() * place.mean_count;
      const auto eigen = symmetric_eigen(seen.parts.curvature);
      const VectorXd damped = eigen.values.cwiseMax(std::max(edge, min)).cwiseInverse();
      move = eigen.vectors * damped.asDiagonal() * eigen.vectors.transpose() * seen.parts.score;
      shorten(move, classes ? 2 : 1);
    }
    place.theta += move;
  }

  RegressionEstimate last(Place& place) {
    const auto seen = release(task_at(place, last_shares(facts_)), setup_.noise.last);
    const bool numbers = facts_.mean == MeanModel::identity;
    auto estimate = joint_law({.whitening = place.whitening,
                               .theta = place.theta,
                               .parts = seen.parts,
                               .noise = seen.noise,
                               .model_variance = numbers ? place.stddev * place.stddev : 1});
    estimate.reach = reach_;
    estimate.cut = response_.cut;
    estimate.rows = facts_.rows;
    estimate.blurred = place.blurred;
    estimate.residual_stddev = numbers ? place.stddev : 0;
    estimate.narrow_cut = narrow_ && !setup_.options.symmetric_errors;
    if (facts_.mean != MeanModel::logistic) return estimate;
    const double farthest = estimate.predictor + doubtful_errors * estimate.predictor_error;
    estimate.converged = estimate.predictor <= farthest_predictor;
    estimate.near_limit = estimate.converged && farthest > farthest_predictor;
    if (!estimate.converged) estimate.weak = MatrixXd::Identity(columns(), columns());
    return estimate;
  }

  static void shorten(VectorXd& vector, double longest) {
    const double length = vector.norm();
    if (length > longest) vector *= longest / length;
  }

  const data::Dataset& records_;
  const InferenceSetup& setup_;
  const RegressionFacts& facts_;
  const TrainingContext& context_;
  std::uint64_t next_ = 0;
  double reach_ = 0;
  bool narrow_ = false;
  optimize::Response response_;
};

/// A task of this shape, for results that depend on the shape alone.
JointTask task_shape(const RegressionDesign& design, const optimize::JointShares& shares) {
  JointTask task;
  task.whitening.resize(design.columns(), design.columns());
  task.shares = shares;
  // Counts have a curvature, whatever its share.
  if (design.mean == MeanModel::poisson && shares.curvature == 0) task.shares.curvature = 1;
  return task;
}

void check_room(const InferenceSetup& setup) {
  const auto check = [&](const optimize::JointShares& shares, double multiplier) {
    auto min = shares;
    if (setup.facts.mean == MeanModel::poisson && shares.curvature == 0) {
      min.curvature = optimize::residual_units / 50;
    }
    if (multiplier <=
        optimize::largest_joint_multiplier(min, setup.facts.adjacency, setup.design.columns())) {
      return;
    }
    throw base::NumericError(
        "a noise multiplier of {:.4g} is larger than the sampler allows, and the noise would hide "
        "everything; ask for a larger epsilon or delta",
        multiplier);
  };
  check(start_shares(setup.facts), setup.noise.start);
  for (const double multiplier : setup.noise.steps) check(step_shares(setup.facts), multiplier);
  check(last_shares(setup.facts), setup.noise.last);
}

}  // namespace

InferenceSetup inference_setup(RegressionDesign design, const InferenceOptions& options) {
  InferenceSetup setup;
  setup.design = std::move(design);
  setup.options = options;
  setup.facts = regression_facts(options, setup.design.mean, setup.design.columns(),
                                 setup.design.largest_count);
  setup.warning = check_identified(options, setup.facts);
  setup.noise = inference_noise(options, setup.facts, forecast(setup.facts, options.reach).steps);
  check_room(setup);
  return setup;
}

NoiseRoom noise_room(const RegressionDesign& design) {
  const RegressionFacts facts{.mean = design.mean, .columns = design.columns()};
  NoiseRoom room;
  const auto add = [&](const optimize::JointShares& shares) {
    const auto task = task_shape(design, shares);
    room.blocks += task.blocks();
    room.words += task.values();
  };
  add(start_shares(facts));
  for (std::int64_t j = 0; j < max_newton_steps; ++j) add(step_shares(facts));
  add(last_shares(facts));
  return room;
}

RegressionEstimate run_inference(const data::Dataset& records, const InferenceSetup& setup,
                                 const TrainingContext& context) {
  // The bounds are for single records: several records of one unit would move the sums by as many
  // bounds.
  if (records.has_units()) {
    throw base::InternalError("a regression with intervals reads one record of each unit");
  }
  return Fit(records, setup, context).run();
}

}  // namespace tacet::learn
