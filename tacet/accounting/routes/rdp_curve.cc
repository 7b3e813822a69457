// Renyi curves of whole events.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "tacet/accounting/routes/closed_forms.h"
#include "tacet/accounting/routes/occurrences.h"
#include "tacet/accounting/routes/rdp.h"
#include "tacet/accounting/routes/repetition.h"
#include "tacet/accounting/routes/sampling.h"
#include "tacet/numeric/rounding.h"
#include "tacet/numeric/special.h"

namespace tacet::accounting::rdp {
namespace {

using MaybeCurve = std::optional<Curve>;

using numeric::infinity;

/// Stores the values at integer orders: sampling theorems ask for the same ones at every order.
class MemoCache {
 public:
  explicit MemoCache(Curve curve) : curve_(std::move(curve)) {}
  double operator()(double alpha) {
    const bool small_integer = alpha == std::floor(alpha) && alpha < 4096;
    if (!small_integer) return curve_(alpha);
    const auto index = static_cast<std::size_t>(alpha);
    if (values_.size() <= index) values_.resize(index + 1, -1);
    if (values_[index] < 0) values_[index] = curve_(alpha);
    return values_[index];
  }

 private:
  Curve curve_;
  std::vector<double> values_;
};

/// The rate, raised so far that its square is a normal double. A sample at a smaller rate is one at
/// a larger rate from which records are dropped (docs/proofs/accountant.md, section 8).
double with_square(double rate) { return std::max(rate, 1e-100); }

/// The standard deviation of the noise in units of the distance, from mu^2.
double sigma_of(double square) {
  return square == 0 ? infinity : numeric::divide_down(1, numeric::sqrt_up(square));
}

/// log of 2 e^{t^2/2} Phi(t), the moment generating function of |N|.
double log_folded_moment(double t) {
  // Phi(t) is at least 1/2 for t >= 0, so the plain logarithm is accurate.
  return 0.5 * t * t + std::log1p(std::erf(t * numeric::sqrt_half));
}

struct CurveOf {
  Adjacency adjacency;
  WorkMeter* work = nullptr;

  MaybeCurve own(Adjacency stated, Curve curve) const {
    if (stated != adjacency) return std::nullopt;
    return curve;
  }
  MaybeCurve operator()(const Gaussian& e) const {
    const auto square = internal::squared_mu(e, adjacency);
    return Curve([mu = numeric::sqrt_up(*square)](double alpha) { return gaussian(mu, alpha); });
  }
  MaybeCurve operator()(const Laplace& e) const {
    const double scale = e.noise_multiplier / distance_factor(adjacency);
    return Curve([scale](double alpha) { return laplace(scale, alpha); });
  }
  MaybeCurve operator()(const DiscreteGaussian& e) const {
    const double distance =
        numeric::multiply_up(distance_factor(adjacency), numeric::count_up(e.sensitivity));
    const double mu = distance == 0 ? 0 : numeric::divide_up(distance, e.sigma);
    return Curve([mu](double alpha) { return gaussian(mu, alpha); });
  }
  MaybeCurve operator()(const DiscreteLaplace& e) const {
    if (e.sensitivity == 0) return by_pure(e);
    const double shift =
        numeric::multiply_up(distance_factor(adjacency), numeric::count_up(e.sensitivity));
    return Curve(
        [scale = e.scale, shift](double alpha) { return discrete_laplace(scale, shift, alpha); });
  }
  MaybeCurve operator()(const PureDp& e) const {
    return e.adjacency == adjacency ? by_pure(e) : std::nullopt;
  }
  MaybeCurve operator()(const ApproximateDp& e) const {
    if (e.adjacency != adjacency) return std::nullopt;
    if (e.delta > 0) return no_bound_above(e.epsilon);
    return by_pure(e);
  }
  MaybeCurve operator()(const BoundedRange& e) const {
    return own(e.adjacency,
               [epsilon = e.epsilon](double alpha) { return bounded_range(epsilon, alpha); });
  }
  MaybeCurve operator()(const ScoreSelection& e) const {
    return own(e.adjacency, [e](double alpha) { return score_selection(e, alpha); });
  }
  MaybeCurve operator()(const Zcdp& e) const {
    return own(e.adjacency,
               [rho = e.rho](double alpha) { return numeric::multiply_up(rho, alpha); });
  }
  MaybeCurve operator()(const Profile& e) const {
    if (e.adjacency != adjacency) return std::nullopt;
    if (e.points.back().delta > 0) return no_bound_above(e.points.front().epsilon);
    return by_pure(e);
  }
  MaybeCurve operator()(const ObjectivePerturbation& e) const {
    // The privacy loss is at most c + s^2/2 + s|N| in both orders; replacing a record doubles s by
    // the convexity of exp over the two averaged losses. The release adds Gaussian noise to the
    // minimum found, which moves by at most 2 tolerance / regularization.
    const double c = std::log1p(e.smoothness / e.regularization);
    const double s = distance_factor(adjacency) * e.lipschitz / e.sigma;
    const double output = 2 * e.tolerance / (e.regularization * e.output_sigma);
    return Curve([c, s, output](double alpha) {
      const double t = (alpha - 1) * s;
      return (c + 0.5 * s * s + log_folded_moment(t) / (alpha - 1) +
              0.5 * alpha * output * output) *
             (1 + 1e-12);
    });
  }
  MaybeCurve operator()(const ShuffledLocal& e) const {
    return adjacency == Adjacency::replace_one ? by_pure(e) : std::nullopt;
  }
  MaybeCurve operator()(const PoissonSampled& e) const {
    // A proof for one record is a proof for a unit that joins the sample whole or not at all.
    if (internal::unit_rate(e) == 1) return curve(*e.base, adjacency, work);
    if (e.rate == 0) return Curve([](double) { return 0.0; });
    if (internal::is_replaced(e, adjacency)) return replaced_in_sample(e);
    const double q = with_square(internal::unit_rate(e));
    if (const auto square = internal::squared_mu(*e.base, adjacency)) {
      return Curve([q, sigma = sigma_of(*square)](double alpha) {
        return poisson_gaussian(q, sigma, alpha);
      });
    }
    const auto base = curve(*e.base, adjacency, work);
    if (!base) return std::nullopt;
    return Curve([q, base = MemoCache(*base)](double alpha) mutable {
      return poisson(q, std::ref(base), alpha);
    });
  }
  /// The smallest proved bound for a record that replaces another one (replaced_record.md, section
  /// 4).
  MaybeCurve replaced_in_sample(const PoissonSampled& e) const {
    std::vector<Curve> bounds;
    const double q = with_square(internal::unit_rate(e));
    if (const auto square = internal::squared_mu(*e.base, Adjacency::add_remove)) {
      bounds.emplace_back([q, sigma = sigma_of(*square)](double alpha) {
        return replaced_gaussian(q, sigma, alpha);
      });
    }
    if (const auto base = curve(*e.base, Adjacency::add_remove, work)) {
      bounds.emplace_back([q, base = MemoCache(*base)](double alpha) mutable {
        return replaced(q, std::ref(base), alpha);
      });
    }
    if (const auto base = curve(*e.base, adjacency, work)) {
      // The moment of the divergence is jointly convex, and both runs share the samples without the
      // record.
      bounds.emplace_back([q, base = *base](double alpha) {
        const double whole = base(alpha);
        const double exponent = numeric::multiply_up(alpha - 1, whole);
        return std::min(whole, internal::amplified(q, exponent) / (alpha - 1) * (1 + 1e-12));
      });
    }
    const double pure = internal::pure_epsilon(*e.base, Adjacency::add_remove);
    if (std::isfinite(pure)) {
      bounds.emplace_back([q, pure](double alpha) { return replaced_pure(q, pure, alpha); });
    }
    if (bounds.empty()) return std::nullopt;
    return Curve([bounds](double alpha) {
      double best = bounds.front()(alpha);
      for (std::size_t i = 1; i < bounds.size(); ++i) best = std::min(best, bounds[i](alpha));
      return best;
    });
  }
  MaybeCurve operator()(const FixedSizeSampled& e) const {
    if (adjacency == Adjacency::add_remove) return std::nullopt;
    if (e.sample_size == 0) return Curve([](double) { return 0.0; });
    const auto inside = internal::inner_adjacency(e, adjacency);
    const auto base = curve(*e.base, inside, work);
    if (!base) return std::nullopt;
    const double limit = internal::pure_epsilon(*e.base, inside);
    const double gamma = with_square(internal::sampled_fraction(e));
    return Curve([gamma, limit, base = MemoCache(*base)](double alpha) mutable {
      return fixed_size(gamma, std::ref(base), limit, alpha);
    });
  }
  MaybeCurve operator()(const Partitioned& e) const {
    if (!internal::blocks_are_parallel(e, adjacency)) return std::nullopt;
    return over(e.parts, [](double a, double b) { return std::max(a, b); });
  }
  MaybeCurve operator()(const Composed& e) const {
    return over(e.parts, [](double a, double b) { return numeric::add_up(a, b); });
  }
  MaybeCurve operator()(const Repeated& e) const {
    const auto base = curve(*e.base, adjacency, work);
    if (!base) return std::nullopt;
    return Curve([base = *base, count = numeric::count_up(e.count)](double alpha) {
      return numeric::multiply_up(base(alpha), count);
    });
  }
  MaybeCurve operator()(const RandomlyRepeated& e) const;

  MaybeCurve by_pure(const Event& event) const {
    const double epsilon = internal::pure_epsilon(event, adjacency);
    return Curve([epsilon](double alpha) { return pure(epsilon, alpha); });
  }

  /// There is no Renyi bound if delta is above 0. Losses that are too large for a loss distribution
  /// give an infinite curve; smaller ones are left to the loss distributions.
  static MaybeCurve no_bound_above(double epsilon) {
    if (epsilon < internal::largest_loss) return std::nullopt;
    return Curve([](double) { return infinity; });
  }

  /// A part without a curve makes the sum infinite. Return that only beside parts with losses that
  /// no distribution can hold; otherwise there is no curve.
  template <typename Combine>
  MaybeCurve over(const std::vector<Event>& parts, const Combine& combine) const {
    std::vector<Curve> curves;
    bool missing = false;
    bool endless = false;
    for (const auto& part : parts) {
      auto one = curve(part, adjacency, work);
      missing = missing || !one;
      const auto basic = internal::basic_composition(part, adjacency);
      endless = endless || (one && std::isinf((*one)(2))) ||
                (basic && basic->epsilon >= internal::largest_loss);
      if (one) curves.push_back(std::move(*one));
    }
    if (missing && endless) return Curve([](double) { return infinity; });
    if (missing) return std::nullopt;
    return Curve([curves, combine](double alpha) {
      double result = 0;
      for (const auto& one : curves) result = combine(result, one(alpha));
      return result;
    });
  }
};

/// Papernot, Steinke 2022, theorem 2, minimised over its second order on a grid.
MaybeCurve CurveOf::operator()(const RandomlyRepeated& e) const {
  if (e.law != RepetitionLaw::truncated_negative_binomial || e.cap != 0) return std::nullopt;
  const auto base = curve(*e.base, adjacency, work);
  if (!base) return std::nullopt;
  const double eta = e.eta;
  const double log_inverse_gamma = -std::log(e.gamma);
  double constant = infinity;
  const auto offer = [&](double second) {
    constant = std::min(constant, (1 + eta) * (1 - 1 / second) * (*base)(second) +
                                      (1 + eta) * log_inverse_gamma / second);
  };
  for (double z = -3; z < 9; z += 0.05) offer(1 + std::exp(z));
  for (double second = 2; second <= 256; ++second) offer(second);
  const double log_mean = std::log(repetition::mean(repetition::law_of(e)));
  return Curve([base = *base, constant, log_mean](double alpha) {
    return (base(alpha) + constant + std::max(0.0, log_mean) / (alpha - 1)) * (1 + 1e-12);
  });
}

}  // namespace

std::optional<Curve> curve(const Event& event, Adjacency adjacency, WorkMeter* work) {
  auto found = std::visit(CurveOf{adjacency, work}, event.node());
  if (!found || internal::costs_nothing(event)) return found;
  // Sampled noise takes a sum over integers or over points of an integral, other kinds a formula.
  const double units = internal::is_sampled(event) ? 1e5 : 1e3;
  // Squares and products of tiny numbers underflow, but an event with a cost must never have cost
  // 0.
  return Curve([bound = *std::move(found), work, units](double alpha) {
    spend(work, units);
    return std::max(bound(alpha), std::numeric_limits<double>::denorm_min());
  });
}

}  // namespace tacet::accounting::rdp
