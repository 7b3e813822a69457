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

/// How the numbers and dates of a public file are spelt, by all of its values.
namespace tacet::data {

/// The ways to write numbers that are told apart: a decimal sign, and one for thousands.
inline constexpr std::size_t number_ways = 14;
/// The orders of day, month and year in six or eight digits that are told apart.
inline constexpr std::size_t digit_orders = 5;
/// Currencies and percent signs, the longest ones first.
[[nodiscard]] const std::vector<std::string>& usual_symbols();
/// Whether a sign between thousands is one that is told apart; empty: none.
[[nodiscard]] bool known_thousands(std::string_view sign);
/// Whether a text is one of the usual words for a missing value: NA, n/a, a point, a dash, unknown.
[[nodiscard]] bool means_missing(std::string_view text);

/// What was said by a person, which no guess overrides.
struct SaidSpelling {
  std::optional<char> decimal{};
  std::optional<std::string> thousands{};
  std::vector<std::string> symbols{};  ///< beside numbers, tried before the usual ones
  std::string date_format{};
};

/// Reads numbers in each way that is told apart, with the usual symbols and those that were said.
class NumberWays;

/// What the values of one column speak for. Missing values are not added.
class SpellingFacts {
 public:
  /// Columns of one file share the first column's ways: copy it.
  explicit SpellingFacts(const SaidSpelling& said = {});

  void add(std::string_view field);

  /// Values that are numbers in the best way, and dates in the best way; words for a missing value
  /// are neither.
  [[nodiscard]] std::int64_t numbers() const;
  [[nodiscard]] std::int64_t dates() const;
  /// Values that are words for a missing value.
  [[nodiscard]] std::int64_t words() const { return words_; }

 private:
  friend class SpellingGuess;

  struct DateFacts {
    std::int64_t count = 0;
    std::int64_t sum = 0;  // of the days: equal for formats that read all alike
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
  // Of days written with digits alone, in other orders.
  std::array<std::int64_t, digit_orders> digit_dates_{};
  std::string first_digits_;
  bool signs_ = false;  // a point, comma or other sign stands in a number
  bool may_be_dates_ = true;
  std::vector<std::string> symbols_;  // that occur beside numbers
  std::int64_t percents_ = 0;
};

/// The spelling of the file, and what single columns write otherwise.
class SpellingGuess {
 public:
  SpellingGuess(const std::vector<std::string>& names, const std::vector<SpellingFacts>& columns,
                SaidSpelling said);

  [[nodiscard]] const Spelling& file() const { return file_; }
  /// What column k writes otherwise, with its format of dates.
  [[nodiscard]] const Spelling& own(std::size_t k) const { return own_[k]; }
  /// Whether all values of column k, words for a missing one aside, are numbers or dates.
  [[nodiscard]] bool numeric(std::size_t k) const { return numeric_[k]; }
  [[nodiscard]] bool dates(std::size_t k) const { return dates_[k]; }
  /// How column k is read to see what is no number or date among others that are.
  [[nodiscard]] const Spelling& reading(std::size_t k) const { return reading_[k]; }
  [[nodiscard]] bool mostly_dates(std::size_t k) const {
    return dates_[k] || mostly_dates_.contains(k);
  }
  /// How all numbers of column k, digits alone, could be read as dates; empty: they could not.
  [[nodiscard]] const std::string& digits_as_dates(std::size_t k) const { return as_dates_[k]; }
  [[nodiscard]] const std::string& digits_example(std::size_t k) const { return examples_[k]; }
  /// What stands beside the numbers of column k.
  [[nodiscard]] const std::vector<std::string>& currencies(std::size_t k) const {
    return currencies_[k];
  }
  /// Whether a percent sign stands behind some numbers of column k and not behind all.
  [[nodiscard]] bool some_percent(std::size_t k) const { return some_percent_[k]; }
  /// What has to be asked, since the values allow two readings; empty: nothing.
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
