#include "tacet/data/owner/column_facts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "tacet/data/ascii.h"
#include "tacet/data/encode/decimal.h"
#include "tacet/data/encode/public_hash.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/schema/calendar.h"
#include "tacet/data/utf8.h"

namespace tacet::data {
namespace {

// The number of values of a column that are remembered, to see whether each occurs only once.
constexpr std::size_t max_remembered = std::size_t{1} << 20;
constexpr std::size_t fewest_identifiers = 10;

// Longer texts are not categories; they would fill the memory.
constexpr std::size_t longest_category = 1000;

// Possible separators of ids; the first one that fits is taken.
constexpr std::string_view id_separators = ";|, ";

/// The number of whole numbers from 0 up in a field, with one separator between them; 0 for any
/// other field.
std::int64_t ids_in(std::string_view field, char separator) {
  std::int64_t ids = 0;
  while (true) {
    auto id = field.substr(0, field.find(separator));
    field.remove_prefix(std::min(field.size(), id.size() + 1));
    while (id.starts_with(' ')) id.remove_prefix(1);
    if (id.empty() || !std::ranges::all_of(id, is_digit)) return 0;
    ++ids;
    if (field.empty()) return ids;
  }
}

/// -99, -999, ... or 999, 9999, ...
bool only_nines(double number) {
  for (double nines = 99; nines < 1e10; nines = 10 * nines + 9) {
    if (number == -nines || (number == nines && nines > 99)) return true;
  }
  return false;
}

/// Whether a number is a year of these centuries followed by a number from 1 to `max`, written
/// below `place` (a power of ten).
bool in_years(double number, double place, double max) {
  constexpr double first_year = 1900;
  constexpr double last_year = 2099;
  const double year = std::floor(number / place);
  const double rest = number - year * place;
  return year >= first_year && year <= last_year && rest >= 1 && rest <= max;
}

}  // namespace

void IdFacts::add(std::string_view field) {
  if (!all) return;
  const auto place = field.find_first_of(id_separators);
  if (separator == '\0' && place != std::string_view::npos) separator = field[place];
  const auto ids = ids_in(field, separator == '\0' ? ' ' : separator);
  all = ids > 0;
  max_ids = std::max(max_ids, ids);
}

void ColumnFacts::add(std::string_view field, std::int64_t line) {
  if (const auto number = reader_(field)) {
    add_number(*number, field, line);
  } else {
    if (others++ == 0) first_other = {std::string(field.substr(0, longest_category)), line};
    shapes.add(field);
    with_digits_ += std::ranges::any_of(field, is_digit) ? 1 : 0;
    words += 1 + std::count(field.begin(), field.end(), ' ');
  }
  ids.add(field);
  note_repeats(field);
  if (many_values) return;
  const auto found = values.find(field);
  if (found != values.end()) {
    ++found->second;
    return;
  }
  text_is_sound = text_is_sound && valid_utf8(field);
  if (values.size() == max_values_ || field.size() > longest_category) {
    many_values = true;
    values.clear();
    one_too_many = {std::string(field.substr(0, longest_category)), line};
  } else {
    values.emplace(field, 1);
  }
}

void FarNumbers::add(double number, std::string_view field, std::int64_t line) {
  constexpr std::size_t max_found = 5;
  const double key = sign_ * number;
  if (found_.size() == max_found && key <= found_.begin()->first) return;
  found_.try_emplace(key, PlacedText{std::string(field), line});
  if (found_.size() > max_found) found_.erase(found_.begin());
}

std::vector<PlacedText> FarNumbers::beyond(double other_end) const {
  constexpr double far = 2;
  std::vector<PlacedText> beyond;
  for (auto number = found_.rbegin(); number != found_.rend(); ++number) {
    const auto next = std::next(number);
    if (next == found_.rend()) break;
    beyond.push_back(number->second);
    const double apart = next->first - sign_ * other_end;
    if (apart > 0 && number->first - next->first > far * apart) return beyond;
  }
  return {};
}

std::vector<PlacedText> ColumnFacts::far_numbers() const {
  constexpr std::int64_t enough = 20;
  if (plain_numbers_ < enough) return {};
  auto found = highest_.beyond(plain_lower_);
  return found.empty() ? lowest_.beyond(plain_upper_) : found;
}

double ColumnFacts::above_lone_zeros() const {
  constexpr double apart = .25;  // of the range of the others
  const bool lone = many_values && zeros_ > 1 && plain_lower_ == 0 && !reader_.date() &&
                    min_positive_ > apart * (plain_upper_ - min_positive_);
  return lone ? min_positive_ : 0;
}

std::int64_t ColumnFacts::frequent_99() const {
  constexpr std::int64_t share = 40;  // more often than one value in this many
  const bool largest = whole_numbers && many_values && plain_upper_ == 99 && upper == 99;
  return largest && share * ninety_nines_ > numbers ? ninety_nines_ : 0;
}

void ColumnFacts::add_number(double number, std::string_view field, std::int64_t line) {
  counts_up_ = counts_up_ && (numbers == 0 || number == last_number_ + 1);
  last_number_ = number;
  lower = numbers == 0 ? number : std::min(lower, number);
  upper = numbers == 0 ? number : std::max(upper, number);
  ++numbers;
  whole_numbers = whole_numbers && std::floor(number) == number;
  months_ = months_ && in_years(number, month_place, 12);
  year_days_ = year_days_ && in_years(number, day_place, 366);
  const bool digits = std::ranges::all_of(field, is_digit);
  padded += digits && field.size() > 1 && field.front() == '0' ? 1 : 0;
  const auto exponent = field.find("E+");
  with_exponent_ += exponent != std::string_view::npos && field.size() - exponent > 3 &&
                            field[exponent + 2] != '0'
                        ? 1
                        : 0;
  if (!reader_.date() && only_nines(number)) {
    auto& [text, count] = nines_[number];
    if (count++ == 0) text = field;
    return;
  }
  if (number < 0) {
    const bool code = number >= -9 && std::floor(number) == number;
    if (code) negative_codes_.insert(static_cast<int>(number));
    other_negatives_ = other_negatives_ || !code;
  }
  if (number > 0 && (min_positive_ == 0 || number < min_positive_)) min_positive_ = number;
  zeros_ += number == 0 ? 1 : 0;
  ninety_nines_ += number == 99 ? 1 : 0;
  highest_.add(number, field, line);
  lowest_.add(number, field, line);
  plain_lower_ = plain_numbers_ == 0 ? number : std::min(plain_lower_, number);
  plain_upper_ = plain_numbers_ == 0 ? number : std::max(plain_upper_, number);
  ++plain_numbers_;
}

bool ColumnFacts::numbers_in_years(bool all, double place) const {
  constexpr std::int64_t enough = 20;
  const bool years = std::floor(lower / place) < std::floor(upper / place);
  return all && whole_numbers && numeric() && numbers >= enough && years;
}

void ColumnFacts::note_repeats(std::string_view field) {
  if (!each_once_) return;
  each_once_ = seen_.size() < max_remembered && seen_.insert(public_hash(field)).second;
  if (!each_once_) seen_.clear();
}

bool ColumnFacts::identifies() const { return each_once_ && seen_.size() >= fewest_identifiers; }

std::pair<double, double> ColumnFacts::bounds() const {
  if (lower < upper) return {lower, upper};
  if (!reader_.date()) return {lower, lower + std::max(1.0, std::abs(lower))};
  const double last = static_cast<double>(last_day);
  return lower < last ? std::pair(lower, lower + 1) : std::pair(lower - 1, lower);
}

std::vector<std::string> ColumnFacts::texts() const {
  std::vector<std::string> result;
  std::set<std::string, std::less<>> spelt;
  std::string room;
  for (const auto& [text, count] : values) {
    const bool again = parse_number(text) && !spelt.emplace(one_spelling(text, room)).second;
    if (!again) result.push_back(text);
  }
  return result;
}

std::vector<std::string> ColumnFacts::sentinels() const {
  std::vector<std::string> found;
  if (plain_numbers_ == 0) return found;
  for (const auto& [number, spelt] : nines_) {
    const bool below = number < 0 && plain_lower_ > number / 2;
    constexpr double far = 5;
    const bool above = number > 0 && plain_upper_ < number / far && spelt.second > 1;
    if (below || above) found.push_back(spelt.first);
  }
  return found;
}

std::vector<std::string> ColumnFacts::negative_codes() const {
  constexpr std::size_t max_codes = 4;
  constexpr double widest = 3;  // a range of a few numbers around 0 is a scale and not codes
  std::vector<std::string> found;
  if (reader_.date() || other_negatives_ || negative_codes_.size() > max_codes) return found;
  if (negative_codes_.empty() || upper < widest) return found;
  // A scale goes through 0 without a gap: -3, -2, -1, 0, 1, ...
  if (*negative_codes_.rbegin() == -1 && negative_codes_.size() > 1) return found;
  for (const int code : negative_codes_) found.push_back(std::to_string(code));
  return found;
}

void ColumnFacts::take_off_sentinels() {
  for (const auto& text : sentinels()) {
    const double number = *reader_(text);
    const auto& [spelt, count] = nines_.at(number);
    numbers -= count;
    missing += count;
    nines_.erase(number);
    std::erase_if(values, [&](const auto& value) { return reader_(value.first) == number; });
  }
  lower = plain_lower_;
  upper = plain_upper_;
  for (const auto& [number, spelt] : nines_) {
    lower = std::min(lower, number);
    upper = std::max(upper, number);
  }
}

}  // namespace tacet::data
