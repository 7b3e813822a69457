#pragma once

#include <string>

#include "tacet/apps/options.h"
#include "tacet/data/schema/schema.h"
#include "tacet/privacy/receipt_notes.h"

namespace tacet::apps {

/// The SHA-256 sum of a file, as `sha256sum` prints it; empty for a pipe, which can be read only
/// once.
[[nodiscard]] std::string sha256_of(const std::string& file);

/// On which condition a result in words holds, as a paragraph behind it; empty where there is none.
[[nodiscard]] std::string condition_text(const std::string& condition);

/// The options of commands whose receipts may carry what a person says about the release.
class NotesOptions {
 public:
  void declare(Options& options);
  /// Checked. The name of the data set is the ledger's, else the schema's; `schema_file` is hashed
  /// where it is a regular file.
  [[nodiscard]] privacy::ReceiptNotes notes(const data::Schema& schema, const std::string& data_set,
                                            const std::string& schema_file = {}) const;

 private:
  std::string purpose_;
  std::string contact_;
  std::string date_;
};

}  // namespace tacet::apps
