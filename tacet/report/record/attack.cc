#include "tacet/report/record/attack.h"

#include <algorithm>
#include <cmath>

#include "tacet/privacy/prg_share.h"

namespace tacet::report {
namespace {

// Beyond those that are shown: a test that errs in one of twenty is bounded best by a delta of
// about as much.
constexpr std::array<double, 6> larger_deltas{0.02, 0.05, 0.1, 0.2, 0.35, 0.5};
// Above what rounding of a product of exponentials leaves.
constexpr double rounding = 1e-12;

}  // namespace

CertifiedCurve certified_curve(const privacy::Event& event, privacy::Adjacency adjacency,
                               double prg_slack, base::WorkMeter& work) {
  CertifiedCurve curve;
  const auto add = [&](double delta) {
    const auto interval = accounting::epsilon_interval(event, adjacency, privacy::Delta(delta),
                                                       {.attained = true, .work = &work});
    const double share =
        std::isinf(interval.upper) ? 1 : privacy::prg_share(interval.upper, prg_slack);
    curve.points.push_back({delta, interval, share});
  };
  for (const double delta : curve_deltas) add(delta);
  for (const double delta : larger_deltas) add(delta);
  return curve;
}

double largest_true_positive_rate(const CertifiedCurve& curve, double false_positive_rate) {
  double rate = 1;
  for (const auto& point : curve.points) {
    const double epsilon = point.epsilon.upper;
    const double delta = point.delta + point.prg_share;
    if (std::isinf(epsilon) || delta >= 1) continue;
    rate = std::min(rate, std::exp(epsilon) * false_positive_rate + delta);
    rate = std::min(rate, 1 - std::exp(-epsilon) * (1 - delta - false_positive_rate));
  }
  return std::clamp(rate * (1 + rounding), 0.0, 1.0);
}

double share_after_positive(double prior, double false_positive_rate, double true_positive_rate) {
  const double found = prior * true_positive_rate;
  const double wrong = (1 - prior) * false_positive_rate;
  return found + wrong > 0 ? found / (found + wrong) : 0;
}

}  // namespace tacet::report
