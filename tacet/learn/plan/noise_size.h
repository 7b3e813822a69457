#pragma once

#include <cstdint>
#include <string_view>

#include "tacet/learn/plan/training.h"
#include "tacet/privacy/guarantee.h"

/// The last steps of every plan: what is left of delta for the noise, how much noise a release on
/// all records needs, whether the grids it is drawn on have room, and the guarantee that follows.
namespace tacet::learn {

/// What is left of delta for the noise that a method calibrates, beside the PRG slack, at the
/// epsilon asked for (privacy/prg_share.h); to be asked before anything is booked.
/// GuaranteeError when nothing is left.
[[nodiscard]] privacy::Delta resolve_delta_left(const MethodPlan& plan,
                                                const CommonOptions& options, double delta,
                                                double prg_slack);

/// The guarantee of the plan's events, calibrated at resolve_delta_left of its PRG slack.
void resolve_guarantee(MethodPlan& plan, const CommonOptions& options, double delta);

/// What a pure mechanism is made for: the most that the decimal which was asked for allows
/// (privacy/decimal.h), so that ten runs at 0.1 are 1.
[[nodiscard]] privacy::Epsilon resolve_pure_epsilon(const CommonOptions& options);

/// The clipping norm as a power of two of grid units: 2^min(30, floor(32 - log2(z))). NumericError
/// when that falls below 2^14, too coarse to learn from.
[[nodiscard]] int norm_bits_for(double noise_multiplier);

/// For a minimiser released on the grid of its solver, where a record's share is at most 2^19 units
/// and half a diagonal: NumericError when noise of `multiplier` shares would be wider than the
/// sampler's 2^32 units (Gaussian) or 2^40 (Laplace). To be asked before anything is booked.
enum class ShareNoise { gaussian, laplace };
void check_share_noise(ShareNoise kind, double multiplier, std::int64_t columns);

/// For counts of columns, words or ids (optimize/sums/presence_sum.h): NumericError when the noise
/// is wider than the sampler's grid. `what` the noise is times, and the way out.
void check_count_noise(double noise_multiplier, std::string_view what, std::string_view way_out);

/// The noise multiplier at which T releases on all records are (epsilon, delta)-DP, exactly (Dong,
/// Roth, Su 2019), rounded up until the accountant agrees. GuaranteeError when no finite one does.
[[nodiscard]] double full_batch_noise(std::int64_t steps, privacy::Epsilon epsilon,
                                      privacy::Delta delta, privacy::Adjacency adjacency);

}  // namespace tacet::learn
