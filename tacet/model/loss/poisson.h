#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "tacet/model/loss/loss_parts.h"
#include "tacet/numeric/exp_each.h"
#include "tacet/numeric/rounding.h"

namespace tacet::model {
namespace internal {

/// y ln y - y, 0 at y = 0: what makes the least value of the Poisson losses 0.
inline double poisson_offset(double y) { return y > 0 ? y * numeric::log(y) - y : 0; }

/// e^u for every u: beyond this it stays finite also where it is multiplied by a grid's factor.
inline constexpr double finite_exp_reach = 600;
inline double finite_exp(double u) { return numeric::exp(std::min(u, finite_exp_reach)); }

}  // namespace internal

/// e^u - y u + y ln y - y: half of the deviance of a Poisson law with mean e^u. For labels that are
/// counts over their largest, Y, the minimiser is that of the counts themselves less ln Y in the
/// constant, since the losses differ by the factor Y and by terms without u.
///
/// Its slope and curvature have no bound: e^u at the prediction u. Slopes are cut where gradients
/// are clipped; a certified minimum takes ExtendedPoissonLoss.
struct PoissonLoss {
  static constexpr std::string_view name = "poisson";
  static constexpr Labels labels = Labels::shares;

  [[nodiscard]] double value(double u, double y) const {
    return std::max(0.0, internal::finite_exp(u) - y * u + internal::poisson_offset(y));
  }
  [[nodiscard]] double slope(double u, double y) const { return internal::finite_exp(u) - y; }
  void slope_each(std::span<double> u, std::span<const double> y) const {
    for (double& number : u) number = std::min(number, internal::finite_exp_reach);
    numeric::exp_each(u);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] -= y[i];
  }
  [[nodiscard]] double curvature(double u, double /*y*/, double /*slope*/) const {
    return internal::finite_exp(u);
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    using std::exp;
    return exp(u) - y;
  }
  [[nodiscard]] LossSmoothness smoothness() const { return internal::smooth(unbounded, unbounded); }
  [[nodiscard]] double slope_bound_within(double bound) const {
    // At -bound and y = 1 the slope is e^-bound - 1, which is shorter.
    return std::exp(bound) * numeric::up_ulps(4);
  }
  [[nodiscard]] double best(double y) const { return std::log(y); }
};

/// The Poisson loss up to the prediction `reach` > 0, and from there on the parabola that has its
/// value, slope and curvature there: convex, of curvature at most e^reach everywhere. Weights in a
/// ball of radius reach / X predict no more than `reach`, so within it nothing is changed, and a
/// solver may leave the ball on its way (docs/proofs/loss_table.md).
struct ExtendedPoissonLoss {
  static constexpr std::string_view name = "extended_poisson";
  static constexpr Labels labels = Labels::shares;
  double reach = 1;
  static constexpr LossParameter<ExtendedPoissonLoss> parameter{"reach", 0, 50,
                                                                &ExtendedPoissonLoss::reach};

  [[nodiscard]] double value(double u, double y) const {
    const double beyond = std::max(0.0, u - reach);
    const double start = numeric::exp(std::min(u, reach));
    return std::max(
        0.0, start * (1 + beyond + beyond * beyond / 2) - y * u + internal::poisson_offset(y));
  }
  [[nodiscard]] double slope(double u, double y) const {
    return numeric::exp(std::min(u, reach)) * (1 + std::max(0.0, u - reach)) - y;
  }
  [[nodiscard]] double curvature(double u, double /*y*/, double /*slope*/) const {
    return numeric::exp(std::min(u, reach));
  }
  template <typename Real>
  [[nodiscard]] Real wide_slope(const Real& u, const Real& y) const {
    using std::exp;
    if (u < Real(reach)) return exp(u) - y;
    return exp(Real(reach)) * (Real(1) + u - Real(reach)) - y;
  }
  [[nodiscard]] LossSmoothness smoothness() const {
    return internal::smooth(std::exp(reach) * numeric::up_ulps(4), unbounded);
  }
  [[nodiscard]] double slope_bound_within(double bound) const {
    return std::exp(std::min(bound, reach)) * (1 + std::max(0.0, bound - reach)) *
           numeric::up_ulps(4);
  }
  [[nodiscard]] double best(double y) const { return std::log(y); }
};

}  // namespace tacet::model
