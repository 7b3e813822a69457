#include "tacet/data/owner/guess_spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tacet/data/ascii.h"
#include "tacet/data/encode/decimal.h"
#include "tacet/data/encode/number_reader.h"
#include "tacet/data/schema/date_format.h"

namespace tacet::data {
namespace {

struct NumberWay {
  char decimal;
  std::string_view thousands;
};

// If several ways read the same values, the first one is taken.
constexpr std::array<NumberWay, number_ways> ways{{{'.', ""},
                                                   {',', ""},
                                                   {'.', ","},
                                                   {',', "."},
                                                   {'.', " "},
                                                   {',', " "},
                                                   {'.', "'"},
                                                   {',', "'"},
                                                   {'.', "\xc2\xa0"},
                                                   {',', "\xc2\xa0"},
                                                   {'.', "\xe2\x80\xaf"},
                                                   {',', "\xe2\x80\xaf"},
                                                   {'.', "\xe2\x80\x99"},
                                                   {',', "\xe2\x80\x99"}}};
constexpr std::size_t comma_decimal = 1;
constexpr std::size_t comma_thousands = 2;

// If two orders of day and month read all values, a person is asked. Two digits after a dash may be
// the year or the day.
constexpr std::array<std::string_view, 25> day_formats{
    "%Y-%m-%d",  "%b. %d, %Y", "%d.%m.%Y", "%m/%d/%Y",  "%d/%m/%Y",  "%m/%d/%y", "%d/%m/%y",
    "%d.%m.%y",  "%d-%m-%Y",   "%m-%d-%Y", "%Y/%m/%d",  "%Y.%m.%d",  "%d-%b-%Y", "%d-%b-%y",
    "%d %b %Y",  "%d%b%Y",     "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%d. %m. %Y",
    "%d. %B %Y", "%d-%m-%y",   "%m-%d-%y", "%y-%m-%d"};
constexpr std::array<std::string_view, 8> time_formats{
    "",          " %H:%M",       " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p",
    "T%H:%M:%S", " %H:%M:%S.%f", ":%H:%M:%S"};

/// ISO 8601, and every way to write a day, with and without a time.
const std::vector<std::string>& date_formats() {
  static const auto formats = [] {
    std::vector<std::string> all{""};
    for (const auto time : time_formats) {
      for (const auto day : day_formats) all.push_back(std::string(day) + std::string(time));
    }
    return all;
  }();
  return formats;
}

constexpr std::size_t longest_date = 40;

constexpr std::string_view compact_format = "%Y%m%d";
constexpr std::string_view stamp_format = "%Y%m%d%H%M%S";
constexpr std::array<std::string_view, digit_orders> digit_formats{"%d%m%Y", "%m%d%Y", "%y%m%d",
                                                                   "%d%m%y", "%m%d%y"};

bool begins_with_year(std::string_view digits) {
  return digits.starts_with("19") || digits.starts_with("20");
}

/// Whether eight digits are a date of these centuries. Of other numbers, about one in 800 looks
/// like that.
bool is_compact_date(std::string_view digits) {
  constexpr std::size_t length = 8;
  return digits.size() == length && begins_with_year(digits) && parse_date(digits, compact_format);
}

/// As is_compact_date(), followed by the time of day.
bool is_stamp(std::string_view digits) {
  constexpr std::size_t length = 14;
  return digits.size() == length && begins_with_year(digits) && parse_date(digits, stamp_format);
}

/// A date with another order of its digits. Years of four digits are of these centuries.
bool is_digit_date(std::string_view digits, std::string_view format) {
  constexpr std::size_t with_short_year = 6;
  constexpr std::size_t year_place = 4;
  const bool long_year = format.ends_with("%Y");
  if (digits.size() != with_short_year + (long_year ? 2 : 0)) return false;
  if (long_year && !begins_with_year(digits.substr(year_place))) return false;
  return parse_date(digits, format).has_value();
}

}  // namespace

const std::vector<std::string>& usual_symbols() {
  static const std::vector<std::string> symbols{
      "US$", "EUR", "USD", "GBP", "CHF", "JPY", "CAD", "AUD", "SEK", "NOK", "DKK", "PLN", "INR",
      "R$", "kr", "$", "%", "\xe2\x82\xac", "\xe2\x82\xb9", "\xc2\xa3", "\xc2\xa5",
      // The lira, the won, the rouble, the koruna, the zloty.
      "\xe2\x82\xba", "\xe2\x82\xa9", "\xe2\x82\xbd", "K\xc4\x8d", "z\xc5\x82",
      // Non-breaking blanks and invisible characters, which web pages put around numbers.
      "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x8b", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xef\xbb\xbf"};
  return symbols;
}

bool known_thousands(std::string_view sign) {
  return std::ranges::find(ways, sign, &NumberWay::thousands) != ways.end();
}

class NumberWays {
 public:
  explicit NumberWays(const std::vector<std::string>& said) : symbols_(said) {
    const auto& usual = usual_symbols();
    symbols_.insert(symbols_.end(), usual.begin(), usual.end());
    for (std::size_t k = 0; k < number_ways; ++k) {
      readers_[k] = NumberReader(false, {.decimal = ways[k].decimal,
                                         .thousands = std::string(ways[k].thousands),
                                         .symbols = symbols_});
    }
  }

  [[nodiscard]] bool reads(std::size_t way, std::string_view field) const {
    return readers_[way](field).has_value();
  }
  /// The symbols that occur beside numbers; those found first come first.
  [[nodiscard]] const std::vector<std::string>& symbols() const { return symbols_; }

 private:
  std::vector<std::string> symbols_;
  std::array<NumberReader, number_ways> readers_;
};

bool means_missing(std::string_view text) {
  constexpr std::array<std::string_view, 60> known{"",
                                                   "\xc2\xa0",
                                                   "\xe2\x80\x93",
                                                   "\xe2\x80\x94",
                                                   "\"\"",
                                                   "._",
                                                   "nd",
                                                   "nr",
                                                   "n/d",
                                                   "n/r",
                                                   "fehlt",
                                                   "manquant",
                                                   "saknas",
                                                   "uppgift saknas",
                                                   "refused",
                                                   "don't know",
                                                   "not recorded",
                                                   "not done",
                                                   "1.#ind",
                                                   "-1.#ind",
                                                   "1.#qnan",
                                                   "na",
                                                   "n/a",
                                                   "n.a.",
                                                   "nan",
                                                   "null",
                                                   "none",
                                                   "nil",
                                                   ".",
                                                   "..",
                                                   "-",
                                                   "--",
                                                   "?",
                                                   "unknown",
                                                   "n.v.",
                                                   "???",
                                                   "missing",
                                                   "#n/a",
                                                   "<na>",
                                                   "nat",
                                                   "not available",
                                                   "#na",
                                                   "n.d.",
                                                   "*",
                                                   "k.a.",
                                                   "#value!",
                                                   "#div/0!",
                                                   "#null!",
                                                   "keine angabe",
                                                   "(null)",
                                                   "<null>",
                                                   "\\n",
                                                   "#ref!",
                                                   "#num!",
                                                   "#name?",
                                                   "(blank)",
                                                   "(empty)",
                                                   "(missing)",
                                                   "**",
                                                   "0000-00-00"};
  constexpr std::size_t longest = 16;
  text = without_blanks(text);
  if (text.size() > longest) return false;
  // SAS writes .A to .Z, Stata .a to .z.
  const bool letter = text.size() == 2 && text[0] == '.' && lower_case(text[1]) >= 'a' &&
                      lower_case(text[1]) <= 'z';
  // Eurostat writes a colon, perhaps followed by a letter or two that give a reason.
  constexpr std::size_t longest_reason = 4;
  const bool colon = text == ":" || (text.starts_with(": ") && text.size() <= longest_reason);
  if (letter || colon) return true;
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), lower_case);
  return std::ranges::find(known, lower) != known.end();
}

// --- facts

SpellingFacts::SpellingFacts(const SaidSpelling& said)
    : number_ways_(std::make_shared<NumberWays>(said.symbols)), format_(said.date_format) {}

void SpellingFacts::add(std::string_view field) {
  field = without_blanks(field);
  if (means_missing(field)) {
    ++words_;
    return;
  }
  ++count_;
  if (std::ranges::all_of(field, is_digit)) {
    for (auto& count : numbers_) ++count;
    if (is_compact_date(field)) ++compact_dates_;
    if (is_stamp(field)) ++stamps_;
    for (std::size_t k = 0; k < digit_orders; ++k) {
      const bool all_before = digit_dates_[k] + 1 == count_;
      if (all_before && is_digit_date(field, digit_formats[k])) ++digit_dates_[k];
    }
    if (first_digits_.empty()) first_digits_ = field;
    may_be_dates_ = false;
    return;
  }
  bool number = false;
  for (std::size_t k = 0; k < number_ways; ++k) {
    if (!number_ways_->reads(k, field)) continue;
    ++numbers_[k];
    number = true;
  }
  if (number) {
    signs_ = true;
    percents_ += field.ends_with('%') ? 1 : 0;
    for (const auto& symbol : number_ways_->symbols()) {
      if (!field.starts_with(symbol) && !field.ends_with(symbol) && field.find("-" + symbol) != 0) {
        continue;
      }
      if (std::ranges::find(symbols_, symbol) == symbols_.end()) symbols_.push_back(symbol);
      break;
    }
  }
  if (!may_be_dates_ || field.size() > longest_date) return;
  dates_.resize(date_formats().size() + (format_.empty() ? 0 : 1));
  bool date = false;
  // after this many values, formats that read none are not tried any more
  constexpr std::int64_t enough = 100;
  for (std::size_t k = 0; k < dates_.size(); ++k) {
    if (count_ > enough && dates_[k].count == 0 && dates() > 0) continue;
    const auto day = parse_date(field, way(k));
    if (!day) continue;
    date = true;
    ++dates_[k].count;
    // A sum that depends on the order of the values, so that two readings that exchange some days
    // differ.
    dates_[k].sum += *day * (1 + dates_[k].count % 1021);
  }
  // If most values are not dates, the rest need not be tried.
  if (!date && count_ > 100 && dates() * 10 < count_) may_be_dates_ = false;
}

std::string_view SpellingFacts::way(std::size_t k) const {
  return k < date_formats().size() ? std::string_view(date_formats()[k])
                                   : std::string_view(format_);
}

std::vector<std::size_t> SpellingFacts::best_numbers() const {
  std::vector<std::size_t> best;
  for (std::size_t k = 0; k < number_ways; ++k) {
    if (numbers_[k] > 0 && numbers_[k] == numbers()) best.push_back(k);
  }
  return best;
}

std::vector<std::size_t> SpellingFacts::best_dates() const {
  std::vector<std::size_t> best;
  for (std::size_t k = 0; k < dates_.size(); ++k) {
    if (dates_[k].count > 0 && dates_[k].count == dates()) best.push_back(k);
  }
  return best;
}

std::int64_t SpellingFacts::numbers() const { return *std::ranges::max_element(numbers_); }

std::int64_t SpellingFacts::dates() const {
  std::int64_t max = 0;
  for (const auto& way : dates_) max = std::max(max, way.count);
  return max;
}

// --- the guess

SpellingGuess::SpellingGuess(const std::vector<std::string>& names,
                             const std::vector<SpellingFacts>& columns, SaidSpelling said)
    : names_(names),
      said_(std::move(said)),
      own_(columns.size()),
      reading_(columns.size()),
      numeric_(columns.size()),
      dates_(columns.size()),
      as_dates_(columns.size()),
      examples_(columns.size()),
      currencies_(columns.size()),
      some_percent_(columns.size()) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto& facts = columns[k];
    numeric_[k] = facts.count_ > 0 && facts.numbers() == facts.count_;
    // Numbers of eight digits are dates if all of them can be: 20110131. Other numbers are not
    // dates.
    const bool stamps = facts.count_ > 0 && facts.stamps_ == facts.count_;
    if (stamps || (facts.count_ > 0 && facts.compact_dates_ == facts.count_)) {
      numeric_[k] = false;
      dates_[k] = true;
      own_[k].date_format = std::string(stamps ? stamp_format : compact_format);
      continue;
    }
    note_digits(k, facts);
    note_currencies(k, facts);
    some_percent_[k] = facts.percents_ > 0 && facts.percents_ < facts.count_;
    dates_[k] = facts.count_ > 0 && !numeric_[k] && facts.dates() == facts.count_;
    if (dates_[k]) guess_dates(k, facts);
  }
  guess_numbers(columns);
  for (std::size_t k = 0; k < columns.size(); ++k) read_most(k, columns[k]);
}

/// Notes a column of dates without separators: six or eight digits, a valid day in every value.
void SpellingGuess::note_digits(std::size_t k, const SpellingFacts& facts) {
  constexpr std::int64_t enough = 20;
  if (facts.count_ < enough) return;
  for (std::size_t order = 0; order < digit_orders; ++order) {
    if (facts.digit_dates_[order] < facts.count_) continue;
    as_dates_[k] = std::string(digit_formats[order]);
    examples_[k] = facts.first_digits_;
    return;
  }
}

void SpellingGuess::note_currencies(std::size_t k, const SpellingFacts& facts) {
  for (const auto& symbol : facts.symbols_) {
    const bool invisible = symbol.starts_with("\xc2\xa0") || symbol.starts_with("\xe2\x80") ||
                           symbol == "\xef\xbb\xbf";
    const bool said = std::ranges::find(said_.symbols, symbol) != said_.symbols.end();
    if (!invisible && !said) currencies_[k].push_back(symbol);
  }
}

/// If only most values are numbers or dates, the column is read as such, to find the others.
void SpellingGuess::read_most(std::size_t k, const SpellingFacts& facts) {
  reading_[k] = merged(file_, own_[k]);
  if (numeric_[k] || dates_[k]) return;
  if (2 * facts.dates() > facts.count_) {
    reading_[k].date_format = std::string(facts.way(facts.best_dates().front()));
    mostly_dates_.insert(k);
  } else if (2 * facts.numbers() > facts.count_) {
    const auto& way = ways[facts.best_numbers().front()];
    reading_[k] = {
        .decimal = way.decimal, .thousands = std::string(way.thousands), .symbols = facts.symbols_};
  }
}

bool SpellingGuess::allowed(std::size_t way) const {
  return (!said_.decimal || *said_.decimal == ways[way].decimal) &&
         (!said_.thousands || *said_.thousands == ways[way].thousands);
}

std::vector<std::size_t> SpellingGuess::allowed_ways(const SpellingFacts& facts) const {
  auto best = facts.best_numbers();
  std::erase_if(best, [this](std::size_t way) { return !allowed(way); });
  return best;
}

void SpellingGuess::guess_numbers(const std::vector<SpellingFacts>& columns) {
  std::array<std::int64_t, number_ways> scores{};
  bool all_plain = true;
  auto symbols = said_.symbols;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (!numeric_[k]) continue;
    for (const auto& symbol : columns[k].symbols_) {
      if (std::ranges::find(symbols, symbol) == symbols.end()) symbols.push_back(symbol);
    }
    if (!columns[k].signs_) continue;
    const auto best = allowed_ways(columns[k]);
    all_plain = all_plain && !best.empty() && best.front() == 0;
    for (const auto way : best) ++scores[way];
  }
  if (!symbols.empty()) file_.symbols = symbols;
  std::size_t chosen = 0;
  if (!all_plain || said_.decimal || said_.thousands) {
    for (std::size_t way = 0; way < number_ways; ++way) {
      const bool better = allowed(way) && (!allowed(chosen) || scores[way] > scores[chosen]);
      if (better) chosen = way;
    }
  }
  if (ways[chosen].decimal != '.') file_.decimal = ways[chosen].decimal;
  if (!ways[chosen].thousands.empty()) file_.thousands = std::string(ways[chosen].thousands);
  const bool tie = scores[comma_decimal] == scores[comma_thousands] || chosen == 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (!numeric_[k] || !columns[k].signs_) continue;
    const auto best = allowed_ways(columns[k]);
    const auto has = [&](std::size_t way) { return std::ranges::find(best, way) != best.end(); };
    // 1,234 may be a fraction or a thousand. A value such as 0,5 or 1,234,567 in any column would
    // decide it.
    const bool two_readings = has(comma_decimal) && has(comma_thousands) && !has(0);
    if (two_readings && (tie || !has(chosen))) ask_of_numbers(k);
    if (best.empty() || has(chosen)) continue;
    const auto way = best.front();
    if (ways[way].decimal != ways[chosen].decimal) own_[k].decimal = ways[way].decimal;
    if (ways[way].thousands != ways[chosen].thousands) {
      own_[k].thousands = std::string(ways[way].thousands);
    }
  }
}

void SpellingGuess::ask_of_numbers(std::size_t k) {
  if (!question_.empty()) return;
  question_ = fmt::format(
      "the numbers of column '{}' can be read in two ways: in 1,234 the comma may be the sign of "
      "a fraction or of thousands; say which it is, `decimal` \",\" or `thousands` \",\"",
      names_[k]);
}

void SpellingGuess::guess_dates(std::size_t k, const SpellingFacts& facts) {
  const auto best = facts.best_dates();
  auto chosen = best.front();
  const auto said = std::ranges::find_if(
      best, [&](std::size_t way) { return facts.way(way) == said_.date_format; });
  if (!said_.date_format.empty() && said != best.end()) {
    chosen = *said;
  } else {
    for (const auto way : best) {
      if (facts.dates_[way].sum == facts.dates_[chosen].sum || !question_.empty()) continue;
      question_ = fmt::format(
          "the dates of column '{}' can be read in two orders of day and month; say which it is: "
          "`date_format` \"{}\" or \"{}\"",
          names_[k], facts.way(chosen), facts.way(way));
    }
  }
  if (!facts.way(chosen).empty()) own_[k].date_format = std::string(facts.way(chosen));
}

}  // namespace tacet::data
