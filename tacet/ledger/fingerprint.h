#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/ledger/sip_hash.h"

namespace tacet::ledger {

/// Recognises the same records, whatever the order of records and columns, whatever the columns
/// and the file are called and however the file is written.
///
/// Of each record: the sum of keyed hashes of its values, whatever their columns. Of each column:
/// the sum over the records of keyed hashes of its value together with the record that it stands
/// in. The fingerprint is HMAC-SHA-256 under a ledger's own key over the number of records, the
/// sum mod 2^256 of the records' own HMACs, and the columns' sums in ascending order. So columns
/// that changed their values between them are others, while the same ones in another order are
/// not. A 0 counts as what is not there, so that a sparse record is the same dense one, and a
/// record of which nothing is there is none.
///
/// The key matters: an unkeyed hash of few records could be tried out. The fingerprint is as
/// private as the records and only ever compared, never decided by: the account is found by the
/// name the owner chose. Memory: 32 bytes a column, of 2^20 at most; those behind count as one. Not
/// for several threads at once.
class Fingerprint {
 public:
  /// `key` is one of random_key(); anything else is an InternalError.
  explicit Fingerprint(std::string_view key);
  Fingerprint(Fingerprint&&) noexcept;
  Fingerprint& operator=(Fingerprint&&) noexcept;
  ~Fingerprint();

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
  /// The same of the columns that a run reads alone.
  [[nodiscard]] std::string digest_of_read() const;

 private:
  struct Keyed;
  struct Field {
    std::size_t column;
    SipDigest value;
  };
  /// What is known of all columns, or of those that are read.
  struct Sums {
    std::uint64_t records = 0;
    std::array<std::uint64_t, 4> sum{};
    std::vector<SipDigest> columns;
  };

  [[nodiscard]] bool reads(std::size_t column) const;
  void add_value(std::size_t column, char kind, std::string_view bytes);
  void add_fields(Sums& sums, const std::vector<Field>& fields);
  [[nodiscard]] std::string digest_of(const Sums& sums) const;

  std::unique_ptr<Keyed> keyed_;
  Sums whole_;
  Sums read_;
  std::vector<bool> read_columns_;  // empty: all
  std::vector<Field> fields_;       // of the record that is being added
  std::vector<Field> read_fields_;
  bool has_value_ = false;
  bool has_read_value_ = false;
  std::string bytes_;
};

}  // namespace tacet::ledger
