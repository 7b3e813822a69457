#include "tacet/accounting/quantity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/accounting/dominating.h"
#include "tacet/accounting/group_privacy.h"
#include "tacet/accounting/private_selection.h"
#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/routes/objective.h"
#include "tacet/accounting/routes/repetition.h"
#include "tacet/accounting/routes/sampling.h"
#include "tacet/accounting/routes/shuffle.h"
#include "tacet/base/error.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::internal {

using numeric::infinity;

namespace {

/// Masses of outcomes lose their relative precision among the smallest doubles, so sums over
/// privacy losses say nothing about smaller deltas than this. Purely private events do not get
/// here.
constexpr double min_by_pairs = 1e-290;

/// An interval around a value that data sets attain.
PrivacyInterval around(double lower, double upper, const char* route) {
  return {lower, upper, true, route, lower};
}

}  // namespace

// ---- epsilon at a delta

PrivacyInterval EpsilonAt::gaussian(const Event& event, Adjacency adjacency, double square) const {
  const double upper = gaussian::epsilon(numeric::sqrt_up(square), delta);
  if (std::isinf(upper)) return around(upper, upper, "gaussian");
  return around(gaussian::epsilon_below(mu_below(event, adjacency), delta), upper, "gaussian");
}

std::optional<PrivacyInterval> EpsilonAt::at_once(const Event& event, Adjacency adjacency,
                                                  double pure) const {
  if (delta.value() == 0) {
    // If data sets attain the pairs, their largest losses add up to the sum of the pure epsilons.
    const auto dominating = dominating_pairs(event, adjacency);
    const bool attained = std::isfinite(pure) && dominating && dominating->attained;
    if (!attained) return PrivacyInterval{0, pure, false, "pure"};
    return around(pure * (1 - 1e-12), pure, "pure");
  }
  if (participation(event) <= delta.value()) return around(0, 0, "participation");
  return std::nullopt;
}

std::optional<Bound> EpsilonAt::dedicated(const Event& event, Adjacency adjacency,
                                          const AccountOptions& options) const {
  if (const auto* selection = event.as<RandomlyRepeated>()) {
    if (repetition::depth(event) > repetition::deepest_profile) {
      return Bound{pure_epsilon(event, adjacency), "pure"};
    }
    return Bound{SelectionCurve(*selection, adjacency, options).epsilon(delta.value()),
                 "tuning profile"};
  }
  if (const auto* reports = event.as<ShuffledLocal>()) {
    return Bound{shuffle::clones_epsilon(reports->reports, reports->local_epsilon, delta.value()),
                 "shuffle"};
  }
  if (const auto* minimum = event.as<ObjectivePerturbation>()) {
    return Bound{objective::epsilon(*minimum, delta.value(), adjacency), "objective"};
  }
  return std::nullopt;
}

pld::Bracket EpsilonAt::by_pairs(const std::vector<pld::Component>& remove,
                                 const std::vector<pld::Component>& add,
                                 const pld::PldOptions& pld_options) const {
  if (delta.value() < min_by_pairs) {
    throw base::NumericError("delta {} is below what sums over privacy losses tell apart",
                             delta.value());
  }
  return pld::epsilon_bracket(remove, add, delta.value(), pld_options);
}

double EpsilonAt::by_renyi(const rdp::Curve& curve) const {
  return rdp::best_epsilon(curve, delta).epsilon;
}

double EpsilonAt::by_all_records(double square) const {
  return gaussian::epsilon(numeric::sqrt_up(square), delta);
}

std::array<Bound, 2> EpsilonAt::by_sums(const Event& event, Adjacency adjacency) const {
  // The parts must not need more than delta.
  const auto basic = basic_composition(event, adjacency);
  const bool within = basic && basic->delta <= delta.value();
  return {
      {{pure_epsilon(event, adjacency), "pure"}, {within ? basic->epsilon : infinity, "basic"}}};
}

bool EpsilonAt::group_is_dearer(const Event& event, double upper) const {
  const auto* minimum = event.as<ObjectivePerturbation>();
  if (minimum == nullptr) return false;
  const auto one = [&](double at) { return objective::delta(*minimum, at, Adjacency::add_remove); };
  return group_delta(one, upper) > delta.value();
}

double EpsilonAt::by_group(const EndOf& one, double upper) const {
  return group_epsilon(one, delta.value(), upper);
}

// ---- delta at an epsilon

bool DeltaAt::is_free() const { return std::isinf(epsilon.value()); }

PrivacyInterval DeltaAt::gaussian(const Event& event, Adjacency adjacency, double square) const {
  const auto log_end = [e = epsilon.value()](double mu, double side) {
    const double log_delta = gaussian::log_delta(mu, e);
    return std::isinf(log_delta) ? log_delta : log_delta + side * gaussian::relative_error(mu, e);
  };
  // Never 0, even if the logarithm is too small for a double.
  const double upper = numeric::exp_of_upper(log_end(numeric::sqrt_up(square), 1));
  return around(numeric::exp_of_lower(log_end(mu_below(event, adjacency), -1)),
                std::clamp(upper, min(), 1.0), "gaussian");
}

std::optional<PrivacyInterval> DeltaAt::at_once(const Event& /*event*/, Adjacency /*adjacency*/,
                                                double pure) const {
  if (pure <= epsilon.value()) return around(0, 0, "pure");
  return std::nullopt;
}

std::optional<Bound> DeltaAt::dedicated(const Event& event, Adjacency adjacency,
                                        const AccountOptions& options) const {
  if (const auto* selection = event.as<RandomlyRepeated>()) {
    if (repetition::depth(event) > repetition::deepest_profile) {
      return Bound{1, "trivial"};
    }
    return Bound{SelectionCurve(*selection, adjacency, options).delta(epsilon.value()),
                 "tuning profile"};
  }
  if (const auto* reports = event.as<ShuffledLocal>()) {
    return Bound{shuffle::clones_delta(reports->reports, reports->local_epsilon, epsilon.value()),
                 "shuffle"};
  }
  if (const auto* minimum = event.as<ObjectivePerturbation>()) {
    return Bound{objective::delta(*minimum, epsilon.value(), adjacency), "objective"};
  }
  return std::nullopt;
}

double DeltaAt::start(double /*pure*/) { return infinity; }

pld::Bracket DeltaAt::by_pairs(const std::vector<pld::Component>& remove,
                               const std::vector<pld::Component>& add,
                               const pld::PldOptions& pld_options) const {
  auto bracket = pld::delta_bracket(remove, add, epsilon.value(), pld_options);
  if (bracket.lower < min_by_pairs) bracket.lower = 0;
  bracket.upper = std::max(bracket.upper, min_by_pairs);
  return bracket;
}

double DeltaAt::by_renyi(const rdp::Curve& curve) const {
  return rdp::best_delta(curve, epsilon.value());
}

double DeltaAt::by_pure(double pure) const {
  return std::isfinite(pure) ? implied_delta({pure, 0}, epsilon.value()) : infinity;
}

double DeltaAt::by_all_records(double square) const {
  const double mu = numeric::sqrt_up(square);
  const double log_delta =
      gaussian::log_delta(mu, epsilon.value()) + gaussian::relative_error(mu, epsilon.value());
  if (!std::isfinite(mu) || std::isnan(log_delta)) return infinity;
  return std::max(min(), numeric::exp_of_upper(log_delta));
}

std::array<Bound, 2> DeltaAt::by_sums(const Event& event, Adjacency adjacency) const {
  const auto basic = basic_composition(event, adjacency);
  const bool within = basic && basic->epsilon <= epsilon.value();
  return {{{within ? basic->delta : infinity, "basic"}, {participation(event), "participation"}}};
}

double DeltaAt::by_group(const EndOf& one, double /*upper*/) const {
  return group_delta(one, epsilon.value());
}

double DeltaAt::min() {
  // Below the pure epsilon delta is above 0, however small: products of tiny masses underflow. So a
  // smaller true value is rounded up to this.
  return std::numeric_limits<double>::denorm_min();
}

}  // namespace tacet::accounting::internal
