#pragma once

#include <string>
#include <vector>

#include "tacet/base/progress.h"
#include "tacet/data/read/relay.h"
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

/// The same of records that somebody reads: the bytes pass once, and no other ones are judged. Not
/// for several threads at once.
class SeenRecords {
 public:
  /// The ledger must outlive it.
  SeenRecords(ledger::Ledger& ledger, std::string file, const base::CancelToken* cancel);

  /// For the reader of the file (data::ReadOptions).
  [[nodiscard]] data::ByteObserver& observer() { return relay_; }
  /// Once the reader is done; of records that it did not show, by reading the file.
  [[nodiscard]] std::vector<std::string> fingerprints();

 private:
  ledger::Ledger& ledger_;
  std::string file_;
  ledger::Fingerprint empty_;
  std::vector<std::string> found_;
  data::Relay relay_;  // last: its thread uses the others
};

}  // namespace tacet::run
