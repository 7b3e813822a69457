#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/ledger/digest.h"

namespace tacet::ledger {

/// Recognises the same records again, independently of the order of records and columns, of the
/// names of columns and file, and of the file's format.
///
/// The fingerprint is HMAC-SHA-256 under the ledger's own key, over the number of records and the
/// sum mod 2^256 of the records' HMACs. A record's HMAC is over its values, with the columns
/// ordered by their contents (column_order.h). So different tables have different fingerprints: a
/// value stays with its record and with its column. A 0 counts as absent, so a sparse record equals
/// the same record in dense form, and a record without values does not count.
///
/// More than 2^19 values are not kept. Then a record's HMAC is over the sum of the keyed hashes of
/// its values. In addition there is a sum for each column, in ascending order: over the records, of
/// the keyed hash of the value together with its record. This misses an exchange of values between
/// columns only if every record has the same values among its columns (two flags out of ten, say),
/// and if for each kind of record each value occurs equally often in each column.
///
/// A file's first line may contain names or a record, and nothing decides that for certain. So a
/// file has two fingerprints: of all lines, and of all but the first.
///
/// The key matters: without it, somebody could hash guessed records and compare. A fingerprint is
/// as private as the records. It is only compared with others and decides nothing else: an account
/// is found by the name that its owner chose. Memory: 16 MB, and 32 bytes per column for at most
/// 2^20 columns; later columns count as one. Not for several threads at once.
class Fingerprint {
 public:
  /// `key` must come from random_key(); otherwise InternalError.
  explicit Fingerprint(std::string_view key);
  Fingerprint(Fingerprint&&) noexcept;
  Fingerprint& operator=(Fingerprint&&) noexcept;
  ~Fingerprint();
  /// A copy with the records so far, to which more can be added.
  [[nodiscard]] Fingerprint copy() const;

  /// Call this before the first record, if a run does not read all columns: which ones it reads.
  void read_only(std::vector<bool> columns);

  /// Values of the next record, each in its only form: a finite number, or a text that is not a
  /// number.
  void add_number(std::size_t column, double number);
  void add_text(std::size_t column, std::string_view text);
  void end_record();
  /// Adds a record that consists of one text.
  void add(std::string_view record);

  /// The fingerprint of all records so far, 64 hexadecimal digits.
  [[nodiscard]] std::string digest() const;
  /// The fingerprint of all records but the first; nothing if there is only one.
  [[nodiscard]] std::optional<std::string> digest_without_first() const;
  /// The fingerprint of the columns that a run reads, without the others.
  [[nodiscard]] std::string digest_of_read() const;

 private:
  Fingerprint(const Fingerprint& other);
  struct Keyed;
  struct Field {
    std::uint32_t column;
    SipDigest value;
  };
  using Fields = std::vector<Field>;
  /// The sums that are kept if there are many records.
  struct Sums {
    std::array<std::uint64_t, 4> sum{};
    std::vector<SipDigest> columns;
  };
  /// The state for all columns, or for those that the run reads.
  struct Table {
    std::uint64_t records = 0;
    Fields kept;  // the fields of all records, while there are few
    std::vector<std::size_t> ends;
    Fields first;              // the fields of the first record
    std::optional<Sums> sums;  // replaces `kept` when there are many records
  };

  [[nodiscard]] bool reads(std::size_t column) const;
  void add_value(std::size_t column, char kind, std::string_view bytes);
  void add_record(Table& table, const Fields& fields) const;
  void add_to(Sums& sums, std::span<const Field> fields, bool taken_away = false) const;
  [[nodiscard]] Sums sums_of(const Table& table, bool without_first) const;
  [[nodiscard]] Sums ordered_sum(const Table& table, bool without_first) const;
  [[nodiscard]] std::string digest_of(const Table& table, bool without_first = false) const;

  std::unique_ptr<Keyed> keyed_;
  Table whole_;
  Table read_;
  std::vector<bool> read_columns_;  // empty: all
  Fields fields_;                   // the fields of the record that is being added
  Fields read_fields_;
  bool has_value_ = false;
  bool has_read_value_ = false;
  std::string bytes_;
};

}  // namespace tacet::ledger
