#pragma once

#include <cstddef>
#include <optional>

#include "tacet/accounting/routes/language.h"

namespace tacet::accounting::internal {

/// With more different parts an accountant takes more than a few seconds.
inline constexpr std::size_t max_different_parts = 64;

/// An event that costs at least as much and has few different parts. If a composition or blocks
/// have more than `max` parts, similar parts (noise of one kind on samples of one kind, or
/// guarantees of one kind) form about `max` groups at most. Every part then counts with the group's
/// largest sampling rate and smallest noise. Nothing if no list is longer than `max`.
///
/// Why this costs at least as much: sampling at rate q is sampling at a larger rate and dropping
/// records. More noise is less noise with further noise added (Gaussian and Laplace laws are
/// self-decomposable). A guarantee implies the weaker guarantees of its kind.
[[nodiscard]] std::optional<Event> coarsened(const Event& event,
                                             std::size_t max = max_different_parts);

}  // namespace tacet::accounting::internal

/// The work that meters count for an event, apart from the compositions, which count their own.
namespace tacet::accounting::internal {

/// The work of reading the whole event several times. An event with its own analysis takes a
/// search, which nothing else counts.
[[nodiscard]] double work_of_reading(const Event& event);

/// The work of an indivisible event's pair, which may be a long list of atoms or points.
[[nodiscard]] double work_of_pair(const Event& event);

}  // namespace tacet::accounting::internal
