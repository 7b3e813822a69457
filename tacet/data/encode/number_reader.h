#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacet/data/encode/value.h"
#include "tacet/data/schema/schema.h"

namespace tacet::data {

/// Reads the numbers of one column, or the days since 1970-01-01 of a column of dates, as its file
/// spells them. It is a public function of one text, so a value has the same meaning whatever the
/// other records contain.
///
/// With a decimal comma, thousands or symbols, a number is an optional sign and symbol in any
/// order, digits, and a symbol: `-$1,234.50`, `1 234,5 EUR`. Thousands separators are between
/// digits before the decimal sign, with three digits after the last one and two or three between
/// others (12,34,567). Any other text is not a number.
class NumberReader {
 public:
  NumberReader() = default;  ///< plain numbers (parse_number)
  NumberReader(bool date, const Spelling& spelling);

  [[nodiscard]] std::optional<double> operator()(std::string_view text) const;

  [[nodiscard]] bool date() const { return date_; }
  /// Whether it is parse_number.
  [[nodiscard]] bool plain() const { return plain_; }

 private:
  [[nodiscard]] std::optional<double> spelled(std::string_view text) const;

  bool date_ = false;
  bool plain_ = true;
  char decimal_ = '.';
  std::string thousands_;
  std::vector<std::string> symbols_;
  std::string date_format_;
};

/// The reader for a column of the schema, or for its target if that is a number.
[[nodiscard]] NumberReader number_reader(const NumericColumn& rule, const Spelling& file,
                                         const Spelling& own);

/// The number of a value in a numeric column (1 and 0 for booleans), or in a column of dates the
/// days since 1970-01-01. Nothing for a value that is not a number or not finite.
[[nodiscard]] std::optional<double> number_of(const Value& value, const NumberReader& reader);

}  // namespace tacet::data
