#pragma once

#include "tacet/data/read/record_source.h"
#include "tacet/ledger/fingerprint.h"

namespace tacet::run {

/// The records, each of which is added to the fingerprint in the first pass over them: equal ones
/// have that of the same columns in a training. As they are where there is no fingerprint, which
/// must outlive the passes.
[[nodiscard]] data::RecordSource noted(data::RecordSource records,
                                       ledger::Fingerprint* fingerprint);

}  // namespace tacet::run
