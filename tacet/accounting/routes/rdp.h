#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "tacet/accounting/routes/language.h"
#include "tacet/base/progress.h"

/// Renyi differential privacy (Mironov 2017): bounds r(alpha) of the Renyi divergence of real order
/// alpha > 1 between the outputs on neighbours. Bounds of successive releases add, order by order.
/// All values are rounded up by a margin of 1e-12.
namespace tacet::accounting::rdp {

/// Rounding of the sums behind a bound stays under 1e-13; ten times that makes every bound safe.
inline constexpr double safety = 1e-12;

/// UsageError unless the order exceeds 1.
void check_order(double alpha);

/// Gaussian noise at distance over noise `mu`: alpha mu^2 / 2.
[[nodiscard]] double gaussian(double mu, double alpha);

/// Laplace noise of scale `scale` at distance 1 (Mironov 2017, proposition 6).
[[nodiscard]] double laplace(double scale, double alpha);

/// Discrete Laplace noise of scale `scale` at an integer distance of at least 1: the divergence of
/// both laws in closed form.
[[nodiscard]] double discrete_laplace(double scale, double distance, double alpha);

/// Any epsilon-DP mechanism: randomised response is the worst one.
[[nodiscard]] double pure(double epsilon, double alpha);

/// Any mechanism of bounded range epsilon: the worst two-point pair (Dong, Durfee, Rogers 2020),
/// never above alpha epsilon^2 / 8.
[[nodiscard]] double bounded_range(double epsilon, double alpha);

/// One draw of the exponential mechanism whose scores change little in L2 norm and support.
[[nodiscard]] double score_selection(const ScoreSelection& event, double alpha);

/// Gaussian noise (standard deviation `sigma` in units of the distance) on a Poisson sample of rate
/// q, one record more against one less; the opposite order is never larger (Mironov, Talwar, Zhang
/// 2019, theorem 5).
[[nodiscard]] double poisson_gaussian(double q, double sigma, double alpha);

using Curve = std::function<double(double)>;

/// Any mechanism with curve `base` (both orders) on a Poisson sample of rate q, both orders.
/// Evaluates `base` at the integers up to ceil(alpha).
[[nodiscard]] double poisson(double q, const Curve& base, double alpha);
/// Both orders of poisson() separately: the law with the record against the law without it, and the
/// opposite.
[[nodiscard]] double poisson_remove(double q, const Curve& base, double alpha);
[[nodiscard]] double poisson_add(double q, const Curve& base, double alpha);

/// Any mechanism with replace-one curve `base` and pure epsilon `base_limit` (may be infinite) on a
/// uniform subset of a fraction gamma (Wang, Balle, Kasiviswanathan 2019, theorem 9).
[[nodiscard]] double fixed_size(double gamma, const Curve& base, double base_limit, double alpha);

/// epsilon at delta of a mechanism with Renyi bound `value` at order alpha (Canonne, Kamath,
/// Steinke 2020, proposition 12).
[[nodiscard]] double to_epsilon(double alpha, double value, double delta);

struct Optimum {
  double epsilon;
  double alpha;
};

/// The smallest to_epsilon over real orders: a grid from 1.01 to 2^20, then golden sections.
/// Infinity for delta = 0.
[[nodiscard]] Optimum best_epsilon(const Curve& curve, Delta delta);

/// The smallest delta at epsilon over real orders, by the same proposition.
[[nodiscard]] double best_delta(const Curve& curve, double epsilon);

/// The curve of an event; nothing if no Renyi bound is proved for it under `adjacency`. `work`, if
/// given, counts the evaluations and must outlive the curve.
[[nodiscard]] std::optional<Curve> curve(const Event& event, Adjacency adjacency,
                                         WorkMeter* work = nullptr);

}  // namespace tacet::accounting::rdp

/// Renyi divergences of Poisson samples in which one record replaces another, in both orders at
/// once: each run mixes the law without the record (weight 1 - q) with a law with one (weight q).
/// docs/proofs/replaced_record.md, section 4.
namespace tacet::accounting::rdp {

/// Gaussian noise of standard deviation `sigma`, in units of the bound of one contribution. A
/// quadrature with a bound of its error; infinity if it would need too many points.
[[nodiscard]] double replaced_gaussian(double q, double sigma, double alpha);

/// Any mechanism that is epsilon-DP under add_remove.
[[nodiscard]] double replaced_pure(double q, double epsilon, double alpha);

/// Any mechanism with the add_remove curve `base` (both orders), by the triangle inequality through
/// the sample without the record (Mironov 2017, proposition 11).
[[nodiscard]] double replaced(double q, const Curve& base, double alpha);

}  // namespace tacet::accounting::rdp
