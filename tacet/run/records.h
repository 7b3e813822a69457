#pragma once

#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/read/relay.h"
#include "tacet/ledger/ledger.h"

namespace tacet::run {

/// Keyed fingerprints of the records in a file, over all of their columns. A ledger that holds any
/// one of them knows the records again, however they are written (record_text.h). Nothing says for
/// sure whether the first line of a table holds names. If it may, there are two fingerprints: one
/// of all lines, and one without the first. There is none for a file that does not exist, nor for a
/// pipe whose bytes are not kept (data/read/pipes.h).
///
/// The format follows from the file alone, since no schema may hide records. LIBSVM files and
/// arrays are known by how they begin. A table is known by the separator that cuts its first
/// records into equally many fields. Everything else is taken line by line, and so are tables whose
/// later records break that rule. docs: explanations/ledger.md.
[[nodiscard]] std::vector<std::string> fingerprints_of(ledger::Ledger& ledger,
                                                       const std::string& file);

/// The same fingerprints, taken while somebody else reads the file: each byte is read once, and the
/// fingerprints are those of the very bytes that the reader saw. Not for several threads at once.
class SeenRecords {
 public:
  /// The ledger must outlive it.
  SeenRecords(ledger::Ledger& ledger, std::string file, const base::CancelToken* cancel);

  /// To be given to the reader of the file (data::ReadOptions).
  [[nodiscard]] data::ByteObserver& observer() { return relay_; }
  /// To be called when the reader is done. If the reader showed no bytes, this reads the file.
  [[nodiscard]] std::vector<std::string> fingerprints();

 private:
  ledger::Ledger& ledger_;
  std::string file_;
  ledger::Fingerprint empty_;
  std::vector<std::string> found_;
  data::Relay relay_;  // last: its thread uses the others
};

}  // namespace tacet::run
