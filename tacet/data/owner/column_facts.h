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
  char separator = '\0';  // of the first field with several
  bool all = true;
  std::int64_t max_ids = 1;  // of one field

  void add(std::string_view field);
  [[nodiscard]] bool several() const { return all && max_ids > 1; }
};

/// A value, and where it stands.
struct PlacedText {
  std::string text;
  std::int64_t line = 0;  ///< 0: there is none
};

/// The highest few numbers of a column, or by `sign` -1 the lowest ones.
class FarNumbers {
 public:
  explicit FarNumbers(double sign) : sign_(sign) {}
  void add(double number, std::string_view field, std::int64_t line);
  /// Those beyond all others by more than twice what these lie apart, up to four; nothing where
  /// there are none. `other_end` is the farthest number at the other end.
  [[nodiscard]] std::vector<PlacedText> beyond(double other_end) const;

 private:
  double sign_;
  std::map<double, PlacedText> found_;  // by the number times the sign
};

/// What one pass over a public file tells about a column, in bounded memory. Missing values are not
/// added.
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
  TextShapes shapes;         ///< of what is no number
  std::int64_t numbers = 0;  ///< or days
  std::int64_t others = 0;
  std::int64_t missing = 0;
  std::int64_t words = 0;
  std::int64_t padded = 0;  ///< whole numbers with zeros in front
  bool whole_numbers = true;
  double lower = 0;
  double upper = 0;
  PlacedText first_other;  ///< what is no number
  PlacedText one_too_many;

  /// Every value occurs once, in enough records to tell.
  [[nodiscard]] bool identifies() const;
  /// One value alone, in several records.
  [[nodiscard]] bool constant() const {
    return !many_values && values.size() == 1 && numbers + others > 1;
  }
  /// Numbers that count the records of the file: 0, 1, 2, ... or 1, 2, 3, ...
  [[nodiscard]] bool row_numbers() const { return counts_up_ && lower >= 0 && lower <= 1; }
  /// Most values that are no numbers have digits.
  [[nodiscard]] bool have_digits() const { return 2 * with_digits_ > others; }
  [[nodiscard]] bool dates() const { return reader_.date() && numbers > 0 && others == 0; }
  [[nodiscard]] bool numeric() const { return !reader_.date() && numbers > 0 && others == 0; }
  /// Whether all numbers could be a year with two digits of a month, or with three of a day of the
  /// year: 201101, 2011031. Nothing where there are too few to tell, or of one year alone.
  [[nodiscard]] bool months() const { return numbers_in_years(months_, month_place); }
  [[nodiscard]] bool days_of_years() const { return numbers_in_years(year_days_, day_place); }
  /// Whether all numbers are written with an exponent of ten or more, as spreadsheets show long
  /// ones.
  [[nodiscard]] bool digits_are_lost() const { return numeric() && with_exponent_ == numbers; }
  /// Whether dates are looked for and not numbers.
  [[nodiscard]] bool date_reader() const { return reader_.date(); }
  /// Two numbers, the second one above the first.
  [[nodiscard]] std::pair<double, double> bounds() const;
  /// Its values; of numbers that are equal, as 1 and 1.0, the first one.
  [[nodiscard]] std::vector<std::string> texts() const;

  /// The numbers that stand for a missing value by the look of them: nines far from all other
  /// values, -99 below or 999 above. `bounds()` then leaves them out once they were taken off.
  [[nodiscard]] std::vector<std::string> sentinels() const;
  /// Up to four whole numbers from -9 to -1 below others that are 0 or more, as surveys number the
  /// reasons for a missing answer; nothing where other numbers are negative.
  [[nodiscard]] std::vector<std::string> negative_codes() const;
  void take_off_sentinels();
  /// Numbers far above or below all others, as faults and codes for a missing value are.
  [[nodiscard]] std::vector<PlacedText> far_numbers() const;
  /// How often 99 occurs where it is the largest of many whole numbers and more frequent than a
  /// large number is; 0: it is not.
  [[nodiscard]] std::int64_t frequent_99() const;
  /// The smallest number above 0 where zeros stand apart below all others; 0: they do not.
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
  std::int64_t with_exponent_ = 0;          // E+10 or more
  std::unordered_set<std::uint64_t> seen_;  // hashes, as long as each value occurs once
  // Numbers that are nines alone, by value, with their first spelling and how many there are.
  std::map<double, std::pair<std::string, std::int64_t>> nines_;
  std::set<int> negative_codes_;    // -9 to -1
  bool other_negatives_ = false;    // any other number below 0
  std::int64_t plain_numbers_ = 0;  // all but nines
  double plain_lower_ = 0;
  double plain_upper_ = 0;
  FarNumbers highest_{1};
  FarNumbers lowest_{-1};
  std::int64_t zeros_ = 0;
  std::int64_t ninety_nines_ = 0;
  double min_positive_ = 0;
};

}  // namespace tacet::data
