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

/// Recognises the same records, whatever the order of records and columns, whatever the columns
/// and the file are called and however the file is written.
///
/// The fingerprint is HMAC-SHA-256 under a ledger's own key over the number of records and the sum
/// mod 2^256 of the records' own HMACs, each over its values in the order that the columns have by
/// what stands in them (column_order.h). So no two different tables are the same: a value stays
/// with its record and with the others of its column. A 0 counts as what is not there, so that a
/// sparse record is the same dense one, and a record of which nothing is there is none.
///
/// Of more than 2^19 values, which are not kept, the record's own HMAC is over the sum of the keyed
/// hashes of its values, and for each column, in ascending order, the sum over the records of keyed
/// hashes of its value together with the record that it stands in. Columns that changed their
/// values between them are others but where every record has the same values among its columns (all
/// two flags of ten, say) and as many records of each kind have each value in each column.
///
/// A file's first line may be names or a record. Nothing tells for sure, so that a file is known by
/// all of its lines and by all but the first.
///
/// The key matters: an unkeyed hash of few records could be tried out. The fingerprint is as
/// private as the records and only ever compared, never decided by: the account is found by the
/// name the owner chose. Memory: 16 MB, and 32 bytes per column, of 2^20 at most; those behind
/// count as one. Not for several threads at once.
class Fingerprint {
 public:
  /// `key` is one of random_key(); anything else is an InternalError.
  explicit Fingerprint(std::string_view key);
  Fingerprint(Fingerprint&&) noexcept;
  Fingerprint& operator=(Fingerprint&&) noexcept;
  ~Fingerprint();
  /// The fingerprint of the same records so far. More records may be added to it.
  [[nodiscard]] Fingerprint copy() const;

  /// To be called before the first record: which columns a run reads, where it does not read all.
  void read_only(std::vector<bool> columns);

  /// Values of the next record, each in its one form: a finite number, or a text that is none.
  void add_number(std::size_t column, double number);
  void add_text(std::size_t column, std::string_view text);
  void end_record();
  /// A record of one text.
  void add(std::string_view record);

  /// The fingerprint of all records so far, 64 hexadecimal digits.
  [[nodiscard]] std::string digest() const;
  /// The same for all but the first one; nothing if there are no others.
  [[nodiscard]] std::optional<std::string> digest_without_first() const;
  /// The fingerprint of the columns that a run reads alone.
  [[nodiscard]] std::string digest_of_read() const;

 private:
  Fingerprint(const Fingerprint& other);
  struct Keyed;
  struct Field {
    std::uint32_t column;
    SipDigest value;
  };
  using Fields = std::vector<Field>;
  /// What is known of many records.
  struct Sums {
    std::array<std::uint64_t, 4> sum{};
    std::vector<SipDigest> columns;
  };
  /// What is known of all columns, or of those that are read.
  struct Table {
    std::uint64_t records = 0;
    Fields kept;  // the fields of all records, as long as these are few
    std::vector<std::size_t> ends;
    Fields first;              // the fields of the first record
    std::optional<Sums> sums;  // takes the place of `kept` when the records become many
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
  Fields fields_;                   // of the record that is being added
  Fields read_fields_;
  bool has_value_ = false;
  bool has_read_value_ = false;
  std::string bytes_;
};

}  // namespace tacet::ledger
