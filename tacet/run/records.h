#pragma once

#include <string>
#include <vector>

#include "tacet/ledger/ledger.h"

namespace tacet::run {

/// Keyed fingerprints of the records of a file with all of their columns, by any of which a ledger
/// knows records again however they are written (record_text.h): of all lines, and, where a first
/// line may be names, of all but that. Nothing says for sure what a first line is, so that nothing
/// is guessed. None for a pipe that is not kept
/// (data/read/pipes.h), and for a file that does not exist. The format follows from
/// the file alone, since no schema may hide records: LIBSVM and arrays by their beginning, a table
/// by what cuts its first records into equally many fields, and what is neither, or does not go on
/// so, line by line. docs: explanations/ledger.md.
[[nodiscard]] std::vector<std::string> fingerprints_of(ledger::Ledger& ledger,
                                                       const std::string& file);

}  // namespace tacet::run
