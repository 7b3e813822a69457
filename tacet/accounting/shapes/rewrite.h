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

namespace tacet::accounting {

/// What an event that was proved for add_remove neighbours is between replace_one neighbours,
/// release by release: replacing a record removes one and adds another (group privacy for two,
/// docs/proofs/schema_fit.md). Noise on sums stays as it is, for the accountant knows its distance
/// under either; a stated cost becomes the cost of both steps: epsilon doubles, delta becomes
/// (1 + e^epsilon) delta, rounded up, rho becomes 4 rho (Bun, Steinke 2016, proposition 1.9). To
/// convert each release and to compose then is tighter than to convert the composition.
///
/// Samples, blocks and tunings stay as they are where the accountant has a rule of its own for
/// them. UsageError where it has none, and for an event that states costs for other neighbours.
[[nodiscard]] Event under_replace_one(const Event& event);

}  // namespace tacet::accounting
