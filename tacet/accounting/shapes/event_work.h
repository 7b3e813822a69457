#pragma once

#include "tacet/accounting/routes/language.h"

/// What the meters count for an event beside the compositions, which count their own work.
namespace tacet::accounting::internal {

/// Units of looking at all of an event several times; analyses of its own take a search that
/// nothing else counts.
[[nodiscard]] double work_of_reading(const Event& event);

/// Units of the list of atoms or points that an indivisible event's pair may be.
[[nodiscard]] double work_of_pair(const Event& event);

}  // namespace tacet::accounting::internal
