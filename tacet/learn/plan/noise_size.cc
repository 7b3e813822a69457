#include "tacet/learn/plan/noise_size.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tacet/accounting/accountant.h"
#include "tacet/accounting/routes/gaussian.h"
#include "tacet/accounting/stated_guarantee.h"
#include "tacet/base/error.h"
#include "tacet/optimize/sums/presence_sum.h"
#include "tacet/privacy/decimal.h"
#include "tacet/privacy/prg_share.h"

namespace tacet::learn {

privacy::Delta resolve_delta_left(const MethodPlan& plan, const CommonOptions& options,
                                  double delta, double prg_slack) {
  if (plan.first) return privacy::Delta(plan.first->delta_left);
  return privacy::delta_left({options.epsilon, delta, options.adjacency}, prg_slack);
}

void resolve_guarantee(MethodPlan& plan, const CommonOptions& options, double delta) {
  if (plan.first) {
    if (plan.prg_slack > plan.first->max_prg_slack) {
      throw base::InternalError("the PRG slack is above what was booked");
    }
    plan.guarantee = plan.first->guarantee;
    plan.prg_slack = plan.first->prg_slack;
    return;
  }
  plan.guarantee = accounting::stated_guarantee(
      plan.events, {options.epsilon, delta, options.adjacency}, plan.prg_slack);
}

privacy::Epsilon resolve_pure_epsilon(const CommonOptions& options) {
  return privacy::Epsilon(privacy::decimal_down(options.epsilon));
}

int norm_bits_for(double noise_multiplier) {
  constexpr int finest_bits = 30;
  constexpr int coarsest_bits = 14;
  const int bits =
      std::min(finest_bits, static_cast<int>(std::floor(32 - std::log2(noise_multiplier))));
  if (bits < coarsest_bits) {
    throw base::NumericError(
        "a noise multiplier of {:.4g} leaves fewer than 2^14 grid units for the clipping norm, too "
        "coarse to learn from; ask for fewer steps, a larger epsilon or a larger delta",
        noise_multiplier);
  }
  return bits;
}

void check_share_noise(ShareNoise kind, double multiplier, std::int64_t columns) {
  const double share = 0x1p19 + std::sqrt(static_cast<double>(columns)) + 1;
  const double max = kind == ShareNoise::gaussian ? 0x1p32 : 0x1p40;
  if (multiplier * share < max) return;
  throw base::NumericError(
      "noise of {:.4g} times what a record moves is wider than the sampler's grid, and nothing "
      "would be left of the model; ask for a larger epsilon or delta",
      multiplier);
}

void check_count_noise(double noise_multiplier, std::string_view what, std::string_view way_out) {
  constexpr double max = 0x1p32 / static_cast<double>(optimize::presence_norm) * (1 - 0x1p-40);
  if (noise_multiplier <= max) return;
  throw base::NumericError("noise of {:.4g} {} is wider than the sampler's grid; {}",
                           noise_multiplier, what, way_out);
}

double full_batch_noise(std::int64_t steps, privacy::Epsilon epsilon, privacy::Delta delta,
                        privacy::Adjacency adjacency) {
  // T steps are mu-GDP with mu = distance sqrt(T) / z.
  const double mu = accounting::gaussian::mu_for(epsilon, delta);
  double z = privacy::distance_factor(adjacency) * std::sqrt(static_cast<double>(steps)) / mu;
  if (!(z > 0) || !std::isfinite(z)) {
    throw base::GuaranteeError("no finite noise gives epsilon {} at delta {}; ask for more",
                               epsilon.value(), delta.value());
  }
  const auto cost = [&] {
    return accounting::epsilon(privacy::Repeated{steps, privacy::Gaussian{z}}, adjacency, delta);
  };
  while (cost() > epsilon.value()) z *= 1 + 4 * std::numeric_limits<double>::epsilon();
  return z;
}

}  // namespace tacet::learn
