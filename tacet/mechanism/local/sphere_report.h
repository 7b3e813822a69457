#pragma once

#include <cstdint>
#include <vector>

#include "tacet/mechanism/local/cap_side.h"
#include "tacet/mechanism/local/sphere_cap.h"
#include "tacet/random/noise/rounded_gaussian.h"

namespace tacet::mechanism {

/// The words of a client's keystream block before those of its candidates: for the random draw and
/// the sign.
inline constexpr std::uint64_t draw_words = 64;

/// How many words of the keystream block one report can take.
[[nodiscard]] std::int64_t sphere_words(const SphereCap& cap);

/// A chosen candidate, and after how many draws both kinds had been seen.
struct ChosenCandidate {
  std::vector<std::int32_t> coordinates;
  std::int64_t draws;
};

/// Candidates and random draws of one client: an open keystream block at the cap's scale.
using CandidateReader = random::internal::GaussianReader;

/// Draws candidates from the keystream block until both kinds have been seen, and takes the first
/// that lies inside the direction's cap, or the first outside. How many are drawn says nothing
/// about `inside`: it is used at the very end, without a branch.
[[nodiscard]] ChosenCandidate choose_candidate(CandidateReader& reader, const SphereCap& cap,
                                               const CapDirection& direction, bool inside);

}  // namespace tacet::mechanism
