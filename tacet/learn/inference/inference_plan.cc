#include "tacet/learn/inference/inference_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "tacet/accounting/composition.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/base/error.h"
#include "tacet/learn/plan/noise_size.h"
#include "tacet/numeric/elementary.h"

namespace tacet::learn {
namespace {

using optimize::JointShares;
using optimize::MeanModel;
using optimize::residual_units;
using privacy::Adjacency;

// Constants of the estimator, from the tuning that docs/explanations/inference.md describes.
constexpr double moment_part = .05;            // of the last release
constexpr double linear_curvature_part = .25;  // of the last release, for numbers
constexpr double start_curvature_part = .65;
// of the start, for numbers: for the residuals' variance
constexpr double start_squares_part = .05;
constexpr double start_reach_growth = .3;
constexpr double min_reach = 3;
constexpr double largest_reach = 8;
constexpr double largest_chosen_noise = .06;  // up to this relative noise the reach may grow
// variance of noise, over that of sampling, that a wider cut may add
constexpr double noise_over_sampling = .1;
// over the second moment of a direction, for a wider cut
constexpr double largest_moment_noise = .25;
constexpr double narrow_cut = 3;      // standard deviations of the residuals
constexpr double largest_claim = .3;  // variance of noise, over that of sampling, for a wide cut
// the curvature of counts is cut at this many times their mean
constexpr double curvature_of_means = 3;

std::int64_t share_units(double part) { return std::llround(part * residual_units); }

/// Under replace_one the matrices of two records with opposite scores are almost equal, so the
/// score has most of the distance to itself (docs/proofs/inference.md, theorems 2 and 3).
bool replaced(const RegressionFacts& facts) { return facts.adjacency == Adjacency::replace_one; }

std::int64_t score_beside_moment(const RegressionFacts& facts) {
  return replaced(facts) ? residual_units : residual_units - share_units(moment_part);
}

std::int64_t moment_share(const RegressionFacts& facts) {
  return (replaced(facts) ? 2 : 1) * share_units(moment_part);
}

/// The curvature that costs nothing extra for two classes, beside a moment or alone; both are
/// proved.
std::int64_t free_curvature(bool beside_moment, const RegressionFacts& facts) {
  const auto shares_of = [](Adjacency under) {
    const RegressionFacts of{.adjacency = under};
    return std::array{
        optimize::logistic_curvature_share(residual_units, 0, under),
        optimize::logistic_curvature_share(score_beside_moment(of), moment_share(of), under)};
  };
  static const auto alone = shares_of(Adjacency::add_remove);
  static const auto in_pairs = shares_of(Adjacency::replace_one);
  return (replaced(facts) ? in_pairs : alone)[beside_moment ? 1 : 0];
}

double last_score_part(const RegressionFacts& facts) {
  return JointShares::real(last_shares(facts).score);
}

/// Curvature of a typical record, in units of its bound, and the largest curvature.
double typical_curvature(const RegressionFacts& facts) {
  if (facts.mean == MeanModel::logistic) return .15;
  return facts.mean == MeanModel::poisson ? facts.mean_count : 1;
}
double largest_curvature(const RegressionFacts& facts) {
  if (facts.mean == MeanModel::logistic) return .25;
  return facts.mean == MeanModel::poisson ? curvature_of_means * facts.mean_count : 1;
}

/// The information of the rows over the variance of the noise, for the score of one column with
/// reach 1, if residuals are cut at `cut`.
double score_information(const RegressionFacts& facts, double cut) {
  const double curvature = facts.mean == MeanModel::logistic ? .2 : typical_curvature(facts);
  const double share = budget_shares(facts.mean).last() * last_score_part(facts);
  return curvature * static_cast<double>(facts.rows) * facts.mu * facts.mu * share /
         (static_cast<double>(facts.columns) * cut * cut);
}

double relative_noise(const RegressionFacts& facts, double reach) {
  auto shares = last_shares(facts);
  if (facts.mean == MeanModel::poisson) {
    shares.curvature =
        poisson_curvature_share(facts.cut, largest_curvature(facts), shares, facts.adjacency);
  }
  const auto columns = static_cast<double>(facts.columns);
  const double noise = reach * columns * largest_curvature(facts) /
                       (facts.mu * std::sqrt(budget_shares(facts.mean).last() *
                                             JointShares::real(shares.curvature)));
  return noise * std::sqrt(2 * columns) /
         (typical_curvature(facts) * static_cast<double>(facts.rows));
}

/// From this mu on, the cut of numbers no longer grows with the budget. The noise of the second
/// moment is proportional to the square of the cut over mu. If the cut kept its share of the
/// score's noise at every budget, standard errors would become less certain as the budget grows.
double mu_of_largest_cut(const RegressionFacts& facts) {
  const auto shares = last_shares(facts);
  return largest_moment_noise * std::sqrt(JointShares::real(shares.moment)) /
         (noise_over_sampling * JointShares::real(shares.score) *
          std::sqrt(budget_shares(facts.mean).last()));
}

std::int64_t step_count(const RegressionFacts& facts) {
  // If sampling errors are far above the noise, one more step costs little, while a wrong start
  // costs much.
  const double cut = facts.mean == MeanModel::identity ? narrow_cut : facts.cut;
  const bool precise = noise_over_sampling / (.1 * score_information(facts, cut)) <= .02;
  return facts.mean == MeanModel::poisson || precise ? max_newton_steps : 2;
}

double epsilon_of(double mu, const InferenceOptions& options) {
  return accounting::gaussian::epsilon(mu * privacy::distance_factor(options.adjacency),
                                       privacy::Delta(options.delta));
}

void check_options(const InferenceOptions& options) {
  if (options.rows < 1) {
    throw base::UsageError(
        "method inference scales its noise and its steps by the number of records; give "
        "`public_row_count`");
  }
  if (!(options.delta > 0)) {
    throw base::GuaranteeError("method inference adds Gaussian noise, which needs a delta above 0");
  }
  if (options.reach && !(*options.reach >= 1 && *options.reach <= 100)) {
    throw base::UsageError("`reach` must be 1 to 100, got {}", *options.reach);
  }
  if (options.count_cut && *options.count_cut < 1) {
    throw base::UsageError("`count_cut` must be at least 1, got {}", *options.count_cut);
  }
}

using Suffices = std::function<bool(const InferenceForecast&)>;

std::int64_t min_rows_for(RegressionFacts facts, const Suffices& suffices) {
  double low = 0;  // log2 of too few rows
  double high = 40;
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    facts.rows = std::max<std::int64_t>(1, std::llround(std::exp2(middle)));
    (suffices(forecast(facts)) ? high : low) = middle;
  }
  return std::llround(std::ceil(std::exp2(high)));
}

double min_mu_for(RegressionFacts facts, const Suffices& suffices) {
  double low = std::log(1e-6);
  double high = std::log(100.0);
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    facts.mu = std::exp(middle);
    (suffices(forecast(facts)) ? high : low) = middle;
  }
  return std::exp(high);
}

void check_width_of_counts(const InferenceOptions& options, const RegressionFacts& facts,
                           const InferenceForecast& found) {
  if (found.width <= max_width_of_counts) return;
  const auto narrow = [](const InferenceForecast& seen) {
    return seen.relative_noise <= max_relative_noise && seen.width <= max_width_of_counts;
  };
  throw base::UsageError(
      "{} rows with {} columns at epsilon {:g}, of counts up to {:g}, have intervals about {:.2g} "
      "times as wide as without privacy, and such intervals of counts do not hold: at most {:g} "
      "times is allowed; it takes about {} rows, or epsilon {:.3g}, or a smaller upper bound of "
      "the target",
      facts.rows, facts.columns, options.epsilon, facts.cut, found.width, max_width_of_counts,
      min_rows_for(facts, narrow), epsilon_of(min_mu_for(facts, narrow), options));
}

}  // namespace

BudgetShares budget_shares(MeanModel mean) {
  return {.start = .2, .steps = mean == MeanModel::identity ? .1 : .2};
}

JointShares start_shares(const RegressionFacts& facts) {
  const double squares = facts.mean == MeanModel::identity ? start_squares_part : 0;
  const double score = (1 - start_curvature_part) * (1 - squares);
  const double curvature = 1 - score - squares;
  if (!replaced(facts)) {
    return {.score = share_units(score),
            .curvature = residual_units - share_units(score) - share_units(squares),
            .squares = share_units(squares)};
  }
  // As large as theorem 2 allows. In it, squares add nothing beside scores.
  const double both = 2 * curvature;
  const double larger = 4 / (2 * score + 2 * both + score * score / (2 * both));
  const auto at_most = [](double part) {
    return static_cast<std::int64_t>(std::floor(part * residual_units));
  };
  return {.score = at_most(larger * score),
          .curvature = at_most(larger * both),
          .squares = 2 * share_units(squares)};
}

JointShares step_shares(const RegressionFacts& facts) {
  JointShares shares{.score = residual_units};
  if (facts.mean == MeanModel::logistic) shares.curvature = free_curvature(false, facts);
  return shares;
}

JointShares last_shares(const RegressionFacts& facts) {
  JointShares shares{.score = score_beside_moment(facts), .moment = moment_share(facts)};
  if (facts.mean == MeanModel::logistic) {
    shares.curvature = free_curvature(true, facts);
  } else if (facts.mean == MeanModel::identity) {
    const auto part = share_units(linear_curvature_part);
    // 4 a_g + a_H = 4: a residual that is cut has no curvature, but its neighbour may have.
    shares.score -= replaced(facts) ? part / 2 : part;
    shares.curvature = replaced(facts) ? 2 * part : part;
  }
  return shares;
}

std::int64_t poisson_curvature_share(double cut, double curvature_bound, const JointShares& others,
                                     Adjacency adjacency) {
  constexpr int means = 1000;
  constexpr double min = 1e-4;
  const double score = JointShares::real(others.score);
  const double moment = JointShares::real(others.moment);
  // The condition of joint_bound in doubles.
  const auto left = [&](double residual) {
    const double square = residual * residual;
    if (adjacency != Adjacency::replace_one) return 1 - score * square - moment * square * square;
    return std::min(4 - score * std::pow(1 + residual, 2) - moment * std::pow(1 - square, 2),
                    2 - 1.5 * score * square - moment * square * square);
  };
  double share = 4;
  for (int k = 0; k < means; ++k) {
    const double m = min * numeric::exp(numeric::log(cut / min) * k / (means - 1.0));
    const auto law = optimize::cut_poisson(m, static_cast<std::int64_t>(cut));
    const double curvature = m * law.below;
    const double weight = std::min(1.0, curvature_bound / curvature);
    const double residual = weight * std::max(cut - law.mean, law.mean) / cut;
    share = std::min(share, left(residual) / std::pow(weight * curvature / curvature_bound, 2));
  }
  // The smallest share, reached if the cut is hardly above the mean. Single records are then
  // shortened instead.
  constexpr double min_share = .02;
  return share_units(std::max(share, min_share));
}

InferenceForecast forecast(const RegressionFacts& facts, std::optional<double> asked) {
  InferenceForecast found{.steps = step_count(facts)};
  const double share = budget_shares(facts.mean).last() * last_score_part(facts);
  // A square divided by this is the variance of noise over that of sampling.
  const auto information = [&](double reach) {
    return typical_curvature(facts) * static_cast<double>(facts.rows) * facts.mu * facts.mu *
           share / (reach * static_cast<double>(facts.columns));
  };
  const bool numbers = facts.mean == MeanModel::identity;
  // The cut gets noise first, and the reach grows with what is left. It grows like mu and no
  // faster: the noise of the curvature is proportional to reach over mu, so a larger budget never
  // has more of it.
  found.cut = numbers ? first_cut(information(asked.value_or(min_reach))) : facts.cut;
  const double at_one = relative_noise(facts, 1);
  const double grown = std::clamp(std::sqrt(.25 * min_reach * score_information(facts, found.cut)),
                                  min_reach, largest_reach);
  found.reach = asked.value_or(std::clamp(largest_chosen_noise / at_one, min_reach, grown));
  found.relative_noise = found.reach * at_one;
  const double one = information(found.reach);
  if (numbers) {
    const double grown_for = std::min(1.0, mu_of_largest_cut(facts) / facts.mu);
    found.cut = std::max(found.cut, grown_for * std::sqrt(noise_over_sampling * one));
  }
  found.width = std::sqrt(1 + found.cut * found.cut / one);
  // A rare column's square is about its number of records, and the start sees squares.
  const double start = start_squared_reach(facts.columns) /
                       (facts.mu * std::sqrt(budget_shares(facts.mean).start *
                                             JointShares::real(start_shares(facts).curvature)));
  found.level_records = 1.5 * start * std::sqrt(2 * static_cast<double>(facts.columns));
  return found;
}

double start_squared_reach(std::int64_t columns) {
  return 1 + start_reach_growth * static_cast<double>(columns - 1);
}

double first_cut(double information) {
  return wide_cut * wide_cut <= largest_claim * information ? wide_cut : narrow_cut;
}

std::int64_t rows_needed(RegressionFacts facts, double limit) {
  return min_rows_for(facts,
                      [&](const InferenceForecast& seen) { return seen.relative_noise <= limit; });
}

double mu_needed(RegressionFacts facts, double limit) {
  return min_mu_for(facts,
                    [&](const InferenceForecast& seen) { return seen.relative_noise <= limit; });
}

InferenceNoise shared_noise(double whole, MeanModel mean, std::int64_t steps) {
  const auto shares = budget_shares(mean);
  // Later steps are nearer to the end, and get more: 1 : 3 : 9; for numbers all are equal.
  const double growth = mean == MeanModel::identity ? 1 : 3;
  std::vector<double> weights;
  for (std::int64_t j = 0; j < steps; ++j) {
    weights.push_back(weights.empty() ? 1 : growth * weights.back());
  }
  const double together = std::accumulate(weights.begin(), weights.end(), 0.0);
  InferenceNoise noise{.whole = whole,
                       .start = whole / std::sqrt(shares.start),
                       .last = whole / std::sqrt(shares.last())};
  for (const double weight : weights) {
    noise.steps.push_back(whole / std::sqrt(shares.steps * weight / together));
  }
  return noise;
}

InferenceNoise inference_noise(const InferenceOptions& options, const RegressionFacts& facts,
                               std::int64_t steps) {
  check_options(options);
  const auto cost = [&](const InferenceNoise& noise) {
    return accounting::epsilon(releases(noise), options.adjacency, privacy::Delta(options.delta));
  };
  auto noise = shared_noise(1 / facts.mu, facts.mean, steps);
  // Roundings of the parts: one unit in the last place after the other until the accountant agrees.
  for (double larger = 1e-15; cost(noise) > options.epsilon; larger *= 2) {
    noise = shared_noise(noise.whole * (1 + larger), facts.mean, steps);
  }
  return noise;
}

privacy::Event releases(const InferenceNoise& noise) {
  privacy::Composed all;
  all.parts.emplace_back(privacy::Gaussian{noise.start});
  // Equal steps become one repetition, which is how a reservation writes what was spent. Another
  // form might round the sum in another way, and exceed the booking.
  const auto count = std::ssize(noise.steps);
  const bool equal = count > 1 && std::ranges::count(noise.steps, noise.steps[0]) == count;
  if (equal) {
    all.parts.emplace_back(privacy::Repeated{count, privacy::Gaussian{noise.steps[0]}});
  } else {
    for (const double step : noise.steps) all.parts.emplace_back(privacy::Gaussian{step});
  }
  all.parts.emplace_back(privacy::Gaussian{noise.last});
  return all;
}

RegressionFacts regression_facts(const InferenceOptions& options, MeanModel mean,
                                 std::int64_t columns, double largest_count) {
  check_options(options);
  const double z = full_batch_noise(1, privacy::Epsilon(options.epsilon),
                                    privacy::Delta(options.delta), options.adjacency);
  RegressionFacts facts{.mean = mean,
                        .columns = columns,
                        .rows = options.rows,
                        .mu = 1 / z,
                        .adjacency = options.adjacency};
  if (mean == MeanModel::poisson) {
    facts.cut = std::ceil(largest_count);
    if (options.count_cut) {
      facts.cut = std::min(facts.cut, static_cast<double>(*options.count_cut));
    }
    if (facts.cut > optimize::max_count_cut) {
      throw base::UsageError(
          "a table of counts distinguishes counts up to {1}, and the target's upper bound is "
          "{0:g}; give the target a smaller 'upper', or `count_cut` if the counts follow "
          "Poisson's law",
          facts.cut, optimize::max_count_cut);
    }
    facts.mean_count = std::min(facts.mean_count, facts.cut / 2);
  }
  return facts;
}

std::string check_identified(const InferenceOptions& options, const RegressionFacts& facts) {
  const auto found = forecast(facts, options.reach);
  if (facts.mean == MeanModel::poisson) check_width_of_counts(options, facts, found);
  if (found.relative_noise <= doubtful_relative_noise) return {};
  const auto needed = rows_needed(facts);
  const double enough = epsilon_of(mu_needed(facts), options);
  if (found.relative_noise > max_relative_noise) {
    // Above it the noise's generator takes all of delta, and no noise gets smaller.
    constexpr double largest_named = 50;
    throw base::UsageError(
        "{} rows with {} columns at epsilon {:g} identify nothing: the privacy noise in the "
        "information matrix, whose inverse gives standard errors, is {:.2f} times the matrix, and "
        "at most {} is allowed; it takes about {} rows, or {}fewer terms",
        facts.rows, facts.columns, options.epsilon, found.relative_noise, max_relative_noise,
        needed, enough <= largest_named ? fmt::format("epsilon {:.3g}, or ", enough) : "");
  }
  return fmt::format(
      "some coefficients may come out as not identified: the privacy noise in the information "
      "matrix is {:.2f} times the matrix, and below {} hardly any coefficient is lost; that takes "
      "about {} rows",
      found.relative_noise, doubtful_relative_noise, rows_needed(facts, doubtful_relative_noise));
}

}  // namespace tacet::learn
