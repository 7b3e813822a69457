#include "tacet/data/owner/draft_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/ascii.h"
#include "tacet/data/encode/value_index.h"
#include "tacet/data/owner/code_names.h"
#include "tacet/data/schema/schema_node.h"

namespace tacet::data {
namespace {

// A column of numbers with fewer values than this is taken for a class label when it is the target.
constexpr std::size_t max_classes = 20;
// Longer texts on average (in words) are taken for prose rather than codes.
constexpr double fewest_words_of_prose = 3;

// Whole numbers with fewer values than this may be codes; two are flags.
constexpr std::size_t max_codes = 20;

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
        "{} numbers among {} texts, the first \"{}\" in line {}: do some texts mean a missing "
        "value? List them under missing.",
        facts.numbers, facts.others, facts.first_other.text, facts.first_other.line);
  }
  if (facts.constant()) {
    return {std::move(column), "One value alone, which tells nothing: ignored."};
  }
  if (!facts.many_values && facts.text_is_sound) {
    column.rule = CategoricalColumn{.categories = facts.texts()};
    if (remark.empty()) remark = alike_remark(facts.texts(), "categories");
  } else if (static_cast<double>(facts.words) >=
             fewest_words_of_prose * static_cast<double>(facts.others)) {
    column.rule = TextColumn{};
  } else {
    column.rule = HashedColumn{};
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

/// Two classes of which some are spelt in several ways.
std::optional<BinaryTarget> two_classes_in_spellings(const std::vector<std::string>& values) {
  std::map<std::string, std::vector<std::string>> spellings;
  for (const auto& value : values) spellings[folded(value)].push_back(value);
  if (values.size() <= 2 || spellings.size() != 2) return std::nullopt;
  return BinaryTarget{.positive = spellings.rbegin()->second,
                      .negative = spellings.begin()->second};
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
  return {std::move(target)};
}

/// Names the value that is neither number nor class.
[[noreturn]] void refuse_target(const std::string& name, const ColumnFacts& facts,
                                std::string_view file) {
  if (facts.numbers + facts.others == 0) {
    throw base::DataError("{}: the target '{}' has no value at all", file, name);
  }
  if (facts.constant()) {
    throw base::DataError(
        "{}: the target '{}' is \"{}\" in every record, so there is nothing to "
        "predict",
        file, name, facts.values.begin()->first);
  }
  const bool mostly_numbers = facts.numbers > facts.others;
  if (mostly_numbers) {
    throw base::DataError(
        "{}:{}: the target '{}' is a number elsewhere and \"{}\" here; if that stands for a "
        "missing value, list it under `missing`",
        file, facts.first_other.line, name, facts.first_other.text);
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
    target.rule = BinaryTarget{.positive = {values[1]}, .negative = {values[0]}};
    return {std::move(target)};
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
    return {std::move(target), numbers ? "Whole numbers, taken for classes. A count? Then kind = "
                                         "\"count\" and upper. A measure? Then lower and upper."
                                       : ""};
  }
  if (facts.numeric() && !facts.constant()) return numeric_target(std::move(target), facts);
  refuse_target(name, facts, file);
}

}  // namespace tacet::data
