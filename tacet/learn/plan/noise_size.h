#pragma once

#include <cstdint>
#include <string_view>

#include "tacet/learn/plan/training.h"
#include "tacet/privacy/guarantee.h"

/// The last steps of every plan: the delta that is left for the noise, the noise of a release on
/// all records, whether the noise fits its grid, and the resulting guarantee.
namespace tacet::learn {

/// The delta that the PRG slack leaves for the noise at the epsilon asked for
/// (privacy/prg_share.h). Ask for it before anything is booked. GuaranteeError if nothing is left.
[[nodiscard]] privacy::Delta resolve_delta_left(const MethodPlan& plan,
                                                const CommonOptions& options, double delta,
                                                double prg_slack);

/// The guarantee of the plan's events, calibrated at resolve_delta_left of its PRG slack.
void resolve_guarantee(MethodPlan& plan, const CommonOptions& options, double delta);

/// The epsilon for which a pure mechanism is made: the largest double that the decimal asked for
/// allows (privacy/decimal.h). So ten runs at 0.1 are 1.
[[nodiscard]] privacy::Epsilon resolve_pure_epsilon(const CommonOptions& options);

/// The clipping norm as a power of two of grid units: 2^min(30, floor(32 - log2(z))). NumericError
/// when that falls below 2^14, too coarse to learn from.
[[nodiscard]] int norm_bits_for(double noise_multiplier);

/// For a minimiser that is released on the grid of its solver, where a record's share is at most
/// 2^19 units and half a diagonal. NumericError if noise of `multiplier` shares would be wider than
/// the sampler's 2^32 units (Gaussian) or 2^40 (Laplace). Call it before anything is booked.
enum class ShareNoise { gaussian, laplace };
void check_share_noise(ShareNoise kind, double multiplier, std::int64_t columns);

/// For counts of columns, words or ids (optimize/sums/presence_sum.h): NumericError if the noise is
/// wider than the sampler's grid. `what` says in the message what the noise is a multiple of; the
/// other text says what to do.
void check_count_noise(double noise_multiplier, std::string_view what, std::string_view way_out);

/// The noise multiplier at which T releases on all records are (epsilon, delta)-DP, exactly (Dong,
/// Roth, Su 2019), rounded up until the accountant agrees. GuaranteeError if no finite multiplier
/// suffices.
[[nodiscard]] double full_batch_noise(std::int64_t steps, privacy::Epsilon epsilon,
                                      privacy::Delta delta, privacy::Adjacency adjacency);

}  // namespace tacet::learn
