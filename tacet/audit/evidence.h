#pragma once

#include <cstdint>
#include <vector>

#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"

/// What counts of outcomes on two neighbouring data sets prove about a claim. Everything here is
/// exact: no normal approximation, and every level is of the whole statement. A claim is only ever
/// compared with the upper end of an interval of the accountant (docs/explanations/audits.md).
namespace tacet::audit {

/// Exact (Clopper, Pearson 1934) bounds of a binomial proportion, each one-sided at `level`.
[[nodiscard]] double binomial_lower_bound(std::int64_t successes, std::int64_t trials,
                                          double level);
[[nodiscard]] double binomial_upper_bound(std::int64_t successes, std::int64_t trials,
                                          double level);

/// How often something was seen in independent runs.
struct Seen {
  std::int64_t times;
  std::int64_t runs;
  [[nodiscard]] Seen complement() const { return {runs - times, runs}; }
};

/// The largest epsilon that is refuted at `delta` by an event that is seen often on one data set
/// and seldom on its neighbour: ln((p - delta) / q) with a lower bound of p and an upper one of q,
/// each at `level`. 0 where nothing is refuted.
[[nodiscard]] double epsilon_refuted(const Seen& often, const Seen& seldom, double delta,
                                     double level);

/// The same for an audit that looks both ways: `first` of each pair is what was seen on one data
/// set, `second` on the other. It takes four bounds, so that each is at a quarter of `level`: at
/// half of it, as for one direction, they would fail nearly twice as often as is said.
struct TwoWays {
  Seen one_up, other_up;      ///< an event that is meant to be seen more on one
  Seen one_down, other_down;  ///< an event that is meant to be seen more on the other
};
[[nodiscard]] double epsilon_refuted(const TwoWays& seen, double delta, double level);

/// Both directions as one statement: the mean of what is seen often is at most e^epsilon times the
/// mean of what is seen seldom, plus delta. Twice as many runs stand behind each of its two bounds,
/// which are at half of `level`. Runs of different probabilities are counted together; that spreads
/// less than a binomial of their mean, so that Clopper and Pearson's bounds hold (Hoeffding 1956,
/// theorem 4). The better one where both directions show about the same.
[[nodiscard]] double epsilon_refuted_together(const TwoWays& seen, double delta, double level);

/// Errors of a test that says on which of two data sets a run was.
struct Errors {
  Seen alarms;  ///< runs on the first that were taken for the second
  Seen misses;  ///< runs on the second that were taken for the first
};

/// The largest mu such that mu-Gaussian privacy is refuted at `level` (Nasr and others 2023): both
/// rates are bounded from above at half of it. Only for outcomes whose laws are Gaussian of one
/// covariance; else refuted mu say nothing of epsilon.
[[nodiscard]] double mu_refuted(const Errors& errors, double level);

/// What an event promises about tests: no test has less than f(a) misses with at most a false
/// alarms. By the accountant's upper delta at many epsilons, so that it lies on or below the true
/// curve: what is below it is below the event's own. For sampled and composed runs, where no mu
/// says all there is.
class TradeOff {
 public:
  /// With lines up to one and a half times the epsilon `scale`, that of the claim at its delta say.
  /// GuaranteeError where the event has no proof under this adjacency.
  TradeOff(const privacy::Event& event, privacy::Adjacency adjacency, double scale);
  /// The trade-off function of a single claim.
  explicit TradeOff(const privacy::Guarantee& claim);

  /// f(alarms), for 0 <= alarms <= 1.
  [[nodiscard]] double misses(double alarms) const;
  /// Whether upper bounds of both rates, each at half of `level`, lie below the curve.
  [[nodiscard]] bool violated(const Errors& errors, double level) const;

 private:
  struct Line {
    double epsilon;
    double delta;
  };
  std::vector<Line> lines_;
};

/// 10^exponent.
[[nodiscard]] double level_of(double exponent);

/// The least level at which `refuted(level)` is true: the p-value of the claim that it refutes.
/// `refuted` must stay true as levels grow. 1 where it never is.
template <typename Refuted>
[[nodiscard]] double p_value(const Refuted& refuted) {
  constexpr double min = 1e-100;
  if (refuted(min)) return min;
  double low = -100;
  double high = 0;
  if (!refuted(0.999999)) return 1;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (refuted(level_of(middle)) ? high : low) = middle;
  }
  return level_of(high);
}

}  // namespace tacet::audit
