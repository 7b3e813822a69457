#include "tacet/run/records.h"

#include <vector>

#include "tacet/base/error.h"
#include "tacet/data/owner/guess_format.h"
#include "tacet/data/read/pipes.h"
#include "tacet/data/read/uniform_records.h"
#include "tacet/run/record_text.h"
#include "tacet/run/text_fingerprints.h"

namespace tacet::run {

std::vector<std::string> fingerprints_of(ledger::Ledger& ledger, const std::string& file) {
  if (!data::can_be_read_again(file)) return {};
  if (const auto* kind = data::recognised_kind(file); kind != nullptr && !kind->has_lines) {
    try {
      const auto records = data::internal::open_whole(file, *kind);
      auto fingerprint = ledger.fingerprint();
      data::internal::UniformRecord record;
      while (records->next(record)) internal::note(record, fingerprint);
      return {fingerprint.digest()};
    } catch (const base::DataError&) {   // it holds records in another way
    } catch (const base::UsageError&) {  // or its name does not say where its labels are
    }
  }
  return internal::fingerprints_of_text(
      data::open_source(file, {.expected = data::TextEncoding::utf_16}), file,
      ledger.fingerprint());
}

SeenRecords::SeenRecords(ledger::Ledger& ledger, std::string file, const base::CancelToken* cancel)
    : ledger_(ledger),
      file_(std::move(file)),
      empty_(ledger.fingerprint()),
      relay_(
          [this](std::unique_ptr<data::ByteSource> bytes) {
            found_ = internal::fingerprints_of_text(std::move(bytes), file_, empty_);
          },
          cancel) {}

std::vector<std::string> SeenRecords::fingerprints() {
  return relay_.finish() ? found_ : fingerprints_of(ledger_, file_);
}

}  // namespace tacet::run
