#pragma once

#include <array>
#include <vector>

#include "tacet/accounting/accountant.h"

/// What a guarantee means for somebody who tests who took part.
namespace tacet::report {

struct CertifiedPoint {
  double delta;
  accounting::PrivacyInterval epsilon;
  double prg_share = 0;  ///< what noise from the cipher adds to delta, at the upper epsilon
};

/// epsilon against delta, at the deltas of the curve of an accounting, from 0 on, and behind them
/// at larger deltas, which decide what tests of moderate error can find.
struct CertifiedCurve {
  std::vector<CertifiedPoint> points;

  [[nodiscard]] bool empty() const { return points.empty(); }
};

/// Deltas of the curve that is shown: 0, then 1e-12 to 1e-2.
inline constexpr std::array<double, 12> curve_deltas{0,    1e-12, 1e-11, 1e-10, 1e-9, 1e-8,
                                                     1e-7, 1e-6,  1e-5,  1e-4,  1e-3, 1e-2};

/// Errors as accounting::epsilon_interval. `prg_slack` is that of all receipts.
[[nodiscard]] CertifiedCurve certified_curve(const privacy::Event& event,
                                             privacy::Adjacency adjacency, double prg_slack,
                                             base::WorkMeter& work);

/// A test guesses from the results which one of two neighbouring data sets was used. This is the
/// largest true positive rate that any test can have at the false positive rate a. Each (epsilon,
/// delta) of the curve gives the bounds e^epsilon a + delta and 1 - e^-epsilon (1 - delta - a)
/// (Kairouz, Oh, Viswanath 2015, theorem 2.1), and the smallest bound counts. Rounded up.
[[nodiscard]] double largest_true_positive_rate(const CertifiedCurve& curve,
                                                double false_positive_rate);

/// The share of those who really took part among those whom a test points at, for a prior share, a
/// false positive rate and a true positive rate (Bayes). It is largest for the largest true
/// positive rate.
[[nodiscard]] double share_after_positive(double prior, double false_positive_rate,
                                          double true_positive_rate);

inline constexpr std::array<double, 3> false_positive_rates{0.001, 0.01, 0.05};
inline constexpr std::array<double, 3> priors{0.01, 0.1, 0.5};

}  // namespace tacet::report
