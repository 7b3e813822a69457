#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tacet::privacy {

/// What a person says about a release, for whoever reads its receipt later. Nothing of it comes
/// from records or from a clock, so that one seed stays one file; all of it may be empty.
struct ReceiptNotes {
  std::string data_set = {};  ///< name of the data set
  std::string purpose = {};
  std::string contact = {};
  std::string date = {};           ///< YYYY-MM-DD
  std::string schema_sha256 = {};  ///< of the schema file's bytes, 64 hexadecimal digits
  /// On which condition the promise holds: a ledger's words, which the statement repeats.
  std::string condition = {};

  [[nodiscard]] bool empty() const {
    return data_set.empty() && purpose.empty() && contact.empty() && date.empty() &&
           schema_sha256.empty() && condition.empty();
  }
};

/// UsageError for a text of more than 1000 bytes or with what a terminal would act on, a date that
/// no calendar has, and what is no SHA-256.
void check_notes(const ReceiptNotes& notes);

/// The texts that are not empty, in the order above.
[[nodiscard]] nlohmann::ordered_json notes_to_json(const ReceiptNotes& notes);
/// DataError for what is unknown or no text.
[[nodiscard]] ReceiptNotes notes_from_json(const nlohmann::ordered_json& json);

}  // namespace tacet::privacy
