#include "tacet/mechanism/minimum/norm_gradient.h"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "tacet/base/error.h"
#include "tacet/mechanism/access_keys.h"
#include "tacet/numeric/elementary.h"
#include "tacet/numeric/rounding.h"
#include "tacet/random/exact/uniform.h"
#include "tacet/random/noise/vector_laplace.h"

namespace tacet::mechanism {
namespace {

using numeric::unit_roundoff;
constexpr double scale_in_units = 0x1p36;  // of a proposal, at least
constexpr double max_units = 0x1p61;       // so that coordinates and proposals fit 63 bits
constexpr double largest_share = 0.01;     // of epsilon, for rounding
constexpr std::int64_t draws_between_looks = 64;

/// epsilon / (2 Gamma): the weight of a unit of the score.
double weight_of(const NormGradientQuery& query, double epsilon) {
  return epsilon / (2 * privacy::distance_factor(query.adjacency) * query.clipping_norm);
}

/// Beyond every minimiser by a factor of 2: |w*| <= rows clipping_norm / l2.
double radius_of(const NormGradientQuery& query) {
  return 2 * static_cast<double>(query.rows) * query.clipping_norm / query.sum_l2;
}

void expect_numbers(const NormGradientQuery& query, privacy::Epsilon epsilon) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (query.columns < 1 || query.rows < 1 || !positive(query.clipping_norm) ||
      !positive(query.sum_l2) || !(query.smoothness >= 0) || !(query.gradient_error >= 0) ||
      !positive(epsilon.value())) {
    throw base::UsageError(
        "the gradient mechanism needs records, columns, a finite epsilon and positive bounds; in "
        "particular a penalty l2 above 0");
  }
  if (query.adjacency == privacy::Adjacency::add_remove) {
    throw base::GuaranteeError(
        "the rounding of the gradient mechanism is bounded for a public number of records only; "
        "use replace_one or zero_out");
  }
}

/// The norm |G(w)| of the sum plus the penalty, in doubles. It is a fixed function of the sum's
/// integers and of w.
double score(const privacy::BoundedSum& sum, std::span<const double> weights,
             const NormGradientQuery& query) {
  const auto values = sum.open(AccessKeys::key());
  double square = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double part = static_cast<double>(values[j]) * sum.grid() + query.sum_l2 * weights[j];
    square += part * part;
  }
  return std::sqrt(square);
}

double distance(std::span<const double> a, std::span<const double> b) {
  double square = 0;
  for (std::size_t j = 0; j < a.size(); ++j) square += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(square);
}

/// Keeps exponents at 0 or above although rounded sums are not exactly the monotone gradient.
double slack_of(const NormGradientQuery& query, const NormGradientGrid& grid, double weight) {
  return weight * 2 * query.gradient_error + grid.exponent_error;
}

/// True with probability e^-t for t >= 0, even if that is below the smallest double.
bool bernoulli_exponential(random::Stream& stream, double t) {
  const double whole = std::floor(t);
  const double one = numeric::exp(-1);
  for (double k = 0; k < whole; ++k) {
    if (!random::bernoulli_real(stream, one)) return false;
  }
  return random::bernoulli_real(stream, std::min(1.0, numeric::exp(whole - t)));
}

}  // namespace

NormGradientGrid norm_gradient_grid(const NormGradientQuery& query, privacy::Epsilon epsilon) {
  expect_numbers(query, epsilon);
  const double weight = weight_of(query, epsilon.value());
  const double radius = radius_of(query);
  const auto d = static_cast<double>(query.columns);
  const double unit =
      std::exp2(std::floor(std::log2(1 / (weight * query.sum_l2 * scale_in_units))));
  if (!(radius < max_units * unit)) {
    throw base::UsageError(
        "{} records are too many for the gradient mechanism at epsilon {:g}; its grid would not "
        "fit 63 bits; use method ladder",
        query.rows, epsilon.value());
  }
  // The largest score, twice the gradients' and the penalty's sum with room for rounding.
  const double scores =
      2 * (static_cast<double>(query.rows) * query.clipping_norm + query.sum_l2 * radius);
  const double largest_exponent = weight * 3 * scores;
  NormGradientGrid grid{unit, radius, 0};
  // Scores and distances: sums of d squares. Cells: half a diagonal. Random draws: 2^-50 each.
  grid.exponent_error = weight * scores * 3 * (d + 32) * unit_roundoff +
                        weight * query.sum_l2 * unit * std::sqrt(d) +
                        largest_exponent * numeric::ulps(4);
  if (4 * grid.exponent_error > largest_share * epsilon.value()) {
    throw base::GuaranteeError(
        "rounding could cost {:.2g} of epsilon {:g} with {} records; use method ladder",
        4 * grid.exponent_error, epsilon.value(), query.rows);
  }
  return grid;
}

double log_proposals(const NormGradientQuery& query, privacy::Epsilon epsilon) {
  return static_cast<double>(query.columns) * std::log1p(query.smoothness / query.sum_l2) +
         slack_of(query, norm_gradient_grid(query, epsilon), weight_of(query, epsilon.value()));
}

double log_draws(const NormGradientQuery& query, privacy::Epsilon epsilon) {
  const double every = log_proposals(query, epsilon);
  const double weight = weight_of(query, epsilon.value());
  // In the ball the norm of the sum is at most n Gamma, and that of the penalty's gradient twice as
  // much.
  const double largest = 3 * weight * static_cast<double>(query.rows) * query.clipping_norm +
                         slack_of(query, norm_gradient_grid(query, epsilon), weight);
  const double scales = weight * query.sum_l2 * radius_of(query);
  const double inside = boost::math::gamma_p(static_cast<double>(query.columns), scales / 2);
  return std::min(every, largest) - std::log(inside);
}

privacy::Event norm_gradient_event(const NormGradientQuery& query, privacy::Epsilon epsilon) {
  // The score moves by one record's gradient: docs/proofs/norm-gradient.md. Of epsilon, the share
  // of rounding is kept back (norm_gradient_grid).
  return privacy::BoundedRange{epsilon.value(), query.adjacency};
}

privacy::Released<std::vector<double>> release_norm_gradient(
    const GradientOracle& gradient, const privacy::Private<std::vector<double>>& start,
    const NormGradientQuery& query, privacy::Epsilon epsilon, const ReleaseContext& context) {
  const auto grid = norm_gradient_grid(query, epsilon);
  const auto event = norm_gradient_event(query, epsilon);
  context.reservation.debit(event);

  const auto access = AccessKeys::key();
  const auto columns = static_cast<std::size_t>(query.columns);
  const double weight = weight_of(query, epsilon.value() - 4 * grid.exponent_error);
  const double scale = 1 / (weight * query.sum_l2 * grid.unit);
  const auto sum_at = [&](std::span<const double> weights) {
    auto sum = gradient(weights);
    const double norm = static_cast<double>(sum.contribution_bound()) * sum.grid();
    if (sum.size() != columns || norm > query.clipping_norm * numeric::amply_up) {
      throw base::InternalError("a gradient of another size or bound than was announced");
    }
    return sum;
  };

  // The start on the grid, inside the ball whatever it was.
  std::vector<std::int64_t> centre(columns);
  std::vector<double> origin(columns);
  const double limit = grid.radius / std::sqrt(static_cast<double>(columns));
  for (std::size_t j = 0; j < columns; ++j) {
    const double value = start.open(access)[j];
    const double held = std::isfinite(value) ? std::clamp(value, -limit, limit) : 0;
    centre[j] = std::llrint(held / grid.unit);
    origin[j] = static_cast<double>(centre[j]) * grid.unit;
  }
  const double start_score = score(sum_at(origin), origin, query);
  const double slack = slack_of(query, grid, weight);

  random::Stream stream(context.claim(random::Purpose::noise));
  std::vector<std::int64_t> proposal(columns);
  std::vector<double> weights(columns);
  std::int64_t outside = 0;
  while (true) {
    std::ranges::fill(proposal, 0);
    random::internal::draw_rounded_l2_laplace(stream, scale, proposal,
                                              random::internal::Arithmetic::doubles_first);
    double square = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      weights[j] = (static_cast<double>(centre[j]) + static_cast<double>(proposal[j])) * grid.unit;
      square += weights[j] * weights[j];
    }
    if (!(square <= grid.radius * grid.radius)) {
      // If nearly all points lie outside, a call of the oracle can still end the run.
      if (++outside % draws_between_looks == 0) static_cast<void>(sum_at(origin));
      continue;
    }
    const double exponent = weight * (score(sum_at(weights), weights, query) + start_score -
                                      query.sum_l2 * distance(weights, origin)) +
                            slack;
    if (bernoulli_exponential(stream, std::max(0.0, exponent))) break;
  }
  return {access, weights, event};
}

}  // namespace tacet::mechanism
