#pragma once

#include "tacet/accounting/routes/language.h"

namespace tacet::accounting {

/// The proved guarantee of `event` between neighbours of `adjacency` at `delta`, epsilon rounded
/// up. A pair of event and adjacency without a proof is a GuaranteeError that says why; nothing is
/// ever accounted as something else that looks similar.
[[nodiscard]] Guarantee account(const Event& event, Adjacency adjacency, Delta delta);

/// The epsilon of account().
[[nodiscard]] double epsilon(const Event& event, Adjacency adjacency, Delta delta);

}  // namespace tacet::accounting
