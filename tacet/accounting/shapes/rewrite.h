#pragma once

#include "tacet/accounting/routes/language.h"

namespace tacet::accounting::internal {

/// The same event in the form that the accountants know best; it costs what `event` costs, and
/// every bound of it is one of `event`. Whether a proof exists has to be asked of `event` itself
/// (internal::refusal).
///
/// A repetition or composition of one is that one. A sample of everything is everything. A Poisson
/// sample of a Poisson sample, or a uniform subset of a uniform subset, is one at the product of
/// the rates. A sample of disjoint blocks is disjoint samples: a record sits in one block.
/// docs/proofs/accountant.md, section 11.
[[nodiscard]] Event rewritten(const Event& event, Adjacency adjacency);

}  // namespace tacet::accounting::internal
