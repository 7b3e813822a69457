#include "tacet/data/owner/draft_target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "tacet/base/error.h"
#include "tacet/data/owner/draft_remarks.h"
#include "tacet/data/owner/similar_texts.h"
#include "tacet/data/schema/schema_node.h"

namespace tacet::data {
namespace {

// A column of numbers with fewer values than this is taken for a class label.
constexpr std::size_t max_classes = 20;

/// Whether whole numbers from 0 or 1 up are counts and not classes: small counts are common.
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

/// The text after a code in a label: "yes" of "1 = yes" and of "(1) yes".
std::string without_code(std::string text) {
  const auto end = text.find_first_not_of("()[]0123456789");
  if (end == 0 || end == std::string::npos) return text;
  const auto word = text.find_first_not_of(" =:.-)_", end);
  return word == std::string::npos ? text : text.substr(word);
}

/// Whether a class is the negation of another one, which then is the positive one.
bool negates(std::string_view text) {
  constexpr std::array<std::string_view, 29> words{"no",
                                                   "n",
                                                   "non",
                                                   "nein",
                                                   "nee",
                                                   "nej",
                                                   "nie",
                                                   "ne",
                                                   "nao",
                                                   "n\xc3\xa3o",
                                                   "false",
                                                   "f",
                                                   "falsch",
                                                   "falso",
                                                   "faux",
                                                   "0",
                                                   "never",
                                                   "none",
                                                   "negative",
                                                   "neg",
                                                   "negativ",
                                                   "absent",
                                                   "unchecked",
                                                   "off",
                                                   "control",
                                                   "controls",
                                                   "healthy",
                                                   "-",
                                                   "\xd0\xbd\xd0\xb5\xd1\x82"};
  return std::ranges::find(words, without_code(folded(text))) != words.end();
}

/// Two classes. The positive one is the one that is not a negation, or else the larger number. An
/// exception is Access, which writes yes as -1 and no as 0.
BinaryTarget two_classes(std::vector<std::string> values) {
  const auto first = parse_number(values[0]);
  const auto second = parse_number(values[1]);
  const bool of_access =
      first && second && std::min(*first, *second) == -1 && std::max(*first, *second) == 0;
  const bool turned =
      first && second ? (*first > *second) != of_access : negates(values[1]) && !negates(values[0]);
  if (turned) std::swap(values[0], values[1]);
  return BinaryTarget{.positive = {values[1]}, .negative = {values[0]}};
}

/// Asks which of the two classes is positive if their names do not say it: surveys code yes as 1
/// and no as 2.
std::string polarity_question(const BinaryTarget& target) {
  const auto& positive = target.positive.front();
  const auto& negative = target.negative.front();
  const auto no = parse_number(negative);
  const auto yes = parse_number(positive);
  const bool clear = no && yes ? *no < 1 && *yes > *no : negates(negative) != negates(positive);
  if (clear) return {};
  return fmt::format(
      "\"{}\" is the positive class, whose probability is predicted, and \"{}\" the negative one. "
      "The other way round? Then swap them.",
      positive, negative);
}

/// Two classes, at least one of which has several spellings.
std::optional<BinaryTarget> two_classes_in_spellings(const std::vector<std::string>& values) {
  std::map<std::string, std::vector<std::string>> spellings;
  for (const auto& value : values) spellings[folded(value)].push_back(value);
  if (values.size() <= 2 || spellings.size() != 2) return std::nullopt;
  const bool turned = negates(spellings.rbegin()->first) && !negates(spellings.begin()->first);
  auto& first = spellings.begin()->second;
  auto& second = spellings.rbegin()->second;
  return BinaryTarget{.positive = turned ? first : second, .negative = turned ? second : first};
}

/// A remark about one suspicious class of several; empty if there is none.
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
  constexpr std::int64_t enough = 50;  // a class in fewer than one of this many records
  const auto records = facts.numbers + facts.others;
  for (const auto& [text, count] : facts.values) {
    if (count * enough >= records) continue;
    return fmt::format(
        "The class \"{}\" occurs {}: a fault or a missing value? Then mend it, or list it under "
        "missing of the target.",
        text, count == 1 ? "once" : fmt::format("in {} of {} records", count, records));
  }
  return {};
}

/// Drafts a target that is a number.
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
  auto remark = lone_numbers(facts);
  const bool doubt = !remark.empty();
  return {std::move(target), std::move(remark), doubt};
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
        "{}: the target '{}' is \"{}\" in every record{}", file, name, facts.values.begin()->first,
        facts.missing > 0 ? " that has a value. Do the others mean a second class? Then write its "
                            "name there"
                          : ", so there is nothing to predict");
  }
  const bool mostly_numbers = facts.numbers > facts.others;
  if (mostly_numbers) {
    throw base::DataError(
        "{}:{}: the target '{}' is a number elsewhere and \"{}\" here; if that stands for a "
        "missing value, list it under `missing`{}{}",
        file, facts.first_other.line, name, facts.first_other.text,
        facts.shapes.remark(facts.numbers).empty() ? "" : ". ", facts.shapes.remark(facts.numbers));
  }
  throw base::DataError(
      "{}:{}: the target '{}' is neither a number nor a class with 2 to {} values; \"{}\" is one "
      "of more{}{}",
      file, facts.one_too_many.line > 0 ? facts.one_too_many.line : facts.first_other.line, name,
      max_classes, facts.one_too_many.line > 0 ? facts.one_too_many.text : facts.first_other.text,
      facts.shapes.remark(facts.numbers).empty() ? "" : ". ", facts.shapes.remark(facts.numbers));
}

}  // namespace

DraftedTarget draft_target(const std::string& name, const ColumnFacts& facts,
                           std::string_view file) {
  Target target{.column = name, .rule = {}};
  const auto values = facts.texts();
  const bool listed = !facts.many_values && facts.text_is_sound;
  if (listed && values.size() == 2) {
    auto rule = two_classes(values);
    auto remark = facts.shapes.remark(facts.numbers);
    if (remark.empty()) remark = odd_class(facts);
    if (remark.empty()) remark = polarity_question(rule);
    target.rule = std::move(rule);
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
    if (!numbers)
      return {std::move(target), facts.shapes.remark(facts.numbers),
              !facts.shapes.remark(facts.numbers).empty()};
    return {
        std::move(target),
        "Whole numbers, taken for classes. A count? Then kind = \"count\" and upper. A measure? "
        "Then lower and upper. Does one mean a missing value? Then list it under missing of the "
        "target.",
        true};
  }
  if (facts.numeric() && !facts.constant()) return numeric_target(std::move(target), facts);
  refuse_target(name, facts, file);
}

}  // namespace tacet::data
