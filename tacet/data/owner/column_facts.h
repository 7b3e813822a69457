#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tacet/data/encode/number_reader.h"
#include "tacet/data/owner/text_shapes.h"

namespace tacet::data {

/// Whether each field is a list of whole numbers, and how long the longest one is.
struct IdFacts {
  char separator = '\0';  // separator in the first field with several numbers
  bool all = true;
  std::int64_t max_ids = 1;  // of one field

  void add(std::string_view field);
  [[nodiscard]] bool several() const { return all && max_ids > 1; }
};

/// A value and its line.
struct PlacedText {
  std::string text;
  std::int64_t line = 0;  ///< 0: there is no such value
};

/// The few highest numbers of a column; with `sign` -1 the lowest ones.
class FarNumbers {
 public:
  explicit FarNumbers(double sign) : sign_(sign) {}
  void add(double number, std::string_view field, std::int64_t line);
  /// Up to four numbers that are far beyond the others: their distance is more than twice the range
  /// of the others. Empty if there are none. `other_end` is the farthest number at the other end.
  [[nodiscard]] std::vector<PlacedText> beyond(double other_end) const;

 private:
  double sign_;
  std::map<double, PlacedText> found_;  // keyed by the number times the sign
};

/// The facts about one column of a public file, from one pass in bounded memory. Missing values are
/// not added.
class ColumnFacts {
 public:
  ColumnFacts(NumberReader reader, std::size_t max_values)
      : reader_(std::move(reader)), max_values_(max_values) {}

  void add(std::string_view field, std::int64_t line);
  void add_missing() { ++missing; }

  std::map<std::string, std::int64_t, std::less<>> values;  ///< until there are too many
  bool many_values = false;
  bool text_is_sound = true;
  IdFacts ids;
  TextShapes shapes;         ///< of the texts that are not numbers
  std::int64_t numbers = 0;  ///< or days
  std::int64_t others = 0;
  std::int64_t missing = 0;
  std::int64_t words = 0;
  std::int64_t padded = 0;  ///< whole numbers with leading zeros
  bool whole_numbers = true;
  double lower = 0;
  double upper = 0;
  PlacedText first_other;  ///< the first text that is not a number
  PlacedText one_too_many;

  /// Whether every value occurs only once, in enough records to be sure.
  [[nodiscard]] bool identifies() const;
  /// Whether one value occurs in several records, and no other.
  [[nodiscard]] bool constant() const {
    return !many_values && values.size() == 1 && numbers + others > 1;
  }
  /// Numbers that count the records of the file: 0, 1, 2, ... or 1, 2, 3, ...
  [[nodiscard]] bool row_numbers() const { return counts_up_ && lower >= 0 && lower <= 1; }
  /// Whether most texts that are not numbers contain digits.
  [[nodiscard]] bool have_digits() const { return 2 * with_digits_ > others; }
  [[nodiscard]] bool dates() const { return reader_.date() && numbers > 0 && others == 0; }
  [[nodiscard]] bool numeric() const { return !reader_.date() && numbers > 0 && others == 0; }
  /// Whether all numbers could be a year with a month in two digits, or with a day of the year in
  /// three: 201101, 2011031. False if there are too few numbers, or only one year.
  [[nodiscard]] bool months() const { return numbers_in_years(months_, month_place); }
  [[nodiscard]] bool days_of_years() const { return numbers_in_years(year_days_, day_place); }
  /// Whether all numbers have an exponent of ten or more. Spreadsheets write long numbers so, and
  /// lose digits.
  [[nodiscard]] bool digits_are_lost() const { return numeric() && with_exponent_ == numbers; }
  /// Whether the reader reads dates and not numbers.
  [[nodiscard]] bool date_reader() const { return reader_.date(); }
  /// Two numbers, the second one above the first.
  [[nodiscard]] std::pair<double, double> bounds() const;
  /// Its different values. If numbers are equal, such as 1 and 1.0, the first spelling stands for
  /// both.
  [[nodiscard]] std::vector<std::string> texts() const;

  /// Numbers that look like codes for a missing value: nines far from all other values, such as -99
  /// below or 999 above. take_off_sentinels() makes `bounds()` ignore them.
  [[nodiscard]] std::vector<std::string> sentinels() const;
  /// Up to four whole numbers from -9 to -1 if all others are 0 or more: surveys use them as
  /// reasons for a missing answer. Empty if there are other negative numbers.
  [[nodiscard]] std::vector<std::string> negative_codes() const;
  void take_off_sentinels();
  /// Numbers far above or below all others, which may be errors or codes for a missing value.
  [[nodiscard]] std::vector<PlacedText> far_numbers() const;
  /// How often 99 occurs, if it is the largest of many whole numbers and more frequent than a real
  /// value would be; else 0.
  [[nodiscard]] std::int64_t frequent_99() const;
  /// The smallest number above 0, if zeros are far below all others; else 0.
  [[nodiscard]] double above_lone_zeros() const;

 private:
  static constexpr double month_place = 100;
  static constexpr double day_place = 1000;
  [[nodiscard]] bool numbers_in_years(bool all, double place) const;
  void add_number(double number, std::string_view field, std::int64_t line);
  void note_repeats(std::string_view field);

  NumberReader reader_;
  std::size_t max_values_;
  bool each_once_ = true;
  bool counts_up_ = true;
  bool months_ = true;     // so far
  bool year_days_ = true;  // so far
  double last_number_ = 0;
  std::int64_t with_digits_ = 0;
  std::int64_t with_exponent_ = 0;  // E+10 or more
  // hashes of the values, as long as no value occurs twice
  std::unordered_set<std::uint64_t> seen_;
  // Numbers that consist of nines: by value, with their first spelling and their count.
  std::map<double, std::pair<std::string, std::int64_t>> nines_;
  std::set<int> negative_codes_;    // -9 to -1
  bool other_negatives_ = false;    // any other number below 0
  std::int64_t plain_numbers_ = 0;  // numbers that do not consist of nines
  double plain_lower_ = 0;
  double plain_upper_ = 0;
  FarNumbers highest_{1};
  FarNumbers lowest_{-1};
  std::int64_t zeros_ = 0;
  std::int64_t ninety_nines_ = 0;
  double min_positive_ = 0;
};

}  // namespace tacet::data
