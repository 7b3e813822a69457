#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tacet/privacy/event.h"
#include "tacet/privacy/guarantee.h"

/// What is kept beside a released result, so that anybody can account it again.
///
/// Example:
///
///     const auto in_words = [](const std::string& json) {
///       return privacy::statement(privacy::receipt_from_json(json));
///     };
namespace tacet::privacy {

/// Where the noise came from.
enum class Randomness {
  secure,  ///< the operating system's entropy through a stream cipher
  seeded   ///< a known seed: repeatable, and therefore no protection at all
};

/// What a person says about a release, for later readers of its receipt. Nothing in it comes from
/// records or from a clock, so that one seed always gives the same file. All of it may be empty.
struct ReceiptNotes {
  std::string data_set = {};  ///< name of the data set
  std::string purpose = {};
  std::string contact = {};
  std::string date = {};           ///< YYYY-MM-DD
  std::string schema_sha256 = {};  ///< of the schema file's bytes, 64 hexadecimal digits
  /// The condition on which the promise holds, in a ledger's words; the statement repeats it.
  std::string condition = {};

  [[nodiscard]] bool empty() const {
    return data_set.empty() && purpose.empty() && contact.empty() && date.empty() &&
           schema_sha256.empty() && condition.empty();
  }
};

/// UsageError for a text that has more than 1000 bytes or control characters, for a date that is
/// not in the calendar, and for a schema_sha256 that is not a SHA-256.
void check_notes(const ReceiptNotes& notes);

/// Everything a reader needs to recompute and to judge the guarantee of a released result. A model
/// file carries one.
struct Receipt {
  std::string algorithm;
  std::string calibration;        ///< "tight", or the paper that was followed, as
                                  ///< "wang2021"; before 0.2.0 "paper"
  std::string parameters = "{}";  ///< every public parameter, a JSON object
  Event events = no_event();      ///< what was released
  Guarantee guarantee{0, 0, Adjacency::add_remove};
  std::string privacy_unit = "record";           ///< "record" or the unit column's name
  std::string sampling = "full_batch";           ///< how records were chosen, in a word
  std::optional<std::int64_t> public_row_count;  ///< where the schema or the user declared it
  Randomness randomness = Randomness::secure;
  double prg_slack = 0;  ///< the PRG slack, see privacy/prg_share.h
  std::string software_version;
  std::string unprotected_reason;  ///< why there is no guarantee; empty: protected
  ReceiptNotes notes;              ///< what a person said about it

  [[nodiscard]] bool is_protected() const { return unprotected_reason.empty(); }
};

/// The receipt after a check: ranges, known calibration, parameters a JSON object, and an
/// unprotected_reason wherever randomness is seeded or epsilon infinite. A violation is a
/// UsageError; a promise that the cipher leaves no room for (delta_left) is a GuaranteeError.
[[nodiscard]] Receipt checked(Receipt receipt);

/// JSON form, version 1.
[[nodiscard]] std::string receipt_to_json(const Receipt& receipt, int indent = 2);

/// Reads the JSON form strictly; anything unknown, missing or out of range is a DataError. A
/// receipt that is well formed but promises what the cipher rules out is a GuaranteeError, as in
/// checked().
[[nodiscard]] Receipt receipt_from_json(std::string_view text);

/// What is promised of the result, in words, or the mark that it is unprotected. Numbers are
/// rounded up; the stated delta includes the cipher's share. Text from files is escaped.
[[nodiscard]] std::string statement(const Receipt& receipt);
/// The promise of a protected result in two lines, without its condition (see privacy/statement.h).
[[nodiscard]] std::string short_statement(const Receipt& receipt);

}  // namespace tacet::privacy
