#pragma once

#include <string>
#include <vector>

#include "tacet/data/read/record_source.h"
#include "tacet/ledger/fingerprint.h"

namespace tacet::run {

/// The records, each of which is added to the fingerprint in the first pass over them, with all of
/// their columns; those that are not among `read`, unless that is empty, are no part of what the
/// run reads. As they are where there is no fingerprint, which must outlive the passes.
[[nodiscard]] data::RecordSource noted(data::RecordSource records, ledger::Fingerprint* fingerprint,
                                       const std::vector<std::string>& read = {});

}  // namespace tacet::run
