#pragma once

#include <span>

#include "tacet/accounting/loss/pairs.h"

namespace tacet::accounting::pairs {

/// A pair that dominates each of the given ones, of one order of the neighbours: its profile is the
/// largest of theirs at every epsilon, up to chords between some thousand points. What disjoint
/// blocks cost where they occur beside other releases. docs/proofs/accountant.md, section 11.
[[nodiscard]] PairPointer worst(std::span<const PairPointer> parts);

}  // namespace tacet::accounting::pairs
