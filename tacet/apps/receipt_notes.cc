#include "tacet/apps/receipt_notes.h"

#include <filesystem>

#include "tacet/apps/describe.h"
#include "tacet/base/atomic_file.h"
#include "tacet/base/limits.h"
#include "tacet/base/sha256.h"
#include "tacet/privacy/receipt.h"

namespace tacet::apps {
std::string sha256_of(const std::string& file) {
  std::error_code error;
  if (file.empty() || !std::filesystem::is_regular_file(file, error)) return {};
  base::Sha256 sum;
  sum.add(base::read_file(file, base::limits::schema_bytes));
  return sum.digest();
}

std::string condition_text(const std::string& condition) {
  return condition.empty() ? std::string() : "\n" + paragraph(condition) + "\n";
}

void NotesOptions::declare(Options& options) {
  options.heading("Receipt");
  options.add("--purpose", purpose_, "TEXT", "What the release is for; kept in the receipt");
  options.add("--contact", contact_, "TEXT", "Whom to ask about it; kept in the receipt");
  options.add("--date", date_, "YYYY-MM-DD", "Day of the release; no clock is read");
  options.heading("Options");
}

privacy::ReceiptNotes NotesOptions::notes(const data::Schema& schema, const std::string& data_set,
                                          const std::string& schema_file) const {
  privacy::ReceiptNotes notes{.data_set = data_set.empty() ? schema.name : data_set,
                              .purpose = purpose_,
                              .contact = contact_,
                              .date = date_,
                              .schema_sha256 = sha256_of(schema_file)};
  check_notes(notes);
  return notes;
}

}  // namespace tacet::apps
