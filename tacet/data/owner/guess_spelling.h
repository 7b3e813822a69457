#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacet/data/schema/spelling.h"

/// Guesses how the numbers and dates of a public file are spelt, from all of its values.
namespace tacet::data {

/// The number of ways to write numbers that are distinguished, by their decimal sign and thousands
/// separator.
inline constexpr std::size_t number_ways = 14;
/// The number of orders of day, month and year in six or eight digits that are distinguished.
inline constexpr std::size_t digit_orders = 5;
/// Currencies and percent signs, the longest ones first.
[[nodiscard]] const std::vector<std::string>& usual_symbols();
/// Whether a thousands separator is one of those that are distinguished; empty: no separator.
[[nodiscard]] bool known_thousands(std::string_view sign);
/// Whether a text usually means a missing value: NA, n/a, a point, a dash, unknown.
[[nodiscard]] bool means_missing(std::string_view text);

/// What a person has stated. No guess overrides it.
struct SaidSpelling {
  std::optional<char> decimal{};
  std::optional<std::string> thousands{};
  std::vector<std::string> symbols{};  ///< symbols beside numbers, tried before the usual ones
  std::string date_format{};
};

/// Reads numbers in every way that is distinguished, with the usual symbols and the stated ones.
class NumberWays;

/// The evidence from the values of one column. Missing values are not added.
class SpellingFacts {
 public:
  /// Columns of one file share the first column's ways: copy it.
  explicit SpellingFacts(const SaidSpelling& said = {});

  void add(std::string_view field);

  /// The count of numbers in the way that reads most, and of dates in the format that reads most.
  /// Words for a missing value count as neither.
  [[nodiscard]] std::int64_t numbers() const;
  [[nodiscard]] std::int64_t dates() const;
  /// Values that are words for a missing value.
  [[nodiscard]] std::int64_t words() const { return words_; }

 private:
  friend class SpellingGuess;

  struct DateFacts {
    std::int64_t count = 0;
    std::int64_t sum = 0;  // of the dates: equal for formats that read all values in the same way
  };
  [[nodiscard]] std::vector<std::size_t> best_numbers() const;
  [[nodiscard]] std::vector<std::size_t> best_dates() const;

  [[nodiscard]] std::string_view way(std::size_t k) const;

  std::shared_ptr<const NumberWays> number_ways_;
  std::string format_;
  std::int64_t count_ = 0;
  std::int64_t words_ = 0;
  std::array<std::int64_t, number_ways> numbers_{};
  std::vector<DateFacts> dates_;
  std::int64_t compact_dates_ = 0;  // 20110131
  std::int64_t stamps_ = 0;         // 20110131103000
  // Counts of dates that consist of digits, for each other order.
  std::array<std::int64_t, digit_orders> digit_dates_{};
  std::string first_digits_;
  bool signs_ = false;  // some number contains a point, a comma or another sign
  bool may_be_dates_ = true;
  std::vector<std::string> symbols_;  // that occur beside numbers
  std::int64_t percents_ = 0;
};

/// The spelling of the file, and how single columns differ from it.
class SpellingGuess {
 public:
  SpellingGuess(const std::vector<std::string>& names, const std::vector<SpellingFacts>& columns,
                SaidSpelling said);

  [[nodiscard]] const Spelling& file() const { return file_; }
  /// How column k differs, with its date format.
  [[nodiscard]] const Spelling& own(std::size_t k) const { return own_[k]; }
  /// Whether all values of column k are numbers or dates, apart from words for a missing value.
  [[nodiscard]] bool numeric(std::size_t k) const { return numeric_[k]; }
  [[nodiscard]] bool dates(std::size_t k) const { return dates_[k]; }
  /// How column k is read in order to find the values that are not numbers or dates.
  [[nodiscard]] const Spelling& reading(std::size_t k) const { return reading_[k]; }
  [[nodiscard]] bool mostly_dates(std::size_t k) const {
    return dates_[k] || mostly_dates_.contains(k);
  }
  /// If all values of column k consist of digits: the format in which they could be dates; empty:
  /// none.
  [[nodiscard]] const std::string& digits_as_dates(std::size_t k) const { return as_dates_[k]; }
  [[nodiscard]] const std::string& digits_example(std::size_t k) const { return examples_[k]; }
  /// Currency symbols beside the numbers of column k.
  [[nodiscard]] const std::vector<std::string>& currencies(std::size_t k) const {
    return currencies_[k];
  }
  /// Whether some, but not all, numbers of column k are followed by a percent sign.
  [[nodiscard]] bool some_percent(std::size_t k) const { return some_percent_[k]; }
  /// A question, if the values allow two readings; else empty.
  [[nodiscard]] const std::string& question() const { return question_; }

 private:
  void guess_numbers(const std::vector<SpellingFacts>& columns);
  void guess_dates(std::size_t k, const SpellingFacts& facts);
  void read_most(std::size_t k, const SpellingFacts& facts);
  void note_digits(std::size_t k, const SpellingFacts& facts);
  void note_currencies(std::size_t k, const SpellingFacts& facts);
  [[nodiscard]] bool allowed(std::size_t way) const;
  [[nodiscard]] std::vector<std::size_t> allowed_ways(const SpellingFacts& facts) const;
  void ask_of_numbers(std::size_t k);

  const std::vector<std::string>& names_;
  SaidSpelling said_;
  Spelling file_;
  std::vector<Spelling> own_;
  std::vector<Spelling> reading_;
  std::set<std::size_t> mostly_dates_;
  std::vector<bool> numeric_;
  std::vector<bool> dates_;
  std::vector<std::string> as_dates_;
  std::vector<std::string> examples_;
  std::vector<std::vector<std::string>> currencies_;
  std::vector<bool> some_percent_;
  std::string question_;
};

}  // namespace tacet::data
