#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tacet/data/read/byte_source.h"
#include "tacet/ledger/fingerprint.h"

namespace tacet::run::internal {

/// The fingerprints (records.h) of a file of lines, whose bytes are read once from front to back,
/// by copies of an empty one. It is told by its beginning whether these are LIBSVM or a table. A
/// table is taken with quotes and with quotes as ordinary characters at once, and every text line
/// by line, since only its end tells which of them it was. DataErrors are those of the source
/// alone. Memory: the records that the guess looks at, three fingerprints and the longest line.
[[nodiscard]] std::vector<std::string> fingerprints_of_text(std::unique_ptr<data::ByteSource> bytes,
                                                            const std::string& file,
                                                            const ledger::Fingerprint& empty);

}  // namespace tacet::run::internal
