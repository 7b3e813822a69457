#include "tacet/accounting/loss/single_use.h"

#include <algorithm>
#include <cmath>

#include "tacet/accounting/loss/discretize.h"
#include "tacet/accounting/loss/monotone_root.h"
#include "tacet/numeric/rounding.h"

namespace tacet::accounting::pld {

using numeric::infinity;

std::optional<Ends> single_log_delta(const pairs::Pair& pair, double eps) {
  // Rounding must not lose an atom at the largest loss.
  const double rounding = numeric::ulps(8) * (1 + std::fabs(eps));
  const bool at_the_end = std::fabs(eps - pair.highest()) < rounding;
  const auto m = pair.interval(at_the_end ? eps - rounding : eps, infinity);
  const double infinite = pair.infinite_mass();
  if (m.p == 0) {
    return Ends{std::log(infinite) - numeric::ulps(16), std::log(infinite) + numeric::ulps(16)};
  }
  // Smaller numbers are denormal and lose their relative precision.
  constexpr double smallest = 1e-290;
  if (m.p < smallest || !std::isfinite(m.log_ratio)) return std::nullopt;
  // delta = P(S) - e^eps Q(S) for S = {L > eps}, which is the largest over all sets S (Balle, Wang
  // 2018, theorem 5). If rounding moves the boundary of S, the value falls by the square of the
  // rounding only.
  const double error = m.ratio_error +
                       numeric::ulps(4) * (std::fabs(eps) + std::fabs(m.log_ratio)) +
                       (at_the_end ? 2 * rounding : 0);
  const double gap = m.log_ratio - eps;
  const auto finite = [&](double x) { return x > 0 ? -m.p * std::expm1(-x) : 0; };
  const double slack = mass_slack;
  return Ends{std::log(finite(gap - error) + infinite) - slack,
              std::log(finite(std::max(gap, 0.0) + error) + infinite) + slack};
}

std::optional<Ends> single_epsilon(const pairs::Pair& pair, double log_delta) {
  if (std::log(pair.infinite_mass()) >= log_delta - 1e-9) return std::nullopt;
  bool exact = true;
  const auto at = [&](double eps) {
    const auto found = single_log_delta(pair, eps);
    exact = exact && found;
    return found.value_or(Ends{0, 0});
  };
  constexpr double accuracy = 1e-12;
  const auto at_zero = at(0);
  const double start = std::isfinite(pair.highest()) ? 0.5 * pair.highest() : 1;
  Ends ends{0, 0};
  if (at_zero.upper > log_delta) {
    ends.upper = solve_decreasing([&](double e) { return at(e).upper; },
                                  {start, -1, log_delta, Side::above, accuracy});
  }
  if (!std::isfinite(ends.upper)) return std::nullopt;
  if (at_zero.lower >= log_delta) {
    ends.lower = solve_decreasing([&](double e) { return at(e).lower; },
                                  {ends.upper, -1, log_delta, Side::below, accuracy});
  }
  if (!exact) return std::nullopt;
  return ends;
}

namespace {

/// The two ends of value(pair). The lower end comes from the pair `below`, if there is one.
template <typename Value>
std::optional<Ends> ends_of(const Component& component, const Value& value) {
  auto ends = value(*component.pair);
  if (!ends || !component.below) return ends;
  const auto below = value(*component.below);
  if (!below) return std::nullopt;
  ends->lower = below->lower;
  return ends;
}

}  // namespace

std::optional<Ends> single_log_delta(const Component& component, double eps) {
  return ends_of(component, [eps](const pairs::Pair& pair) { return single_log_delta(pair, eps); });
}

std::optional<Ends> single_epsilon(const Component& component, double log_delta) {
  return ends_of(component,
                 [&](const pairs::Pair& pair) { return single_epsilon(pair, log_delta); });
}

}  // namespace tacet::accounting::pld
