#pragma once

#include <cstdint>
#include <vector>

#include "tacet/mechanism/local/cap_side.h"
#include "tacet/mechanism/local/sphere_cap.h"
#include "tacet/random/noise/rounded_gaussian.h"

namespace tacet::mechanism {

/// The words at the beginning of a client's keystream block, for the random draw and the sign; the
/// candidates' words follow.
inline constexpr std::uint64_t draw_words = 64;

/// How many words of the keystream block one report can take.
[[nodiscard]] std::int64_t sphere_words(const SphereCap& cap);

/// A chosen candidate, and after how many draws both kinds had been seen.
struct ChosenCandidate {
  std::vector<std::int32_t> coordinates;
  std::int64_t draws;
};

/// Reads candidates and random draws of one client from an open keystream block at the cap's scale.
using CandidateReader = random::internal::GaussianReader;

/// Draws candidates from the keystream block until both kinds have occurred, and takes the first
/// one inside of the direction's cap, or the first one outside. The number of draws reveals nothing
/// about `inside`, which is used only at the very end, without a branch.
[[nodiscard]] ChosenCandidate choose_candidate(CandidateReader& reader, const SphereCap& cap,
                                               const CapDirection& direction, bool inside);

}  // namespace tacet::mechanism
