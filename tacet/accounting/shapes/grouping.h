#pragma once

#include <cstddef>
#include <optional>

#include "tacet/accounting/routes/language.h"

namespace tacet::accounting::internal {

/// More different parts than these take an accountant more than a few seconds.
inline constexpr std::size_t max_different_parts = 64;

/// An event that costs at least as much and has few different parts: of a composition or of blocks
/// with more than `max` of them, like ones (noise of one kind on samples of one kind, or
/// guarantees of one kind) are put in at most about as many groups, and every part counts as the
/// group's largest sampling rate with its smallest noise. Nothing where no list is longer.
///
/// Mixing P into Q at rate q is mixing at a larger rate and keeping the result with some
/// probability, more noise is less noise with more added (Gaussian and Laplace laws are
/// self-decomposable), and a guarantee implies the weaker ones of its kind.
[[nodiscard]] std::optional<Event> coarsened(const Event& event,
                                             std::size_t max = max_different_parts);

}  // namespace tacet::accounting::internal

/// What the meters count for an event beside the compositions, which count their own work.
namespace tacet::accounting::internal {

/// Units of looking at all of an event several times; analyses of its own take a search that
/// nothing else counts.
[[nodiscard]] double work_of_reading(const Event& event);

/// Units of the list of atoms or points that an indivisible event's pair may be.
[[nodiscard]] double work_of_pair(const Event& event);

}  // namespace tacet::accounting::internal
