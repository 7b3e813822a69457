#include "tacet/data/owner/draft_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/ascii.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/owner/code_names.h"
#include "tacet/data/owner/guess_spelling.h"
#include "tacet/data/schema/calendar.h"
#include "tacet/data/schema/schema_node.h"

namespace tacet::data {
namespace {

// A column of numbers with fewer values than this is taken for a class label when it is the target.
constexpr std::size_t max_classes = 20;
// Longer texts on average (in words) are taken for prose rather than codes.
constexpr double fewest_words_of_prose = 3;

// Whole numbers with fewer values than this may be codes; two are flags.
constexpr std::size_t max_codes = 20;

/// Whether a date is one of those that programs write where there is none.
bool usual_filler(double day) {
  constexpr std::array<std::string_view, 7> fillers{"0001-01-01", "1753-01-01", "1899-12-30",
                                                    "1899-12-31", "1900-01-01", "2999-12-31",
                                                    "9999-12-31"};
  return std::ranges::any_of(fillers, [&](std::string_view filler) {
    return static_cast<double>(*parse_date(filler)) == day;
  });
}

/// Each value for itself.
Drafted draft_codes(Column column, const ColumnFacts& facts, std::string_view why) {
  if (facts.many_values) {
    column.rule = HashedColumn{};
  } else {
    column.rule = CategoricalColumn{.categories = facts.texts()};
  }
  return {std::move(column),
          fmt::format("{}, so each value counts for itself. A quantity? Then kind = \"numeric\" "
                      "with lower and upper.",
                      why)};
}

Drafted draft_numbers(Column column, const ColumnFacts& facts) {
  const bool whole = facts.whole_numbers && !facts.dates();
  if (facts.constant()) {
    return {std::move(column), "One value alone, which tells nothing: ignored."};
  }
  if (whole && facts.identifies() && facts.row_numbers()) {
    return {std::move(column),
            "It counts the records: ignored. A quantity? Then kind = \"numeric\" with lower and "
            "upper.",
            true};
  }
  if (whole && facts.identifies() && named_like_identifier(column.name)) {
    return {std::move(column),
            "Every value occurs once: an identifier? It is ignored. Of persons with several "
            "records? Then unit, at the top."};
  }
  if (whole && facts.padded > 0) {
    return draft_codes(std::move(column), facts, "Zeros in front: codes");
  }
  if (whole && named_like_code(column.name)) {
    return draft_codes(std::move(column), facts, "A code by its name");
  }
  const auto [lower, upper] = facts.bounds();
  column.rule = NumericColumn{.lower = lower, .upper = upper, .date = facts.dates()};
  if (facts.dates()) {
    for (const double bound : {lower, upper}) {
      if (!usual_filler(bound)) continue;
      return {std::move(column),
              fmt::format("Some dates are {}: does that stand for a missing value? Then list it, "
                          "as the file spells it, under missing, and mend the bounds.",
                          date_text(static_cast<std::int64_t>(bound))),
              true};
    }
  }
  if (const auto codes = facts.negative_codes(); !codes.empty()) {
    return {std::move(column),
            fmt::format("Below 0 there {}: {} for a missing value? Then list {} under missing.",
                        codes.size() == 1 ? fmt::format("is {} alone", codes[0])
                                          : fmt::format("are {} alone", fmt::join(codes, ", ")),
                        codes.size() == 1 ? "a code" : "codes", codes.size() == 1 ? "it" : "them"),
            true};
  }
  if (whole && facts.identifies()) {
    return {std::move(column),
            "Every value occurs once: an identifier? Then kind = \"ignored\". Of persons with "
            "several records? Then unit, at the top."};
  }
  if (whole && !facts.many_values && facts.values.size() > 2 && facts.values.size() <= max_codes) {
    return {std::move(column),
            fmt::format("{} whole numbers: codes? Then kind = \"categorical\" with categories.",
                        facts.values.size())};
  }
  if (facts.missing == 0) return {std::move(column)};
  return {std::move(column),
          "Some values are missing: does that tell something? Then missing_indicator = true."};
}

/// As it stands but for capital letters and blanks.
std::string folded(std::string_view text) {
  std::string result;
  for (const char c : without_blanks(text)) result += lower_case(c);
  return result;
}

/// Names the first text of a list that may stand for a missing value; empty: none does.
std::string missing_remark(const std::vector<std::string>& texts, std::string_view thing) {
  for (const auto& text : texts) {
    if (!means_missing(text)) continue;
    return fmt::format("\"{}\" is {} here: a missing value? Then list it under missing.", text,
                       thing);
  }
  return {};
}

/// A column of many texts, which may be numbers or dates that are not read.
Drafted unread_column(Column column, const ColumnFacts& facts, std::string remark) {
  constexpr std::string_view ask =
      "Numbers or dates in an unusual spelling? Then write them in a usual one.";
  const bool hashed = std::holds_alternative<HashedColumn>(column.rule);
  if (hashed && facts.identifies()) {
    return {std::move(column), fmt::format("{} {}", remark, ask), true};
  }
  if (!facts.have_digits()) return {std::move(column), std::move(remark)};
  return {std::move(column),
          fmt::format("Texts with digits, such as \"{}\" in line {}. {} Codes or notes? Then the "
                      "draft is right.",
                      facts.first_other.text, facts.first_other.line, ask),
          true};
}

/// The first two texts that are alike but for capital letters and blanks; empty: none are.
std::string alike_remark(const std::vector<std::string>& texts, std::string_view things) {
  std::map<std::string, std::string> found;
  for (const auto& text : texts) {
    const auto [place, is_new] = found.emplace(folded(text), text);
    if (is_new) continue;
    return fmt::format(
        "\"{}\" and \"{}\" are two {}: one? Then write it one way in the "
        "file.",
        place->second, text, things);
  }
  return {};
}

}  // namespace

Drafted draft_column(const std::string& name, const ColumnFacts& facts) {
  Column column{.name = name, .rule = IgnoredColumn{}};
  if (facts.numeric() || facts.dates()) return draft_numbers(std::move(column), facts);
  if (facts.others == 0) return {std::move(column), "No value at all: ignored."};
  if (facts.ids.several()) {
    column.rule = IdsColumn{.separator = facts.ids.separator,
                            .max_ids = std::min(facts.ids.most, internal::max_ids)};
    return {std::move(column),
            "Several numbers in a field, up to 'most' of a record: ids? From 0 to below a public "
            "number: count instead of bits. A measure or a text? Then another kind."};
  }
  std::string remark = facts.shapes.remark();
  const bool doubtful = !remark.empty() || facts.numbers > facts.others;
  if (!remark.empty()) {
    // Said; how often they stand there matters less.
  } else if (facts.others == 1 && facts.numbers > 1) {
    remark = fmt::format(
        "{} numbers and one text, \"{}\" in line {}: units, a sum or a fault? Then take that line "
        "out of the file. A missing value? List the text under missing.",
        facts.numbers, facts.first_other.text, facts.first_other.line);
  } else if (facts.identifies()) {
    remark =
        "Every value occurs once: an identifier? Then kind = \"ignored\". Of persons with several "
        "records? Then unit, at the top.";
  } else if (facts.numbers > 0) {
    remark = fmt::format(
        "{} {} among {} texts, the first \"{}\" in line {}: do some texts mean a missing "
        "value? List them under missing.",
        facts.numbers, facts.date_reader() ? "dates" : "numbers", facts.others,
        facts.first_other.text, facts.first_other.line);
  }
  if (facts.constant()) {
    return {std::move(column), "One value alone, which tells nothing: ignored."};
  }
  if (!facts.many_values && facts.text_is_sound) {
    column.rule = CategoricalColumn{.categories = facts.texts()};
    if (remark.empty()) {
      remark = alike_remark(facts.texts(), "categories");
      const bool alike = !remark.empty();
      // A category of its own is right too, so it is said in the schema alone.
      if (!alike) remark = missing_remark(facts.texts(), "a category");
      return {std::move(column), std::move(remark), alike};
    }
  } else if (static_cast<double>(facts.words) >=
             fewest_words_of_prose * static_cast<double>(facts.others)) {
    column.rule = TextColumn{};
  } else {
    column.rule = HashedColumn{};
  }
  const bool listed = std::holds_alternative<CategoricalColumn>(column.rule);
  if (!listed && !doubtful && !named_like_code(column.name)) {
    return unread_column(std::move(column), facts, std::move(remark));
  }
  return {std::move(column), std::move(remark), doubtful};
}

namespace {

/// Whether whole numbers from 0 or 1 on are counts rather than classes: small ones are common.
bool looks_like_count(const ColumnFacts& facts) {
  if (!facts.numeric() || !facts.whole_numbers || facts.lower < 0 || facts.lower > 1) return false;
  if (facts.many_values) return true;
  constexpr std::size_t fewest = 4;
  if (facts.values.size() < fewest) return false;
  std::int64_t large = 0;
  for (const auto& [text, count] : facts.values) {
    const auto number = parse_number(text);
    if (number && *number > (facts.lower + facts.upper) / 2) large += count;
  }
  return facts.values.size() > max_classes || 4 * large < facts.numbers;
}

/// Whether a class is the negation of another one, which is predicted.
bool negates(std::string_view text) {
  constexpr std::array<std::string_view, 22> words{
      "no",    "n",          "non",      "nein", "nee",     "nej",   "nie",  "ne",
      "nao",   "n\xc3\xa3o", "false",    "f",    "falsch",  "falso", "faux", "0",
      "never", "none",       "negative", "neg",  "negativ", "absent"};
  return std::ranges::find(words, folded(text)) != words.end();
}

/// Two classes: the positive one is not the negation.
BinaryTarget two_classes(std::vector<std::string> values) {
  if (negates(values[1]) && !negates(values[0])) std::swap(values[0], values[1]);
  return BinaryTarget{.positive = {values[1]}, .negative = {values[0]}};
}

/// Two classes of which some are spelt in several ways.
std::optional<BinaryTarget> two_classes_in_spellings(const std::vector<std::string>& values) {
  std::map<std::string, std::vector<std::string>> spellings;
  for (const auto& value : values) spellings[folded(value)].push_back(value);
  if (values.size() <= 2 || spellings.size() != 2) return std::nullopt;
  const bool turned = negates(spellings.rbegin()->first) && !negates(spellings.begin()->first);
  auto& first = spellings.begin()->second;
  auto& second = spellings.rbegin()->second;
  return BinaryTarget{.positive = turned ? first : second, .negative = turned ? second : first};
}

/// What is strange about one of several classes; empty: nothing.
std::string odd_class(const ColumnFacts& facts) {
  const auto texts = facts.texts();
  if (auto remark = missing_remark(texts, "a class"); !remark.empty()) return remark;
  if (facts.numbers > 0 && facts.others > 0) {
    const auto number = std::ranges::find_if(
        texts, [](const auto& text) { return parse_number(text).has_value(); });
    if (number == texts.end()) return {};
    return fmt::format(
        "The class \"{}\" is a number and \"{}\" is none: does one of them stand for a missing "
        "value? Then list it under missing of the target. Are there two classes in all? Then list "
        "their spellings as positive and negative.",
        *number, facts.first_other.text);
  }
  constexpr std::int64_t enough = 50;
  for (const auto& [text, count] : facts.values) {
    if (count > 1 || facts.numbers + facts.others < enough) continue;
    return fmt::format(
        "The class \"{}\" occurs once: a fault or a missing value? Then mend it, or list it under "
        "missing of the target.",
        text);
  }
  return {};
}

/// A target that is a number.
DraftedTarget numeric_target(Target target, const ColumnFacts& facts) {
  if (!facts.whole_numbers && facts.lower >= 0 && facts.upper <= 1) {
    target.rule = RegressionTarget{.kind = NumberKind::probability};
    return {std::move(target),
            "Numbers from 0 to 1: shares. Another number? Then lower and upper instead of kind."};
  }
  if (looks_like_count(facts)) {
    target.rule = RegressionTarget{.upper = facts.upper, .kind = NumberKind::count};
    return {std::move(target),
            "Whole numbers from 0 or 1 on: a count. A measure? Then lower and upper instead of "
            "kind. Classes? Then classes."};
  }
  const auto [lower, upper] = facts.bounds();
  target.rule = RegressionTarget{.lower = lower, .upper = upper};
  if (const auto codes = facts.negative_codes(); !codes.empty()) {
    return {std::move(target),
            fmt::format("Below 0 there is {} alone: for a missing value? Then list it under "
                        "missing of the target, and mend its bounds.",
                        fmt::join(codes, ", ")),
            true};
  }
  return {std::move(target)};
}

/// Names the value that is neither number nor class.
[[noreturn]] void refuse_target(const std::string& name, const ColumnFacts& facts,
                                std::string_view file) {
  if (facts.numbers + facts.others == 0) {
    throw base::DataError("{}: the target '{}' has no value at all", file, name);
  }
  if (facts.dates()) {
    throw base::DataError(
        "{}: the target '{}' is a date, which is neither a number nor a class; write the number of "
        "days since another date, or whether it is before one",
        file, name);
  }
  if (!facts.many_values && facts.values.size() == 1) {
    throw base::DataError(
        "{}: the target '{}' is \"{}\" in every record, so there is nothing to "
        "predict",
        file, name, facts.values.begin()->first);
  }
  const bool mostly_numbers = facts.numbers > facts.others;
  if (mostly_numbers) {
    throw base::DataError(
        "{}:{}: the target '{}' is a number elsewhere and \"{}\" here; if that stands for a "
        "missing value, list it under `missing`{}{}",
        file, facts.first_other.line, name, facts.first_other.text,
        facts.shapes.remark().empty() ? "" : ". ", facts.shapes.remark());
  }
  throw base::DataError(
      "{}:{}: the target '{}' is neither a number nor a class with 2 to {} values; \"{}\" is one "
      "of more{}{}",
      file, facts.one_too_many.line > 0 ? facts.one_too_many.line : facts.first_other.line, name,
      max_classes, facts.one_too_many.line > 0 ? facts.one_too_many.text : facts.first_other.text,
      facts.shapes.remark().empty() ? "" : ". ", facts.shapes.remark());
}

}  // namespace

DraftedTarget draft_target(const std::string& name, const ColumnFacts& facts,
                           std::string_view file) {
  Target target{.column = name, .rule = {}};
  const auto values = facts.texts();
  const bool listed = !facts.many_values && facts.text_is_sound;
  if (listed && values.size() == 2) {
    target.rule = two_classes(values);
    auto remark = odd_class(facts);
    const bool doubt = !remark.empty();
    return {std::move(target), std::move(remark), doubt};
  }
  if (auto rule = listed ? two_classes_in_spellings(values) : std::nullopt) {
    target.rule = *std::move(rule);
    return {std::move(target),
            "Classes that differ by capital letters or blanks alone are taken for one."};
  }
  const bool fraction = facts.numeric() && !facts.whole_numbers;
  const bool classes = listed && values.size() > 2 && values.size() <= max_classes;
  if (classes && !fraction && !looks_like_count(facts)) {
    const bool numbers = facts.numeric();
    target.rule = MultiClassTarget{.classes = values};
    if (auto alike = alike_remark(values, "classes"); !alike.empty()) {
      alike += " Are there two classes in all? Then list their spellings as positive and negative.";
      return {std::move(target), std::move(alike), true};
    }
    if (auto odd = odd_class(facts); !odd.empty()) {
      return {std::move(target), std::move(odd), true};
    }
    return {std::move(target), numbers ? "Whole numbers, taken for classes. A count? Then kind = "
                                         "\"count\" and upper. A measure? Then lower and upper."
                                       : ""};
  }
  if (facts.numeric() && !facts.constant()) return numeric_target(std::move(target), facts);
  refuse_target(name, facts, file);
}

}  // namespace tacet::data
