#pragma once

#include <span>

#include "tacet/optimize/solver/domain.h"

/// How far a point can lie from the minimiser of a strongly convex function, from its gradient.
///
/// F is mu-strongly convex on the domain, w* its minimiser there. Each bound holds for every point,
/// converged or not, and for every data set; `gradient_error` bounds the distance of a given
/// gradient from the exact one. All bounds are as private as the data.
namespace tacet::optimize {

/// |w - w*| <= |grad F(w)| / mu, without a constraint.
[[nodiscard]] double gradient_certificate(std::span<const double> gradient, double gradient_error,
                                          double strong_convexity);

/// On a ball around the origin: for every c >= 0, with r = |v + c w| and e = c |w| max(0, R - |w|),
/// |w - w*| <= (r + sqrt(r^2 + 4 mu e)) / (2 mu); the smaller of c = 0 and the c that makes v + c w
/// orthogonal to w. Proof: mu D^2 <= <v + c w, w - w*> - c <w, w - w*> <= r D + c |w| (R - |w|).
/// A point within rounding of the sphere, on either side, is moved onto it, where e = 0 exactly:
/// `smoothness` bounds what that does to the gradient.
struct BallProblem {
  double radius;
  double strong_convexity;
  double smoothness;
};
[[nodiscard]] double ball_certificate(std::span<const double> point,
                                      std::span<const double> gradient, double gradient_error,
                                      const BallProblem& problem);

/// On any domain: x+ = Proj(y - grad F(y) / M) has r = grad F(x+) - grad F(y) + M (y - x+) in
/// grad F(x+) + N(x+), so that |x+ - w*| <= |r| / mu. `step` is M; the rounding of the projection
/// counts M times.
struct ResidualStep {
  std::span<const double> from;           ///< y
  std::span<const double> from_gradient;  ///< grad F(y)
  std::span<const double> to;             ///< x+
  std::span<const double> to_gradient;    ///< grad F(x+)
  double gradient_error = 0;              ///< of both gradients together
  double step = 1;                        ///< M
};
[[nodiscard]] double residual_certificate(const Domain& domain, const ResidualStep& residual,
                                          double strong_convexity);

}  // namespace tacet::optimize
