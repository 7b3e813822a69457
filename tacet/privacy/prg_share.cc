#include "tacet/privacy/prg_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tacet/privacy/event_tree.h"

namespace tacet::privacy {
namespace {

/// The number of noise draws of a release that contains no other.
struct BlockDraws {
  double operator()(const PureDp& e) const { return e.epsilon > 0 ? 1 : 0; }
  double operator()(const BoundedRange& e) const { return e.epsilon > 0 ? 1 : 0; }
  double operator()(const ApproximateDp& e) const { return e.epsilon > 0 || e.delta > 0 ? 1 : 0; }
  double operator()(const ObjectivePerturbation& /*minimum and output*/) const { return 2; }
  double operator()(const Gaussian&) const { return 1; }
  double operator()(const Laplace&) const { return 1; }
  double operator()(const DiscreteGaussian&) const { return 1; }
  double operator()(const DiscreteLaplace&) const { return 1; }
  template <typename Other>
  double operator()(const Other&) const {
    return 0;
  }
};

/// The smallest number of noise draws that an event can make. Tuned runs count 0, since all of them
/// may be left out.
double draws(const Event& events) {
  return fold<double>(events, [](const Event& event, std::span<const double> inside) {
    if (event.as<RandomlyRepeated>() != nullptr) return 0.0;
    if (inside.empty()) return std::visit(BlockDraws{}, event.node());
    const double sum = std::accumulate(inside.begin(), inside.end(), 0.0);
    const auto* repeated = event.as<Repeated>();
    return repeated != nullptr ? static_cast<double>(repeated->count) * sum : sum;
  });
}

/// The largest epsilon with two decimals at which the share is at most `room`; 0 if there is none.
double epsilon_within(double room, double prg_slack_of) {
  const double max = std::log(room / prg_slack_of - 1);
  return max > 0 ? std::floor(100 * max * (1 - 1e-12)) / 100 : 0;  // false for a NaN too
}

}  // namespace

double min_prg_slack(const Event& events) {
  constexpr double rounding = 1 - 1e-9;
  const double min = std::ldexp(draws(events), -129) * rounding;
  return std::max(min, std::numeric_limits<double>::denorm_min());
}

double prg_share(double epsilon, double prg_slack_of) {
  if (prg_slack_of == 0) return 0;
  // exp is good to a few units in the last place; the other operations to half of one each.
  const double factor = (1 + std::exp(epsilon)) * (1 + 1e-15);
  return std::min(1.0, std::nextafter(factor * prg_slack_of, HUGE_VAL));
}

Delta delta_left(const Guarantee& stated, double prg_slack_of) {
  const double share = prg_share(stated.epsilon, prg_slack_of);
  if (stated.delta == 0) {
    if (share <= max_share_of_pure) return Delta(0);
    throw PrgShareError(
        fmt::format("noise from the cipher adds {:.3g} to delta 0 at epsilon {:g} ((1 + e^epsilon) "
                    "times its term {:.3g}), more than the {:g} beside which a guarantee is stated "
                    "as pure; ask for a smaller epsilon, or for a delta above 0",
                    share, stated.epsilon, prg_slack_of, max_share_of_pure),
        epsilon_within(max_share_of_pure, prg_slack_of));
  }
  if (share == 0) return Delta(stated.delta);
  const double left = std::nextafter(stated.delta - share, 0.0);
  if (share < stated.delta && left > 0) return Delta(left);
  throw PrgShareError(
      fmt::format("delta {:g} at epsilon {:g} leaves nothing for the mechanisms: noise from the "
                  "cipher takes {:.3g} of it, (1 + e^epsilon) times its term {:.3g}; ask for a "
                  "larger delta or a smaller epsilon",
                  stated.delta, stated.epsilon, share, prg_slack_of),
      epsilon_within(stated.delta / 2, prg_slack_of));
}

}  // namespace tacet::privacy
