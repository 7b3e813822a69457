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

/// Numbers that stand apart from all others; empty: none do.
std::string lone_numbers(const ColumnFacts& facts) {
  const auto far = facts.far_numbers();
  if (!far.empty()) {
    std::vector<std::string> texts;
    for (const auto& one : far) texts.push_back(one.text);
    const bool single = texts.size() == 1;
    return fmt::format(
        "{}, {}in line {}, {} far from all others: {} or {} for a missing value? Then mend {}, or "
        "list {} under missing, and mend the bounds.",
        fmt::join(texts, ", "), single ? "" : "the first ", far.front().line, single ? "is" : "are",
        single ? "a fault" : "faults", single ? "a code" : "codes", single ? "it" : "them",
        single ? "it" : "them");
  }
  const double next = facts.above_lone_zeros();
  if (next == 0) return {};
  return fmt::format(
      "0 stands apart: the next number is {}. Does it mean a missing value? Then list 0 under "
      "missing, and mend the lower bound.",
      next);
}

/// Each value for itself.
Drafted draft_codes(Column column, const ColumnFacts& facts, std::string_view why) {
  const bool named = named_like_code(column.name);
  if (facts.many_values) {
    column.rule = HashedColumn{};
  } else {
    column.rule = CategoricalColumn{.categories = facts.texts()};
  }
  return {std::move(column),
          fmt::format("{}, so each value counts for itself. A quantity? Then kind = \"numeric\" "
                      "with lower and upper.",
                      why),
          !named};
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
  if (auto remark = lone_numbers(facts); !remark.empty()) {
    return {std::move(column), std::move(remark), true};
  }
  if (whole && facts.identifies() && !facts.dates()) {
    return {std::move(column),
            "Every value occurs once: an identifier? Then kind = \"ignored\". Of persons with "
            "several records? Then unit, at the top.",
            true};
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

/// As it stands but for capital letters, blanks around it, blanks that break no line and marks that
/// nobody sees.
std::string folded(std::string_view text) {
  std::string result;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto rest = text.substr(k);
    const bool blank = rest.starts_with("\xc2\xa0");
    const bool unseen = rest.starts_with("\xe2\x80\x8b") || rest.starts_with("\xe2\x80\x8e") ||
                        rest.starts_with("\xe2\x80\x8f") || rest.starts_with("\xef\xbb\xbf");
    if (!blank && !unseen) {
      result += lower_case(text[k]);
      continue;
    }
    if (blank) result += ' ';
    k += blank ? 1 : 2;
  }
  return std::string(without_blanks(result));
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

/// Accents that are characters of their own beside letters that have theirs, which look alike.
std::string mixed_accents(const std::vector<std::string>& texts) {
  const auto has = [](const std::string& text, char first, unsigned least, unsigned most) {
    for (std::size_t k = 0; k + 1 < text.size(); ++k) {
      const unsigned code = static_cast<unsigned char>(text[k + 1]);
      if (text[k] == first && code >= least && code <= most) return true;
    }
    return false;
  };
  const auto apart = [&](const std::string& text) {
    return has(text, '\xcc', 0x80, 0xbf) || has(text, '\xcd', 0x80, 0xaf);
  };
  const auto joined = [&](const std::string& text) { return has(text, '\xc3', 0x80, 0xbf); };
  const auto first = std::ranges::find_if(texts, apart);
  if (first == texts.end() || std::ranges::none_of(texts, joined)) return {};
  return fmt::format(
      "In \"{}\" an accent is a character of its own, in others it is a part of the letter: one "
      "text may count as two. Write them one way: uconv -x any-nfc FILE.",
      *first);
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
  return mixed_accents(texts);
}

/// A line of sums whose name stands among categories.
std::string total_remark(const std::vector<std::string>& texts) {
  constexpr std::array<std::string_view, 14> words{
      "total",  "totals", "subtotal", "sub-total", "grand total", "sum",    "summe",
      "gesamt", "somme",  "totale",   "totaal",    "summa",       "totalt", "insgesamt"};
  for (const auto& text : texts) {
    if (std::ranges::find(words, folded(text)) == words.end()) continue;
    return fmt::format("\"{}\" is a category: lines of sums? Then take them out of the file.",
                       text);
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
  // The shapes of codes are known.
  std::string remark = named_like_code(name) ? std::string() : facts.shapes.remark(facts.numbers);
  const bool doubtful = !remark.empty() || facts.numbers > facts.others;
  if (!remark.empty()) {
    // Said; how often they stand there matters less.
  } else if (facts.others == 1 && facts.numbers > 1) {
    remark = fmt::format(
        "{} numbers and one text, \"{}\" in line {}: units, a sum or a fault? Then take that line "
        "out of the file. A missing value? List the text under missing.",
        facts.numbers, facts.first_other.text, facts.first_other.line);
  } else if (facts.identifies() && facts.numbers <= facts.others) {
    remark =
        "Every value occurs once: an identifier? Then kind = \"ignored\". Of persons with several "
        "records? Then unit, at the top.";
    if (named_like_identifier(name)) return {std::move(column), std::move(remark)};
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
    const auto texts = facts.texts();
    auto alike = alike_remark(texts, "categories");
    if (alike.empty()) alike = total_remark(texts);
    if (!alike.empty()) {
      return {std::move(column), remark.empty() ? alike : fmt::format("{} {}", remark, alike),
              true};
    }
    // A category of its own is right too, so it is said in the schema alone.
    if (remark.empty()) return {std::move(column), missing_remark(texts, "a category")};
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

/// What follows a code in a label: yes of "1 = yes" and of "(1) yes".
std::string without_code(std::string text) {
  const auto end = text.find_first_not_of("()[]0123456789");
  if (end == 0 || end == std::string::npos) return text;
  const auto word = text.find_first_not_of(" =:.-)_", end);
  return word == std::string::npos ? text : text.substr(word);
}

/// Whether a class is the negation of another one, which is predicted.
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

/// Two classes: the positive one is not the negation, nor the smaller number.
BinaryTarget two_classes(std::vector<std::string> values) {
  const auto first = parse_number(values[0]);
  const auto second = parse_number(values[1]);
  const bool turned =
      first && second ? *first > *second : negates(values[1]) && !negates(values[0]);
  if (turned) std::swap(values[0], values[1]);
  return BinaryTarget{.positive = {values[1]}, .negative = {values[0]}};
}

/// Asks which of two classes is predicted where their names do not say it: a survey codes yes as 1
/// and no as 2.
std::string polarity_question(const BinaryTarget& target) {
  const auto& positive = target.positive.front();
  const auto& negative = target.negative.front();
  const auto number = parse_number(negative);
  const bool numbers = number && *number < 1 && parse_number(positive);
  if (numbers || negates(negative) != negates(positive)) return {};
  return fmt::format(
      "\"{}\" is the positive class, whose probability is predicted, and \"{}\" the negative one. "
      "The other way round? Then swap them.",
      positive, negative);
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
  constexpr std::int64_t enough = 50;  // records, and so many for one of a class
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
