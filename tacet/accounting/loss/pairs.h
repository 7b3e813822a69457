#pragma once

#include <cstdint>
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

/// The masses at one loss.
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
  /// The masses at the smallest and at the largest finite loss, p = 0 for none. A pair may leave
  /// its atoms to `fill` instead.
  [[nodiscard]] virtual Masses lowest_atom() const { return nothing; }
  [[nodiscard]] virtual Masses highest_atom() const { return nothing; }
  /// The masses at loss 0, if they are in neither of those two.
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

/// A pair that dominates each of the given ones, of one order of the neighbours: its profile is the
/// largest of theirs at every epsilon, up to chords between some thousand points. What disjoint
/// blocks cost where they occur beside other releases. docs/proofs/accountant.md, section 11.
[[nodiscard]] PairPointer worst(std::span<const PairPointer> parts);

}  // namespace tacet::accounting::pairs

/// A Poisson sample of rate q in (0, 1) in which one record is replaced by another: both runs mix,
/// with weights 1 - q and q, the law without the record and one with it. Each pair here dominates
/// both orders at once, for contributions of any length up to the bound, any angle and any
/// dimension, and for rates of single records up to q. docs/proofs/replaced_record.md.
namespace tacet::accounting::pairs {

/// Gaussian noise, `mu` the bound of one contribution over the noise:
/// (1-q) N(0, 1) + q N(mu, 1) against (1-q) N(0, 1) + q N(-mu, 1). Two data sets meet it.
[[nodiscard]] PairPointer replaced_gaussian(double mu, double q);

/// Laplace noise on contributions of L1 norm at most `epsilon` times its scale:
/// (1-q) Lap(0) + q Lap(epsilon) against (1-q) Lap(0) + q Lap(-epsilon). Two data sets meet it.
[[nodiscard]] PairPointer replaced_laplace(double epsilon, double q);

/// A base known by finitely many losses of a sample with the record (P) over one without it (Q):
/// the pair on [0, 1] with densities 1 - q + q G'(t) and 1 - q + q G'(1 - t), G(t) the largest
/// P(S) with Q(S) <= t. For noise with half lines as best tests, two data sets meet it.
[[nodiscard]] PairPointer replaced_list(std::span<const Atom> base, double infinite_p,
                                        double infinite_q, double q);

}  // namespace tacet::accounting::pairs

/// Gaussian noise on a Poisson sample of a unit's records: pairs of laws that mix what j of its k
/// records move, with the binomial probabilities of j. docs/proofs/sampled_units.md.
namespace tacet::accounting::pairs {

/// How a unit's records join a sample, and how far they move the noise's mean.
struct SampledUnit {
  double mu;    ///< of all k records together, in standard deviations of the noise; above 0
  double rate;  ///< of each record, in (0, 1)
  std::int64_t records;  ///< k, at least 1; each record moves the mean by at most mu / k
};

/// sum_j Bin(k, q)(j) N(j mu / k, 1) against N(0, 1), or the other way round: a unit more or less.
[[nodiscard]] PairPointer binomial_gaussian(const SampledUnit& unit, Order order);

/// The same mixture against its mirror image: a unit that replaces another one. Symmetric.
[[nodiscard]] PairPointer replaced_binomial_gaussian(const SampledUnit& unit);

/// Whether these are the laws themselves. Where more than about a hundred numbers of records are
/// likely, neighbouring ones count as the largest of them, which dominates.
[[nodiscard]] bool is_exact(const SampledUnit& unit);

}  // namespace tacet::accounting::pairs
