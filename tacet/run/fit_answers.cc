#include "tacet/run/fit_answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tacet/data/ascii.h"
#include "tacet/data/owner/guess_spelling.h"
#include "tacet/data/owner/text_shapes.h"
#include "tacet/data/schema/calendar.h"

namespace tacet::run::internal {

std::string why_no_target(const std::string& target, const mechanism::KindCounts& counts,
                          double need) {
  const auto numbers = std::max<std::int64_t>(counts.numbers, 0);
  const auto texts = std::max<std::int64_t>(counts.codes + counts.prose, 0);
  if (texts > numbers) {
    return fmt::format(
        "The schema has no target: column '{}' holds about {} texts and {} numbers. If it has "
        "classes, say so with `positive` or `class`; if its numbers are spelt in another way, with "
        "`decimal`, `thousands` or `symbol`.",
        target, texts, numbers);
  }
  return fmt::format(
      "The schema has no target: column '{}' holds about {} numbers, and this budget needs {:.0f} "
      "for bounds. Write [target] with public bounds, or fit with a larger epsilon.",
      target, numbers, std::ceil(need));
}

namespace {

/// How a list of texts would be read as numbers or dates; empty: not at all.
std::string as_numbers(const std::string& name, const std::vector<std::string>& texts) {
  constexpr std::size_t fewest = 2;
  data::SpellingFacts facts;
  data::TextShapes shapes;
  std::int64_t values = 0;
  for (const auto& text : texts) {
    if (data::means_missing(text)) continue;
    ++values;
    facts.add(text);
    shapes.add(text);
  }
  if (texts.size() < fewest || values == 0) return {};
  const std::vector<std::string> names{name};
  const data::SpellingGuess guess(names, {facts}, {});
  if (guess.dates(0)) {
    const auto order = guess.own(0).date_format.value_or("");
    return fmt::format("are dates: fit again with `date` \"{}\"{}", name,
                       order.empty() ? "" : fmt::format(" and `date_format` \"{}\"", order));
  }
  if (!guess.numeric(0)) {
    const auto remark = shapes.remark();
    return remark.empty() ? remark : fmt::format("are no plain numbers. {}", remark);
  }
  std::vector<std::string> keys;
  if (guess.file().decimal) keys.emplace_back("`decimal` \",\"");
  if (guess.file().thousands) {
    keys.push_back(fmt::format("`thousands` \"{}\"", *guess.file().thousands));
  }
  if (guess.file().symbols) {
    keys.push_back(fmt::format("`symbol` \"{}\"", guess.file().symbols->front()));
  }
  if (keys.empty()) return {};
  return fmt::format("are numbers: fit again with {}", fmt::join(keys, " and "));
}

/// Minus nines far below the other bound, as codes for a missing value are.
bool like_missing(const data::NumericColumn& rule) {
  constexpr double near = .02;
  constexpr double far = .2;
  for (double nines = 99; nines < 1e6; nines = 10 * nines + 9) {
    const bool low = std::abs(rule.lower + nines) < near * nines && rule.upper < far * nines;
    if (!rule.date && low) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> doubts_of(const FitRequest& request, const data::Schema& schema) {
  std::vector<std::string> doubts;
  for (const auto& column : schema.columns) {
    const bool codes = request.takes_for_codes(column.name);
    if (const auto* listed = std::get_if<data::CategoricalColumn>(&column.rule)) {
      const auto found = codes ? "" : as_numbers(column.name, listed->categories);
      if (found.empty()) continue;
      doubts.push_back(fmt::format("The categories of '{}', such as \"{}\", {}.", column.name,
                                   listed->categories.front(), found));
    } else if (const auto* numbers = std::get_if<data::NumericColumn>(&column.rule);
               numbers != nullptr && like_missing(*numbers)) {
      doubts.push_back(fmt::format(
          "The lower bound of '{}' is {:.6g}: is there a code for a missing value, such as -999? "
          "Then list it under missing in the schema, and mend the bound.",
          column.name, numbers->lower));
    }
  }
  return doubts;
}

std::vector<std::string> unlisted_texts(const FitRequest& request, const data::Schema& schema) {
  std::vector<std::string> names;
  for (const auto& column : schema.columns) {
    const bool hashed = std::holds_alternative<data::HashedColumn>(column.rule);
    if (hashed && !request.takes_for_codes(column.name)) names.push_back(column.name);
  }
  return names;
}

std::string about_names(const std::vector<std::string>& names) {
  if (names.empty()) return "; the records have no column at all";
  const auto any = [&](const auto& property) { return std::ranges::any_of(names, property); };
  if (names.front().starts_with('#')) {
    return "; its first line begins with #: a comment? Then give `comment` \"#\"";
  }
  if (names.size() == 1) {
    return "; its first line is one name: name the `separator`, or take out what stands above the "
           "names";
  }
  if (any([](const std::string& name) {
        return data::without_blanks(name).size() < name.size();
      })) {
    return "; there are blanks around its names: give `trim`";
  }
  if (any([](const std::string& name) { return name.starts_with('\'') && name.ends_with('\''); })) {
    return "; there are single quotes around its names: give `quote` \"'\"";
  }
  return {};
}

data::NumericColumn numbers_between(const mechanism::Bounds& found, bool dates) {
  if (!dates) return {.lower = found.lower, .upper = found.upper};
  const auto first = static_cast<double>(data::first_day);
  const auto last = static_cast<double>(data::last_day);
  const double lower = std::clamp(std::floor(found.lower), first, last - 1);
  const double upper = std::clamp(std::ceil(found.upper), lower + 1, last);
  return {.lower = lower, .upper = upper, .date = true};
}

void cap_hashed(std::int64_t max, data::Schema& schema) {
  std::vector<int*> bits;
  for (auto& column : schema.columns) {
    if (auto* hashed = std::get_if<data::HashedColumn>(&column.rule)) bits.push_back(&hashed->bits);
    if (auto* text = std::get_if<data::TextColumn>(&column.rule)) bits.push_back(&text->bits);
  }
  for (auto* own : bits) {
    const double share = static_cast<double>(max) / static_cast<double>(bits.size());
    *own = std::clamp(static_cast<int>(std::floor(std::log2(std::max(share, 2.0)))), 1, *own);
  }
}

void keep_one_column(const FitRequest& request, data::Schema& schema) {
  const bool some = std::ranges::any_of(
      schema.columns, [](const data::Column& column) { return !column.ignored(); });
  if (some || (schema.intercept && schema.target)) return;
  for (auto& column : schema.columns) {
    if (request.ignores(column.name)) continue;
    column.rule = data::HashedColumn{1};
    return;
  }
}

}  // namespace tacet::run::internal
