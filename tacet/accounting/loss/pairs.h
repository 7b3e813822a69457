#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pairs {

/// Masses of a set of outcomes under both laws of a pair, and log(p / q), which may be more precise
/// than the quotient of the masses, with its absolute error.
struct Masses {
  double p;
  double q;
  double log_ratio;
  double ratio_error = numeric::ulps(16);
};

constexpr Masses nothing{0, 0, 0, 0};

/// What stands at one loss.
struct Atom {
  double loss;
  double p;
  double q;
};

enum class Order {
  remove,  ///< P has the record
  add      ///< Q has the record
};

/// A pair of laws (P, Q) that dominates a mechanism in one order of the neighbours: every delta(e)
/// of the mechanism is at most sup_S P(S) - e^e Q(S), also after adaptive composition (Zhu, Dong,
/// Wang 2022). Described through its loss L = log dP/dQ. Masses are accurate to a relative error of
/// 32 units of rounding.
class Pair {
 public:
  virtual ~Pair() = default;
  /// Masses of {low < L <= high}; low = -infinity includes L = -infinity, high = infinity does not
  /// include L = infinity.
  [[nodiscard]] virtual Masses interval(double low, double high) const = 0;
  /// The masses of all intervals between neighbouring `edges` (ascending), without the atoms that
  /// lowest_atom, highest_atom and zero_atom name.
  virtual void fill(std::span<const double> edges, std::span<Masses> masses) const;
  /// What stands at the smallest and at the largest finite loss alone, p = 0 for nothing. A pair
  /// may leave its atoms to `fill` instead.
  [[nodiscard]] virtual Masses lowest_atom() const { return nothing; }
  [[nodiscard]] virtual Masses highest_atom() const { return nothing; }
  /// What stands at loss 0 alone, apart from those two.
  [[nodiscard]] virtual Masses zero_atom() const { return nothing; }
  /// P(L = infinity).
  [[nodiscard]] virtual double infinite_mass() const { return 0; }
  /// Smallest and largest finite loss, possibly infinite.
  [[nodiscard]] virtual double lowest() const = 0;
  [[nodiscard]] virtual double highest() const = 0;
  /// Whether losses around 0 are the most frequent ones and mirror each other, so that those of
  /// (-l, l) together tell nothing: P and Q give them the same mass.
  [[nodiscard]] virtual bool is_odd() const { return false; }
  /// A step such that all losses are the smallest one plus a multiple of it, or 0.
  [[nodiscard]] virtual double lattice() const { return 0; }
  /// All finite losses, ascending, of a pair that is a list of them; else nothing.
  [[nodiscard]] virtual std::span<const Atom> list() const { return {}; }
  /// A loss l with P(l < L < infinity) <= e^log_tail.
  [[nodiscard]] virtual double upper_quantile(double log_tail) const = 0;
  /// A loss l with P(L <= l) <= e^log_tail.
  [[nodiscard]] virtual double lower_quantile(double log_tail) const = 0;
  /// With P for a record that is there and Q for one that is not: the symmetric pair of a Poisson
  /// sample of rate q in (0, 1) in which one record replaces another (replaced_pair.h). Null for
  /// pairs that do not know it.
  [[nodiscard]] virtual std::unique_ptr<const Pair> replaced(double q) const;
  /// What poisson() and fixed_size() below make of it, where the pair knows that itself; else null.
  [[nodiscard]] virtual std::unique_ptr<const Pair> sampled(double q, Order order) const;
  [[nodiscard]] virtual std::unique_ptr<const Pair> subset(double gamma) const;
};

using PairPointer = std::unique_ptr<const Pair>;

/// N(mu, 1) against N(0, 1). Symmetric.
[[nodiscard]] PairPointer gaussian(double mu);

/// Laplace noise of scale `scale` at distance 1. Symmetric.
[[nodiscard]] PairPointer laplace(double scale);

/// Every mechanism of bounded range epsilon: losses spread over [-epsilon, epsilon] with density
/// e^{s/2} / (4 sinh(epsilon/2)) under P. Symmetric.
[[nodiscard]] PairPointer bounded_range(double epsilon);

/// Finitely many losses, ascending; `infinite_p` at L = infinity, `infinite_q` at L = -infinity.
[[nodiscard]] PairPointer finite(std::vector<Atom> atoms, double infinite_p, double infinite_q);

/// Randomised response at epsilon with a probability of delta to reveal everything: every
/// (epsilon, delta)-DP mechanism. Symmetric.
[[nodiscard]] PairPointer approximate(double epsilon, double delta);

struct Point {
  double epsilon;
  double delta;
};

/// Every mechanism that is (epsilon, delta)-DP in both orders for all listed points (ascending
/// epsilons >= 0, descending deltas): the largest convex profile below them. Symmetric.
[[nodiscard]] PairPointer profile(const std::vector<Point>& points);

/// Discrete Gaussian noise of parameter sigma on an integer moved by `shift`. Symmetric.
[[nodiscard]] PairPointer discrete_gaussian(double sigma, double shift);

/// Discrete Laplace noise on an integer moved by `shift` (at least 1). Symmetric, with shift + 1
/// losses; where those are very many, finitely many that dominate them.
struct DiscreteLaplacePair {
  PairPointer pair;
  bool exact;
};
[[nodiscard]] DiscreteLaplacePair discrete_laplace(double scale, double shift);

/// A symmetric base pair on a Poisson sample of rate q in (0, 1).
[[nodiscard]] PairPointer poisson(PairPointer base, double q, Order order);

/// A symmetric base pair (of the replace-one kind) on a uniform subset of a fraction gamma in
/// (0, 1): one symmetric pair for both orders (Balle, Barthe, Gaboardi 2018; Zhu, Dong, Wang 2022).
[[nodiscard]] PairPointer fixed_size(PairPointer base, double gamma);

}  // namespace tacet::accounting::pairs
