#pragma once

#include <cstdint>
#include <optional>

/// Central guarantee of shuffled local reports (Feldman, McMillan, Talwar 2021): a trusted party
/// permutes one report from each of n clients at random and strips everything else. All reports
/// must come from the same local randomiser at the same pure local epsilon, each frame field fixed
/// by the slot; n counts honest reporters only. Adjacency: replace_one.
namespace tacet::accounting::shuffle {

/// delta at `epsilon`, rounded up, from the binomial number of clones of one client's report among
/// the other clients. Each of them sends a clone with probability e^-local_epsilon, or with the
/// probability given, for a comparison with the 2022 theorem's 2/(e^eps + 1).
[[nodiscard]] double clones_delta(std::int64_t reports, double local_epsilon, double epsilon,
                                  std::optional<double> clone_probability = std::nullopt);

/// The smallest epsilon at `delta`, rounded up, never above local_epsilon.
[[nodiscard]] double clones_epsilon(std::int64_t reports, double local_epsilon, double delta,
                                    std::optional<double> clone_probability = std::nullopt);

}  // namespace tacet::accounting::shuffle
