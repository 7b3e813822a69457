#pragma once

#include "tacet/accounting/routes/language.h"

namespace tacet::accounting::internal {

/// The same event in the form for which the accountants have the best bounds. Both cost the same.
/// Ask internal::refusal about `event` itself, not about its new form.
///
/// A repetition or composition of a single event becomes that event. A sample of all records
/// becomes the event on all records. A Poisson sample of a Poisson sample, or a uniform subset of a
/// uniform subset, becomes one sample at the product of the rates. A sample of disjoint blocks
/// becomes disjoint samples, since a record is in one block only. docs/proofs/accountant.md,
/// section 11.
[[nodiscard]] Event rewritten(const Event& event, Adjacency adjacency);

}  // namespace tacet::accounting::internal

namespace tacet::accounting {

/// Converts an event that was proved for add_remove neighbours into one for replace_one neighbours,
/// release by release. To replace a record is to remove one and to add another (group privacy for
/// two, docs/proofs/schema_fit.md). Noise on sums stays as it is, since the accountant knows its
/// distance under both adjacencies. A stated cost becomes the cost of both steps: epsilon doubles,
/// delta becomes (1 + e^epsilon) delta, rounded up, and rho becomes 4 rho (Bun, Steinke 2016,
/// proposition 1.9). It is tighter to convert each release and then to compose than to convert the
/// composition.
///
/// Samples, blocks and selections stay as they are if the accountant has its own rule for them.
/// UsageError if it has none, and for an event that states costs for other neighbours.
[[nodiscard]] Event under_replace_one(const Event& event);

}  // namespace tacet::accounting
