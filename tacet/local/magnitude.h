#pragma once

/// How far a betting learner goes along its direction: the derivative of a wealth that is the mean
/// of exp(beta x - beta^2 y) over |beta| <= a (Jun, Orabona 2019, with the sign that their Lemma 1
/// needs). With P = a^2 y >= 0 and Q = a x
///
///     h(P, Q) = Int_0^1 r exp(-P r^2) sinh(Q r) dr,    f(P, Q) = Int_0^1 exp(-P r^2) cosh(Q r) dr
///
/// the wealth is W0 f and the magnitude W0 a h. The closed forms overflow or cancel in doubles; the
/// integrands are positive, so that Gauss-Legendre quadrature of their logarithm on the part of
/// [0, 1] that counts has condition number 1 for every P and Q.
namespace tacet::local {

/// ln |h(P, Q)|, relative error below 1e-14 where it is above 1 and absolute below 1e-13 elsewhere;
/// -infinity for Q = 0. The same bits on every machine.
[[nodiscard]] double log_abs_h(double p, double q);

/// ln f(P, Q), to the same accuracy; never below -P.
[[nodiscard]] double log_f(double p, double q);

/// W0 a h(a^2 y, a x), as its logarithm and its sign.
struct Magnitude {
  double log_size;  ///< -infinity for 0
  int sign;         ///< of x: -1, 0, 1

  /// May overflow to infinity; learners stop long before (banco.h).
  [[nodiscard]] double value() const;
};

/// A wealth: where bets began, and the sums that say how they went.
struct Wealth {
  double initial;      ///< W0 > 0, in units of loss
  double range;        ///< a > 0: betting fractions are at most this
  double gain = 0;     ///< x, the sum of the outcomes
  double penalty = 0;  ///< y, the sum of the certificates

  [[nodiscard]] Magnitude magnitude() const;
  /// ln W0 + ln f: what the learner is certain to have, in expectation.
  [[nodiscard]] double log_bound() const;
};

/// psi(v) = sup over x of v x - W0 f(a^2 y, a x), for v >= 0: what the theorem charges for a
/// comparator of norm v, beside W0.
struct Conjugate {
  double value;
  double gain;  ///< the x where it is attained
};
[[nodiscard]] Conjugate wealth_conjugate(const Wealth& wealth, double v);

}  // namespace tacet::local
