#include "tacet/mechanism/local/sphere_report.h"

#include <algorithm>
#include <limits>
#include <span>

#include "tacet/base/error.h"
#include "tacet/random/source/secure_memory.h"

namespace tacet::mechanism {
namespace {

/// How many candidates one call of the sampler draws: enough that the cost of a call does not
/// count.
std::size_t candidates_at_a_time(std::size_t coordinates) {
  return std::clamp<std::size_t>(384 / coordinates, 1, 32);
}

/// Whether a candidate is neither 0 nor longer than 31 bits and a sign. It depends on the candidate
/// alone.
bool is_candidate(std::span<const std::int64_t> values) {
  constexpr std::uint64_t max = std::numeric_limits<std::int32_t>::max();
  std::uint64_t any = 0;
  std::uint64_t beyond = 0;  // |x| <= max: neither x + max nor x + max + 1 leaves 32 bits
  for (const std::int64_t value : values) {
    const auto x = static_cast<std::uint64_t>(value);
    any |= x;
    beyond |= (x + max) | (x + max + 1);
  }
  return any != 0 && beyond >> 32 == 0;
}

/// The first candidates of both kinds.
struct Kept {
  std::vector<std::int64_t> inside;
  std::vector<std::int64_t> outside;

  void keep(bool is_inside, std::span<const std::int64_t> candidate) {
    auto& place = is_inside ? inside : outside;
    if (place.empty()) place.assign(candidate.begin(), candidate.end());
  }
  [[nodiscard]] bool both() const { return !inside.empty() && !outside.empty(); }
  void fill_missing() {
    if (inside.empty()) inside = outside;
    if (outside.empty()) outside = inside;
  }
};

}  // namespace

std::int64_t sphere_words(const SphereCap& cap) {
  return static_cast<std::int64_t>(draw_words) + cap.max_candidates * cap.coordinates;
}

ChosenCandidate choose_candidate(CandidateReader& reader, const SphereCap& cap,
                                 const CapDirection& direction, bool inside) {
  const auto size = static_cast<std::size_t>(cap.coordinates);
  const auto max = static_cast<std::uint64_t>(cap.max_candidates);
  const std::size_t at_a_time = candidates_at_a_time(size);
  std::vector<std::int64_t> buffer;
  Kept kept;
  std::uint64_t drawn = 0;
  while (!kept.both() && drawn < max) {
    const auto count = std::min<std::uint64_t>(at_a_time, max - drawn);
    buffer.assign(count * size, 0);
    reader.add(draw_words + drawn * size, buffer);
    for (std::uint64_t i = 0; i < count && !kept.both(); ++i, ++drawn) {
      const auto candidate = std::span(buffer).subspan(i * size, size);
      if (is_candidate(candidate)) kept.keep(inside_cap(cap, candidate, direction), candidate);
    }
  }
  kept.fill_missing();
  if (kept.inside.empty()) throw base::InternalError("no candidate is a direction");
  const std::int64_t mask = -static_cast<std::int64_t>(inside);
  ChosenCandidate chosen{std::vector<std::int32_t>(size), static_cast<std::int64_t>(drawn)};
  for (std::size_t j = 0; j < size; ++j) {
    chosen.coordinates[j] =
        static_cast<std::int32_t>((kept.inside[j] & mask) | (kept.outside[j] & ~mask));
  }
  const random::internal::ScopedWipe wipe_inside{std::span(kept.inside)};
  const random::internal::ScopedWipe wipe_outside{std::span(kept.outside)};
  const random::internal::ScopedWipe wipe_buffer{std::span(buffer)};
  return chosen;
}

}  // namespace tacet::mechanism
