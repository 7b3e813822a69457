#include "tacet/privacy/cipher_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tacet/base/error.h"

namespace tacet::privacy {
namespace {

/// How often at least an event draws noise. Tuned runs may all be left out.
double draws(const Event& event) {
  const auto sum = [](const std::vector<Event>& parts) {
    return std::accumulate(parts.begin(), parts.end(), 0.0,
                           [](double total, const auto& part) { return total + draws(part); });
  };
  if (const auto* repeated = event.as<Repeated>()) {
    return static_cast<double>(repeated->count) * draws(*repeated->base);
  }
  if (const auto* composed = event.as<Composed>()) return sum(composed->parts);
  if (const auto* blocks = event.as<Partitioned>()) return sum(blocks->parts);
  if (const auto* sampled = event.as<PoissonSampled>()) return draws(*sampled->base);
  if (const auto* sampled = event.as<FixedSizeSampled>()) return draws(*sampled->base);
  if (const auto* stated = event.as<PureDp>()) return stated->epsilon > 0 ? 1 : 0;
  if (const auto* stated = event.as<BoundedRange>()) return stated->epsilon > 0 ? 1 : 0;
  if (const auto* stated = event.as<ApproximateDp>()) {
    return stated->epsilon > 0 || stated->delta > 0 ? 1 : 0;
  }
  if (event.as<ObjectivePerturbation>() != nullptr) return 2;
  const bool noise = event.as<Gaussian>() != nullptr || event.as<Laplace>() != nullptr ||
                     event.as<DiscreteGaussian>() != nullptr ||
                     event.as<DiscreteLaplace>() != nullptr;
  return noise ? 1 : 0;
}

}  // namespace

double least_cipher_term(const Event& events) {
  constexpr double rounding = 1 - 1e-9;
  const double least = std::ldexp(draws(events), -129) * rounding;
  return std::max(least, std::numeric_limits<double>::denorm_min());
}

double cipher_share(double epsilon, double cipher_term) {
  if (cipher_term == 0) return 0;
  // exp is good to a few units in the last place; the other operations to half of one each.
  const double factor = (1 + std::exp(epsilon)) * (1 + 1e-15);
  return std::min(1.0, std::nextafter(factor * cipher_term, HUGE_VAL));
}

Delta delta_left(const Guarantee& stated, double cipher_term) {
  const double share = cipher_share(stated.epsilon, cipher_term);
  if (stated.delta == 0) {
    if (share <= most_share_of_pure) return Delta(0);
    throw base::GuaranteeError(fmt::format(
        "noise from the cipher adds {:.3g} to delta 0 at epsilon {:g} ((1 + e^epsilon) times its "
        "term {:.3g}), more than the {:g} beside which a guarantee is stated as pure; ask for a "
        "smaller epsilon, or for a delta above 0",
        share, stated.epsilon, cipher_term, most_share_of_pure));
  }
  if (share == 0) return Delta(stated.delta);
  const double left = std::nextafter(stated.delta - share, 0.0);
  if (share < stated.delta && left > 0) return Delta(left);
  throw base::GuaranteeError(fmt::format(
      "delta {:g} at epsilon {:g} leaves nothing for the mechanisms: noise from the cipher takes "
      "{:.3g} of it, (1 + e^epsilon) times its term {:.3g}; ask for a larger delta or a smaller "
      "epsilon",
      stated.delta, stated.epsilon, share, cipher_term));
}

}  // namespace tacet::privacy
