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
  /// lowest_atom(), highest_atom() and zero_atom() return.
  virtual void fill(std::span<const double> edges, std::span<Masses> masses) const;
  /// The masses at the smallest and at the largest finite loss; p = 0 if there is none. A pair may
  /// leave its atoms to fill() instead.
  [[nodiscard]] virtual Masses lowest_atom() const { return nothing; }
  [[nodiscard]] virtual Masses highest_atom() const { return nothing; }
  /// The masses at loss 0, unless one of those two includes them.
  [[nodiscard]] virtual Masses zero_atom() const { return nothing; }
  /// P(L = infinity).
  [[nodiscard]] virtual double infinite_mass() const { return 0; }
  /// Smallest and largest finite loss, possibly infinite.
  [[nodiscard]] virtual double lowest() const = 0;
  [[nodiscard]] virtual double highest() const = 0;
  /// Whether losses around 0 are the most frequent ones and mirror each other. Then P and Q give
  /// the same mass to the losses in (-l, l), which together reveal nothing.
  [[nodiscard]] virtual bool is_odd() const { return false; }
  /// A step such that every loss is the smallest one plus a multiple of the step; 0 if there is
  /// none.
  [[nodiscard]] virtual double lattice() const { return 0; }
  /// All finite losses, ascending, if the pair is a list of losses; else empty.
  [[nodiscard]] virtual std::span<const Atom> list() const { return {}; }
  /// A loss l with P(l < L < infinity) <= e^log_tail.
  [[nodiscard]] virtual double upper_quantile(double log_tail) const = 0;
  /// A loss l with P(L <= l) <= e^log_tail.
  [[nodiscard]] virtual double lower_quantile(double log_tail) const = 0;
  /// This pair compares a record (P) with none (Q). Returns the symmetric pair of a Poisson sample
  /// of rate q in (0, 1) in which one record replaces another (replaced_pair.h); null if this pair
  /// has no such form.
  [[nodiscard]] virtual std::unique_ptr<const Pair> replaced(double q) const;
  /// The pair of a sample, if this pair computes it itself; else null, and poisson() and
  /// fixed_size() below do.
  [[nodiscard]] virtual std::unique_ptr<const Pair> sampled(double q, Order order) const;
  [[nodiscard]] virtual std::unique_ptr<const Pair> subset(double gamma) const;
};

using PairPointer = std::unique_ptr<const Pair>;

/// N(mu, 1) against N(0, 1). Symmetric.
[[nodiscard]] PairPointer gaussian(double mu);

/// Laplace noise of scale `scale` at distance 1. Symmetric.
[[nodiscard]] PairPointer laplace(double scale);

/// Every mechanism of bounded range epsilon. The losses in [-epsilon, epsilon] have density e^{s/2}
/// / (4 sinh(epsilon/2)) under P. Symmetric.
[[nodiscard]] PairPointer bounded_range(double epsilon);

/// A list of losses, ascending; `infinite_p` is the mass of P at L = infinity, `infinite_q` that of
/// Q at L = -infinity.
[[nodiscard]] PairPointer finite(std::vector<Atom> atoms, double infinite_p, double infinite_q);

/// Randomised response at epsilon that reveals everything with probability delta: it dominates
/// every (epsilon, delta)-DP mechanism. Symmetric.
[[nodiscard]] PairPointer approximate(double epsilon, double delta);

struct Point {
  double epsilon;
  double delta;
};

/// Every mechanism that is (epsilon, delta)-DP in both orders for all listed points (epsilons >= 0
/// ascending, deltas descending). Its profile is the largest convex one through or below them.
/// Symmetric.
[[nodiscard]] PairPointer profile(const std::vector<Point>& points);

/// Discrete Gaussian noise of parameter sigma on an integer moved by `shift`. Symmetric.
[[nodiscard]] PairPointer discrete_gaussian(double sigma, double shift);

/// Discrete Laplace noise on an integer moved by `shift` (at least 1). Symmetric, with shift + 1
/// losses. If these are too many, a shorter list that dominates them.
struct DiscreteLaplacePair {
  PairPointer pair;
  bool exact;
};
[[nodiscard]] DiscreteLaplacePair discrete_laplace(double scale, double shift);

/// A symmetric base pair read on a Poisson sample of rate q in (0, 1).
[[nodiscard]] PairPointer poisson(PairPointer base, double q, Order order);

/// A symmetric base pair (of the replace-one kind) on a uniform subset of a fraction gamma in
/// (0, 1): one symmetric pair for both orders (Balle, Barthe, Gaboardi 2018; Zhu, Dong, Wang 2022).
[[nodiscard]] PairPointer fixed_size(PairPointer base, double gamma);

/// A pair that dominates each of the given ones, of one order of the neighbours: its profile is the
/// largest of theirs at every epsilon, up to chords between some thousand points. Disjoint blocks
/// beside other releases need it. docs/proofs/accountant.md, section 11.
[[nodiscard]] PairPointer worst(std::span<const PairPointer> parts);

}  // namespace tacet::accounting::pairs

/// A Poisson sample of rate q in (0, 1) in which one record is replaced by another: both runs mix
/// the law without the record (weight 1 - q) with a law with a record (weight q). Each pair here
/// dominates both orders at once, for contributions of any length up to the bound, any angle and
/// any dimension, and for rates of single records up to q. docs/proofs/replaced_record.md.
namespace tacet::accounting::pairs {

/// Gaussian noise; `mu` is the bound of one contribution over the standard deviation: (1-q) N(0, 1)
/// + q N(mu, 1) against (1-q) N(0, 1) + q N(-mu, 1). Two data sets attain it.
[[nodiscard]] PairPointer replaced_gaussian(double mu, double q);

/// Laplace noise on contributions of L1 norm at most `epsilon` times its scale: (1-q) Lap(0) + q
/// Lap(epsilon) against (1-q) Lap(0) + q Lap(-epsilon). Two data sets attain it.
[[nodiscard]] PairPointer replaced_laplace(double epsilon, double q);

/// A base that is a list of losses of a sample with the record (P) over one without it (Q). The
/// pair lives on [0, 1] with densities 1 - q + q G'(t) and 1 - q + q G'(1 - t), where G(t) is the
/// largest P(S) with Q(S) <= t. Two data sets attain it for noise whose best tests are half lines.
[[nodiscard]] PairPointer replaced_list(std::span<const Atom> base, double infinite_p,
                                        double infinite_q, double q);

}  // namespace tacet::accounting::pairs

/// Gaussian noise on a Poisson sample of a unit's records: pairs of laws that mix what j of its k
/// records move, with the binomial probabilities of j. docs/proofs/sampled_units.md.
namespace tacet::accounting::pairs {

/// How the records of a unit join a sample, and how far they move the mean of the noise.
struct SampledUnit {
  double mu;    ///< of all k records together, in standard deviations of the noise; above 0
  double rate;  ///< probability of each record, in (0, 1)
  std::int64_t records;  ///< k, at least 1; each record moves the mean by at most mu / k
};

/// One unit more or less: sum_j Bin(k, q)(j) N(j mu / k, 1) against N(0, 1), or the other way
/// round.
[[nodiscard]] PairPointer binomial_gaussian(const SampledUnit& unit, Order order);

/// A unit that replaces another one: the same mixture against its mirror image. Symmetric.
[[nodiscard]] PairPointer replaced_binomial_gaussian(const SampledUnit& unit);

/// Whether these are the exact laws. If more than about a hundred numbers of records are likely,
/// neighbouring numbers count as the largest of them, which dominates.
[[nodiscard]] bool is_exact(const SampledUnit& unit);

}  // namespace tacet::accounting::pairs
